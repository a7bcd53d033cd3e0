// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %audit_test %s
//
// What cannot be followed is named: calls and jumps through registers, vector registers
// that M0 selects while loads are outstanding, scalar ones likewise, writes of the mode
// bits for indexing and skipping, wait states under indexing. With nothing outstanding indexing is certain; operands
// that are not indexed are checked all the same.
// Source: CDNA4 ISA 3.6.1 (indexing), 3.7 (VSKIP), S_MOVRELS.

//| finding("wait", "v_mov_b32_e32 v6, v3", "global_load_dword v3,", "reads v3")
//| note("s_set_gpr_idx_on", "wait states")
//| note("s_set_gpr_idx_on", "wait states")
//| note("v_mov_b32_e32 v5, v4", "that M0 selects")
//| note("v_mov_b32_e32 v6, v3", "that M0 selects")
//| note("s_movrels_b32 s30, s20", "that M0 selects")
//| note("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 27, 1)", "GPR_IDX_EN")
//| note("s_setvskip", "skipped")
//| note("s_call_b64", "a call")
//| note("s_swappc_b64", "calls an address in registers")
//| note("s_setpc_b64", "jumps to an address in registers")
.include "prologue.inc"
KERNEL
  v_mov_b32_e32 v30, 0
  s_set_gpr_idx_on s2, gpr_idx(SRC0)
  v_mov_b32_e32 v5, v1
  s_set_gpr_idx_off
  global_load_dword v3, v30, s[4:5]
  s_set_gpr_idx_on s2, gpr_idx(SRC0)
  v_mov_b32_e32 v5, v4
  s_set_gpr_idx_mode gpr_idx(DST)
  v_mov_b32_e32 v6, v3
  s_set_gpr_idx_off
  v_mov_b32_e32 v5, v7
  s_waitcnt vmcnt(0)

  s_movrels_b32 s30, s21
  s_load_dword s31, s[4:5], 0x0
  s_movrels_b32 s30, s20
  s_waitcnt lgkmcnt(0)

  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0
  s_nop 1
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 27, 1), 0
  s_nop 1
  s_setvskip s2, 0
  s_call_b64 s[40:41], .Lfunction
  s_getpc_b64 s[40:41]
  s_swappc_b64 s[40:41], s[40:41]
  s_endpgm
.Lfunction:
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_setpc_b64 s[40:41]
END_KERNEL
