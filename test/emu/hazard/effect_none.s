// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test --define EFFECT=1 %s
// RUN: %emu_test --define EFFECT=0 %s
//
// Rules of which no source says what happens where states are missing: results are the same.
// Source: the column `effect` of isa/rules/wait_states.def.

//| checks("none")
//| options("--hazards=" + ("effect" if EFFECT else "report"))
//| def same(rule, value, arrived):
//|     wide = lambda x: x if isinstance(x, list) else [x] * 64
//|     for what, x in (("too early", value), ("in time", value), ("arrived", arrived)):
//|         expect(f"{rule} {what}", wide(x))
//| def high(x):
//|     return b64(x) >> 32
//| buffer("t", data=column_bytes([[0x700 + l for l in range(128)]]))
//| kernarg(offset=16, buffer="t")
//| five = 0x40a00000
.set LDS, 512
.include "effects.inc"

.set FIVE, 0x40a00000
KERNEL
  s_load_dwordx2 s[8:9], s[0:1], 16
  CONSTANTS
  v_mov_b32_e32 v102, 0
  v_mov_b32_e32 v91, 7
  ds_write_b32 v102, v91
  s_waitcnt lgkmcnt(0)

  // what a matrix instruction writes, or reads as C, overwritten
//| same("xdl-overwrite", 7, b32(32))
  PAIR 0, 4, FIVE, 8, "v_mfma_f32_16x16x32_bf16 v[0:3], v[64:67], v[68:71], 0", "v_mov_b32_e32 v1, v91", v1, v0
//| same("xdl-load", 7, b32(32))
  PAIR 0, 4, FIVE, 8, "v_mfma_f32_16x16x32_bf16 v[0:3], v[64:67], v[68:71], 0", "ds_read_b32 v1, v102", v1, v0
//| same("sgemm-overwrite", 7, b32(4))
  PAIR 0, 4, FIVE, 10, "v_mfma_f32_16x16x4_f32 v[0:3], v80, v81, 0", "v_mov_b32_e32 v1, v91", v1, v0
//| same("sgemm-load", 7, b32(4))
  PAIR 0, 4, FIVE, 10, "v_mfma_f32_16x16x4_f32 v[0:3], v80, v81, 0", "ds_read_b32 v1, v102", v1, v0
//| same("dgemm16-overwrite", 7, high(4.0))
  PAIR 0, 8, 0, 19, "v_mfma_f64_16x16x4_f64 v[0:7], v[82:83], v[82:83], 0", "v_mov_b32_e32 v1, v91", v1, v3
//| same("dgemm16-load", 7, high(4.0))
  PAIR 0, 8, 0, 11, "v_mfma_f64_16x16x4_f64 v[0:7], v[82:83], v[82:83], 0", "ds_read_b32 v1, v102", v1, v3
//| same("dgemm4-overwrite", 7, high(4.0))
  PAIR 0, 2, 0, 6, "v_mfma_f64_4x4x4_4b_f64 v[0:1], v[82:83], v[82:83], 0", "v_mov_b32_e32 v0, v91", v0, v1
//| same("dgemm4-load", 7, high(4.0))
  PAIR 0, 2, 0, 6, "v_mfma_f64_4x4x4_4b_f64 v[0:1], v[82:83], v[82:83], 0", "ds_read_b32 v0, v102", v0, v1
//| same("dgemm-fma64", high(2.0), high(4.0))
  PAIR 0, 2, 0, 2, "v_mfma_f64_4x4x4_4b_f64 v[0:1], v[82:83], v[82:83], 0", "v_fma_f64 v[104:105], v[82:83], v[82:83], v[82:83]", v105, v1
//| same("xdl-c-overwrite", b32(32 + 5), 7)
  PAIR 0, 4, FIVE, 3, "v_mfma_f32_16x16x32_bf16 v[104:107], v[64:67], v[68:71], v[0:3]", "v_mov_b32_e32 v1, v91", v105, v1
//| same("xdl-c-load", b32(32 + 5), 7)
  PAIR 0, 4, FIVE, 3, "v_mfma_f32_16x16x32_bf16 v[104:107], v[64:67], v[68:71], v[0:3]", "ds_read_b32 v1, v102", v105, v1
//| same("dot-overwrite", 7, 7)
  PAIR 0, 1, 0, 3, "v_dot4_i32_i8 v0, v84, v85, 0", "v_mov_b32_e32 v0, v91", v0, v0

  // carry, mask, lanes
//| same("sgpr-mask", [200 + l if l > 7 else l for l in LANE], 7)
.macro SELECT
  v_cmp_lt_u32_e32 vcc, 7, v86
  v_cndmask_b32_e32 v100, v86, v88, vcc
.endm
  PAIR 0, 1, 7, 1, "SELECT", "v_nop", v100, v0
//| same("exec-lane", 100 + 9, [100 + l if l > 8 else five for l in LANE])
.macro LAST
  v_cmpx_lt_u32_e32 vcc, 8, v86
.endm
.macro READ_FIRST
  v_readfirstlane_b32 s20, v87
  v_mov_b32_e32 v0, v87
  s_mov_b64 exec, -1
  FAR
  v_mov_b32_e32 v100, s20
.endm
  PAIR 0, 1, FIVE, 4, "LAST", "READ_FIRST", v100, v0
//| same("exec-dpp", [100 + (l ^ 1) if l > 8 and l ^ 1 > 8 else five for l in LANE],
//|      [100 + (l ^ 1) if l > 8 and l ^ 1 > 8 else five for l in LANE])
.macro SWAP_PAIRS
  v_mov_b32_dpp v0, v87 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
  s_mov_b64 exec, -1
.endm
  PAIR 0, 1, FIVE, 5, "LAST", "SWAP_PAIRS", v0, v0
//| same("partial-write", 7, 7)
  PAIR 0, 1, FIVE, 1, "v_add_u16_sdwa v0, v91, v91 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD", "v_mov_b32_e32 v0, v91", v0, v0

  // memory and modes
//| same("exec-vmem", [0x700 + l if l > 8 else five for l in LANE], [0x700 + l if l > 8 else five for l in LANE])
  v_lshlrev_b32_e32 v89, 2, v86
.macro LOAD
  global_load_dword v0, v89, s[8:9]
  s_waitcnt vmcnt(0)
  s_mov_b64 exec, -1
.endm
  PAIR 0, 1, FIVE, 5, "LAST", "LOAD", v0, v0
//| same("setreg-getreg", 2, 2)
.macro SET
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 2
.endm
.macro GET_MODE
  s_getreg_b32 s20, hwreg(HW_REG_MODE, 0, 2)
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0
  v_mov_b32_e32 v100, s20
.endm
  PAIR 0, 1, 2, 2, "SET", "GET_MODE", v100, v0
END_KERNEL
