// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected element bf16 or f16, found 'f32'}}
fmha.attention @k problem(#fmha.problem<element = f32, output = bf16, head_dim_qk = 64, head_dim_v = 64, mask = none>)

// -----

// expected-error @+1 {{expected output bf16, f16 or f32, found 'i32'}}
fmha.attention @k problem(#fmha.problem<element = bf16, output = i32, head_dim_qk = 64, head_dim_v = 64, mask = none>)

// -----

// expected-error @+1 {{expected head_dim_qk to be a multiple of 8 in 8..256, found 0}}
fmha.attention @k problem(#fmha.problem<element = bf16, output = bf16, head_dim_qk = 0, head_dim_v = 64, mask = none>)

// -----

// expected-error @+1 {{expected head_dim_qk to be a multiple of 8 in 8..256, found 264}}
fmha.attention @k problem(#fmha.problem<element = bf16, output = bf16, head_dim_qk = 264, head_dim_v = 64, mask = none>)

// -----

// expected-error @+1 {{expected head_dim_v to be a multiple of 8 in 8..256, found 20}}
fmha.attention @k problem(#fmha.problem<element = bf16, output = bf16, head_dim_qk = 64, head_dim_v = 20, mask = none>)

// -----

// A mask is one of a closed set: the parser of the enum refuses others.
// expected-error @+2 {{expected ::mlir::fmha::MaskKind to be one of: none, causal}}
// expected-error @+1 {{failed to parse}}
fmha.attention @k problem(#fmha.problem<element = bf16, output = bf16, head_dim_qk = 64, head_dim_v = 64, mask = window>)
