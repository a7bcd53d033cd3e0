// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Scalar 32-bit operations with two sources: result and SCC. SCC of the unsigned adds is
// the carry, of the signed ones the overflow, of logic and shifts "not zero", of min and
// max "the first was taken" (max: >=); mul, mul_hi, bfm, cselect, pack leave it alone.
// Source: CDNA4 ISA pseudocode S_*
// (tinygrad/tinygrad:tinygrad/runtime/autogen/amd/cdna/str_pcode.py).

//| a, b = pairs_u32(64, 7)
//| inputs(a=a, b=b, c=[i & 1 for i in range(64)])
//| def overflow(x): return not -0x80000000 <= x <= 0x7fffffff
//| def bfe(a, b):                            # width 7 bits wide: past 32 no one says
//|     w = b >> 16 & 127
//|     return a >> (b & 31) & ((1 << w) - 1) if w <= 32 else None
//| def bfe_i(a, b):
//|     w = b >> 16 & 127
//|     if not 0 < w < 33: return None if w else 0
//|     return sext(i32(a) >> (b & 31), w)
//| def clean(x): return x if x is None else x & U32
//| def nonzero(x): return None if x is None else (x & U32) != 0
.include "prologue.inc"

// SCC = own c, then the operation; its result and SCC go to the lane
.macro STEP op, result, scc
  s_cmp_lg_u32 s23, 0
  \op s30, s21, s22
  PUT_SCC v[\scc]
  PUT v[\result], s30
.endm
KERNEL
  INPUTS 1, 3, 0
  LOADED
  FOR_LANES
    GET s21, v1
    GET s22, v2
    GET s23, v3
    STEP s_add_u32, 10, 11
    STEP s_sub_u32, 12, 13
    STEP s_add_i32, 14, 15
    STEP s_sub_i32, 16, 17
    STEP s_addc_u32, 18, 19
    STEP s_subb_u32, 20, 21
    STEP s_min_i32, 22, 23
    STEP s_min_u32, 24, 25
    STEP s_max_i32, 26, 27
    STEP s_max_u32, 28, 29
    STEP s_cselect_b32, 30, 31
    STEP s_and_b32, 32, 33
    STEP s_or_b32, 34, 35
    STEP s_xor_b32, 36, 37
    STEP s_andn2_b32, 38, 39
    STEP s_orn2_b32, 40, 41
    STEP s_nand_b32, 42, 43
    STEP s_nor_b32, 44, 45
    STEP s_xnor_b32, 46, 47
    STEP s_lshl_b32, 48, 49
    STEP s_lshr_b32, 50, 51
    STEP s_ashr_i32, 52, 53
    STEP s_bfm_b32, 54, 55
    STEP s_mul_i32, 56, 57
    STEP s_mul_hi_u32, 58, 59
    STEP s_mul_hi_i32, 60, 61
    STEP s_bfe_u32, 62, 63
    STEP s_bfe_i32, 64, 65
    STEP s_absdiff_i32, 66, 67
    STEP s_lshl1_add_u32, 68, 69
    STEP s_lshl2_add_u32, 70, 71
    STEP s_lshl3_add_u32, 72, 73
    STEP s_lshl4_add_u32, 74, 75
    STEP s_pack_ll_b32_b16, 76, 77
    STEP s_pack_lh_b32_b16, 78, 79
    STEP s_pack_hh_b32_b16, 80, 81
  END_LANES
  OUTPUT v10   // == clean(a + b)
  OUTPUT v11   // == a + b >> 32
  OUTPUT v12   // == clean(a - b)
  OUTPUT v13   // == a < b
  OUTPUT v14   // == clean(a + b)
  OUTPUT v15   // == overflow(i32(a) + i32(b))
  OUTPUT v16   // == clean(a - b)
  OUTPUT v17   // == overflow(i32(a) - i32(b))
  OUTPUT v18   // == clean(a + b + c)
  OUTPUT v19   // == a + b + c >> 32
  OUTPUT v20   // == clean(a - b - c)
  OUTPUT v21   // == a < b + c
  OUTPUT v22   // == clean(min(i32(a), i32(b)))
  OUTPUT v23   // == i32(a) < i32(b)
  OUTPUT v24   // == clean(min(a, b))
  OUTPUT v25   // == a < b
  OUTPUT v26   // == clean(max(i32(a), i32(b)))
  OUTPUT v27   // == i32(a) >= i32(b)
  OUTPUT v28   // == clean(max(a, b))
  OUTPUT v29   // == a >= b
  OUTPUT v30   // == clean(a if c else b)
  OUTPUT v31   // == c
  OUTPUT v32   // == clean(a & b)
  OUTPUT v33   // == nonzero(a & b)
  OUTPUT v34   // == clean(a | b)
  OUTPUT v35   // == nonzero(a | b)
  OUTPUT v36   // == clean(a ^ b)
  OUTPUT v37   // == nonzero(a ^ b)
  OUTPUT v38   // == clean(a & ~b)
  OUTPUT v39   // == nonzero(a & ~b)
  OUTPUT v40   // == clean(a | ~b)
  OUTPUT v41   // == nonzero(a | ~b)
  OUTPUT v42   // == clean(~(a & b))
  OUTPUT v43   // == nonzero(~(a & b))
  OUTPUT v44   // == clean(~(a | b))
  OUTPUT v45   // == nonzero(~(a | b))
  OUTPUT v46   // == clean(~(a ^ b))
  OUTPUT v47   // == nonzero(~(a ^ b))
  OUTPUT v48   // == clean(a << (b & 31))
  OUTPUT v49   // == nonzero(a << (b & 31))
  OUTPUT v50   // == clean(a >> (b & 31))
  OUTPUT v51   // == nonzero(a >> (b & 31))
  OUTPUT v52   // == clean(i32(a) >> (b & 31))
  OUTPUT v53   // == nonzero(i32(a) >> (b & 31))
  OUTPUT v54   // == clean(((1 << (a & 31)) - 1) << (b & 31))
  OUTPUT v55   // == c
  OUTPUT v56   // == clean(a * b)
  OUTPUT v57   // == c
  OUTPUT v58   // == clean(a * b >> 32)
  OUTPUT v59   // == c
  OUTPUT v60   // == clean(i32(a) * i32(b) >> 32)
  OUTPUT v61   // == c
  OUTPUT v62   // == clean(bfe(a, b))
  OUTPUT v63   // == nonzero(bfe(a, b))
  OUTPUT v64   // == clean(bfe_i(a, b))
  OUTPUT v65   // == nonzero(bfe_i(a, b))
  OUTPUT v66   // == clean(abs(i32(a - b)))
  OUTPUT v67   // == nonzero(a - b)
  OUTPUT v68   // == clean(a * 2 + b)
  OUTPUT v69   // == a * 2 + b >= 1 << 32
  OUTPUT v70   // == clean(a * 4 + b)
  OUTPUT v71   // == a * 4 + b >= 1 << 32
  OUTPUT v72   // == clean(a * 8 + b)
  OUTPUT v73   // == a * 8 + b >= 1 << 32
  OUTPUT v74   // == clean(a * 16 + b)
  OUTPUT v75   // == a * 16 + b >= 1 << 32
  OUTPUT v76   // == clean(a & 0xffff | b << 16)
  OUTPUT v77   // == c
  OUTPUT v78   // == clean(a & 0xffff | b & 0xffff0000)
  OUTPUT v79   // == c
  OUTPUT v80   // == clean(a >> 16 | b & 0xffff0000)
  OUTPUT v81   // == c
END_KERNEL
