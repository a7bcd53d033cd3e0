// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected valid '@'-identifier for symbol name}}
fmha.recipe @r = #fmha.recipe<>

// -----

// expected-error @+1 {{expected instructions for @s, found none}}
fmha.recipe @r = #fmha.recipe<@s []>

// -----

// expected-error @+1 {{expected stages of different names, found @s twice}}
fmha.recipe @r = #fmha.recipe<@s [[mfma 1]], @s [[valu 1]]>

// -----

// expected-error @+1 {{expected one count of 'valu', or 3, as many as the table has columns, found 2}}
fmha.recipe @r = #fmha.recipe<@s [[mfma 1 1 1, valu 1 2]]>

// -----

// expected-error @+1 {{expected at least one instruction of a class, found 0 'valu'}}
fmha.recipe @r = #fmha.recipe<@s [[mfma 1 1, valu 0 0]]>

// -----

// expected-error @+1 {{expected at least one instruction of a class, found -1 'valu'}}
fmha.recipe @r = #fmha.recipe<@s [[mfma 1 1, valu 5 -1]]>

// -----

// expected-error @+1 {{expected an instruction in each column, found none in number 2}}
fmha.recipe @r = #fmha.recipe<@s [[trans 1 0 1, valu 5 0 1]]>

// -----

// expected-error @+1 {{expected a table once or more, of at most 4096 instructions together, found 0 x 6}}
fmha.recipe @r = #fmha.recipe<@s [0 x [valu 5 1]]>

// -----

// 4098 instructions.
// expected-error @+1 {{expected a table once or more, of at most 4096 instructions together, found 1366 x 3}}
fmha.recipe @r = #fmha.recipe<@s [1366 x [valu 2 1]]>

// -----

// Numbers whose product is 0 in 64 bits.
// expected-error @+1 {{expected a table once or more, of at most 4096 instructions together, found 4294967296 x 4097}}
fmha.recipe @r = #fmha.recipe<@s [4294967296 x [valu 4294967296 1]]>

// -----

// 3 + 4095 instructions.
// expected-error @+1 {{expected groups of @s of at most 4096 instructions together, found 4098}}
fmha.recipe @r = #fmha.recipe<@s [[valu 2 1], 4095 x [valu 1]]>

// -----

// Once is without a number.
// expected-error @+1 {{expected 'x'}}
fmha.recipe @r = #fmha.recipe<@s [2 [valu 2 1]]>

// -----

// expected-error @+1 {{expected one of [mfma, valu, trans, ds_read, vmem, salu] for a class of instructions, got: times}}
fmha.recipe @r = #fmha.recipe<@s [[times 3]]>
