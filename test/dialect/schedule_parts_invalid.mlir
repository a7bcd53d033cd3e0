// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected 'mask' before 'row_max' in order, found it later or not at all}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, row_max, mask, rescale, subtract, exp, row_sum, convert, pv], rescale = eager>

// -----

// expected-error @+1 {{expected 'row_max' before 'rescale' in order, found it later or not at all}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, rescale, row_max, subtract, exp, row_sum, convert, pv], rescale = eager>

// -----

// expected-error @+1 {{expected 'row_max' before 'subtract' in order, found it later or not at all}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, subtract, row_max, rescale, exp, row_sum, convert, pv], rescale = eager>

// -----

// expected-error @+1 {{expected 'subtract' before 'exp' in order, found it later or not at all}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, row_max, rescale, exp, subtract, row_sum, convert, pv], rescale = eager>

// -----

// expected-error @+1 {{expected 'exp' before 'row_sum' in order, found it later or not at all}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, row_max, rescale, subtract, row_sum, exp, convert, pv], rescale = eager>

// -----

// expected-error @+1 {{expected 'exp' before 'convert' in order, found it later or not at all}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, row_max, rescale, subtract, convert, exp, row_sum, pv], rescale = eager>

// -----

// expected-error @+1 {{expected 'convert' before 'pv' in order, found it later or not at all}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, row_max, rescale, subtract, exp, row_sum, pv, convert], rescale = eager>

// -----

// expected-error @+1 {{expected 'rescale' before 'pv' in order, found it later or not at all}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, row_max, subtract, exp, convert, pv, rescale, row_sum], rescale = eager>

// -----

// expected-error @+1 {{expected 'load_v' before 'pv' in order, found it later or not at all}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, qk, mask, row_max, rescale, subtract, exp, row_sum, convert, pv, load_v], rescale = eager>

// -----

// The sum so far is in units of the old maximum.
// expected-error @+1 {{expected 'rescale' before 'row_sum' in order, found it later or not at all}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, row_max, subtract, exp, row_sum, rescale, convert, pv], rescale = eager>

// -----

// expected-error @+1 {{expected 'row_sum' in order, found it not at all}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, row_max, rescale, subtract, exp, convert, pv], rescale = eager>

// -----

// expected-error @+1 {{expected either 'softmax' or its parts (row_max, subtract, exp, row_sum, convert) in order, found both or not all: 'softmax'}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, softmax, row_max, rescale, subtract, exp, row_sum, convert, pv], rescale = eager>

// -----

// expected-error @+1 {{expected either 'softmax' or its parts (row_max, subtract, exp, row_sum, convert) in order, found both or not all: 'subtract'}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, softmax, subtract, rescale, pv], rescale = eager>

// -----

// expected-error @+1 {{expected either 'softmax' or its parts (row_max, subtract, exp, row_sum, convert) in order, found both or not all: 'exp'}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, softmax, exp, rescale, pv], rescale = eager>

// -----

// expected-error @+1 {{expected either 'softmax' or its parts (row_max, subtract, exp, row_sum, convert) in order, found both or not all: 'row_sum'}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, softmax, row_sum, rescale, pv], rescale = eager>

// -----

// expected-error @+1 {{expected either 'softmax' or its parts (row_max, subtract, exp, row_sum, convert) in order, found both or not all: 'convert'}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, softmax, convert, rescale, pv], rescale = eager>

// -----

// expected-error @+1 {{expected 'read_k' in a pipeline only, found it in order}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, read_k, qk, mask, row_max, rescale, subtract, exp, row_sum, convert, pv], rescale = eager>

// -----

// expected-error @+1 {{expected 'read_v' in a pipeline only, found it in order}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, read_v, qk, mask, row_max, rescale, subtract, exp, row_sum, convert, pv], rescale = eager>

// -----

// expected-error @+1 {{expected no 'subtract' in order with scale start: scores come out as exponents}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, row_max, rescale, subtract, exp, row_sum, convert, pv], rescale = lazy, lazy_log2 = 8, scale = start>

// -----

// expected-error @+1 {{expected no 'score_mod' in order with scale start: scores come out as exponents}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, score_mod, mask, row_max, rescale, exp, row_sum, convert, pv], rescale = lazy, lazy_log2 = 8, scale = start>

// -----

// expected-error @+1 {{expected 'row_max' before 'exp' in order, found it later or not at all}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, exp, row_max, rescale, row_sum, convert, pv], rescale = lazy, lazy_log2 = 8, scale = start>

// -----

// expected-error @+1 {{expected rescale lazy with scale start: the maximum has to be known before the scores}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, row_max, rescale, exp, row_sum, convert, pv], rescale = eager, scale = start>

// -----

// expected-error @+1 {{expected lazy_log2 in 1..12 with rescale lazy and none without, found 0}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, row_max, rescale, subtract, exp, row_sum, convert, pv], rescale = lazy>

// -----

// P in f16 has to stay below 2^16.
// expected-error @+1 {{expected lazy_log2 in 1..12 with rescale lazy and none without, found 13}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, row_max, rescale, subtract, exp, row_sum, convert, pv], rescale = lazy, lazy_log2 = 13>

// -----

// expected-error @+1 {{expected lazy_log2 in 1..12 with rescale lazy and none without, found 8}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, row_max, rescale, subtract, exp, row_sum, convert, pv], rescale = if_changed, lazy_log2 = 8>

// -----

// expected-error @+1 {{expected the parts of a softmax in order with rescale lazy, found 'softmax'}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = lazy, lazy_log2 = 8>

// -----

// expected-error @+1 {{expected the parts of a softmax in order with scale q, found 'softmax'}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager, scale = q>

// -----

// expected-error @+1 {{expected the parts of a softmax in order with a pipeline, found 'softmax'}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager, pipeline = <tiles = 2, tail = pad, stagger = 1, order = pinned, stages = [<@a memory [load_k ahead 2]>, <@b compute [qk]>]>>

// -----

// expected-error @+1 {{expected one buffer each of K and V without a pipeline, found 2 and 1}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64, buffers = 2>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, row_max, rescale, subtract, exp, row_sum, convert, pv], rescale = eager>

// -----

// expected-error @+1 {{expected one buffer each of K and V without a pipeline, found 1 and 3}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64, buffers = 3>,
  order = [load_k, load_v, qk, mask, row_max, rescale, subtract, exp, row_sum, convert, pv], rescale = eager>

// -----

// expected-error @+5 {{expected lazy_log2, scale, packed, grid, sums or pipeline, found 'lazy'}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, row_max, rescale, subtract, exp, row_sum, convert, pv], rescale = lazy, lazy = 8>

// -----

// expected-error @+5 {{expected one of [fma, q, start] for where scores meet scale and maximum, got: k}}
fmha.schedule @s = #fmha.schedule<
  tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 64>,
  order = [load_k, load_v, qk, mask, row_max, rescale, subtract, exp, row_sum, convert, pv], rescale = eager, scale = k>
