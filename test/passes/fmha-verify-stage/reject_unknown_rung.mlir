// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-stage=rung=tile -verify-diagnostics

// expected-error @+1 {{expected rung problem, tiles, layouts, pipelined, synced, amdgpu or rocdl, found 'tile'}}
module {
}
