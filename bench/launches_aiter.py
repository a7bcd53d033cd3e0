# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of the code objects that are part of ROCm/aiter, for launches.py."""
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "test", "public")]

import fmha_v3_bwd  # noqa: E402
import fmha_v3_fwd  # noqa: E402
import fmha_v4_fwd  # noqa: E402
from launch_parts import zeros  # noqa: E402


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
