# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LAUNCH.json of public code objects on problems of any size, for timing: inputs are zeros.
These kernels take the same time whatever they hold, but for the rescaling that some skip
while no row's maximum grows. A problem is one launch or several, one after the other."""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..",
                                "test", "public"))

import fmha_v3_bwd  # noqa: E402
import fmha_v3_fwd  # noqa: E402
import fmha_v4_fwd  # noqa: E402


def zeros(sizes):
    return {name: {"bytes": int(count), "fill": 0} for name, count in sizes.items()}


def described(launch, buffers):
    return {"code_object": os.path.abspath(launch.code_object), "grid": launch.grid,
            "block": launch.block, "buffers": buffers, "kernarg": launch.kernarg,
            "kernarg_bytes": launch.kernarg_bytes}


def v3(problem, directory, folder):
    kernel = next(k for k in fmha_v3_fwd.KERNELS if k.name == problem.kernel)
    shape = fmha_v3_fwd.Shape(problem.heads, problem.kv_heads,
                              [(problem.seqlen, problem.seqlen)] * problem.batch)
    launch = fmha_v3_fwd.launch_of(kernel, shape, {}, directory)
    tokens, item = problem.batch * problem.seqlen, kernel.format.dtype.itemsize
    buffers = zeros({"q": tokens * problem.heads * kernel.dqk * item,
                     "k": tokens * problem.kv_heads * kernel.dqk * item,
                     "v": tokens * problem.kv_heads * kernel.dv * item,
                     "o": tokens * problem.heads * kernel.dv * 2,
                     "lse": tokens * problem.heads * 4})
    if item == 1:
        np.float32([1]).tofile(os.path.join(folder, "one.bin"))
        for name in ("q_descale", "k_descale", "v_descale"):
            buffers[name] = {"file": "one.bin"}
    return [described(launch, buffers)]


def v3_bwd(problem, directory, folder):
    """odo, dqdkdv and what turns its dQ into the output, which a call launches in this order
    (fmha_v3_bwd in csrc/cpp_itfs/mha_bwd.cu of ROCm/aiter). The gradients of K and V are those
    of the heads of queries; dq_acc is zero before."""
    def first(table, **wanted):
        return next(row for row in fmha_v3_bwd.rows_of(directory, table)
                    if all(row[key] == value for key, value in wanted.items()))
    row = first("fmha_bwd_dqdkdv.csv", co_name=problem.kernel + ".co")
    odo = first("fmha_bwd_odo.csv", dtype=row["dtype"], hdim_v=row["hdim_v"], mode=row["mode"])
    sizes = fmha_v3_bwd.Sizes(row, fmha_v3_bwd.Shape(
        problem.heads, problem.kv_heads, [(problem.seqlen, problem.seqlen)] * problem.batch))
    tokens, (dqk, dv) = problem.batch * problem.seqlen, problem.dims
    of_rows = {"q": dqk, "do": dv, "o": dv, "dq": dqk, "dk": dqk, "dv": dv}
    buffers = {name: tokens * problem.heads * dim * 2 for name, dim in of_rows.items()}
    buffers.update(k=tokens * problem.kv_heads * dqk * 2, v=tokens * problem.kv_heads * dv * 2,
                   lse=tokens * problem.heads * 4, d=tokens * problem.heads * 4)
    shape, dtype = fmha_v3_bwd.dq_accumulator(row, sizes)
    buffers["dq_acc"] = np.prod(shape) * np.dtype(dtype).itemsize
    makers = [(fmha_v3_bwd.odo_of, odo), (fmha_v3_bwd.launch_of, row), (fmha_v3_bwd.post_of, row)]
    made = [make(of, sizes, {}, directory) for make, of in makers]
    return [described(launch, zeros({entry["buffer"]: buffers[entry["buffer"]]
                                     for entry in launch.kernarg if "buffer" in entry}))
            for launch in made]


def v4(problem, directory, folder):
    kernel = next(k for k in fmha_v4_fwd.KERNELS if k.name == problem.kernel)
    shape = (problem.batch, problem.heads, problem.seqlen, problem.seqlen)
    buffers = zeros(fmha_v4_fwd.input_bytes(kernel, shape))
    buffers.update(zeros({"o": problem.batch * problem.seqlen * problem.heads * 128 * 2}))
    np.ones(problem.batch * problem.heads * 128, np.float32).tofile(
        os.path.join(folder, "ones.bin"))
    for name, buffer in buffers.items():
        if name.endswith("descale") and buffer["bytes"] in (4, 512 * problem.heads
                                                            * problem.batch):
            buffers[name] = {"file": "ones.bin"}
    return [described(fmha_v4_fwd.launch_of(kernel, shape, {}, directory), buffers)]


def flydsl(problem, directory, folder):
    """flash_attn_gfx950.py of ROCm/FlyDSL: pointers in slots of 16 bytes, lengths, strides
    from token to token; a workgroup is 256 rows of a head."""
    stride = problem.heads * 128
    numbers = [problem.seqlen, problem.seqlen, stride, stride, stride]
    return [{"code_object": os.path.abspath(os.path.join(directory, problem.kernel + ".co")),
             "grid": [problem.heads, -(-problem.seqlen // 256), problem.batch],
             "block": [512, 1, 1],
             "buffers": zeros({name: problem.batch * problem.seqlen * stride * 2
                               for name in "qkvo"}),
             "kernarg": [{"offset": 16 * i, "buffer": name} for i, name in enumerate("qkvo")]
             + [{"offset": 0x7c + 4 * i, "u32": n} for i, n in enumerate(numbers)],
             "kernarg_bytes": 148}]


HEADTAIL_WORKGROUPS = 512  # from so many on, causal D192 takes two tiles of queries each


def words(first, values):
    return [{"offset": first + 4 * i, "f32" if isinstance(v, float) else "u32": v}
            for i, v in enumerate(values)]


def opus(problem, directory, folder):
    """The OPUS kernels of ROCm/aiter: opus_gqa_kargs and opus_gqa_d192_kargs in
    csrc/include/fmha_fwd_hd*_bf16_opus_defs.h, launches as in
    csrc/py_itfs_cu/fmha_fwd_bf16_opus_kernels.cu."""
    name, b, s = problem.kernel, problem.batch, problem.seqlen
    h, hk, dq, dv = problem.heads, problem.kv_heads, problem.dims[0], problem.dims[1]
    tiles = -(-s // 256)
    kernarg = [{"offset": 8 * i, "buffer": buffer} for i, buffer in enumerate("qkvo")]
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
        kernarg += [{"offset": 112 + 8 * i, "u64": 0} for i in range(4)]
        kernarg += words(144, [int(merge)])
        grid, kernarg_bytes = [-(-tiles // 2) if merge else tiles, h, b], 152
    tokens = b * s * 2
    return [{"code_object": os.path.abspath(os.path.join(directory, name + ".co")),
             "grid": grid, "block": [512, 1, 1],
             "buffers": zeros({"q": tokens * h * dq, "k": tokens * hk * dq,
                               "v": tokens * hk * dv, "o": tokens * h * dv}),
             "kernarg": kernarg, "kernarg_bytes": kernarg_bytes}]


FAMILIES = {"v3": v3, "v3_bwd": v3_bwd, "v4": v4, "opus": opus, "flydsl": flydsl}
# The axis of the grid along which tiles of a sequence lie: of queries, in dqdkdv of keys.
TILE_AXIS = {"v3": 0, "v3_bwd": 0, "v4": 0, "flydsl": 1}


def tile_axis(problem):
    if problem.family == "opus":
        return 1 if problem.dims[0] == 128 else 0
    return TILE_AXIS[problem.family]
