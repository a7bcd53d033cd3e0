// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=rocdl -allow-unregistered-dialect -verify-diagnostics

llvm.func @f() {
  // expected-error @+1 {{'test.op' op expected only llvm and rocdl ops at this rung, found another}}
  "test.op"() : () -> ()
  llvm.return
}
