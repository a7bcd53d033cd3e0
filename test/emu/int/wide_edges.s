// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// v_lshl_add_u64 with counts from 0 to 9: three bits count, and more than 4 is none;
// v_mad_i64_i32 puts bit 64 of its sum, the sign, into the mask; v_mad_u64_u32 its carry.
// Source: CDNA4 ISA 12.11, V_LSHL_ADD_U64 ("treats unsupported shift counts as a shift of
// zero"), V_MAD_I64_I32, V_MAD_U64_U32.

//| a, b = pairs_u32(64, 197)
//| inputs(a=a, b=b, n=[i % 10 for i in range(64)])
//| M64 = (1 << 64) - 1
//| def count(n): return n % 8 if n % 8 <= 4 else 0
//| def shifted(a, b, n): return ((a << 32 | b) << count(n)) + (b << 32 | a) & M64
//| def total(a, b): return i32(a) * i32(b) + i64(a << 32 | b)
.include "prologue.inc"
KERNEL
  INPUTS 1, 3, 0
  LOADED
  v_mov_b32_e32 v4, v2
  v_mov_b32_e32 v5, v1
  v_mov_b32_e32 v6, v1
  v_mov_b32_e32 v7, v2
  v_lshl_add_u64 v[8:9], v[4:5], v3, v[6:7]
  OUTPUT v8    // == shifted(a, b, n) & U32
  OUTPUT v9    // == shifted(a, b, n) >> 32
  v_mad_i64_i32 v[8:9], s[20:21], v1, v2, v[4:5]
  v_cndmask_b32_e64 v10, 0, 1, s[20:21]
  OUTPUT v8    // == total(a, b) & U32
  OUTPUT v9    // == total(a, b) >> 32 & U32
  OUTPUT v10   // == int(total(a, b) < 0)
  v_mad_u64_u32 v[8:9], s[20:21], v1, v2, v[4:5]
  v_cndmask_b32_e64 v10, 0, 1, s[20:21]
  OUTPUT v9    // == a * b + (a << 32 | b) >> 32 & U32
  OUTPUT v10   // == a * b + (a << 32 | b) >> 64
END_KERNEL
