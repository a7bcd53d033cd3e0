// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// v_cmp on i32, u32, i64, u64, i16, u16: f lt eq le gt ne ge t, and v_cmp with scalar and
// constant operands (constants of i64 are sign extended).
// Source: CDNA4 ISA pseudocode V_CMP_*
// (tinygrad/tinygrad:tinygrad/runtime/autogen/amd/cdna/str_pcode.py).

//| a, b = pairs_u32(64, 41)
//| c, d = pairs_u32(64, 42)
//| for i in range(8): c[i] = a[i]; d[i] = b[i]
//| for i in range(8, 16): a[i] = b[i]; d[i] = b[i]
//| inputs(a=a, b=b, c=c, d=d)
//| def names(x, y):
//|     return sum(bit << i for i, bit in
//|                enumerate([0, x < y, x == y, x <= y, x > y, x != y, x >= y, 1]))
.include "prologue.inc"
// v10 = one bit for each predicate
.macro ONE p, type, x, y
  v_lshrrev_b32_e32 v10, 1, v10
  v_cmp_\p\()_\type\()_e32 vcc, \x, \y
  s_nop 1
  v_cndmask_b32_e64 v11, 0, 1, vcc
  v_lshl_or_b32 v10, v11, 7, v10
.endm
.macro ONE64 p, type, x, y
  v_lshrrev_b32_e32 v10, 1, v10
  v_cmp_\p\()_\type\()_e64 s[20:21], \x, \y
  s_nop 1
  v_cndmask_b32_e64 v11, 0, 1, s[20:21]
  v_lshl_or_b32 v10, v11, 7, v10
.endm
.macro ALL type, x, y
  v_mov_b32_e32 v10, 0
  .irp p, f, lt, eq, le, gt, ne, ge, t
    ONE \p, \type, \x, \y
  .endr
.endm
.macro ALL64 type, x, y
  v_mov_b32_e32 v10, 0
  .irp p, f, lt, eq, le, gt, ne, ge, t
    ONE64 \p, \type, \x, \y
  .endr
.endm
KERNEL
  INPUTS 2, 4, 0
  LOADED
  // v[2:3] = a, b    v[4:5] = c, d
  ALL i32, v2, v3
  OUTPUT v10   // == names(i32(a), i32(b))
  ALL u32, v2, v3
  OUTPUT v10   // == names(a, b)
  ALL i16, v2, v3
  OUTPUT v10   // == names(sext(a, 16), sext(b, 16))
  ALL u16, v2, v3
  OUTPUT v10   // == names(a & 0xffff, b & 0xffff)
  ALL i64, v[2:3], v[4:5]
  OUTPUT v10   // == names(i64(a | b << 32), i64(c | d << 32))
  ALL u64, v[2:3], v[4:5]
  OUTPUT v10   // == names(a | b << 32, c | d << 32)
  ALL64 u64, v[2:3], v[4:5]
  OUTPUT v10   // == names(a | b << 32, c | d << 32)
  ALL64 i64, v[2:3], -16
  OUTPUT v10   // == names(i64(a | b << 32), -16)
  s_movk_i32 s22, 0x80
  ALL64 i32, s22, v2
  OUTPUT v10   // == names(0x80, i32(a))
  ALL64 u32, v2, -1
  OUTPUT v10   // == names(a, U32)
END_KERNEL
