# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of public kernels that were compiled without a GPU, for launches.py. Where sizes are
compiled in, a code object is named after them."""
import math
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from launch_parts import code_object, longs, pointers, words, zeros  # noqa: E402

HEADTAIL_WORKGROUPS = 512  # from so many on, causal D192 takes two tiles of queries each
LDS_OF_HIPKITTENS = 160000  # bytes that its programs ask for


def opus(problem, directory, folder):
    """The OPUS kernels of ROCm/aiter: opus_gqa_kargs and opus_gqa_d192_kargs in
    csrc/include/fmha_fwd_hd*_bf16_opus_defs.h, launches as in
    csrc/py_itfs_cu/fmha_fwd_bf16_opus_kernels.cu."""
    name, b, s = problem.kernel, problem.batch, problem.seqlen
    h, hk, dq, dv = problem.heads, problem.kv_heads, problem.dims[0], problem.dims[1]
    tiles = -(-s // 256)
    kernarg = pointers("qkvo")
    scale = float(np.float32(dq ** -0.5))
    if dq == 128:
        # Until ROCm/aiter#4036 there is one length for queries and keys; in gcnasm, where
        # these kernels come from, no scale.
        early = "gcn" in name
        lengths = [s] if early or "4036" in name else [s, s]
        values = [b, *lengths, h, hk, dq, s * h * dq, h * dq, dq, s * hk * dq, hk * dq, dq]
        kernarg += words(32, values + ([] if early else [scale]))
        grid, kernarg_bytes = [h, tiles, b], 80 + 8 * (len(lengths) - 1)
    else:
        merge = problem.causal and tiles * h * b >= HEADTAIL_WORKGROUPS
        values = [b, s, s, h, hk, dq, dv]
        for heads, dims in ((h, dq), (h, dv), (hk, dq), (hk, dv)):
            values += [s * heads * dims, heads * dims, dims]
        kernarg += words(32, values + [scale])
        kernarg += longs(112, [0] * 4)
        kernarg += words(144, [int(merge)])
        grid, kernarg_bytes = [-(-tiles // 2) if merge else tiles, h, b], 152
    tokens = b * s * 2
    return [{"code_object": code_object(problem, directory),
             "grid": grid, "block": [512, 1, 1],
             "buffers": zeros({"q": tokens * h * dq, "k": tokens * hk * dq,
                               "v": tokens * hk * dv, "o": tokens * h * dv}),
             "kernarg": kernarg, "kernarg_bytes": kernarg_bytes}]


def flydsl(problem, directory, folder):
    """flash_attn_gfx950.py of ROCm/FlyDSL: pointers in slots of 16 bytes; lengths, strides from
    token to token, head size, stride of a block table. A workgroup is 256 rows of a head."""
    stride = problem.heads * 128
    return [{"code_object": code_object(problem, directory),
             "grid": [problem.heads, -(-problem.seqlen // 256), problem.batch],
             "block": [512, 1, 1],
             "buffers": zeros({name: problem.batch * problem.seqlen * stride * 2
                               for name in "qkvo"}),
             "kernarg": pointers("qkvo", 16)
             + words(0x7c, [problem.seqlen, problem.seqlen, stride, stride, 128, 0]),
             "kernarg_bytes": 148}]


def gluon(problem, directory, folder):
    """gluon_attn_fwd in fav3.py and fav4.py of ROCm/gfx950-gluon-tutorials, kernels/attention:
    length and heads are compiled in; of each tensor the strides of batch, head and token, which
    lie in this order (bench.py); two scratch buffers of none."""
    b, h, s = problem.batch, problem.heads, problem.seqlen
    bytes_of_tensor = b * h * s * 128 * 2
    return [{"code_object": code_object(problem, directory),
             "grid": [h, -(-s // 256), b], "block": [512, 1, 1], "dynamic_lds": 68016,
             "buffers": zeros({**{name: bytes_of_tensor for name in "qkvo"},
                               "lse": b * h * s * 4}),
             "kernarg": pointers(["q", "k", "v", "lse", "o"])
             + words(40, 4 * [h * s * 128, s * 128, 128]) + longs(88, [0, 0]),
             "kernarg_bytes": 104}]


def shaped_pointers(shapes):
    """HipKittens' gl<…, -1, -1, -1, -1>: a pointer, four sizes of 8 bytes, 8 bytes of padding."""
    return [part for i, (name, shape) in enumerate(shapes.items())
            for part in [{"offset": 48 * i, "buffer": name}] + longs(48 * i + 8, shape)]


def hipkittens(problem, directory, folder):
    """attend_ker of HazyResearch/HipKittens, analysis/attn/fwd/benchmark: attn_globals, which
    are Q, K, V, O, LSE and a stream. Sizes are compiled in, too."""
    b, h, hk, s = problem.batch, problem.heads, problem.kv_heads, problem.seqlen
    d = problem.dims[0]
    shapes = {"q": (b, s, h, d), "k": (b, s, hk, d), "v": (b, s, hk, d), "o": (b, s, h, d),
              "lse": (b, h, 1, s)}
    return [{"code_object": code_object(problem, directory),
             "grid": [h, -(-s // 256), b], "block": [512, 1, 1],
             "dynamic_lds": LDS_OF_HIPKITTENS,
             "buffers": zeros({name: math.prod(shape) * (4 if name == "lse" else 2)
                               for name, shape in shapes.items()}),
             "kernarg": shaped_pointers(shapes) + longs(240, [0]), "kernarg_bytes": 248}]


def gemm(problem, directory, folder):
    """a16w16_kernel and a8w8_kernel of ROCm/gfx950-gluon-tutorials, kernels/gemm/inter_wave:
    A (M, K), B (N, K), C (M, N) in 16 bits; sizes and strides; two scratch buffers of none.
    A workgroup is 256 x 256 of C; how many there are is compiled in."""
    m, n, k = problem.m, problem.n, problem.k
    item, lds = (1, 134976) if problem.narrow else (2, 135040)
    return [{"code_object": code_object(problem, directory),
             "grid": [-(-m // 256) * -(-n // 256), 1, 1], "block": [512, 1, 1],
             "dynamic_lds": lds,
             "buffers": zeros({"a": m * k * item, "b": n * k * item, "c": m * n * 2}),
             "kernarg": pointers("abc") + words(24, [m, n, k, k, k, n]) + longs(48, [0, 0]),
             "kernarg_bytes": 64}]


def hkgemm(problem, directory, folder):
    """micro_tk of HazyResearch/HipKittens, analysis/bf16_gemm/mi350x: A (M, K), B (N, K),
    C (M, N) and a stream. Sizes are compiled in, too. A workgroup is a square of C."""
    m, n, k = problem.m, problem.n, problem.k
    side = 256 if m > 2048 else 128
    shapes = {"a": (1, 1, m, k), "b": (1, 1, n, k), "c": (1, 1, m, n)}
    return [{"code_object": code_object(problem, directory),
             "grid": [(m // side) * (n // side), 1, 1], "block": [512, 1, 1],
             "dynamic_lds": LDS_OF_HIPKITTENS,
             "buffers": zeros({name: 2 * math.prod(shape) for name, shape in shapes.items()}),
             "kernarg": shaped_pointers(shapes) + longs(144, [0]), "kernarg_bytes": 152}]
