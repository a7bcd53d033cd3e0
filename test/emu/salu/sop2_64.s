// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Scalar 64-bit operations with two sources: result and SCC.
// Source: CDNA4 ISA pseudocode S_*_B64, S_LSHL_B64, S_BFE_U64, S_BFM_B64, S_CSELECT_B64
// (tinygrad/tinygrad:tinygrad/runtime/autogen/amd/cdna/str_pcode.py).

//| al, bl = pairs_u32(64, 8)
//| ah, bh = pairs_u32(64, 9)
//| inputs(al=al, ah=ah, bl=bl, bh=bh, n=[i * 0x0001000b & 0x007f003f for i in range(64)])
//| def A(l, h): return l | h << 32
//| def bfe(x, n):
//|     w = n >> 16 & 127
//|     return x >> (n & 63) & ((1 << w) - 1) if w <= 64 else None
//| def bfe_i(x, n):
//|     w = n >> 16 & 127
//|     if not 0 < w < 65: return None if w else 0
//|     return sext(i64(x) >> (n & 63), w) & U64
//| def nonzero(x): return None if x is None else (x & U64) != 0
.include "prologue.inc"
.macro STEP op, a, b, result
  s_cmp_lg_u32 s20, 7
  \op s[30:31], \a, \b
  PUT_SCC v[\result+2]
  PUT v[\result], s30
  PUT v[\result+1], s31
.endm
KERNEL
  INPUTS 1, 5, 0
  LOADED
  FOR_LANES
    GET s22, v1
    GET s23, v2
    GET s24, v3
    GET s25, v4
    GET s26, v5
    STEP s_and_b64, s[22:23], s[24:25], 10
    STEP s_or_b64, s[22:23], s[24:25], 13
    STEP s_xor_b64, s[22:23], s[24:25], 16
    STEP s_andn2_b64, s[22:23], s[24:25], 19
    STEP s_orn2_b64, s[22:23], s[24:25], 22
    STEP s_nand_b64, s[22:23], s[24:25], 25
    STEP s_nor_b64, s[22:23], s[24:25], 28
    STEP s_xnor_b64, s[22:23], s[24:25], 31
    STEP s_lshl_b64, s[22:23], s26, 34
    STEP s_lshr_b64, s[22:23], s26, 37
    STEP s_ashr_i64, s[22:23], s26, 40
    STEP s_bfe_u64, s[22:23], s26, 43
    STEP s_bfe_i64, s[22:23], s26, 46
    STEP s_bfm_b64, s24, s26, 49
    STEP s_cselect_b64, s[22:23], s[24:25], 52
  END_LANES
  OUTPUT64 v10, v11   // == None if (A(al, ah) & A(bl, bh)) is None else (A(al, ah) & A(bl, bh)) & U64
  OUTPUT v12   // == nonzero(A(al, ah) & A(bl, bh))
  OUTPUT64 v13, v14   // == None if (A(al, ah) | A(bl, bh)) is None else (A(al, ah) | A(bl, bh)) & U64
  OUTPUT v15   // == nonzero(A(al, ah) | A(bl, bh))
  OUTPUT64 v16, v17   // == None if (A(al, ah) ^ A(bl, bh)) is None else (A(al, ah) ^ A(bl, bh)) & U64
  OUTPUT v18   // == nonzero(A(al, ah) ^ A(bl, bh))
  OUTPUT64 v19, v20   // == None if (A(al, ah) & ~A(bl, bh)) is None else (A(al, ah) & ~A(bl, bh)) & U64
  OUTPUT v21   // == nonzero(A(al, ah) & ~A(bl, bh))
  OUTPUT64 v22, v23   // == None if (A(al, ah) | ~A(bl, bh)) is None else (A(al, ah) | ~A(bl, bh)) & U64
  OUTPUT v24   // == nonzero(A(al, ah) | ~A(bl, bh))
  OUTPUT64 v25, v26   // == None if (~(A(al, ah) & A(bl, bh))) is None else (~(A(al, ah) & A(bl, bh))) & U64
  OUTPUT v27   // == nonzero(~(A(al, ah) & A(bl, bh)))
  OUTPUT64 v28, v29   // == None if (~(A(al, ah) | A(bl, bh))) is None else (~(A(al, ah) | A(bl, bh))) & U64
  OUTPUT v30   // == nonzero(~(A(al, ah) | A(bl, bh)))
  OUTPUT64 v31, v32   // == None if (~(A(al, ah) ^ A(bl, bh))) is None else (~(A(al, ah) ^ A(bl, bh))) & U64
  OUTPUT v33   // == nonzero(~(A(al, ah) ^ A(bl, bh)))
  OUTPUT64 v34, v35   // == None if (A(al, ah) << (n & 63)) is None else (A(al, ah) << (n & 63)) & U64
  OUTPUT v36   // == nonzero(A(al, ah) << (n & 63))
  OUTPUT64 v37, v38   // == None if (A(al, ah) >> (n & 63)) is None else (A(al, ah) >> (n & 63)) & U64
  OUTPUT v39   // == nonzero(A(al, ah) >> (n & 63))
  OUTPUT64 v40, v41   // == None if (i64(A(al, ah)) >> (n & 63)) is None else (i64(A(al, ah)) >> (n & 63)) & U64
  OUTPUT v42   // == nonzero(i64(A(al, ah)) >> (n & 63))
  OUTPUT64 v43, v44   // == None if (bfe(A(al, ah), n)) is None else (bfe(A(al, ah), n)) & U64
  OUTPUT v45   // == nonzero(bfe(A(al, ah), n))
  OUTPUT64 v46, v47   // == None if (bfe_i(A(al, ah), n)) is None else (bfe_i(A(al, ah), n)) & U64
  OUTPUT v48   // == nonzero(bfe_i(A(al, ah), n))
  OUTPUT64 v49, v50   // == None if (((1 << (bl & 63)) - 1) << (n & 63)) is None else (((1 << (bl & 63)) - 1) << (n & 63)) & U64
  OUTPUT v51   // == lane != 7
  OUTPUT64 v52, v53   // == None if (A(al, ah) if lane != 7 else A(bl, bh)) is None else (A(al, ah) if lane != 7 else A(bl, bh)) & U64
  OUTPUT v54   // == lane != 7
END_KERNEL
