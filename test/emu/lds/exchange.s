// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// LDS exchanges of two places, masked or, wrap, conditional exchange, counters of lanes,
// addresses by thread number.
// Source: CDNA4 ISA pseudocode DS_WRXCHG2_RTN_*, DS_MSKOR_*, DS_WRAP_RTN_B32,
// DS_CONDXCHG32_RTN_B64, DS_READ_ADDTID_B32, DS_WRITE_ADDTID_B32. DS_APPEND, DS_CONSUME: the
// value before, the number of active lanes added; base in M0 as LLVM's intrinsics put it.

//| finding("mem", "ds_condxchg32_rtn_b64", message=("lane 0 updates 8 bytes at LDS address 0x5", "no multiple of 8", "three low bits"), count=64)
//| inputs(a=random_u32(64, 51), b=random_u32(64, 52), c=random_u32(64, 53), d=random_u32(64, 54))
//| small = [l * 5 % 40 for l in LANE]
//| inputs(n=small)
.set LDS, 32768
.include "prologue.inc"
KERNEL
  INPUTS 40, 5, 0
  LOADED
  v_lshlrev_b32_e32 v6, 3, v0          // 8 * lane
  ds_write_b64 v6, v[40:41]
  ds_wrxchg2_rtn_b32 v[10:11], v6, v42, v43 offset0:1 offset1:0
  ds_read_b64 v[12:13], v6
  s_waitcnt lgkmcnt(0)
  OUTPUT v10   // == b
  OUTPUT v11   // == a
  OUTPUT v12   // == d
  OUTPUT v13   // == c
  v_lshlrev_b32_e32 v7, 4, v0          // 16 * lane
  ds_write_b128 v7, v[40:43]
  v_mov_b32_e32 v20, v43
  v_mov_b32_e32 v21, v42
  v_mov_b32_e32 v22, v41
  v_mov_b32_e32 v23, v40
  ds_wrxchg2_rtn_b64 v[24:27], v7, v[20:21], v[22:23] offset0:0 offset1:1
  ds_read_b128 v[28:31], v7
  s_waitcnt lgkmcnt(0)
  OUTPUT v24   // == a
  OUTPUT v27   // == d
  OUTPUT v28   // == d
  OUTPUT v29   // == c
  OUTPUT v30   // == b
  OUTPUT v31   // == a
  ds_write_b32 v255, v40 offset:4096
  ds_write_b32 v255, v41 offset:4608
  v_add_u32_e32 v8, 4096, v255
  ds_wrxchg2st64_rtn_b32 v[10:11], v8, v42, v43 offset0:0 offset1:2
  ds_read_b32 v12, v255 offset:4096
  ds_read_b32 v13, v255 offset:4608
  s_waitcnt lgkmcnt(0)
  OUTPUT v10   // == a
  OUTPUT v11   // == b
  OUTPUT v12   // == c
  OUTPUT v13   // == d
  ds_write_b64 v6, v[40:41] offset:8192
  ds_write_b64 v6, v[42:43] offset:8704
  v_add_u32_e32 v8, 8192, v6
  ds_wrxchg2st64_rtn_b64 v[24:27], v8, v[20:21], v[22:23] offset0:0 offset1:1
  ds_read_b64 v[28:29], v6 offset:8192
  ds_read_b64 v[30:31], v6 offset:8704
  s_waitcnt lgkmcnt(0)
  OUTPUT v24   // == a
  OUTPUT v25   // == b
  OUTPUT v26   // == c
  OUTPUT v27   // == d
  OUTPUT v28   // == d
  OUTPUT v31   // == a

  ds_write_b32 v255, v40
  ds_mskor_b32 v255, v41, v42
  ds_mskor_rtn_b32 v10, v255, v42, v43
  ds_read_b32 v11, v255
  ds_write_b64 v6, v[40:41] offset:2048
  ds_mskor_rtn_b64 v[12:13], v6, v[20:21], v[22:23] offset:2048
  ds_mskor_b64 v6, v[40:41], v[42:43] offset:2048
  ds_read_b64 v[14:15], v6 offset:2048
  s_waitcnt lgkmcnt(0)
  OUTPUT v10   // == a & ~b | c
  OUTPUT v11   // == (a & ~b | c) & ~c | d
  OUTPUT v12   // == a
  OUTPUT v13   // == b
  OUTPUT v14   // == (a & ~d | b) & ~a | c
  OUTPUT v15   // == (b & ~c | a) & ~b | d

  v_mov_b32_e32 v9, 20
  v_mov_b32_e32 v10, 7
  ds_write_b32 v255, v44
  ds_wrap_rtn_b32 v11, v255, v9, v10
  ds_read_b32 v12, v255
  s_waitcnt lgkmcnt(0)
  OUTPUT v11   // == n
  OUTPUT v12   // == n - 20 if n >= 20 else n + 7

  ds_write_b64 v6, v[40:41]
  v_add_u32_e32 v8, 5, v6              // cut to a multiple of 8
  ds_condxchg32_rtn_b64 v[10:11], v8, v[42:43]
  ds_read_b64 v[12:13], v6
  s_waitcnt lgkmcnt(0)
  OUTPUT v10   // == a
  OUTPUT v11   // == b
  OUTPUT v12   // == c & 0x7fffffff if c >> 31 else a
  OUTPUT v13   // == d & 0x7fffffff if d >> 31 else b

  v_mov_b32_e32 v9, 1000
  v_mov_b32_e32 v12, 16384
  ds_write_b32 v12, v9
  s_movk_i32 m0, 16000
  ds_append v10 offset:384
  s_mov_b64 exec, 0xff0
  ds_consume v11 offset:384
  s_mov_b64 exec, -1
  ds_read_b32 v13, v12
  s_waitcnt lgkmcnt(0)
  OUTPUT v10   // == 1000
  OUTPUT v11   // == 1064 if 4 <= lane < 12 else None
  OUTPUT v13   // == 1056
  s_movk_i32 m0, 12288
  ds_write_addtid_b32 v40 offset:256
  v_add_u32_e32 v8, 12288+256, v255
  ds_read_b32 v10, v8
  ds_write_b32 v8, v41 offset:256
  ds_read_addtid_b32 v11 offset:512
  s_waitcnt lgkmcnt(0)
  OUTPUT v10   // == a
  OUTPUT v11   // == b
END_KERNEL
