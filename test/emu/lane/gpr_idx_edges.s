// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Register indexing at its edges: a pair that would leave the file is not written, halves
// of a register obey, LDS addresses do not (they are no vector ALU operands).
// Source: CDNA4 ISA 3.6.1.

//| inputs(*[[100 * c + l for l in LANE] for c in range(3)])
.set LDS, 1024
.include "prologue.inc"
KERNEL
  INPUTS 1, 3, 0
  LOADED
  v_accvgpr_write_b32 a0, 7
  v_mov_b32_e32 v30, v255
  v_mov_b32_e32 v20, 5
  v_mov_b32_e32 v21, 6
  s_movk_i32 s20, 155
  s_set_gpr_idx_on s20, gpr_idx(DST)
  v_mov_b64_e32 v[100:101], v[20:21]
  s_set_gpr_idx_off
  v_mov_b32_e32 v31, v255
  v_mov_b32_e32 v255, v30
  v_accvgpr_read_b32 v22, a0
  v_cmp_eq_u32_e32 vcc, v30, v31
  v_cndmask_b32_e64 v23, 0, 1, vcc
  OUTPUT v22   // == 7
  OUTPUT v23   // == 1
  v_mov_b32_e32 v20, 0
  v_mov_b32_e32 v23, 0x30000
  v_mov_b32_e32 v24, 1.0
  s_movk_i32 s20, 3
  s_set_gpr_idx_on s20, gpr_idx(DST)
  v_fma_mixlo_f16 v20, v24, v24, 0
  s_set_gpr_idx_off
  OUTPUT v20   // == 0
  OUTPUT v23   // == 0x33c00
  v_lshlrev_b32_e32 v25, 2, v1
  v_mov_b32_e32 v26, 0
  ds_write_b32 v25, v2
  s_movk_i32 s20, 1
  s_set_gpr_idx_on s20, gpr_idx(SRC0)
  ds_read_b32 v27, v25
  s_set_gpr_idx_off
  s_waitcnt lgkmcnt(0)
  OUTPUT v27   // == 100 + lane
END_KERNEL
