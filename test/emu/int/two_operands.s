// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Two-operand 32-bit integer operations: add, sub, logic, shifts (the count is taken
// modulo 32), min, max, multiplies, bit counts.
// Source: CDNA4 ISA pseudocode of each
// (tinygrad/tinygrad:tinygrad/runtime/autogen/amd/cdna/str_pcode.py).

//| a, b = pairs_u32(64, 1)
//| inputs(a=a, b=b)
//| def first_one(x, order):
//|     return next((i for i, n in enumerate(order) if x >> n & 1), -1)
//| def first_other(x):
//|     return next((i for i in range(1, 32) if (x >> (31 - i) & 1) != x >> 31), -1)
.include "prologue.inc"
KERNEL
  INPUTS 1, 2, 0
  LOADED
  v_add_u32_e32 v10, v1, v2
  OUTPUT v10   // == a + b
  v_sub_u32_e32 v10, v1, v2
  OUTPUT v10   // == a - b
  v_subrev_u32_e32 v10, v1, v2
  OUTPUT v10   // == b - a
  v_add_i32 v10, v1, v2
  OUTPUT v10   // == a + b
  v_sub_i32 v10, v1, v2
  OUTPUT v10   // == a - b
  v_and_b32_e32 v10, v1, v2
  OUTPUT v10   // == a & b
  v_or_b32_e32 v10, v1, v2
  OUTPUT v10   // == a | b
  v_xor_b32_e32 v10, v1, v2
  OUTPUT v10   // == a ^ b
  v_xnor_b32_e32 v10, v1, v2
  OUTPUT v10   // == ~(a ^ b)
  v_not_b32_e32 v10, v1
  OUTPUT v10   // == ~a
  v_lshlrev_b32_e32 v10, v1, v2
  OUTPUT v10   // == b << (a & 31)
  v_lshrrev_b32_e32 v10, v1, v2
  OUTPUT v10   // == b >> (a & 31)
  v_ashrrev_i32_e32 v10, v1, v2
  OUTPUT v10   // == i32(b) >> (a & 31)
  v_min_u32_e32 v10, v1, v2
  OUTPUT v10   // == min(a, b)
  v_max_u32_e32 v10, v1, v2
  OUTPUT v10   // == max(a, b)
  v_min_i32_e32 v10, v1, v2
  OUTPUT v10   // == min(i32(a), i32(b))
  v_max_i32_e32 v10, v1, v2
  OUTPUT v10   // == max(i32(a), i32(b))
  v_mul_lo_u32 v10, v1, v2
  OUTPUT v10   // == a * b
  v_mul_hi_u32 v10, v1, v2
  OUTPUT v10   // == a * b >> 32
  v_mul_hi_i32 v10, v1, v2
  OUTPUT v10   // == i32(a) * i32(b) >> 32
  v_mul_u32_u24_e32 v10, v1, v2
  OUTPUT v10   // == (a & 0xffffff) * (b & 0xffffff)
  v_mul_i32_i24_e32 v10, v1, v2
  OUTPUT v10   // == sext(a, 24) * sext(b, 24)
  v_mul_hi_u32_u24_e32 v10, v1, v2
  OUTPUT v10   // == (a & 0xffffff) * (b & 0xffffff) >> 32
  v_mul_hi_i32_i24_e32 v10, v1, v2
  OUTPUT v10   // == sext(a, 24) * sext(b, 24) >> 32
  v_bfm_b32 v10, v1, v2
  OUTPUT v10   // == ((1 << (a & 31)) - 1) << (b & 31)
  v_bcnt_u32_b32 v10, v1, v2
  OUTPUT v10   // == bin(a).count("1") + b
  v_bfrev_b32_e32 v10, v1
  OUTPUT v10   // == int(format(a, "032b")[::-1], 2)
  v_ffbh_u32_e32 v10, v1
  OUTPUT v10   // == first_one(a, range(31, -1, -1))
  v_ffbl_b32_e32 v10, v1
  OUTPUT v10   // == first_one(a, range(32))
  v_ffbh_i32_e32 v10, v1
  OUTPUT v10   // == first_other(a)
  v_mbcnt_lo_u32_b32 v10, v1, v2
  OUTPUT v10   // == bin(a & ((1 << min(lane, 32)) - 1)).count("1") + b
  v_mbcnt_hi_u32_b32 v10, v1, v2
  OUTPUT v10   // == bin(a & ((1 << max(lane - 32, 0)) - 1)).count("1") + b
  v_cvt_pk_u16_u32 v10, v1, v2
  OUTPUT v10   // == a | b << 16 if max(a, b) < 0x10000 else None
  v_cvt_pk_i16_i32 v10, v1, v2
  OUTPUT v10   // == (a & 0xffff) | b << 16 if -32768 <= i32(a) < 32768 and -32768 <= i32(b) < 32768 else None
END_KERNEL
