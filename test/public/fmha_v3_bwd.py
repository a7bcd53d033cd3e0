# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hsa/gfx950/fmha_v3_bwd: gradients of attention, bf16 and f16, dense and varlen.

Three kernels in a row: odo (D = sum of O dO a row), dqdkdv, and one that turns the
accumulated dQ into the output (dq_convert from f32, dq_shuffle from 16 bits). odo runs as
a case of its own; dqdkdv takes the D of the reference and is followed by the third.

Arguments: structs fmha_bwd_dqdkdv_args and fmha_bwd_post_kernel_args in
csrc/include/mha_bwd.h and fmha_bwd_odo_logical_args in csrc/cpp_itfs/mha_bwd.cu, filled
as fmha_v3_bwd does there; strides as csrc/py_itfs_cu/asm_mha_bwd.cu and
asm_mha_varlen_bwd.cu take them from the tensors. Kernels and tiles: the tables
fmha_bwd_*.csv beside the code objects, read from there.
"""

import csv
import os
from dataclasses import dataclass

import numpy as np

from case import Case, Check, generator
from formats import BF16, F16, bf16_half_away, bf16_toward_zero, truncated_f16
from launch import F32, Launch, Pointer, pack_slots
from reference import attention

FOLDER = "fmha_v3_bwd"
WORK_ITEMS = 256
NO_MASK, TOP_LEFT, BOTTOM_RIGHT, WINDOW = range(4)  # column "mask"
WINDOW_LEFT, WINDOW_RIGHT = 100, 20  # keys row i sees before and behind key i
# Code objects of gfx950 that only the table of gfx942 has a row for: the host code does
# not reach them. (dtype, bf16_cvt, file)
UNLISTED = [("bf16", 0, "bwd_hd128_bf16_swa_a32_rtne_psskddv.co"),
            ("bf16", 1, "bwd_hd128_bf16_swa_a32_rtna_psskddv.co"),
            ("bf16", 2, "bwd_hd128_bf16_swa_a32_rtz_psskddv.co"),
            ("fp16", 3, "bwd_hd128_fp16_swa_a32_psskddv.co")]
UNLISTED_ROW = {"hdim_q": 128, "hdim_v": 128, "mask": WINDOW, "atomic32": 1, "pssk": 1,
                "pddv": 1, "mode": 0, "ts_qo": 16, "ts": 192}
CONVERSIONS = {0: BF16.round, 1: bf16_half_away, 2: bf16_toward_zero}  # column "bf16_cvt"


@dataclass
class Shape:
    heads: int
    kv_heads: int
    lengths: list  # (Sq, Sk) of each sequence
    short: int = 0  # by how much the head size is below that of the kernel

    def __str__(self):
        spans = {f"{q}x{k}" for q, k in self.lengths}
        text = "+".join(f"{q}x{k}" for q, k in self.lengths) if len(spans) > 1 else (
            f"B{len(self.lengths)} {spans.pop()}")
        return f"H{self.heads}/{self.kv_heads} {text}" + (f" D-{self.short}" * bool(self.short))


DENSE = [Shape(1, 1, [(256, 256)]), Shape(4, 2, [(300, 333)] * 2)]
DENSE_WHOLE_TILES = [Shape(1, 1, [(256, 256)]), Shape(4, 2, [(320, 320)] * 2)]
VARLEN = [Shape(1, 1, [(256, 256)]), Shape(4, 2, [(70, 70), (300, 333), (129, 517)])]
PADDED_HEAD = Shape(2, 2, [(150, 200)], short=8)
LARGE = [Shape(8, 8, [(1024, 1024)])]


def rows_of(directory, table):
    path = os.path.join(directory, FOLDER, table)
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", newline="") as file:
        return [{key: int(value) if value.lstrip("-").isdigit() else value
                 for key, value in row.items()} for row in csv.DictReader(file)]


def format_of(row):
    return {"bf16": BF16, "fp16": F16}[row["dtype"]]


def conversions_of(row):
    """How a dqdkdv kernel rounds P, dS and what it adds to a dQ of 16 bits; and dK, dV.
    Kernels that were recompiled for gfx950 have its predecessor's v_cvt_pkrtz_f16_f32."""
    fmt = format_of(row)
    if fmt is F16 and (row["mask"] == WINDOW or "recompile" in row["knl_name"]):
        return truncated_f16, truncated_f16
    return CONVERSIONS.get(row["bf16_cvt"], fmt.round), fmt.round


def visible_keys(mask, rows, keys):
    """Row i sees key j if j <= i, plus keys - rows where the ends meet."""
    if mask == NO_MASK:
        return None
    if mask == WINDOW:
        distance = np.arange(keys)[None, :] - np.arange(rows)[:, None]
        return (distance >= -WINDOW_LEFT) & (distance <= WINDOW_RIGHT)
    shift = keys - rows if mask == BOTTOM_RIGHT else 0
    return np.arange(keys)[None, :] <= np.arange(rows)[:, None] + shift


@dataclass
class Sequence:
    """Tensors [H, S, D] of one sequence as bits and as doubles."""
    bits: dict
    values: dict
    lse: np.ndarray
    d: np.ndarray


def draw(row, shape):
    fmt, dq, dv = format_of(row), row["hdim_q"] - shape.short, row["hdim_v"] - shape.short
    rng = generator(row["dtype"], dq, dv, str(shape))
    sequences = []
    for sq, sk in shape.lengths:
        bits = {
            "q": fmt.encode(rng.standard_normal((shape.heads, sq, dq))),
            "k": fmt.encode(rng.standard_normal((shape.kv_heads, sk, dq))),
            "v": fmt.encode(rng.standard_normal((shape.kv_heads, sk, dv))),
            "do": fmt.encode(rng.standard_normal((shape.heads, sq, dv)))}
        values = {name: fmt.values(x) for name, x in bits.items()}
        forward = attention(values["q"], values["k"], values["v"], 1 / np.sqrt(dq),
                            visible_keys(row["mask"], sq, sk))
        bits["o"] = fmt.encode(forward.o)
        values["o"] = fmt.values(bits["o"])
        sequences.append(Sequence(bits, values, forward.lse.astype(np.float32),
                                  (values["o"] * values["do"]).sum(axis=-1)))
    return sequences


def gradients(sequence, mask, round_=None, tile_k=None, accumulator=None):
    """dQ, dK, dV [H, S, D] of the query heads. `round_` rounds P and dS and, if there is
    an `accumulator`, what each `tile_k` keys add to dQ; `accumulator` rounds the sum."""
    q, k, v, do = (sequence.values[name] for name in ("q", "k", "v", "do"))
    round_ = round_ or (lambda x: x)
    scale = 1 / np.sqrt(q.shape[2])
    seen = visible_keys(mask, q.shape[1], k.shape[1])
    results = []
    for h in range(q.shape[0]):
        kv = h // (q.shape[0] // k.shape[0])
        p = np.exp(scale * q[h] @ k[kv].T - np.float64(sequence.lse[h])[:, None])
        if seen is not None:
            p = np.where(seen, p, 0.0)
        ds = round_(p * (do[h] @ v[kv].T - sequence.d[h].astype(np.float32)[:, None]))
        dq = scale * (ds @ k[kv])
        if accumulator is not None:
            dq = np.zeros_like(q[h])
            for start in range(0, k.shape[1], tile_k):
                tile = slice(start, start + tile_k)
                dq = accumulator(dq + round_(scale * (ds[:, tile] @ k[kv][tile])))
        results.append((dq, scale * ds.T @ q[h], round_(p).T @ do[h]))
    return [np.stack(x) for x in zip(*results)]


def pack_rows(tensors):
    """[[H, S, D], …] -> [total S, H, D]."""
    return np.concatenate([np.swapaxes(x, 0, 1) for x in tensors])


@dataclass
class Sizes:
    """What the host passes beside tensors, of a kernel's row and a shape."""
    row: dict
    shape: Shape

    def __post_init__(self):
        self.group = bool(self.row["mode"])
        self.dq, self.dv = (self.row[n] - self.shape.short for n in ("hdim_q", "hdim_v"))
        self.lengths_q = [q for q, _ in self.shape.lengths]
        self.lengths_k = [k for _, k in self.shape.lengths]
        self.batch, self.heads = len(self.lengths_q), self.shape.heads
        self.total_q, self.total_k = sum(self.lengths_q), sum(self.lengths_k)
        self.seqlen_q = self.total_q if self.group else self.lengths_q[0]
        self.seqlen_k = self.total_k if self.group else self.lengths_k[0]
        self.row_shape = ((self.heads, self.total_q) if self.group
                          else (self.batch, self.heads, self.seqlen_q))

    def strides(self, heads, head_dim, length):
        """Bytes from head to head, batch to batch, token to token of 16-bit elements."""
        return (2 * head_dim, 0 if self.group else 2 * length * heads * head_dim,
                2 * heads * head_dim)

    def rows(self, values):
        """[[H, Sq], …] -> LSE and D as the kernels have them, and back."""
        packed = np.concatenate(values, axis=1)
        if self.group:
            return packed
        return np.moveaxis(packed.reshape(self.heads, self.batch, self.seqlen_q), 0, 1)

    def starts(self):
        """Prefix sums of the lengths, with the pointers to them; null in dense kernels."""
        if not self.group:
            return {}, Pointer(""), Pointer("")
        arrays = {"starts_q": np.cumsum([0] + self.lengths_q).astype(np.int32),
                  "starts_k": np.cumsum([0] + self.lengths_k).astype(np.int32)}
        return arrays, Pointer("starts_q"), Pointer("starts_k")


def odo_of(row, sizes, inputs, directory):
    """The launch of odo as aiter's host makes it, of inputs o and do."""
    starts, starts_q, _ = sizes.starts()
    starts.pop("starts_k", None)
    o = sizes.strides(sizes.heads, sizes.dv, sizes.seqlen_q)
    d_head, d_batch = 4 * sizes.seqlen_q, 0 if sizes.group else 4 * sizes.heads * sizes.seqlen_q
    kernarg, kernarg_bytes = pack_slots([
        Pointer("o"), Pointer("do"), Pointer("d"), *o, *o, d_head, d_batch, 4, sizes.seqlen_q,
        sizes.dv, starts_q, starts_q])
    return Launch(
        code_object=os.path.join(directory, FOLDER, row["co_name"]),
        grid=(-(-max(sizes.lengths_q) // row["ts"]), sizes.heads, sizes.batch),
        block=(WORK_ITEMS, 1, 1), inputs={**inputs, **starts},
        outputs={"d": (sizes.row_shape, np.float32)},
        kernarg=kernarg, kernarg_bytes=kernarg_bytes)


def build_odo(row, shape, directory):
    sizes, sequences = Sizes({**row, "mask": NO_MASK}, shape), draw({**row, "mask": NO_MASK}, shape)
    inputs = {name: pack_rows([s.bits[name] for s in sequences]) for name in ("o", "do")}
    d = sizes.rows([s.d for s in sequences])
    return odo_of(row, sizes, inputs, directory), [
        Check("d", lambda out: out["d"].astype(np.float64), d,
              d.astype(np.float32).astype(np.float64))]


def dq_accumulator(row, sizes):
    """Shape and type of what dqdkdv adds dQ to; None where that is dQ itself."""
    if row["atomic32"]:
        batch = () if sizes.group else (sizes.batch,)
        return batch + (sizes.heads, sizes.seqlen_q, sizes.dq), np.float32
    if row["hdim_q"] == 64:
        return None
    padded = -(-max(sizes.lengths_q) // 16) * 16
    width = 192 if sizes.dq == 192 else 128
    return (sizes.batch, sizes.heads, padded, width), format_of(row).dtype


def post_of(row, sizes, inputs, directory):
    """The launch of dq_convert or dq_shuffle after a dqdkdv kernel, of input dq_acc."""
    table = "fmha_bwd_dq_convert.csv" if row["atomic32"] else "fmha_bwd_dq_shuffle.csv"
    post = next(r for r in rows_of(directory, table)
                if r["hdim_q"] == row["hdim_q"] and r["mode"] == row["mode"]
                and (r["dtype"] == row["dtype"] or not row["atomic32"]))
    shape, dtype = dq_accumulator(row, sizes)
    bytes_ = np.dtype(dtype).itemsize
    starts, starts_q, _ = sizes.starts()
    starts.pop("starts_k", None)
    one_batch = (sizes.group and row["atomic32"]) or sizes.batch == 1
    kernarg, kernarg_bytes = pack_slots([
        Pointer("dq_acc"), Pointer("dq"), bytes_ * shape[-2] * shape[-1],
        0 if one_batch else bytes_ * int(np.prod(shape[1:])), bytes_ * shape[-1],
        *sizes.strides(sizes.heads, sizes.dq, sizes.seqlen_q), sizes.seqlen_q, sizes.dq,
        starts_q, starts_q])
    return Launch(
        code_object=os.path.join(directory, FOLDER, post["co_name"]),
        grid=(-(-max(sizes.lengths_q) // post["ts"]), sizes.heads, sizes.batch),
        block=(WORK_ITEMS, 1, 1), inputs={**inputs, **starts},
        outputs={"dq": ((sizes.total_q, sizes.heads, sizes.dq), format_of(row).dtype)},
        kernarg=kernarg, kernarg_bytes=kernarg_bytes)


def launch_of(row, sizes, inputs, directory):
    """The launch of dqdkdv as aiter's host makes it, of inputs q, k, v, do, lse and d."""
    shape, fmt = sizes.shape, format_of(row)
    starts, starts_q, starts_k = sizes.starts()
    accumulator = dq_accumulator(row, sizes)
    q = sizes.strides(sizes.heads, sizes.dq, sizes.seqlen_q)
    k = sizes.strides(shape.kv_heads, sizes.dq, sizes.seqlen_k)
    v = sizes.strides(shape.kv_heads, sizes.dv, sizes.seqlen_k)
    do = sizes.strides(sizes.heads, sizes.dv, sizes.seqlen_q)
    dk = sizes.strides(sizes.heads, sizes.dq, sizes.seqlen_k)
    dv = sizes.strides(sizes.heads, sizes.dv, sizes.seqlen_k)
    longest_q = max(sizes.lengths_q)
    kernarg, kernarg_bytes = pack_slots([
        Pointer("dq_acc" if accumulator else "dq"), Pointer("dk"), Pointer("dv"),
        Pointer("q"), Pointer("k"), Pointer("v"), Pointer("do"), Pointer("lse"), Pointer("d"),
        F32(1 / np.sqrt(sizes.dq)), F32(1 / np.log(2)), sizes.seqlen_q, row["ts"] * k[2],
        *q, sizes.heads // shape.kv_heads, *k, dk[2], sizes.seqlen_k, sizes.dq, sizes.dv,
        sizes.heads, *v, *do, dk[0], dk[1], *dv, 4 * sizes.seqlen_q,
        starts_q, starts_k, starts_q, starts_k,
        longest_q if row["atomic32"] else -(-longest_q // 16) * 16,
        *((1 + WINDOW_RIGHT, 1 + WINDOW_LEFT) if row["mask"] == WINDOW else (0, 0))])
    outputs = {"dk": ((sizes.total_k, sizes.heads, sizes.dq), fmt.dtype),
               "dv": ((sizes.total_k, sizes.heads, sizes.dv), fmt.dtype)}
    if accumulator:
        outputs["dq_acc"] = accumulator
    else:
        outputs["dq"] = ((sizes.total_q, sizes.heads, sizes.dq), fmt.dtype)
    tiles = -(-max(sizes.lengths_k) // row["ts"])
    pairs = 2 if row["mask"] in (TOP_LEFT, BOTTOM_RIGHT) else 1  # one with few rows, one with many
    return Launch(
        code_object=os.path.join(directory, FOLDER, row["co_name"]),
        grid=(-(-tiles // pairs), sizes.heads, sizes.batch),
        block=(WORK_ITEMS, 1, 1), inputs={**inputs, **starts}, outputs=outputs,
        kernarg=kernarg, kernarg_bytes=kernarg_bytes, zeroed=("dq_acc", "dq"),
        followed_by=accumulator and (
            lambda found: post_of(row, sizes, {"dq_acc": found["dq_acc"]}, directory)))


def build(row, shape, directory):
    sizes, sequences, fmt = Sizes(row, shape), draw(row, shape), format_of(row)
    inputs = {name: pack_rows([s.bits[name] for s in sequences])
              for name in ("q", "k", "v", "do")}
    inputs.update(lse=sizes.rows([s.lse for s in sequences]),
                  d=sizes.rows([s.d for s in sequences]).astype(np.float32))
    launch = launch_of(row, sizes, inputs, directory)

    round_, round_output = conversions_of(row)
    exact = [gradients(s, row["mask"]) for s in sequences]
    rounded = [gradients(s, row["mask"], round_, row["ts"],
                         None if row["atomic32"] else fmt.round) for s in sequences]
    checks = []
    for i, (name, last) in enumerate((("dq", fmt.round), ("dk", round_output),
                                      ("dv", round_output))):
        checks.append(Check(name, lambda out, n=name: fmt.values(out[n]),
                            pack_rows([x[i] for x in exact]),
                            last(pack_rows([x[i] for x in rounded]))))
    return launch, checks


def cases(directory, large=False):
    for row in rows_of(directory, "fmha_bwd_odo.csv"):
        for shape in LARGE if large else VARLEN if row["mode"] else DENSE:
            yield Case(row["co_name"][:-3], str(shape),
                       lambda d, r=row, s=shape: build_odo(r, s, d))
    unlisted = [{**UNLISTED_ROW, "dtype": dtype, "bf16_cvt": conversion, "knl_name": "",
                 "co_name": name} for dtype, conversion, name in UNLISTED]
    for row in rows_of(directory, "fmha_bwd_dqdkdv.csv") + unlisted:
        shapes = VARLEN if row["mode"] else DENSE if row["pssk"] else DENSE_WHOLE_TILES
        if row["pddv"] and row["hdim_q"] == row["hdim_v"] and not large:
            shapes = shapes + [PADDED_HEAD]
        for shape in LARGE if large else shapes:
            yield Case(row["co_name"][:-3], str(shape),
                       lambda d, r=row, s=shape: build(r, s, d))
