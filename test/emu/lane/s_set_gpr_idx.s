// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// s_set_gpr_idx_on: VGPR-relative source and destination through M0, as shipped decode
// kernels use it; v_readlane with M0 is not disturbed.
// Source: CDNA4 ISA pseudocode S_SET_GPR_IDX_ON (M0[7:0] index, M0[15:12] mode bits);
// LLVM AMDGPUOperandSyntax "gpr_idx(SRC0,...)". The index and the modes stand in M0 and change
// with it (S_SET_GPR_IDX_IDX, S_SET_GPR_IDX_MODE, s_mov); every vector instruction obeys, the
// third source and the old value of an accumulating destination too. Out of range: v0 is read,
// nothing is written (3.6.1).

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
  s_movk_i32 s20, 1
  s_set_gpr_idx_on s20, gpr_idx(SRC0,SRC2)
  v_add3_u32 v11, v1, v2, v3
  s_set_gpr_idx_idx 4
  v_add3_u32 v12, v1, v2, v3
  s_set_gpr_idx_mode gpr_idx(SRC1)
  v_add3_u32 v13, v1, v2, v3
  s_mov_b32 m0, 0x1002
  v_mov_b32_e32 v14, v1
  s_set_gpr_idx_off
  s_set_gpr_idx_mode gpr_idx(SRC0)
  v_mov_b32_e32 v15, v1
  OUTPUT v11   // == 100 + 100 + 300 + 3 * lane
  OUTPUT v12   // == 400 + 100 + 600 + 3 * lane
  OUTPUT v13   // == 0 + 500 + 200 + 3 * lane
  OUTPUT v14   // == 200 + lane
  OUTPUT v15   // == lane
  v_mov_b32_e32 v21, 1.0
  v_mov_b32_e32 v22, 2.0
  v_mov_b32_e32 v23, 4.0
  s_movk_i32 s20, 2
  s_set_gpr_idx_on s20, gpr_idx(DST)
  v_fmac_f32_e32 v21, v22, v22
  s_set_gpr_idx_off
  OUTPUT v21   // == b32(1.0)
  OUTPUT v23   // == b32(8.0)
  s_movk_i32 s20, 200
  v_mov_b32_e32 v20, 9
  s_set_gpr_idx_on s20, gpr_idx(SRC0)
  v_mov_b32_e32 v20, v100
  s_set_gpr_idx_off
  OUTPUT v20   // == lane
  s_set_gpr_idx_on s20, gpr_idx(DST)
  v_mov_b32_e32 v100, v21
  s_set_gpr_idx_off
  OUTPUT v0    // == lane
END_KERNEL
