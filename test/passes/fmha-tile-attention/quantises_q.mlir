// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention -split-input-file | FileCheck %s

// Q of 16 bits where P has 8: its rows get the whole factor, but for a power of two that the product
// multiplies by. Scores are exponents, the maximum among them.
// CHECK-LABEL: fmha.kernel @rounded
// CHECK: %[[SCALE:.*]] = fmha.arg scale
// CHECK: %[[Q:.*]] = fmha.load_q %{{.*}} -> !fmha.tile<32x64xbf16, cols = 32>
// CHECK: %[[FACTOR:.*]] = arith.mulf %[[SCALE]], %{{.*}}
// CHECK: %[[E:.*]] = fmha.row_exponents %[[Q]], %[[FACTOR]] to f8E4M3FN
// CHECK: %[[Q8:.*]] = fmha.quantize %[[Q]], %[[FACTOR]] by %[[E]] :
// CHECK-NOT: fmha.apply_sign
// CHECK: fmha.product k %[[Q8]], %{{.*}} by %[[E]] :
// CHECK: fmha.row_max %{{.*}}, %{{.*}}, %{{.*}}, %[[ONE:[a-z0-9_]+]] wide
// CHECK: fmha.subtract %{{.*}}, %{{.*}}, %[[ONE]] wide lift 8 :

#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#problem = #fmha.problem<q = bf16, k = f8E5M2, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
fmha.attention @rounded problem(#problem) schedule(#schedule)

// -----

// Products start from the lift less the maximum: nothing is subtracted.
// CHECK-LABEL: fmha.kernel @start
// CHECK: fmha.no_max lift 6 :
// CHECK: fmha.rebase %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} lift 6 :
// CHECK-NOT: fmha.subtract
// CHECK: fmha.log_sum %{{.*}} lift 6 :

#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = lazy, lazy_log2 = 2, scale = start, pipeline = <stages = [<@scores compute [load_v, read_k, qk, mask, row_max, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#problem = #fmha.problem<q = f16, k = f8E5M2, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lse = true>
fmha.attention @start problem(#problem) schedule(#schedule)

// -----

// A function takes scores in natural units: log2(e) is for what it gives.
// CHECK-LABEL: fmha.kernel @capped
// CHECK: %[[SCALE:.*]] = fmha.arg scale
// CHECK: %[[E:.*]] = fmha.row_exponents %{{.*}}, %[[SCALE]] to f8E4M3FN
// CHECK: fmha.quantize %{{.*}}, %[[SCALE]] by %[[E]] exact :

#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#problem = #fmha.problem<q = bf16, k = f8E5M2, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, softcap = 20.0 : f32>
fmha.attention @capped problem(#problem) schedule(#schedule)

// -----

// K's factor joins the scale, which may pass what f32 holds.
// CHECK-LABEL: fmha.kernel @factor
// CHECK: %[[OWN:.*]] = fmha.load_uniform k_scale
// CHECK: %[[BOTH:.*]] = arith.mulf %[[OWN]], %{{.*}}
// CHECK: %[[ALL:.*]] = arith.mulf %[[BOTH]], %{{.*}}
// CHECK: %[[ABOVE:.*]] = arith.maxnumf %[[ALL]], %{{.*}}
// CHECK: %[[CLAMPED:.*]] = arith.minnumf %[[ABOVE]], %{{.*}}
// CHECK: fmha.row_exponents %{{.*}}, %[[CLAMPED]] to f8E4M3FN

#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@scores compute [load_v, read_k, qk, score_mod, mask, row_max, subtract, exp]>, <@output compute [load_k ahead 1, convert, rescale, row_sum, read_v, pv]>]>>
#problem = #fmha.problem<q = bf16, k = f8E5M2, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, k_scale = head>
fmha.attention @factor problem(#problem) schedule(#schedule)
