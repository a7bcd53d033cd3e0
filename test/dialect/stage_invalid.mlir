// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected one of [memory, compute] for what a stage of a pipeline mainly does, got: both}}
module attributes {test.x = #fmha.stage<@s both [qk]>} {}

// -----

// expected-error @+1 {{expected @s to have steps, found none}}
module attributes {test.x = #fmha.stage<@s compute []>} {}

// -----

// expected-error @+1 {{expected priority of @s in 0..3, found 4}}
module attributes {test.x = #fmha.stage<@s compute [qk] priority 4>} {}

// -----

// expected-error @+1 {{expected priority of @s in 0..3, found -1}}
module attributes {test.x = #fmha.stage<@s compute [qk] priority -1>} {}

// -----

// expected-error @+1 {{expected nops of @s in 0..16, found 17}}
module attributes {test.x = #fmha.stage<@s compute [qk] nops 17>} {}

// -----

// expected-error @+1 {{expected nops of @s in 0..16, found -1}}
module attributes {test.x = #fmha.stage<@s compute [qk] nops -1>} {}

// -----

// The most that one group may name, and one instruction more.
// expected-error @+1 {{expected groups of @s of at most 4096 instructions together, found 4097}}
module attributes {test.x = #fmha.stage<@s compute [qk] groups [1024 x [mfma 1, trans 3], [mfma 1]]>} {}

// -----

// A stage without a product has no matrix instruction, one without exp no exponential.
// expected-error @+1 {{expected groups of @s of classes that its steps have, found 'mfma', which none of them makes}}
module attributes {test.x = #fmha.stage<@s memory [read_k, load_v] groups [[valu 1, mfma 1]]>} {}

// -----

// expected-error @+1 {{expected groups of @s of classes that its steps have, found 'trans', which none of them makes}}
module attributes {test.x = #fmha.stage<@s compute [qk, row_sum] groups [[mfma 1, trans 1]]>} {}

// -----

// expected-error @+1 {{expected groups of @s of classes that its steps have, found 'ds_read', which none of them makes}}
module attributes {test.x = #fmha.stage<@s compute [load_k, qk] groups [[ds_read 1]]>} {}

// -----

// expected-error @+1 {{expected groups of @s of classes that its steps have, found 'vmem', which none of them makes}}
module attributes {test.x = #fmha.stage<@s memory [read_k] groups [[vmem 1]]>} {}
