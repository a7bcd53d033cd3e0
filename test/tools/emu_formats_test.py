# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""emu_formats.py and emu_cvt_tables.py against the C library, against the constants of
the OCP specifications, and two ways of rounding against each other."""

from fractions import Fraction
import math
import os
import random
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from emu_cvt_tables import boundaries, exact_table, rounded, stochastic  # noqa: E402
from emu_formats import FORMATS  # noqa: E402

# largest, smallest normal, smallest: OCP 8-bit Floating Point Specification 1.0, table 1;
# OCP Microscaling Formats 1.0, table 1 and section 5.3
OCP = {"fp8": (448, Fraction(1, 2 ** 6), Fraction(1, 2 ** 9)),
       "bf8": (57344, Fraction(1, 2 ** 14), Fraction(1, 2 ** 16)),
       "fp6": (Fraction(15, 2), 1, Fraction(1, 8)),
       "bf6": (28, Fraction(1, 4), Fraction(1, 16)),
       "fp4": (6, 1, Fraction(1, 2))}


def main():
    draw = random.Random(1)
    for name, (largest, normal, smallest) in OCP.items():
        form = FORMATS[name]
        assert form.value(form.max) == largest, name
        assert form.value(1 << form.fbits) == normal, name
        assert form.value(1) == smallest, name
    for name, code in (("f16", "e"), ("f32", "f")):
        form = FORMATS[name]
        for _ in range(5000):
            value = struct.unpack("<d", struct.pack("<Q", draw.getrandbits(64)))[0]
            if draw.random() < 0.9:
                value = draw.uniform(-2, 2) * 2.0 ** draw.randint(-30, 17)
            if math.isnan(value) or abs(value) >= float(form.magnitude(form.max)):
                continue
            bits, over = form.round(Fraction(value), math.copysign(1, value) < 0)
            assert not over
            assert struct.pack("<" + code, value) == \
                bits.to_bytes(form.bits // 8, "little"), (name, value)
    for bits in range(1 << 16):
        value = struct.unpack("<e", struct.pack("<H", bits))[0]
        mine = FORMATS["f16"].value(bits)
        assert value == mine or math.isnan(value) and math.isnan(mine)
    for target in ("f16", "bf16", *OCP):
        form, f32 = FORMATS[target], FORMATS["f32"]
        for scale in (0, -3, 100) if form.bits <= 8 else (0,):
            points = boundaries(target, scale) if form.bits <= 8 else \
                sorted(draw.getrandbits(31) % f32.inf for _ in range(4000))
            for mode in ("nearest", "up", "down", "zero"):
                for sign in (False, True):
                    cut = rounded(points, "f32", target, sign, scale, mode)
                    for point, code in list(zip(points, cut))[::9]:
                        value = f32.magnitude(point) / Fraction(2) ** scale
                        want, over = form.round(value, sign, mode)
                        assert over or code == want, (target, mode, hex(point))
            # without random bits it is truncation, with all of them never below
            for point in points[::19]:
                low = stochastic("f32", target, point, 0, scale)
                high = stochastic("f32", target, point, 0xFFFFFFFF, scale)
                zero, over = form.round(f32.magnitude(point) / Fraction(2) ** scale,
                                        False, "zero")
                assert over or low == zero and high in (low, low + 1)
    for name in OCP:
        form = FORMATS[name]
        wide = exact_table(name, "f32", 5)
        assert all(form.is_nan(b) or form.value(b) in (math.inf, -math.inf)
                   or FORMATS["f32"].value(wide[b]) == form.value(b) * 32
                   for b in range(1 << form.bits))
    return 0


if __name__ == "__main__":
    sys.exit(main())
