// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=synced -split-input-file -verify-diagnostics

// expected-error @+1 {{expected a fmha.kernel, found none; run fmha-tile-attention}}
module {
}
