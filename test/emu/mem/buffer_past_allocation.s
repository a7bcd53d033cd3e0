// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// A buffer descriptor may promise more than the buffer has: what num_records admits and
// no buffer holds is a finding; what num_records refuses is not.

//| in_buffer(bytes(256), base="0x130000000000")
//| finding("mem", "buffer_load_dword v1,", message=("130000000100", "probe_in"), count=1)
.include "prologue.inc"
KERNEL
  s_mov_b32 s8, s4
  s_and_b32 s9, s5, 0xffff
  s_mov_b32 s10, 0x1000
  s_mov_b32 s11, 0x00020000
  buffer_load_dword v1, v255, s[8:11], 0 offen offset:4
  s_mov_b32 s10, 0x100
  buffer_load_dword v2, v255, s[8:11], 0 offen offset:8
  LOADED
END_KERNEL
