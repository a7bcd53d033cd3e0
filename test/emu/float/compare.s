// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// v_cmp_*_f32, all sixteen, and v_cmp_class_f32, through VCC, through an SGPR pair, and
// v_cmpx through EXEC; v_cndmask on the result with and without modifiers.
// Source: CDNA4 ISA pseudocode V_CMP_*_F32 (the n* forms are negations, true on NaN),
// V_CMP_CLASS_F32, V_CMPX_* ("EXEC.u64[laneId] = D0.u64[laneId] = ..."), V_CNDMASK_B32.

//| special = [0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
//|            0x42c80000]
//| a = [special[i % 8] for i in range(64)]
//| b = [special[i // 8] for i in range(64)]
//| inputs(a=a, b=b)
//| def unordered(a, b): return math.isnan(f32(a)) or math.isnan(f32(b))
//| def lt(a, b): return f32(a) < f32(b)
//| def eq(a, b): return f32(a) == f32(b)
//| def gt(a, b): return f32(a) > f32(b)
.include "prologue.inc"
.macro COMPARE name
  v_mov_b32_e32 v10, 0
  v_cmp_\name\()_f32_e32 vcc, v1, v2
  s_nop 1
  v_cndmask_b32_e64 v10, 0, 1, vcc
  v_cmp_\name\()_f32_e64 s[20:21], v1, v2
  s_nop 1
  v_cndmask_b32_e64 v11, 0, 2, s[20:21]
  v_or_b32_e32 v10, v10, v11
.endm
KERNEL
  INPUTS 1, 2, 0
  LOADED
  COMPARE f
  OUTPUT v10   // == 0
  COMPARE lt
  OUTPUT v10   // == 3 * lt(a, b)
  COMPARE eq
  OUTPUT v10   // == 3 * eq(a, b)
  COMPARE le
  OUTPUT v10   // == 3 * (lt(a, b) or eq(a, b))
  COMPARE gt
  OUTPUT v10   // == 3 * gt(a, b)
  COMPARE lg
  OUTPUT v10   // == 3 * (lt(a, b) or gt(a, b))
  COMPARE ge
  OUTPUT v10   // == 3 * (gt(a, b) or eq(a, b))
  COMPARE o
  OUTPUT v10   // == 3 * (not unordered(a, b))
  COMPARE u
  OUTPUT v10   // == 3 * unordered(a, b)
  COMPARE nge
  OUTPUT v10   // == 3 * (not (gt(a, b) or eq(a, b)))
  COMPARE nlg
  OUTPUT v10   // == 3 * (not (lt(a, b) or gt(a, b)))
  COMPARE ngt
  OUTPUT v10   // == 3 * (not gt(a, b))
  COMPARE nle
  OUTPUT v10   // == 3 * (not (lt(a, b) or eq(a, b)))
  COMPARE neq
  OUTPUT v10   // == 3 * (not eq(a, b))
  COMPARE nlt
  OUTPUT v10   // == 3 * (not lt(a, b))
  COMPARE tru
  OUTPUT v10   // == 3

  // modifiers and constants
  v_cmp_gt_f32_e64 s[20:21], |v1|, 1.0
  s_nop 1
  v_cndmask_b32_e64 v10, v1, v2, s[20:21]
  OUTPUT v10   // == b if abs(f32(a)) > 1.0 else a
  v_cmp_neq_f32_e64 vcc, -v1, v2
  s_nop 1
  v_cndmask_b32_e32 v10, v1, v2, vcc
  OUTPUT v10   // == a if eq(neg32(a), b) else b
  v_cmp_eq_f32_e32 vcc, 1.0, v1
  s_nop 1
  v_cndmask_b32_e32 v10, -4.0, v2, vcc
  OUTPUT v10   // == b if a == 0x3f800000 else 0xc0800000

  // classes: 0 sNaN 1 qNaN 2 -inf 3 -normal 4 -denormal 5 -0 6 +0 7 +denormal 8 +normal
  // 9 +inf. Take qNaN, -inf, +0.
  s_movk_i32 s22, 0x46
  v_mov_b32_e32 v12, 0x46
  v_cmp_class_f32_e32 vcc, v1, v12
  s_nop 1
  v_cndmask_b32_e64 v10, 0, 1, vcc
  OUTPUT v10   // == a in (0x7fc00000, 0xff800000, 0)
  v_cmp_class_f32_e64 s[20:21], v1, s22
  s_nop 1
  v_cndmask_b32_e64 v10, 0, 1, s[20:21]
  OUTPUT v10   // == a in (0x7fc00000, 0xff800000, 0)

  // the whole mask, lanes off read 0
  s_mov_b64 exec, 0xffff
  v_cmp_tru_f32_e64 s[20:21], v1, v2
  s_mov_b64 exec, -1
  s_nop 4
  OUTPUT_S64 s20, s21
//| expect("mask lo", [0xffff] * 64)
//| expect("mask hi", [0] * 64)
  // v_cmpx: EXEC and the destination
  v_cmpx_lt_f32_e64 s[20:21], v1, v2
  s_mov_b64 s[22:23], exec
  s_mov_b64 exec, -1
  s_nop 4
  v_cndmask_b32_e64 v10, 0, 1, s[20:21]
  v_cndmask_b32_e64 v11, 0, 2, s[22:23]
  v_or_b32_e32 v10, v10, v11
  OUTPUT v10   // == 3 * lt(a, b)
END_KERNEL
