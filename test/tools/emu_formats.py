# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Number formats from their parameters alone, exactly.

A format is exponent bits, fraction bits, bias and which encodings are special. Values
are Fractions (or NAN, INF, -INF); rounding is done once, on Fractions. Sources: IEEE
754-2019 (f16, f32, f64), bf16 as the upper half of f32, OCP 8-bit Floating Point
Specification 1.0 (fp8 = E4M3, bf8 = E5M2), OCP Microscaling Formats 1.0 (fp6 = E2M3,
bf6 = E3M2, fp4 = E2M1, E8M0 scales).
"""

from fractions import Fraction
from functools import lru_cache
import math

NAN, INF = math.nan, math.inf


class Format:
    """specials: "ieee" (the top exponent is infinity and NaN), "nan" (only all ones
    is NaN), "none" (every encoding is finite)."""

    def __init__(self, exponent_bits, fraction_bits, specials):
        self.ebits, self.fbits, self.specials = exponent_bits, fraction_bits, specials
        self.bits = 1 + exponent_bits + fraction_bits
        self.bias = (1 << (exponent_bits - 1)) - 1
        self.sign = 1 << (self.bits - 1)
        top = (1 << exponent_bits) - 1
        # the encoding of the largest finite magnitude
        if specials == "ieee":
            self.max = (top << fraction_bits) - 1
            self.inf = top << fraction_bits
            self.nan = self.inf | 1 << (fraction_bits - 1)
        else:
            self.max = self.sign - (2 if specials == "nan" else 1)
            self.inf = None
            self.nan = self.sign - 1 if specials == "nan" else None

    def is_nan(self, bits):
        magnitude = bits & (self.sign - 1)
        return magnitude > (self.inf if self.specials == "ieee" else self.max)

    def magnitude(self, encoding):
        """Value of a magnitude's encoding as if it had no specials: the next one after
        the largest finite value is where overflow begins to round."""
        exponent, fraction = encoding >> self.fbits, encoding & ((1 << self.fbits) - 1)
        if exponent:
            fraction |= 1 << self.fbits
            exponent -= 1
        shift = exponent + 1 - self.bias - self.fbits
        return Fraction(fraction << shift) if shift >= 0 else \
            Fraction(fraction, 1 << -shift)

    def value(self, bits):
        """Fraction, INF, -INF or NAN. The sign of zero is lost."""
        magnitude = bits & (self.sign - 1)
        if self.is_nan(bits):
            return NAN
        if magnitude == self.inf:
            v = INF
        else:
            v = self.magnitude(magnitude)
        return -v if bits & self.sign else v

    def neighbours(self, magnitude):
        """Largest encoding whose value is not above a Fraction >= 0 (unbounded)."""
        return self._cut(magnitude.numerator, magnitude.denominator)[0]

    def _cut(self, n, d):
        """The encoding below n / d >= 0, and what is left of it, as a part of the last
        place: (encoding, numerator, denominator)."""
        if n == 0:
            return 0, 0, 1
        exponent = n.bit_length() - d.bit_length()
        if (n < d << exponent) if exponent >= 0 else (n << -exponent < d):
            exponent -= 1
        exponent = max(exponent, 1 - self.bias)
        shift = exponent - self.fbits  # of the last place
        if shift >= 0:
            d <<= shift
        else:
            n <<= -shift
        units, rest = divmod(n, d)
        return ((exponent + self.bias - 1) << self.fbits) + units, rest, d

    def round(self, value, negative, mode="nearest"):
        """Rounds a Fraction to an encoding; `negative` is the sign (of zero too).
        Modes: nearest (even), up, down, zero. Returns the encoding and whether the
        magnitude left the finite range."""
        low, rest, whole = self._cut(abs(value.numerator), value.denominator)
        if rest == 0 or mode == "zero":
            up = False
        elif mode == "nearest":
            up = 2 * rest > whole or (2 * rest == whole and low & 1)
        else:
            up = (mode == "up") != bool(negative)
        low += bool(up)
        return (self.sign if negative else 0) | min(low, self.max + 1), low > self.max


FORMATS = {
    "f64": Format(11, 52, "ieee"), "f32": Format(8, 23, "ieee"),
    "f16": Format(5, 10, "ieee"), "bf16": Format(8, 7, "ieee"),
    "fp8": Format(4, 3, "nan"), "bf8": Format(5, 2, "ieee"),
    "fp6": Format(2, 3, "none"), "bf6": Format(3, 2, "none"),
    "fp4": Format(2, 1, "none"),
}


@lru_cache(None)
def finite_values(name):
    """Of a format of at most 16 bits: its finite numbers as floats (exact)."""
    fmt = FORMATS[name]
    return [float(fmt.value(b)) for b in range(1 << fmt.bits)
            if (b & fmt.sign - 1) <= fmt.max]


@lru_cache(1 << 16)
def encode_exact(value, name):
    """The encoding of a value that the format has; a zero is positive."""
    if name == "i8":
        assert -128 <= value <= 127
        return int(value) & 0xFF
    fmt = FORMATS[name]
    bits, _ = fmt.round(Fraction(value), value < 0)
    assert fmt.value(bits) == value, f"{name} has no {value}"
    return bits
