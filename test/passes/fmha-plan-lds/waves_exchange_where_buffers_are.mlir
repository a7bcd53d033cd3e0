// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-plan-lds -split-input-file -verify-diagnostics | FileCheck %s

// Two waves of 64 lanes, and of each 16 registers of O and a pair for its row: 2 * 64 * (16 + 2) * 4 = 9216 bytes. The
// buffer of K has 4096: in four parts of 4 registers, 2 * 64 * (4 + 2) * 4 = 3072.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 64, mask = none>
#schedule = #fmha.schedule<tile_m = 16, tile_n = 64, waves = 2, waves_per_simd = 2, key_waves = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 0>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@all compute [qk]>]>>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [16, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = [[32, 0]]>
#o = #fmha.lane_layout<fragment = 4, reg = [[0, 1], [0, 2], [0, 16], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = [[0, 0]]>
#merged = #fmha.lane_layout<fragment = 4, reg = [[0, 1], [0, 2], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = [[0, 16]]>
#rows = #fmha.lane_layout<fragment = 1, reg = [], lane = [[1], [2], [4], [8], [0], [0]], wave = [[0]]>
!kv = !fmha.tile<64x32xbf16, #k>
!o = !fmha.tile<16x64xf32, #o>
!merged = !fmha.tile<16x64xf32, #merged>
!row = !fmha.tile<16xf32, #rows>
// CHECK: %[[X:.*]] = fmha.lds_exchange : !fmha.exchange<5120>
// CHECK: fmha.copy k
// CHECK: %[[T0:.*]] = fmha.share %[[O:.*]], %[[M:.*]], %[[L:.*]] part <0 to 1 of 2> into %[[X]]
// CHECK-NEXT: %[[O0:.*]], %{{.*}}, %{{.*}} = fmha.gather %[[X]] after %[[T0]] by %[[F:.*]] wide part <0 to 1 of 2> :
// CHECK-NEXT: %[[T1:.*]] = fmha.share %[[O]], %[[M]], %[[L]] part <1 to 2 of 2> into %[[X]]
// CHECK-NEXT: %[[O1:.*]], %[[M1:.*]], %[[L1:.*]] = fmha.gather %[[X]] after %[[T1]] by %[[F]] wide part <1 to 2 of 2> onto %[[O0]]
// CHECK-NEXT: fmha.normalize %[[O1]], %[[L1]]
fmha.kernel @parts problem(#problem) schedule(#schedule) {
^bb0(%view: !fmha.view<32, bf16>, %i: i32, %factor: f32):
  %at = fmha.rows k %view, %i : !fmha.view<32, bf16>
  // expected-remark @+1 {{k has LDS layout}}
  %k = fmha.load k %at : !fmha.rows<32, bf16> -> !kv
  %m = fmha.init 0.0 : !row
  %l = fmha.init 1.0 : !row
  %o = fmha.init 2.0 : !o
  // expected-remark @+1 {{waves exchange O in 2 parts of 5120 bytes of LDS}}
  %om, %mm, %lm = fmha.merge_waves %o, %m, %l by %factor wide : !o, !row -> !merged
  %n = fmha.normalize %om, %lm : !merged, !row
}
