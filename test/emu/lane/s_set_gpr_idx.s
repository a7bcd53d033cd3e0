// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// s_set_gpr_idx_on: VGPR-relative source and destination through M0, as shipped decode
// kernels use it; v_readlane with M0 is not disturbed.
// Source: CDNA4 ISA pseudocode S_SET_GPR_IDX_ON (M0[7:0] index, M0[15:12] mode bits);
// LLVM AMDGPUOperandSyntax "gpr_idx(SRC0,...)".

//| inputs(*[[100 * c + l for l in LANE] for c in range(8)])
.include "prologue.inc"
KERNEL
  INPUTS 1, 8, 0
  LOADED
  s_movk_i32 s20, 5
  s_set_gpr_idx_on s20, gpr_idx(SRC0)
  v_mov_b32_e32 v10, v1
  s_set_gpr_idx_off
  OUTPUT v10   // == 500 + lane
  s_movk_i32 s20, 3
  s_set_gpr_idx_on s20, gpr_idx(DST)
  v_mov_b32_e32 v10, v2
  s_set_gpr_idx_off
  OUTPUT v13   // == 100 + lane
  OUTPUT v10   // == 500 + lane
  s_set_gpr_idx_on s20, gpr_idx(SRC1)
  v_sub_u32_e32 v11, v1, v2
  s_set_gpr_idx_off
  OUTPUT v11   // == (lane) - (400 + lane)
  v_sub_u32_e32 v11, v1, v2
  OUTPUT v11   // == -100
END_KERNEL
