// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Data between instructions that an indirect jump passes over, which looks like a branch
// into the literal after it and like one out of the code: neither disturbs the launch.
// Source: CDNA4 ISA pseudocode S_GETPC_B64, S_SETPC_B64.

.include "prologue.inc"
//| inputs([0])
KERNEL
  v_mov_b32_e32 v2, 2
  s_getpc_b64 s[20:21]
base:
  s_add_u32 s20, s20, target-base
  s_addc_u32 s21, s21, 0
  s_setpc_b64 s[20:21]
  .long 0xbf827000 // s_branch far away
  .long 0xbf820001 // s_branch to the literal
target:
  v_mov_b32_e32 v1, 0x7e040303 // as an instruction: v_mov_b32_e32 v2, v3
  v_mov_b32_e32 v3, 3
  OUTPUT v1   // == 0x7e040303
  OUTPUT v2   // == 2
END_KERNEL
