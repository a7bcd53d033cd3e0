// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptors whose ranges a buffer of 256 bytes at 0x130000000000, the input, holds or not.
.include "prologue.inc"
.macro RECORDS count, stride=0
  s_mov_b32 s10, \count
  s_or_b32 s9, s16, \stride<<16
.endm
KERNEL
  s_mov_b32 s8, s4
  s_and_b32 s16, s5, 0xffff
  s_mov_b32 s11, 0x00020000
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v2, 8
  v_mov_b32_e32 v3, 0
  // the whole of it, less, nothing
  RECORDS 256
  buffer_load_dword v10, v255, s[8:11], 0 offen
  RECORDS 255
  buffer_load_dword v11, v255, s[8:11], 0 offen
  RECORDS 0
  buffer_load_dword v12, v255, s[8:11], 0 offen
  // a byte more, unbounded
  RECORDS 257
  buffer_load_dword v13, v255, s[8:11], 0 offen
  RECORDS 0x80000000
  buffer_load_dwordx2 v[14:15], v2, s[8:11], 0 offen
  RECORDS 0xfffffff0
  buffer_store_dword v1, v2, s[8:11], 0 offen
  // all lanes out of range
  RECORDS 512
  buffer_load_dword v16, v255, s[8:11], 0 offen offset:1024
  // records of 16 bytes, with an index and without
  RECORDS 16, 16
  buffer_load_dword v17, v1, s[8:11], 0 idxen
  RECORDS 17, 16
  buffer_load_dword v18, v1, s[8:11], 0 idxen
  RECORDS 18, 16
  v_add_u32_e32 v4, 100, v0
  buffer_load_dword v25, v4, s[8:11], 0 idxen            // none is in range
  RECORDS 256, 16
  buffer_load_dword v19, v255, s[8:11], 0 offen
  // after the beginning
  s_add_u32 s8, s4, 128
  RECORDS 128
  buffer_load_dword v20, v1, s[8:11], 0 offen
  RECORDS 129
  buffer_atomic_add v3, v1, s[8:11], 0 offen
  // the next buffer follows without a gap
  s_load_dwordx2 s[20:21], s[0:1], 16
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_mov_b32 s8, s20
  s_and_b32 s16, s21, 0xffff
  RECORDS 0x20000
  buffer_load_dword v21, v255, s[8:11], 0 offen
  // no mapping at all
  s_mov_b32 s8, 0x10000
  s_mov_b32 s16, 0
  RECORDS 16
  buffer_load_dword v22, v255, s[8:11], 0 offen offset:64
  // the thread's number as index: num_records does not count
  s_mov_b32 s8, s4
  s_and_b32 s16, s5, 0xffff
  RECORDS 0xfffffff0
  s_mov_b32 s11, 1<<23
  buffer_load_dword v23, off, s[8:11], 0
  // no lane takes part
  s_mov_b32 s11, 0x00020000
  s_mov_b64 exec, 0
  buffer_load_dword v24, v255, s[8:11], 0 offen
  s_waitcnt vmcnt(0)
END_KERNEL
