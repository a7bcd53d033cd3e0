// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Formatted stores, of 32- and 16-bit registers, and formatted loads direct to LDS.
// Source: as formats.s. Rounding to nearest even, saturation and zeros for components that are
// not given are assumed (exec/memory/format.c).

//| FIELDS = {1: [8], 2: [16], 3: [8, 8], 4: [32], 5: [16, 16], 6: [11, 11, 10], 7: [10, 11, 11],
//|           8: [2, 10, 10, 10], 9: [10, 10, 10, 2], 10: [8] * 4, 11: [32] * 2, 12: [16] * 4,
//|           13: [32] * 3, 14: [32] * 4}
//| SPECIAL = [0.0, 1.0, 0.5, -1.0, -0.25, 0.124, 2.0, -3.0, 300.0, 70000.0, -70000.0, 1.5, 2.5, 3.5, 0.75, 1e-9]
//| FLOATS = [[b32(v) for v in SPECIAL] + random_f32(48, 111 + c, -6, 9) for c in range(4)]
//| inputs(*FLOATS)
//| CASES = [(d, n) for n in range(6) for d in FIELDS] + [(d, 7) for d in (2, 5, 6, 7, 12, 14)]
//| buffer("mem", bytes=1024 * len(CASES) + 4096, fill=0xee, out=True)
//| kernarg(offset=16, buffer="mem")
//| def stored(v, bits, n):
//|     if bits == 32: return v
//|     x, m = f32(v), (1 << bits) - 1
//|     def fit(y, lo, hi): return round(min(max(Fraction(y), lo), hi)) & m
//|     h = (1 << bits - 1) - 1
//|     if n == 0: return fit(Fraction(x) * m, 0, m)
//|     if n == 1: return fit(Fraction(x) * h, -h, h)
//|     if n == 2: return fit(x, 0, m)
//|     if n == 3: return fit(x, -h - 1, h)
//|     if n == 4: return fit(v, 0, m)
//|     if n == 5: return fit(i32(v), -h - 1, h)
//|     if bits == 16: return b16(x)
//|     if x < 0 or v >> 31: return 0
//|     top, mb = 31 << bits - 5, bits - 5                     # nearest of all codes, even ones first
//|     codes = [math.ldexp((c & (1 << mb) - 1) + (1 << mb if c >> mb else 0), max(c >> mb, 1) - 15 - mb) for c in range(top)]
//|     if x >= codes[-1] + (codes[-1] - codes[-2]) / 2: return top
//|     import bisect
//|     i = bisect.bisect(codes, x)
//|     return min((c for c in (i - 1, i) if c < top), key=lambda c: (abs(Fraction(codes[c]) - Fraction(x)), c & 1))
//| def element(l, d, n, count=4):
//|     out, at = 0, 0
//|     for k, bits in enumerate(FIELDS[d]):
//|         out |= (stored(FLOATS[k][l], bits, n) if k < count else 0) << at; at += bits
//|     return out.to_bytes(at // 8, "little")
//| memory = bytearray(b"\xee" * (1024 * len(CASES) + 4096))
//| for i, (d, n) in enumerate(CASES):
//|     for l in LANE:
//|         e = element(l, d, n)
//|         memory[1024 * i + 16 * l:1024 * i + 16 * l + len(e)] = e
//| tail = 1024 * len(CASES)
//| for l in LANE:
//|     memory[tail + 16 * l:tail + 16 * l + 4] = element(l, 10, 0, 1)     # x alone: the rest is 0
//|     memory[tail + 1024 + 16 * l:tail + 1024 + 16 * l + 8] = b"".join(int(b16(f32(FLOATS[k][l]))).to_bytes(2, "little") for k in range(4))
//|     memory[tail + 2048 + 16 * l:tail + 2048 + 16 * l + 2] = b16(f32(FLOATS[1][l])).to_bytes(2, "little")
.set LDS, 4096
.include "prologue.inc"
.set .Lcase, 0
.macro STORE_ONE d, n
  s_mov_b32 s20, .Lcase*1024
  tbuffer_store_format_xyzw v[10:13], v1, s[12:15], s20 format:\d+16*\n offen
  .set .Lcase, .Lcase+1
.endm
KERNEL
  INPUTS 10, 4, 0
  s_load_dwordx2 s[8:9], s[0:1], 0x10
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_mov_b32 s12, s8
  s_mov_b32 s13, s9
  s_mov_b32 s14, 0x100000
  s_mov_b32 s15, 0
  v_lshlrev_b32_e32 v1, 4, v0
  .irp n, 0, 1, 2, 3, 4, 5
  .irp d, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
  STORE_ONE \d, \n
  .endr
  .endr
  .irp d, 2, 5, 6, 7, 12, 14
  STORE_ONE \d, 7
  .endr
  s_mov_b32 s20, .Lcase*1024
  s_mov_b32 s15, (10<<15)|4|(5<<3)|(6<<6)|(7<<9)
  buffer_store_format_x v10, v1, s[12:15], s20 offen
  s_add_u32 s20, s20, 1024
  v_cvt_f16_f32_e32 v20, v10
  v_cvt_f16_f32_e32 v21, v11
  v_cvt_f16_f32_e32 v22, v12
  v_cvt_f16_f32_e32 v23, v13
  v_pack_b32_f16 v24, v20, v21
  v_pack_b32_f16 v25, v22, v23
  tbuffer_store_format_d16_xyzw v[24:25], v1, s[12:15], s20 format:12+16*7 offen
  s_add_u32 s20, s20, 1024
  s_mov_b32 s15, (2<<15)|(7<<12)|4
  buffer_store_format_d16_hi_x v24, v1, s[12:15], s20 offen
  s_waitcnt vmcnt(0)
  // to LDS: the first case, 8-bit unorm
  s_mov_b32 s15, (1<<15)|4
  s_movk_i32 m0, 512
  buffer_load_format_x v1, s[12:15], 0 offen offset:0 lds
  s_waitcnt vmcnt(0)
  ds_read_b32 v20, v255 offset:512
  s_waitcnt lgkmcnt(0)
  OUTPUT v20   // == b32(Fraction(stored(FLOATS[0][lane], 8, 0), 255))
END_KERNEL
//| expect_buffer("mem", bytes(memory))
