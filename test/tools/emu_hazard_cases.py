# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pairs of instructions as LLVM's machine IR, and the wait states that must stand between.

A case: (rule, states, producer, consumer). `rule` is a name of isa/rules/wait_states.def;
None: the two may follow each other, however many states LLVM fills in. Where LLVM 22
fills in fewer than are required: (rule, states that it fills in, states required,
producer, consumer). The numbers are those of the CDNA4 ISA, tables 11 and 38, of LLVM's
GCNHazardRecognizer.cpp, and of its pull requests 140218, 197267 and 218363.
"""

import re

EXEC = ", implicit $exec"
MODE = ", implicit $mode, implicit $exec"
FAR = 200  # registers that no case means


def v(first, count=1, file="v"):
    return "$" + "_".join(f"{file}gpr{first + i}" for i in range(count))


def a(first, count=1):
    return v(first, count, "a")


def s(first, count=1):
    return v(first, count, "s")


# --- matrix instructions ---------------------------------------------------------------


class Matrix:
    """An opcode of LLVM: registers of D, A and B, passes, kind."""

    def __init__(self, opcode, d, a, b, passes, kind):
        self.opcode, self.d, self.a, self.b = opcode, d, a, b
        self.passes, self.kind = passes, kind

    def text(self, d=0, a=64, b=80, c=None, scales=(100, 101), kinds=(0, 0)):
        """D = A B + C, each the first register of its operand. Of f8f6f4, `kinds` chooses
        among the formats of a size: 1 for bf8 and bf6."""
        c = d if c is None else c
        head = f"{v(d, self.d)} = {self.opcode} {v(a, self.a)}, {v(b, self.b)}"
        if "SMFMAC" in self.opcode:
            return f"{head}, {v(c)}, 0, 0, {v(d, self.d)}{MODE}"  # c: the index
        tail = "0, 0, 0"
        if "F8F6F4" in self.opcode:
            formats = [{"f8": 0, "f6": 2, "f4": 4}[f]
                       for f in self.opcode.split("F8F6F4_")[1].split("_")[:2]]
            tail = ", ".join(str(f + k) for f, k in zip(formats, kinds))
            if "SCALE" in self.opcode:
                tail += f", {v(scales[0])}, {v(scales[1])}, 0, 0"
        return f"{head}, {v(c, self.d)}, {tail}{MODE}"


def matrices():
    """Every matrix instruction of gfx950. Passes: CDNA4 ISA, table of VOP3P-MAI opcodes."""
    def mfma(name, d, operand, passes, kind="xdl"):
        return Matrix(f"V_MFMA_{name}_vgprcd_e64", d, operand, operand, passes, kind)
    found = []
    for t, old in (("BF16", "BF16_1K"), ("F16", "F16")):
        found += [mfma(f"F32_32X32X16_{t}", 16, 4, 8), mfma(f"F32_16X16X32_{t}", 4, 4, 4),
                  mfma(f"F32_32X32X8{old}", 16, 2, 8), mfma(f"F32_16X16X16{old}", 4, 2, 4),
                  mfma(f"F32_32X32X4{old}", 32, 2, 16), mfma(f"F32_16X16X4{old}", 16, 2, 8),
                  mfma(f"F32_4X4X4{old}", 4, 2, 2)]
    found += [mfma("F32_32X32X2F32", 16, 1, 16, "sgemm"), mfma("F32_16X16X4F32", 4, 1, 8, "sgemm"),
              mfma("F32_32X32X1F32", 32, 1, 16, "sgemm"), mfma("F32_16X16X1F32", 16, 1, 8, "sgemm"),
              mfma("F32_4X4X1F32", 4, 1, 2, "sgemm"),
              mfma("I32_32X32X32_I8", 16, 4, 8), mfma("I32_16X16X64_I8", 4, 4, 4),
              mfma("I32_32X32X16I8", 16, 2, 8), mfma("I32_16X16X32I8", 4, 2, 4),
              mfma("I32_32X32X4I8", 32, 1, 16), mfma("I32_16X16X4I8", 16, 1, 8),
              mfma("I32_4X4X4I8", 4, 1, 2),
              mfma("F64_16X16X4F64", 8, 2, 16, "dgemm16"), mfma("F64_4X4X4F64", 2, 2, 4, "dgemm4")]
    eight = [(x, y) for x in ("FP8", "BF8") for y in ("FP8", "BF8")]
    for x, y in eight:
        found += [mfma(f"F32_32X32X16_{x}_{y}", 16, 2, 8), mfma(f"F32_16X16X32_{x}_{y}", 4, 2, 4)]
    size = {"f8": 8, "f6": 6, "f4": 4}
    for scale in ("", "SCALE_"):
        for shape, d, passes in (("32X32X64", 16, 8), ("16X16X128", 4, 4)):
            for x in size:
                for y in size:
                    found.append(Matrix(f"V_MFMA_{scale}F32_{shape}_F8F6F4_{x}_{y}_vgprcd_e64",
                                        d, size[x], size[y],
                                        passes * (2 if "f8" in (x, y) else 1), "xdl"))
    sparse = [("F32_{}_F16", "16X16X32", "32X32X16", 2), ("F32_{}_BF16", "16X16X32", "32X32X16", 2),
              ("I32_{}_I8", "16X16X64", "32X32X32", 2), ("F32_{}_F16", "16X16X64", "32X32X32", 4),
              ("F32_{}_BF16", "16X16X64", "32X32X32", 4), ("I32_{}_I8", "16X16X128", "32X32X64", 4)]
    sparse += [(f"F32_{{}}_{x}_{y}", small, large, n) for x, y in eight
               for small, large, n in (("16X16X64", "32X32X32", 2), ("16X16X128", "32X32X64", 4))]
    for name, small, large, n in sparse:
        found += [Matrix(f"V_SMFMAC_{name.format(small)}_e64", 4, n, 2 * n, 4, "xdl"),
                  Matrix(f"V_SMFMAC_{name.format(large)}_e64", 16, n, 2 * n, 8, "xdl")]
    return found


MATRICES = matrices()
BY_OPCODE = {m.opcode: m for m in MATRICES}


def pick(name):
    return BY_OPCODE[f"V_MFMA_{name}_vgprcd_e64"]


# one of each kind and number of passes
CHOSEN = [pick(n) for n in ("F32_4X4X4F16", "F32_16X16X32_BF16", "F32_32X32X16_BF16",
                            "F32_32X32X64_F8F6F4_f8_f8", "F32_4X4X1F32", "F32_16X16X4F32",
                            "F32_32X32X2F32", "F64_4X4X4F64", "F64_16X16X4F64")]


def by_passes(m, two, four, eight, sixteen):
    return {2: two, 4: four, 8: eight, 16: sixteen}[m.passes]


def reads_d(m):
    """States before a vector ALU read of D: rule, number."""
    return {"xdl": ("xdl-read", by_passes(m, 5, 8, 12, 20)),
            "sgemm": ("sgemm-read", by_passes(m, 4, 6, 10, 18)),
            "dgemm16": ("dgemm16-read", 19), "dgemm4": ("dgemm4-read", 6)}[m.kind]


def c_other(p, c):
    """C of a matrix instruction overlaps D of another, but is not the same."""
    if p.kind == "xdl":
        if c.kind == "xdl":
            return "xdl-c", by_passes(p, 4, 6, 10, 18)
        return "xdl-c-wide", by_passes(p, 3, 6, 10, 18)
    if c.kind == "xdl":
        return None, 0
    return {"sgemm": ("sgemm-c", by_passes(p, 2, 4, 8, 16)),
            "dgemm16": ("dgemm16-c", 17), "dgemm4": ("dgemm4-c", 4)}[p.kind]


def c_same(p, c):
    """C is exactly D. Only equal opcodes forward it: LLVM pull request 218363."""
    if p.d != c.d:
        return c_other(p, c)
    if p.kind == "dgemm4":
        return "dgemm4-c-same", 4
    filled = 2 if p.passes == 2 else 0
    if p is not c and p.kind == "xdl":
        return "xdl-c-other", filled, by_passes(p, 4, 6, 10, 18)
    if p is not c and p.kind == "sgemm":
        required = by_passes(p, 2, 4, 8, 16)
        if required > filled:
            return "sgemm-c-other", filled, required
    return ("mfma-c-same", 2) if filled else (None, 0)


def source_ab(p):
    return {"xdl": ("xdl-ab", by_passes(p, 5, 8, 12, 20)),
            "sgemm": ("sgemm-ab", by_passes(p, 4, 6, 10, 18)),
            "dgemm16": ("dgemm16-ab", 19), "dgemm4": ("dgemm4-ab", 6)}[p.kind]


MOVE = f"{v(FAR)} = V_MOV_B32_e32 {{}}{EXEC}"
STORE = f"GLOBAL_STORE_DWORD {v(FAR, 2)}, {v(0)}, 0, 0{EXEC}"
DS_WRITE = f"DS_WRITE_B32_gfx9 {v(FAR)}, {v(0)}, 0, 0{EXEC}"


def write(register, source=FAR):
    return f"{v(register)} = V_MOV_B32_e32 {v(source)}{EXEC}"


def read(register):
    return MOVE.format(v(register))


def load(register):
    return f"{v(register)} = GLOBAL_LOAD_DWORD {v(FAR, 2)}, 0, 0{EXEC}"


def ds_read(register):
    return f"{v(register)} = DS_READ_B32_gfx9 {v(FAR)}, 0, 0{EXEC}"


def f8f6f4_cases():
    """Passes by formats (CDNA4 ISA, table of VOP3P-MAI opcodes), scales, C of other formats."""
    cases = []
    shapes = (("32X32X64", 8), ("16X16X128", 4))
    for scale in ("", "SCALE_"):
        for shape, passes in shapes:
            def of(formats):
                return pick(f"{scale}F32_{shape}_F8F6F4_{formats}")
            # fp8, fp6, fp4 are among MATRICES: here bf8 and bf6 for one operand or both.
            for formats, kinds in (("f8_f8", (1, 0)), ("f8_f8", (1, 1)), ("f8_f6", (1, 1)),
                                   ("f6_f8", (1, 0)), ("f6_f8", (0, 1)), ("f8_f4", (1, 0)),
                                   ("f6_f6", (1, 0)), ("f6_f6", (1, 1)), ("f6_f4", (1, 0)),
                                   ("f4_f6", (0, 1))):
                n = {4: 8, 8: 12, 16: 20}[passes * (2 if "f8" in formats else 1)]
                cases.append(("xdl-read", n, of(formats).text(kinds=kinds), read(1)))
            # Only equal numbers of bits are the same opcode to LLVM pull request 218363.
            for x, y in (("f8_f8", "f4_f4"), ("f4_f4", "f8_f8"), ("f8_f6", "f6_f8"),
                         ("f6_f6", "f4_f4"), ("f4_f6", "f4_f4")):
                n = {4: 6, 8: 10, 16: 18}[passes * (2 if "f8" in x else 1)]
                cases.append(("xdl-c-other", 0, n, of(x).text(0), of(y).text(0, a=120, b=140)))
            for x, kinds in (("f8_f8", (1, 0)), ("f6_f6", (0, 1)), ("f6_f4", (1, 0))):
                cases.append((None, 0, of(x).text(0), of(x).text(0, a=120, b=140, kinds=kinds)))
    # The scaled form is another opcode than the plain one, both ways.
    plain, scaled = pick("F32_32X32X64_F8F6F4_f8_f8"), pick("SCALE_F32_32X32X64_F8F6F4_f8_f8")
    for x, y in ((plain, scaled), (scaled, plain)):
        cases += [("xdl-c-other", 0, 18, x.text(0), y.text(0, a=120, b=140)),
                  ("xdl-c", 18, x.text(0), y.text(128, a=160, b=180, c=8))]
    # Scales are read as A and B are.
    for scaled in (pick("SCALE_F32_16X16X128_F8F6F4_f8_f8"),
                   pick("SCALE_F32_32X32X64_F8F6F4_f4_f6")):
        for which in (0, 1):
            scales = tuple(2 if i == which else 100 for i in (0, 1))
            for p in CHOSEN:
                if p.d > 2:
                    cases.append((*source_ab(p), p.text(0), scaled.text(128, a=160, b=180,
                                                                        scales=scales)))
            cases += [("valu-mfma", 2, write(2), scaled.text(128, scales=scales)),
                      ("valu-mfma", 2, cvt_fp8(8).replace(v(0), v(2)),
                       scaled.text(128, scales=scales)),
                      (None, 0, scaled.text(128, scales=scales), write(2))]
    return cases


def matrix_cases():
    cases = []
    for m in MATRICES:  # kind and passes of each
        cases.append((*reads_d(m), m.text(c=FAR if "SMFMAC" in m.opcode else None), read(1)))
    for p in CHOSEN:
        for c in CHOSEN:
            cases.append((*c_same(p, c), p.text(0), c.text(128, c=0)))
            if p.d > 2:
                cases.append((*c_other(p, c), p.text(0), c.text(128, c=2)))
            cases.append((*source_ab(p), p.text(0), c.text(128, a=0)))
            cases.append((None, 0, p.text(0), c.text(0, a=60, c=192)))
        wars = by_passes(p, 1, 3, 7, 15) if p.kind == "xdl" else 0
        rule, n = reads_d(p)
        memory = {"dgemm16": ("dgemm16-memory", 18), "dgemm4": ("dgemm4-memory", 9)}
        kind, load_states = p.kind, 11 if p.kind == "dgemm16" else n
        # LLVM raised the reads for gfx950, not the writes: CDNA4 ISA, table 38
        over = (11, 19) if p.kind == "dgemm16" else (n,)
        cases += [
            (*memory.get(kind, (rule, n)), p.text(0), STORE),
            (*memory.get(kind, (rule, n)), p.text(0), DS_WRITE),
            (kind + "-overwrite", *over, p.text(0), write(1)),
            (kind + "-load", load_states, p.text(0), load(0)),
            (kind + "-load", load_states, p.text(0), ds_read(0)),
            ("xdl-c-overwrite" if wars else None, wars, p.text(0, c=128), write(129)),
            ("xdl-c-load" if wars else None, wars, p.text(0, c=128), load(129)),
            ("xdl-c-load" if wars else None, wars, p.text(0, c=128), ds_read(129)),
            (None, 0, p.text(0, c=128), write(64)),  # A and B are read at once
        ]
    # of two that write the same registers the nearer one counts
    first, second = pick("F32_32X32X4F16"), pick("F32_4X4X4F16")
    cases.append(("xdl-read", 5, first.text(0) + "\n" + second.text(0, c=128), read(1)))
    f64 = f"{v(0, 2)} = V_FMA_F64_e64 0, {v(2, 2)}, 0, {v(4, 2)}, 0, {v(6, 2)}, 0, 0{MODE}"
    fmac = f"{v(0, 2)} = V_FMAC_F64_e32 {v(2, 2)}, {v(4, 2)}, {v(0, 2)}{MODE}"
    addition = f"{v(0, 2)} = V_ADD_F64_e64 0, {v(2, 2)}, 0, {v(4, 2)}, 0, 0{MODE}"
    for p in (pick("F64_4X4X4F64"), pick("F64_16X16X4F64")):
        cases += [("dgemm-fma64", 2, p.text(40), f64), ("dgemm-fma64", 2, p.text(40), fmac),
                  (None, 0, p.text(40), addition)]
    small = pick("F32_16X16X4F32")
    acc = f"{a(0, 4)} = V_MFMA_F32_16X16X4F32_e64 {v(60)}, {v(80)}, {a(0, 4)}, 0, 0, 0{MODE}"
    sparse = BY_OPCODE["V_SMFMAC_F32_16X16X32_F16_e64"]
    scaled = BY_OPCODE["V_MFMA_SCALE_F32_16X16X128_F8F6F4_f4_f4_vgprcd_e64"]
    cases += [
        ("valu-mfma", 2, write(60), small.text(4, a=60)),
        ("valu-mfma", 2, write(21), small.text(4, c=20)),
        ("valu-mfma", 2, write(90), sparse.text(4, c=90)),
        ("valu-mfma", 2, write(101), scaled.text(4)),
        ("valu-mfma", 2, f"{a(0)} = V_ACCVGPR_WRITE_B32_e64 {v(1)}{EXEC}", acc),
        (None, 0, write(4), small.text(4, c=20)),
        ("xdl-ab", 8, sparse.text(0, c=90), sparse.text(16, a=32, b=40, c=1)),
        (None, 0, sparse.text(0, c=90), sparse.text(0, c=90)),
        ("exec-mfma", 4, CMPX, small.text(4)),
        (None, 0, "$exec = S_MOV_B64 -1", small.text(4)),
        # CDNA4 ISA, table 38: "DOT ... different opcode: 3", matrix instructions included
        ("dot-read", 0, 3, DOT4.format(d=0, x=4), small.text(4, a=0)),
        ("dot-read", 0, 3, DOT8.format(d=1, x=4), small.text(8, c=0)),
    ]
    return cases


# --- vector ALU ------------------------------------------------------------------------

CMPX = (f"V_CMPX_EQ_U32_e32 {v(0)}, {v(1)}, implicit-def $vcc, implicit-def $exec, "
        "implicit $exec")
CMP = f"V_CMP_EQ_U32_e32 {v(0)}, {v(1)}, implicit-def $vcc, implicit $exec"
CMP_64 = f"{s(10, 2)} = V_CMP_EQ_U32_e64 {v(0)}, {v(1)}{EXEC}"
DOT4 = "{{d}} = V_DOT4C_I32_I8_e32 {{x}}, {y}, {{d}}" + EXEC


class Template:
    """Registers by number in place of names."""

    def __init__(self, text):
        self.text = text

    def format(self, **registers):
        return self.text.format(**{k: v(n) for k, n in registers.items()})


DOT4 = Template(DOT4.format(y=v(5)))
DOT8 = Template("{d} = V_DOT8C_I32_I4_e32 {x}, " + v(5) + ", {d}" + EXEC)
EXP = f"{v(0)} = V_EXP_F32_e32 {v(9)}{MODE}"
DPP = f"{v(5)} = V_MOV_B32_dpp {v(5)}, {v(6)}, 273, 15, 15, 0{EXEC}"
DPP_ADD = f"{v(5)} = V_ADD_U32_dpp {v(5)}, {v(6)}, {v(7)}, 273, 15, 15, 0{EXEC}"
BUFFER_DMA = f"BUFFER_LOAD_DWORD_LDS_OFFEN {v(0)}, {s(8, 4)}, 0, 0, 0, 0{EXEC}, implicit $m0"
GLOBAL_DMA = f"GLOBAL_LOAD_LDS_DWORD {v(0, 2)}, 0, 0, implicit $m0, implicit $exec"
READFIRST = f"{s(4)} = V_READFIRSTLANE_B32 {v(9)}{EXEC}"


def swap(width, x, y):
    return f"{v(x)}, {v(y)} = V_PERMLANE{width}_SWAP_B32_e32 {v(x)}, {v(y)}{EXEC}"


def readlane(source, lane):
    return f"{s(0)} = V_READLANE_B32 {v(source)}, {s(lane)}"


def writelane(value, lane):
    return f"{v(20)} = V_WRITELANE_B32 {value}, {lane}, {v(20)}"


def cvt_fp8(op_sel):
    return f"{v(0)} = V_CVT_PK_FP8_F32_e64 {op_sel}, {v(3)}, 0, {v(4)}, {v(0)}, 0{MODE}"


def sdwa(dst_sel):
    return (f"{v(0)} = V_ADD_F16_sdwa 0, {v(3)}, 0, {v(4)}, 0, 0, {dst_sel}, 0, 6, 6{MODE}")


def trans_cases():
    cases = [(rule, n, f"{v(0)} = V_{name}_e32 {v(9)}{MODE}", read(0))
             for name in ("EXP_F32", "LOG_F32", "RCP_F32", "RCP_IFLAG_F32", "RSQ_F32", "SQRT_F32",
                          "SIN_F32", "COS_F32", "EXP_F16", "LOG_F16", "RCP_F16", "RSQ_F16",
                          "SQRT_F16", "SIN_F16", "COS_F16", "EXP_LEGACY_F32", "LOG_LEGACY_F32")
             for rule, n in (("trans", 1),)]
    cases += [("trans", 1, f"{v(0, 2)} = V_{name}_e32 {v(10, 2)}{MODE}", read(1))
              for name in ("RCP_F64", "RSQ_F64", "SQRT_F64")]
    cases += [(None, 0, f"{v(0)} = V_{name}_e32 {v(9)}{MODE}", read(0))
              for name in ("CVT_F32_I32", "CVT_U32_F32", "FREXP_MANT_F32")]
    mixlo = f"{v(0)} = V_FMA_MIXLO_F16 0, {v(3)}, 0, {v(4)}, 0, {v(5)}, 0, {v(0)}, 0, 0{MODE}"
    cases += [
        (None, 0, EXP, f"{v(1)} = V_EXP_F32_e32 {v(0)}{MODE}"),
        (None, 0, EXP, write(0, 3)),
        (None, 0, EXP, STORE),
        ("trans", 1, EXP, f"{v(0)} = V_FMAC_F32_e32 {v(3)}, {v(4)}, {v(0)}{MODE}"),
        ("trans", 1, EXP, mixlo),
        ("trans", 1, EXP, cvt_fp8(0)),
        ("trans", 1, EXP, f"{v(1)}, {v(0)} = V_SWAP_B32 {v(0)}, {v(1)}{EXEC}"),
        ("trans-lds-dma", 1, EXP, BUFFER_DMA),
        (None, 0, write(0), BUFFER_DMA),
        ("permlane", 2, EXP, swap(32, 0, 1)),
        ("valu-mfma", 2, EXP, pick("F32_16X16X4F32").text(4, a=0)),
        ("dpp-old", 2, EXP, f"{v(0)} = V_MOV_B32_dpp {v(0)}, {v(3)}, 273, 15, 15, 0{EXEC}"),
    ]
    return cases


def partial_cases():
    def mad16(op_sel):
        return (f"{v(0)} = V_MAD_U16_gfx9_e64 {op_sel}, {v(3)}, 0, {v(4)}, 0, {v(5)}, 0, 0{EXEC}")
    high, byte = 8, 4  # op_sel bits of D in LLVM's modifiers of the first and third source
    small = pick("F32_16X16X4F32")
    cases = [
        (None, 0, cvt_fp8(0), read(0)), ("partial-write", 1, cvt_fp8(high), read(0)),
        ("partial-write", 1, cvt_fp8(high), cvt_fp8(0)), (None, 0, cvt_fp8(0), cvt_fp8(high)),
        ("partial-write", 1, cvt_fp8(high), write(0)), (None, 0, cvt_fp8(high), STORE),
        ("partial-write", 1, cvt_fp8(high), small.text(0, a=60, c=20)),
        ("partial-lds-dma", 1, cvt_fp8(high), BUFFER_DMA),
        (None, 0, sdwa(6), read(0)), ("partial-write", 1, sdwa(5), write(0)),
        ("partial-write", 1, mad16(high), read(0)), (None, 0, mad16(0), read(0)),
    ]
    cases += [("partial-write", 1, sdwa(sel), read(0)) for sel in (0, 1, 2, 3, 4, 5)]
    # LLVM takes op_sel_hi of the first packed source for op_sel of the destination
    for op_sel_hi in (0, 8):
        cases += [
            (None, op_sel_hi // 8,
             f"{v(0, 2)} = V_PK_MUL_F32 {op_sel_hi}, {v(4, 2)}, 8, {v(6, 2)}, 0, 0, 0, 0, 0{MODE}",
             read(0)),
            (None, op_sel_hi // 8,
             f"{v(0)} = V_PK_ADD_F16 {op_sel_hi}, {v(4)}, 8, {v(6)}, 0, 0, 0, 0, 0{MODE}", read(0)),
            (None, op_sel_hi // 8,
             f"{v(0)} = V_FMA_MIXHI_F16 {op_sel_hi}, {v(3)}, 8, {v(4)}, 8, {v(5)}, 0, {v(0)}, 0, "
             f"0{MODE}", read(0)),
        ]
    cases.append((None, 0, f"{v(0)} = V_ACCVGPR_READ_B32_e64 {a(9)}{EXEC}", read(0)))

    def add(opcode, sources, at_third=True):
        # llc leaves out what AMD saw without op_sel, too: LLVM pull request 140218
        seen = re.search("SCALEF32_PK_[FB][PF]8_B?F16", opcode)
        for first in (0, high):
            for third in (0, byte) if at_third else (0,):
                always = "SR_PK_FP4" in opcode
                has_bytes = any(t in opcode for t in ("_SR_FP8", "_SR_BF8", "32_PK_FP4"))
                filled = int(bool(first or always or (third and has_bytes)))
                states = (filled,) if filled or not seen else (0, 1)
                text = sources.format(first=first, third=third)
                producer = f"{v(0)} = {opcode} {text}{MODE}"
                rule = "partial-write" if states[-1] else None
                cases.append((rule, *states, producer, read(0)))
                cases.append((rule, *states, producer, write(0)))
                cases.append((None, 0, producer, read(1)))
                cases.append((None, 0, producer, STORE))
                cases.append(("valu-mfma", 2, producer, scaled.text(128, a=0)))
                if rule:
                    cases.append(("partial-lds-dma", *states, producer, BUFFER_DMA))
    scaled = pick("SCALE_F32_16X16X128_F8F6F4_f8_f8")
    for t in ("FP8", "BF8"):
        add(f"V_CVT_PK_{t}_F32_e64", f"{{first}}, {v(3)}, 0, {v(4)}, {v(0)}, 0", False)
        add(f"V_CVT_SR_{t}_F32_e64", f"{{first}}, {v(3)}, 0, {v(4)}, {{third}}, {v(0)}, 0")
        for source in ("F32", "F16", "BF16"):
            add(f"V_CVT_SCALEF32_SR_{t}_{source}_e64",
                f"{{first}}, {v(3)}, 0, {v(6)}, {{third}}, {v(7)}, {v(0)}, 0")
        for source in ("F16", "BF16"):
            add(f"V_CVT_SCALEF32_PK_{t}_{source}_e64",
                f"{{first}}, {v(3)}, 0, {v(6)}, {v(0)}, 0", False)
        add(f"V_CVT_SCALEF32_PK_{t}_F32_e64",
            f"{{first}}, {v(3)}, 0, {v(4)}, {{third}}, {v(5)}, {v(0)}, 0", False)
        add(f"V_CVT_SCALEF32_F16_{t}_e64", f"{{first}}, {v(3)}, 0, {v(6)}, {v(0)}, 0", False)
    for t in ("F16", "BF16"):
        add(f"V_CVT_SR_{t}_F32_e64", f"{{first}}, {v(3)}, 0, {v(4)}, {v(0)}, 0", False)
        add(f"V_CVT_SCALEF32_SR_PK_FP4_{t}_e64",
            f"{{first}}, {v(3)}, 0, {v(6)}, {{third}}, {v(7)}, {v(0)}, 0")
        add(f"V_CVT_SCALEF32_PK_FP4_{t}_e64",
            f"{{first}}, {v(3)}, 0, {v(6)}, {{third}}, {v(0)}, 0")
    add("V_CVT_SCALEF32_PK_FP4_F32_e64",
        f"{{first}}, {v(3)}, 0, {v(4)}, {{third}}, {v(5)}, {v(0)}, 0")
    add("V_CVT_SCALEF32_SR_PK_FP4_F32_e64",
        f"{{first}}, {v(4, 2)}, 0, {v(6)}, {{third}}, {v(7)}, {v(0)}, 0")
    # the two halves of a register, as kernels write them
    f16 = f"{v(0)} = V_CVT_SCALEF32_PK_FP8_F16_e64 {{}}, {v(3)}, 0, {v(6)}, {v(0)}, 0{MODE}"
    cases += [("partial-write", 0, 1, f16.format(0), f16.format(high)),
              ("partial-write", 1, f16.format(high), f16.format(0))]
    return cases


def multipass():
    """Conversions of 32 elements: name, registers of D and of A, text for D at `d`."""
    found = []
    for six in ("FP6", "BF6"):
        for wide, regs in (("F32", 32), ("F16", 16), ("BF16", 16)):
            found.append((f"PK32_{wide}_{six}", regs, f"{v(64, 6)}, {v(98)}"))
            if wide != "F32":
                found.append((f"PK32_{six}_{wide}", 6, f"{v(64, regs)}, {v(98)}"))
            found.append((f"SR_PK32_{six}_{wide}", 6, f"{v(64, regs)}, {v(98)}, {v(99)}"))
        found.append((f"2XPK16_{six}_F32", 6, f"{v(64, 16)}, {v(80, 16)}, {v(98)}"))
    return [(f"V_CVT_SCALEF32_{name}_e64", d,
             f"{v(0, d)} = V_CVT_SCALEF32_{name}_e64 {sources}{MODE}")
            for name, d, sources in found]


def multipass_cases():
    """They take their time: no state after them, none for what they do not read."""
    cases = []
    for _, _, text in multipass():
        cases += [(None, 0, text, read(5)), (None, 0, text, write(5)), (None, 0, text, STORE),
                  ("valu-mfma", 2, text, pick("F32_16X16X4F32").text(128, a=5)),
                  ("trans", 1, EXP.replace(v(0), v(64)), text), (None, 0, EXP, text),
                  ("xdl-read", 8, pick("F32_16X16X32_BF16").text(64, a=128, b=132), text),
                  ("xdl-overwrite", 8, pick("F32_16X16X32_BF16").text(0, a=128, b=132), text)]
    return cases


def lane_cases():
    cases = []
    for width in (16, 32):
        cases += [("permlane", 2, write(0), swap(width, 0, 1)),
                  ("permlane", 2, write(1), swap(width, 0, 1)),
                  ("permlane", 2, swap(width, 0, 1), swap(width, 0, 1)),
                  (None, 0, swap(width, 0, 1), read(0)), (None, 0, ds_read(0), swap(width, 0, 1)),
                  ("exec-permlane", 4, CMPX, swap(width, 2, 3))]
    cases += [
        ("exec-dpp", 5, CMPX, DPP), (None, 0, "$exec = S_MOV_B64 -1", DPP),
        ("dpp", 2, write(6), DPP), ("dpp", 2, write(7), DPP_ADD),
        (None, 2, ds_read(6), DPP),  # the data comes when s_waitcnt says so ("dpp-old", 2, write(5), DPP),
        ("valu-readlane", 1, write(9), readlane(9, 4)),
        ("valu-readlane", 1, write(9), READFIRST),
        ("exec-lane", 4, CMPX, readlane(9, 4)), ("exec-lane", 4, CMPX, READFIRST),
        ("exec-lane", 4, CMPX, writelane(s(4), 1)),
        ("lane-select", 4, READFIRST, readlane(10, 4)),
        ("lane-select", 4, READFIRST, writelane(1, s(4))),
        ("sgpr-valu", 2, READFIRST, writelane(s(4), 1)),
        ("sgpr-valu", 2, READFIRST, MOVE.format(s(4))),
        ("sgpr-valu", 2, CMP, MOVE.format("$vcc_lo")),
        ("sgpr-valu", 2, CMPX, MOVE.format("$exec_lo")),
        (None, 0, CMPX, write(FAR)), (None, 0, READFIRST, f"{s(0)} = S_MOV_B32 {s(4)}"),
    ]
    return cases


def mask_cases():
    select = f"{v(9)} = V_CNDMASK_B32_e32 {v(4)}, {v(5)}, implicit $vcc{EXEC}"
    select64 = f"{v(9)} = V_CNDMASK_B32_e64 0, {v(4)}, 0, {v(5)}, {s(10, 2)}{EXEC}"
    add_co = f"{v(9)} = V_ADD_CO_U32_e32 {v(4)}, {v(5)}, implicit-def $vcc, implicit $exec"
    addc = (f"{v(10)} = V_ADDC_U32_e32 {v(4)}, {v(5)}, implicit-def $vcc, implicit $vcc, "
            "implicit $exec")
    add_co64 = f"{v(9)}, {s(10, 2)} = V_ADD_CO_U32_e64 {v(4)}, {v(5)}, 0{EXEC}"
    subb64 = f"{v(11)}, {s(10, 2)} = V_SUBB_U32_e64 {v(4)}, {v(5)}, {s(10, 2)}, 0{EXEC}"
    fmas = (f"{v(9)} = V_DIV_FMAS_F32_e64 0, {v(4)}, 0, {v(5)}, 0, {v(6)}, 0, 0, "
            "implicit $mode, implicit $vcc, implicit $exec")
    scale = f"{v(9)}, $vcc = V_DIV_SCALE_F32_e64 0, {v(4)}, 0, {v(4)}, 0, {v(6)}, 0, 0{MODE}"
    return [
        # CDNA4 ISA, table 11: "VALU reads SGPR as carry-in: 0"
        (None, 2, CMP, select), (None, 2, CMP_64, select64),
        (None, 2, add_co, addc), (None, 2, add_co64, subb64),
        ("vcc-div-fmas", 4, CMP, fmas), ("vcc-div-fmas", 4, scale, fmas),
        (None, 0, "$vcc = S_MOV_B64 0", fmas), (None, 0, "$vcc = S_MOV_B64 0", select),
    ]


def dot_cases():
    same, other = DOT4.format(d=0, x=4), DOT8.format(d=0, x=4)
    return [
        (None, 0, same, same), ("dot-ab", 3, same, DOT4.format(d=1, x=0)),
        ("dot-read", 3, same, other), ("dot-read", 3, same, read(0)),
        ("dot-overwrite", 3, same, write(0)), ("dot-read", 3, same, STORE),
        ("dot-read", 3, same, DS_WRITE), ("dot-overwrite", 3, same, load(0)),
        ("dot-overwrite", 3, same, ds_read(0)),
    ]


# --- memory, modes, M0 -----------------------------------------------------------------


def memory_cases():
    def buffer_load(rsrc, soffset):
        return f"{v(9)} = BUFFER_LOAD_DWORD_OFFSET {s(rsrc, 4)}, {soffset}, 0, 0, 0{EXEC}"

    def buffer_store(regs, soffset):
        return (f"BUFFER_STORE_DWORDX{regs}_OFFSET {v(0, regs)}, {s(8, 4)}, {soffset}, 0, 0, "
                f"0{EXEC}")

    def store(regs, file="v"):
        return f"GLOBAL_STORE_DWORDX{regs} {v(FAR, 2)}, {v(0, regs, file)}, 0, 0{EXEC}"
    scratch = "implicit $exec, implicit $flat_scr"
    saddr = f"{v(9)} = GLOBAL_LOAD_DWORD_SADDR {s(4, 2)}, {v(FAR)}, 0, 0{EXEC}"
    scratch_load = f"{v(9)} = SCRATCH_LOAD_DWORD_SADDR {s(4)}, 0, 0, {scratch}"
    return [
        ("sgpr-vmem", 5, READFIRST, saddr), ("sgpr-vmem", 5, READFIRST, buffer_load(4, 0)),
        ("sgpr-vmem", 5, READFIRST, buffer_load(8, s(4))),
        ("sgpr-vmem", 5, READFIRST, scratch_load),
        ("exec-vmem", 5, CMPX, load(9)), (None, 0, CMPX, ds_read(9)),
        ("store-data", 2, store(4), write(3)), ("store-data", 2, store(3), write(0)),
        (None, 0, store(2), write(0)), (None, 0, store(4), write(FAR)),
        # CDNA4 ISA, table 11; LLVM has no such rule
        ("store-data-load", 0, 1, store(4), load(0)),
        ("store-data-load", 0, 1, store(3), ds_read(2)), (None, 0, store(2), load(0)),
        ("store-data-load", 0, 1, buffer_store(4, 0), load(3)),
        (None, 0, buffer_store(4, s(4)), load(3)),
        ("store-data", 2, store(4, "a"), f"{a(3)} = V_ACCVGPR_WRITE_B32_e64 {v(1)}{EXEC}"),
        ("store-data", 2, store(4), pick("F32_16X16X4F32").text(0, a=60, c=20)),
        ("store-data", 2, buffer_store(4, 0), write(3)),
        ("store-data", 2, buffer_store(3, 0), write(2)),
        # LLVM pull request 197267, seen on MI350X
        ("store-data-offset", 0, 1, buffer_store(4, s(4)), write(3)),
        ("store-data-offset", 0, 1, buffer_store(3, s(4)), write(1)),
        ("store-data-offset", 0, 1, buffer_store(4, s(4)),
         pick("F32_16X16X4F32").text(0, a=60, c=20)),
        (None, 0, buffer_store(2, s(4)), write(1)), (None, 0, buffer_store(4, s(4)), write(4)),
        (None, 0, buffer_store(2, 0), write(1)),
        ("store-data", 2, f"SCRATCH_STORE_DWORDX4_SADDR {v(0, 4)}, {s(4)}, 0, 0, {scratch}",
         write(3)),
        ("store-data", 2, f"GLOBAL_ATOMIC_CMPSWAP_X2 {v(FAR, 2)}, {v(0, 4)}, 0, 0{EXEC}", write(3)),
        (None, 0, f"GLOBAL_ATOMIC_CMPSWAP {v(FAR, 2)}, {v(0, 2)}, 0, 0{EXEC}", write(0)),
        ("store-data", 2, f"BUFFER_ATOMIC_CMPSWAP_X2_OFFSET {v(0, 4)}, {s(8, 4)}, 0, 0, 0{EXEC}",
         write(3)),
        (None, 0, f"DS_WRITE_B128_gfx9 {v(FAR)}, {v(0, 4)}, 0, 0{EXEC}", write(3)),
    ]


def mode_cases():
    def setreg(reg):
        return f"S_SETREG_B32_mode {s(0)}, {reg}, implicit-def $mode, implicit $mode"

    def getreg(reg):
        return f"{s(1)} = S_GETREG_B32 {reg}, implicit $mode"
    mode, mode_bit1, status, trapsts = 2049, 2049 + 64, 2050, 2051
    set_m0 = "$m0 = S_MOV_B32 0"
    index = (f"S_SET_GPR_IDX_ON {s(0)}, 1, implicit-def $m0, implicit-def $mode, implicit $m0, "
             "implicit $mode")
    imm = f"S_SETREG_IMM32_B32_mode 0, {mode}, implicit-def $mode, implicit $mode"
    return [
        ("setreg-getreg", 2, setreg(mode), getreg(mode)), (None, 0, setreg(mode), getreg(status)),
        ("setreg-getreg", 2, imm, getreg(mode)),
        ("setreg-getreg", 2, setreg(trapsts), getreg(trapsts)),
        ("setreg-setreg", 2, setreg(mode), setreg(mode)),
        ("setreg-setreg", 2, setreg(mode), setreg(mode_bit1)),
        ("m0-lds", 1, set_m0, BUFFER_DMA), ("m0-lds", 1, set_m0, GLOBAL_DMA),
        ("m0-lds", 1, index, BUFFER_DMA),
        ("m0-lds", 1, set_m0,
         f"{v(9)} = DS_READ_ADDTID_B32 0, 0, implicit $m0, implicit $exec"),
        ("m0-lds", 1, set_m0, f"DS_WRITE_ADDTID_B32 {v(9)}, 0, 0, implicit $m0, implicit $exec"),
        (None, 0, set_m0, f"{v(9)} = DS_READ_B32 {v(FAR)}, 0, 0, implicit $m0, implicit $exec"),
        (None, 0, set_m0, MOVE.format("$m0")),
        ("m0-movrel", 1, set_m0, f"{s(0)} = S_MOVRELS_B32 {s(2)}, implicit $m0"),
        ("m0-message", 1, set_m0, "S_SENDMSG 1, implicit $exec, implicit $m0"),
    ]


def all_cases():
    """(rule, states that LLVM fills in, states required, producer, consumer)."""
    cases = (matrix_cases() + f8f6f4_cases() + trans_cases() + partial_cases() +
             multipass_cases() + lane_cases() + mask_cases() + dot_cases() + memory_cases() +
             mode_cases())
    return [c if len(c) == 5 else (c[0], c[1], c[1] if c[0] else 0, *c[2:]) for c in cases]


# --- what LLVM 22 leaves out (runtime/emu/ERRATA.md) --------------------------------------


def some(count):
    return "\n".join(f"    {s(i + 10)} = S_MOV_B32 0" for i in range(count))


def left_out():
    """(rule, states that llc leaves, states required, bodies of blocks)."""
    quick, slow = pick("F32_16X16X32_BF16"), pick("F32_32X32X4F16")
    straight = f"""  bb.0:
    {slow.text(0, c=128)}
{some(19)}
    {read(1)}
    S_ENDPGM 0"""
    # LLVM fills in 6 states: with the branch that is taken and the one that it jumps over,
    # which is not issued, it counts 8.
    jumped = f"""  bb.0:
    successors: %bb.2, %bb.1
    {quick.text(0, c=128)}
    S_CBRANCH_SCC0 %bb.2, implicit undef $scc
    S_BRANCH %bb.1

  bb.2:
    {read(1)}
    S_BRANCH %bb.1

  bb.1:
    S_ENDPGM 0"""
    two_ways = """  bb.0:
    S_BRANCH %bb.1

  bb.3:
    successors: %bb.2
{far}
    S_BRANCH %bb.2

  bb.1:
    successors: %bb.3, %bb.2
    {mfma}
    S_CBRANCH_SCC0 %bb.2, implicit undef $scc
    S_BRANCH %bb.3

  bb.2:
    {read}
    S_ENDPGM 0"""
    found = [("xdl-read", 19, 20, straight), ("xdl-read", 7, 8, jumped)]
    # both ends of the lengths of the longer way: beyond 17 LLVM no longer walks it to its end
    for length in (5, 17):
        found.append(("xdl-read", 1, 8, two_ways.format(
            far=some(length), mfma=quick.text(0, c=128), read=read(1))))
    return found


# What llc lets overlap although it must not: of v_mfma_scale_f32_32x32x64_f8f6f4 it says
# nothing, of the 2xpk16 LLVM pull request 188809 does, which is younger.
MAY_OVERLAP_IN_LLC = (r"V_MFMA_SCALE_F32_32X32X64_F8F6F4_", r"V_CVT_SCALEF32_2XPK16_",
                      r"V_SMFMAC_\w+_32X32X")  # by tying the result to C


def writers():
    """(opcode, registers of D, text) of every matrix instruction and of all that convert to
    or from 8 and fewer bits."""
    found = [(m.opcode, m.d, m.text(c=FAR if "SMFMAC" in m.opcode else None)) for m in MATRICES]
    found += multipass()
    for _, _, text, _ in (c[:1] + c[-3:] for c in partial_cases()):
        m = re.match(r"(\S+) = (V_CVT_\w+) ", text)
        if m and m.group(2) not in {name for name, _, _ in found}:
            found.append((m.group(2), 1, text))
    return found


# What random code that llc has been through lacks: rule, what the finding says, how many
# states llc does fill in. Any other finding in such code is a fault.
LEFT_OUT_ANYWHERE = (
    ("xdl-c-other", r": reads \S+ as C .* (?:6|10|18) are required", 0),
    ("xdl-c-other", r": reads \S+ as C .* 4 are required", 2),
    ("sgemm-c-other", r": reads \S+ as C .* (?:8|16) are required", 0),
    ("dgemm16-overwrite", r": overwrites .*`v_mfma_f64_16x16x4.*; 19 are required", 11),
    ("dot-read", r"`v_(?:mfma|smfmac)\w+ [^`]*`: [^`]*reads .*`v_dot.*; 3 are required", 0),
    ("store-data-load", r": overwrites .*; 1 is required", 0),
    ("store-data-offset", r": overwrites .*`buffer_\w+ [^`]*, s\d+`.*; 1 is required", 0),
    ("partial-write", r" after `v_cvt_scalef32_pk_[fb][pf]8_b?f16 v\d+, v\d+, v\d+` ", 0),
    ("partial-lds-dma", r" after `v_cvt_scalef32_pk_[fb][pf]8_b?f16 v\d+, v\d+, v\d+` ", 0),
)
# The 20th state after 16 passes, too, of rules that want so many.
LAST_OF_20 = r" 19 wait states after .*; 20 are required .* 16 passes"
