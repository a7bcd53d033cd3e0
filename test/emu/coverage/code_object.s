// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a code object uses, with counts, forms folded into their mnemonic; both
// kernels are looked at, and nothing that they cannot reach. What the emulator
// refuses is named with its first pc, whatever --list asks for.
//
// RUN: %llvm_bin/clang -target amdgcn-amd-amdhsa -mcpu=gfx950 -nostdlib %s -o %t.hsaco
// RUN: not %fmhac emu --coverage %t.hsaco > %t.txt
// RUN: FileCheck %s < %t.txt
// CHECK: code_object.s.tmp.hsaco: 15 instructions of 8 mnemonics: 6 documented, 1 assumed, 0 missing, 1 not applicable; 2 refused
// CHECK-NOT: s_memtime
// CHECK: 5 v_add_f32 VOP2 documented
// CHECK-NEXT: 2 s_nop SOPP documented
// CHECK-NEXT: 2 s_endpgm SOPP documented
// CHECK-NEXT: 2 s_setkill SOPP not-applicable 2 refused, pc 0x8: s_setkill 1: SOPP, no use in a compute kernel: it sets a bit
// CHECK-NEXT: 1 s_branch SOPP documented
// CHECK-NEXT: 1 s_cbranch_scc0 SOPP documented
// CHECK-NEXT: 1 v_mov_b32 VOP1 documented
// CHECK-NEXT: 1 v_permlane32_swap_b32 VOP1 assumed
//
// RUN: not %fmhac emu --coverage --list=assumed %t.hsaco | FileCheck %s --check-prefix=LIST
// LIST-NOT: v_add_f32
// LIST: s_setkill
// LIST-NOT: v_mov_b32
// LIST: v_permlane32_swap_b32
//
// RUN: not %fmhac emu --coverage --json %t.hsaco | FileCheck %s --check-prefix=JSON
// JSON: "occurrences": 15,
// JSON-NEXT: "refused": 2,
// JSON: "mnemonic": "s_setkill",
// JSON: "support": "not-applicable",
// JSON: "count": 2,
// JSON-NEXT: "refused": 2,
// JSON-NEXT: "pc": 8,
// JSON-NEXT: "example": "s_setkill 1",

.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.text
.p2align 8
.globl first, second
.type first, @function
.type second, @function
first:
  v_add_f32_e32 v0, v1, v2
  s_nop 0
  s_setkill 1
  v_add_f32_e64 v0, |v1|, v2
  v_add_f32_dpp v0, v1, v2 row_shl:1 row_mask:0xf bank_mask:0xf
  s_cbranch_scc0 tail
  v_mov_b32_e32 v0, v1
  s_endpgm
unreachable:
  s_memtime s[0:1]
  s_endpgm
tail:
  s_setkill 0
  v_add_f32_sdwa v0, v1, v2 dst_sel:BYTE_0 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
  s_endpgm
.p2align 8
second:
  v_add_f32_e32 v0, v1, v2
  s_nop 1
  v_permlane32_swap_b32 v0, v1
  s_branch tail
.rodata
.p2align 6
.amdhsa_kernel first
  .amdhsa_next_free_vgpr 4
  .amdhsa_next_free_sgpr 4
  .amdhsa_accum_offset 4
.end_amdhsa_kernel
.amdhsa_kernel second
  .amdhsa_next_free_vgpr 4
  .amdhsa_next_free_sgpr 4
  .amdhsa_accum_offset 4
.end_amdhsa_kernel
