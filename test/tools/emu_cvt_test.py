# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs conversions of the emulator over whole formats and compares with
emu_cvt_tables.py.

    emu_cvt_test.py --llvm-bin DIR --fmhac PATH [--keep DIR] FAMILY [TEXT]

FAMILY: `wide` from 16 bits and less, `norm` to normalised integers, `narrow` from f32 to
16 and 8 bits, `stochastic` with a random operand; `scale_up`, `scale_down`,
`scale_stochastic` the v_cvt_scalef32_* forms. With TEXT only the rows whose
instruction has TEXT in it. A NaN may be any NaN of its format.
"""

from array import array
from functools import cached_property, lru_cache, wraps
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from emu_cvt_tables import (SCALE_NAN, boundaries, exact_table, from_integer_table,  # noqa: E402
                            integer_table, norm_boundaries, norm_table, prng, rounded,
                            rounding_table, special, stochastic)
from emu_formats import FORMATS  # noqa: E402
from emu_program import Program, move, parse_arguments, registers  # noqa: E402
from emu_test import Broken  # noqa: E402

BITS = {name: form.bits for name, form in FORMATS.items()}
BITS.update(i4=4, u8=8, u16=16, i16=16)
V_SOURCE, V_RESULT, V_RANDOM, V_SCALE, V_OFFSET = 32, 96, 80, 82, 2
UNTOUCHED = 0x5AC3960F  # what a result register holds before


class Row:
    """One instruction form over a list of inputs.

    text       with {d}, {s}, {s1}, {r}, {k}: result, source (and the one after), random
               operand, scale
    source     format of the source, `fields` of them in each lane, one after the other
    used       which field each result comes from
    result     format of the results, `places` their first bits, `size` in dwords
    cases      (inputs, expected): input encodings and what each becomes (a tuple: any
               of these); also as Later
    """

    def __init__(self, text, source, result, cases, fields=1, used=(0,), places=(0,),
                 size=1, cleared=(), scale=None, random_operand=None, mode=""):
        self.text, self.source, self.result = text, source, result
        self.cases = cases
        self.fields, self.used, self.places, self.size = fields, used, places, size
        self.cleared = cleared  # bits [first, end) of the result that become 0
        self.scale, self.random, self.mode = scale, random_operand, mode
        self.source_dwords = -(-fields * BITS[source] // 32)

    @cached_property
    def computed(self):
        return tuple(self.cases)

    inputs = property(lambda self: self.computed[0])
    expected = property(lambda self: self.computed[1])

    def __str__(self):
        text = self.text.format(d="D", s="S", s1="S1", s2="S2", r="R", k="K")
        if self.mode:
            text += "  [" + self.mode[0] + "]"
        if self.scale is not None:
            text += "  [scale 0x%08x]" % self.scale
        if self.random is not None:
            text += "  [random 0x%08x]" % self.random
        return text

    def lanes(self):
        n = -(-len(self.inputs) // len(self.used))
        return n + -n % 64

    def source_bytes(self):
        n, width = self.lanes() * len(self.used), BITS[self.source]
        codes = self.inputs + self.inputs[:1] * (n - len(self.inputs))
        if self.fields == len(self.used) and list(self.used) == list(range(self.fields)) \
                and width * self.fields % 32 == 0 and width in (8, 16, 32):
            return array({8: "B", 16: "H", 32: "I"}[width], codes).tobytes()
        noise = random.Random(str(self))
        mask = (1 << width) - 1
        out = []
        step = len(self.used)
        order = {field: at for at, field in enumerate(self.used)}
        size = 4 * self.source_dwords
        for at in range(0, n, step):
            packed = noise.getrandbits(8 * size)
            for field, k in order.items():
                packed &= ~(mask << field * width)
                packed |= codes[at + k] << field * width
            out.append(packed.to_bytes(size, "little"))
        return b"".join(out)

    def body(self, label):
        batches = self.lanes() // 64
        lines = [f"  v_mul_u32_u24_e32 v{V_OFFSET}, {4 * self.source_dwords}, v0",
                 f"  v_mul_u32_u24_e32 v{V_OFFSET + 1}, {4 * self.size}, v0"]
        if self.scale is not None:
            lines.append(f"  v_mov_b32_e32 v{V_SCALE}, 0x{self.scale:x}")
        if self.random is not None:
            lines.append(f"  v_mov_b32_e32 v{V_RANDOM}, 0x{self.random:x}")
        if self.mode:
            lines.append(self.mode[1])
        lines += [f"  s_mov_b32 s12, {batches}", f".Lrow{label}:",
                  move("load", V_SOURCE, self.source_dwords, V_OFFSET)]
        lines += [f"  v_mov_b32_e32 v{V_RESULT + d}, 0x{UNTOUCHED:x}"
                  for d in range(self.size)]
        half = self.source_dwords // 2
        lines += ["  s_waitcnt vmcnt(0)", "  " + self.text.format(
            d=registers(V_RESULT, self.size),
            s=registers(V_SOURCE, half if "{s2}" in self.text else self.source_dwords
                        if "{s1}" not in self.text else 1),
            s1=f"v{V_SOURCE + 1}", s2=registers(V_SOURCE + half, half),
            r=f"v{V_RANDOM}", k=f"v{V_SCALE}"),
            move("store", V_RESULT, self.size, V_OFFSET + 1),
            "  s_sub_u32 s12, s12, 1", "  s_cmp_lg_u32 s12, 0",
            f"  s_cbranch_scc1 .Lrow{label}"]
        return "\n".join(lines)

    def check(self, found, report):
        width = BITS[self.result]
        mask = (1 << width) - 1
        form = FORMATS.get(self.result)
        step, bad = len(self.used), []
        size = 4 * self.size
        fill = sum(UNTOUCHED << 32 * d for d in range(self.size))
        for first, end in self.cleared:
            fill &= ~(((1 << end - first) - 1) << first)
        for place in self.places:
            fill &= ~(mask << place)
        # whole lanes first, one by one only where they differ
        codes = self.expected
        whole_lanes = len(codes) // step
        lanes = range(-(-len(codes) // step))
        if tuple not in set(map(type, codes)):
            wanted = [fill] * whole_lanes
            for k, place in enumerate(self.places):
                wanted = [lane | code << place
                          for lane, code in zip(wanted, codes[k::step])]
            have = [int.from_bytes(found[at:at + size], "little")
                    for at in range(0, size * whole_lanes, size)]
            lanes = [n for n, (x, y) in enumerate(zip(have, wanted)) if x != y] + \
                list(lanes[whole_lanes:])
        for lane in lanes:
            value = int.from_bytes(found[size * lane:size * lane + size], "little")
            for k, place in enumerate(self.places):
                at = lane * step + k
                if at >= len(codes):
                    break
                got, want = value >> place & mask, codes[at]
                if isinstance(want, tuple):
                    right = got in want
                else:
                    right = got == want or (form and form.is_nan(want)
                                            and form.is_nan(got))
                if not right:
                    bad.append((at, got, want))
                value &= ~(mask << place)
            else:
                if value != fill:
                    bad.append((lane * step, value, fill))
        if bad:
            at, got, want = bad[0]
            show = want if isinstance(want, tuple) else (want,)
            report.append(
                f"{self}: {len(bad)} of {len(codes)} results differ; input "
                f"0x{self.inputs[at]:x}: expected "
                + " or ".join("0x%x" % w for w in show) + f", found 0x{got:x}")


# --- modes ---------------------------------------------------------------------------

MODE = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, %d, %d), %d"
ROUND = {"nearest": 0, "up": 1, "down": 2, "zero": 3}


def round_f16(mode):
    return (f"f16 rounds {mode}", "  " + MODE % (2, 2, ROUND[mode]))


ROUND_F32 = ("f32 rounds up", "  " + MODE % (0, 2, 1))  # means nothing to these
OVERFLOW = ("FP16_OVFL", "  " + MODE % (23, 1, 1))
FLUSH_32 = ("f32 denormals flushed", "  " + MODE % (4, 2, 0))
FLUSH_16 = ("f16 denormals flushed", "  " + MODE % (6, 2, 0))


# --- families --------------------------------------------------------------------------


class Later:
    """Cases (inputs, expected) that are computed when they are asked for: those of rows
    beside the slice never."""

    def __init__(self, make):
        self.make = make

    def __iter__(self):
        return iter(self.make())


def later(function):
    @wraps(function)
    def call(*arguments, **more):
        return Later(lambda: function(*arguments, **more))
    return call


def everything(bits):
    return list(range(1 << bits))


def whole(table):
    return everything(len(table).bit_length() - 1), table


def flushed(table, name):
    """A table whose denormal inputs are zeros of their sign."""
    form = FORMATS[name]
    smallest = 1 << form.fbits
    return [table[n & form.sign] if n & form.sign - 1 < smallest else code
            for n, code in enumerate(table)]


def modified(table, name, text):
    """Input modifiers: -, |x|, -|x|."""
    sign = FORMATS[name].sign
    return [table[(n & ~sign if "|" in text else n) ^ (sign if "-" in text else 0)]
            for n in range(len(table))]


def wide():
    """From 16 bits and less."""
    for source in ("f16", "bf16"):
        table = exact_table(source, "f32")
        name = f"v_cvt_f32_{source}"
        yield Row(name + "_e32 {d}, {s}", source, "f32", whole(table), fields=2)
        for n in range(2):
            yield Row(name + "_sdwa {d}, {s} src0_sel:WORD_%d" % n, source, "f32",
                      whole(table), fields=2, used=(n,))
        if source == "f16":
            for text in ("-{s}", "|{s}|", "-|{s}|"):
                yield Row(name + "_e64 {d}, " + text, source, "f32",
                          whole(modified(table, source, text)), fields=2)
            yield Row(name + "_e32 {d}, {s}", source, "f32",
                      whole(flushed(table, source)), fields=2, mode=FLUSH_16)
    for source in ("fp8", "bf8"):
        table = exact_table(source, "f32")
        name = f"v_cvt_f32_{source}"
        yield Row(name + "_e32 {d}, {s}", source, "f32", whole(table), fields=4)
        yield Row(name + "_e64 {d}, {s}", source, "f32", whole(table), fields=4)
        for n in range(4):
            yield Row(name + "_sdwa {d}, {s} src0_sel:BYTE_%d" % n, source, "f32",
                      whole(table), fields=4, used=(n,))
        name = f"v_cvt_pk_f32_{source}"
        for form, used in (("_e32 {d}, {s}", (0, 1)), ("_e64 {d}, {s}", (0, 1)),
                           ("_sdwa {d}, {s} src0_sel:WORD_0", (0, 1)),
                           ("_sdwa {d}, {s} src0_sel:WORD_1", (2, 3))):
            yield Row(name + form, source, "f32", whole(table), fields=4, used=used,
                      places=(0, 32), size=2)
    for n in range(4):
        yield Row("v_cvt_f32_ubyte%d_e32 {d}, {s}" % n, "u8", "f32",
                  whole(from_integer_table(8, False, "f32")), fields=4, used=(n,))
    high = ((16, 32),)
    for kind, signed in (("u16", False), ("i16", True)):
        table = integer_table("f16", 16, signed)
        yield Row(f"v_cvt_{kind}_f16_e32 {{d}}, {{s}}", "f16", kind, whole(table),
                  fields=2, cleared=high)
        yield Row(f"v_cvt_{kind}_f16_e64 {{d}}, -{{s}}", "f16", kind,
                  whole(modified(table, "f16", "-")), fields=2, cleared=high)
        yield Row(f"v_cvt_{kind}_f16_sdwa {{d}}, {{s}} dst_sel:WORD_1 "
                  "dst_unused:UNUSED_PRESERVE src0_sel:WORD_1", "f16", kind,
                  whole(table), fields=2, used=(1,), places=(16,))
        for mode in ROUND:
            yield Row(f"v_cvt_f16_{kind}_e32 {{d}}, {{s}}", kind, "f16",
                      whole(from_integer_table(16, signed, "f16", mode)), fields=2,
                      cleared=high, mode=round_f16(mode))


def norm():
    """To normalised integers, and the offset table."""
    sixteenths = [code - (4 << 23) if code else 0
                  for code in from_integer_table(4, True, "f32")]
    yield Row("v_cvt_off_f32_i4_e32 {d}, {s}", "i4", "f32", whole(sixteenths), fields=8)
    for kind, signed in (("u16", False), ("i16", True)):
        table = norm_table("f16", signed)
        yield Row(f"v_cvt_norm_{kind}_f16_e32 {{d}}, {{s}}", "f16", kind, whole(table),
                  fields=2, cleared=((16, 32),))
        yield Row(f"v_cvt_pknorm_{kind}_f16 {{d}}, {{s}}, {{s1}}", "f16", kind,
                  whole(table), fields=4, used=(0, 2), places=(0, 16))
        yield Row(f"v_cvt_pknorm_{kind}_f32 {{d}}, {{s}}, {{s1}}", "f32", kind,
                  pairs(norm_boundaries(signed)), fields=2, used=(0, 1),
                  places=(0, 16))


@later
def both_signs(points, target, mode="nearest", scale=0, saturate=False):
    """f32 inputs around every boundary with both signs, infinities and NaN."""
    sign = 1 << 31
    inputs = points + [p | sign for p in points]
    expected = rounded(points, "f32", target, False, scale, mode, saturate) + \
        rounded(points, "f32", target, True, scale, mode, saturate)
    form = FORMATS[target]
    for code in (0x7F800000, 0x7FC00000, 0x7F800001, 0x7FFFFFFF):
        for s in (0, sign):
            kind = "inf" if code == 0x7F800000 else "nan"
            inputs.append(code | s)
            expected.append(special(form, kind, bool(s), saturate))
    return inputs, expected


@later
def pairs(cases):
    """The same cases for instructions that take two: against each other."""
    inputs, expected = cases
    half = len(inputs) // 2
    order = [n for k in range(half) for n in (k, half + k)]
    return [inputs[n] for n in order], [expected[n] for n in order]


def narrow():
    """From f32."""
    points = boundaries("f16")
    high = ((16, 32),)
    for mode in ROUND:
        yield Row("v_cvt_f16_f32_e32 {d}, {s}", "f32", "f16",
                  both_signs(points, "f16", mode), cleared=high, mode=round_f16(mode))
    yield Row("v_cvt_f16_f32_e32 {d}, {s}", "f32", "f16",
              both_signs(points, "f16", saturate=True), cleared=high, mode=OVERFLOW)
    coarse = sorted({*points[::61], *points[-400:]})
    yield Row("v_cvt_f16_f32_sdwa {d}, {s} dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE "
              "src0_sel:DWORD", "f32", "f16", both_signs(coarse, "f16"), places=(16,))
    yield Row("v_cvt_pkrtz_f16_f32_e64 {d}, {s}, {s1}", "f32", "f16",
              pairs(both_signs(points, "f16", "zero")), fields=2, used=(0, 1),
              places=(0, 16))
    yield Row("v_cvt_pk_f16_f32 {d}, {s}, {s1}", "f32", "f16",
              pairs(both_signs(points, "f16")), fields=2, used=(0, 1), places=(0, 16))
    yield Row("v_cvt_f16_f32_e32 {d}, {s}", "f32", "f16", both_signs(coarse, "f16"),
              cleared=high, mode=ROUND_F32)
    for mode in (round_f16("down"), ROUND_F32):  # to nearest all the same
        yield Row("v_cvt_pk_f16_f32 {d}, {s}, {s1}", "f32", "f16",
                  pairs(both_signs(coarse, "f16")), fields=2, used=(0, 1),
                  places=(0, 16), mode=mode)
        yield Row("v_cvt_pkrtz_f16_f32_e64 {d}, {s}, {s1}", "f32", "f16",
                  pairs(both_signs(coarse, "f16", "zero")), fields=2, used=(0, 1),
                  places=(0, 16), mode=mode)
    points = boundaries("bf16")
    yield Row("v_cvt_pk_bf16_f32 {d}, {s}, {s1}", "f32", "bf16",
              pairs(both_signs(points, "bf16")), fields=2, used=(0, 1), places=(0, 16))
    yield Row("v_cvt_pk_bf16_f32 {d}, {s}, {s1}", "f32", "bf16",
              pairs(both_signs(points[::57], "bf16")), fields=2, used=(0, 1),
              places=(0, 16), mode=ROUND_F32)
    for target in ("fp8", "bf8"):
        points = boundaries(target)
        for saturate, mode in ((False, ""), (True, OVERFLOW)):
            cases = both_signs(points, target, saturate=saturate)
            for n in range(2):
                yield Row(f"v_cvt_pk_{target}_f32 {{d}}, {{s}}, {{s1}}"
                          + " op_sel:[0,0,1]" * n, "f32", target, pairs(cases),
                          fields=2, used=(0, 1), places=(16 * n, 16 * n + 8), mode=mode)
        for mode in (round_f16("up"), ROUND_F32):
            yield Row(f"v_cvt_pk_{target}_f32 {{d}}, {{s}}, {{s1}}", "f32", target,
                      pairs(both_signs(points, target)), fields=2, used=(0, 1),
                      places=(0, 8), mode=mode)


def stochastic_rows():
    """From f32 with a random operand."""
    for target in ("fp8", "bf8"):
        for n, random_operand in enumerate(RANDOM):
            for saturate, mode in ((False, ""), (True, OVERFLOW)):
                cases = random_cases("f32", target, random_operand, 0, saturate)
                yield Row(f"v_cvt_sr_{target}_f32 {{d}}, {{s}}, {{r}}"
                          f" op_sel:[0,0,{n & 1},{n >> 1 & 1}]", "f32", target, cases,
                          places=(8 * (n & 3),), random_operand=random_operand,
                          mode=mode)
    for target in ("f16", "bf16"):
        # which random bits count is not documented: none and all leave no choice
        for random_operand in (0, 0xFFFFFFFF):
            for n in range(2):
                yield Row(f"v_cvt_sr_{target}_f32 {{d}}, {{s}}, {{r}}"
                          + " op_sel:[0,0,1]" * n, "f32", target,
                          random_cases("f32", target, random_operand, 0, False),
                          places=(16 * n,), random_operand=random_operand)


RANDOM = [0, 0xFFFFFFFF, 0x80000000, 0x00000FFF, 0x5DEECE66, 0xB17217F7]


@lru_cache(None)
def random_inputs(source, target, scale):
    """Of f32 every boundary of small targets, else samples; infinities, NaN."""
    form = FORMATS[source]
    if source == "f32":
        points = boundaries(target, scale)
        if len(points) > 3000:
            points = sorted({*points[::len(points) // 2000], *points[-300:]})
    else:
        points = range(0, form.max + 1, 61)
    inputs = [p | s for p in points for s in (0, form.sign)]
    return inputs + [code | s for code in (form.inf, form.nan, form.inf | 1)
                     for s in (0, form.sign)]


@later
def random_cases(source, target, random_operand, scale, saturate):
    inputs = random_inputs(source, target, scale)
    return inputs, [stochastic(source, target, bits, random_operand, scale, saturate)
                    for bits in inputs]


# --- v_cvt_scalef32: only the exponent field of the f32 scale counts ------------------


def scale_bits(exponent):
    """A scale of 2**exponent, with a fraction and a sign that must not matter."""
    return (127 + exponent << 23) + 0x2AAAAA + (0x80000000 if exponent & 1 else 0)


def scale_up():
    """From fp8, bf8, fp6, bf6, fp4; exact but at the ends of the target's range."""
    for exponent in (0, 3, -6, -127, 127, -20, 13, SCALE_NAN):
        k = scale_bits(exponent)
        for target, size in (("f32", 32), ("f16", 16), ("bf16", 16)):
            for source in ("fp8", "bf8"):
                cases = whole(exact_table(source, target, exponent))
                if target != "bf16":
                    for n in range(4):
                        for high in range(2 if target == "f16" else 1):
                            sel = f" op_sel:[{n & 1},{n >> 1},{high}]"
                            yield Row(f"v_cvt_scalef32_{target}_{source} {{d}}, {{s}}, "
                                      "{k}" + sel, source, target, cases, fields=4,
                                      used=(n,), places=(16 * high,), scale=k)
                for n in range(2):
                    yield Row(f"v_cvt_scalef32_pk_{target}_{source} {{d}}, {{s}}, {{k}}"
                              + " op_sel:[1,0,0]" * n, source, target, cases, fields=4,
                              used=(2 * n, 2 * n + 1), places=(0, size),
                              size=size // 16, scale=k)
            cases = whole(exact_table("fp4", target, exponent))
            for n in range(4):
                yield Row(f"v_cvt_scalef32_pk_{target}_fp4 {{d}}, {{s}}, {{k}} "
                          f"op_sel:[{n & 1},{n >> 1},0]", "fp4", target, cases,
                          fields=8, used=(2 * n, 2 * n + 1), places=(0, size),
                          size=size // 16, scale=k)
            for source in ("fp6", "bf6"):
                yield Row(f"v_cvt_scalef32_pk32_{target}_{source} {{d}}, {{s}}, {{k}}",
                          source, target, whole(exact_table(source, target, exponent)),
                          fields=32, used=tuple(range(32)),
                          places=tuple(range(0, 32 * size, size)), size=size, scale=k)


@later
def scaled_cases(source, target, exponent, saturate):
    """Whole 16-bit formats; of f32 every boundary."""
    if source == "f32" and exponent == SCALE_NAN:
        inputs, _ = both_signs(boundaries(target), target)
        return inputs, [special(FORMATS[target], "nan", n >> 31, saturate)
                        for n in inputs]
    if source == "f32":
        return both_signs(boundaries(target, exponent), target, "nearest", exponent,
                          saturate)
    return whole(rounding_table(source, target, exponent, "nearest", saturate))


def scale_down():
    """To fp8, bf8, fp6, bf6, fp4."""
    for target in ("fp8", "bf8"):
        # ISA 7.3: conversion from f32 supports MODE-based denormal control
        for mode, flush in (("", False), (FLUSH_32, True)):
            inputs, expected = both_signs(boundaries(target, -127), target, "nearest",
                                          -127)
            zero = {s: expected[inputs.index(s)] for s in (0, 1 << 31)}
            if flush:
                expected = [zero[n & 1 << 31] if n & 0x7F800000 == 0 else code
                            for n, code in zip(inputs, expected)]
            yield Row(f"v_cvt_scalef32_pk_{target}_f32 {{d}}, {{s}}, {{s1}}, {{k}}",
                      "f32", target, pairs((inputs, expected)), fields=2, used=(0, 1),
                      places=(0, 8), scale=scale_bits(-127), mode=mode)
    # every scale with another place in the result
    for at, exponent in enumerate((0, 3, -6, 127, -127, SCALE_NAN)):
        k = scale_bits(exponent)
        for source in ("f32", "f16", "bf16"):
            second = ", {s1}" if source == "f32" else ""
            for target in ("fp8", "bf8"):
                for saturate, mode in ((False, ""), (True, OVERFLOW)):
                    n = (at + saturate) % 2
                    sel = ",0" * bool(second) + (",1]" if n else ",0]")
                    yield Row(f"v_cvt_scalef32_pk_{target}_{source} {{d}}, {{s}}"
                              f"{second}, {{k}} op_sel:[0,0" + sel, source, target,
                              pairs(scaled_cases(source, target, exponent, saturate)),
                              fields=2, used=(0, 1), places=(16 * n, 16 * n + 8),
                              scale=k, mode=mode)
            n = at % 4
            yield Row(f"v_cvt_scalef32_pk_fp4_{source} {{d}}, {{s}}{second}, {{k}} "
                      f"op_sel:[0,0,{n & 1},{n >> 1}]", source, "fp4",
                      pairs(scaled_cases(source, "fp4", exponent, False)),
                      fields=2, used=(0, 1), places=(8 * n, 8 * n + 4), scale=k)
            for target in ("fp6", "bf6"):
                cases = scaled_cases(source, target, exponent, False)
                # two registers' elements alternate in the result (ISA, V_CVT_..2XPK16)
                name, used = (("2xpk16", tuple(16 * (n & 1) + n // 2 for n in range(32)))
                              if source == "f32" else ("pk32", tuple(range(32))))
                operands = "{s}, {s2}" if source == "f32" else "{s}"
                yield Row(f"v_cvt_scalef32_{name}_{target}_{source} {{d}}, {operands}, "
                          "{k}", source, target, cases, fields=32, used=used,
                          places=tuple(range(0, 192, 6)), size=6, scale=k)


@later
def in_turn(source, target, random_operand, exponent, count, saturate=False):
    """Results of instructions that convert `count` numbers, each with the next of the
    pseudo-random numbers."""
    inputs = random_inputs(source, target, exponent)
    states = [random_operand]
    while len(states) < count:
        states.append(prng(states[-1]))
    return inputs, [stochastic(source, target, bits, states[n % count], exponent,
                               saturate) for n, bits in enumerate(inputs)]


def scale_stochastic():
    """With a random operand."""
    for at, random_operand in enumerate(RANDOM):
        exponent = (0, 3, -6, 1, -2, 5)[at]
        k = scale_bits(exponent)
        for source in ("f32", "f16", "bf16"):
            for target in ("fp8", "bf8"):
                for saturate, mode in ((False, ""), (True, OVERFLOW)):
                    cases = in_turn(source, target, random_operand, exponent, 1,
                                    saturate)
                    yield Row(f"v_cvt_scalef32_sr_{target}_{source} {{d}}, {{s}}, {{r}}"
                              f", {{k}} op_sel:[0,0,{at & 1},{at >> 1 & 1}]", source,
                              target, cases, fields=32 // BITS[source],
                              places=(8 * (at & 3),), scale=k,
                              random_operand=random_operand, mode=mode)
            yield Row(f"v_cvt_scalef32_sr_pk_fp4_{source} {{d}}, {{s}}, {{r}}, {{k}} "
                      f"op_sel:[0,0,{at & 1},{at >> 1 & 1}]", source, "fp4",
                      in_turn(source, "fp4", random_operand, exponent, 2), fields=2,
                      used=(0, 1), places=(8 * (at & 3), 8 * (at & 3) + 4), scale=k,
                      random_operand=random_operand)
            for target in ("fp6", "bf6"):
                yield Row(f"v_cvt_scalef32_sr_pk32_{target}_{source} {{d}}, {{s}}, {{r}}"
                          ", {k}", source, target,
                          in_turn(source, target, random_operand, exponent, 32),
                          fields=32, used=tuple(range(32)),
                          places=tuple(range(0, 192, 6)), size=6, scale=k,
                          random_operand=random_operand)


FAMILIES = {"wide": wide, "norm": norm, "narrow": narrow, "stochastic": stochastic_rows,
            "scale_up": scale_up, "scale_down": scale_down,
            "scale_stochastic": scale_stochastic}


def main():
    options = parse_arguments(__doc__, ("family", FAMILIES))
    rows = options.slice.of(r for r in FAMILIES[options.family]() if options.text in str(r))
    if not rows:
        print(f"no row of {options.family} has {options.text!r} in it")
        return 2
    program = Program()
    for n, row in enumerate(rows):
        program.part(str(row), row.body(n), row.source_bytes(),
                     4 * row.size * row.lanes())
    try:
        results = program.run(options)
    except Broken as broken:
        print(f"{options.family}: {broken}")
        return 2
    report = []
    for row, found in zip(rows, results):
        row.check(found, report)
    for line in report[:60]:
        print(line)
    print(f"{options.family}: {len(rows)} forms, {sum(len(r.inputs) for r in rows)} "
          f"conversions, {len(report)} forms differ")
    return 1 if report else 0


if __name__ == "__main__":
    sys.exit(main())
