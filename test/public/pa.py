# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hsa/gfx950/pa: decode with a paged cache, head size 128.

Arguments: struct KernelArgs and pa_fwd, struct PsKernelArgs and pa_ps_fwd in
csrc/py_itfs_cu/asm_pa.cu; rows: hsa/gfx950/pa/pa_asm.csv. Layout of the caches: the
comments there and asm_V_shuffle in op_tests/test_pa.py; scales:
pertoken_quant_kvcache_symm and perblock_quant_kvcache_symm in op_tests/test_pa_ps.py.
Work items of the persistent kernels: csrc/kernels/mla/metadata/v1_2_pa_device.cuh.
"""

import os
from dataclasses import dataclass, replace

import numpy as np

from case import Case, Check, generator
from formats import BF16, F16, FP8, INT8, row_scaled, truncated_f16
from launch import F32, Launch, Pointer, pack_slots
from reference import attention, causal_bottom_right

FOLDER = "pa"
D = 128
LOG2_E = 1.4426950408889634
QUANTISED = {"noquant": None, "pertokenFp8": FP8, "pertokenInt8": INT8}
Q_FORMATS = {"bf16": BF16, "fp16": F16}


@dataclass
class Kernel:
    name: str
    q_format: object
    kv_format: object
    gqa: int
    mtp: bool      # several query tokens a sequence
    causal: bool
    page: int = 16

    def roundings(self):
        """Of Q, of P times the scale of V, and of O: read from the code objects. Caches
        of 8 bits are multiplied with Q and P scaled to them row by row; int8 and f16
        are rounded toward zero; "uhp" keeps P in bf16."""
        if self.kv_format is INT8:
            eight = row_scaled(np.trunc, 127)
        elif self.kv_format is FP8:
            eight = row_scaled(FP8.round, 448)
        else:
            eight = None
        plain = truncated_f16 if self.q_format is F16 else BF16.round
        p = eight if eight and not self.name.endswith("_uhp") else plain
        return eight or plain, p, plain


def kernels():
    for q_name, q_format in Q_FORMATS.items():
        for quant, kv in QUANTISED.items():
            for gqa in (8, 16):
                groups = "1tg" if kv is None else "2tg"
                stem = f"pa_{q_name}_{quant}_gqa{gqa}_"
                yield Kernel(f"{stem}{groups}_4w", q_format, kv or q_format, gqa, False,
                             False)
                if kv is FP8 and gqa == 8:
                    for end in ("_hp", "_uhp"):
                        yield Kernel(f"{stem}{groups}_4w{end}", q_format, kv, gqa, False,
                                     False)
                if kv is None and gqa == 16:
                    continue
                for mask in (0, 1):
                    yield Kernel(f"{stem}1tg_4w_mtp_msk{mask}", q_format, kv or q_format,
                                 gqa, True, bool(mask))


KERNELS = list(kernels())


@dataclass
class Shape:
    kv_heads: int
    keys: list
    q_length: int

    def __str__(self):
        return f"Hkv{self.kv_heads} q{self.q_length} keys {'+'.join(map(str, self.keys))}"


SINGLE = [Shape(1, [128], 1), Shape(2, [100, 257, 7], 1)]
SEVERAL = [Shape(1, [128], 2), Shape(2, [100, 257, 7], 2)]


@dataclass
class Cache:
    """K and V of all sequences: storage and doubles."""
    k_bits: np.ndarray    # [blocks, kv heads, 128 / x, page, x]
    v_bits: np.ndarray    # [blocks, kv heads, page / x, 128, x]
    tables: list          # blocks of each sequence
    k: list               # [kv heads, keys, 128] of each sequence
    v: list
    v_scale: list         # [kv heads, keys] of each sequence, or None
    scales: dict          # inputs k_scale, v_scale


def per_token(rng, blocks, kv_heads, page):
    return rng.uniform(0.5, 1.5, (blocks, kv_heads, page, 1)).astype(np.float32)


def per_block(rng, blocks, kv_heads, page):
    return rng.uniform(0.5, 1.5, (blocks, kv_heads, 1, 1)).astype(np.float32)


def make_cache(rng, fmt, kv_heads, keys, page, scales=per_token):
    needed = [-(-n // page) for n in keys]
    blocks = sum(needed) + 2
    order = rng.permutation(blocks)[:sum(needed)].astype(np.int32)
    tables = np.split(order, np.cumsum(needed)[:-1])
    x = 16 // fmt.dtype.itemsize
    shape = (blocks, kv_heads, page, D)
    spread = 40.0 if fmt is INT8 else 1.0
    k_bits = fmt.encode(rng.standard_normal(shape) * spread)
    v_bits = fmt.encode(rng.standard_normal(shape) * spread)
    k, v, inputs, of_keys = fmt.values(k_bits), fmt.values(v_bits), {}, None
    if fmt in (FP8, INT8):
        k_scale = scales(rng, blocks, kv_heads, page) / np.float32(spread)
        v_scale = scales(rng, blocks, kv_heads, page) / np.float32(spread)
        k, v = k * k_scale, v * v_scale
        inputs = {"k_scale": k_scale, "v_scale": v_scale}
        of_keys = np.broadcast_to(v_scale, shape).astype(float)

    def sequence(values, table, n):
        return np.swapaxes(values[table], 0, 1).reshape(kv_heads, -1, D)[:, :n]
    return Cache(
        k_bits=k_bits.reshape(blocks, kv_heads, page, D // x, x).swapaxes(2, 3),
        v_bits=v_bits.reshape(blocks, kv_heads, page // x, x, D).swapaxes(3, 4),
        tables=tables, k=[sequence(k, t, n) for t, n in zip(tables, keys)],
        v=[sequence(v, t, n) for t, n in zip(tables, keys)],
        v_scale=None if of_keys is None else [sequence(of_keys, t, n)[:, :, 0]
                                              for t, n in zip(tables, keys)],
        scales=inputs)


def references(cache, q, causal, q_round, p_round):
    """[tokens, heads, 128] exactly and with Q and P rounded; q: one [heads, tokens, 128]
    each."""
    def reference(**roundings):
        o = []
        for b, queries in enumerate(q):
            k, v = cache.k[b], cache.v[b]
            visible = (causal_bottom_right(queries.shape[1], k.shape[1]) if causal
                       else None)
            p_scale = cache.v_scale and cache.v_scale[b]
            o.append(np.swapaxes(attention(queries, k, v, 1 / np.sqrt(D), visible,
                                           p_scale=p_scale, **roundings).o, 0, 1))
        return np.concatenate(o)
    return reference(), reference(q_round=q_round, p_round=p_round)


def cache_strides(cache):
    """Bytes from block to block and from head to head."""
    _, heads, *rest = cache.k_bits.shape
    head = int(np.prod(rest)) * cache.k_bits.dtype.itemsize
    return heads * head, head


def build(kernel, gqa, shape, directory):
    rng = generator(kernel.q_format.name, kernel.kv_format.name, gqa, str(shape))
    heads, tokens = gqa * shape.kv_heads, shape.q_length
    q_bits = kernel.q_format.encode(
        rng.standard_normal((len(shape.keys) * tokens, heads, D)))
    cache = make_cache(rng, kernel.kv_format, shape.kv_heads, shape.keys, kernel.page)
    q = [np.swapaxes(kernel.q_format.values(q_bits[b * tokens:(b + 1) * tokens]), 0, 1)
         for b in range(len(shape.keys))]
    q_round, p_round, o_round = kernel.roundings()
    o, floor = references(cache, q, kernel.causal, q_round, p_round)
    width = max(len(t) for t in cache.tables)
    table = np.zeros((len(shape.keys), width), np.int32)
    for row, blocks in zip(table, cache.tables):
        row[:len(blocks)] = blocks
    block_stride, head_stride = cache_strides(cache)
    inputs = {"q": q_bits, "k": cache.k_bits, "v": cache.v_bits, "table": table,
              "keys": np.int32(shape.keys), **cache.scales}
    if kernel.mtp:
        inputs["qo_indptr"] = (np.arange(len(shape.keys) + 1) * tokens).astype(np.int32)
    quantised = "k_scale" in inputs
    kernarg, kernarg_bytes = pack_slots([
        Pointer("o"), Pointer("q"), Pointer("k"), Pointer("v"), Pointer("table"),
        Pointer("keys"), Pointer("k_scale" if quantised else ""),
        Pointer("v_scale" if quantised else ""), F32(LOG2_E / np.sqrt(D)), width,
        shape.kv_heads, heads * D * 2, block_stride, head_stride, tokens - 1, gqa,
        Pointer("qo_indptr" if kernel.mtp else "")])
    launch = Launch(
        code_object=os.path.join(directory, FOLDER, kernel.name + ".co"),
        grid=(shape.kv_heads, len(shape.keys), 1), block=(256, 1, 1), inputs=inputs,
        outputs={"o": (q_bits.shape, q_bits.dtype)},
        kernarg=kernarg, kernarg_bytes=kernarg_bytes)
    return launch, [Check("o", lambda out: kernel.q_format.values(out["o"]), o,
                          o_round(floor))]


# The persistent kernels: a workgroup takes the work items [work_indptr[i],
# work_indptr[i + 1]); each is one KV head of a sequence or of a piece of its pages.


@dataclass
class Persistent:
    name: str
    rows: int      # query heads of a KV head x tokens, at most
    page: int
    scales: object


PERSISTENT = [Persistent(f"pa_bf16_{quant}_qlen{rows}_msk1_ps", rows, page, scales)
              for quant, page, scales in (
                  ("pertokenFp8_gqa16_1tg_4w", 1024, per_token),
                  ("perblockFp8_blk256_1tg_4w", 256, per_block),
                  ("perblockFp8_blk1024_1tg_4w", 1024, per_block))
              for rows in (16, 32, 40, 48, 64)]
ROWS = {16: ((16, 1), (8, 2)), 32: ((16, 2),), 40: ((10, 4),), 48: ((16, 3),),
        64: ((16, 4),)}  # (heads of a KV head, tokens)


def piece(cache, b, first, last):
    """The cache with sequence b cut to keys first…last."""
    def cut(tensors):
        return [t[:, first:last] if i == b else t for i, t in enumerate(tensors)]
    return replace(cache, k=cut(cache.k), v=cut(cache.v), v_scale=cut(cache.v_scale))


def build_persistent(kernel, gqa, tokens, kv_heads, keys, split, directory):
    """`split`: the sequence whose first page is a work item of its own, or None."""
    rng = generator(kernel.name, gqa, tokens, keys)
    heads, page = gqa * kv_heads, kernel.page
    q_bits = BF16.encode(rng.standard_normal((len(keys) * tokens, heads, D)))
    cache = make_cache(rng, FP8, kv_heads, keys, page, kernel.scales)
    q = [np.swapaxes(BF16.values(q_bits[b * tokens:(b + 1) * tokens]), 0, 1)
         for b in range(len(keys))]
    pages = [len(t) for t in cache.tables]
    starts = np.cumsum([0] + pages)
    info, indptr, pieces, partial_rows = [], [0], [], 0
    for b in range(len(keys)):
        cuts = [0, 1, pages[b]] if b == split else [0, pages[b]]
        for first, last in zip(cuts, cuts[1:]):
            row = -1
            if b == split:
                row, partial_rows = partial_rows, partial_rows + tokens
            pieces.append((b, row, first * page, min(last * page, keys[b])))
            for head in range(kv_heads):
                info.append([b, row, b * tokens, (b + 1) * tokens, starts[b] + first,
                             starts[b] + last, 0, (head + 1) * gqa << 16 | head * gqa])
            indptr.append(len(info))

    def reference(b, first, last, **roundings):
        visible = causal_bottom_right(tokens, keys[b])[:, first:last]
        part = piece(cache, b, first, last)
        result = attention(q[b], part.k[b], part.v[b], 1 / np.sqrt(D), visible,
                           p_scale=part.v_scale[b], **roundings)
        return np.swapaxes(result.o, 0, 1), result.lse.T

    eight = row_scaled(FP8.round, 448)

    def check(label, chosen, found, rounded, which):
        exact = [reference(b, f, l)[which] for b, _, f, l in chosen]
        floor = [reference(b, f, l, q_round=eight, p_round=eight)[which]
                 for b, _, f, l in chosen]
        row = np.concatenate([(b * tokens if r < 0 else r) + np.arange(tokens)
                              for b, r, _, _ in chosen])
        return Check(label, lambda out: found(out)[row], np.concatenate(exact),
                     rounded(np.concatenate(floor)))

    final, parts = [p for p in pieces if p[1] < 0], [p for p in pieces if p[1] >= 0]
    checks = []
    if final:
        checks.append(check("o", final, lambda out: BF16.values(out["o"]), BF16.round, 0))
    if parts:
        checks.append(check("part", parts, lambda out: out["partial"].astype(float),
                            lambda x: x, 0))
        checks.append(check("partlse", parts, lambda out: out["partial_lse"].astype(float),
                            lambda x: x, 1))
    block_stride, head_stride = cache_strides(cache)
    scale_page, scale_head = cache_strides(replace(cache, k_bits=cache.scales["k_scale"]))
    inputs = {"q": q_bits, "k": cache.k_bits, "v": cache.v_bits,
              "kv_indices": np.concatenate(cache.tables), "keys": np.int32(keys),
              "qo_indptr": (np.arange(len(keys) + 1) * tokens).astype(np.int32),
              "kv_indptr": starts.astype(np.int32), "work_indptr": np.int32(indptr),
              "work_info": np.int32(info), **cache.scales}
    kernarg, kernarg_bytes = pack_slots([
        Pointer("o"), Pointer("q"), Pointer("k"), Pointer("v"), Pointer("kv_indices"),
        Pointer("keys"), Pointer("k_scale"), Pointer("v_scale"), F32(LOG2_E / np.sqrt(D)),
        kv_heads, heads * D * 2, block_stride, head_stride, tokens - 1, gqa,
        Pointer("qo_indptr"), Pointer("kv_indptr"), Pointer("work_indptr"),
        Pointer("work_info"), Pointer("partial"), Pointer("partial_lse"), scale_head,
        scale_page])
    launch = Launch(
        code_object=os.path.join(directory, FOLDER, kernel.name + ".co"),
        grid=(len(indptr) - 1, 1, 1), block=(256, 1, 1), inputs=inputs,
        outputs={"o": (q_bits.shape, np.uint16),
                 "partial": ((max(partial_rows, 1), heads, D), np.float32),
                 "partial_lse": ((max(partial_rows, 1), heads), np.float32)},
        kernarg=kernarg, kernarg_bytes=kernarg_bytes)
    return launch, checks


def cases(directory, large=False):
    for kernel in KERNELS:
        shapes = SEVERAL if kernel.mtp else SINGLE
        for shape in [Shape(8, [2048] * 4, shapes[0].q_length)] if large else shapes:
            yield Case(kernel.name, f"gqa{kernel.gqa} {shape}",
                       lambda directory, k=kernel, s=shape: build(k, k.gqa, s, directory))
    for kernel in PERSISTENT:
        for gqa, tokens in ROWS[kernel.rows]:
            last = 2 * kernel.page + 100
            for kv_heads, keys, split in ((1, [300], None), (2, [100, last, 7], 1)):
                yield Case(kernel.name, f"gqa{gqa} Hkv{kv_heads} q{tokens} keys "
                           + "+".join(map(str, keys)),
                           lambda directory, k=kernel, g=gqa, t=tokens, h=kv_heads, n=keys,
                           s=split: build_persistent(k, g, t, h, n, s, directory))
