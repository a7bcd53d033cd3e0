// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %fmhac-opt %s -fmha-verify-rung=rung=tile 2>&1 | FileCheck %s

// CHECK: Cannot find option named 'tile'!
module {
}
