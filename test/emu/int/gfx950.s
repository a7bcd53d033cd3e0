// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Integer operations new in gfx950: v_prng_b32, v_ashr_pk_i8_i32, v_ashr_pk_u8_i32 (which
// write 16 bits; the upper half is not compared).
// Source: CDNA4 ISA pseudocode
// (tinygrad/tinygrad:tinygrad/runtime/autogen/amd/cdna/str_pcode.py).

//| a, b = pairs_u32(64, 90)
//| inputs(a=a, b=b, n=[x % 40 for x in range(64)])
//| def sat(x, low, high): return clamp(x, low, high) & 255
.include "prologue.inc"
KERNEL
  INPUTS 1, 3, 0
  LOADED
  v_prng_b32_e32 v10, v1
  OUTPUT v10   // == a << 1 ^ (197 if a >> 31 else 0)
  v_ashr_pk_i8_i32 v10, v1, v2, v3
  v_and_b32_e32 v10, 0xffff, v10
  OUTPUT v10   // == sat(i32(a) >> (n & 31), -128, 127) | sat(i32(b) >> (n & 31), -128, 127) << 8
  v_ashr_pk_u8_i32 v10, v1, v2, v3
  v_and_b32_e32 v10, 0xffff, v10
  OUTPUT v10   // == sat(i32(a) >> (n & 31), 0, 255) | sat(i32(b) >> (n & 31), 0, 255) << 8
END_KERNEL
