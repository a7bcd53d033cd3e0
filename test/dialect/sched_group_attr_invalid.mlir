// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected a table once or more, of at most 4096 instructions together, found 0 x 1}}
module attributes {test.x = #fmha.sched_group<0 x [mfma 1]>} {}

// -----

// expected-error @+1 {{expected a table of classes with as many counts of each, found 0 classes and 0 counts}}
module attributes {test.x = #fmha.sched_group<2 x []>} {}

// -----

// expected-error @+1 {{expected at least one instruction of a class, found 0}}
module attributes {test.x = #fmha.sched_group<2 x [mfma 1, valu 0]>} {}

// -----

// expected-error @+1 {{expected one of [mfma, valu, trans, ds_read, vmem, salu] for a class of instructions, got: wmma}}
module attributes {test.x = #fmha.sched_group<2 x [wmma 1]>} {}

// -----

// Times and counts whose product is 0 in 64 bits.
// expected-error @+1 {{expected a table once or more, of at most 4096 instructions together, found 4294967296 x 4097}}
module attributes {test.x = #fmha.sched_group<4294967296 x [salu 4294967296]>} {}

// -----

// expected-error @+1 {{expected a table once or more, of at most 4096 instructions together, found 3000000000 x 3}}
module attributes {test.x = #fmha.sched_group<3000000000 x [mfma 1, trans 2]>} {}

// -----

// expected-error @+1 {{expected a table once or more, of at most 4096 instructions together, found 1 x 4097}}
module attributes {test.x = #fmha.sched_group<[mfma 9223372036854775807, trans 9223372036854775807]>} {}

// -----

// expected-error @+1 {{expected a table once or more, of at most 4096 instructions together, found 1366 x 3}}
module attributes {test.x = #fmha.sched_group<1366 x [mfma 1, trans 2]>} {}
