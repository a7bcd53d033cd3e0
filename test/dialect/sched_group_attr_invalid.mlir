// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected a group to repeat at least once and to name classes, found 0 times 1}}
module attributes {test.x = #fmha.sched_group<0 times [mfma 1]>} {}

// -----

// expected-error @+1 {{expected a group to repeat at least once and to name classes, found 2 times 0}}
module attributes {test.x = #fmha.sched_group<2 times []>} {}

// -----

// expected-error @+1 {{expected at least one instruction of a class, found 0}}
module attributes {test.x = #fmha.sched_group<2 times [mfma 1, valu 0]>} {}

// -----

// expected-error @+1 {{expected a class of instructions (mfma, valu, trans, ds_read, vmem, salu), found 'wmma'}}
module attributes {test.x = #fmha.sched_group<2 times [wmma 1]>} {}
