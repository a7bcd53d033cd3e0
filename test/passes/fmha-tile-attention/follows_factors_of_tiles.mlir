// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention | FileCheck %s
// RUN: sed 's/scale_block = 128/scale_block = 96/; s/, v_scale = block//' %s | not %fmhac-opt -fmha-tile-attention 2>&1 | FileCheck %s --check-prefix=OWN

// Where all keys of a tile have one factor, no score and no weight is multiplied by it: what scores
// start from, Q's sign and the factor of exponents follow K's, O follows V's and has its unit in the
// end. LSE takes the maximum as it is carried, times its factor.
// CHECK-LABEL: fmha.kernel @k
// CHECK: %[[KV:.*]] = fmha.view k_scale
// CHECK: %[[VV:.*]] = fmha.view v_scale
// CHECK: %[[Q:.*]] = fmha.apply_sign
// CHECK: %[[LOOP:.*]]:11 = fmha.kv_loop
// CHECK: %[[FK:.*]] = fmha.tile_factor k %[[KV]], %[[T:.*]] : !fmha.view<1, f32>
// CHECK: %[[BASE:.*]], %[[LIMIT:.*]], %[[QT:.*]], %[[UNIT:.*]] = fmha.score_unit %{{.*}} from %{{.*}} to %[[FK]] :
// CHECK: %[[FV:.*]] = fmha.tile_factor v %[[VV]], %[[T]] :
// CHECK: %[[O:.*]], %[[OUNIT:.*]], %[[MOST:.*]] = fmha.output_unit %{{.*}} from %{{.*}} to %[[FV]], %{{.*}}, %[[T]]
// CHECK: %[[S:.*]] = fmha.product k %[[QT]], %{{.*}} from %[[BASE]] :
// CHECK-NOT: fmha.scale_keys
// CHECK: fmha.mask %[[S]]
// CHECK: fmha.rebase %{{.*}}, %[[BASE]], %[[LIMIT]], %{{.*}} factor %[[UNIT]] scaled
// CHECK: fmha.rescale_if %{{.*}}, %[[O]],
// CHECK: fmha.subtract %{{.*}}, %{{.*}}, %[[UNIT]] lift 6 :
// CHECK-NOT: fmha.fold_keys
// CHECK: fmha.yield {{.*}}%[[QT]], %[[UNIT]], %[[FK]], %[[OUNIT]], %[[MOST]], %[[FV]] :
// CHECK: %[[OUT:.*]] = fmha.normalize
// CHECK: fmha.rescale %[[OUT]], %[[LOOP]]#8 :
// CHECK: fmha.log_sum %[[LOOP]]#0, %{{.*}}, %[[ONE:.*]] lift 6 :

// 96 keys share a factor, a tile has 64.
// OWN: expected a schedule with a place for 'score_mod'
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  scale = start, rescale = lazy, lazy_log2 = 2, pipeline = <stages = [
    <@scores compute [unit_k, scale_k ahead 1, scale_v ahead 1, load_v, read_k, qk, mask, row_max]>,
    <@output compute [unit_v, load_k ahead 1, rescale, subtract, exp, row_sum, convert, read_v, pv]>]>>
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, lse = true, k_scale = block, v_scale = block, scale_block = 128>
fmha.attention @k problem(#problem) schedule(#schedule)
