// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// --landing=default: what a use without a wait sees. The finding comes all the same.
// Source: the contract of the emulator (runtime/public/fmhac_emu.h, fmhac_emu_landing).

//| options("--landing=default")
//| finding("wait", "v_mov_b32_e32 v20,", "global_load_dword v1,")
//| finding("wait", "v_mov_b32_e32 v21,", "ds_read_b32 v2,")
//| finding("wait", "v_mov_b32_e32 v22,", "s_load_dword s20,")
//| finding("wait", "ds_read_b32 v23,", "buffer_load_dword")
//| inputs(a=random_u32(64, 84))
.set LDS, 1024
.include "prologue.inc"
.include "landing.inc"
KERNEL
  USED_AT_ONCE
  OUTPUT v20   // == 1
  OUTPUT v21   // == 4
  OUTPUT v22   // == random_u32(1, 84)[0]
  OUTPUT v23   // == 4
  // the covering wait delivers in any case
  OUTPUT v1    // == a
  OUTPUT v2    // == 4
  OUTPUT_S s20 // == random_u32(1, 84)[0]
END_KERNEL
