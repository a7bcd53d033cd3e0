// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention -split-input-file 2>/dev/null | FileCheck %s
// RUN: %fmhac-opt %s -fmha-tile-attention -split-input-file -verify-diagnostics

// What a function of scores takes is scaled one by one, in f32; Q goes into the product as
// it was loaded, and from there on the factor is log2(e) alone.
// A soft cap.
// CHECK: %[[Q:.*]] = fmha.load_q
// CHECK-NOT: fmha.scale_q
// CHECK: %[[LOG2E:.*]] = arith.constant 1.44269502 : f32
// CHECK: fmha.product k %[[Q]],
// CHECK: fmha.score_mod
// CHECK: fmha.subtract %{{.*}}, %{{.*}}, %[[LOG2E]] wide
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none, softcap = 30.0 : f32>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, scale = q, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
// expected-remark @+1 {{scale = q is not followed: a soft cap, ALiBi, a bias or a function of scores takes scores times the scale, which it multiplies each by; Q stays as it is}}
fmha.attention @attn problem(#problem) schedule(#schedule)

// -----

// ALiBi.
// CHECK: %[[Q:.*]] = fmha.load_q
// CHECK-NOT: fmha.scale_q
// CHECK: %[[LOG2E:.*]] = arith.constant 1.44269502 : f32
// CHECK: fmha.product k %[[Q]],
// CHECK: fmha.score_mod
// CHECK: fmha.subtract %{{.*}}, %{{.*}}, %[[LOG2E]] wide
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none, alibi = true>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, scale = q, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
// expected-remark @+1 {{scale = q is not followed: a soft cap, ALiBi, a bias or a function of scores takes scores times the scale, which it multiplies each by; Q stays as it is}}
fmha.attention @attn problem(#problem) schedule(#schedule)

// -----

// A bias.
// CHECK: %[[Q:.*]] = fmha.load_q
// CHECK-NOT: fmha.scale_q
// CHECK: %[[LOG2E:.*]] = arith.constant 1.44269502 : f32
// CHECK: fmha.product k %[[Q]],
// CHECK: fmha.score_mod
// CHECK: fmha.subtract %{{.*}}, %{{.*}}, %[[LOG2E]] wide
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none, bias = true>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, scale = q, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
// expected-remark @+1 {{scale = q is not followed: a soft cap, ALiBi, a bias or a function of scores takes scores times the scale, which it multiplies each by; Q stays as it is}}
fmha.attention @attn problem(#problem) schedule(#schedule)
