// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Registers that nothing has written, under register indexing: what counts is the register that
// M0 selects, and the finding names the instruction of the program, once for all its turns.
// Source: CDNA4 ISA 3.6.1 (which register is meant); LLVM "User Guide for AMDGPU Backend",
// "Initial Kernel Execution State".

//| finding("init", "global_store_dword v255, v10,", "v_add_u32_e32 v10, v1, v4", message="read: v3, which nothing has written since", count=1)
//| inputs(a=random_u32(64, 91))
//| no_output()
//| checks("init")
.include "prologue.inc"
.include "keep.inc"
KERNEL
  v_mov_b32_e32 v1, 1
  v_mov_b32_e32 v4, 4
  s_movk_i32 s20, 2
  s_set_gpr_idx_on s20, gpr_idx(SRC0)
  v_add_u32_e32 v10, v1, v4
  v_add_u32_e32 v11, v2, v4
  s_set_gpr_idx_off
  KEEP v10
  KEEP v11
END_KERNEL
