// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a launch refuses for where it lies, not for what it is, the survey refuses too:
// a branch out of the code, and one into the middle of an instruction.
// RUN: %llvm_bin/llvm-mc --triple=amdgcn-amd-amdhsa --mcpu=gfx950 --filetype=obj -I %S/../Inputs %s -o %t.o
// RUN: %llvm_bin/ld.lld -shared %t.o -o %t.hsaco
// RUN: not %fmhac emu --coverage %t.hsaco > %t.txt 2>&1
// RUN: FileCheck %s < %t.txt
// CHECK-DAG: branches out of the code
// CHECK-DAG: begins inside the instruction at pc 0x
.include "prologue.inc"
KERNEL
  s_cbranch_scc1 inside
  .long 0x7e0202ff // v_mov_b32_e32 v1, with a literal
inside:
  .long 0x7e040302 // v_mov_b32_e32 v2, v2
  .long 0xbf857000 // s_cbranch_scc1 far away
END_KERNEL
