// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// v_max_f32 x, x is how compilers canonicalise: in flush mode a denormal becomes a zero of
// its sign.
// Source: LLVM GCNSubtarget.h supportsMinMaxDenormModes ("v_max/v_min honour the denormal
// mode", GFX9 and later), SIISelLowering.cpp (fcanonicalize is v_max_f32 x, x).

//| inputs(a=[1, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x3f800000, 0, 0x80000000])
.include "prologue.inc"
KERNEL
  INPUT v1, 0
  LOADED
  v_max_f32_e32 v10, v1, v1
  OUTPUT v10   // == flush32(a)
END_KERNEL
