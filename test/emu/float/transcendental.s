// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// v_exp_f32, v_log_f32, v_rcp_f32, v_rcp_iflag_f32, v_rsq_f32, v_sqrt_f32: within one
// unit in the last place, special values, denormals as zeros in this (flushing) mode.
// Source: CDNA4 ISA pseudocode (2**x, log2 x, 1/x, 1/sqrt x, sqrt x) and its "1 ULP
// accuracy, denormals are flushed" notes; LLVM SIISelLowering.cpp lowerFEXP2/lowerFLOG2
// ("good enough for OpenCL, except it doesn't handle denormals").

//| special = [0, 0x80000000, 0x3f800000, 0xbf800000, 0x40000000, 0x7f800000, 0xff800000,
//|            0x7fc00000, 0x00800000, 0x80800000, 0x7f7fffff, 0x00000001, 0x807fffff,
//|            0x3f800001, 0x3f7fffff, 0x43000000, 0xc3000000, 0xc2fc0000, 0x42fe0000,
//|            0x7e800000, 0x7f000000, 0xff000000]
//| moderate = random_f32(42, 11, low=-6, high=6)
//| wide = random_f32(42, 12, low=-120, high=120)
//| inputs(e=special + moderate, w=special + wide)
//| def exp2(bits):
//|     x = daz(bits)
//|     if math.isnan(x): return NAN
//|     if x >= 128: return INF
//|     if x < -126: return 0.0          # zero or denormal: flushed
//|     return math.pow(2.0, x)
//| def log2(bits):
//|     x = daz(bits)
//|     if math.isnan(x) or x < 0: return NAN
//|     if x == 0: return -INF
//|     return x if math.isinf(x) else math.log2(x)
//| def rcp(bits):
//|     x = daz(bits)
//|     if math.isnan(x): return NAN
//|     if x == 0: return math.copysign(INF, x)
//|     y = 1.0 / x
//|     return math.copysign(0.0, y) if abs(y) < 2.0 ** -126 else y
//| def rsq(bits):
//|     x = daz(bits)
//|     if math.isnan(x) or x < 0: return NAN
//|     if x == 0: return math.copysign(INF, x)
//|     return 0.0 if math.isinf(x) else 1.0 / math.sqrt(x)
//| def root(bits):
//|     x = daz(bits)
//|     if math.isnan(x) or x < 0: return NAN
//|     return x if x == 0 else math.sqrt(x)
.include "prologue.inc"
KERNEL
  INPUTS 1, 2, 0
  LOADED
  v_exp_f32_e32 v10, v1
  v_log_f32_e32 v11, v2
  v_rcp_f32_e32 v12, v2
  v_rcp_iflag_f32_e32 v13, v2
  v_rsq_f32_e32 v14, v2
  v_sqrt_f32_e32 v15, v2
  v_exp_f32_e64 v16, -|v1|
  v_log_f32_e64 v17, |v2|
  s_nop 0
  OUTPUT v10   // == exp2(e) ; ulp 1
  OUTPUT v11   // == log2(w) ; ulp 1
  OUTPUT v12   // == rcp(w) ; ulp 1
  OUTPUT v13   // == rcp(w) ; ulp 1
  OUTPUT v14   // == rsq(w) ; ulp 1
  OUTPUT v15   // == root(w) ; ulp 1
  OUTPUT v16   // == exp2(neg32(abs32(e))) ; ulp 1
  OUTPUT v17   // == log2(abs32(w)) ; ulp 1
END_KERNEL
