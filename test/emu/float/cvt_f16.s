// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// v_cvt_f16_f32 (nearest even by mode, f16 denormals kept), v_cvt_f32_f16 of every f16
// exponent, v_cvt_pkrtz_f16_f32 (towards zero), v_cvt_f32_bf16 of halves by SDWA-free form.
// Source: CDNA4 ISA pseudocode V_CVT_F16_F32, V_CVT_F32_F16, V_CVT_PKRTZ_F16_F32
// (round towards zero), V_CVT_F32_BF16 ({ S0.b16, 16'0 }).

//| a = [0x3f801000, 0x3f803000, 0x3f801001, 0x477fefff, 0x477ff000, 0xc77ff000, 0x38800000,
//|      0x387fc000, 0x33000000, 0x33000001, 0x33800000, 0x33c00000, 0x7f800000, 0xff800000,
//|      0, 0x80000000] + random_f32(48, 33, -26, 17)
//| h = [((i % 32) << 10 | (i * 77 & 0x3ff)) | (i & 32) << 10 for i in range(64)]
//| h[31] = 0x7c00; h[63] = 0xfc00
//| def rtz(bits):
//|     x = f32(bits)
//|     if math.isinf(x): return b16(x)
//|     near = b16(x)
//|     if math.isinf(f16(near)): return near - 1
//|     return near - 1 if abs(f16(near)) > abs(x) else near
//| inputs(a=a, h=h, m=random_f32(64, 34, -10, 10))
.include "prologue.inc"
KERNEL
  INPUTS 1, 3, 0
  LOADED
  v_mov_b32_e32 v10, 0
  v_cvt_f16_f32_e32 v10, v1
  v_and_b32_e32 v10, 0xffff, v10
  OUTPUT v10   // == b16(f32(a))
  v_cvt_f32_f16_e32 v10, v2
  OUTPUT v10   // == b32(f16(h))
  v_cvt_f32_f16_e64 v10, -|v2|
  OUTPUT v10   // == b32(-abs(f16(h)))
  v_cvt_pkrtz_f16_f32 v10, v3, v1
  OUTPUT v10   // == rtz(m) | rtz(a) << 16
  v_cvt_f32_bf16_e32 v10, v3
  OUTPUT v10   // == m << 16 if m & 0x7f80 and (m & 0x7f80) != 0x7f80 else None
END_KERNEL
