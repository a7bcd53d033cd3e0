// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Raw buffer loads: a dword is out of range when voffset + instruction offset +
// soffset + 4 passes num_records; it then reads as zero. Each dword of x2, x3, x4 is
// judged by itself; soffset counts in the check and does not wrap round it.
// Source: CDNA3 ISA, "Buffer memory: range checking" (per dword; out-of-range reads
// return 0); ROCm/rocm-systems pull request 10928 (follows gfx950 hardware).

//| data = [0x51000000 + 4 * i for i in range(64)]
//| in_buffer(column_bytes([data]))
//| records = 200
//| def at(offset, n=records):
//|     return data[offset // 4] if 0 <= offset and offset + 4 <= n else 0
//| matrix()
.include "prologue.inc"
KERNEL
  s_mov_b32 s8, s4
  s_and_b32 s9, s5, 0xffff
  s_mov_b32 s10, 200
  s_mov_b32 s11, 0x00020000
  v_lshlrev_b32_e32 v1, 3, v0          // voffset 8 * lane
  s_mov_b32 s12, 40
  s_mov_b32 s13, 0xfffffff0
  s_mov_b32 s14, 0x80000000

  buffer_load_dword v10, v255, s[8:11], 0 offen
  buffer_load_dword v11, v255, s[8:11], 0 offen offset:60
  buffer_load_dword v12, v255, s[8:11], s12 offen
  buffer_load_dword v13, v255, s[8:11], s12 offen offset:100
  buffer_load_dwordx2 v[14:15], v255, s[8:11], 0 offen
  buffer_load_dwordx3 v[16:18], v1, s[8:11], s12 offen offset:4
  buffer_load_dwordx4 v[20:23], v1, s[8:11], 0 offen
  buffer_load_dword v24, off, s[8:11], 0 offset:196
  buffer_load_dword v25, off, s[8:11], 0 offset:200
  buffer_load_dword v26, off, s[8:11], s12
  buffer_load_dword v27, v255, s[8:11], s13 offen
  buffer_load_dword v28, v255, s[8:11], s14 offen offset:16
  v_sub_u32_e32 v2, 0, v255            // voffset -4 * lane: huge but for lane 0
  buffer_load_dword v29, v2, s[8:11], 0 offen
  LOADED
  OUTPUT v10   // == at(4 * lane)
  OUTPUT v11   // == at(4 * lane + 60)
  OUTPUT v12   // == at(4 * lane + 40)
  OUTPUT v13   // == at(4 * lane + 140)
  OUTPUT v14   // == at(4 * lane)
  OUTPUT v15   // == at(4 * lane + 4)
  OUTPUT v16   // == at(8 * lane + 44)
  OUTPUT v17   // == at(8 * lane + 48)
  OUTPUT v18   // == at(8 * lane + 52)
  OUTPUT v20   // == at(8 * lane)
  OUTPUT v21   // == at(8 * lane + 4)
  OUTPUT v22   // == at(8 * lane + 8)
  OUTPUT v23   // == at(8 * lane + 12)
  OUTPUT v24   // == data[49]
  OUTPUT v25   // == 0
  OUTPUT v26   // == data[10]
  OUTPUT v27   // == 0
  OUTPUT v28   // == 0
  OUTPUT v29   // == data[0] if lane == 0 else 0

  // bytes and halves are checked by their own size
  v_lshlrev_b32_e32 v3, 1, v0
  buffer_load_ubyte v20, v0, s[8:11], 0 offen offset:160
  buffer_load_ushort v21, v3, s[8:11], 0 offen offset:120
  LOADED
  OUTPUT v20   // == data[(160 + lane) // 4] >> 8 * (lane % 4) & 255 if 160 + lane < 200 else 0
  OUTPUT v21   // == data[30 + lane // 2] >> 16 * (lane % 2) & 0xffff if 120 + 2 * lane < 200 else 0

  // num_records need not be a multiple of anything
  s_mov_b32 s10, 202
  buffer_load_ubyte v20, off, s[8:11], 0 offset:201
  buffer_load_ushort v21, off, s[8:11], 0 offset:200
  buffer_load_ushort v22, off, s[8:11], 0 offset:202
  buffer_load_dword v23, off, s[8:11], 0 offset:200
  buffer_load_dwordx2 v[24:25], off, s[8:11], 0 offset:196
  LOADED
  OUTPUT v20   // == data[50] >> 8 & 255
  OUTPUT v21   // == data[50] & 0xffff
  OUTPUT v22   // == 0
  OUTPUT v23   // == 0
  OUTPUT v24   // == data[49]
  OUTPUT v25   // == 0

  // num_records = 0: nothing is in range
  s_mov_b32 s10, 0
  buffer_load_dwordx4 v[20:23], off, s[8:11], 0
  LOADED
  OUTPUT v20   // == 0
  OUTPUT v23   // == 0

  // a word 1 with a stride but no idxen: the check stays raw. num_records as large
  // as it goes: unbounded
  s_mov_b32 s10, 0xfffffff0
  s_or_b32 s9, s9, 0x00040000
  v_and_b32_e32 v1, 0xfc, v255
  buffer_load_dword v20, v1, s[8:11], 0 offen
  LOADED
  OUTPUT v20   // == data[lane]
END_KERNEL
