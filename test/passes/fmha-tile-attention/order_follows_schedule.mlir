// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention | FileCheck %s

// The order of the schedule is the order of the loop, nothing else decides it.
#problem = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 128, head_dim_v = 64, mask = none>
#v_first = #fmha.schedule<tile_m = 256, tile_n = 32, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_v, load_k, qk, mask, softmax, rescale, pv], rescale = eager>
#v_late = #fmha.schedule<tile_m = 256, tile_n = 32, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, qk, mask, softmax, load_v, rescale, pv], rescale = eager>

// CHECK-LABEL: fmha.kernel @v_first
// CHECK: fmha.kv_loop
// CHECK-NEXT: fmha.load_v
// CHECK-NEXT: fmha.load_k
// CHECK-NEXT: fmha.qk
// CHECK-NEXT: fmha.mask
// CHECK-NEXT: fmha.softmax
// CHECK-NEXT: fmha.rescale
// CHECK-NEXT: fmha.pv
// CHECK-NEXT: fmha.yield
fmha.attention @v_first problem(#problem) schedule(#v_first)

// CHECK-LABEL: fmha.kernel @v_late
// CHECK: fmha.kv_loop
// CHECK-NEXT: fmha.load_k
// CHECK-NEXT: fmha.qk
// CHECK-NEXT: fmha.mask
// CHECK-NEXT: fmha.softmax
// CHECK-NEXT: fmha.load_v
// CHECK-NEXT: fmha.rescale
// CHECK-NEXT: fmha.pv
// CHECK-NEXT: fmha.yield
fmha.attention @v_late problem(#problem) schedule(#v_late)
