# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hsa/gfx950/mla, decode: one latent KV head of 576 (512 of them V), paged by token.

Arguments: struct KernelArgs and mla_decode_stage1_asm_fwd in csrc/py_itfs_cu/asm_mla.cu,
which also chooses kernel and grid; buffers as mla_decode_fwd in aiter/mla.py makes them;
rows: hsa/gfx950/mla/mla_asm.csv. Work items of the persistent kernels ("ps"):
union MlaWorkInfo in csrc/include/mla.h, filled as csrc/kernels/mla/metadata/
v1_2_device.cuh does. Partial results are joined as _fwd_kernel_stage2_asm in
aiter/mla.py (split KV) and mla_reduce_v1 (persistent) do.
"""

import os
from dataclasses import dataclass, replace

import numpy as np

from case import Case, Check, generator
from formats import BF16, FP8
from launch import F32, Launch, Pointer, pack_slots
from reference import attention, causal_bottom_right

FOLDER = "mla"
D_QK, D_V = 576, 512
SPARE_INDICES = 512  # kernels read page indices ahead; the host allocates more as well

# These issue `ds_read_b128 a[120:123]` 7 instructions before the v_mfma that wants what
# a[120:127] held before: right if LDS reads take 7 to 20 instructions (README.md).
LATE_LDS = 12


@dataclass
class Kernel:
    name: str
    q_format: object
    kv_format: object
    heads: int          # "gqa": all query heads share the one KV head
    q_lengths: tuple    # tokens a sequence that the host runs it with
    sub_q: int          # rows a workgroup; 0: all
    causal: bool = True
    s_mqa_is_heads: bool = False    # s_MQA without the factor q length
    f32_if_unsplit: bool = False    # one split still writes f32 partials
    unsplit: bool = True            # runs with one split
    splits: bool = True             # runs with more than one split
    lds_instructions: int = 0       # see Case

    def takes(self, shape):
        return self.unsplit if shape.splits == 1 else self.splits


SPLIT_KV = [
    Kernel("mla_dec_stage1_bf16_a16w16_subQ16_mqa16", BF16, BF16, 16, (1,), 16,
           f32_if_unsplit=True),
    Kernel("mla_dec_stage1_bf16_a16w16_subQ128_mqa128", BF16, BF16, 128, (1, 2), 128,
           causal=False),
    Kernel("mla_a16w16_qh16_m16x4_n16x1_coex0_mask1", BF16, BF16, 16, (2, 4), 128),
    Kernel("mla_a16w16_qh16_m32x4_n16x1_coex0_mask1", BF16, BF16, 16, (8,), 128),
    Kernel("mla_a8w8_qh16_qseqlen1_gqaratio16", FP8, FP8, 16, (1,), 128),
    Kernel("mla_a8w8_qh16_qseqlen1_gqaratio16_msk0", FP8, FP8, 16, (1,), 128,
           causal=False),
    Kernel("mla_a8w8_qh16_qseqlen2_gqaratio16", FP8, FP8, 16, (2,), 128),
    # The split has no part in the addresses it stores to; whether to store bf16 it reads
    # from the slot of the output pointer, which the host leaves 0.
    Kernel("mla_a8w8_qh64_qseqlen4_gqaratio16", FP8, FP8, 16, (4,), 64,
           f32_if_unsplit=True, splits=False, lds_instructions=LATE_LDS),
    Kernel("mla_a8w8_qh64_qseqlen4_gqaratio16_msk0", FP8, FP8, 16, (4,), 64,
           causal=False, f32_if_unsplit=True, splits=False, lds_instructions=LATE_LDS),
    Kernel("mla_a8w8_qh128_m32x4_n16x2_msk1", FP8, FP8, 128, (1, 2), 128),
    Kernel("mla_a8w8_qh128_m32x4_n16x2_msk0", FP8, FP8, 128, (2,), 128, causal=False),
    Kernel("MLA_A16W16_1TG_4W_16mx4_32nx1_Coex0_Msk1_QH16", BF16, BF16, 32, (1, 2), 64),
    Kernel("MLA_A16W16_1TG_4W_64mx1_16nx1_Coex0_Msk1_QH16", BF16, BF16, 64, (2,), 64,
           causal=False, unsplit=False),
    Kernel("mla_a16w16_qh64_qseqlen1_gqaratio64_v3", BF16, BF16, 64, (1,), 64),
    Kernel("mla_a16w16_qh8_qseqlen1_gqaratio8_v3", BF16, BF16, 8, (1,), 8,
           f32_if_unsplit=True),
    Kernel("mla_a16w16_qh8_qseqlen2_gqaratio8", BF16, BF16, 8, (2,), 16, causal=False,
           s_mqa_is_heads=True),
    Kernel("mla_a16w16_qh8_qseqlen2_gqaratio8_causal", BF16, BF16, 8, (2,), 16,
           s_mqa_is_heads=True),
    Kernel("mla_a8w8_qh8_qseqlen1_gqaratio8_v3", FP8, FP8, 8, (1,), 8),
]

Q_SCALE, KV_SCALE = 0.75, 1.25  # of the fp8 tensors


@dataclass
class Shape:
    keys: list    # KV length of each sequence
    splits: int

    def __str__(self):
        return f"keys {'+'.join(map(str, self.keys))} splits {self.splits}"


SPLIT_SHAPES = [Shape([128], 1), Shape([300, 77, 513], 1), Shape([300, 77, 513], 2)]


@dataclass
class Problem:
    """Inputs of a decode launch and the reference of each sequence."""
    q_bits: np.ndarray     # [B * q length, heads, 576]
    kv_bits: np.ndarray    # [pages, 1, 1, 576]
    pages: np.ndarray      # page of each key, sequences one after the other
    q: list                # doubles, scaled: [heads, q length, 576] a sequence
    kv: list               # [1, keys, 576]


def make_problem(kernel, q_length, keys):
    rng = generator(kernel.q_format.name, kernel.kv_format.name, kernel.heads, q_length,
                    keys)
    total = sum(keys)
    q_bits = kernel.q_format.encode(
        rng.standard_normal((len(keys) * q_length, kernel.heads, D_QK)))
    kv_bits = kernel.kv_format.encode(rng.standard_normal((total + 3, D_QK)))
    pages = rng.permutation(total + 3)[:total].astype(np.int32)
    q_factor = Q_SCALE if kernel.q_format is FP8 else 1.0
    kv_factor = KV_SCALE if kernel.kv_format is FP8 else 1.0
    ends = np.cumsum(keys)
    q = [np.swapaxes(kernel.q_format.values(q_bits[b * q_length:(b + 1) * q_length]), 0, 1)
         * q_factor for b in range(len(keys))]
    kv = [kernel.kv_format.values(kv_bits[pages[end - n:end]])[None] * kv_factor
          for n, end in zip(keys, ends)]
    return Problem(q_bits, kv_bits, pages, q, kv)


def sequence_reference(kernel, problem, b, first=0, last=None, **roundings):
    """O [q length, heads, 512] and LSE [q length, heads] of the keys first…last."""
    q, kv = problem.q[b], problem.kv[b]
    visible = None
    if kernel.causal:
        visible = causal_bottom_right(q.shape[1], kv.shape[1])[:, first:last]
    kv = kv[:, first:last]
    result = attention(q, kv, kv[:, :, :D_V], 1 / np.sqrt(D_QK), visible, **roundings)
    return np.swapaxes(result.o, 0, 1), result.lse.T


def whole_reference(kernel, problem, **roundings):
    parts = [sequence_reference(kernel, problem, b, **roundings)
             for b in range(len(problem.q))]
    return np.concatenate([o for o, _ in parts]), np.concatenate([l for _, l in parts])


def floor_roundings(kernel):
    return {"p_round": kernel.kv_format.round if kernel.q_format is FP8 else BF16.round,
            "q_round": BF16.round if kernel.q_format is BF16 else None}


def merge(partial_o, partial_lse):
    """[parts, …, 512], [parts, …] -> joined; parts that were not written are NaN."""
    some = ~np.isnan(partial_lse)
    lse = np.where(some, partial_lse, -np.inf)
    top = lse.max(axis=0)
    weight = np.exp(lse - np.where(np.isfinite(top), top, 0))
    total = weight.sum(axis=0)
    o = (np.where(some[..., None], partial_o, 0) * weight[..., None]).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return o / total[..., None], top + np.log(total)


def common_inputs(kernel, problem, q_length, keys):
    inputs = {
        "q": problem.q_bits, "kv": problem.kv_bits,
        "kv_indptr": np.cumsum([0] + keys).astype(np.int32),
        "kv_indices": np.concatenate([problem.pages, np.zeros(SPARE_INDICES, np.int32)]),
        "kv_last_page": np.ones(len(keys), np.int32),
        "qo_indptr": (np.arange(len(keys) + 1) * q_length).astype(np.int32),
    }
    if kernel.q_format is FP8:
        inputs["q_scale"] = np.float32([Q_SCALE])
    if kernel.kv_format is FP8:
        inputs["kv_scale"] = np.float32([KV_SCALE])
    return inputs


def arguments(kernel, inputs, q_length, splits, *, out_pointer, metadata, out_16_nosplit,
              final_lse=Pointer(""), s_mqa=None):
    """struct KernelArgs; the round-robin context parallel fields are off."""
    q_row_bytes = kernel.heads * D_QK * kernel.q_format.dtype.itemsize
    return [
        Pointer("partial"), Pointer("partial_lse"), Pointer("q"), Pointer("kv"),
        Pointer("kv_indptr"), Pointer("kv_indices"), Pointer("kv_last_page"),
        F32(1 / np.sqrt(D_QK)),
        s_mqa or kernel.heads * (1 if kernel.s_mqa_is_heads else q_length),
        splits,
        q_row_bytes * q_length,                      # s_Q_Bs
        D_QK * kernel.kv_format.dtype.itemsize,      # s_Bs, a page
        0,                                           # s_log2_plen
        Pointer("qo_indptr"), Pointer(metadata), out_pointer,
        Pointer("q_scale" if "q_scale" in inputs else ""),
        Pointer("kv_scale" if "kv_scale" in inputs else ""),
        out_16_nosplit, final_lse,
        Pointer(""), 1, 0,                           # ptr_GKVTP, world size, rank
    ]


def build_split(kernel, q_length, shape, directory):
    problem = make_problem(kernel, q_length, shape.keys)
    o, lse = whole_reference(kernel, problem)
    floor_o, floor_lse = whole_reference(kernel, problem, **floor_roundings(kernel))
    batch, rows = len(shape.keys), len(shape.keys) * q_length
    inputs = common_inputs(kernel, problem, q_length, shape.keys)
    inputs["split_indptr"] = (np.arange(batch + 1) * shape.splits).astype(np.int32)
    kernarg, kernarg_bytes = pack_slots(arguments(
        kernel, inputs, q_length, shape.splits, out_pointer=Pointer(""),
        metadata="split_indptr", out_16_nosplit=int(shape.splits == 1)))
    final = shape.splits == 1 and not kernel.f32_if_unsplit
    partial = (rows, shape.splits, kernel.heads)
    launch = Launch(
        code_object=os.path.join(directory, FOLDER, kernel.name + ".co"),
        grid=(-(-q_length * kernel.heads // kernel.sub_q), batch, shape.splits),
        block=(256, 1, 1), inputs=inputs,
        outputs={"partial": (partial + (D_V,), np.uint16 if final else np.float32),
                 "partial_lse": (partial, np.float32)},
        kernarg=kernarg, kernarg_bytes=kernarg_bytes,
        partly_written=("partial", "partial_lse") if shape.splits > 1 else ())

    def merged(outputs):
        return merge(np.moveaxis(outputs["partial"].astype(np.float64), 1, 0),
                     np.moveaxis(outputs["partial_lse"].astype(np.float64), 1, 0))

    if final:
        checks = [Check("o", lambda out: BF16.values(out["partial"])[:, 0], o,
                        BF16.round(floor_o))]
    else:
        checks = [Check("o", lambda out: merged(out)[0], o, floor_o),
                  Check("lse", lambda out: merged(out)[1], lse, floor_lse)]
    return launch, checks


# The persistent kernels: a workgroup takes the work items [work_indptr[i],
# work_indptr[i + 1]) of a list; each item is a sequence or a piece of its keys.


@dataclass
class Persistent:
    """A kernel of the rows ps = 1; `takes`: (query heads, q length) that the host
    gives it, the rows of a tile at most."""
    name: str
    q_format: object
    kv_format: object
    takes: tuple
    s_mqa_is_heads: bool = False
    heads: int = 0
    lds_instructions: int = 0    # see Case
    stores_lse: bool = True      # if it is an "lse" one
    mask_spoils_k: bool = False  # see MASK_SAFE_KEYS

    @property
    def causal(self):
        return "msk0" not in self.name

    @property
    def final_lse(self):
        return "_lse_" in self.name and self.stores_lse

    @property
    def round_robin(self):
        """Keys of this rank are every WORLD-th of the sequence."""
        return "_cprr_" in self.name


def variants(stem, *rest, names=("", "_lse", "_msk0", "_msk0_lse", "_cprr", "_lse_cprr",
                                 "_msk0_cprr", "_msk0_lse_cprr"), end="_ps", **options):
    return [Persistent(stem + name + end, *rest, **options) for name in names]


PERSISTENT = [
    *variants("mla_a16w16_qh32_qseqlen4_gqaratio32", BF16, BF16,
              ((32, 4), (64, 2), (128, 1)), s_mqa_is_heads=True),
    *variants("mla_a16w16_qh64_qseqlen1_gqaratio64", BF16, BF16,
              ((64, 1), (16, 3), (16, 4), (32, 2), (48, 1)), end="_v3_ps",
              s_mqa_is_heads=True, mask_spoils_k=True),
    *variants("mla_a8w8_qh16_qseqlen4_gqaratio16", FP8, FP8,
              ((16, 3), (16, 4), (32, 2), (64, 1)), end="_v3_ps",
              s_mqa_is_heads=True, lds_instructions=LATE_LDS),
    *variants("mla_a8w8_qh32_qseqlen4_gqaratio32", FP8, FP8,
              ((32, 4), (64, 2), (128, 1), (16, 8)), s_mqa_is_heads=True),
    *variants("mla_a8w8_qh16_qseqlen1_gqaratio16", FP8, FP8, ((16, 1),),
              names=("", "_lse", "_msk0", "_msk0_lse")),
    *variants("mla_a8w8_qh16_qseqlen2_gqaratio16", FP8, FP8, ((16, 2),), names=("",)),
    # The code of the two is the same to the byte: no LSE is stored.
    *variants("mla_a8w8_qh32_qseqlen1_gqaratio32", FP8, FP8, ((32, 1),),
              names=("", "_lse"), stores_lse=False),
    *variants("mla_a8w8_qh32_qseqlen4_gqaratio8", FP8, FP8, ((8, 4),),
              names=("", "_lse", "_msk0", "_msk0_lse")),
    *variants("mla_a16w8_qh16_m16x4_n16x1_coex0_mask1", BF16, FP8, ((16, 1), (16, 4)),
              names=("",)),
]

WORLD, RANK = 2, 1  # of the round-robin kernels


@dataclass
class Work:
    sequence: int
    first: int      # keys of the sequence
    last: int
    partial: int    # row of the partial results, -1 for a final one


PERSISTENT_KEYS = [300, 77, 513]
# Three workgroups: two whole sequences; the two pieces of the third.
PERSISTENT_WORK = [[(0, 0, 300, False), (1, 0, 77, False)], [(2, 0, 256, True)],
                   [(2, 256, 513, True)]]
# Kernels that cannot mask both of the last two tiles of 32 keys (README.md) get a third
# sequence whose last tile has more keys than the mask takes from any row.
MASK_SAFE_KEYS = [300, 77, 515]
MASK_SAFE_WORK = [*PERSISTENT_WORK[:2], [(2, 256, 515, True)]]
PERSISTENT_SMALL_KEYS = [128]
PERSISTENT_SMALL_WORK = [[(0, 0, 128, False)]]

METADATA_BASES = {"work_indptr": 0x200000000000, "work_info": 0x200000100000}


def visible_keys(kernel, q_length, keys):
    """The mask of one sequence."""
    if not kernel.causal:
        return None
    if not kernel.round_robin:
        return causal_bottom_right(q_length, keys)
    position = np.arange(keys) * WORLD + RANK
    return position[None, :] <= (global_keys(keys) - q_length + np.arange(q_length))[:, None]


def global_keys(keys):
    """Length of the sequence of which this rank holds `keys` keys."""
    return (keys - 1) * WORLD + RANK + 1


def build_persistent(kernel, heads, q_length, keys, groups, directory):
    kernel = replace(kernel, heads=heads)
    problem = make_problem(kernel, q_length, keys)
    starts = np.cumsum([0] + keys)
    works, indptr, info, partial_rows = [], [0], [], 0
    for group in groups:
        for sequence, first, last, split in group:
            works.append(Work(sequence, first, last, partial_rows if split else -1))
            info.append([sequence, works[-1].partial, sequence * q_length,
                         (sequence + 1) * q_length, starts[sequence] + first,
                         starts[sequence] + last, keys[sequence] - last, 0])
            partial_rows += q_length if split else 0
        indptr.append(len(works))
    rows = len(keys) * q_length
    inputs = common_inputs(kernel, problem, q_length, keys)
    inputs.update(
        work_indptr=np.int32(indptr), work_info=np.int32(info),
        metadata=np.uint64([METADATA_BASES["work_indptr"], METADATA_BASES["work_info"]]
                           + [0] * 8))
    if kernel.round_robin:
        inputs["global_indptr"] = np.cumsum(
            [0] + [global_keys(n) for n in keys]).astype(np.int32)
    values = arguments(
        kernel, inputs, q_length, 1, out_pointer=Pointer("o"), metadata="metadata",
        out_16_nosplit=1, final_lse=Pointer("lse" if kernel.final_lse else ""))
    if kernel.round_robin:
        values[-3:] = [Pointer("global_indptr"), WORLD, RANK]
    kernarg, kernarg_bytes = pack_slots(values)
    partial_shape = (max(partial_rows, 1), kernel.heads)
    outputs = {"o": ((rows, kernel.heads, D_V), np.uint16),
               "partial": (partial_shape + (D_V,), np.float32),
               "partial_lse": (partial_shape, np.float32)}
    if kernel.final_lse:
        outputs["lse"] = ((rows, kernel.heads), np.float32)
    launch = Launch(
        code_object=os.path.join(directory, FOLDER, kernel.name + ".co"),
        grid=(len(groups), 1, 1), block=(256, 1, 1), inputs=inputs, outputs=outputs,
        kernarg=kernarg, kernarg_bytes=kernarg_bytes, bases=METADATA_BASES)
    return launch, persistent_checks(kernel, problem, q_length, works)


def work_reference(kernel, problem, q_length, work, **roundings):
    q, kv = problem.q[work.sequence], problem.kv[work.sequence]
    visible = visible_keys(kernel, q_length, kv.shape[1])
    if visible is not None:
        visible = visible[:, work.first:work.last]
    kv = kv[:, work.first:work.last]
    result = attention(q, kv, kv[:, :, :D_V], 1 / np.sqrt(D_QK), visible, **roundings)
    return np.swapaxes(result.o, 0, 1), result.lse.T


def persistent_checks(kernel, problem, q_length, works):
    """Final rows, partial rows, and the LSE of both."""
    checks = []
    for label, chosen in (("o", [w for w in works if w.partial < 0]),
                          ("part", [w for w in works if w.partial >= 0])):
        if not chosen:
            continue
        exact = [work_reference(kernel, problem, q_length, w) for w in chosen]
        floor = [work_reference(kernel, problem, q_length, w, **floor_roundings(kernel))
                 for w in chosen]
        row = np.concatenate([
            (w.sequence * q_length if w.partial < 0 else w.partial) + np.arange(q_length)
            for w in chosen])
        o, lse = (np.concatenate([pair[i] for pair in exact]) for i in (0, 1))
        floor_o, floor_lse = (np.concatenate([pair[i] for pair in floor]) for i in (0, 1))
        if label == "o":
            checks.append(Check("o", lambda out, r=row: BF16.values(out["o"][r]), o,
                                BF16.round(floor_o)))
            if kernel.final_lse:
                checks.append(Check("lse", lambda out, r=row: out["lse"][r].astype(float),
                                    lse, floor_lse))
        else:
            checks.append(Check("part", lambda out, r=row: out["partial"][r].astype(float),
                                o, floor_o))
            checks.append(Check("partlse",
                                lambda out, r=row: out["partial_lse"][r].astype(float),
                                lse, floor_lse))
    return checks


def cases(directory, large=False):
    for kernel in SPLIT_KV:
        for q_length in kernel.q_lengths:
            for shape in [Shape([4096] * 2, 4)] if large else SPLIT_SHAPES:
                if not kernel.takes(shape):
                    continue
                yield Case(kernel.name, f"q{q_length} {shape}",
                           lambda directory, k=kernel, q=q_length, s=shape:
                           build_split(k, q, s, directory), kernel.lds_instructions)
    for kernel in PERSISTENT:
        for heads, q_length in kernel.takes:
            safe = kernel.mask_spoils_k and kernel.causal and q_length > 2
            for keys, groups in ((PERSISTENT_SMALL_KEYS, PERSISTENT_SMALL_WORK),
                                 (MASK_SAFE_KEYS, MASK_SAFE_WORK) if safe else
                                 (PERSISTENT_KEYS, PERSISTENT_WORK)):
                yield Case(kernel.name, f"H{heads} q{q_length} keys "
                           + "+".join(map(str, keys)),
                           lambda directory, k=kernel, h=heads, q=q_length, n=keys, g=groups:
                           build_persistent(k, h, q, n, g, directory),
                           kernel.lds_instructions)
