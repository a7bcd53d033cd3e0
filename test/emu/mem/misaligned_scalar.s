// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Scalar accesses drop the two low bits of the address, of buffers those of the base as well;
// that is a finding, and longer accesses ask for no more than a dword. Atomics are naturally
// aligned. What is out of the range of a descriptor has no address.
// Source: CDNA4 ISA 8.2.1 ("The two LSBs of V#.base and of the final address are ignored to force
// Dword alignment", "Atomics are unusual because they are naturally aligned").

//| data = [0x52000000 + 3 * i for i in range(64)]
//| in_buffer(column_bytes([data]), base="0x130000000000")
//| buffer("memory", bytes=256, fill=0, base="0x140000000000")
//| kernarg(offset=16, buffer="memory")
//| dropped = "hardware drops the two low bits"
//| finding("mem", "s_load_dwordx4 s[24:27], s[4:5], 0x16", message=("0x130000000016", "reads 16 bytes", "no multiple of 4", dropped), count=1)
//| finding("mem", "s_buffer_load_dword s28", message=("0x130000000002", "no multiple of 4", dropped), count=1)
//| finding("mem", "s_store_dword s16, s[8:9], 0x9", message=("writes 4 bytes", "0x140000000009", dropped), count=1)
//| finding("mem", "s_atomic_add_x2 s[16:17], s[8:9], 0x4", message=("updates 8 bytes", "0x140000000004", "no multiple of 8"), count=1)
.include "prologue.inc"
KERNEL
  s_load_dwordx2 s[8:9], s[0:1], 16
  s_mov_b32 s16, 1
  s_mov_b32 s17, 0
  s_waitcnt lgkmcnt(0)
  s_load_dwordx4 s[20:23], s[4:5], 0x4
  s_load_dwordx4 s[24:27], s[4:5], 0x16
  s_or_b32 s12, s4, 2
  s_and_b32 s13, s5, 0xffff
  s_movk_i32 s14, 256
  s_mov_b32 s15, 0x00020000
  s_buffer_load_dword s28, s[12:15], 0x2    // not data[1]
  s_mov_b32 s12, s4
  s_waitcnt lgkmcnt(0)
  s_buffer_load_dword s29, s[12:15], 0xfc
  s_buffer_load_dword s30, s[12:15], 0x101  // out of range
  s_store_dword s16, s[8:9], 0x10
  s_store_dword s16, s[8:9], 0x9
  s_atomic_add s16, s[8:9], 0x4
  s_atomic_add_x2 s[16:17], s[8:9], 0x8
  s_atomic_add_x2 s[16:17], s[8:9], 0x4
  s_waitcnt lgkmcnt(0)
  OUTPUT_S s20   // == data[1]
  OUTPUT_S s24   // == data[5]
  OUTPUT_S s27   // == data[8]
  OUTPUT_S s28   // == data[0]
  OUTPUT_S s29   // == data[63]
  OUTPUT_S s30   // == 0
END_KERNEL
