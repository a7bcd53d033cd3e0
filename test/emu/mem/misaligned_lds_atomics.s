// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Atomics on LDS must be aligned to their size, whatever the access mode; reads and writes need
// not be, ds_read2 included. ds_condxchg32 drops three bits of its address.
// Source: CDNA4 ISA 3.11 ("LDS alignment error"); RDNA3 ISA 3.3.4.1 ("Any DS_LOAD or DS_STORE of
// any size can be byte aligned if the alignment mode is set to unaligned", "32-bit Atomics must be
// aligned to a 4-byte address; 64-bit atomics to an 8-byte address"), 12.7 ("report Memory Violation
// for misaligned atomics"). ds_condxchg32: lds/exchange.s.

//| no_output()
//| violation = "hardware reports a memory violation"
//| finding("mem", "ds_add_u32 v255, v1 offset:1", message=("lane 0 updates 4 bytes at LDS address 0x1, which is no multiple of 4", violation), count=64)
//| finding("mem", "ds_add_rtn_u64 v[10:11], v3, v[4:5] offset:4", message=("0x4, which is no multiple of 8", violation), count=64)
//| finding("mem", "ds_pk_add_f16", message=("no multiple of 4", violation), count=64)
//| finding("mem", "ds_wrxchg2_rtn_b64", message=("no multiple of 8", violation), count=128)
//| finding("mem", "flat_atomic_add", message=("lane 0 updates 4 bytes at LDS address 0x2, which is no multiple of 4", violation), count=64)
//| finding("mem", "ds_append", message=("LDS address 0x1005, which is no multiple of 4", violation), count=1)
.set LDS, 8192
.include "prologue.inc"
KERNEL
  v_mov_b32_e32 v1, 1
  v_mov_b32_e32 v4, 1
  v_mov_b32_e32 v5, 0
  v_mov_b32_e32 v6, 1
  v_mov_b32_e32 v7, 0
  v_lshlrev_b32_e32 v3, 3, v0
  v_add_u32_e32 v8, 4, v3
  v_add_u32_e32 v9, 1, v255
  ds_add_u32 v255, v1
  ds_add_u32 v255, v1 offset:1
  ds_add_rtn_u64 v[10:11], v3, v[4:5]
  ds_add_rtn_u64 v[10:11], v3, v[4:5] offset:4
  ds_pk_add_f16 v255, v1 offset:4
  ds_pk_add_f16 v255, v1 offset:2
  s_waitcnt lgkmcnt(0)
  ds_wrxchg2_rtn_b64 v[10:13], v3, v[4:5], v[6:7] offset0:1 offset1:70
  s_waitcnt lgkmcnt(0)
  ds_wrxchg2_rtn_b64 v[10:13], v8, v[4:5], v[6:7] offset0:1 offset1:70
  ds_wrxchg2_rtn_b32 v[14:15], v8, v4, v6 offset0:1 offset1:70
  s_mov_b64 s[20:21], src_shared_base
  v_mov_b32_e32 v17, s21
  v_mov_b32_e32 v16, v255
  flat_atomic_sub v[16:17], v1
  v_add_u32_e32 v18, 2, v255
  v_mov_b32_e32 v19, s21
  flat_atomic_add v[18:19], v1
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_movk_i32 m0, 0x1000
  ds_consume v20 offset:4
  s_movk_i32 m0, 0x1001
  s_nop 0
  ds_append v20 offset:4
  s_waitcnt lgkmcnt(0)
  // reads and writes
  ds_write_b64 v255, v[4:5] offset:3
  ds_write_b96 v255, v[4:6] offset:2
  ds_write2_b32 v9, v4, v5 offset0:1 offset1:3
  s_waitcnt lgkmcnt(0)
  ds_read_b128 v[24:27], v255 offset:1
  ds_read_u16 v28, v255 offset:1
  ds_read2_b64 v[30:33], v9 offset0:1 offset1:2
  s_waitcnt lgkmcnt(0)
END_KERNEL
