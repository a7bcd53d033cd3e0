# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the operand layout of every gfx950 matrix instruction off the emulator, entry by
entry, and compares it with emu_mfma_layout.py; then products of random data.

    emu_mfma_test.py --llvm-bin DIR --fmhac PATH [--keep DIR] PROBE FAMILY [TEXT]

PROBE `layout`: one item of A after the other is 1 in all lanes that hold the same k. What
an entry of D then holds is the one item of B that met it: B's items hold the digits of
their own place, one digit a pass. Two further passes with B = 1 and digits in A give the
lane of A. So every entry of D names the two places that it multiplied, for every item.
PROBE `scale`: as above with A and B = 1, and the places are those of the scales.
PROBE `product`: random data, C from everywhere, D over C, AGPRs, lanes off.

With TEXT only the instructions whose text has TEXT in it.
"""

import argparse
from array import array
from fractions import Fraction
import math
from operator import mul
import os
import random
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from emu_formats import FORMATS, INF, NAN, encode_exact, finite_values  # noqa: E402
from emu_mfma_layout import BITS, FAMILIES  # noqa: E402
from emu_program import Program, move, registers  # noqa: E402
from emu_test import Broken  # noqa: E402

# values that every format has; doubled, each has a hexadecimal digit of its own
DIGITS = [0, 0.5, 1, 1.5, 2, 3, 4, 6]
CODES = [int(2 * d) for d in DIGITS]
# places of B never have a digit 0: absent and "place 0" must differ
B_PASSES, A_PASSES = 4, 2
PAIRS = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]  # ISA 7.5: index 0 < index 1

# registers of the probes
V_OFFSET = {1: 2, 2: 3, 4: 4, 6: 5, 8: 6, 16: 7, 32: 8}  # lane * 4 * count
V_B, V_A, V_INDEX, V_SCALE, V_D, V_SUM = 16, 56, 80, 82, 96, 128


def digit(value, fmt):
    """A digit's value in a format; integers stand for themselves."""
    return encode_exact(int(2 * value) if fmt == "i8" else value, fmt)


def unit(fmt):
    return 2 if fmt == "i8" else 1  # so that doubled digits come out everywhere alike


def pack(lanes, fmt, registers_count):
    """lanes: per lane a dict item -> encoding."""
    size = 4 * registers_count
    width = BITS[fmt]
    out = []
    for items in lanes:
        packed = 0
        for item, code in items.items():
            packed |= code << width * item
        out.append(packed.to_bytes(size, "little"))
    return b"".join(out)


def b_digits(lane, item):
    place = item * 64 + lane
    return [place // 7 ** p % 7 + 1 for p in range(B_PASSES)]


def a_digits(lane):
    return [lane % 8, lane // 8]


def code(digits, first=0):
    return sum(CODES[d] << 4 * (first + p) for p, d in enumerate(digits))


def name_of(found):
    """What a code says, for reports."""
    if found == 0:
        return "nothing"
    digits = [found >> 4 * p & 15 for p in range(6)]
    if found >> 24 or any(d not in CODES for d in digits):
        return "0x%x (no single product)" % found
    digits = [CODES.index(d) for d in digits]
    if 0 in digits[:4]:
        return "0x%x (no single product)" % found
    place = sum((d - 1) * 7 ** p for p, d in enumerate(digits[:4]))
    return "A of lane %d times B of lane %d item %d" % (
        digits[4] + 8 * digits[5], place % 64, place // 64)


# --- what the programs have in common ---------------------------------------------


def offsets():
    return "\n".join(f"  v_mul_u32_u24_e32 v{r}, {4 * n}, v0"
                     for n, r in V_OFFSET.items())


def load(shape, operand, first):
    n = shape.registers(operand)
    return move("load", first, n, V_OFFSET[n])


def instruction(shape, d, a, b, c, scales="", files="vvv"):
    """files: of A, of B, of C and D."""
    na, nb, nd = (shape.registers(x) for x in "abd")
    if shape.sparse:
        c = f"v{V_INDEX}"
    elif not isinstance(c, str):
        c = registers(c, nd, files[2])
    return "  %s %s, %s, %s, %s%s%s\n  s_nop 15\n  s_nop 15" % (
        shape.mnemonic, registers(d, nd, files[2]), registers(a, na, files[0]),
        registers(b, nb, files[1]), c, scales, shape.modifiers())


def zero(first, count):
    return "\n".join(f"  v_mov_b32_e32 v{first + r}, 0" for r in range(count))


def to_f32(shape, item):
    """Item of D as f32 in the register V_D + item."""
    r = V_D + item
    if shape.result == "f64":
        return f"  v_cvt_f32_f64_e32 v{r}, v[{V_D + 2 * item}:{V_D + 2 * item + 1}]"
    if shape.result == "i32":
        return f"  v_cvt_f32_i32_e32 v{r}, v{r}"
    return ""


# --- layout -------------------------------------------------------------------------


def hot_groups(shape):
    """Each (lanes, item) of A that is made hot at once: one a row."""
    width = shape.m * shape.blocks
    return [(range(g * width, (g + 1) * width), item)
            for g in range(shape.groups) for item in range(shape.a_items)]


def index_word(shape, lane, variant):
    """The pairs of a lane's index register; what is not selected holds other pairs."""
    nibbles = [PAIRS[(lane + n + variant) % 6] for n in range(shape.a_items // 2)]
    size = 2 * shape.a_items
    word = 0
    for at in range(0, 32, size):
        for n, (low, high) in enumerate(nibbles):
            if at != shape.index_shift():
                low, high = PAIRS[(PAIRS.index((low, high)) + 1 + at // size) % 6]
            word |= (low | high << 2) << at + 4 * n
    return word, nibbles


def layout_body(shape, probes):
    lines = [offsets()]
    for r in range(B_PASSES + 1):
        lines.append(load(shape, "b", V_B + 8 * r))
    for p in range(B_PASSES + A_PASSES):
        # doubled digits, a hexadecimal place each; neg makes some products negative
        sign = -1 if (shape.neg[0] + shape.neg[1]) % 2 else 1
        weight = sign * (2.0 if shape.result != "i32" else 0.5) * 16.0 ** p
        lines.append(f"  s_mov_b32 s{20 + p}, 0x%x"
                     % struct.unpack("<I", struct.pack("<f", weight))[0])
    lines += [f"  s_mov_b32 s12, {probes}", ".Lprobe\\@:".replace("\\@", id_of(shape))]
    for v in range(1 + A_PASSES):
        lines.append(load(shape, "a", V_A + 8 * v))
    if shape.sparse:
        lines.append(move("load", V_INDEX, 1, V_OFFSET[1]))
    lines += ["  s_waitcnt vmcnt(0)", zero(V_SUM, shape.d_items)]
    for p in range(B_PASSES + A_PASSES):
        a = V_A + 8 * max(0, p - B_PASSES + 1)
        b = V_B + 8 * min(p, B_PASSES)
        if shape.sparse:
            lines.append(zero(V_D, shape.d_items))
        lines.append(instruction(shape, V_D, a, b, "0"))
        for r in range(shape.d_items):
            lines.append(to_f32(shape, r))
            lines.append(f"  v_fma_f32 v{V_SUM + r}, v{V_D + r}, s{20 + p}, "
                         f"v{V_SUM + r}")
    for r in range(shape.d_items):
        lines.append(f"  v_cvt_u32_f32_e32 v{V_SUM + r}, v{V_SUM + r}")
    lines.append(move("store", V_SUM, shape.d_items, V_OFFSET[shape.d_items]))
    lines += ["  s_sub_u32 s12, s12, 1", "  s_cmp_lg_u32 s12, 0",
              f"  s_cbranch_scc1 .Lprobe{id_of(shape)}"]
    return "\n".join(line for line in lines if line)


_ids = {}


def id_of(shape):
    return str(_ids.setdefault(id(shape), len(_ids)))


_hot_cache = {}


def hot_bytes(shape, lanes, item):
    """A of one probe: with 1, then with each digit of the lane's number."""
    key = (shape.a, shape.registers("a"), lanes, item)
    if key not in _hot_cache:
        n, fmt = shape.registers("a"), shape.a
        hot = set(lanes)
        _hot_cache[key] = b"".join(
            pack([{item: value(lane)} if lane in hot else {} for lane in range(64)],
                 fmt, n)
            for value in [lambda lane: encode_exact(unit(fmt), fmt)] +
            [lambda lane, p=p: digit(DIGITS[a_digits(lane)[p]], fmt)
             for p in range(A_PASSES)])
    return _hot_cache[key]


_b_cache = {}


def b_bytes(shape):
    key = (shape.b, shape.registers("b"))
    if key not in _b_cache:
        n, fmt = shape.registers("b"), shape.b
        items = range(shape.b_items)
        _b_cache[key] = b"".join(
            pack([{i: digit(DIGITS[b_digits(lane, i)[p]], fmt) for i in items}
                  for lane in range(64)], fmt, n) for p in range(B_PASSES)
        ) + pack([{i: encode_exact(unit(fmt), fmt) for i in items}] * 64, fmt, n)
    return _b_cache[key]


def layout_inputs(shape, variants):
    data = [b_bytes(shape)]
    for variant in range(variants):
        index = struct.pack("<64I", *(index_word(shape, lane, variant)[0]
                                      for lane in range(64))) if shape.sparse else b""
        for lanes, item in hot_groups(shape):
            data += [hot_bytes(shape, lanes, item), index]
    return b"".join(data)


class Expectation:
    """What each entry of D names, for one instruction."""

    def __init__(self, shape):
        self.shape = shape
        self.codes_a = [code(a_digits(lane), B_PASSES) for lane in range(64)]
        self.codes_b = [[code(b_digits(lane, item)) for item in range(shape.b_items)]
                        for lane in range(64)]
        self.kept = shape.k // (2 if shape.sparse else 1)
        self.k_of = {shape.a_place(0, 0, k): k for k in range(self.kept)}
        # the block, row and column of each entry, in the order of the output
        entries = {shape.d_place(b, i, j): (b, i, j) for b in range(shape.blocks)
                   for i in range(shape.m) for j in range(shape.m)}
        self.entries = [entries[lane, item] for lane in range(64)
                        for item in range(shape.d_items)]
        self.rows_b = {}

    def row_b(self, block, k):
        """Codes of B[k][j] for all j."""
        if (block, k) not in self.rows_b:
            places = [self.shape.b_place(block, j, k) for j in range(self.shape.m)]
            self.rows_b[block, k] = [
                self.codes_b[self.shape.b_lane_read(lane)][item]
                for lane, item in places]
        return self.rows_b[block, k]

    def probe(self, variant, group):
        """Codes while one k-group of A is hot."""
        shape, (lanes, item) = self.shape, group
        k = self.k_of[lanes[0], item]
        rows = {}
        for block in range(shape.blocks):
            for i in range(shape.m):
                lane, _ = shape.a_place(block, i, k)
                k_b = k
                if shape.sparse:
                    pair = index_word(shape, lane, variant)[1][item // 2]
                    k_b = 4 * (k // 2) + pair[k % 2]
                base = self.codes_a[shape.a_lane_read(lane)]
                rows[block, i] = [base + c for c in self.row_b(block, k_b)]
        return array("I", [rows[b, i][j] for b, i, j in self.entries])


def check_layout(shape, found, variants, report):
    size = 4 * 64 * shape.d_items
    at = 0
    expectation = Expectation(shape)
    for variant in range(variants):
        for group in hot_groups(shape):
            wanted = expectation.probe(variant, group)
            have = array("I", found[at:at + size])
            if have != wanted:
                bad = [n for n in range(len(have)) if have[n] != wanted[n]]
                n = bad[0]
                report.append(
                    f"{shape}: with item {group[1]} of A's lanes {group[0][0]} to "
                    f"{group[0][-1]} hot, {len(bad)} of {len(have)} entries differ; "
                    f"first lane {n // shape.d_items} item {n % shape.d_items}: "
                    f"expected {name_of(wanted[n])}, found {name_of(have[n])}")
                return
            at += size


def layout(shapes, options):
    program = Program()
    variants = [len(PAIRS) if s.sparse and s.cbsz is None else 1 for s in shapes]
    for shape, n in zip(shapes, variants):
        probes = n * len(hot_groups(shape))
        program.part(str(shape), layout_body(shape, probes), layout_inputs(shape, n),
                     probes * 256 * shape.d_items)
    report, entries = [], 0
    for shape, n, found in zip(shapes, variants, program.run(options)):
        check_layout(shape, found, n, report)
        entries += len(found) // 4
    return report, entries


# --- scales -------------------------------------------------------------------------


def scale_bytes(shape, n):
    """Which byte of A's and of B's scale register an instruction takes: all sixteen
    combinations come up among the 25 pairs of formats."""
    return n % 4, n // 4 % 4


def scale_operands(selected):
    a, b = selected
    return (f", v{V_SCALE}, v{V_SCALE + 1} op_sel:[{a & 1},{b & 1},0] "
            f"op_sel_hi:[{a >> 1},{b >> 1},0]")


def scale_word(value, selected):
    """An E8M0 scale in the byte that counts; others would give wrong sums."""
    return sum((value if byte == selected else 200 + byte) << 8 * byte
               for byte in range(4))


def scale_body(shape, selected, probes):
    lines = [offsets(), load(shape, "b", V_B)]
    for r in range(4):  # A's lanes, B's lanes, and 1.0 for either
        lines.append(move("load", V_SCALE + 2 + r, 1, V_OFFSET[1]))
    lines += [f"  s_mov_b32 s12, {probes}", f".Lprobe{id_of(shape)}:",
              load(shape, "a", V_A), "  s_waitcnt vmcnt(0)"]
    for first in (True, False):
        a, b = (2, 5) if first else (4, 3)
        lines += [f"  v_mov_b32_e32 v{V_SCALE}, v{V_SCALE + a}",
                  f"  v_mov_b32_e32 v{V_SCALE + 1}, v{V_SCALE + b}",
                  instruction(shape, V_D, V_A, V_B, "0", scale_operands(selected))]
        for r in range(shape.d_items):
            if first:  # the exponent is the lane + 1
                lines.append(f"  v_lshrrev_b32_e32 v{V_SUM + r}, 23, v{V_D + r}")
            else:
                lines.append(f"  v_lshrrev_b32_e32 v{V_D + r}, 23, v{V_D + r}")
                lines.append(f"  v_lshl_or_b32 v{V_SUM + r}, v{V_D + r}, 16, "
                             f"v{V_SUM + r}")
    lines += [move("store", V_SUM, shape.d_items, V_OFFSET[shape.d_items]),
              "  s_sub_u32 s12, s12, 1", "  s_cmp_lg_u32 s12, 0",
              f"  s_cbranch_scc1 .Lprobe{id_of(shape)}"]
    return "\n".join(lines)


def scale_inputs(shape, selected):
    one = encode_exact(1, shape.b)
    data = [pack([{i: one for i in range(shape.b_items)}] * 64, shape.b,
                 shape.registers("b"))]
    for operand in selected:
        data.append(struct.pack("<64I", *(scale_word(64 + lane, operand)
                                          for lane in range(64))))
    for operand in selected:
        data.append(struct.pack("<64I", *[scale_word(127, operand)] * 64))
    size = 4 * 64 * shape.registers("a")
    for lanes, item in hot_groups(shape):
        data.append(hot_bytes(shape, lanes, item)[:size])
    return b"".join(data)


def check_scale(shape, found, report):
    size = 4 * 64 * shape.d_items
    cache = {}
    for n, (lanes, item) in enumerate(hot_groups(shape)):
        k = k_of(shape, lanes[0], item)
        if k // 32 not in cache:  # nothing else of k shows
            wanted = array("I", bytes(size))
            for i in range(shape.m):
                for j in range(shape.m):
                    lane, at = shape.d_place(0, i, j)
                    wanted[lane * shape.d_items + at] = (
                        64 + shape.scale_lane(i, k)
                        | 64 + shape.scale_lane(j, k) << 16)
            cache[k // 32] = wanted
        wanted = cache[k // 32]
        have = array("I", found[n * size:(n + 1) * size])
        if have != wanted:
            bad = [x for x in range(len(have)) if have[x] != wanted[x]]
            x = bad[0]
            report.append(
                f"{shape}: item {item} of A's lanes {lanes[0]} to {lanes[-1]}, "
                f"{len(bad)} of {len(have)} entries differ; first lane "
                f"{x // shape.d_items} item {x % shape.d_items}: expected the scales "
                f"of lanes {wanted[x] % 65536 - 64} (A) and {(wanted[x] >> 16) - 64} "
                f"(B), found {have[x] % 65536 - 64} and {(have[x] >> 16) - 64}")
            return


def k_of(shape, lane, item):
    return next(k for k in range(shape.k) if shape.a_place(0, 0, k) == (lane, item))


def scale(shapes, options):
    program = Program()
    for n, shape in enumerate(shapes):
        probes = len(hot_groups(shape))
        program.part(str(shape), scale_body(shape, scale_bytes(shape, n), probes),
                     scale_inputs(shape, scale_bytes(shape, n)),
                     probes * 256 * shape.d_items)
    report, entries = [], 0
    for shape, found in zip(shapes, program.run(options)):
        check_scale(shape, found, report)
        entries += len(found) // 4
    return report, entries


# --- products -----------------------------------------------------------------------

V_C = 160
# title; what A, B and the rest hold; files of A, of B, of C and D; C; lanes or mode
DENSE_CASES = [
    ("C = 0", "integers", "vvv", "0", "full"),
    ("C = 1", "integers", "vvv", "one", "full"),
    ("C in VGPRs", "integers", "vvv", "c", "full"),
    ("D is C, twice", "integers", "vvv", "d", "full"),
    ("all in AGPRs", "integers", "aaa", "c", "full"),
    ("all in AGPRs, D is C, twice", "integers", "aaa", "d", "full"),
    ("A in AGPRs", "integers", "avv", "c", "full"),
    ("B, C, D in AGPRs", "integers", "vaa", "c", "full"),
    ("half of the lanes on", "integers", "vvv", "c", "half"),
    ("no lane on", "integers", "vvv", "c", "none"),
    ("real numbers", "reals", "vvv", "c", "full"),
    ("infinities and NaN", "specials", "vvv", "c", "full"),
    ("largest scales by smallest", "large scales", "vvv", "c", "full"),
    ("smallest scales by largest", "small scales", "vvv", "c", "full"),
    ("scales that are NaN", "NaN scales", "vvv", "c", "full"),
    ("FP16_OVFL", "overflow", "vvv", "c", "clamped"),
    ("overflow", "overflow", "vvv", "c", "full"),
]
SPARSE_CASES = [
    ("D in VGPRs", "integers", "vvv", "d once", "full"),
    ("twice", "integers", "vvv", "d", "full"),
    ("all in AGPRs", "integers", "aaa", "d", "full"),
    ("B in AGPRs", "integers", "vav", "d once", "full"),
    ("half of the lanes on", "integers", "vvv", "d once", "half"),
    ("real numbers", "reals", "vvv", "d once", "full"),
    ("infinities and NaN", "specials", "vvv", "d once", "full"),
    ("FP16_OVFL", "overflow", "vvv", "d once", "clamped"),
    ("overflow", "overflow", "vvv", "d once", "full"),
]
F32_MAX = float(FORMATS["f32"].value(FORMATS["f32"].max))
EXEC = {"half": 0x5AF00FA50123FEDC, "none": 0}


def cases_of(shape):
    cases = SPARSE_CASES if shape.sparse else DENSE_CASES
    kinds = {"integers"} if shape.result == "i32" else {"integers", "reals"}
    if all(f not in ("i8", "fp8", "fp6", "bf6", "fp4") for f in (shape.a, shape.b)):
        kinds.add("specials")
    if shape.scaled:
        kinds |= {"large scales", "small scales", "NaN scales"}
    if shape.a in ("f32", "bf16", "i8") or shape.scaled:
        kinds.add("overflow")  # of the result; smaller types cannot reach it
    return [c for c in cases if c[1] in kinds]


def e8m0(code):
    return NAN if code == 255 else 2.0 ** (code - 127)


class Operands:
    """Numbers for every place, with their encodings."""

    def __init__(self, shape, kind, seed):
        self.shape, self.kind = shape, kind
        self.rng = random.Random(seed)
        self.a = self._matrix(shape.a, shape.a_items)
        self.b = self._matrix(shape.b, shape.b_items)
        if kind == "specials":
            # one row of A: infinity once; another: NaN once; B there 0 and +-1
            for lane in range(64):
                for item in range(shape.a_items):
                    row, k = self._row_k(lane, item)
                    if k == 1 % (shape.k // (2 if shape.sparse else 1)):
                        self.a[lane][item] = {1: INF, 2: NAN, 3: -INF}.get(row, 1.0)
        wide = "f64" if shape.result == "f64" else "f32"
        if kind != "reals":
            self.c = [[float(self.rng.randint(-50, 50)) for _ in range(shape.d_items)]
                      for _ in range(64)]
        else:
            self.c = [self._reals(wide, shape.d_items) for _ in range(64)]
        self.c_format = "i32" if shape.result == "i32" else wide
        self.variant = self.rng.randrange(6)
        ranges = {"large scales": ((250, 254), (0, 4)),
                  "small scales": ((0, 4), (250, 254)),
                  "overflow": ((250, 250), (127, 127))}
        self.scales = [[self.rng.randint(*ends) for _ in range(64)]
                       for ends in ranges.get(kind, ((124, 130), (124, 130)))]
        if kind == "NaN scales":
            self.scales[0][5] = self.scales[1][9] = 255
        if kind == "overflow":
            self._overflow()

    def _overflow(self):
        """Row 0 above the largest number, row 1 below the smallest, the others far
        from both; C alone stays inside."""
        shape = self.shape
        wide = shape.a in ("f32", "bf16")
        big = 2.0 ** 66 if wide else 127.0 if shape.a == "i8" else 1.0
        limit = 2.0 ** 31 - 1 if shape.result == "i32" else 2.0 ** 127
        for lane in range(64):
            for item in range(shape.a_items):
                row, _ = self._row_k(lane, item)
                self.a[lane][item] = {0: big, 1: -big}.get(row, 0.0)
            self.b[lane] = [2.0 ** 62 if wide else big] * shape.b_items
        for block in range(shape.blocks):
            for i in range(shape.m):
                for j in range(shape.m):
                    lane, item = shape.d_place(block, i, j)
                    self.c[lane][item] = {0: limit, 1: -limit}.get(i, 3.0)

    def _row_k(self, lane, item):
        """Row and k of an item of A, whatever reads it."""
        if not hasattr(self, "_rows"):
            s = self.shape
            self._rows = {s.a_place(b, i, k): (i, k) for b in range(s.blocks)
                          for i in range(s.m)
                          for k in range(s.k // (2 if s.sparse else 1))}
        return self._rows[lane, item]

    def _matrix(self, fmt, items):
        if self.kind == "reals":
            return [self._reals(fmt, items) for _ in range(64)]
        low, high = (-2, 2) if self.kind == "specials" else (-4, 4)
        if fmt == "i8":
            low, high = -128, 127
        values = [float(n) for n in range(low, high + 1)]
        return [self.rng.choices(values, k=items) for _ in range(64)]

    def _reals(self, fmt, count):
        """Any finite numbers of a small format, of a wide one within 2**+-20."""
        form = FORMATS[fmt]
        if form.bits <= 16 and fmt != "bf16":
            return self.rng.choices(finite_values(fmt), k=count)
        out = []
        for _ in range(count):
            exponent = form.bias + self.rng.randint(-20, 20)
            bits = self.rng.getrandbits(form.fbits) | exponent << form.fbits
            out.append(float(form.value(bits | self.rng.getrandbits(1) * form.sign)))
        return out

    def encoded(self):
        """Bytes of A, B, C, and what else the instruction reads."""
        shape = self.shape

        def encode(value, fmt):
            if fmt == "i32":
                return int(value) & 0xFFFFFFFF
            if math.isnan(value):
                return FORMATS[fmt].nan
            if math.isinf(value):
                return FORMATS[fmt].inf | (FORMATS[fmt].sign if value < 0 else 0)
            return encode_exact(value, fmt)

        def operand(matrix, fmt, count):
            return pack([{i: encode(v, fmt) for i, v in enumerate(row)}
                         for row in matrix], fmt, count)

        out = operand(self.a, shape.a, shape.registers("a"))
        out += operand(self.b, shape.b, shape.registers("b"))
        out += operand(self.c, self.c_format, shape.registers("d"))
        if shape.sparse:
            out += struct.pack("<64I", *(index_word(shape, lane, self.variant)[0]
                                         for lane in range(64)))
        if shape.scaled:
            for lanes, selected in zip(self.scales, scale_bytes(shape, 7)):
                out += struct.pack("<64I", *(scale_word(x, selected) for x in lanes))
        return out

    def product(self, c):
        """[lane][item]: A x B + c exactly, and the sum of the magnitudes. c is
        self.c or one number."""
        shape, places = self.shape, places_of(self.shape)
        sign_ab = (-1) ** (shape.neg[0] + shape.neg[1])
        sign_c = -1 if shape.neg[2] else 1
        sums = [[None] * shape.d_items for _ in range(64)]
        sizes = [[None] * shape.d_items for _ in range(64)]
        reals = self.kind == "reals"
        number = Fraction if shape.result == "f64" and reals else float
        columns = [number(self.b[lane][item]) for lane, item in places.b]
        rows = [number(sign_ab * self.a[lane][item]) for lane, item in places.a]
        if shape.scaled:
            for values, scales in ((rows, self.scales[0]), (columns, self.scales[1])):
                for n in range(len(values)):
                    row, k = divmod(n, shape.k)
                    values[n] *= e8m0(scales[shape.scale_lane(row, k)])
        kept = shape.k // (2 if shape.sparse else 1)
        for n, d_row in enumerate(places.d):  # rows of all blocks
            row = rows[n * kept:(n + 1) * kept]
            first = n // shape.m * shape.m  # column of the same block
            if shape.sparse:
                pairs = [index_word(shape, lane, self.variant)[1][item // 2]
                         for lane, item in places.a[n * kept:(n + 1) * kept]]
                at = [4 * (k // 2) + pair[k % 2] for k, pair in enumerate(pairs)]
            for j, (lane, item) in enumerate(d_row):
                start = sign_c * number(c[lane][item] if isinstance(c, list) else c)
                column = columns[(first + j) * shape.k:(first + j + 1) * shape.k]
                if shape.sparse:
                    column = [column[k] for k in at]
                if reals:
                    terms = list(map(mul, row, column))
                    terms.append(start)
                    sums[lane][item] = sum(terms) if number is Fraction else \
                        math.fsum(terms)
                    sizes[lane][item] = float(sum(map(abs, terms)))
                else:
                    sums[lane][item] = sum(map(mul, row, column), start)
        return sums, sizes


class Places:
    """(lane, item) of A by row and k, of B by column and k, of D by row and column;
    the blocks follow each other."""

    def __init__(self, shape):
        blocks, m = range(shape.blocks), range(shape.m)
        kept = range(shape.k // (2 if shape.sparse else 1))

        def read(place, lane_read):
            return lane_read(place[0]), place[1]

        self.a = [read(shape.a_place(b, i, k), shape.a_lane_read)
                  for b in blocks for i in m for k in kept]
        self.b = [read(shape.b_place(b, j, k), shape.b_lane_read)
                  for b in blocks for j in m for k in range(shape.k)]
        self.d = [[shape.d_place(b, i, j) for j in m] for b in blocks for i in m]


_places = {}


def places_of(shape):
    """Pairs of formats as wide have the same places."""
    key = (shape.m, shape.k, shape.blocks, shape.sparse, shape.double, shape.mixed,
           shape.modifiers() if not shape.mixed else "", BITS[shape.a], BITS[shape.b])
    if key not in _places:
        _places[key] = Places(shape)
    return _places[key]


def product_body(shape, cases, kinds):
    nd = shape.registers("d")
    lines = [offsets()]
    loaded = None
    operand_bytes = 4 * 64 * (shape.registers("a") + shape.registers("b") + nd +
                              shape.sparse + 2 * shape.scaled)
    for _, kind, files, c, lanes in cases:
        if kind != loaded:
            lines += [f"  s_add_u32 s8, s4, part_input+{operand_bytes}*"
                      f"{kinds.index(kind)}", "  s_addc_u32 s9, s5, 0",
                      load(shape, "a", V_A), load(shape, "b", V_B),
                      load(shape, "d", V_C)]
            if shape.sparse:
                lines.append(move("load", V_INDEX, 1, V_OFFSET[1]))
            if shape.scaled:
                lines += [move("load", V_SCALE + x, 1, V_OFFSET[1]) for x in (0, 1)]
            lines.append("  s_waitcnt vmcnt(0)")
            loaded = kind
        for operand, first, file in (("a", V_A, files[0]), ("b", V_B, files[1]),
                                     ("d", V_C, files[2])):
            if file == "a":
                for r in range(shape.registers(operand)):
                    lines.append(f"  v_accvgpr_write_b32 a{first + r}, v{first + r}")
        # D starts as C, or as something that must not stay
        for r in range(nd):
            source = f"v{V_C + r}" if c[0] == "d" else "0xdeadbeef"
            lines.append(f"  v_mov_b32_e32 v{V_D + r}, {source}")
            if files[2] == "a":
                lines.append(f"  v_accvgpr_write_b32 a{V_D + r}, v{V_D + r}")
        third = {"0": "0", "one": "1" if shape.result == "i32" else "1.0", "c": V_C,
                 "d": V_D, "d once": V_D}[c]
        if lanes == "clamped":
            lines.append("  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1")
        elif lanes != "full":
            lines += [f"  s_mov_b32 exec_lo, 0x{EXEC[lanes] & 0xFFFFFFFF:x}",
                      f"  s_mov_b32 exec_hi, 0x{EXEC[lanes] >> 32:x}"]
        scales = scale_operands(scale_bytes(shape, 7)) if shape.scaled else ""
        one = instruction(shape, V_D, V_A, V_B, third, scales, files)
        lines += [one] * (2 if c == "d" else 1)
        if lanes == "clamped":
            lines.append("  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 0")
        elif lanes != "full":
            lines.append("  s_mov_b64 exec, -1")
        if files[2] == "a":
            lines += [f"  v_accvgpr_read_b32 v{V_D + r}, a{V_D + r}" for r in range(nd)]
        lines.append(move("store", V_D, nd, V_OFFSET[nd]))
    return "\n".join(lines)


def decode_results(shape, data):
    code = {"i32": "<%di", "f32": "<%df", "f64": "<%dd"}[shape.result]
    values = struct.unpack(code % (64 * shape.d_items), data)
    return [values[lane * shape.d_items:(lane + 1) * shape.d_items]
            for lane in range(64)]


def overflowed(shape, clamped, wanted):
    """ISA 7.1.2 "Clamp": what becomes of a result beyond the range of its type."""
    if shape.result == "i32":
        if clamped:
            return min(max(wanted, -2 ** 31), 2 ** 31 - 1)
        return (wanted + 2 ** 31) % 2 ** 32 - 2 ** 31
    if abs(wanted) <= F32_MAX:
        return wanted
    return math.copysign(F32_MAX if clamped else INF, wanted)


def wrong(shape, kind, clamped, wanted, size, found):
    if kind == "overflow":
        return found != overflowed(shape, clamped, wanted)
    if kind == "reals":
        # any order of the sum, each product and each partial sum rounded once
        steps = 2 * shape.k + 2
        unit = 2.0 ** (-53 if shape.result == "f64" else -24)
        return not abs(found - wanted) <= steps * unit * size + 2.0 ** -149
    if math.isnan(wanted):
        return not math.isnan(found)
    if shape.result == "i32":
        return (int(wanted) - found) % 2 ** 32 != 0
    return found != wanted


def product(shapes, options):
    program = Program()
    operands = []
    for n, shape in enumerate(shapes):
        cases = cases_of(shape)
        kinds = list(dict.fromkeys(c[1] for c in cases))
        given = {kind: Operands(shape, kind, f"{n} {kind}") for kind in kinds}
        operands.append((cases, given))
        data = b"".join(given[kind].encoded() for kind in kinds)
        body = product_body(shape, cases, kinds).replace(
            "part_input", str(program.input_bytes))
        program.part(str(shape), body, data,
                     len(cases) * 256 * shape.registers("d"))
    report, entries = [], 0
    for shape, (cases, given), found in zip(shapes, operands, program.run(options)):
        size = 256 * shape.registers("d")
        known = {}
        for n, (title, kind, _, c, mode) in enumerate(cases):
            results = decode_results(shape, found[n * size:(n + 1) * size])
            entries += 64 * shape.d_items
            key = (kind, {"d once": "c"}.get(c, c))
            if key not in known:
                start = {"0": 0.0, "one": 1.0}.get(c, given[kind].c)
                known[key] = given[kind].product(start)
                if c == "d":
                    known[key] = given[kind].product(known[key][0])
            sums, sizes = known[key]
            bad = [(lane, item) for lane in range(64) for item in range(shape.d_items)
                   if wrong(shape, kind, mode == "clamped", sums[lane][item], sizes[lane][item],
                            results[lane][item])]
            if bad:
                lane, item = bad[0]
                report.append(f"{shape}, {title}: {len(bad)} of {64 * shape.d_items} "
                              f"entries differ; lane {lane} item {item}: expected "
                              f"{float(sums[lane][item])!r}, found "
                              f"{results[lane][item]!r}")
                break  # one line an instruction
    return report, entries


PROBES = {"layout": layout, "scale": scale, "product": product}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--llvm-bin", required=True)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--keep", help="leave the files of the run there")
    parser.add_argument("probe", choices=PROBES)
    parser.add_argument("family", choices=FAMILIES)
    parser.add_argument("text", nargs="?", default="")
    options = parser.parse_args()
    shapes = [s for s in FAMILIES[options.family] if options.text in str(s)]
    if not shapes:
        print(f"no instruction of {options.family} has {options.text!r} in it")
        return 2
    try:
        report, entries = PROBES[options.probe](shapes, options)
    except Broken as broken:
        print(f"{options.probe} {options.family}: {broken}")
        return 2
    for line in report[:40]:
        print(line)
    print(f"{options.probe} {options.family}: {len(shapes)} instructions, "
          f"{entries} entries, {len(report)} differ")
    return 1 if report else 0


if __name__ == "__main__":
    sys.exit(main())
