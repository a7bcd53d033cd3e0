// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Kernel arguments preloaded into SGPRs: 6 dwords from offset 0 come right after the
// kernarg pointer, before the workgroup ids; the code starts 256 bytes into the kernel
// only on hardware with the feature off.
// Source: LLVM AMDGPUUsage "Preloaded kernel arguments" (user SGPRs follow the other
// enabled ones; the backwards-compatible prologue is 256 bytes, the entry address is
// advanced by it when the preload is done).

//| inputs(a=random_u32(64, 24))
//| kernarg(offset=16, u32=0x1234)
//| kernarg(offset=20, f32=1.5)
.set PRELOAD, 6
.include "prologue.inc"
ENTRY
  // old firmware lands here: load by hand and jump
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s20, 0xbad
  s_branch .Lmain
  .p2align 8
.Lpreloaded:
  s_mov_b32 s20, 0x600d
.Lmain:
  // s[2:3] = in, s[4:5] = out, s6, s7 the two words; s8 workgroup id
  s_mov_b64 s[10:11], s[2:3]
  s_mov_b64 s[12:13], s[4:5]
  s_mov_b32 s14, s6
  s_mov_b32 s15, s7
  s_mov_b64 s[4:5], s[10:11]
  s_mov_b64 s[6:7], s[12:13]
  v_lshlrev_b32_e32 v255, 2, v0
  INPUT v1, 0
  LOADED
  OUTPUT v1    // == a
  OUTPUT_S s14 // == 0x1234
  OUTPUT_S s15 // == 0x3fc00000
  OUTPUT_S s8  // == 0
  OUTPUT_S s20 // == 0x600d
END_KERNEL
