// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// --landing=after:64: the data of vector loads, to registers and to LDS, arrives without
// a wait after 64 instructions, not earlier. The finding comes all the same.
// Source: the contract of the emulator (runtime/public/fmhac_emu.h, fmhac_emu_landing).

//| options("--landing=after:64")
//| finding("wait", "v_mov_b32_e32 v22,", "global_load_dword v1,")
//| finding("wait", "v_mov_b32_e32 v23,", "global_load_dword v1,")
//| finding("wait", "ds_read_b32 v24,", "buffer_load_dword")
//| finding("wait", "ds_read_b32 v25,", "buffer_load_dword")
//| inputs(a=random_u32(64, 85))
.set LDS, 1024
.include "prologue.inc"
.include "landing.inc"
KERNEL
  USED_LATER
  OUTPUT v22   // == 1
  OUTPUT v23   // == a
  OUTPUT v24   // == 4
  OUTPUT v25   // == a
END_KERNEL
