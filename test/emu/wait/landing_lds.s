// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// --landing=after:64:8: the data of LDS reads arrives without a wait after 8 instructions,
// not earlier; what was read is what LDS held at issue. An instruction in between sees the
// old contents of the register. The finding comes all the same.
// Source: the contract of the emulator (runtime/public/fmhac_emu.h, fmhac_emu_landing).

//| options("--landing=after:64:8")
//| finding("wait", "v_mov_b32_e32 v22,", "ds_read_b32 v1,")
//| finding("wait", "v_mov_b32_e32 v23,", "ds_read_b32 v1,")
//| finding("wait", "v_mov_b32_e32 v24,", "ds_bpermute_b32 v2,")
//| inputs(a=random_u32(64, 86))
.set LDS, 1024
.include "prologue.inc"
KERNEL
  global_load_dword v3, v255, s[4:5]
  v_mov_b32_e32 v1, 1
  v_mov_b32_e32 v2, 2
  v_mov_b32_e32 v4, 4
  s_waitcnt vmcnt(0)
  ds_write_b32 v255, v3
  s_waitcnt lgkmcnt(0)

  ds_read_b32 v1, v255
  ds_write_b32 v255, v4
  .rept 6
  s_nop 0
  .endr
  v_mov_b32_e32 v22, v1
  v_mov_b32_e32 v23, v1
  s_waitcnt lgkmcnt(0)

  ds_bpermute_b32 v2, v255, v3
  v_mov_b32_e32 v24, v2
  s_waitcnt lgkmcnt(0)
  OUTPUT v22   // == 1
  OUTPUT v23   // == a
  OUTPUT v24   // == 2
  OUTPUT v2    // == a
END_KERNEL
