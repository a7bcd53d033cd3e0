// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// voffset + instruction offset wraps at 32 bits, soffset is then added in 64; the sum is what
// the range check takes. A wrap that leads back into the buffer is a finding: a voffset of -1
// does not keep a lane out once there is an offset. What stays out of range is none.
// Source: ROCm/rocm-systems pull request 10928 (follows gfx950 hardware): voffset -4 with
// offset:8 reads byte 4.

//| data = [0x51000000 + 4 * i for i in range(64)]
//| in_buffer(column_bytes([data]), base="0x120000000000")
//| buffer("target", bytes=256, fill=0, base="0x130000000000", out=True)
//| kernarg(offset=16, buffer="target")
//| def at(offset, n=256): return data[offset // 4] if offset + 4 <= n else 0
//| wraps = "wraps at 32 bits to"
//| finding("mem", "buffer_load_dword v10", message=("lane 0 reads 4 bytes at base 0x120000000000 + offset 0x4", "byte 4 of buffer \"probe_in\"", "voffset 0xfffffffc + offset:8", wraps + " 0x4", "num_records 0x100"), count=64)
//| finding("mem", "buffer_load_dwordx4 v[12:15]", message=("lane 0 reads 16 bytes", "offset 0xf4", wraps + " 0xf4"), count=64)
//| finding("mem", "buffer_load_dword v16", message=("lane 0 reads", "offset 0x14", wraps + " 0x4"), count=64)
//| finding("mem", "buffer_load_dword v18", message=("lane 1 reads", "voffset 0xfffffffc + offset:64", wraps + " 0x3c"), count=16)
//| finding("mem", "buffer_load_ubyte v19", message=("lane 0 reads 1 bytes", "voffset 0xffffffff + offset:13", wraps + " 0xc"), count=64)
//| finding("mem", "buffer_load_dword v22", message=("lane 5 reads", "voffset 0xfffffff8 + offset:16", wraps + " 0x8"), count=1)
//| finding("mem", "buffer_store_dword v3", message=("lane 0 writes 4 bytes", "byte 4 of buffer \"target\"", wraps + " 0x4"), count=1)
//| finding("mem", "buffer_atomic_add", message=("lane 0 updates 4 bytes", wraps + " 0x14"), count=1)
//| finding("mem", "buffer_load_dword v30", message=("lane 0 reads", "voffset 0xfffffffc + offset:12", wraps + " 0x8"), count=16)
.include "prologue.inc"
KERNEL
  s_load_dwordx2 s[20:21], s[0:1], 16
  s_mov_b32 s8, s4
  s_and_b32 s9, s5, 0xffff
  s_mov_b32 s10, 256
  s_mov_b32 s11, 0x00020000
  s_waitcnt lgkmcnt(0)
  v_mov_b32_e32 v1, -4
  v_mov_b32_e32 v2, -1
  s_movk_i32 s12, 16
  s_mov_b32 s13, -4
  buffer_load_dword v10, v1, s[8:11], 0 offen offset:8
  buffer_load_dwordx4 v[12:15], v1, s[8:11], 0 offen offset:248
  buffer_load_dword v16, v1, s[8:11], s12 offen offset:8
  buffer_load_dword v17, v1, s[8:11], s13 offen offset:8  // 4 + 2^32 - 4: soffset does not wrap
  v_sub_u32_e32 v4, 0, v255
  buffer_load_dword v18, v4, s[8:11], 0 offen offset:64
  buffer_load_ubyte v19, v2, s[8:11], 0 offen offset:13
  // no wrap, or none that matters
  buffer_load_dword v20, v2, s[8:11], 0 offen
  buffer_load_dword v21, v1, s[8:11], 0 offen offset:3
  v_bfrev_b32_e32 v5, 1
  buffer_load_dword v23, v5, s[8:11], 0 offen offset:4095
  buffer_load_dword v24, v1, s[8:11], 0 offen offset:264  // 260: out of range all the same
  buffer_load_dword v25, v1, s[8:11], s10 offen offset:4  // 0 + 256: likewise
  s_mov_b32 s10, 0
  buffer_load_dword v26, v1, s[8:11], 0 offen offset:8
  s_mov_b32 s10, 256
  s_mov_b64 exec, 0x20                                    // of the lanes that are on
  v_mov_b32_e32 v1, -8
  buffer_load_dword v22, v1, s[8:11], 0 offen offset:16
  s_mov_b64 exec, 0
  buffer_load_dword v27, v1, s[8:11], 0 offen offset:16
  s_mov_b64 exec, -1
  s_waitcnt vmcnt(0)
  OUTPUT v10   // == at(4)
  OUTPUT v12   // == at(244)
  OUTPUT v13   // == at(248)
  OUTPUT v14   // == at(252)
  OUTPUT v15   // == 0
  OUTPUT v16   // == at(20)
  OUTPUT v17   // == 0
  OUTPUT v18   // == at(64 - 4 * lane) if lane <= 16 else 0
  OUTPUT v19   // == at(12) & 255
  OUTPUT v20   // == 0
  OUTPUT v21   // == 0
  OUTPUT v23   // == 0
  OUTPUT v24   // == 0
  OUTPUT v25   // == 0
  OUTPUT v26   // == 0
  OUTPUT v22   // == at(8) if lane == 5 else None
  // an index beside it: records of 16 bytes
  v_mov_b32_e32 v6, v0
  v_mov_b32_e32 v7, -4
  s_or_b32 s9, s9, 16<<16
  s_movk_i32 s10, 16
  buffer_load_dword v30, v[6:7], s[8:11], 0 idxen offen offset:12
  s_waitcnt vmcnt(0)
  OUTPUT v30   // == at(16 * lane + 8) if lane < 16 else 0
  // stores and atomics, of lane 0
  s_mov_b32 s8, s20
  s_and_b32 s9, s21, 0xffff
  s_movk_i32 s10, 256
  v_mov_b32_e32 v1, -4
  v_mov_b32_e32 v3, 0x77
  s_mov_b64 exec, 1
  buffer_store_dword v3, v1, s[8:11], 0 offen offset:8
  buffer_atomic_add v3, v1, s[8:11], 0 offen offset:24
  s_waitcnt vmcnt(0)
  s_mov_b64 exec, -1
//| expect_buffer("target", column_bytes([[0x77 if i in (1, 5) else 0 for i in range(64)]]))
END_KERNEL
