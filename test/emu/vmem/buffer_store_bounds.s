// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Raw buffer stores: dwords out of range are dropped, one by one; those in range of
// the same instruction are written.
// Source: CDNA3 ISA, "Buffer memory: range checking" (out-of-range writes do not write
// anything; x2, x3, x4 are checked dword by dword).

//| buffer("t", bytes=2048, fill=0x11, out=True)
//| kernarg(offset=16, buffer="t")
//| inputs(a=[0x700 + l for l in LANE])
//| t = [0x11111111] * 512
//| for l in LANE:                                  # x4 at 16 l, 1000 records
//|     for e in range(4):
//|         if 16 * l + 4 * e + 4 <= 1000: t[4 * l + e] = 0x700 + l + 0x10000 * e
//| for l in LANE:                                  # dword at 1024 + 8 l, to 1300
//|     if 1024 + 8 * l + 4 <= 1300: t[256 + 2 * l] = 0x700 + l
//| for l in LANE:                                  # x2 at 1540 + 8 l, to 1800
//|     for e in range(2):
//|         if 1540 + 8 * l + 4 * e + 4 <= 1800:
//|             t[385 + 2 * l + e] = 0x700 + l + 0x10000 * e
//| expect_buffer("t", column_bytes([t]))
//| matrix()
.include "prologue.inc"
KERNEL
  s_load_dwordx2 s[8:9], s[0:1], 16
  INPUT v10, 0
  LOADED
  v_add_u32_e32 v11, 0x10000, v10
  v_add_u32_e32 v12, 0x20000, v10
  v_add_u32_e32 v13, 0x30000, v10
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s10, 1000
  s_mov_b32 s11, 0x00020000
  v_lshlrev_b32_e32 v1, 4, v0
  buffer_store_dwordx4 v[10:13], v1, s[8:11], 0 offen
  s_mov_b32 s10, 1300
  s_movk_i32 s12, 1000
  v_lshlrev_b32_e32 v1, 3, v0
  buffer_store_dword v10, v1, s[8:11], s12 offen offset:24
  s_mov_b32 s10, 1800
  buffer_store_dwordx2 v[10:11], v1, s[8:11], s12 offen offset:540
  // past every bound: dropped
  s_mov_b32 s12, 0xffffff00
  buffer_store_dword v10, v1, s[8:11], s12 offen
  s_endpgm
END_KERNEL
