// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-verify-rung=rung=rocdl -split-input-file -verify-diagnostics

llvm.func @f(%x: i32) {
  %0 = llvm.add %x, %x : i32
  rocdl.s.barrier
  llvm.return
}

// -----

llvm.func @f(%x: i32) {
  // expected-error @+1 {{'arith.addi' op expected only llvm and rocdl ops at this rung, found another}}
  %0 = arith.addi %x, %x : i32
  llvm.return
}

// -----

llvm.func @f(%a: vector<8xbf16>, %c: vector<16xf32>) {
  // expected-error @+1 {{'amdgpu.mfma' op expected only llvm and rocdl ops at this rung, found another}}
  %0 = amdgpu.mfma 32x32x16 %a * %a + %c blgp = none : vector<8xbf16>, vector<8xbf16>, vector<16xf32>
  llvm.return
}
