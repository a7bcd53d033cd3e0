// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Loads of three dwords direct to LDS: lane i's data goes to M0 + offset + 16 * i, the fourth
// dword of each 16 bytes stays.
// Source: CDNA4 ISA 9.1.9 ("for loads to LDS with data-size of 3 or 4 dwords, the equation is
// modified to be (TIDinWave * 16) ... LOAD_DWORDX3 writes 3 dwords and skips the 4th").

//| data = random_u32(192, 121)
//| in_buffer(column_bytes([data]))
.set LDS, 4096
.include "prologue.inc"
.macro SHOW
  s_waitcnt vmcnt(0)
  v_lshlrev_b32_e32 v2, 4, v0
  ds_read_b128 v[8:11], v2 offset:1024
  s_waitcnt lgkmcnt(0)
  OUTPUT v8
  OUTPUT v9
  OUTPUT v10
  OUTPUT v11
.endm
KERNEL
  v_mul_u32_u24_e32 v1, 12, v0
  v_mov_b32_e32 v4, 0x77
  v_mov_b32_e32 v5, 0x77
  v_mov_b32_e32 v6, 0x77
  v_mov_b32_e32 v7, 0x77
  v_lshlrev_b32_e32 v2, 4, v0
  ds_write_b128 v2, v[4:7] offset:1024
  s_waitcnt lgkmcnt(0)
  s_movk_i32 m0, 1024
  global_load_lds_dwordx3 v1, s[4:5]
  SHOW
//| for k in range(3): expect(f"global dword {k}", [data[3 * l + k] for l in LANE])
//| expect("global gap", [0x77] * 64)
  ds_write_b128 v2, v[4:7] offset:1024
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s12, s4
  s_mov_b32 s13, s5
  s_movk_i32 s14, 768
  s_mov_b32 s15, 0x20000
  buffer_load_dwordx3 v1, s[12:15], 0 offen lds
  SHOW
//| for k in range(3): expect(f"buffer dword {k}", [data[3 * l + k] for l in LANE])
//| expect("buffer gap", [0x77] * 64)
END_KERNEL
