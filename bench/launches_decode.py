# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of the decode kernels that are part of ROCm/aiter (hsa/gfx950/pa and mla), for timing. Caches are zeros, pages
follow each other, and every sequence has the same number of keys. A family is a function of a problem, the directory of its
code objects and a folder for files; it gives the launches of a call in their order, as dictionaries of LAUNCH.json.

What a call launches after the attention, to add up the parts of sequences, is not a code object of the publication:
`reduced_bytes` says what it reads and writes at least, and peers_decode.py counts it as a stream of so many bytes and a launch.
"""
import os
import sys
from dataclasses import replace

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "test", "public")]

import mla_decode  # noqa: E402
import pa as pa_kernels  # noqa: E402
from launch import F32, Pointer, pack_slots  # noqa: E402
from launch_parts import zeros  # noqa: E402

UNITS = 256
SPLIT_COST = 84.1  # of a part of a sequence, in keys: `overhead` of get_meta_param, aiter/mla.py
MOST_SPLITS = 16
GRANULE, OVERHEAD_BLOCKS = 16, 16  # keys of a block of the work lists; what a piece costs beyond its blocks
BLOCK = [256, 1, 1]


def described(code_object, grid, buffers, kernarg, kernarg_bytes):
    return {"code_object": os.path.abspath(code_object), "grid": list(grid), "block": BLOCK,
            "buffers": buffers, "kernarg": kernarg, "kernarg_bytes": kernarg_bytes}


def file_of(folder, name, values):
    values.tofile(os.path.join(folder, name + ".bin"))
    return {"file": name + ".bin"}


def pa(problem, directory, folder):
    """pa_fwd of csrc/py_itfs_cu/asm_pa.cu: a workgroup for each head of K and V of each sequence."""
    kernel = next(k for k in pa_kernels.KERNELS if k.name == problem.kernel)
    item, d, page = kernel.kv_format.dtype.itemsize, pa_kernels.D, kernel.page
    pages = -(-problem.keys // page)
    head = page * d * item
    cache = problem.batch * pages * problem.kv_heads * head
    buffers = zeros({"q": problem.batch * problem.rows * problem.heads * d * 2,
                     "o": problem.batch * problem.rows * problem.heads * d * 2,
                     "k": cache, "v": cache})
    buffers["table"] = file_of(folder, "table", np.arange(problem.batch * pages, dtype=np.int32))
    buffers["keys"] = file_of(folder, "keys", np.full(problem.batch, problem.keys, np.int32))
    quantised = item == 1
    if quantised:
        scales = np.ones(problem.batch * pages * problem.kv_heads * page, np.float32)
        buffers["k_scale"] = buffers["v_scale"] = file_of(folder, "scales", scales)
    if kernel.mtp:
        buffers["qo_indptr"] = file_of(folder, "qo_indptr", np.arange(
            0, (problem.batch + 1) * problem.rows, problem.rows, dtype=np.int32))
    kernarg, kernarg_bytes = pack_slots([
        Pointer("o"), Pointer("q"), Pointer("k"), Pointer("v"), Pointer("table"), Pointer("keys"),
        Pointer("k_scale" if quantised else ""), Pointer("v_scale" if quantised else ""),
        F32(pa_kernels.LOG2_E / np.sqrt(d)), pages, problem.kv_heads, problem.heads * d * 2,
        problem.kv_heads * head, head, problem.rows - 1, problem.heads // problem.kv_heads,
        Pointer("qo_indptr" if kernel.mtp else "")])
    return [described(os.path.join(directory, pa_kernels.FOLDER, kernel.name + ".co"),
                      (problem.kv_heads, problem.batch, 1), buffers, kernarg, kernarg_bytes)]


def work_lists(problem):
    """get_mla_metadata_v1 of aiter (csrc/kernels/mla/metadata/v1_2_device.cuh) for sequences of one length, pages of one key: the
    lists of the compute units, an item (sequence, first key, key after the last one, row of the partial result or -1)."""
    keys = problem.keys
    blocks = -(-keys // GRANULE)
    parts = min(UNITS, problem.most_splits * problem.batch)
    payload = -(-problem.batch * (blocks + OVERHEAD_BLOCKS) // parts) + OVERHEAD_BLOCKS
    lists, rows, sequence, done = [], 0, 0, 0
    for _ in range(UNITS):
        room, own = payload, []
        while sequence < problem.batch:
            left = blocks - done
            if room >= left + OVERHEAD_BLOCKS:
                partial = -1
                if done:
                    partial, rows = rows, rows + problem.rows
                own.append((sequence, done * GRANULE, keys, partial))
                room -= left + OVERHEAD_BLOCKS
                sequence, done = sequence + 1, 0
                continue
            if room > OVERHEAD_BLOCKS:
                take = room - OVERHEAD_BLOCKS
                own.append((sequence, done * GRANULE, min(keys, (done + take) * GRANULE), rows))
                rows += problem.rows
                done += take
            break
        lists.append(own)
    assert sequence == problem.batch, "the lists hold all sequences"
    return lists, rows


def mla_ps(problem, directory, folder):
    """mla_decode_fwd of aiter/mla.py with work lists: a workgroup for each compute unit."""
    kernel = replace(next(k for k in mla_decode.PERSISTENT if k.name == problem.kernel),
                     heads=problem.heads)
    lists, rows = work_lists(problem)
    info = [[sequence, partial, sequence * problem.rows, (sequence + 1) * problem.rows,
             sequence * problem.keys + first, sequence * problem.keys + last, problem.keys - last, 0]
            for own in lists for sequence, first, last, partial in own]
    buffers = mla_buffers(problem, kernel, folder)
    buffers["work_indptr"] = file_of(folder, "work_indptr", np.cumsum(
        [0] + [len(own) for own in lists]).astype(np.int32))
    buffers["work_info"] = file_of(folder, "work_info", np.int32(info))
    for name, base in mla_decode.METADATA_BASES.items():
        buffers[name]["base"] = hex(base)
    buffers["metadata"] = file_of(folder, "metadata", np.uint64(
        [mla_decode.METADATA_BASES["work_indptr"], mla_decode.METADATA_BASES["work_info"]] + [0] * 8))
    lines = max(rows, 1) * problem.heads
    buffers.update(zeros({"partial": lines * mla_decode.D_V * 4, "partial_lse": lines * 4,
                          "o": problem.batch * problem.rows * problem.heads * mla_decode.D_V * 2}))
    kernarg, kernarg_bytes = pack_slots(mla_decode.arguments(
        kernel, buffers, problem.rows, 1, out_pointer=Pointer("o"), metadata="metadata",
        out_16_nosplit=1))
    launch = described(os.path.join(directory, mla_decode.FOLDER, kernel.name + ".co"),
                       (UNITS, 1, 1), buffers, kernarg, kernarg_bytes)
    return [launch]


def split_count(batch, keys):
    """get_meta_param of aiter/mla.py, of kernels in 16 bits."""
    def score(splits):
        workgroups = batch * splits
        rounds = -(-workgroups // UNITS) * UNITS
        return workgroups / rounds * keys / (keys + SPLIT_COST * splits)
    return max(range(1, MOST_SPLITS + 1), key=score)


def mla_buffers(problem, kernel, folder):
    q_item, kv_item = kernel.q_format.dtype.itemsize, kernel.kv_format.dtype.itemsize
    total = problem.batch * problem.keys
    buffers = zeros({"q": problem.batch * problem.rows * problem.heads * mla_decode.D_QK * q_item,
                     "kv": total * mla_decode.D_QK * kv_item})
    buffers["kv_indptr"] = file_of(folder, "kv_indptr", np.arange(
        0, total + 1, problem.keys, dtype=np.int32))
    buffers["kv_indices"] = file_of(folder, "kv_indices", np.concatenate(
        [np.arange(total, dtype=np.int32), np.zeros(mla_decode.SPARE_INDICES, np.int32)]))
    buffers["kv_last_page"] = file_of(folder, "kv_last_page", np.ones(problem.batch, np.int32))
    buffers["qo_indptr"] = file_of(folder, "qo_indptr", np.arange(
        0, (problem.batch + 1) * problem.rows, problem.rows, dtype=np.int32))
    one = np.ones(1, np.float32)
    if q_item == 1:
        buffers["q_scale"] = file_of(folder, "q_scale", one)
    if kv_item == 1:
        buffers["kv_scale"] = file_of(folder, "kv_scale", one)
    return buffers


def mla(problem, directory, folder):
    """mla_decode_fwd of aiter/mla.py without work lists: a workgroup for each part of each sequence."""
    kernel = next(k for k in mla_decode.SPLIT_KV if k.name == problem.kernel)
    splits = problem.splits or split_count(problem.batch, problem.keys)
    buffers = mla_buffers(problem, kernel, folder)
    buffers["split_indptr"] = file_of(folder, "split_indptr", np.arange(
        0, (problem.batch + 1) * splits, splits, dtype=np.int32))
    lines = problem.batch * problem.rows * splits * problem.heads
    buffers.update(zeros({"partial": lines * mla_decode.D_V * 4, "partial_lse": lines * 4}))
    kernarg, kernarg_bytes = pack_slots(mla_decode.arguments(
        kernel, buffers, problem.rows, splits, out_pointer=Pointer(""), metadata="split_indptr",
        out_16_nosplit=int(splits == 1)))
    tiles = -(-problem.rows * problem.heads // kernel.sub_q)
    return [described(os.path.join(directory, mla_decode.FOLDER, kernel.name + ".co"),
                      (tiles, problem.batch, splits), buffers, kernarg, kernarg_bytes)]


FAMILIES = {"pa": pa, "mla": mla, "mla_ps": mla_ps}
