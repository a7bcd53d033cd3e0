// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Missing waits under register indexing: what counts is the register that M0 selects, in
// sources and in the destination, not the one that the instruction names.
// Source: CDNA4 ISA 3.6.1 (which register is meant), 4.4 (s_waitcnt).

//| finding("wait", "v_mov_b32_e32 v10, v1", "global_load_dword v3,", message="reads v3")
//| finding("wait", "v_mov_b32_e32 v2, v20", "global_load_dword v4,", message="overwrites v4")
//| inputs(a=random_u32(64, 91))
.include "prologue.inc"
KERNEL
  INPUTS 1, 1, 0
  LOADED
  v_mov_b32_e32 v20, 20
  v_mov_b32_e32 v22, 22
  s_movk_i32 s20, 2
  global_load_dword v3, v255, s[4:5]
  s_set_gpr_idx_on s20, gpr_idx(SRC0)
  v_mov_b32_e32 v10, v1
  s_set_gpr_idx_off
  s_waitcnt vmcnt(0)
  global_load_dword v4, v255, s[4:5]
  s_set_gpr_idx_on s20, gpr_idx(DST)
  v_mov_b32_e32 v2, v20
  s_set_gpr_idx_off
  s_waitcnt vmcnt(0)

  // Named, but neither read nor written.
  global_load_dword v5, v255, s[4:5]
  s_set_gpr_idx_on s20, gpr_idx(SRC0,DST)
  v_mov_b32_e32 v11, v20
  v_mov_b32_e32 v5, v5
  s_set_gpr_idx_off
  v_mov_b32_e32 v12, v7
  s_waitcnt vmcnt(0)
  OUTPUT v13   // == 22
  OUTPUT v5    // == a
END_KERNEL
