# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hsa/gfx950/fmha_v3_fwd: prefill attention, bf16 and fp8, dense and varlen.

Arguments: struct fmha_fwd_v3_args in csrc/include/mha_fwd.h, filled as
init_fmha_fwd_v3_args in csrc/cpp_itfs/mha_fwd.cu does; grid as get_grid_dim there;
strides as csrc/py_itfs_cu/asm_mha_fwd.cu and asm_mha_varlen_fwd.cu take them from the
tensors. Tiles: hsa/gfx950/fmha_v3_fwd/fmha_fwd.csv.
"""

import os
from dataclasses import dataclass

import numpy as np

from case import Case, Check, generator
from formats import BF16, FP8
from launch import F32, Launch, Pointer, pack_slots
from reference import attention, causal_bottom_right, linear_exp2

FOLDER = "fmha_v3_fwd"


@dataclass
class Kernel:
    name: str
    format: object
    dqk: int
    dv: int
    tile_q: int
    block: int

    @property
    def causal(self):
        return "causal" in self.name

    @property
    def group(self):
        return "group" in self.name

    @property
    def linear_exp2(self):
        """Tiles whose scores all lie 3.5 octaves below the running sum take 2^x by a
        line (the code tests it before each tile), which shows in LSE."""
        return self.dqk == 256


FAMILIES = [  # stem, format, Dqk, Dv, query rows a tile, work-items
    ("fwd_hd128_bf16", BF16, 128, 128, 256, 512),
    ("fwd_hd192_hd128_bf16", BF16, 192, 128, 128, 256),
    ("fwd_hd128_fp8", FP8, 128, 128, 256, 512),
    ("fwd_hd256_fp8", FP8, 256, 256, 256, 512),
]
VARIANTS = ["", "_causal", "_group", "_causal_group"]

KERNELS = [Kernel(stem + variant, *rest)
           for stem, *rest in FAMILIES for variant in VARIANTS]


@dataclass
class Shape:
    heads: int
    kv_heads: int
    lengths: list  # (Sq, Sk) of each sequence; equal ones for the dense kernels

    def __str__(self):
        spans = {f"{q}x{k}" for q, k in self.lengths}
        text = "+".join(f"{q}x{k}" for q, k in self.lengths) if len(spans) > 1 else (
            f"B{len(self.lengths)} {spans.pop()}")
        return f"H{self.heads}/{self.kv_heads} {text}"


DENSE = [Shape(1, 1, [(256, 256)]), Shape(4, 2, [(300, 333)] * 2)]
VARLEN = [Shape(1, 1, [(256, 256)]), Shape(4, 2, [(70, 70), (300, 333), (129, 517)])]
LARGE = Shape(8, 8, [(1024, 1024)])


def descales(kernel):
    """Powers of two keep the scaled reference inputs exact; odd ones test the rest."""
    return (0.75, 1.25, 0.6) if kernel.format is FP8 else (1.0, 1.0, 1.0)


def pack_rows(sequences):
    """[[H, S, D], …] -> [total S, H, D]."""
    return np.concatenate([np.swapaxes(x, 0, 1) for x in sequences])


def launch_of(kernel, shape, inputs, directory):
    """The launch as aiter's host makes it, of inputs q, k, v and what belongs to them."""
    fmt, dq, dv = kernel.format, kernel.dqk, kernel.dv
    lengths_q = [q for q, _ in shape.lengths]
    lengths_k = [k for _, k in shape.lengths]
    batch, total_q, total_k = len(lengths_q), sum(lengths_q), sum(lengths_k)
    seqlen_q, seqlen_k = ((total_q, total_k) if kernel.group
                          else (lengths_q[0], lengths_k[0]))
    in_bytes = fmt.dtype.itemsize
    row_q, row_k, row_v = shape.heads * dq, shape.kv_heads * dq, shape.kv_heads * dv
    row_o = shape.heads * dv
    dense = 0 if kernel.group else 1
    tuning = 5 - (2 if kernel.causal and (shape.heads % 8 or seqlen_q > 16384) else 0)
    fp8 = fmt is FP8
    lse_head_stride = total_q if kernel.group else seqlen_q
    cu_q = Pointer("cu_q" if kernel.group else "")
    cu_k = Pointer("cu_k" if kernel.group else "")
    arguments = [
        Pointer("o"), Pointer("q"), Pointer("k"), Pointer("v"), Pointer("lse"),
        F32(1 / np.sqrt(dq)),
        seqlen_q,                                # s_seq_len
        row_q * in_bytes,                        # s_Seqs
        kernel.tile_q * row_q * in_bytes,        # s_Ts
        dq * in_bytes,                           # s_Hs
        dense * seqlen_q * row_q * in_bytes,     # s_Bs
        shape.heads // shape.kv_heads,           # s_gqa
        row_k * in_bytes, dq * in_bytes, dense * seqlen_k * row_k * in_bytes,
        tuning,                                  # s_opt
        1,                                       # s_lse
        seqlen_k, dq, dv, shape.heads,
        row_v * in_bytes, dv * in_bytes, dense * seqlen_k * row_v * in_bytes,
        row_o * 2, dv * 2, dense * seqlen_q * row_o * 2,
        cu_q, cu_k,                              # ptr_qseq, ptr_kseq
        lse_head_stride * 4,                     # s_lse_Hs
        cu_q, cu_k,                              # ptr_qseq_padding, ptr_kseq_padding
        Pointer("q_descale" if fp8 else ""), Pointer("k_descale" if fp8 else ""),
        Pointer("v_descale" if fp8 else ""),
        0, 0, 0, 0, 0, 0,                        # strides of the descales
    ]
    kernarg, kernarg_bytes = pack_slots(arguments)
    tiles = -(-(max(lengths_q) if kernel.group else seqlen_q) // kernel.tile_q)
    tiles = -(-tiles // (2 if kernel.causal else 1))
    grid = ((shape.heads, batch, tiles) if kernel.group
            else (tiles, shape.heads, batch))
    lse_shape = (shape.heads, total_q) if kernel.group else (batch, shape.heads, seqlen_q)
    return Launch(
        code_object=os.path.join(directory, FOLDER, kernel.name + ".co"),
        grid=grid, block=(kernel.block, 1, 1), inputs=inputs,
        outputs={"o": ((total_q, shape.heads, dv), np.uint16), "lse": (lse_shape, np.float32)},
        kernarg=kernarg, kernarg_bytes=kernarg_bytes)


def build(kernel, shape, directory):
    rng = generator(kernel.format.name, kernel.dqk, str(shape))
    fmt, dq, dv = kernel.format, kernel.dqk, kernel.dv
    q_scale, k_scale, v_scale = descales(kernel)
    lengths_q = [q for q, _ in shape.lengths]
    lengths_k = [k for _, k in shape.lengths]
    scale = 1 / np.sqrt(dq)
    bits, sequences = {"q": [], "k": [], "v": []}, []
    for sq, sk in shape.lengths:
        q = fmt.encode(rng.standard_normal((shape.heads, sq, dq)))
        k = fmt.encode(rng.standard_normal((shape.kv_heads, sk, dq)))
        v = fmt.encode(rng.standard_normal((shape.kv_heads, sk, dv)))
        for name, tensor in zip("qkv", (q, k, v)):
            bits[name].append(tensor)
        sequences.append((fmt.values(q) * q_scale, fmt.values(k) * k_scale,
                          fmt.values(v) * v_scale))

    def reference(**roundings):
        o, lse = [], []
        for q, k, v in sequences:
            visible = (causal_bottom_right(q.shape[1], k.shape[1])
                       if kernel.causal else None)
            result = attention(q, k, v, scale, visible, **roundings)
            o.append(np.swapaxes(result.o, 0, 1))
            lse.append(result.lse.T)
        return np.concatenate(o), np.concatenate(lse)

    o, lse = reference()
    q_round = BF16.round if fmt is BF16 else None
    floor_o, floor_lse = reference(p_round=fmt.round, q_round=q_round)
    if kernel.linear_exp2:
        _, floor_lse = reference(exp2=linear_exp2)

    total_q = sum(lengths_q)
    inputs = {name: pack_rows(tensors) for name, tensors in bits.items()}
    if fmt is FP8:
        inputs.update(q_descale=np.float32([q_scale]), k_descale=np.float32([k_scale]),
                      v_descale=np.float32([v_scale]))
    if kernel.group:
        inputs.update(cu_q=np.cumsum([0] + lengths_q).astype(np.int32),
                      cu_k=np.cumsum([0] + lengths_k).astype(np.int32))
    launch = launch_of(kernel, shape, inputs, directory)

    def found_lse(outputs):
        values = outputs["lse"].astype(np.float64)
        if kernel.group:
            return values.T
        return np.swapaxes(values, 1, 2).reshape(total_q, shape.heads)

    checks = [
        Check("o", lambda out: BF16.values(out["o"]), o, BF16.round(floor_o)),
        Check("lse", found_lse, lse, floor_lse),
    ]
    return launch, checks


def cases(directory, large=False):
    for kernel in KERNELS:
        shapes = [LARGE] if large else (VARLEN if kernel.group else DENSE)
        for shape in shapes:
            yield Case(kernel.name, str(shape),
                       lambda directory, k=kernel, s=shape: build(k, s, directory))
