// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Private memory: every lane has its own, addressed by immediate, VGPR, SGPR, or through
// a flat address made of src_private_base; two waves do not share it.
// Source: LLVM AMDGPUUsage "Private segment" and "Flat scratch" (architected flat scratch
// from gfx940: nothing to set up), CDNA4 ISA pseudocode SCRATCH_*; FLAT_*.

//| launch(block=128)
//| inputs(a=random_u32(128, 80), b=random_u32(128, 81))
//| matrix()
.set LANES, 128
.set SCRATCH, 128
.set LDS, 1024
.include "prologue.inc"
KERNEL
  INPUTS 2, 2, 0
  LOADED
  scratch_store_dword off, v2, off offset:4
  scratch_store_dwordx2 off, v[2:3], off offset:16
  v_and_b32_e32 v10, 15, v0
  v_lshlrev_b32_e32 v10, 2, v10
  scratch_store_dword v10, v3, off offset:32
  s_movk_i32 s20, 12
  scratch_store_dword off, v3, s20 offset:96
  s_waitcnt vmcnt(0)
  scratch_load_dword v11, off, off offset:4
  scratch_load_dwordx2 v[12:13], off, off offset:16
  scratch_load_dword v14, v10, off offset:32
  scratch_load_dword v15, off, off offset:108
  scratch_load_ubyte v16, off, off offset:5
  s_waitcnt vmcnt(0)
  OUTPUT v11   // == a
  OUTPUT64 v12, v13   // == a | b << 32
  OUTPUT v14   // == b
  OUTPUT v15   // == b
  OUTPUT v16   // == a >> 8 & 255
  // through a flat address
  s_mov_b64 s[22:23], src_private_base
  v_mov_b32_e32 v18, 4
  v_mov_b32_e32 v19, s23
  flat_load_dword v20, v[18:19]
  // LDS through a flat address
  ds_write_b32 v255, v3
  s_mov_b64 s[24:25], src_shared_base
  v_mov_b32_e32 v21, s25
  v_mov_b32_e32 v22, v255
  v_mov_b32_e32 v23, v21
  s_waitcnt vmcnt(0) lgkmcnt(0)
  flat_load_dword v24, v[22:23]
  // and global memory
  v_mov_b32_e32 v27, s5
  v_add_co_u32_e32 v26, vcc, s4, v255
  v_addc_co_u32_e32 v27, vcc, 0, v27, vcc
  flat_load_dword v28, v[26:27]
  s_waitcnt vmcnt(0) lgkmcnt(0)
  OUTPUT v20   // == a
  OUTPUT v24   // == b
  OUTPUT v28   // == a
END_KERNEL
