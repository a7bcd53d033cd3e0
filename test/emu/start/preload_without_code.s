// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %llvm_bin/llvm-mc --triple=amdgcn-amd-amdhsa --mcpu=gfx950 --filetype=obj %s -o %t.o
// RUN: %llvm_bin/ld.lld -shared %t.o -o %t.hsaco
// RUN: not %fmhac emu --coverage %t.hsaco 2>&1 | FileCheck %s
//
// Preloaded arguments, and no code where execution then begins.
// CHECK: kernel k: with preloaded arguments execution begins 256 bytes after entry

.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.text
.globl k
.p2align 8
.type k,@function
k:
  s_endpgm
.section .rodata,"a"
.p2align 6
.amdhsa_kernel k
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 16
  .amdhsa_accum_offset 8
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_user_sgpr_kernarg_preload_length 1
  .amdhsa_user_sgpr_kernarg_preload_offset 0
.end_amdhsa_kernel
