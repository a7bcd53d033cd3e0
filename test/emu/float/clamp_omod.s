// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// clamp: results go to [0, 1], NaN to 0 with DX10_CLAMP; omod multiplies by 2, 4, 1/2 when
// denormals are flushed and the mode is not IEEE.
// Source: CDNA3 ISA "VOP3: output modifiers" (omod is ignored if output denormals are
// enabled or the IEEE bit is set; clamp to [0.0, 1.0]); LLVM AMDGPUUsage
// ENABLE_DX10_CLAMP ("clamp modifier returns 0.0 for NaN").

//| special = [0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000]
//| inputs(a=special + random_f32(57, 21, -3, 3), b=special[::-1] + random_f32(57, 22, -3, 3))
//| def clamp01(bits):
//|     if isinstance(bits, float) or is_nan32(bits): return 0
//|     if bits == 0x80000000: return None            # +0 or -0: no document says
//|     x = f32(bits)
//|     return 0 if x <= 0 else 0x3f800000 if x >= 1 else bits
//| def scaled(bits, by):
//|     return bits if isinstance(bits, float) else mul32(bits, b32(by))
//| def no_zero(x):                   # the sign of a zero after omod: "-0 becomes +0"
//|     return 0 if x == 0x80000000 else x
.set IEEE, 0
.include "prologue.inc"
KERNEL
  INPUTS 1, 2, 0
  LOADED
  v_add_f32_e64 v10, v1, v2 clamp
  OUTPUT v10   // == clamp01(add32(a, b))
  v_mul_f32_e64 v10, v1, v2 clamp
  OUTPUT v10   // == clamp01(mul32(a, b))
  v_fma_f32 v10, v1, v2, 0.5 clamp
  OUTPUT v10   // == clamp01(fma32(a, b, 0x3f000000))
  v_max_f32_e64 v10, v1, v1 clamp
  OUTPUT v10   // == clamp01(a)
  v_add_f32_e64 v10, v1, v2 mul:2
  OUTPUT v10   // == no_zero(scaled(add32(a, b), 2.0))
  v_add_f32_e64 v10, v1, v2 mul:4
  OUTPUT v10   // == no_zero(scaled(add32(a, b), 4.0))
  v_mul_f32_e64 v10, v1, v2 div:2
  OUTPUT v10   // == no_zero(scaled(mul32(a, b), 0.5))
  v_add_f32_e64 v10, v1, v2 clamp div:2
  OUTPUT v10   // == clamp01(scaled(add32(a, b), 0.5))
END_KERNEL
