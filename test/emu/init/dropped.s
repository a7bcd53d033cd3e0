// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// What nothing has written and nothing that stays depends on is no finding: registers and LDS
// that are read and overwritten, selected away or masked by EXEC, as compilers have them in
// predicated loads. No finding.
// Source: what a wave finds set, LLVM "User Guide for AMDGPU Backend", "Initial Kernel
// Execution State"; the formulas of v_cndmask, v_mfma and ds_bpermute, CDNA4 ISA 12, 11.3.

//| inputs(a=random_u32(64, 5))
//| checks("mem,sync,wait,init,hazard")
.set LDS, 4096
.include "prologue.inc"
KERNEL
  INPUT v1, 0
  LOADED
  v_add_u32_e32 v2, v9, v1         // and overwritten
  v_mov_b32_e32 v2, v1
  s_add_u32 s20, s21, 1
  s_mov_b32 s20, 0
  ds_read_b64 v[4:5], v255 offset:1024
  s_waitcnt lgkmcnt(0)
  v_mul_f32_e32 v6, v4, v5
  v_cmp_gt_f32_e32 vcc, v6, v4     // a mask that is not known
  v_cndmask_b32_e32 v7, v6, v4, vcc
  v_add_f32_e32 v8, v7, v6
  ds_bpermute_b32 v8, v255, v8
  v_mov_b32_e32 v32, v1
  v_mov_b32_e32 v33, v1
  s_nop 1
  s_waitcnt lgkmcnt(0)
  v_mfma_f32_16x16x16_f16 v[12:15], v[6:7], v[32:33], 0
  s_nop 15
  v_readlane_b32 s22, v13, 3
  s_and_b32 s23, s22, 3
  s_cselect_b32 s24, s22, s23      // SCC is not known
  s_cmp_eq_u32 s24, 0              // SCC is not known
  s_cmp_eq_u32 s20, 0              // SCC = 1
  s_cbranch_scc0 .Lend
  ds_write_b32 v255, v8 offset:2048 // LDS that is not known either
  s_waitcnt lgkmcnt(0)
  ds_read_b32 v16, v255 offset:2048
  s_waitcnt lgkmcnt(0)
  ds_write_b32 v255, v1 offset:2048
  s_waitcnt lgkmcnt(0)
  ds_read_b32 v17, v255 offset:2048
  v_add_f32_e32 v16, v16, v16
  // Lanes that are not known are not selected …
  s_mov_b64 s[30:31], exec
  s_mov_b32 exec_hi, 0
  v_mov_b32_e32 v18, v1
  s_mov_b64 exec, s[30:31]
  v_add_u32_e32 v18, v18, v1       // lanes 32 and up are not known
  v_cmp_le_u32_e32 vcc, 0, v18
  s_cbranch_vccz .Lend             // lanes that are known decide it
  v_cmp_gt_u32_e32 vcc, 32, v0
  s_waitcnt lgkmcnt(0)
  v_cndmask_b32_e32 v19, v1, v18, vcc
  OUTPUT v19   // == (a + a) & 0xffffffff if lane < 32 else a
  // … or not stored.
  v_mov_b32_e32 v20, v1
  s_mov_b64 exec, vcc
  v_mov_b32_e32 v20, v18
  s_mov_b64 exec, s[30:31]
  OUTPUT v20   // == (a + a) & 0xffffffff if lane < 32 else a
  OUTPUT v17   // == a
  OUTPUT v2    // == a
.Lend:
END_KERNEL
