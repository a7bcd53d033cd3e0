// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{attribute 'barriers' failed to satisfy constraint: 32-bit signless integer attribute whose value is positive}}
fmha.stagger second barriers 0

// -----

// expected-error @+1 {{attribute 'barriers' failed to satisfy constraint: 32-bit signless integer attribute whose value is positive}}
fmha.stagger first barriers -1
