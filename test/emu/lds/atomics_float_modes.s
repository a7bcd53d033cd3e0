// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Float atomics on LDS and in memory: rounding to nearest even in every mode; denormals by
// MODE on LDS, flushed by f32 sums in memory and kept by the others; minimum, maximum and
// compare-and-store on flushed values, NaNs, zeros of both signs.
// Source: CDNA4 ISA 9.2, tables "Denorm Handling Rules for Memory Ops", NaN handling.

//| TINY, ONE, QNAN, SNAN = 0x00000123, b32(1.0), 0x7fc12345, 0x7f812345
//| V = [0x00000123, 0x80000456, b32(1.0), 0x33800001, 0x7fc12345, 0x7f812345, 0, 0x80000000]
//| inputs(a=[V[l % 8] for l in LANE], b=[V[l // 8] for l in LANE])
//| def daz(x): return x & 0x80000000 if x & 0x7f800000 == 0 else x
//| def nan(x): return x & 0x7fffffff > 0x7f800000
//| def snan(x): return nan(x) and not x & 0x400000
//| def add(x, y, flush):
//|     if flush: x, y = daz(x), daz(y)
//|     r = x | 0x400000 if nan(x) else y | 0x400000 if nan(y) else b32(fadd32(x, y))
//|     return daz(r) if flush else r
//| def fadd32(x, y):
//|     s = Fraction(f32(x)) + Fraction(f32(y))
//|     return s if s else (-0.0 if x >> 31 and y >> 31 else 0.0)
//| def pick(x, y, flush, sign):
//|     p, q = (daz(x), daz(y)) if flush else (x, y)
//|     for n in (p, q):
//|         if snan(n): return n | 0x400000
//|     if nan(p): return y
//|     if nan(q): return x
//|     def key(v): return (f32(v), 0 if v >> 31 else 1)
//|     if key(p) == key(q): return x
//|     return x if (sign * f32(p) < sign * f32(q)) or (f32(p) == f32(q) and sign * key(p)[1] < sign * key(q)[1]) else y
//| def cmpst(x, compare, new, flush):
//|     p, q = (daz(x), daz(compare)) if flush else (x, compare)
//|     r = new if not nan(p) and not nan(q) and f32(p) == f32(q) else x
//|     return daz(r) if flush else r
.set LDS, 4096
.include "prologue.inc"
KERNEL
  INPUTS 1, 2, 0
  LOADED
  s_mov_b32 s20, 0
  v_mov_b32_e32 v3, 0x00000777
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), 0x01   // up; flush
  .macro ONE_MODE
  ds_write_b32 v255, v1
  ds_add_f32 v255, v2
  ds_read_b32 v10, v255
  ds_write_b32 v255, v1
  ds_min_f32 v255, v2
  ds_read_b32 v11, v255
  ds_write_b32 v255, v1
  ds_max_rtn_f32 v12, v255, v2
  ds_read_b32 v13, v255
  ds_write_b32 v255, v1
  ds_cmpst_rtn_f32 v15, v255, v2, v3
  ds_read_b32 v14, v255
  s_waitcnt lgkmcnt(0)
  OUTPUT v10
  OUTPUT v11
  OUTPUT v12
  OUTPUT v13
  OUTPUT v14
  OUTPUT v15
  .endm
  ONE_MODE
//| def columns(flush):
//|     A, B = [V[l % 8] for l in LANE], [V[l // 8] for l in LANE]
//|     expect("add", [add(x, y, flush) for x, y in zip(A, B)])
//|     expect("min", [pick(x, y, flush, 1) for x, y in zip(A, B)])
//|     expect("max old", A)
//|     expect("max", [pick(x, y, flush, -1) for x, y in zip(A, B)])
//|     expect("cmpst", [cmpst(x, y, 0x777, flush) for x, y in zip(A, B)])
//|     expect("cmpst old", A)
//| columns(True)
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), 0xf6   // down; keep
  ONE_MODE
//| columns(False)
  // in memory: the first column of the output buffer serves
  v_add_u32_e32 v20, OUT_COLUMN*LANES*4, v255
  global_store_dword v20, v1, s[6:7]
  s_waitcnt vmcnt(0)
  global_atomic_add_f32 v21, v20, v2, s[6:7] sc0
  .set OUT_COLUMN, OUT_COLUMN+1
  s_waitcnt vmcnt(0)
  OUTPUT v21
//| A, B = [V[l % 8] for l in LANE], [V[l // 8] for l in LANE]
//| expect("memory add", [add(x, y, False) for x, y in zip(A, B)])
//| expect("memory add old", A)
END_KERNEL
