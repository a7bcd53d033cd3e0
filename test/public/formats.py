# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Number formats as numpy arrays: bits <-> double, rounded to nearest even.

OCP 8-bit Floating Point Specification 1.0 (e4m3, e5m2) and OCP Microscaling Formats
1.0 (e2m3, e2m1, e8m0).
"""

import numpy as np


def bf16_bits(values):
    """Doubles that come from f32 arithmetic -> bf16 bits."""
    bits = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def bf16_half_away(values):
    """Rounded to bf16, halves away from zero."""
    bits = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    return bf16_values((bits + 0x8000 >> 16).astype(np.uint16))


def bf16_toward_zero(values):
    return bf16_values((np.asarray(values, np.float32).view(np.uint32) >> 16).astype(np.uint16))


def bf16_values(bits):
    wide = np.asarray(bits, np.uint16).astype(np.uint32) << 16
    return wide.view(np.float32).astype(np.float64)


class SmallFormat:
    """A format of at most 8 bits with a sign; encoding saturates."""

    def __init__(self, exponent_bits, fraction_bits, reserved=0):
        """`reserved`: how many codes at the top are infinities or NaN."""
        self.bits = 1 + exponent_bits + fraction_bits
        count = 1 << (self.bits - 1)
        codes = np.arange(count)
        exponent, fraction = codes >> fraction_bits, codes & ((1 << fraction_bits) - 1)
        bias = (1 << (exponent_bits - 1)) - 1
        magnitudes = np.where(
            exponent == 0,
            np.ldexp(fraction.astype(float), 1 - bias - fraction_bits),
            np.ldexp((fraction + (1 << fraction_bits)).astype(float),
                     exponent - bias - fraction_bits))
        self.finite = magnitudes[:count - reserved]
        table = magnitudes.copy()
        table[count - reserved:] = np.nan
        self.table = np.concatenate([table, -table])
        self.largest = self.finite[-1]

    def values(self, bits):
        return self.table[bits]

    def encode(self, values):
        values = np.asarray(values, np.float64)
        size = np.minimum(np.abs(values), self.largest)
        above = np.clip(np.searchsorted(self.finite, size), 1, len(self.finite) - 1)
        low, high = self.finite[above - 1], self.finite[above]
        middle = 0.5 * (low + high)
        up = (size > middle) | ((size == middle) & (above % 2 == 0))
        code = np.where(up, above, above - 1)
        return (code | np.where(np.signbit(values), 1 << (self.bits - 1), 0)).astype(np.uint8)


E4M3 = SmallFormat(4, 3, reserved=1)
E2M3 = SmallFormat(2, 3)
E2M1 = SmallFormat(2, 1)


class Format:
    """How a tensor of `name` is stored and what its elements are worth."""

    def __init__(self, name, dtype, encode, values):
        self.name, self.dtype = name, np.dtype(dtype)
        self.encode, self.values = encode, values

    def round(self, x):
        return self.values(self.encode(x))


BF16 = Format("bf16", np.uint16, bf16_bits, bf16_values)
F16 = Format("f16", np.float16, lambda x: np.asarray(x).astype(np.float16),
             lambda b: b.astype(np.float64))
F32 = Format("f32", np.float32, lambda x: np.asarray(x, np.float32),
             lambda b: b.astype(np.float64))
FP8 = Format("fp8", np.uint8, E4M3.encode, E4M3.values)
INT8 = Format("int8", np.int8, lambda x: np.clip(np.rint(x), -128, 127).astype(np.int8),
              lambda b: b.astype(np.float64))


def truncated_f16(x):
    """Rounded to f16 toward zero, as v_cvt_pkrtz_f16_f32 does."""
    nearest = np.asarray(x).astype(np.float16)
    values = nearest.astype(np.float64)
    toward_zero = np.nextafter(nearest, np.float16(0)).astype(np.float64)
    return np.where(np.abs(values) > np.abs(x), toward_zero, values)


def row_scaled(round_, largest):
    """Rounding of rows that are first scaled to make their largest element `largest`."""
    def scaled(x):
        top = np.abs(x).max(axis=-1, keepdims=True)
        factor = largest / np.where(top > 0, top, 1)
        return round_(x * factor) / factor
    return scaled
