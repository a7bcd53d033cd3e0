// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-stores-to-rocdl -split-input-file -verify-diagnostics | FileCheck %s

// Stores have the bits of their operand: sc0 1, nt 2, sc1 16, of which the last operand is the sum
// (LLVM AMDGPUUsage, llvm.amdgcn.raw.ptr.buffer.store).
// CHECK-LABEL: fmha.kernel @stores
// CHECK-COUNT-2: rocdl.raw.ptr.buffer.store %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %c2_i32{{(_[0-9]+)?}} : vector<4xi32>
// CHECK: rocdl.raw.ptr.buffer.store %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %c17_i32{{(_[0-9]+)?}} : f32
// CHECK-COUNT-4: rocdl.raw.ptr.buffer.store %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %c18_i32{{(_[0-9]+)?}} : vector<4xi32>
// CHECK: rocdl.raw.ptr.buffer.store %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %c1_i32{{(_[0-9]+)?}} : f32
// CHECK-NOT: rocdl.raw.ptr.buffer.store
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lse = true, work = list, parts = true>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, cache = <o = nt, lse = sc0 sc1, part_o = nt sc1, part_lse = sc0, k = nt>,
  pipeline = <stages = [<@all compute [qk]>]>>
#o = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [16], [0]], wave = [[32]]>
!o = !fmha.tile<64x32xf32, #o>
!row = !fmha.tile<64xf32, #rows>
fmha.kernel @stores problem(#problem) schedule(#schedule) {
^bb0(%o: !o, %x: !row):
  fmha.work list (%row, %head, %batch, %key, %key_end, %part) {
    %ov = fmha.view o : !fmha.view<32, bf16>
    fmha.store_o %o, %ov : !o, !fmha.view<32, bf16>
    %lv = fmha.view lse : !fmha.view<1, f32>
    fmha.store_lse %x, %lv : !row, !fmha.view<1, f32>
    %pv = fmha.view part_o : !fmha.view<32, f32>
    fmha.store_o %o, %pv : !o, !fmha.view<32, f32>
    %plv = fmha.view part_lse : !fmha.view<1, f32>
    fmha.store_lse %x, %plv : !row, !fmha.view<1, f32>
  }
}

// -----

// Operands that the kernel does not store; what is not said of O is none of the bits.
// CHECK-LABEL: fmha.kernel @others
// CHECK-COUNT-2: rocdl.raw.ptr.buffer.store %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %c0_i32{{(_[0-9]+)?}} : vector<4xi32>
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 2, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, cache = <lse = nt, part_o = nt, part_lse = sc1>,
  pipeline = <stages = [<@all compute [qk]>]>>
#o = #fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0]]>
!o = !fmha.tile<64x32xf32, #o>
// expected-remark @+3 {{cache of lse has no effect: the kernel has no vector instruction that loads or stores it}}
// expected-remark @+2 {{cache of part_o has no effect}}
// expected-remark @+1 {{cache of part_lse has no effect}}
fmha.kernel @others problem(#problem) schedule(#schedule) {
^bb0(%o: !o):
  %ov = fmha.view o : !fmha.view<32, bf16>
  fmha.store_o %o, %ov : !o, !fmha.view<32, bf16>
}
