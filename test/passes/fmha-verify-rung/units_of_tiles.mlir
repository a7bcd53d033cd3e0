// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-attention -fmha-verify-rung=rung=tiles -o /dev/null
// RUN: %fmhac-opt %s -fmha-tile-attention | sed 's/k_scale = block/k_scale = head/; s/v_scale = block, scale_block = 128/v_scale = head/' | not %fmhac-opt -fmha-verify-rung=rung=tiles 2>&1 | FileCheck %s --check-prefix=HEAD
// RUN: %fmhac-opt %s -fmha-tile-attention | sed 's/scale_block = 128/scale_block = 96/' | not %fmhac-opt -fmha-verify-rung=rung=tiles 2>&1 | FileCheck %s --check-prefix=ROWS

// A loop follows the factors of its tiles once; where there are none nothing does, and where a tile
// has several each score has its own.
// HEAD: expected 'scale_k' nowhere in the loop, as the schedule's pipeline has it, found 1
// ROWS: expected one fmha.scale_keys in the loop, found 0
#schedule = #fmha.schedule<tile_m = 32, tile_n = 64, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 64>, pv = <m = 32, n = 32, k = 64>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  scale = start, rescale = lazy, lazy_log2 = 2, pipeline = <stages = [
    <@scores compute [unit_k, scale_k ahead 1, scale_v ahead 1, load_v, read_k, qk, mask, row_max]>,
    <@output compute [unit_v, load_k ahead 1, rescale, subtract, exp, row_sum, convert, read_v, pv]>]>>
#problem = #fmha.problem<q = f8E4M3FN, k = f8E4M3FN, v = f8E4M3FN, p = f8E4M3FN, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none, k_scale = block, v_scale = block, scale_block = 128>
fmha.attention @k problem(#problem) schedule(#schedule)
