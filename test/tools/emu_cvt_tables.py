# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions between number formats, from their definitions.

A conversion of a format of at most 16 bits is a table of all its encodings. Rounding is
monotonic, so a table is cut where the rounded value changes: at the midpoints between
neighbours of the target (to nearest) or at its values (directed). The cuts are Fractions.

Scales are powers of two: to a small format the value is divided by the scale, from it
the value is multiplied (OCP Microscaling Formats 1.0, section 5.1: P = V / X).

What the sources say beyond IEEE 754:
  CDNA4 ISA 7.3: fp8 and bf8 overflow to NaN and infinity, with FP16_OVFL to the largest
  number, infinities too; fp6, bf6, fp4 saturate always; stochastic rounding adds bits
  of the random operand below the fraction, then truncates (pseudocode of V_CVT_SR_*: as
  many of its top bits as the target drops).
  AMD's host definition of the same instructions (ROCm/clr, amd_hip_ocp_host.hpp): NaN
  and infinity become the largest number in fp6, bf6 and fp4; below the smallest normal
  number stochastic rounding truncates first to the source's number of fraction bits.
"""

from bisect import bisect_right
from fractions import Fraction
from functools import lru_cache

from emu_formats import FORMATS


SCALE_NAN = 128  # the exponent of E8M0's NaN, 0xFF


def power(exponent):
    return Fraction(2) ** exponent


def special(target, kind, sign, saturate):
    """kind: "nan", "inf" (an infinite source) or "overflow"."""
    s = target.sign if sign else 0
    if kind == "nan":
        return s | (target.max if target.nan is None else target.nan)
    if target.specials == "none":
        return s | target.max
    # IEEE formats keep a true infinity when only finite results are clamped
    if saturate and (kind == "overflow" or target.bits == 8):
        return s | target.max
    return s | (target.nan if target.inf is None else target.inf)


@lru_cache(None)
def cuts(source_name, target_name, scale, way):
    """Per finite magnitude of the target, the last magnitude of the source (divided by
    2**scale) that is rounded to it. way: "nearest" (even), "away" or "toward" zero."""
    source, target = FORMATS[source_name], FORMATS[target_name]
    factor = power(scale)
    out = []
    low = target.magnitude(0) * factor
    for encoding in range(target.max + 1):
        high = target.magnitude(encoding + 1) * factor
        limit = {"nearest": (low + high) / 2, "away": low, "toward": high}[way]
        last = source.neighbours(limit)
        # a tie goes to the even encoding, the next value to itself
        if (way == "toward" or way == "nearest" and encoding & 1) and \
                source.magnitude(last) == limit:
            last -= 1
        out.append(last)
        low = high
    return out


def rounded(points, source_name, target_name, sign, scale=0, mode="nearest",
            saturate=False):
    """What finite magnitudes of the source (sorted encodings) become."""
    target = FORMATS[target_name]
    way = {"nearest": "nearest", "zero": "toward", "up": "toward" if sign else "away",
           "down": "away" if sign else "toward"}[mode]
    s = target.sign if sign else 0
    out, at = [], 0
    for encoding, last in enumerate(cuts(source_name, target_name, scale, way)):
        end = bisect_right(points, last, at)
        out += [encoding | s] * (end - at)
        at = end
    if way == "toward" and target.specials == "ieee":
        beyond = target.max | s  # IEEE 754-2019, 7.4
    else:
        beyond = special(target, "overflow", sign, saturate)
    return out + [beyond] * (len(points) - at)


@lru_cache(None)
def rounding_table(source_name, target_name, scale=0, mode="nearest", saturate=False):
    """All encodings of the source divided by 2**scale, in the target."""
    source, target = FORMATS[source_name], FORMATS[target_name]
    out = []
    for sign in (False, True):
        if scale == SCALE_NAN:
            out += [special(target, "nan", sign, saturate)] * source.sign
            continue
        out += rounded(range(source.max + 1), source_name, target_name, sign, scale,
                       mode, saturate)
        for magnitude in range(source.max + 1, source.sign):
            kind = "inf" if magnitude == source.inf else "nan"
            out.append(special(target, kind, sign, saturate))
    return out


@lru_cache(None)
def exact_table(source_name, target_name, scale=0):
    """All encodings of a small source multiplied by 2**scale, in a wider target,
    rounded to nearest where that is needed."""
    source, target = FORMATS[source_name], FORMATS[target_name]
    out = []
    for bits in range(1 << source.bits):
        sign = bits >= source.sign
        magnitude = bits & source.sign - 1
        if source.is_nan(bits) or scale == SCALE_NAN:
            out.append(special(target, "nan", sign, False))
        elif magnitude == source.inf:
            out.append(special(target, "inf", sign, False))
        else:
            code, over = target.round(source.magnitude(magnitude) * power(scale), sign)
            out.append(special(target, "overflow", sign, False) if over else code)
    return out


def stochastic(source_name, target_name, bits, random, scale=0, saturate=False):
    """One value; `random` is the 32-bit operand."""
    source, target = FORMATS[source_name], FORMATS[target_name]
    sign = bits >= source.sign
    magnitude = bits & source.sign - 1
    if source.is_nan(bits):
        return special(target, "nan", sign, saturate)
    if magnitude == source.inf:
        return special(target, "inf", sign, saturate)
    value = source.magnitude(magnitude) / power(scale)
    s = target.sign if sign else 0
    if value == 0:
        return s
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if value < power(exponent):
        exponent -= 1
    exponent = max(exponent, 1 - target.bias)
    step = power(exponent - source.fbits)
    dropped = source.fbits - target.fbits
    value = (value // step + (random >> 32 - dropped)) * step
    code = target.neighbours(value)
    if code > target.max:
        return special(target, "overflow", sign, saturate)
    return s | code


def prng(state):
    """V_PRNG_B32."""
    return (state << 1 & 0xFFFFFFFF) ^ (197 if state >> 31 else 0)


def integer_table(source_name, bits, signed):
    """Float to integer: cut off, saturated, NaN is 0."""
    source = FORMATS[source_name]
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    out = []
    for code in range(1 << source.bits):
        magnitude = code & source.sign - 1
        if source.is_nan(code):
            out.append(0)
            continue
        if magnitude == source.inf:
            value = high + 1
        else:
            value = int(source.magnitude(magnitude))
        if code >= source.sign:
            value = -value if magnitude != source.inf else low
        out.append(min(max(value, low), high) & (1 << bits) - 1)
    return out


def from_integer_table(bits, signed, target_name, mode="nearest"):
    target = FORMATS[target_name]
    out = []
    for code in range(1 << bits):
        value = code - (1 << bits) if signed and code >> bits - 1 else code
        result, over = target.round(Fraction(value), value < 0, mode)
        if over and mode != "nearest" and (mode == "zero" or
                                           (mode == "up") == (value < 0)):
            result = target.max | (target.sign if value < 0 else 0)
        out.append(result)
    return out


def normalised(value, signed):
    """A Fraction as 16-bit normalised integer, to nearest (ISA: 0.5ULP accuracy); both
    where two are as near."""
    top = 32767 if signed else 65535
    whole = value.denominator
    scaled = min(max(value.numerator, -whole if signed else 0), whole) * top
    floor, rest = divmod(scaled, whole)
    if 2 * rest == whole:
        return floor & 0xFFFF, floor + 1 & 0xFFFF
    return (floor + (2 * rest > whole) & 0xFFFF,)


def norm_table(source_name, signed):
    source = FORMATS[source_name]
    out = []
    for code in range(1 << source.bits):
        magnitude = code & source.sign - 1
        if source.is_nan(code):
            out.append((0,))
            continue
        value = 2 if magnitude == source.inf else source.magnitude(magnitude)
        out.append(normalised(-value if code >= source.sign else value, signed))
    return out


def norm_boundaries(signed):
    """f32 encodings next to every decision, with what they become."""
    f32 = FORMATS["f32"]
    top = 32767 if signed else 65535
    inputs, expected = [], []
    for n in range(top):
        at = f32.neighbours(Fraction(2 * n + 1, 2 * top))
        for point in (at - 1, at, at + 1):
            for sign in (0, f32.sign) if signed or n < 9 else (0,):
                inputs.append(point | sign)
                value = f32.magnitude(point)
                expected.append(normalised(-value if sign else value, signed))
    return inputs, expected


@lru_cache(None)
def boundaries(target_name, scale=0):
    """Magnitudes of f32 around every decision of f32 / 2**scale -> target: each value of
    the target and each midpoint, with the f32 numbers next to it; beyond the largest;
    the ends of f32. Sorted."""
    f32, target = FORMATS["f32"], FORMATS[target_name]
    factor = power(scale)
    exact, low = [], target.magnitude(0)
    for encoding in range(target.max + 1):
        high = target.magnitude(encoding + 1)
        exact += (low, (low + high) / 2)
        low = high
    exact.append(low)
    points = {0, 1, 2, 0x7FFFFF, 0x800000, 0x800001, f32.max, f32.max - 1}
    for x in exact:
        at = f32.neighbours(x * factor)
        points.update((at - 1, at, at + 1))
    points.update((at + 0x800000, at + 0x1000000, at + 0x1234567))
    return sorted(p for p in points if 0 <= p <= f32.max)
