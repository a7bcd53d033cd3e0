// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Accesses of several dwords through a swizzled descriptor: each dword lies in an element of its
// own, at the place that its offset has by the formula. Loads, stores, loads direct to LDS; not
// checked without an index, as a whole with one, and dword by dword with one and no stride.
// Source: ROCm/rocm-systems pull requests 10928 and 11240; CDNA4 ISA 9.1.5.2 (the formula).

//| DATA = [(i * 0x9e3779b1 + 7) & 0xffffffff for i in range(16384)]
//| buffer("mem", data=column_bytes([DATA]))
//| buffer("target", bytes=65536, fill=0, out=True)
//| kernarg(offset=16, buffer="mem")
//| kernarg(offset=24, buffer="target")
//| INDEX = [l * 5 % 37 for l in LANE]
//| OFFSET = [4 * (l % 6) for l in LANE]
//| inputs(i=INDEX, o=OFFSET)
//| def swizzled(index, offset, stride, group):
//|     return (index // group * stride + offset // 4 * 4) * group + index % group * 4 + offset % 4
//| def at(address): return DATA[address // 4]
.set LDS, 2048
.include "prologue.inc"
KERNEL
  INPUTS 10, 2, 0
  s_load_dwordx4 s[8:11], s[0:1], 0x10
  s_waitcnt vmcnt(0) lgkmcnt(0)
  // private: no index, no range check
  s_mov_b32 s12, s8
  s_or_b32 s13, s9, 0x80000000|(40<<16)
  s_mov_b32 s14, 0
  s_mov_b32 s15, (3<<21)|(1<<23)
  s_movk_i32 s20, 64
  buffer_load_dwordx4 v[20:23], v11, s[12:15], 0 offen
  buffer_load_dwordx3 v[24:26], v11, s[12:15], s20 offen offset:4
  buffer_load_dwordx2 v[28:29], off, s[12:15], 0 offset:8
  s_mov_b32 m0, 0
  buffer_load_dwordx4 v11, s[12:15], 0 offen lds
  // groups of 8, an index that is checked
  s_mov_b32 s14, 20
  s_mov_b32 s15, 1<<23
  buffer_load_dwordx2 v[30:31], v[10:11], s[12:15], 0 idxen offen
  // no stride: the offset is checked, 4 bytes at a time
  s_or_b32 s13, s9, 0x80000000
  s_mov_b32 s14, 80
  s_mov_b32 s15, 3<<21|1<<23
  buffer_load_dwordx4 v[32:35], v[10:11], s[12:15], s20 idxen offen
  s_waitcnt vmcnt(0)
  OUTPUT v20   // == at(swizzled(lane, o, 40, 64))
  OUTPUT v21   // == at(swizzled(lane, o + 4, 40, 64))
  OUTPUT v22   // == at(swizzled(lane, o + 8, 40, 64))
  OUTPUT v23   // == at(swizzled(lane, o + 12, 40, 64))
  OUTPUT v24   // == at(64 + swizzled(lane, o + 4, 40, 64))
  OUTPUT v25   // == at(64 + swizzled(lane, o + 8, 40, 64))
  OUTPUT v26   // == at(64 + swizzled(lane, o + 12, 40, 64))
  OUTPUT v28   // == at(swizzled(lane, 8, 40, 64))
  OUTPUT v29   // == at(swizzled(lane, 12, 40, 64))
  OUTPUT v30   // == at(swizzled(i + lane, o, 40, 8)) if i < 20 else 0
  OUTPUT v31   // == at(swizzled(i + lane, o + 4, 40, 8)) if i < 20 else 0
  OUTPUT v32   // == at(64 + swizzled(i + lane, o, 0, 64)) if o + 68 <= 80 else 0
  OUTPUT v33   // == at(64 + swizzled(i + lane, o + 4, 0, 64)) if o + 72 <= 80 else 0
  OUTPUT v34   // == at(64 + swizzled(i + lane, o + 8, 0, 64)) if o + 76 <= 80 else 0
  OUTPUT v35   // == at(64 + swizzled(i + lane, o + 12, 0, 64)) if o + 80 <= 80 else 0
  v_lshlrev_b32_e32 v1, 4, v0
  ds_read_b128 v[20:23], v1
  s_waitcnt lgkmcnt(0)
  OUTPUT v20   // == at(swizzled(lane, o, 40, 64))
  OUTPUT v23   // == at(swizzled(lane, o + 12, 40, 64))
  // stores
  v_mul_u32_u24_e32 v20, 3, v0
  v_add_u32_e32 v21, 1, v20
  v_add_u32_e32 v22, 2, v20
  s_mov_b32 s12, s10
  s_or_b32 s13, s11, 0x80000000|(40<<16)
  s_mov_b32 s14, 0
  buffer_store_dwordx3 v[20:22], off, s[12:15], 0 offset:16
  s_waitcnt vmcnt(0)
//| stored = [0] * 16384
//| for l in LANE:
//|     for k in range(3): stored[swizzled(l, 16 + 4 * k, 40, 64) // 4] = 3 * l + k
//| expect_buffer("target", column_bytes([stored]))
END_KERNEL
