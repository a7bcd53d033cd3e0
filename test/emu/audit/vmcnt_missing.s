// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %audit_test %s
//
// Registers of vector loads that are used too early, without control flow: counts off by
// one, loads that are not waited for at all, other registers of the same load, addresses
// and data of memory operations, accumulation registers, stores and loads direct to LDS
// that count as well.
// Source: CDNA3 ISA 4.4 (loads return in order; vmcnt(n): at most n outstanding).

//| finding("wait", "v_mov_b32_e32 v20, v1", "global_load_dword v1,", "vmcnt(0)")
//| finding("wait", "v_mov_b32_e32 v20, v2", "global_load_dword v2,", "vmcnt(2)")
//| finding("wait", "v_mov_b32_e32 v20, v7", "global_load_dwordx4 v[4:7]", "reads v7")
//| finding("wait", "global_load_dword v20, v8", "global_load_dword v8,", "vmcnt(0)")
//| finding("wait", "global_store_dword v30, v9", "global_load_dword v9,", "vmcnt(0)")
//| finding("wait", "v_accvgpr_read_b32 v20, a1", "global_load_dword a1,", "reads a1")
//| finding("wait", "v_mov_b32_e32 v20, v10", "global_load_dword v10,", "vmcnt(2)")
//| finding("wait", "v_mov_b32_e32 v20, v11", "global_atomic_add v11,", "vmcnt(0)")
//| finding("wait", "v_mov_b32_e32 v12, 0", "global_load_dword v12,", "overwrites v12")
//| finding("wait", "v_mov_b32_e32 v20, v13", "global_load_short_d16_hi v13,", "vmcnt(0)")
//| finding("wait", "v_mov_b32_e32 v20, v14", "buffer_load_format_xy v[14:15]", "vmcnt(0)")
.include "prologue.inc"
KERNEL
  v_mov_b32_e32 v30, 0
  v_mov_b32_e32 v31, 0
  s_mov_b32 m0, 0

  global_load_dword v1, v30, s[4:5]
  s_waitcnt lgkmcnt(0)
  v_mov_b32_e32 v20, v1
  s_waitcnt vmcnt(0)

  global_load_dword v2, v30, s[4:5]
  global_load_dword v3, v30, s[4:5]
  global_load_dword v24, v30, s[4:5]
  s_waitcnt vmcnt(3)
  v_mov_b32_e32 v20, v2
  s_waitcnt vmcnt(0)

  global_load_dwordx4 v[4:7], v30, s[4:5]
  v_mov_b32_e32 v20, v7
  s_waitcnt vmcnt(0)

  global_load_dword v8, v30, s[4:5]
  global_load_dword v20, v8, s[4:5]
  s_waitcnt vmcnt(0)

  global_load_dword v9, v30, s[4:5]
  global_store_dword v30, v9, s[6:7]
  s_waitcnt vmcnt(0)

  global_load_dword a1, v30, s[4:5]
  v_accvgpr_read_b32 v20, a1
  s_waitcnt vmcnt(0)

  global_load_dword v10, v30, s[4:5]
  global_store_dword v30, v31, s[6:7]
  global_load_lds_dword v30, s[4:5]
  s_waitcnt vmcnt(3)
  v_mov_b32_e32 v20, v10
  s_waitcnt vmcnt(0)

  global_atomic_add v11, v30, v31, s[6:7] sc0
  v_mov_b32_e32 v20, v11
  s_waitcnt vmcnt(0)

  global_load_dword v12, v30, s[4:5]
  v_mov_b32_e32 v12, 0
  s_waitcnt vmcnt(0)

  global_load_short_d16 v13, v30, s[4:5]
  global_load_short_d16_hi v13, v30, s[4:5]
  s_waitcnt vmcnt(1)
  v_mov_b32_e32 v20, v13
  s_waitcnt vmcnt(0)

  s_mov_b32 s8, s4
  s_and_b32 s9, s5, 0xffff
  s_mov_b32 s10, 512
  s_mov_b32 s11, 0x00027fac
  buffer_load_format_xy v[14:15], off, s[8:11], 0
  v_mov_b32_e32 v20, v14
  s_waitcnt vmcnt(0)
END_KERNEL
