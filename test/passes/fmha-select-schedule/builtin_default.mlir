// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s "-fmha-select-schedule=candidates=generic,dualwave,dualwave_1tile,dualwave_sums" -verify-diagnostics

// The head size that the pipelines were made for, where no table is given.
// expected-remark-re @+1 {{schedule dualwave_1tile by built-in table:{{[0-9]+}} (bf16|f16,1-128,1-128,none,plain,any): {{[0-9.]+}} ms, {{[0-9]+}} cycles a KV tile, against {{[0-9.]+}} ms and {{[0-9]+}} of generic, on B1}}
fmha.attention @a problem(#fmha.problem<element = bf16, output = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>)
