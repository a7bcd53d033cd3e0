// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Swizzled buffers and the thread number as index: addresses, the longer stride, range checks.
// Without the thread number (ADD_TID_ENABLE) a buffer is linear.
// Source: CDNA4 ISA 9.1.5 (tables 44, 45, range checking, 9.1.5.2: the formula below), 9.1.8;
// ROCm/rocm-systems pull request 10928: elements of 4 bytes, for which the descriptor has no
// field; swizzled only with ADD_TID_ENABLE; the index alone is checked.

//| DATA = [(i * 0x9e3779b1 + 7) & 0xffffffff for i in range(16384)]
//| buffer("mem", data=column_bytes([DATA]))
//| kernarg(offset=16, buffer="mem")
//| INDEX = [l * 5 % 37 for l in LANE]
//| OFFSET = [4 * (l % 6) for l in LANE]
//| inputs(i=INDEX, o=OFFSET)
//| def swizzled(index, offset, stride, group):
//|     return (index // group * stride + offset // 4 * 4) * group + index % group * 4 + offset % 4
//| def at(address): return DATA[address // 4]
.include "prologue.inc"
KERNEL
  INPUTS 10, 2, 0
  s_load_dwordx2 s[8:9], s[0:1], 0x10
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_mov_b32 s12, s8
  s_mov_b32 s14, 64                        // records
  // stride 24, swizzled, groups of 16 indices
  s_or_b32 s13, s9, 0x80000000|(24<<16)
  s_mov_b32 s15, (1<<21)|(1<<23)
  buffer_load_dword v20, v10, s[12:15], 0 idxen offset:8
  buffer_load_dword v21, v[10:11], s[12:15], 0 idxen offen
  s_movk_i32 s20, 64
  buffer_load_dword v22, v[10:11], s[12:15], s20 idxen offen
  s_mov_b32 s15, (3<<21)|(1<<23)           // groups of 64
  buffer_load_dword v23, v[10:11], s[12:15], 0 idxen offen
  s_mov_b32 s14, 20                        // index out of range reads 0
  buffer_load_dword v24, v[10:11], s[12:15], 0 idxen offen
  s_mov_b32 s15, (3<<21)|0x20000           // without the thread number
  buffer_load_dword v25, v[10:11], s[12:15], 0 idxen offen
  buffer_load_dword v26, v11, s[12:15], 0 offen
  s_waitcnt vmcnt(0)
  OUTPUT v20   // == at(swizzled(i + lane, 8, 24, 16))
  OUTPUT v21   // == at(swizzled(i + lane, o, 24, 16))
  OUTPUT v22   // == at(64 + swizzled(i + lane, o, 24, 16))
  OUTPUT v23   // == at(swizzled(i + lane, o, 24, 64))
  OUTPUT v24   // == at(swizzled(i + lane, o, 24, 64)) if i < 20 else 0
  OUTPUT v25   // == at(24 * i + o) if i < 20 else 0
  OUTPUT v26   // == at(o) if o + 4 <= 20 else 0
  // private: the thread number as index, swizzled by 64, no range check
  s_mov_b32 s14, 0
  s_or_b32 s13, s9, 0x80000000|(32<<16)
  s_mov_b32 s15, (3<<21)|(1<<23)
  buffer_load_dword v20, v11, s[12:15], 0 offen
  buffer_load_dword v21, off, s[12:15], 0 offset:12
  // linear, thread number, stride 40
  s_or_b32 s13, s9, 40<<16
  s_mov_b32 s15, 1<<23
  buffer_load_dword v22, v11, s[12:15], 0 offen
  // stride 40 + (1 << 14) bits of the data format: only the first lanes are in the buffer
  s_mov_b32 s15, (1<<23)|(1<<15)
  s_mov_b64 exec, 7
  buffer_load_dword v23, off, s[12:15], 0
  // formatted access: those bits are the format (8 bits), the stride is 40
  buffer_load_format_x v24, off, s[12:15], 0
  s_mov_b64 exec, -1
  s_waitcnt vmcnt(0)
  OUTPUT v20   // == at(swizzled(lane, o, 32, 64))
  OUTPUT v21   // == at(swizzled(lane, 12, 32, 64))
  OUTPUT v22   // == at(40 * lane + o)
  OUTPUT v23   // == at((40 + (1 << 14)) * lane) if lane < 3 else None
  OUTPUT v24   // == 0 if lane < 3 else None
END_KERNEL
