// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// What stays and depends on what nothing has written: a store, an address, a branch, EXEC, a
// store of what went through LDS, another lane, a matrix product or a comparison. The finding
// is where it is kept, and names the instruction that read it and what.
// Source: what a wave finds set, LLVM "User Guide for AMDGPU Backend", "Initial Kernel
// Execution State".

//| finding("init", "global_store_dword v255, v2,", "v_add_u32_e32 v2, v1, v0", message="depends in lane 0 (64 lanes in all) on what `v_add_u32_e32 v2, v1, v0` at pc 0x10 read: v1, which nothing has written since the wave began", count=1)
//| finding("init", "global_load_dword v4, v3,", "v_and_b32_e32 v3, v40, v255", message="read: v40,")
//| finding("init", "s_cbranch_scc1 0", "s_add_u32 s20, s41, 1", message="read: s41,")
//| finding("init", "s_cbranch_vccnz 0", "v_cmp_gt_u32_e32 vcc, v42, v0", message="read: v42,")
//| finding("init", "s_and_b64 exec, exec, vcc", "v_cmp_gt_u32_e32 vcc, v43, v0", message="read: v43,")
//| finding("init", "global_store_dword v255, v5,", "ds_write_b32 v255, v44", message="depends in lane 0 (64 lanes in all) on what `ds_write_b32 v255, v44` at pc")
//| finding("init", "global_store_dword v255, v6,", "ds_read_b32 v6, v255 offset:1024", message="read: 4 bytes at LDS address 0x400 of lane 0; nothing has written byte 0x400")
//| finding("init", "global_store_dword v255, v7,", "v_add_u32_e32 v7, v45, v0", message="read: v45,")
//| finding("init", "global_store_dword v255, v12,", "v_mfma_f32_16x16x16_f16 v[12:15], v[32:33], v[46:47], 0", message="read: v46,")
//| finding("init", "ds_write_b32 v8, v0", "v_and_b32_e32 v8, v48, v255", message="read: v48,")
//| finding("init", "s_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s23", "s_or_b32 s23, s49, 15", message="read: s49,")
//| finding("init", "s_and_saveexec_b64 s[24:25], s[22:23]", "v_add_f32_e32 v20, v50, v50", message="read: v50,")
//| finding("init", "v_cmpx_lt_u32_e32 vcc, v21, v0", "v_add_u32_e32 v21, v51, v51", message="read: v51,")
//| finding("init", "v_cmpx_lt_u32_sdwa s[24:25], v22, v0", "v_add_u32_e32 v22, v52, v52", message="read: v52,")
//| finding("init", "global_store_dword v255, v24,", "v_add_u32_e32 v23, v53, v53", message="read: v53,")
//| finding("init", "ds_add_u32 v255, v25", "v_add_u32_e32 v25, v54, v54", message="read: v54,")
//| finding("init", "global_store_dword v255, v27,", "ds_read_b64_tr_b16 v[26:27], v28 offset:2048", message="bytes at LDS address 0x800 of lane 0")
//| finding("init", "scratch_store_dword off, v29,", "v_add_u32_e32 v29, v55, v55", message="read: v55,")
//| finding("init", "s_xor_saveexec_b64 s[24:25], s[56:57]", message="reads s56,")
//| finding("init", "s_andn1_wrexec_b64 s[24:25], s[26:27]", "v_cmp_lt_u32_e64 s[26:27], v57, v0", message="read: v57,")
//| finding("init", "v_readfirstlane_b32 exec_lo, v31", "v_add_u32_e32 v31, v58, v58", message="read: v58,")
//| finding("init", "s_mul_i32 exec_lo, s58, 3", "s_mul_i32 exec_lo, s58, 3", message="read: s58,")
//| no_output()
//| checks("mem,sync,wait,init,hazard")
.set LDS, 4096
.set SCRATCH, 16
.include "prologue.inc"
.include "keep.inc"
KERNEL
  v_add_u32_e32 v2, v1, v0
  v_add_u32_e32 v16, v2, v0
  KEEP v2
  KEEP v16                         // told already
  v_and_b32_e32 v3, v40, v255
  global_load_dword v4, v3, s[4:5]
  s_waitcnt vmcnt(0)
  s_add_u32 s20, s41, 1
  s_cmp_eq_u32 s20, 1
  s_cbranch_scc1 .Lone
.Lone:
  v_cmp_gt_u32_e32 vcc, v42, v0
  s_cbranch_vccnz .Ltwo
.Ltwo:
  s_mov_b64 s[30:31], exec
  v_cmp_gt_u32_e32 vcc, v43, v0
  s_and_b64 exec, exec, vcc
  s_mov_b64 exec, s[30:31]
  ds_write_b32 v255, v44
  s_waitcnt lgkmcnt(0)
  ds_read_b32 v5, v255
  ds_read_b32 v6, v255 offset:1024
  s_waitcnt lgkmcnt(0)
  KEEP v5
  KEEP v6
  v_add_u32_e32 v7, v45, v0
  s_nop 1
  v_mov_b32_dpp v7, v7 row_ror:3 row_mask:0xf bank_mask:0xf
  ds_swizzle_b32 v7, v7 offset:0x8000
  s_waitcnt lgkmcnt(0)
  KEEP v7
  v_mov_b32_e32 v32, 0
  v_mov_b32_e32 v33, 0
  s_nop 1
  v_mfma_f32_16x16x16_f16 v[12:15], v[32:33], v[46:47], 0
  s_nop 15
  KEEP v12
  v_and_b32_e32 v8, v48, v255
  ds_write_b32 v8, v0
  s_waitcnt lgkmcnt(0)
  v_add_f32_e32 v20, v50, v50
  v_cmp_lt_f32_e64 s[22:23], v20, v0
  s_and_saveexec_b64 s[24:25], s[22:23]
  s_mov_b64 exec, s[30:31]
  v_add_u32_e32 v21, v51, v51
  v_cmpx_lt_u32_e32 v21, v0
  s_mov_b64 exec, s[30:31]
  v_add_u32_e32 v22, v52, v52
  v_cmpx_lt_u32_sdwa s[24:25], v22, v0 src0_sel:DWORD src1_sel:DWORD
  s_mov_b64 exec, s[30:31]
  s_xor_saveexec_b64 s[24:25], s[56:57]
  s_mov_b64 exec, s[30:31]
  v_cmp_lt_u32_e64 s[26:27], v57, v0
  s_andn1_wrexec_b64 s[24:25], s[26:27]
  s_mov_b64 exec, s[30:31]
  v_add_u32_e32 v31, v58, v58
  s_nop 0
  v_readfirstlane_b32 exec_lo, v31
  s_mov_b64 exec, s[30:31]
  s_mul_i32 exec_lo, s58, 3
  s_mov_b64 exec, s[30:31]
  v_add_u32_e32 v23, v53, v53
  s_nop 4
  v_cmp_lt_u32_e32 vcc, v23, v0
  v_cndmask_b32_e32 v24, v0, v255, vcc
  KEEP v24
  ds_write_b32 v255, v0
  v_add_u32_e32 v25, v54, v54
  ds_add_u32 v255, v25
  v_lshlrev_b32_e32 v28, 3, v0
  ds_read_b64_tr_b16 v[26:27], v28 offset:2048
  s_waitcnt lgkmcnt(0)
  KEEP v27
  scratch_store_dword off, v56, off // a register that a compiler saves
  s_waitcnt vmcnt(0)
  s_mov_b32 exec_hi, 0
  s_or_b64 s[60:61], s[60:61], exec // and a mask of which some bits are known
  v_writelane_b32 v60, s61, 0
  scratch_store_dword off, v60, off
  s_waitcnt vmcnt(0)
  s_mov_b32 exec_hi, -1
  v_add_u32_e32 v29, v55, v55
  scratch_store_dword off, v29, off
  s_waitcnt vmcnt(0)
  s_or_b32 s23, s49, 15
  s_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s23
END_KERNEL
