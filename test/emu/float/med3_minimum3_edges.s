// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// v_med3_f32 and v_med3_f16 over zeros of both signs, in all orders: -0 before +0;
// v_minimum3_f32 and v_maximum3_f32 of two NaNs: a signalling one goes before a quiet one, else
// the first.
// Source: "v_med3_f32 sorts with -0 < +0 uniformly across all generations" (llvm-project pull
// request 201896); med3(-0, -0, +0) = -0 on gfx950 (SemiAnalysisAI/FuzzX, m095); of f16 by
// analogy, assumed. CDNA4 ISA 12.11, V_MINIMUM3_F32 ("A signaling NaN in either argument is
// propagated"); V_MINIMUM_F32 is spelled out in the RDNA4 ISA
// (tinygrad/tinygrad:tinygrad/runtime/autogen/amd/rdna4/str_pcode.py).

//| some = [0, 0x80000000, 0xc0a00000, 0x40a00000]
//| nans = [0x7fc00001, 0x7f800002, 0xffc00003, 0xff800004]
//| inputs(a=[some[i & 3] for i in range(64)], b=[some[i >> 2 & 3] for i in range(64)], c=[some[i >> 4] for i in range(64)])
//| inputs(p=[nans[i & 3] for i in range(64)], q=[nans[i >> 2 & 3] for i in range(64)])
//| def middle(*three): return sorted(three, key=lambda z: (f32(z), z >> 31 == 0))[1]
//| def half(x): return x >> 16 & 0x8000 | (0x4500 if x & 0x7fffffff else 0)   # 5.0 in f16
//| def signalling(x): return not x & 0x400000
//| def kept(p, q): return (q if signalling(q) and not signalling(p) else p) | 0x400000
.include "prologue.inc"
KERNEL
  INPUTS 1, 5, 0
  LOADED
  v_med3_f32 v10, v1, v2, v3
  OUTPUT v10   // == middle(a, b, c)
  v_cvt_f16_f32_e32 v11, v1
  v_cvt_f16_f32_e32 v12, v2
  v_cvt_f16_f32_e32 v13, v3
  v_mov_b32_e32 v10, 0
  v_med3_f16 v10, v11, v12, v13
  OUTPUT v10   // == half(middle(a, b, c))
  v_minimum3_f32 v10, v4, v5, 1.0
  OUTPUT v10   // == kept(p, q)
  v_maximum3_f32 v10, 1.0, v4, v5
  OUTPUT v10   // == kept(p | 0x400000, q)
END_KERNEL
