// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none>
#schedule = #fmha.schedule<tile_m = 16, tile_n = 64, waves = 2, waves_per_simd = 2, key_waves = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  pipeline = <stages = [<@all compute [qk]>]>>
!o = !fmha.tile<16x64xf32>
!row = !fmha.tile<16xf32>
// CHECK: fmha.kernel @k
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%o: !o, %m: !row, %l: !row, %f: f32, %rows: !row):
  // CHECK: fmha.merge_waves %{{.*}}, %{{.*}}, %{{.*}} by %{{.*}} : !fmha.tile<16x64xf32>, !fmha.tile<16xf32> -> !fmha.tile<16x64xf32>
  %a, %b, %c = fmha.merge_waves %o, %m, %l by %f : !o, !row -> !o
  // CHECK: fmha.merge_waves %{{.*}}, %{{.*}}, %{{.*}} by %{{.*}} of !fmha.tile<16xf32> wide : !fmha.tile<16x64xf32>
  %d, %e, %g = fmha.merge_waves %o, %m, %l by %rows of !row wide : !o, !row -> !o
  // CHECK: %[[X:.*]] = fmha.lds_exchange : !fmha.exchange<4096>
  %x = fmha.lds_exchange : !fmha.exchange<4096>
  // CHECK: %[[T:.*]] = fmha.share %{{.*}}, %{{.*}}, %{{.*}} part <0 to 1 of 2> into %[[X]] : !fmha.tile<16x64xf32>, !fmha.tile<16xf32>, !fmha.exchange<4096>
  %t = fmha.share %o, %m, %l part <0 to 1 of 2> into %x : !o, !row, !fmha.exchange<4096>
  // CHECK: %[[O:.*]], %{{.*}}, %{{.*}} = fmha.gather %[[X]] after %[[T]] by %{{.*}} part <0 to 1 of 2> : !fmha.exchange<4096> -> !fmha.tile<16x64xf32>, !fmha.tile<16xf32>
  %o0, %m0, %l0 = fmha.gather %x after %t by %f part <0 to 1 of 2> : !fmha.exchange<4096> -> !o, !row
  // CHECK: fmha.gather %[[X]] after %[[T]] by %{{.*}} wide part <1 to 2 of 2> onto %[[O]] : !fmha.tile<16x64xf32> : !fmha.exchange<4096>
  %o1, %m1, %l1 = fmha.gather %x after %t by %f wide part <1 to 2 of 2> onto %o0 : !o : !fmha.exchange<4096> -> !o, !row
}
