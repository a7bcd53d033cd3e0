# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hsa/gfx950/mla, prefill.

Absorbed (mla_pfl_bf16_*): one latent KV head of 576; mla_prefill_asm_fwd in
csrc/py_itfs_cu/asm_mla.cu, buffers as mla_prefill_fwd in aiter/mla.py.
Persistent (mla_pfl_qh192_*): fp8, a KV head for each query head; struct PsKernelArgs and
mla_prefill_ps_asm_fwd there; work items: union WorkInfo in csrc/include/ps.h, filled as
csrc/kernels/mla/metadata/v1_2_host.cuh does.
"""

import os
from dataclasses import dataclass

import numpy as np

from case import Case, Check, generator
from formats import BF16, FP8
from launch import F32, Launch, Pointer, pack_slots
from reference import attention, causal_bottom_right

FOLDER = "mla"
D_LATENT, D_LATENT_V = 576, 512
D_QK, D_V = 192, 128
SPARE_INDICES = 512
TILE_Q = 128         # rows (tokens x heads) a workgroup of the absorbed kernels
TILE_Q_PS, TILE_KV_PS = 256, 128


@dataclass
class Absorbed:
    name: str
    heads: int


ABSORBED = [Absorbed("mla_pfl_bf16_a16w16_causal_subQ16_mqa16", 16),
            Absorbed("mla_pfl_bf16_a16w16_causal_subQ128_mqa128", 128)]
ABSORBED_LENGTHS = [[(64, 64)], [(33, 33), (20, 117), (5, 70)]]  # (Sq, Sk) of sequences


def concatenated(lengths):
    return np.cumsum([0] + list(lengths)).astype(np.int32)


def build_absorbed(kernel, lengths, directory):
    rng = generator(kernel.name, lengths)
    total_q, total_k = (sum(pair[i] for pair in lengths) for i in (0, 1))
    q_bits = BF16.encode(rng.standard_normal((total_q, kernel.heads, D_LATENT)))
    kv_bits = BF16.encode(rng.standard_normal((total_k + 3, D_LATENT)))
    pages = rng.permutation(total_k + 3)[:total_k].astype(np.int32)
    starts_q = concatenated(q for q, _ in lengths)
    starts_k = concatenated(k for _, k in lengths)
    scale = 1 / np.sqrt(D_LATENT)

    def reference(**roundings):
        o, lse = [], []
        for b, (sq, sk) in enumerate(lengths):
            q = np.swapaxes(BF16.values(q_bits[starts_q[b]:starts_q[b + 1]]), 0, 1)
            kv = BF16.values(kv_bits[pages[starts_k[b]:starts_k[b + 1]]])[None]
            result = attention(q, kv, kv[:, :, :D_LATENT_V], scale,
                               causal_bottom_right(sq, sk), **roundings)
            o.append(np.swapaxes(result.o, 0, 1))
            lse.append(result.lse.T)
        return np.concatenate(o), np.concatenate(lse)

    o, lse = reference()
    floor_o, floor_lse = reference(p_round=BF16.round, q_round=BF16.round)
    inputs = {
        "q": q_bits, "kv": kv_bits, "kv_indptr": starts_k,
        "kv_indices": np.concatenate([pages, np.zeros(SPARE_INDICES, np.int32)]),
        "kv_last_page": np.ones(len(lengths), np.int32), "qo_indptr": starts_q,
    }
    kernarg, kernarg_bytes = pack_slots([
        Pointer("o"), Pointer("lse"), Pointer("q"), Pointer("kv"), Pointer("kv_indptr"),
        Pointer("kv_indices"), Pointer("kv_last_page"), F32(scale), kernel.heads, 1,
        kernel.heads * D_LATENT * 2, D_LATENT * 2, 0, Pointer("qo_indptr"),
        # left as they are on the stack of the host
        *[Pointer("")] * 9])
    longest = max(q for q, _ in lengths)
    launch = Launch(
        code_object=os.path.join(directory, FOLDER, kernel.name + ".co"),
        grid=(-(-longest * kernel.heads // TILE_Q), len(lengths), 1), block=(256, 1, 1),
        inputs=inputs,
        outputs={"o": ((total_q, kernel.heads, D_LATENT_V), np.uint16),
                 "lse": ((total_q, kernel.heads), np.float32)},
        kernarg=kernarg, kernarg_bytes=kernarg_bytes)
    return launch, [
        Check("o", lambda out: BF16.values(out["o"]), o, BF16.round(floor_o)),
        # The host makes the buffer; nobody reads it, and the kernels do not write it.
    ]


PERSISTENT = ["mla_pfl_qh192_vh128_m32x8_n128x1_causal0",
              "mla_pfl_qh192_vh128_m32x8_n128x1_causal1"]
PS_SHAPES = [(1, [(256, 256)], 1), (2, [(256, 256), (300, 300), (77, 77)], 3)]
SCALES = (0.75, 1.25, 0.6)  # of Q, K, V


def share_out(lengths, heads, causal, groups):
    """Work items of each workgroup as kn_generate_ps_metadata makes them for one cluster
    of `groups` workgroups: (sequence, partial row, q start, q end, page start, page end,
    keys after, head range)."""
    starts_q = concatenated(q for q, _ in lengths)
    starts_k = concatenated(k for _, k in lengths)
    tiles = []
    for b, (sq, sk) in enumerate(lengths):
        ranges = [(a, min(a + TILE_Q_PS, sq)) for a in range(0, sq, TILE_Q_PS)]
        for i in range(len(ranges)):
            first, last = ranges[i // 2 if i % 2 == 0 else len(ranges) - 1 - i // 2]
            keys = min(sk - sq + last, sk) if causal else sk
            tiles.append((b, starts_q[b] + first, starts_q[b] + last,
                          -(-keys // TILE_KV_PS) * TILE_KV_PS, keys))
    units = sum(t[3] // TILE_KV_PS for t in tiles)
    works, indptr = [], [0]
    at, block, partial = 0, 0, 0
    for group in range(groups):
        quota = (units // groups + (group < units % groups)) * TILE_KV_PS
        begin = (at, block, partial)
        for head in range(heads):
            at, block, partial = begin
            room = quota
            while at < len(tiles) and room > 0:
                b, q0, q1, blocks, keys = tiles[at]
                start = starts_k[b] + block
                if keys - block <= room:
                    row = -1
                    if block:
                        row, partial = TILE_Q_PS * partial, partial + 1
                    used, end, after = blocks - block, min(start + blocks - block,
                                                           starts_k[b + 1]), 0
                    at, block = at + 1, 0
                else:
                    row, partial = TILE_Q_PS * partial, partial + 1
                    used, end = room, min(start + room, starts_k[b + 1])
                    after = lengths[b][1] - (end - starts_k[b])
                    block += used
                works.append((b, row, q0, q1, start, end, after, (head + 1) << 16 | head))
                room -= used
        indptr.append(len(works))
    return works, indptr


def build_persistent(name, heads, lengths, groups, directory):
    causal = name.endswith("causal1")
    rng = generator(name, heads, lengths)
    total_q, total_k = (sum(pair[i] for pair in lengths) for i in (0, 1))
    q_bits = FP8.encode(rng.standard_normal((total_q, heads, D_QK)))
    k_bits = FP8.encode(rng.standard_normal((total_k, heads, D_QK)))
    v_bits = FP8.encode(rng.standard_normal((total_k, heads, D_V)))
    pages = rng.permutation(total_k).astype(np.int32)
    starts_q = concatenated(q for q, _ in lengths)
    starts_k = concatenated(k for _, k in lengths)
    works, indptr = share_out(lengths, heads, causal, groups)
    scale = 1 / np.sqrt(D_QK)
    partial_rows = max([w[1] + TILE_Q_PS for w in works if w[1] >= 0], default=1)

    def reference(work, **roundings):
        b, _, q0, q1, k0, k1, _, head_range = work
        head = head_range & 0xFFFF
        q, k, v = (f * FP8.values(x) for f, x in zip(
            SCALES, (q_bits[q0:q1, head], k_bits[pages[k0:k1], head],
                     v_bits[pages[k0:k1], head])))
        visible = None
        if causal:
            sq, sk = lengths[b]
            visible = causal_bottom_right(sq, sk)[q0 - starts_q[b]:q1 - starts_q[b],
                                                  k0 - starts_k[b]:k1 - starts_k[b]]
        result = attention(q[None], k[None], v[None], scale, visible, **roundings)
        return result.o[0], result.lse[0]

    def check(label, chosen, row, found_o, found_lse, rounded):
        exact = [reference(w) for w in chosen]
        floor = [reference(w, p_round=FP8.round) for w in chosen]

        def gather(tensor):
            return np.concatenate([tensor[row(w):row(w) + w[3] - w[2], w[7] & 0xFFFF]
                                   for w in chosen])
        yield Check(label, lambda out: gather(found_o(out)),
                    np.concatenate([o for o, _ in exact]),
                    rounded(np.concatenate([o for o, _ in floor])))
        if found_lse:
            yield Check(label + "lse", lambda out: gather(found_lse(out)),
                        np.concatenate([l for _, l in exact]),
                        np.concatenate([l for _, l in floor]))

    final, parts = [w for w in works if w[1] < 0], [w for w in works if w[1] >= 0]
    checks = []
    if final:
        checks += check("o", final, lambda w: w[2], lambda out: BF16.values(out["o"]), None,
                        BF16.round)
    if parts:
        checks += check("part", parts, lambda w: w[1],
                        lambda out: out["partial"].astype(float),
                        lambda out: out["partial_lse"].astype(float), lambda x: x)
    inputs = {
        "q": q_bits, "k": k_bits, "v": v_bits, "work_indptr": np.int32(indptr),
        "work_info": np.int32(works), "qo_indptr": starts_q, "kv_indptr": starts_k,
        "kv_indices": pages,
        **{n: np.float32([s]) for n, s in zip(("q_scale", "k_scale", "v_scale"), SCALES)},
    }
    kernarg, kernarg_bytes = pack_slots([
        *[Pointer(n) for n in ("q", "k", "v", "o", "partial", "partial_lse", "work_indptr",
                               "work_info", "qo_indptr", "kv_indptr", "kv_indices",
                               "q_scale", "k_scale", "v_scale")],
        F32(scale), total_q, heads, total_k, total_k])
    launch = Launch(
        code_object=os.path.join(directory, FOLDER, name + ".co"),
        grid=(groups, 1, 1), block=(512, 1, 1), inputs=inputs,
        outputs={"o": ((total_q, heads, D_V), np.uint16),
                 "partial": ((partial_rows, heads, D_V), np.float32),
                 "partial_lse": ((partial_rows, heads), np.float32)},
        kernarg=kernarg, kernarg_bytes=kernarg_bytes)
    return launch, checks


def lengths_text(lengths):
    return "+".join(f"{q}x{k}" for q, k in lengths)


def cases(directory, large=False):
    for kernel in ABSORBED:
        for lengths in [[(512, 512)]] if large else ABSORBED_LENGTHS:
            yield Case(kernel.name, f"H{kernel.heads} {lengths_text(lengths)}",
                       lambda directory, k=kernel, n=lengths:
                       build_absorbed(k, n, directory))
    for name in PERSISTENT:
        for heads, lengths, groups in [(8, [(1024, 1024)], 4)] if large else PS_SHAPES:
            yield Case(name, f"H{heads} {lengths_text(lengths)} groups {groups}",
                       lambda directory, k=name, h=heads, n=lengths, g=groups:
                       build_persistent(k, h, n, g, directory))
