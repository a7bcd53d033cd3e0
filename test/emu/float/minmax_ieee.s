// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// v_max, v_min, v_max3, v_min3, v_med3 in f32 with IEEE 1: NaN operands (a quiet NaN
// yields the other operand, a signalling one its quieted self), signed zeros, order of the operands.
// Source: CDNA4 ISA pseudocode V_MAX_F32, V_MIN_F32, V_MAX3_F32, V_MIN3_F32, V_MED3_F32
// (tinygrad/tinygrad:tinygrad/runtime/autogen/amd/cdna/str_pcode.py).

//| special = [0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
//|            0xffc00001, 0x7f800001, 0xff812345]
//| step = rng(8)
//| n = len(special)
//| a = [special[i % n] for i in range(64)] 
//| b = [special[i // n % n] if i < n * n else special[step(12) % n] for i in range(64)]
//| c = [special[step(12) % n] for i in range(64)]
//| inputs(a=a, b=b, c=c)
//| inputs(p=random_f32(64, 1, -3, 3), q=random_f32(64, 2, -3, 3), r=random_f32(64, 3, -3, 3))
//| def max3(a, b, c): return max32(max32(a, b, True), c, True)
//| def min3(a, b, c): return min32(min32(a, b, True), c, True)
.set IEEE, 1
.include "prologue.inc"
KERNEL
  INPUTS 1, 6, 0
  LOADED
  v_max_f32_e32 v10, v1, v2
  OUTPUT v10   // == max32(a, b, True)
  v_min_f32_e32 v10, v1, v2
  OUTPUT v10   // == min32(a, b, True)
  v_max3_f32 v10, v1, v2, v3
  OUTPUT v10   // == max3(a, b, c)
  v_min3_f32 v10, v1, v2, v3
  OUTPUT v10   // == min3(a, b, c)
  v_max_f32_e32 v10, v4, v5
  OUTPUT v10   // == max32(p, q)
  v_min_f32_e32 v10, v4, v5
  OUTPUT v10   // == min32(p, q)
  v_max3_f32 v10, v4, -v5, |v6|
  OUTPUT v10   // == max3(p, neg32(q), abs32(r))
  v_min3_f32 v10, v4, v5, v6
  OUTPUT v10   // == min3(p, q, r)
  v_med3_f32 v10, v4, v5, v6
  OUTPUT v10   // == med32(p, q, r)
  v_med3_f32 v10, v4, 0, 1.0
  OUTPUT v10   // == med32(p, 0, 0x3f800000)
  v_max_f32_e32 v10, 0xff800000, v4
  OUTPUT v10   // == p
END_KERNEL
