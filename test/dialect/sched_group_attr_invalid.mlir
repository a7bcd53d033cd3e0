// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected a group to repeat at least once and to name classes, found 0 x 1}}
module attributes {test.x = #fmha.sched_group<0 x [mfma 1]>} {}

// -----

// expected-error @+1 {{expected a group to repeat at least once and to name classes, found 2 x 0}}
module attributes {test.x = #fmha.sched_group<2 x []>} {}

// -----

// expected-error @+1 {{expected at least one instruction of a class, found 0}}
module attributes {test.x = #fmha.sched_group<2 x [mfma 1, valu 0]>} {}

// -----

// expected-error @+1 {{expected a class of instructions (mfma, valu, trans, ds_read, vmem, salu), found 'wmma'}}
module attributes {test.x = #fmha.sched_group<2 x [wmma 1]>} {}

// -----

// Times and counts whose product is 0 in 64 bits.
// expected-error @+1 {{expected a group of at most 4096 instructions, found 4294967296 x 4294967296}}
module attributes {test.x = #fmha.sched_group<4294967296 x [salu 4294967296]>} {}

// -----

// expected-error @+1 {{expected a group of at most 4096 instructions, found 3000000000 x 1 + 2}}
module attributes {test.x = #fmha.sched_group<3000000000 x [mfma 1, trans 2]>} {}

// -----

// expected-error @+1 {{expected a group of at most 4096 instructions, found 1 x 9223372036854775807 + 9223372036854775807}}
module attributes {test.x = #fmha.sched_group<[mfma 9223372036854775807, trans 9223372036854775807]>} {}

// -----

// expected-error @+1 {{expected a group of at most 4096 instructions, found 1366 x 1 + 2}}
module attributes {test.x = #fmha.sched_group<1366 x [mfma 1, trans 2]>} {}
