// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Branches into the middle of an instruction, found from either side: the bytes would be
// two instructions at once. Refused before the start, with both places.
// Source: the contract of the emulator (isa/insn/decode.h, isa_program_create).

//| error(4, "v_mov_b32_e32 v2, v2 (0x7e040302",
//|       "begins inside the instruction at pc 0x", "overlap",
//|       "v_mov_b32_e32 v3, 0x7e040302 (0x7e0602ff",
//|       "another instruction begins inside it, at pc 0x")
.include "prologue.inc"
KERNEL
  s_cmp_eq_u32 s0, s0
  s_cbranch_scc1 inside_first
  .long 0x7e0202ff // v_mov_b32_e32 v1, with a literal
inside_first:
  .long 0x7e040302
  s_branch inside_second
outer:
  .long 0x7e0602ff // v_mov_b32_e32 v3, with a literal
inside_second:
  .long 0x7e040302
  s_cbranch_scc1 outer
END_KERNEL
