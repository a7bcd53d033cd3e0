// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s
// RUN: %fmhac-opt %s -mlir-print-op-generic | %fmhac-opt | FileCheck %s

#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = causal>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512, 1024], col = [2, 4, 8, 16, 32], line_bytes = 1024, bytes = 2048, conflict_ways = 1>

// CHECK: fmha.kernel @k problem(#{{.*}}) schedule(#{{.*}}) {
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%b: !fmha.lds<32x32xbf16, 0, #lds>, %t: !fmha.token, %some: !fmha.tile<32x32xbf16>):
  // CHECK: %{{.*}} = fmha.read k %{{.*}} after %{{.*}} part <0 to 1 of 2> : !fmha.lds<32x32xbf16, 0, #{{.*}}> -> !fmha.tile<32x32xbf16>
  %read_k0 = fmha.read k %b after %t part <0 to 1 of 2> : !fmha.lds<32x32xbf16, 0, #lds> -> !fmha.tile<32x32xbf16>
  // CHECK: %{{.*}} = fmha.read k %{{.*}} after %{{.*}} part <1 to 2 of 2> onto %{{.*}} : !fmha.tile<32x32xbf16> : !fmha.lds<32x32xbf16, 0, #{{.*}}> -> !fmha.tile<32x32xbf16>
  %read_k1 = fmha.read k %b after %t part <1 to 2 of 2> onto %some : !fmha.tile<32x32xbf16> : !fmha.lds<32x32xbf16, 0, #lds> -> !fmha.tile<32x32xbf16>
  // CHECK: %{{.*}} = fmha.read v %{{.*}} after %{{.*}} part <0 to 1 of 2> : !fmha.lds<32x32xbf16, 0, #{{.*}}> -> !fmha.tile<32x32xbf16>
  %read_v0 = fmha.read v %b after %t part <0 to 1 of 2> : !fmha.lds<32x32xbf16, 0, #lds> -> !fmha.tile<32x32xbf16>
  // CHECK: %{{.*}} = fmha.read v %{{.*}} after %{{.*}} part <1 to 2 of 2> onto %{{.*}} : !fmha.tile<32x32xbf16> : !fmha.lds<32x32xbf16, 0, #{{.*}}> -> !fmha.tile<32x32xbf16>
  %read_v1 = fmha.read v %b after %t part <1 to 2 of 2> onto %some : !fmha.tile<32x32xbf16> : !fmha.lds<32x32xbf16, 0, #lds> -> !fmha.tile<32x32xbf16>
}
