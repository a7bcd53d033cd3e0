// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// LDS bytes that an own direct load has not been waited for are owned whatever instruction
// accesses them: an atomic, a flat load, a flat store, ds_append. After the wait, and beside
// the bytes, the same is no finding.
// Source: CDNA3 ISA 4.4, "Buffer load to LDS" is tracked with VM_CNT of the issuing wave.

//| inputs(*[random_u32(64, c) for c in range(4)])
//| finding("wait", "ds_add_u32 v255, v1", "buffer_load_dword v255, s[8:11], 0 offen lds", message=("updates LDS bytes at 0x0 (lane 0)", "s_waitcnt vmcnt(0)"))
//| finding("wait", "ds_append v3", "buffer_load_dword v255, s[8:11], 0 offen lds", message="updates LDS bytes at 0x0")
//| finding("wait", "flat_load_dword v4, v[8:9]", "buffer_load_dword v255, s[8:11], 0 offen lds", message="reads LDS bytes at 0x0 (lane 0)")
//| finding("wait", "flat_store_dword v[8:9], v1", "buffer_load_dword v255, s[8:11], 0 offen lds", message="writes LDS bytes at 0x0 (lane 0)")
//| no_output()
//| checks("mem,wait,sync")
.set LDS, 1024
.include "prologue.inc"
KERNEL
  s_mov_b32 s8, s4
  s_and_b32 s9, s5, 0xffff
  s_movk_i32 s10, 1024
  s_mov_b32 s11, 0x00020000
  s_mov_b32 m0, 0
  s_mov_b64 s[20:21], src_shared_base
  v_mov_b32_e32 v1, 1
  v_mov_b32_e32 v8, v255
  v_mov_b32_e32 v9, s21
  v_mov_b32_e32 v10, 0x100
  v_add_u32_e32 v10, v10, v255
  v_mov_b32_e32 v11, s21
  buffer_load_dword v255, s[8:11], 0 offen lds
  ds_add_u32 v255, v1
  ds_append v3
  flat_load_dword v4, v[8:9]
  flat_store_dword v[8:9], v1
  ds_add_u32 v255, v1 offset:512        // right: other bytes
  flat_load_dword v5, v[10:11]
  s_waitcnt vmcnt(0) lgkmcnt(0)
  ds_max_u32 v255, v1                   // right: after the wait
  ds_consume v3
  flat_load_dword v6, v[8:9]
  s_waitcnt vmcnt(0) lgkmcnt(0)
END_KERNEL
