// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// A VGPR of an outstanding vector load is used before the s_waitcnt that covers it:
// by an ALU, as an address, as store data, by a matrix operation, as a lane value, after
// a barrier, after a wait that leaves it outstanding.
// Source: CDNA3 ISA, "Data dependency resolution" (S_WAITCNT; vector memory decrements
// VM_CNT when data is back in VGPRs, loads in order).

//| finding("wait", "v_add_u32_e32 v20", "global_load_dword v1,")
//| finding("wait", "global_load_dword v21", "global_load_dword v2,")
//| finding("wait", "global_store_dword", "buffer_load_dwordx2 v[4:5]")
//| finding("wait", "v_mfma_f32_16x16x16_f16", "global_load_dwordx4 v[8:11]")
//| finding("wait", "v_readfirstlane_b32", "global_load_dword v12,")
//| finding("wait", "v_mov_b32_e32 v22", "global_load_dword v13,")
//| finding("wait", "v_mov_b32_e32 v23", "global_load_dword v15,")
//| finding("wait", "v_accvgpr_read_b32", "global_load_dword a1,")
//| inputs([0] * 64)
//| no_output()
.include "prologue.inc"
KERNEL
  s_mov_b32 s8, s4
  s_and_b32 s9, s5, 0xffff
  s_mov_b32 s10, 256
  s_mov_b32 s11, 0x00020000
  v_mov_b32_e32 v30, 0
  v_mov_b32_e32 v2, 0

  global_load_dword v1, v30, s[4:5]
  v_add_u32_e32 v20, v1, v30
  s_waitcnt vmcnt(0)

  global_load_dword v2, v30, s[4:5]
  global_load_dword v21, v2, s[4:5]
  s_waitcnt vmcnt(0)

  buffer_load_dwordx2 v[4:5], off, s[8:11], 0
  global_store_dword v255, v5, s[6:7]
  s_waitcnt vmcnt(0)

  global_load_dwordx4 v[8:11], v30, s[4:5]
  v_mfma_f32_16x16x16_f16 v[32:35], v[10:11], v[30:31], 0
  s_waitcnt vmcnt(0)

  global_load_dword v12, v30, s[4:5]
  v_readfirstlane_b32 s20, v12
  s_waitcnt vmcnt(0)

  global_load_dword v13, v30, s[4:5]
  s_barrier
  v_mov_b32_e32 v22, v13
  s_waitcnt vmcnt(0)

  global_load_dword v14, v30, s[4:5]
  global_load_dword v15, v30, s[4:5]
  s_waitcnt vmcnt(1) lgkmcnt(0)
  v_mov_b32_e32 v24, v14          // waited for
  v_mov_b32_e32 v23, v15          // not
  s_waitcnt vmcnt(0)

  global_load_dword a1, v30, s[4:5]
  s_waitcnt lgkmcnt(0)
  v_accvgpr_read_b32 v25, a1
  s_waitcnt vmcnt(0)
END_KERNEL
