# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers for the expectations of the emulator tests.

Everything is exact: a float is unpacked to a Fraction, the operation is done on
Fractions, and the result is rounded once. Nothing here knows of the emulator.
"""

import functools
import math
import struct
from fractions import Fraction

U32 = 0xFFFFFFFF
U64 = 0xFFFFFFFFFFFFFFFF
INF, NAN = math.inf, math.nan

# name: (exponent bits, fraction bits, has infinities)
FORMATS = {
    "f64": (11, 52, True), "f32": (8, 23, True), "f16": (5, 10, True),
    "bf16": (8, 7, True), "fp8": (4, 3, False), "bf8": (5, 2, True),
    # OCP MX elements
    "fp6": (2, 3, False), "bf6": (3, 2, False), "fp4": (2, 1, False),
}
NO_NAN = {"fp6", "bf6", "fp4"}  # every code is a number; what is beyond saturates


def sext(value, bits):
    """The low `bits` bits as a two's complement number."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def i32(value):
    return sext(value, 32)


def i64(value):
    return sext(value, 64)


def decode(bits, fmt):
    """Bits -> float (exact; every format here fits a double) or Fraction-able."""
    ebits, mbits, has_inf = FORMATS[fmt]
    sign = -1.0 if bits >> (ebits + mbits) & 1 else 1.0
    exp = bits >> mbits & ((1 << ebits) - 1)
    frac = bits & ((1 << mbits) - 1)
    bias = (1 << (ebits - 1)) - 1
    top = (1 << ebits) - 1
    if has_inf and exp == top:
        return NAN if frac else sign * INF
    if (not has_inf and fmt not in NO_NAN and exp == top
            and frac == (1 << mbits) - 1):
        return NAN  # OCP e4m3: S.1111.111 only
    if exp == 0:
        return sign * math.ldexp(frac, 1 - bias - mbits)
    return sign * math.ldexp(frac + (1 << mbits), exp - bias - mbits)


def encode(value, fmt, saturate=False, negative_zero=False):
    """Round a float or Fraction to nearest even; returns bits. NaN is the
    canonical quiet one. `negative_zero` gives the sign of an exact zero that is a
    Fraction."""
    ebits, mbits, has_inf = FORMATS[fmt]
    bias = (1 << (ebits - 1)) - 1
    top = (1 << ebits) - 1
    signbit = 1 << (ebits + mbits)
    if fmt in NO_NAN:
        return encode_saturating(value, fmt, negative_zero)
    if isinstance(value, float):
        if math.isnan(value):
            return (top << mbits) | ((1 << (mbits - 1)) if has_inf
                                     else (1 << mbits) - 1)
        sign = signbit if math.copysign(1.0, value) < 0 else 0
        if math.isinf(value):
            if has_inf:
                return sign | (top << mbits)
            return sign | (0x7E if saturate else 0x7F)
    else:
        sign = signbit if value < 0 or (value == 0 and negative_zero) else 0
    above, below = value.as_integer_ratio()
    above = abs(above)
    if above == 0:
        return sign
    # exponent of the leading bit
    exp = above.bit_length() - below.bit_length()
    if above << max(0, -exp) < below << max(0, exp):
        exp -= 1
    exp = max(exp, 1 - bias)
    shift = exp - mbits  # of the last bit
    below <<= max(0, shift)
    low, rest = divmod(above << max(0, -shift), below)
    if 2 * rest > below or (2 * rest == below and low & 1):
        low += 1
    # `low` carries into the exponent by itself
    bits = ((exp + bias - 1) << mbits) + low
    limit = (top << mbits) if has_inf else (top << mbits) + (1 << mbits) - 1
    if bits >= limit:
        if has_inf:
            return sign | (limit - 1 if saturate else limit)
        return sign | (limit - 1 if saturate else limit)
    return sign | bits


def encode_directed(value, fmt, mode, negative_zero=False):
    """Round a Fraction as MODE numbers it: 0 nearest even, 1 up, 2 down, 3 to zero."""
    value = Fraction(value)
    near = encode(value, fmt, negative_zero=negative_zero)
    have = decode(near, fmt)
    if mode == 0 or have == value:
        return near
    signbit = 1 << (FORMATS[fmt][0] + FORMATS[fmt][1])
    negative = value < 0
    away = mode == (2 if negative else 1)
    too_far = abs(have) > abs(value)
    # codes without sign are ordered by magnitude; overflow is the last of them
    step = (-1 if too_far and not away else 1 if away and not too_far else 0)
    return (near & ~signbit) + step | (signbit if negative else 0)


UNITS = 256  # of a one; every number of the formats without NaN is whole ones of them


@functools.cache
def magnitudes(fmt):
    """The number of UNITS of each code without a sign."""
    found = [decode(code, fmt) * UNITS for code in range(1 << sum(FORMATS[fmt][:2]))]
    assert all(number == int(number) for number in found)
    return list(map(int, found))


def encode_saturating(value, fmt, negative_zero=False):
    """The nearest of all numbers of a format without NaN; of two the one with the
    even code. By comparison with every one of them."""
    ebits, mbits, _ = FORMATS[fmt]
    table = magnitudes(fmt)
    negative = (value < 0 or (value == 0 and negative_zero)
                or (isinstance(value, float) and math.copysign(1.0, value) < 0))
    sign = (1 << (ebits + mbits)) if negative else 0
    if isinstance(value, float) and not math.isfinite(value):
        return sign | (len(table) - 1)
    wanted, denominator = abs(Fraction(value)).as_integer_ratio()
    wanted *= UNITS
    distances = [abs(have * denominator - wanted) for have in table]
    least = min(distances)
    return sign | min((c for c, d in enumerate(distances) if d == least), key=lambda c: c & 1)


def encode_stochastic(value, fmt, source, seed, negative_zero=False):
    """Stochastic rounding of a finite Fraction that came from format `source`: the
    upper bits of the 32-bit seed are added below the last kept bit, as many as the
    source has fraction bits beyond those of `fmt`, then the rest is cut. Results
    below the normal range lose the bits that their shift moves past the source's
    last before the seed is added."""
    ebits, mbits, has_inf = FORMATS[fmt]
    least = 2 - (1 << (ebits - 1))  # exponent of the smallest normal number
    drop = FORMATS[source][1] - mbits
    negative = value < 0 or (value == 0 and negative_zero)
    sign = (1 << (ebits + mbits)) if negative else 0
    value = abs(Fraction(value))
    exp = least
    while value >= Fraction(2) ** (exp + 1):
        exp += 1
    unit = Fraction(2) ** (exp - mbits - drop)
    total = math.floor(value / unit) + (seed >> (32 - drop)) if value else 0
    kept = Fraction(total >> drop) * Fraction(2) ** (exp - mbits)
    return sign | (encode(kept, fmt) & ~(1 << (ebits + mbits)))


def f32(bits):
    """Bits -> value."""
    return decode(bits & U32, "f32")


def b32(value):
    """Value -> bits of the nearest f32."""
    return encode(value, "f32")


def f16(bits):
    return decode(bits & 0xFFFF, "f16")


def b16(value):
    return encode(value, "f16")


def bf16(bits):
    return decode(bits & 0xFFFF, "bf16")


def bb16(value):
    return encode(value, "bf16")


def f64(bits):
    return struct.unpack("<d", struct.pack("<Q", bits & U64))[0]


def b64(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def flush32(bits):
    """A denormal f32 becomes a zero of its sign."""
    return bits & 0x80000000 if bits & 0x7F800000 == 0 else bits


def is_nan32(bits):
    return bits & 0x7FFFFFFF > 0x7F800000


def is_finite(x):
    return not (math.isnan(x) or math.isinf(x))


def fadd(x, y):
    """Sum of two values as f32 bits (exact, rounded once)."""
    return ffma(1.0, x, y)


def fmul(x, y):
    if is_finite(x) and is_finite(y):
        negative = math.copysign(1, x) * math.copysign(1, y) < 0
        return encode(Fraction(x) * Fraction(y), "f32", negative_zero=negative)
    return encode(x * y, "f32")


def ffma(x, y, z):
    if is_finite(x) and is_finite(y) and is_finite(z):
        product = Fraction(x) * Fraction(y)
        psign = math.copysign(1, x) * math.copysign(1, y) < 0
        zsign = math.copysign(1, z) < 0
        total = product + Fraction(z)
        negative = psign and zsign if total == 0 and product == 0 else False
        return encode(total, "f32", negative_zero=negative)
    if is_finite(x) and is_finite(y):
        return encode(z, "f32")
    return encode(x * y + z, "f32")


def ordered32(bits):
    """f32 bits -> integer whose differences count ulps; both zeros are 0."""
    return -(bits & 0x7FFFFFFF) if bits >> 31 else bits


def clamp(value, low, high):
    return min(max(value, low), high)


def rng(seed):
    """A small generator of our own, so that a test's inputs never change."""
    state = (seed * 2654435761 + 12345) & U64

    def step(bits=32):
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) & U64
        x = state >> 16
        x ^= x >> 23
        return x & ((1 << bits) - 1)

    return step


def random_u32(count, seed=1):
    step = rng(seed)
    return [step() for _ in range(count)]


EDGES_U32 = [0, 1, 2, 3, 31, 32, 33, 63, 64, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF,
             0x8000, 0xFFFF, 0x10000, 0x7FFFFF, 0x800000, 0xFFFFFF, 0x1000000,
             0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF]


def pairs_u32(count=64, seed=1):
    """Two columns: edge values against each other, then random ones."""
    step = rng(seed)
    edges = EDGES_U32
    a, b = [], []
    for i in range(count):
        if i < count // 2:
            a.append(edges[step(16) % len(edges)])
            b.append(edges[step(16) % len(edges)])
        else:
            a.append(step())
            b.append(step())
    return a, b


def random_f32(count, seed=1, low=-20, high=20):
    """Random signs and fractions, exponents in low..high."""
    step = rng(seed)
    out = []
    for _ in range(count):
        exp = 127 + low + step(20) % (high - low + 1)
        out.append((step(1) << 31) | (exp << 23) | step(23))
    return out


# --- f32 operations on bits, in a denormal mode -----------------------------------


def daz(bits, flush=True):
    """What an operation sees of a source."""
    return f32(flush32(bits) if flush else bits)


def ftz(bits, flush=True):
    return flush32(bits) if flush else bits


def add32(a, b, flush=True):
    return nan_or(ftz(fadd(daz(a, flush), daz(b, flush)), flush))


def sub32(a, b, flush=True):
    return add32(a, b ^ 0x80000000, flush)


def mul32(a, b, flush=True):
    return nan_or(ftz(fmul(daz(a, flush), daz(b, flush)), flush))


def fma32(a, b, c, flush=True):
    return nan_or(ftz(ffma(daz(a, flush), daz(b, flush), daz(c, flush)), flush))


def nan_or(bits):
    """A NaN result may be any NaN: the float NAN says so to `expect`."""
    return NAN if is_nan32(bits) else bits


def neg32(bits):
    return bits ^ 0x80000000


def abs32(bits):
    return bits & 0x7FFFFFFF


def quiet(bits):
    return bits | 0x00400000


def is_signalling(bits):
    return is_nan32(bits) and not bits & 0x00400000


def max32(a, b, ieee=True):
    """V_MAX_F32 of the ISA pseudocode; flushing is the caller's."""
    if ieee and is_signalling(a):
        return quiet(a)
    if ieee and is_signalling(b):
        return quiet(b)
    if is_nan32(a):
        return b
    if is_nan32(b):
        return a
    if f32(a) == 0 and f32(b) == 0:
        return b if a >> 31 else a
    if ieee:
        return a if f32(a) >= f32(b) else b
    return a if f32(a) > f32(b) else b


def min32(a, b, ieee=True):
    if ieee and is_signalling(a):
        return quiet(a)
    if ieee and is_signalling(b):
        return quiet(b)
    if is_nan32(a):
        return b
    if is_nan32(b):
        return a
    if f32(a) == 0 and f32(b) == 0:
        return a if a >> 31 else b
    return a if f32(a) < f32(b) else b


def med32(a, b, c, ieee=True):
    """V_MED3_F32 of the ISA pseudocode."""
    if is_nan32(a) or is_nan32(b) or is_nan32(c):
        return min32(min32(a, b, ieee), c, ieee)
    top = max32(max32(a, b, ieee), c, ieee)
    if f32(top) == f32(a):
        return max32(b, c, ieee)
    if f32(top) == f32(b):
        return max32(a, c, ieee)
    return max32(a, b, ieee)
