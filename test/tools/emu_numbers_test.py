# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests emu_numbers.py: exact rounding against struct's, and decode . encode = id."""

import math
import os
import struct
import sys
from fractions import Fraction

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from emu_numbers import (NAN, U32, b16, b32, bb16, bf16, decode, encode,  # noqa
                         encode_directed, encode_stochastic, f16, f32, f64, ffma, fmul, max32, rng)


def check(condition, *what):
    if not condition:
        print(*what)
        sys.exit(1)


def packed(x, code, inf):
    try:
        return int.from_bytes(struct.pack("<" + code, x), "little")
    except OverflowError:
        return inf | (1 << (15 if code == "e" else 31)) * (x < 0)


step = rng(1)
for _ in range(20000):
    x = f64(step() << 32 | step())
    if not math.isnan(x):
        check(b32(x) == packed(x, "f", 0x7F800000), "f32", x)
    x = f32(step())
    if not math.isnan(x):
        check(b16(x) == packed(x, "e", 0x7C00), "f16", x)
for bits in range(65536):
    for dec, enc in ((f16, b16), (bf16, bb16)):
        check(math.isnan(dec(bits)) or enc(dec(bits)) == bits, hex(bits))
# Directed rounding: brackets the value, and exact values stay
for mode, want in ((0, 0x3C00), (1, 0x3C01), (2, 0x3C00), (3, 0x3C00)):
    check(encode_directed(1 + Fraction(1, 4096), "f16", mode) == want, "directed", mode)
    check(encode_directed(-1 - Fraction(1, 4096), "f16", 3 - mode if mode in (1, 2) else mode)
          == want | 0x8000, "directed", -mode)
    check(encode_directed(Fraction(1, 2), "f16", mode) == 0x3800)
check([encode_directed(70000, "f16", m) for m in range(4)] == [0x7C00, 0x7C00, 0x7BFF, 0x7BFF])
check([encode_directed(-Fraction(1, 2 ** 30), "f16", m) for m in range(4)]
      == [0x8000, 0x8000, 0x8001, 0x8000])
for fmt, count in (("fp4", 16), ("fp6", 64), ("bf6", 64)):
    for bits in range(count):
        check(encode(decode(bits, fmt), fmt) == bits, fmt, bits)
# OCP MX: the largest numbers; a tie goes to the even code; what is beyond saturates
check([decode(c, f) for c, f in ((7, "fp4"), (31, "fp6"), (31, "bf6"))] == [6, 7.5, 28])
check([encode(x, "fp4") for x in (5.0, 2.5, 100.0, -0.25, -0.26)] == [6, 4, 7, 8, 9])
# Stochastic rounding: seed 0 truncates, the largest seed rounds up what is inexact
check([encode_stochastic(Fraction(5, 2), "fp4", "f32", s) for s in (0, U32)] == [4, 5])
check([encode_stochastic(Fraction(2), "fp4", "f32", s) for s in (0, U32)] == [4, 4])
check(encode_stochastic(Fraction(1, 2 ** 12), "fp8", "f32", 7 << 29) == 1)
for bits in range(256):
    for fmt in ("fp8", "bf8"):
        value = decode(bits, fmt)
        check(math.isnan(value) or encode(value, fmt) == bits, fmt, bits)
# OCP e4m3: largest 448, the tie above rounds to it, what is above is NaN
check([encode(x, "fp8") for x in (448.0, 464.0, 465.0)] == [0x7E, 0x7E, 0x7F])
check(ffma(0.0, -1.0, -0.0) == 0x80000000 and ffma(0.0, -1.0, 0.0) == 0)
check(ffma(1.0 + 2.0 ** -23, 1.0 - 2.0 ** -23, -1.0) == b32(-2.0 ** -46))
check(fmul(math.inf, 0.0) & 0x7FC00000 == 0x7FC00000)
check(max32(0x80000000, 0) == 0 and max32(b32(NAN), 5) == 5)
