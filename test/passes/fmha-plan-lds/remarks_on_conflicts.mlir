// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-plan-lds -verify-diagnostics | FileCheck %s

// 32 keys, no padding: a line of 1024 bytes takes at most 32 pieces of 32 bytes
// from different rows. Keys 1, 2, 4 lie 8, 16, 32 banks on, key 8 in bank 0 again:
// 2 ways. Longer pieces are worse: 64 bytes leave keys 4 and 8 in bank 0, 4 ways.
// CHECK: #fmha.lds_layout<row = [32, 64, 128, 256, 512], {{.*}} conflict_ways = 2>
#problem = #fmha.problem<element = bf16, output = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 128, tile_n = 32, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 0>, v = <read = tr_b16, max_pad_bytes = 0>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [0, 64]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0], [0, 0]]>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%kv: !fmha.view<128, bf16>, %lo: i32, %hi: i32):
  fmha.kv_loop %t = %lo to %hi {
    // expected-remark @+1 {{no LDS layout free of bank conflicts within 0 bytes of padding a line: 2 ways remain}}
    %k = fmha.load_k %kv, %t : !fmha.view<128, bf16> -> !fmha.tile<32x128xbf16, #k>
    fmha.yield
  }
}
