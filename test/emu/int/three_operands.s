// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Three-operand 32-bit integer operations and the 64-bit multiply-adds.
// Source: CDNA4 ISA pseudocode of each
// (tinygrad/tinygrad:tinygrad/runtime/autogen/amd/cdna/str_pcode.py).

//| a, b = pairs_u32(64, 2)
//| c, d = pairs_u32(64, 3)
//| selectors = [0x03020100, 0x07060504, 0x0c0d0e0f, 0x0b0a0908, 0x00040105, 0x05040100,
//|              0x07060302, 0x0c0c0c00]
//| inputs(a=a, b=b, c=c, d=d, s=selectors)
//| def bfe(x, offset, width): return x >> (offset & 31) & ((1 << (width & 31)) - 1)
//| def bfe_i(x, offset, width):
//|     width &= 31
//|     return sext(bfe(i32(x), offset, width), width) if width else 0
//| def perm(a, b, s):
//|     data = (b | a << 32).to_bytes(8, "little")
//|     def pick(n):
//|         if n >= 13: return 0xff
//|         if n == 12: return 0
//|         if n >= 8: return 0xff * (data[2 * (n - 8) + 1] >> 7)
//|         return data[n]
//|     return sum(pick(s >> 8 * i & 255) << 8 * i for i in range(4))
//| def truth(a, b, c, table):
//|     r = 0
//|     for i in range(8):
//|         if table >> i & 1:
//|             r |= (a if i & 4 else ~a) & (b if i & 2 else ~b) & (c if i & 1 else ~c)
//|     return r & U32
.include "prologue.inc"
KERNEL
  INPUTS 1, 5, 0
  LOADED
  v_add3_u32 v10, v1, v2, v3
  OUTPUT v10   // == a + b + c
  v_lshl_add_u32 v10, v1, v2, v3
  OUTPUT v10   // == (a << (b & 31)) + c
  v_add_lshl_u32 v10, v1, v2, v3
  OUTPUT v10   // == ((a + b) & U32) << (c & 31)
  v_lshl_or_b32 v10, v1, v2, v3
  OUTPUT v10   // == a << (b & 31) | c
  v_and_or_b32 v10, v1, v2, v3
  OUTPUT v10   // == a & b | c
  v_or3_b32 v10, v1, v2, v3
  OUTPUT v10   // == a | b | c
  v_xad_u32 v10, v1, v2, v3
  OUTPUT v10   // == (a ^ b) + c
  v_bfe_u32 v10, v1, v2, v3
  OUTPUT v10   // == bfe(a, b, c)
  v_bfe_u32 v10, v1, 4, 9
  OUTPUT v10   // == bfe(a, 4, 9)
  v_bfe_i32 v10, v1, v2, v3
  OUTPUT v10   // == bfe_i(a, b, c)
  v_bfe_i32 v10, v1, 8, 8
  OUTPUT v10   // == bfe_i(a, 8, 8)
  v_bfi_b32 v10, v1, v2, v3
  OUTPUT v10   // == a & b | ~a & c
  v_alignbit_b32 v10, v1, v2, v3
  OUTPUT v10   // == (a << 32 | b) >> (c & 31)
  v_alignbyte_b32 v10, v1, v2, v3
  OUTPUT v10   // == (a << 32 | b) >> (c & 3) * 8
  v_perm_b32 v10, v1, v2, v5
  OUTPUT v10   // == perm(a, b, s)
  v_min3_u32 v10, v1, v2, v3
  OUTPUT v10   // == min(a, b, c)
  v_max3_u32 v10, v1, v2, v3
  OUTPUT v10   // == max(a, b, c)
  v_med3_u32 v10, v1, v2, v3
  OUTPUT v10   // == sorted([a, b, c])[1]
  v_min3_i32 v10, v1, v2, v3
  OUTPUT v10   // == min(i32(a), i32(b), i32(c))
  v_max3_i32 v10, v1, v2, v3
  OUTPUT v10   // == max(i32(a), i32(b), i32(c))
  v_med3_i32 v10, v1, v2, v3
  OUTPUT v10   // == sorted([i32(a), i32(b), i32(c)])[1]
  v_mad_u32_u24 v10, v1, v2, v3
  OUTPUT v10   // == (a & 0xffffff) * (b & 0xffffff) + c
  v_mad_i32_i24 v10, v1, v2, v3
  OUTPUT v10   // == sext(a, 24) * sext(b, 24) + c
  v_sad_u32 v10, v1, v2, v3
  OUTPUT v10   // == abs(a - b) + c
  v_bitop3_b32 v10, v1, v2, v3 bitop3:0xca
  OUTPUT v10   // == truth(a, b, c, 0xca)
  v_bitop3_b32 v10, v1, v2, v3 bitop3:0x96
  OUTPUT v10   // == truth(a, b, c, 0x96)
  v_bitop3_b32 v10, v1, v2, v3 bitop3:0x1e
  OUTPUT v10   // == truth(a, b, c, 0x1e)
  // v[12:13] = { d, c }
  v_mov_b32_e32 v12, v3
  v_mov_b32_e32 v13, v4
  v_mad_u64_u32 v[14:15], s[20:21], v1, v2, v[12:13]
  v_cndmask_b32_e64 v16, 0, 1, s[20:21]
  OUTPUT64 v14, v15   // == (a * b + (c | d << 32)) & U64
  OUTPUT v16   // == a * b + (c | d << 32) >> 64
  v_mad_u64_u32 v[14:15], vcc, v1, v2, 0
  OUTPUT64 v14, v15   // == a * b
  v_mad_i64_i32 v[14:15], s[20:21], v1, v2, v[12:13]
  OUTPUT64 v14, v15   // == (i32(a) * i32(b) + i64(c | d << 32)) & U64
  v_lshl_add_u64 v[14:15], v[12:13], 3, v[12:13]
  OUTPUT64 v14, v15   // == (c | d << 32) * 9 & U64
  v_lshl_add_u64 v[14:15], s[4:5], 0, v[12:13]
  v_sub_co_u32_e32 v14, vcc, v14, v12
  v_subb_co_u32_e32 v15, vcc, v15, v13, vcc
  v_xor_b32_e32 v14, s4, v14
  v_xor_b32_e32 v15, s5, v15
  OUTPUT64 v14, v15   // == 0
  v_lshl_add_u64 v[14:15], v[12:13], 4, 1
  OUTPUT64 v14, v15   // == ((c | d << 32) * 16 + 1) & U64
END_KERNEL
