// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention | FileCheck %s

// A head of D elements is padded to the power of two at or above it, and to what one
// matrix instruction takes: Dqk to steps of qk.k, Dv to chunks of pv.m. Of as many
// columns as D the tile says so.
// CHECK-LABEL: fmha.kernel @d8_8_32
// CHECK: fmha.load_q {{.*}} : !fmha.view<8, bf16> -> !fmha.tile<256x16xbf16, cols = 8>
// CHECK: fmha.init 0.000000e+00 : !fmha.tile<256x32xf32, cols = 8>
// CHECK: fmha.load k {{.*}} : !fmha.rows<8, bf16> -> !fmha.tile<32x16xbf16, cols = 8>
// CHECK: fmha.load v {{.*}} : !fmha.rows<8, bf16> -> !fmha.tile<32x32xbf16, cols = 8>
// CHECK: fmha.store_o {{.*}} : !fmha.tile<256x32xf32, cols = 8>, !fmha.view<8, bf16>
// CHECK-LABEL: fmha.kernel @d72_96_32
// CHECK: fmha.load_q {{.*}} : !fmha.view<72, bf16> -> !fmha.tile<256x128xbf16, cols = 72>
// CHECK: fmha.init 0.000000e+00 : !fmha.tile<256x128xf32, cols = 96>
// CHECK: fmha.load k {{.*}} : !fmha.rows<72, bf16> -> !fmha.tile<32x128xbf16, cols = 72>
// CHECK: fmha.load v {{.*}} : !fmha.rows<96, bf16> -> !fmha.tile<32x128xbf16, cols = 96>
// CHECK: fmha.store_o {{.*}} : !fmha.tile<256x128xf32, cols = 96>, !fmha.view<96, bf16>
// CHECK-LABEL: fmha.kernel @d96_72_32
// CHECK: fmha.load_q {{.*}} : !fmha.view<96, bf16> -> !fmha.tile<256x128xbf16, cols = 96>
// CHECK: fmha.init 0.000000e+00 : !fmha.tile<256x128xf32, cols = 72>
// CHECK: fmha.load k {{.*}} : !fmha.rows<96, bf16> -> !fmha.tile<32x128xbf16, cols = 96>
// CHECK: fmha.load v {{.*}} : !fmha.rows<72, bf16> -> !fmha.tile<32x128xbf16, cols = 72>
// CHECK: fmha.store_o {{.*}} : !fmha.tile<256x128xf32, cols = 72>, !fmha.view<72, bf16>
// CHECK-LABEL: fmha.kernel @d192_192_32
// CHECK: fmha.load_q {{.*}} : !fmha.view<192, bf16> -> !fmha.tile<256x256xbf16, cols = 192>
// CHECK: fmha.init 0.000000e+00 : !fmha.tile<256x256xf32, cols = 192>
// CHECK: fmha.load k {{.*}} : !fmha.rows<192, bf16> -> !fmha.tile<32x256xbf16, cols = 192>
// CHECK: fmha.load v {{.*}} : !fmha.rows<192, bf16> -> !fmha.tile<32x256xbf16, cols = 192>
// CHECK: fmha.store_o {{.*}} : !fmha.tile<256x256xf32, cols = 192>, !fmha.view<192, bf16>
// CHECK-LABEL: fmha.kernel @d128_64_32
// CHECK: fmha.load_q {{.*}} : !fmha.view<128, bf16> -> !fmha.tile<256x128xbf16>
// CHECK: fmha.init 0.000000e+00 : !fmha.tile<256x64xf32>
// CHECK: fmha.load k {{.*}} : !fmha.rows<128, bf16> -> !fmha.tile<32x128xbf16>
// CHECK: fmha.load v {{.*}} : !fmha.rows<64, bf16> -> !fmha.tile<32x64xbf16>
// CHECK: fmha.store_o {{.*}} : !fmha.tile<256x64xf32>, !fmha.view<64, bf16>
// CHECK-LABEL: fmha.kernel @d8_8_16
// CHECK: fmha.load_q {{.*}} : !fmha.view<8, bf16> -> !fmha.tile<128x32xbf16, cols = 8>
// CHECK: fmha.init 0.000000e+00 : !fmha.tile<128x16xf32, cols = 8>
// CHECK: fmha.load k {{.*}} : !fmha.rows<8, bf16> -> !fmha.tile<32x32xbf16, cols = 8>
// CHECK: fmha.load v {{.*}} : !fmha.rows<8, bf16> -> !fmha.tile<32x16xbf16, cols = 8>
// CHECK: fmha.store_o {{.*}} : !fmha.tile<128x16xf32, cols = 8>, !fmha.view<8, bf16>
// CHECK-LABEL: fmha.kernel @d72_96_16
// CHECK: fmha.load_q {{.*}} : !fmha.view<72, bf16> -> !fmha.tile<128x128xbf16, cols = 72>
// CHECK: fmha.init 0.000000e+00 : !fmha.tile<128x128xf32, cols = 96>
// CHECK: fmha.load k {{.*}} : !fmha.rows<72, bf16> -> !fmha.tile<32x128xbf16, cols = 72>
// CHECK: fmha.load v {{.*}} : !fmha.rows<96, bf16> -> !fmha.tile<32x128xbf16, cols = 96>
// CHECK: fmha.store_o {{.*}} : !fmha.tile<128x128xf32, cols = 96>, !fmha.view<96, bf16>
// CHECK-LABEL: fmha.kernel @d96_72_16
// CHECK: fmha.load_q {{.*}} : !fmha.view<96, bf16> -> !fmha.tile<128x128xbf16, cols = 96>
// CHECK: fmha.init 0.000000e+00 : !fmha.tile<128x128xf32, cols = 72>
// CHECK: fmha.load k {{.*}} : !fmha.rows<96, bf16> -> !fmha.tile<32x128xbf16, cols = 96>
// CHECK: fmha.load v {{.*}} : !fmha.rows<72, bf16> -> !fmha.tile<32x128xbf16, cols = 72>
// CHECK: fmha.store_o {{.*}} : !fmha.tile<128x128xf32, cols = 72>, !fmha.view<72, bf16>
// CHECK-LABEL: fmha.kernel @d192_192_16
// CHECK: fmha.load_q {{.*}} : !fmha.view<192, bf16> -> !fmha.tile<128x256xbf16, cols = 192>
// CHECK: fmha.init 0.000000e+00 : !fmha.tile<128x256xf32, cols = 192>
// CHECK: fmha.load k {{.*}} : !fmha.rows<192, bf16> -> !fmha.tile<32x256xbf16, cols = 192>
// CHECK: fmha.load v {{.*}} : !fmha.rows<192, bf16> -> !fmha.tile<32x256xbf16, cols = 192>
// CHECK: fmha.store_o {{.*}} : !fmha.tile<128x256xf32, cols = 192>, !fmha.view<192, bf16>
// CHECK-LABEL: fmha.kernel @d128_64_16
// CHECK: fmha.load_q {{.*}} : !fmha.view<128, bf16> -> !fmha.tile<128x128xbf16>
// CHECK: fmha.init 0.000000e+00 : !fmha.tile<128x64xf32>
// CHECK: fmha.load k {{.*}} : !fmha.rows<128, bf16> -> !fmha.tile<32x128xbf16>
// CHECK: fmha.load v {{.*}} : !fmha.rows<64, bf16> -> !fmha.tile<32x64xbf16>
// CHECK: fmha.store_o {{.*}} : !fmha.tile<128x64xf32>, !fmha.view<64, bf16>

#s32 = #fmha.schedule<tile_m = 256, tile_n = 32, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#s16 = #fmha.schedule<tile_m = 128, tile_n = 32, waves = 8, waves_per_simd = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
fmha.attention @d8_8_32 problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 8, head_dim_v = 8, mask = none>) schedule(#s32)
fmha.attention @d72_96_32 problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 72, head_dim_v = 96, mask = none>) schedule(#s32)
fmha.attention @d96_72_32 problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 96, head_dim_v = 72, mask = none>) schedule(#s32)
fmha.attention @d192_192_32 problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 192, head_dim_v = 192, mask = none>) schedule(#s32)
fmha.attention @d128_64_32 problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 64, mask = none>) schedule(#s32)
fmha.attention @d8_8_16 problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 8, head_dim_v = 8, mask = none>) schedule(#s16)
fmha.attention @d72_96_16 problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 72, head_dim_v = 96, mask = none>) schedule(#s16)
fmha.attention @d96_72_16 problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 96, head_dim_v = 72, mask = none>) schedule(#s16)
fmha.attention @d192_192_16 problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 192, head_dim_v = 192, mask = none>) schedule(#s16)
fmha.attention @d128_64_16 problem(#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 64, mask = none>) schedule(#s16)
