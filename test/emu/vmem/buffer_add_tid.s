// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// ADD_TID_ENABLE: a linear descriptor adds the lane's number to the index, without IDXEN only, and
// nothing else of a thread then counts: neither the longer stride nor a lane out of range for
// the lane's sake. A swizzled one adds it with an index, too.
// Source: ROCm/rocm-systems pull request 10928 ("gfx950 drops it for a linear buffer with
// IDXEN"); CDNA4 ISA 9.1.5 for the sum and the range checks.

//| DATA = [(i * 0x9e3779b1 + 7) & 0xffffffff for i in range(16384)]
//| buffer("mem", data=column_bytes([DATA]))
//| kernarg(offset=16, buffer="mem")
//| INDEX = [l * 7 % 41 for l in LANE]
//| OFFSET = [4 * (l % 5) for l in LANE]
//| inputs(i=INDEX, o=OFFSET)
//| def at(address): return DATA[address // 4]
//| def swizzled(index, offset, stride, group):
//|     return (index // group * stride + offset // 4 * 4) * group + index % group * 4 + offset % 4
.include "prologue.inc"
KERNEL
  INPUTS 10, 2, 0
  s_load_dwordx2 s[8:9], s[0:1], 0x10
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_mov_b32 s12, s8
  s_or_b32 s13, s9, 40<<16
  s_mov_b32 s14, 41
  s_mov_b32 s15, 1<<23
  buffer_load_dword v20, v10, s[12:15], 0 idxen offset:8
  buffer_load_dword v21, v[10:11], s[12:15], 0 idxen offen
  buffer_load_dword v22, v11, s[12:15], 0 offen
  s_mov_b32 s14, 20
  buffer_load_dword v23, v10, s[12:15], 0 idxen
  s_mov_b32 s15, (1<<23)|(1<<15)           // a stride of 40 + 2^14 counts with the lane only
  buffer_load_dword v24, v10, s[12:15], 0 idxen
  // no stride: bytes are checked
  s_mov_b32 s13, s9
  s_movk_i32 s14, 12
  s_mov_b32 s15, 1<<23
  buffer_load_dword v25, v[10:11], s[12:15], 0 idxen offen
  s_or_b32 s13, s9, 0x80000000|(32<<16)    // swizzled
  s_mov_b32 s14, 20
  s_mov_b32 s15, (3<<21)|(1<<23)
  buffer_load_dword v26, v[10:11], s[12:15], 0 idxen offen
  s_waitcnt vmcnt(0)
  OUTPUT v20   // == at(40 * i + 8)
  OUTPUT v21   // == at(40 * i + o)
  OUTPUT v22   // == at(40 * lane + o)
  OUTPUT v23   // == at(40 * i) if i < 20 else 0
  OUTPUT v24   // == at(40 * i) if i < 20 else 0
  OUTPUT v25   // == at(o) if o + 4 <= 12 else 0
  OUTPUT v26   // == at(swizzled(i + lane, o, 32, 64)) if i < 20 else 0
END_KERNEL
