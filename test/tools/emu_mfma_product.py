# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of random data: exact ones exactly, others within the bound of any order of the
sum; C from everywhere, D over C, AGPRs, lanes off, the ends of every range."""

from fractions import Fraction
import math
from operator import mul
import os
import random
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from emu_formats import FORMATS, INF, NAN, encode_exact, finite_values  # noqa: E402
from emu_mfma_asm import (V_A, V_B, V_D, V_INDEX, V_OFFSET, V_SCALE, index_word,  # noqa: E402
                          instruction, load, offsets, pack, scale_bytes, scale_operands,
                          scale_word)
from emu_mfma_layout import BITS  # noqa: E402
from emu_program import Program, move  # noqa: E402

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
    ("smallest scales by large", "tiny scales", "vvv", "c", "full"),
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
        kinds |= {"large scales", "small scales", "tiny scales", "NaN scales"}
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
                  "tiny scales": ((0, 4), (219, 223)),
                  "overflow": ((250, 250), (127, 127))}
        self.scales = [[self.rng.randint(*ends) for _ in range(64)]
                       for ends in ranges.get(kind, ((124, 130), (124, 130)))]
        if kind == "tiny scales":  # products near 2^-32: C as small, or it hides them
            self.c = [[math.ldexp(c, -32) for c in lane] for lane in self.c]
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
