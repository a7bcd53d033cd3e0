// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// v_cvt_pk_i16_i32 saturates.
// Source: LLVM AMDGPUPreLegalizerCombiner.cpp, matchClampI64ToI16, which clamps an i64 to i16 by
// v_cvt_pk_i16_i32 of its halves and v_med3_i32: right only if the halves are saturated. That
// sequence here, too.

//| low, high = pairs_u32(64, 198)
//| inputs(a=low, b=[x if i % 2 else (0, 0xffffffff)[i // 2 % 2] for i, x in enumerate(high)])
//| def i16(v): return clamp(v, -0x8000, 0x7fff)
.include "prologue.inc"
KERNEL
  INPUTS 1, 2, 0
  LOADED
  v_cvt_pk_i16_i32 v10, v1, v2
  OUTPUT v10   // == i16(i32(a)) & 0xffff | (i16(i32(b)) & 0xffff) << 16
  v_mov_b32_e32 v11, 0xffff8000
  v_mov_b32_e32 v12, 0x7fff
  v_med3_i32 v10, v11, v10, v12
  v_bfe_i32 v10, v10, 0, 16
  OUTPUT v10   // == i16(i64(b << 32 | a)) & U32
END_KERNEL
