// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-sync-to-rocdl -convert-amdgpu-to-rocdl=chipset=gfx950 | FileCheck %s

// Fields: vmcnt in bits 3:0 and 15:14, expcnt 6:4 (7: none), lgkmcnt 11:8.
// vmcnt(4) lgkmcnt(0): 4 | 7 << 4 = 116. Of two waits there are two: vmcnt(4) alone is
// 4 | 7 << 4 | 15 << 8 = 3956, lgkmcnt(0) alone 15 | 7 << 4 | 3 << 14 = 49279.
// CHECK: rocdl.s.waitcnt 116
// CHECK-NOT: rocdl.s.waitcnt
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @k problem(#problem) schedule(#schedule) {
  amdgpu.memory_counter_wait load(4) ds(0)
// CHECK: rocdl.s.barrier
  rocdl.s.barrier
// CHECK: rocdl.s.waitcnt 3956
  amdgpu.memory_counter_wait load(4)
// CHECK: rocdl.s.waitcnt 49279
  amdgpu.memory_counter_wait ds(0)
}
