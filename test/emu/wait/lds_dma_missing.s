// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// LDS filled by a direct load is read before the vmcnt that covers the load. lgkmcnt
// does not cover it, nor does a barrier.
// Source: CDNA3 ISA, "Buffer load to LDS": tracked with VM_CNT; LLVM SIInsertWaitcnts.cpp
// (LDS DMA: vmcnt before an aliasing LDS read).

//| finding("wait", "ds_read_b32 v5,", "buffer_load_dword ")
//| finding("wait", "ds_read_b128 v[8:11]", "buffer_load_dwordx4 ")
//| inputs(*[random_u32(64, c) for c in range(4)])
//| no_output()
.set LDS, 4096
.include "prologue.inc"
KERNEL
  s_mov_b32 s8, s4
  s_and_b32 s9, s5, 0xffff
  s_mov_b32 s10, 1024
  s_mov_b32 s11, 0x00020000
  s_mov_b32 m0, 0
  s_nop 0
  buffer_load_dword v255, s[8:11], 0 offen lds
  s_waitcnt lgkmcnt(0)
  ds_read_b32 v5, v255
  s_waitcnt vmcnt(0) lgkmcnt(0)

  v_lshlrev_b32_e32 v1, 4, v0
  s_mov_b32 m0, 1024
  s_nop 0
  buffer_load_dwordx4 v1, s[8:11], 0 offen lds
  s_barrier
  ds_read_b128 v[8:11], v1 offset:1024
  s_waitcnt vmcnt(0) lgkmcnt(0)
END_KERNEL
