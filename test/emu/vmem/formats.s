// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Formatted buffer access: every data and number format through tbuffer_load, stores of
// numbers that fit, the descriptor's own format and component selection, 16-bit registers,
// range checks of the whole element, data direct to LDS.
// Source: CDNA4 ISA 9.1.2 (formats), 9.1.4 (components: X000 .. XYZW; D16), 9.1.5.1, 9.1.8,
// 9.1.9; D3D's definitions of unorm and snorm; fields from the lowest bits are the names
// read backwards (2_10_10_10 has x in bits 9:0).

//| FIELDS = {1: [8], 2: [16], 3: [8, 8], 4: [32], 5: [16, 16], 6: [11, 11, 10], 7: [10, 11, 11],
//|           8: [2, 10, 10, 10], 9: [10, 10, 10, 2], 10: [8] * 4, 11: [32] * 2, 12: [16] * 4,
//|           13: [32] * 3, 14: [32] * 4}
//| s = rng(100)
//| WORDS = [[s(32) for _ in LANE] for _ in range(4)]         # 16 bytes a lane
//| for l in range(8): WORDS[0][l], WORDS[1][l] = (0, 0xffffffff, 0x80008000, 0x7fff7fff, 0x80808080, 0x7f7f7f7f, 0x00010001, 0x3c003c00)[l], 0
//| buffer("mem", data=b"".join(struct.pack("<4I", *[WORDS[k][l] for k in range(4)]) for l in LANE), out=True)
//| kernarg(offset=16, buffer="mem")
//| FLOATS = [[b32(v) for v in (0.0, 1.0, 0.5, -1.0, -0.25, 0.124, 2.0, -3.0)] + random_f32(56, 101 + c, -6, 0) for c in range(4)]
//| inputs(*FLOATS)
//| def small(x, bits):                                       # floats of 10 and 11 bits
//|     e, m, mb = x >> (bits - 5), x & ((1 << bits - 5) - 1), bits - 5
//|     if e == 31: return NAN if m else math.inf
//|     return math.ldexp(m + (1 << mb if e else 0), max(e, 1) - 15 - mb)
//| def loaded(x, bits, n):
//|     if bits == 32: return x
//|     if n == 0: return b32(Fraction(x, (1 << bits) - 1))
//|     if n == 1: return b32(max(Fraction(sext(x, bits), (1 << bits - 1) - 1), Fraction(-1)))
//|     if n == 2: return b32(float(x))
//|     if n == 3: return b32(float(sext(x, bits)))
//|     if n == 4: return x
//|     if n == 5: return sext(x, bits) & 0xffffffff
//|     return b32(f16(x)) if bits == 16 else b32(small(x, bits))
//| def element(l): return sum(WORDS[k][l] << 32 * k for k in range(4))
//| def components(l, d, n):
//|     out, at = [], 0
//|     for bits in FIELDS[d]:
//|         out.append(loaded(element(l) >> at & ((1 << bits) - 1), bits, n)); at += bits
//|     return out + [0] * (4 - len(out))
//| def nan_ok(bits): return NAN if is_nan32(bits) else bits
.include "prologue.inc"
.macro LOAD_ONE d, n
  tbuffer_load_format_xyzw v[20:23], v1, s[12:15], 0 format:\d+16*\n offen
  s_waitcnt vmcnt(0)
  OUTPUT v20
  OUTPUT v21
  OUTPUT v22
  OUTPUT v23
.endm
KERNEL
  INPUTS 10, 4, 0
  s_load_dwordx2 s[8:9], s[0:1], 0x10
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_mov_b32 s12, s8
  s_mov_b32 s13, s9
  s_movk_i32 s14, 1024
  s_mov_b32 s15, 0
  v_lshlrev_b32_e32 v1, 4, v0
  .irp n, 0, 1, 2, 3, 4, 5
  .irp d, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
  LOAD_ONE \d, \n
  .endr
  .endr
  .irp d, 2, 5, 6, 7, 12, 14
  LOAD_ONE \d, 7
  .endr
//| for n in range(6):
//|     for d in FIELDS:
//|         for c in range(4): expect(f"format {d} {n} component {c}", [components(l, d, n)[c] for l in LANE])
//| for d in (2, 5, 6, 7, 12, 14):
//|     for c in range(4): expect(f"format {d} float component {c}", [None if is_nan32(components(l, d, 7)[c]) else components(l, d, 7)[c] for l in LANE])

  // the descriptor's format: 8_8_8_8 unorm, components w, 1, 0, x
  s_mov_b32 s15, (10<<15)|(0<<12)|7|(1<<3)|(0<<6)|(4<<9)
  buffer_load_format_xyzw v[20:23], v1, s[12:15], 0 offen
  s_waitcnt vmcnt(0)
  OUTPUT v20   // == components(lane, 10, 0)[3]
  OUTPUT v21   // == b32(1.0)
  OUTPUT v22   // == 0
  OUTPUT v23   // == components(lane, 10, 0)[0]
  // 16 bits a component; sint: the one is an integer
  buffer_load_format_d16_xyzw v[20:21], v1, s[12:15], 0 offen
  s_waitcnt vmcnt(0)
  OUTPUT v20   // == b16(f32(components(lane, 10, 0)[3])) | b16(1.0) << 16
  OUTPUT v21   // == b16(f32(components(lane, 10, 0)[0])) << 16
  s_mov_b32 s15, (10<<15)|(5<<12)|4|(1<<3)|(5<<6)|(6<<9)
  v_mov_b32_e32 v21, 0x12345678
  buffer_load_format_d16_xyz v[20:21], v1, s[12:15], 0 offen
  s_waitcnt vmcnt(0)
  OUTPUT v20   // == components(lane, 10, 5)[0] & 0xffff | 1 << 16
  OUTPUT v21   // == 0x12340000 | components(lane, 10, 5)[1] & 0xffff
  v_mov_b32_e32 v20, 0x12345678
  buffer_load_format_d16_hi_x v20, v1, s[12:15], 0 offen
  s_waitcnt vmcnt(0)
  OUTPUT v20   // == 0x5678 | (components(lane, 10, 5)[0] & 0xffff) << 16
  tbuffer_load_format_d16_xy v20, v1, s[12:15], 0 format:5+16*7 offen
  s_waitcnt vmcnt(0)
  OUTPUT v20   // == WORDS[0][lane] if (WORDS[0][lane] & 0x7c00) != 0x7c00 and (WORDS[0][lane] >> 16 & 0x7c00) != 0x7c00 else None
  // unbound: format 0
  s_mov_b32 s15, 0
  v_mov_b32_e32 v20, 7
  buffer_load_format_x v20, v1, s[12:15], 0 offen
  s_waitcnt vmcnt(0)
  OUTPUT v20   // == 0
  // the whole element or nothing: 8 bytes that begin inside the last 4
  s_movk_i32 s14, 1020
  v_mov_b32_e32 v2, 1016
  tbuffer_load_format_xy v[20:21], v2, s[12:15], 0 format:11+16*4 offen
  s_waitcnt vmcnt(0)
  OUTPUT v20   // == 0
  s_movk_i32 s14, 1024
  tbuffer_load_format_xy v[20:21], v2, s[12:15], 0 format:11+16*4 offen
  s_waitcnt vmcnt(0)
  OUTPUT v20   // == WORDS[2][63]
  OUTPUT v21   // == WORDS[3][63]
END_KERNEL
