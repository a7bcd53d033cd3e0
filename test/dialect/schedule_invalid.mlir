// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected waves to be a power of two in 1..16, found 3}}
fmha.schedule @s = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 3, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 0>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>

// -----

// expected-error @+1 {{expected waves to be a power of two in 1..16, found 32}}
fmha.schedule @s = #fmha.schedule<tile_m = 1024, tile_n = 64, waves = 32, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 0>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>

// -----

// expected-error @+1 {{expected waves_per_simd in 1..8, found 0}}
fmha.schedule @s = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 0,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 0>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>

// -----

// expected-error @+1 {{expected waves_per_simd in 1..8, found 9}}
fmha.schedule @s = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 9,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 0>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>

// -----

// One lane owns the same rows in S, P and O: columns of both instructions.
// expected-error @+1 {{expected qk and pv to own the same rows a lane: qk has n = 32, pv has n = 16}}
fmha.schedule @s = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 16, n = 16, k = 32>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 0>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>

// -----

// 4 waves of 32 rows: 128.
// expected-error @+1 {{expected tile_m to be a power of two and a multiple of waves * qk.n = 128, found 64}}
fmha.schedule @s = #fmha.schedule<tile_m = 64, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 0>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>

// -----

// 384 is a multiple of 128, not a power of two.
// expected-error @+1 {{expected tile_m to be a power of two and a multiple of waves * qk.n = 128, found 384}}
fmha.schedule @s = #fmha.schedule<tile_m = 384, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 0>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>

// -----

// expected-error @+1 {{expected tile_n to be a power of two and a multiple of qk.m = 32 and pv.k = 16, found 16}}
fmha.schedule @s = #fmha.schedule<tile_m = 128, tile_n = 16, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 0>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>

// -----

// expected-error @+1 {{expected tile_n to be a power of two and a multiple of qk.m = 16 and pv.k = 32, found 16}}
fmha.schedule @s = #fmha.schedule<tile_m = 16, tile_n = 16, waves = 1, waves_per_simd = 2,
  qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 0>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>

// -----

// expected-error @+1 {{expected tile_n to be a power of two and a multiple of qk.m = 32 and pv.k = 16, found 96}}
fmha.schedule @s = #fmha.schedule<tile_m = 128, tile_n = 96, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 0>,
  order = [load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>

// -----

// expected-error @+4 {{expected a cluster (load_k, load_v, qk, score_mod, mask, softmax, rescale, pv, or row_max, subtract, exp, row_sum, convert instead of softmax), found 'prefetch'}}
fmha.schedule @s = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 0>,
  order = [load_k, prefetch], rescale = eager>

// -----

// expected-error @+1 {{expected each cluster once in order, found 'load_k' twice}}
fmha.schedule @s = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 0>,
  order = [load_k, load_k, load_v, qk, mask, softmax, rescale, pv], rescale = eager>

// -----

// Every cluster comes after the clusters whose results it uses.
// expected-error @+1 {{expected 'load_k' before 'qk' in order, found it later or not at all}}
fmha.schedule @s = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 0>,
  order = [qk, load_k, load_v, mask, softmax, rescale, pv], rescale = eager>

// -----

// expected-error @+1 {{expected 'qk' before 'mask' in order, found it later or not at all}}
fmha.schedule @s = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 0>,
  order = [load_k, mask, qk, load_v, softmax, rescale, pv], rescale = eager>

// -----

// expected-error @+1 {{expected 'mask' before 'softmax' in order, found it later or not at all}}
fmha.schedule @s = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 0>,
  order = [load_k, load_v, qk, softmax, mask, rescale, pv], rescale = eager>

// -----

// expected-error @+1 {{expected 'softmax' before 'rescale' in order, found it later or not at all}}
fmha.schedule @s = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 0>,
  order = [load_k, load_v, qk, mask, rescale, softmax, pv], rescale = eager>

// -----

// expected-error @+1 {{expected 'load_v' before 'pv' in order, found it later or not at all}}
fmha.schedule @s = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 0>,
  order = [load_k, qk, mask, softmax, rescale, pv, load_v], rescale = eager>

// -----

// expected-error @+1 {{expected 'softmax' before 'pv' in order, found it later or not at all}}
fmha.schedule @s = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 0>,
  order = [load_v, pv], rescale = eager>

// -----

// expected-error @+1 {{expected 'rescale' before 'pv' in order, found it later or not at all}}
fmha.schedule @s = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 0>,
  order = [load_k, load_v, qk, mask, softmax, pv, rescale], rescale = eager>

// -----

// expected-error @+1 {{expected 'pv' in order, found it not at all}}
fmha.schedule @s = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 0>,
  order = [load_k, load_v, qk, mask, softmax, rescale], rescale = eager>

// -----

// expected-error @+1 {{expected 'qk' before 'score_mod' in order, found it later or not at all}}
fmha.schedule @s = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 0>,
  order = [load_k, load_v, score_mod, qk, mask, softmax, rescale, pv], rescale = eager>

// -----

// -inf times anything but a positive number is no longer -inf.
// expected-error @+1 {{expected 'score_mod' before 'mask' in order: what it makes of a hidden score must stay hidden}}
fmha.schedule @s = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = b128, max_pad_bytes = 64>, v = <read = tr_b16, max_pad_bytes = 0>,
  order = [load_k, load_v, qk, mask, score_mod, softmax, rescale, pv], rescale = eager>
