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

from array import array
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from emu_formats import encode_exact  # noqa: E402
from emu_mfma_asm import (PAIRS, V_A, V_B, V_D, V_INDEX, V_OFFSET, V_SCALE, V_SUM,  # noqa: E402
                          index_word, instruction, load, offsets, pack, scale_bytes,
                          scale_operands, scale_word, zero)
from emu_mfma_layout import FAMILIES  # noqa: E402
from emu_mfma_product import product  # noqa: E402
from emu_program import Program, move, parse_arguments  # noqa: E402
from emu_test import Broken  # noqa: E402

# values that every format has; doubled, each has a hexadecimal digit of its own
DIGITS = [0, 0.5, 1, 1.5, 2, 3, 4, 6]
CODES = [int(2 * d) for d in DIGITS]
# places of B never have a digit 0: absent and "place 0" must differ
B_PASSES, A_PASSES = 4, 2


def digit(value, fmt):
    """A digit's value in a format; integers stand for themselves."""
    return encode_exact(int(2 * value) if fmt == "i8" else value, fmt)


def unit(fmt):
    return 2 if fmt == "i8" else 1  # so that doubled digits come out everywhere alike


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


PROBES = {"layout": layout, "scale": scale, "product": product}


def main():
    options = parse_arguments(__doc__, ("probe", PROBES), ("family", FAMILIES))
    shapes = options.slice.of(s for s in FAMILIES[options.family] if options.text in str(s))
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
