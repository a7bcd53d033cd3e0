# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which lane, register and bits hold which matrix element: every gfx950 shape, as
documented. Nothing here comes from the emulator or the compiler.

Sources:
  ISA   AMD CDNA4 Instruction Set Architecture, chapter 7 (7.1.4 general layout,
        7.1.5.1 layouts of 8-bit and smaller types, 7.1.6 broadcasts, 7.2.1 scales,
        7.5.1 sparse layouts)
  CALC  ROCm/amd_matrix_instruction_calculator (CDNA3)
  HW    ROCm/hip-fpsan, whose LayoutMatchesHardware tests compare these maps with a
        gfx950 device bit by bit (tests/mfma_gfx950_*_test.cpp)
  LLVM  llvm/llvm-project pull request 193541 (sets of sparse indices on gfx950)

Where they disagree:
  f64 4x4x4: D[i][j] of block b is in lane 16i + 4b + j (CALC, HW); ISA's general
  formula would give 4i + 16b + j. HW decides.
  Broadcasting among some of the blocks only (1 < 2**cbsz < blocks): ISA 7.1.6.1 gives
  the formula used here, CALC another one, HW uses ISA's but has no test of it.

A lane's items are numbered from the low bits of its first register on.
"""

BITS = {"f64": 64, "f32": 32, "i32": 32, "f16": 16, "bf16": 16, "i8": 8, "fp8": 8, "bf8": 8,
        "fp6": 6, "bf6": 6, "fp4": 4}
F8F6F4 = ["fp8", "bf8", "fp6", "bf6", "fp4"]  # cbsz and blgp 0..4


class Shape:
    """One instruction with the modifiers that decide its operands' places."""

    def __init__(self, mnemonic, a, b, m, k, blocks=1, sparse=False, double=False,
                 cbsz=None, abid=0, blgp=None, scaled=False, neg=(0, 0, 0)):
        self.mnemonic, self.a, self.b = mnemonic, a, b
        self.m, self.k, self.blocks = m, k, blocks
        self.sparse = sparse
        self.double = double  # smfmac: one of the shapes that gfx950 added
        self.cbsz, self.abid, self.blgp = cbsz, abid, blgp
        self.neg = neg
        self.scaled = scaled
        self.mixed = "f8f6f4" in mnemonic
        self.result = {"f64": "f64", "i8": "i32"}.get(a, "f32")
        self.groups = 64 // (m * blocks)  # lanes that hold different k of one row
        self.a_items = k // self.groups // (2 if sparse else 1)
        self.b_items = k // self.groups
        self.d_items = m * m * blocks // 64

    # --- places: (lane, item) ---------------------------------------------------

    def _input(self, fmt, block, row, k, items):
        if self.mixed and BITS[fmt] == 8:
            # ISA 7.1.5.1 "FP8": two runs of 16 items, half of K apart
            return (row + self.m * (k % (self.k // 2) // 16),
                    16 * (k // (self.k // 2)) + k % 16)
        # ISA 7.1.4.1; the FP6 and FP4 tables of 7.1.5.1 are the same rule
        return row + self.m * (block + self.blocks * (k // items)), k % items

    def a_place(self, block, i, k):
        """Of A[i][k]; with a sparse A, k counts the elements that are kept."""
        return self._input(self.a, block, i, k, self.a_items)

    def b_place(self, block, j, k):
        if self.sparse and self.double:
            # ISA 7.5.1.3: the two halves of K follow each other in the registers
            half, run = self.k // 2, self.b_items // 2
            return j + self.m * (k % half // run), run * (k // half) + k % run
        return self._input(self.b, block, j, k, self.b_items)

    def d_place(self, block, i, j):
        """ISA 7.1.4.2, with CALC's order of rows and blocks inside an item."""
        height = 1 if self.result == "f64" else 4
        blocks_per_item = -(-64 // (self.m * self.m // height))
        rows_per_item = 64 // blocks_per_item // self.m
        item = i % height + height * (i // (height * rows_per_item) +
                                      self.m // (height * rows_per_item) *
                                      (block // blocks_per_item))
        lane = j + self.m * (block % blocks_per_item +
                             blocks_per_item * (i // height % rows_per_item))
        return lane, item

    # --- modifiers --------------------------------------------------------------

    def a_lane_read(self, lane):
        """ISA 7.1.6.1."""
        if self.sparse or self.mixed or self.result == "f64" or not self.cbsz:
            return lane
        size = 64 >> self.cbsz
        return lane % size + size * self.abid

    def b_lane_read(self, lane):
        """ISA 7.1.6.3, table 29."""
        if self.mixed or self.result == "f64" or not self.blgp:
            return lane
        return {1: lane % 32, 2: lane % 32 + 32, 3: (lane + 16) % 64,
                4: lane % 16, 5: lane % 16 + 16, 6: lane % 16 + 32,
                7: lane % 16 + 48}[self.blgp]

    def index_shift(self):
        """ISA 7.5 "Sparse Index Select": the first bit of the set that counts. Sets
        hold two bits an item of A, so eight 8-bit shapes of gfx950 have one set."""
        size = 2 * self.a_items
        sets = 32 // size
        return size * (self.abid % sets) if not self.cbsz else 0

    def scale_lane(self, row, k):
        """ISA 7.2.1: one scale for 32 values of k."""
        return row + self.m * (k // 32)

    # --- what the assembler needs -----------------------------------------------

    def registers(self, operand):
        items, bits = {"a": (self.a_items, BITS[self.a]),
                       "b": (self.b_items, BITS[self.b]),
                       "d": (self.d_items, 64 if self.result == "f64" else 32)
                       }[operand]
        return items * bits // 32

    def modifiers(self):
        text = ""
        if self.mixed:
            text += f" cbsz:{F8F6F4.index(self.a)} blgp:{F8F6F4.index(self.b)}"
        else:
            if self.cbsz is not None:
                text += f" cbsz:{self.cbsz} abid:{self.abid}"
            if self.blgp is not None:
                text += f" blgp:{self.blgp}"
        if any(self.neg):
            text += " neg:[%d,%d,%d]" % tuple(self.neg)
        return text

    def __str__(self):
        return self.mnemonic + self.modifiers()


def _dense():
    for fmt, scale in (("f32", 1), ("f16", 4), ("bf16", 4), ("i8", 4)):
        out = "i32" if fmt == "i8" else "f32"
        one = {"f32": [(32, 2), (16, 4)], "i8": [(32, 16), (16, 32)]}.get(
            fmt, [(32, 8), (16, 16)])
        for m, blocks in ((32, 2), (16, 4), (4, 16)):
            yield Shape(f"v_mfma_{out}_{m}x{m}x{scale}_{blocks}b_{fmt}", fmt, fmt, m,
                        scale, blocks)
        for m, k in one:
            yield Shape(f"v_mfma_{out}_{m}x{m}x{k}_{fmt}", fmt, fmt, m, k)
            if fmt != "f32":  # twice as deep: gfx950
                yield Shape(f"v_mfma_{out}_{m}x{m}x{2 * k}_{fmt}", fmt, fmt, m, 2 * k)
    for a in ("fp8", "bf8"):
        for b in ("fp8", "bf8"):
            for m, k in ((16, 32), (32, 16)):
                yield Shape(f"v_mfma_f32_{m}x{m}x{k}_{a}_{b}", a, b, m, k)


def _broadcast():
    for s in _dense():
        if s.blocks > 1:
            for cbsz in range(1, s.blocks.bit_length()):
                for abid in range(1 << cbsz):
                    yield Shape(s.mnemonic, s.a, s.b, s.m, s.k, s.blocks, cbsz=cbsz,
                                abid=abid, blgp=(3 * abid + cbsz) % 8)
        if s.blocks > 1 or s.a == "f32":  # what CALC allows
            for blgp in range(1, 8):
                yield Shape(s.mnemonic, s.a, s.b, s.m, s.k, s.blocks, blgp=blgp)


def _f64():
    for name, m, blocks in (("16x16x4", 16, 1), ("4x4x4_4b", 4, 4)):
        for neg in range(8):
            yield Shape(f"v_mfma_f64_{name}_f64", "f64", "f64", m, 4, blocks,
                        neg=(neg & 1, neg >> 1 & 1, neg >> 2))
        # ignored: ISA 7.1.6.4
        yield Shape(f"v_mfma_f64_{name}_f64", "f64", "f64", m, 4, blocks, cbsz=1,
                    abid=1)


def _f8f6f4(scaled):
    for m, k in ((16, 128), (32, 64)):
        for a in F8F6F4:
            for b in F8F6F4:
                yield Shape("v_mfma_%sf32_%dx%dx%d_f8f6f4"
                            % ("scale_" if scaled else "", m, m, k), a, b, m, k,
                            scaled=scaled)


def _sparse():
    pairs = [("f16", "f16"), ("bf16", "bf16"), ("i8", "i8")]
    pairs += [(a, b) for a in ("fp8", "bf8") for b in ("fp8", "bf8")]
    for a, b in pairs:
        for m, base in ((16, 32), (32, 16)):
            for double in (False, True):
                k = base * (16 // BITS[a]) << double
                name = a if b == a and BITS[a] == 16 or a == "i8" else f"{a}_{b}"
                yield Shape("v_smfmac_%s_%dx%dx%d_%s" % (
                    "i32" if a == "i8" else "f32", m, m, k, name), a, b, m, k,
                    sparse=True, double=double)


def _sparse_sets():
    for s in _sparse():
        sets = 32 // (2 * s.a_items)
        for cbsz, abid in [(0, x) for x in range(sets)] + [(1, sets - 1), (3, 0)] + \
                ([(0, 1)] if sets == 1 else []):
            yield Shape(s.mnemonic, s.a, s.b, s.m, s.k, sparse=True, double=s.double,
                        cbsz=cbsz, abid=abid)


FAMILIES = {
    "dense": list(_dense()), "broadcast": list(_broadcast()), "f64": list(_f64()),
    "f8f6f4": list(_f8f6f4(False)), "scale": list(_f8f6f4(True)),
    "sparse": list(_sparse()), "sparse_sets": list(_sparse_sets()),
}
