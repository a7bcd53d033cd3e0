# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of the decode kernels that are part of ROCm/aiter (hsa/gfx950/pa and mla), for timing. Caches are zeros, pages
follow each other, and every sequence has the same number of keys. A family is a function of a problem, the directory of its
code objects and a folder for files; it gives the launches of a call in their order, as dictionaries of LAUNCH.json.

What a call launches after the attention, to add up the parts of sequences, is not a code object of the publication; what
makes the lists of work, before it, is another one (csrc/kernels/mla/metadata). peers_decode.py counts the first, and not the
second, whose result all layers of a step share.
"""
import os
import sys
from collections import namedtuple
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
# Keys of an item of 8 bits, at least, by rows of Q of all heads: get_block_n_fp8 there.
LEAST_KEYS_OF_8_BITS = {8: 64, 16: 128, 24: 128, 32: 128, 48: 64, 64: 64, 128: 32, 256: 32, 384: 32, 512: 32}
GRANULE, OVERHEAD_BLOCKS = 16, 16  # keys of a block of the work lists; what a piece costs beyond its blocks
BLOCK = [256, 1, 1]

KERNELS = {"pa": pa_kernels.KERNELS, "pa_ps": pa_kernels.PERSISTENT, "mla": mla_decode.SPLIT_KV,
           "mla_ps": mla_decode.PERSISTENT}

# Of the lists of compute units: rows of a sequence, and keys or pages [first, last) of it; `partial` is the row of the
# partial result, or -1; `head` is that of K and V.
Item = namedtuple("Item", "sequence row rows first last partial head")


def kernel_of(problem):
    return next(k for k in KERNELS[problem.family] if k.name == problem.kernel)


def lines_of_tile(problem):
    """Rows of Q of all heads that a workgroup of a kernel with lists takes at a time."""
    return 64 if "_qh64_" in problem.kernel else 128


def described(code_object, grid, buffers, kernarg, kernarg_bytes):
    return {"code_object": os.path.abspath(code_object), "grid": list(grid), "block": BLOCK,
            "buffers": buffers, "kernarg": kernarg, "kernarg_bytes": kernarg_bytes}


def file_of(folder, name, values):
    values.tofile(os.path.join(folder, name + ".bin"))
    return {"file": name + ".bin"}


def pa(problem, directory, folder):
    """pa_fwd of csrc/py_itfs_cu/asm_pa.cu: a workgroup for each head of K and V of each sequence."""
    kernel = kernel_of(problem)
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
    lists of the compute units. More rows than a workgroup takes at a time are several tiles, whose last keys only the
    last ones see."""
    keys, rows_of_all = problem.keys, problem.rows
    blocks = -(-keys // GRANULE)
    tiles = -(-rows_of_all * problem.heads // lines_of_tile(problem))
    tile_rows = -(-rows_of_all // tiles)
    parts = min(UNITS, problem.most_splits * problem.batch)
    payload = -(-problem.batch * tiles * (blocks + OVERHEAD_BLOCKS) // parts) + OVERHEAD_BLOCKS
    lists, rows, sequence, tile, done, tail_done = [], 0, 0, 0, 0, False
    for _ in range(UNITS):
        room, own = payload, []
        while sequence < problem.batch:
            left = blocks - done
            end = keys - (tiles - 1 - tile)
            row = tile * tile_rows
            of_tile = min(tile_rows, rows_of_all - row)
            if tail_done or room >= left + OVERHEAD_BLOCKS:
                partial = -1
                if done:
                    partial, rows = rows, rows + tile_rows
                own.append(Item(sequence, row, of_tile, done * GRANULE, end, partial, 0))
                room -= left + OVERHEAD_BLOCKS
                tile = (tile + 1) % tiles
                sequence, done, tail_done = sequence + (tile == 0), 0, False
                continue
            if room > OVERHEAD_BLOCKS:
                take = room - OVERHEAD_BLOCKS
                last = min(end, (done + take) * GRANULE)
                if keys - last < rows_of_all:  # too few are left for a part of their own
                    tail_done = True
                    continue
                own.append(Item(sequence, row, of_tile, done * GRANULE, last, rows, 0))
                rows += tile_rows
                done += take
            break
        lists.append(own)
    assert sequence == problem.batch, "the lists hold all sequences"
    return lists, rows


def page_lists(problem):
    """get_pa_metadata_v1 of aiter (csrc/kernels/mla/metadata/v1_2_pa_device.cuh), likewise, in pages: each head of K and V
    has as many compute units, among which the pages of all sequences are divided."""
    pages = -(-problem.keys // kernel_of(problem).page)
    units = UNITS // problem.kv_heads
    lists, rows = [], 0
    for head in range(problem.kv_heads):
        sequence = done = rows = 0
        for unit in range(units):
            room, own = (problem.batch * pages + units - 1 - unit) // units, []
            while sequence < problem.batch and room:
                take = min(room, pages - done)
                whole = done + take == pages
                partial = -1 if whole and not done else rows
                own.append(Item(sequence, 0, problem.rows, done, done + take, partial, head))
                rows += problem.rows * (partial >= 0)
                room -= take
                sequence, done = (sequence + 1, 0) if whole else (sequence, done + take)
            lists.append(own)
        assert sequence == problem.batch, "the lists hold all sequences"
    return lists + [[]] * (UNITS - len(lists)), rows


def lists_of(problem):
    """(lists, rows of the partial results), or None of a kernel without lists."""
    makers = {"mla_ps": work_lists, "pa_ps": page_lists}
    return makers[problem.family](problem) if problem.family in makers else None


def list_buffers(folder, lists, info):
    return {"work_indptr": file_of(folder, "work_indptr", np.cumsum(
                [0] + [len(own) for own in lists]).astype(np.int32)),
            "work_info": file_of(folder, "work_info", np.int32(info))}


def pa_ps(problem, directory, folder):
    """pa_ps_fwd of csrc/py_itfs_cu/asm_pa.cu: a workgroup for each compute unit. Pages are of 256 or 1024 keys, of 8 bits."""
    kernel, d = kernel_of(problem), pa_kernels.D
    lists, rows = page_lists(problem)
    pages, group = -(-problem.keys // kernel.page), problem.heads // problem.kv_heads
    head, factors = kernel.page * d, kernel.page if kernel.scales is pa_kernels.per_token else 1
    total = problem.batch * pages
    info = [[item.sequence, item.partial, item.sequence * problem.rows, (item.sequence + 1) * problem.rows,
             item.sequence * pages + item.first, item.sequence * pages + item.last, 0,
             (item.head + 1) * group << 16 | item.head * group] for own in lists for item in own]
    q = problem.batch * problem.rows * problem.heads * d * 2
    lines = max(rows, 1) * problem.heads
    buffers = zeros({"q": q, "o": q, "k": total * problem.kv_heads * head, "v": total * problem.kv_heads * head,
                     "partial": lines * d * 4, "partial_lse": lines * 4})
    scales = np.ones(total * problem.kv_heads * factors, np.float32)
    buffers["k_scale"] = buffers["v_scale"] = file_of(folder, "scales", scales)
    for name, values in (("kv_indices", np.arange(total)), ("keys", np.full(problem.batch, problem.keys)),
                         ("qo_indptr", np.arange(problem.batch + 1) * problem.rows),
                         ("kv_indptr", np.arange(problem.batch + 1) * pages)):
        buffers[name] = file_of(folder, name, values.astype(np.int32))
    buffers.update(list_buffers(folder, lists, info))
    kernarg, kernarg_bytes = pack_slots([
        Pointer("o"), Pointer("q"), Pointer("k"), Pointer("v"), Pointer("kv_indices"), Pointer("keys"),
        Pointer("k_scale"), Pointer("v_scale"), F32(pa_kernels.LOG2_E / np.sqrt(d)), problem.kv_heads,
        problem.heads * d * 2, problem.kv_heads * head, head, problem.rows - 1, group,
        Pointer("qo_indptr"), Pointer("kv_indptr"), Pointer("work_indptr"), Pointer("work_info"),
        Pointer("partial"), Pointer("partial_lse"), factors * 4, problem.kv_heads * factors * 4])
    return [described(os.path.join(directory, pa_kernels.FOLDER, kernel.name + ".co"), (UNITS, 1, 1),
                      buffers, kernarg, kernarg_bytes)]


def mla_ps(problem, directory, folder):
    """mla_decode_fwd of aiter/mla.py with work lists: a workgroup for each compute unit."""
    kernel = replace(kernel_of(problem), heads=problem.heads)
    lists, rows = work_lists(problem)
    info = [[item.sequence, item.partial, item.sequence * problem.rows + item.row,
             item.sequence * problem.rows + item.row + item.rows, item.sequence * problem.keys + item.first,
             item.sequence * problem.keys + item.last, problem.keys - item.last, 0]
            for own in lists for item in own]
    buffers = mla_buffers(problem, kernel, folder)
    buffers.update(list_buffers(folder, lists, info))
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


def split_count(problem):
    """get_meta_param of aiter/mla.py."""
    batch, keys = problem.batch, problem.keys

    def score(splits):
        workgroups = batch * splits
        rounds = -(-workgroups // UNITS) * UNITS
        return workgroups / rounds * keys / (keys + SPLIT_COST * splits)
    splits = max(range(1, MOST_SPLITS + 1), key=score)
    least = LEAST_KEYS_OF_8_BITS.get(problem.heads * problem.rows)
    if kernel_of(problem).q_format.dtype.itemsize > 1 or not least:
        return splits
    splits = min(splits, -(-keys // least))
    return splits if splits == 1 else min(splits, abs(keys - problem.rows) // least + 1)


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
    kernel = kernel_of(problem)
    splits = split_count(problem)
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


FAMILIES = {"pa": pa, "pa_ps": pa_ps, "mla": mla, "mla_ps": mla_ps}
