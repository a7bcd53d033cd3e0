// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected one of [load_k, load_v, qk, mask, rescale, pv, score_mod, row_max, subtract, exp, row_sum, convert, read_k, read_v, write_k, write_v, page_k, page_v, scale_k, scale_v, unit_k, unit_v] for a step of the KV loop, got: prefetch}}
module attributes {test.x = #fmha.step<prefetch>} {}

// -----

// expected-error @+1 {{expected a step at most 8 tiles ahead or behind, found 9}}
module attributes {test.x = #fmha.step<load_k ahead 9>} {}

// -----

// expected-error @+1 {{expected a step at most 8 tiles ahead or behind, found -9}}
module attributes {test.x = #fmha.step<pv ahead -9>} {}

// -----

// expected-error @+1 {{expected a part with 0 <= first < last <= of, found 1 to 1 of 2}}
module attributes {test.x = #fmha.step<exp[1 to 1 of 2]>} {}

// -----

// expected-error @+1 {{expected 'load_k' whole, found a part of it}}
module attributes {test.x = #fmha.step<load_k[0 to 1 of 2]>} {}

// -----

// expected-error @+1 {{expected 'load_v' whole, found a part of it}}
module attributes {test.x = #fmha.step<load_v[0 to 1 of 2]>} {}

// -----

// expected-error @+1 {{expected 'mask' whole, found a part of it}}
module attributes {test.x = #fmha.step<mask[0 to 1 of 2]>} {}

// -----

// expected-error @+1 {{expected 'rescale' whole, found a part of it}}
module attributes {test.x = #fmha.step<rescale[0 to 1 of 2]>} {}

// -----

// expected-error @+1 {{expected 'score_mod' whole, found a part of it}}
module attributes {test.x = #fmha.step<score_mod[0 to 1 of 2]>} {}

// -----

// expected-error @+1 {{expected 'row_max' whole, found a part of it}}
module attributes {test.x = #fmha.step<row_max[0 to 1 of 2]>} {}
