# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hsa/gfx950/pa: decode with a paged cache, head size 128.

Arguments: struct KernelArgs and pa_fwd, struct PsKernelArgs and pa_ps_fwd in
csrc/py_itfs_cu/asm_pa.cu; rows: hsa/gfx950/pa/pa_asm.csv. Layout of the caches: the
comments there and asm_V_shuffle in op_tests/test_pa.py; scales:
pertoken_quant_kvcache_symm and perblock_quant_kvcache_symm in op_tests/test_pa_ps.py.
Work items of the persistent kernels: csrc/kernels/mla/metadata/v1_2_pa_device.cuh.
"""

import os
from dataclasses import dataclass

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


def cases(large=False):
    for kernel in KERNELS:
        shapes = SEVERAL if kernel.mtp else SINGLE
        for shape in [Shape(8, [2048] * 4, shapes[0].q_length)] if large else shapes:
            yield Case(kernel.name, f"gqa{kernel.gqa} {shape}",
                       lambda directory, k=kernel, s=shape: build(k, k.gqa, s, directory))
