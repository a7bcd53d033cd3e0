// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Scalar operations with one source: result and SCC. ff1, ff0, flbit, brev, sext, mov,
// bitset, bitreplicate leave SCC alone; cmov writes only if SCC.
// Source: CDNA4 ISA pseudocode S_* of SOP1
// (tinygrad/tinygrad:tinygrad/runtime/autogen/amd/cdna/str_pcode.py).

//| a, h = pairs_u32(64, 10)
//| a[0:4] = [0, U32, 0x80000000, 1]
//| h[0:4] = [0, U32, 0, 0]
//| inputs(a=a, h=h, c=[i >> 1 & 1 for i in range(64)])
//| def find(x, bits, value, order):
//|     return next((i for i, n in enumerate(order) if (x >> n & 1) == value), -1)
//| def other(x, bits):
//|     top = bits - 1
//|     return next((i for i in range(1, bits) if (x >> (top - i) & 1) != x >> top), -1)
//| def ones(x): return bin(x).count("1")
//| def A(a, h): return a | h << 32
.include "prologue.inc"
.macro STEP op, source, result
  s_mov_b32 s30, 0x5a5a5a5a
  s_cmp_lg_u32 s23, 0
  \op s30, \source
  PUT_SCC v[\result+1]
  PUT v[\result], s30
.endm
KERNEL
  INPUTS 1, 3, 0
  LOADED
  FOR_LANES
    GET s21, v1
    GET s22, v2
    GET s23, v3
    STEP s_mov_b32, s21, 10
    STEP s_cmov_b32, s21, 12
    STEP s_not_b32, s21, 14
    STEP s_brev_b32, s21, 16
    STEP s_bcnt0_i32_b32, s21, 18
    STEP s_bcnt1_i32_b32, s21, 20
    STEP s_bcnt0_i32_b64, s[22:23], 22
    STEP s_bcnt1_i32_b64, s[22:23], 24
    STEP s_ff0_i32_b32, s21, 26
    STEP s_ff1_i32_b32, s21, 28
    STEP s_ff1_i32_b64, s[22:23], 30
    STEP s_flbit_i32_b32, s21, 32
    STEP s_flbit_i32_b64, s[22:23], 34
    STEP s_flbit_i32, s21, 36
    STEP s_flbit_i32_i64, s[22:23], 38
    STEP s_sext_i32_i8, s21, 40
    STEP s_sext_i32_i16, s21, 42
    STEP s_abs_i32, s21, 44
    STEP s_bitset0_b32, s21, 46
    STEP s_bitset1_b32, s21, 48
    STEP s_quadmask_b32, s21, 50
  END_LANES
  OUTPUT v10   // == a
  OUTPUT v11   // == c
  OUTPUT v12   // == a if c else 0x5a5a5a5a
  OUTPUT v13   // == c
  OUTPUT v14   // == ~a
  OUTPUT v15   // == a != U32
  OUTPUT v16   // == int(format(a, "032b")[::-1], 2)
  OUTPUT v17   // == c
  OUTPUT v18   // == 32 - ones(a)
  OUTPUT v19   // == a != U32
  OUTPUT v20   // == ones(a)
  OUTPUT v21   // == a != 0
  OUTPUT v22   // == 64 - ones(A(h, c))
  OUTPUT v23   // == 1
  OUTPUT v24   // == ones(A(h, c))
  OUTPUT v25   // == A(h, c) != 0
  OUTPUT v26   // == find(a, 32, 0, range(32))
  OUTPUT v27   // == c
  OUTPUT v28   // == find(a, 32, 1, range(32))
  OUTPUT v29   // == c
  OUTPUT v30   // == find(A(h, c), 64, 1, range(64))
  OUTPUT v31   // == c
  OUTPUT v32   // == find(a, 32, 1, range(31, -1, -1))
  OUTPUT v33   // == c
  OUTPUT v34   // == find(A(h, c), 64, 1, range(63, -1, -1))
  OUTPUT v35   // == c
  OUTPUT v36   // == other(a, 32)
  OUTPUT v37   // == c
  OUTPUT v38   // == other(A(h, c), 64)
  OUTPUT v39   // == c
  OUTPUT v40   // == sext(a, 8)
  OUTPUT v41   // == c
  OUTPUT v42   // == sext(a, 16)
  OUTPUT v43   // == c
  OUTPUT v44   // == abs(i32(a))
  OUTPUT v45   // == a != 0
  OUTPUT v46   // == 0x5a5a5a5a & ~(1 << (a & 31))
  OUTPUT v47   // == c
  OUTPUT v48   // == 0x5a5a5a5a | 1 << (a & 31)
  OUTPUT v49   // == c
  OUTPUT v50   // == sum(1 << i for i in range(8) if a >> 4 * i & 15)
  OUTPUT v51   // == a != 0
END_KERNEL
