# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every axis of the generic schedule, and their combinations.

A row is one value of each axis: one `fmhac run --json` that must exit with 0, be
within tolerance and have no finding. The default is every pair of values of every
two axes (pairwise.py), every Sq modulo a tile's rows with every Sk modulo a tile's
keys, and every head size. `--full` walks the whole product, of which `--slice I/N`
takes every Nth row from the Ith on; `--random N --seed S` takes rows at random;
`--residues` takes the lengths modulo a tile alone; `--row` repeats one row, with `--keep
DIR` for its files.
"""
import argparse
import math
import os
import random
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import axis_files
import pairwise
import rows as run_rows

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import slices  # noqa: E402

DTYPES = ["bf16", "f16"]

# Axes of constraints first: pairwise.py fills them in in this order.
AXES = {
    "layout": ["bshd", "bhsd", "packed-qkv", "interleaved-kv"],
    "strides": ["dense", "q", "kv", "o", "all"],
    # Dqk/Dv. Of each side: a power of two, the largest, an odd multiple of 8.
    "head": ["128/128", "64/64", "256/256", "192/128", "72/72", "8/8", "40/136",
             "128/64", "96/96", "200/24", "248/256", "32/32"],
    "q_len": ["dense", "varlen", "padded"],
    "kv_len": ["dense", "varlen", "padded"],
    "sk": ["Sq", "1", "31", "32", "64", "65", "128", "150", "257"],
    "sq": ["130", "1", "31", "64", "128", "129", "200"],
    # Bounds below, at and across a tile of 32, 64 and 128.
    "mask": ["none", "causal", "causal-top-left", "window:0,0", "window:7,3",
             "window:64,63", "window:100,-1", "window:-1,0", "window:-1,70",
             "window:128,32", "window:-1,-1", "chunked:1", "chunked:24",
             "chunked:64", "chunked:100", "chunked:128"],
    "dtype": DTYPES,
    "out": ["same", "f32", "bf16", "f16"],
    "lse": ["no", "yes"],
    "sink": ["none", "normal", "large", "-inf"],
    "softcap": ["0", "0.5", "20"],
    "alibi": ["no", "yes"],
    # Letters are the dimensions that are not broadcast.
    "bias": ["none", "bhq", "bh", "bq", "hq", "b", "h", "q", "-", "hidden",
             "least"],
    "score_mod": ["none", "decay", "hide"],
    "scale": ["default", "-0.3", "1e-30", "5"],
    "batch": ["2", "1", "3"],
    "heads": ["2/1", "1/1", "4/2", "3/3", "5/1"],
    "input": ["normal", "growing", "spikes"],
    # Factors of elements of 8 bits: see PIPELINES.
    "q_scale": ["none"],
    "k_scale": ["none"],
    "v_scale": ["none"],
    "scale_block": ["64"],
}
DEFAULTS = {name: values[0] for name, values in AXES.items()}

# With --schedule, of pipelines of 256 rows and 64 or 128 keys: lengths round their tiles in
# both dimensions; heads up to these, and these axes as far as lib/choose/support.def has them.
PIPELINE_HEADS = {"dualwave": 128, "dualwave_1tile": 128, "dualwave_sums": 128,
                  "dualwave_d96": 96, "dualwave_narrow": 64, "generic_fp8": 256,
                  "generic_fp8_n32": 256, "dualwave_fp8": 128, "dualwave_fp8_d64": 64,
                  "dualwave_fp8_d192": 192, "dualwave_fp8_d256": 256,
                  "generic-kv8": 256, "dualwave_kv8": 128, "dualwave_q8": 128,
                  "generic-q8": 256, "generic_n32-q8": 256, "dualwave-q8": 128,
                  "dualwave_d64-q8": 64, "dualwave_d192-q8": 192}
UNIFORM = ["none", "tensor", "head"]
ROWS = [*UNIFORM, "token", "block"]
# Below, at and above tiles of keys, and one that is no power of two.
BLOCKS = ["64", "128", "24", "32"]
ALL_FACTORS = {"q_scale": ROWS, "k_scale": ROWS, "v_scale": ROWS, "scale_block": BLOCKS}
# Pipelines take factors of K and V by block where whole tiles share one.
OF_TILES = [*UNIFORM, "block"]
TILE_KEYS = 64
OUTPUTS_OF_8_BITS = ["same", "f32", "bf16", "f16", "fp8"]
# Q/K/V: K and V of 8 bits, which are converted.
KV8 = ["bf16/fp8/fp8", "f16/fp8/bf8", "bf16/bf8/fp8", "f16/bf8/bf8"]
# The same with a Q that the kernel rounds to 8 bits.
Q8 = [f"{types}/quantised" for types in KV8]
# One buffer has one type.
KV8_LAYOUTS = {"dtype": KV8, "layout": ["bshd", "bhsd", "interleaved-kv"],
               "k_scale": UNIFORM, "v_scale": UNIFORM}
INPUTS_OF_8_BITS = ["normal", "growing", "spikes", "rising"]
PIPELINES = {
    "dualwave": {"bias": ["none"]},
    "dualwave_1tile": {"bias": ["none"]},
    "dualwave_d96": {},
    "dualwave_sums": {"bias": ["none"], "lse": ["no"], "dtype": ["bf16"]},
    "dualwave_narrow": {"bias": ["none"], "softcap": ["0"], "alibi": ["no"],
                        "score_mod": ["none"], "lse": ["no"], "dtype": ["bf16"]},
    "generic_fp8": {"dtype": ["fp8"], "out": OUTPUTS_OF_8_BITS, **ALL_FACTORS,
                    "input": INPUTS_OF_8_BITS},
    "generic_fp8_n32": {"dtype": ["fp8"], "out": OUTPUTS_OF_8_BITS, **ALL_FACTORS,
                    "input": INPUTS_OF_8_BITS},
    **{name: {"bias": ["none"], "softcap": ["0"], "alibi": ["no"],
              "score_mod": ["none"], "dtype": ["fp8"], "out": OUTPUTS_OF_8_BITS,
              "q_scale": ROWS, "k_scale": OF_TILES, "v_scale": OF_TILES,
              "scale_block": BLOCKS, "input": INPUTS_OF_8_BITS}
       for name in ("dualwave_fp8", "dualwave_fp8_d64", "dualwave_fp8_d192",
                    "dualwave_fp8_d256")},
    "dualwave_kv8": {"bias": ["none"], **KV8_LAYOUTS},
    "generic-kv8": {**KV8_LAYOUTS, "k_scale": ROWS, "v_scale": ROWS, "scale_block": BLOCKS},
    "generic-q8": {**ALL_FACTORS, **KV8_LAYOUTS, "dtype": Q8, "out": OUTPUTS_OF_8_BITS,
                   "q_scale": ["none"], "k_scale": ROWS, "v_scale": ROWS,
                   "input": INPUTS_OF_8_BITS},
    "generic_n32-q8": {**KV8_LAYOUTS, "dtype": Q8, "out": OUTPUTS_OF_8_BITS,
                       "input": INPUTS_OF_8_BITS},
    **{name: {"bias": ["none"], "softcap": ["0"], "alibi": ["no"], "score_mod": ["none"],
              **KV8_LAYOUTS, "dtype": Q8, "out": OUTPUTS_OF_8_BITS, "input": INPUTS_OF_8_BITS}
       for name in ("dualwave_q8", "dualwave_d192-q8")},
    **{name: {"bias": ["none"], "softcap": ["0"], "alibi": ["no"], "score_mod": ["none"],
              **KV8_LAYOUTS, "dtype": Q8, "out": OUTPUTS_OF_8_BITS, "input": INPUTS_OF_8_BITS,
              "k_scale": OF_TILES, "v_scale": OF_TILES, "scale_block": BLOCKS}
       for name in ("dualwave-q8", "dualwave_d64-q8")},
}
# Not a schedule: those that schedule_of() gives, with other types.
UNNAMED = ["generic-kv8"]
# Of a schedule, where it is not that of the pipeline: with a Q that the kernel rounds.
NAMES = {"generic-q8": "generic_fp8", "generic_n32-q8": "generic_fp8_n32",
         "dualwave-q8": "dualwave_fp8", "dualwave_d64-q8": "dualwave_fp8_d64",
         "dualwave_d192-q8": "dualwave_fp8_d192"}
PIPELINE_LENGTHS = ["255", "256", "257", "383", "384", "511", "513", "1023"]
# Heads of residue_rows(), in turn.
RESIDUE_HEADS = ["64/64", "128/128", "40/72"]
# Of schedules for heads that others serve, too: every size, and both sides apart.
SIZES_TO_96 = range(8, 97, 8)
OWN_RESIDUE_HEADS = {
    "dualwave_d96": [f"{SIZES_TO_96[(i + j) % 12]}/{SIZES_TO_96[(i + 3 * j) % 12]}"
                     for j in range(12) for i in range(12)],
    "generic_fp8": ["64/64", "128/128", "48/80"],
    "dualwave_kv8": ["64/64", "128/128", "48/80"],
    "generic-kv8": ["64/64", "128/128", "48/80"],
    **{name: ["64/64", "128/128", "48/80"]
       for name in ("generic-q8", "generic_n32-q8", "dualwave_q8", "dualwave-q8",
                    "dualwave_d192-q8")},
    "dualwave_d64-q8": ["64/64", "16/48", "48/32"]}
# Heads of elements of 8 bits are multiples of 16.
HEADS_OF_8_BITS = ["80/80", "16/16", "48/144", "208/16", "240/256"]


def has_8_bits(dtype):
    """Whether some operand has."""
    return "8" in dtype


def is_head_of(head, schedule):
    dims = [int(dim) for dim in head.split("/")]
    step = 16 if has_8_bits(PIPELINES[schedule].get("dtype", [""])[0]) else 8
    if NAMES.get(schedule, schedule) == "dualwave_fp8_d192" and dims[1] > 128:
        return False
    return max(dims) <= PIPELINE_HEADS[schedule] and not any(d % step for d in dims)


def restrict(schedule):
    """The axes become those of a pipeline."""
    if NAMES.get(schedule, schedule) == "generic_fp8":  # which leaves others to generic_fp8_n32
        def is_small(head):
            return all(int(dim) <= 192 for dim in head.split("/"))
        CONSTRAINTS.append((("head", "bias"), lambda head, bias: bias == "none" or
                            is_small(head)))

        def has_room(head, scale, bias, softcap, alibi, score_mod):
            plain = (bias, softcap, alibi, score_mod) == ("none", "0", "no", "none")
            return scale in UNIFORM or (plain and is_small(head))
        for scale in ("k_scale", "v_scale"):
            CONSTRAINTS.append((("head", scale, "bias", "softcap", "alibi", "score_mod"), has_room))
    if schedule == "generic-kv8":
        # ALiBi takes keys so far below the sinks between those of -inf that f16 cannot hold O.
        CONSTRAINTS.append((("dtype", "out", "sink", "alibi"), lambda dtype, out, sink, alibi:
                            sink == "none" or alibi == "no" or not writes_f16(dtype, out)))
    if schedule in ("generic-q8", "generic_n32-q8"):  # lib/choose/support.def
        def has_functions(head, *functions):
            dqk, dv = map(int, head.split("/"))
            fits = max(dqk, dv) <= 192 or dv <= 128 or (dqk <= 128 and "n32" in schedule)
            return fits or functions == ("none", "0", "no", "none")
        CONSTRAINTS.append((("head", "bias", "softcap", "alibi", "score_mod"), has_functions))
    for scale in ("k_scale", "v_scale"):
        if PIPELINES[schedule].get(scale) == OF_TILES:
            CONSTRAINTS.append(((scale, "scale_block"), lambda scale, block:
                                scale != "block" or int(block) % TILE_KEYS == 0))
            if schedule == "dualwave_fp8_d256":  # which has no registers for more
                CONSTRAINTS.append(((scale, "mask"), lambda scale, mask: scale != "block"
                                    or not mask.startswith(("window", "chunked"))))
                CONSTRAINTS.append(((scale, "q_scale"), lambda scale, of_q: scale != "block"
                                    or of_q in UNIFORM))
    dtypes = PIPELINES[schedule].get("dtype", DTYPES)
    if has_8_bits(dtypes[0]):
        AXES["head"] = [*AXES["head"], *HEADS_OF_8_BITS]
        DTYPES[:] = dtypes
        DEFAULTS["dtype"] = dtypes[0]
    AXES["head"] = [h for h in AXES["head"] if is_head_of(h, schedule)]
    AXES["sq"] = [*AXES["sq"], *PIPELINE_LENGTHS]
    AXES["sk"] = [*AXES["sk"], *PIPELINE_LENGTHS]
    AXES.update(PIPELINES[schedule])
    RESIDUE_HEADS[:] = OWN_RESIDUE_HEADS.get(schedule, RESIDUE_HEADS)


def is_of_pipeline(row, schedule):
    """Whether a row of a list of its own is one that the pipeline serves."""
    return (is_head_of(row["head"], schedule)
            and all(row[axis] in values
                    for axis, values in PIPELINES[schedule].items()))


def equal_heads(head):
    dqk, dv = head.split("/")
    return dqk == dv


def writes_f16(dtype, out):
    return out == "f16" or (out == "same" and dtype.split("/")[0] == "f16")


# What cannot be combined: (axes, what must hold of their values).
CONSTRAINTS = [
    # One buffer of Q, K and V, or of K and V, has one head size and its own strides.
    (("layout", "head"), lambda layout, head: layout in ("bshd", "bhsd")
     or equal_heads(head)),
    (("layout", "strides"), lambda layout, strides: strides in {
        "packed-qkv": ("dense", "o"),
        "interleaved-kv": ("dense", "q", "o")}.get(layout, (strides,))),
    (("layout", "sk"), lambda layout, sk: layout != "packed-qkv" or sk == "Sq"),
    # ... and one list of starts, if any.
    (("layout", "q_len", "kv_len"), lambda layout, q_len, kv_len:
     layout != "packed-qkv" or (q_len == "varlen") == (kv_len == "varlen")),
    # A sink far above every score leaves an O that f16 cannot hold; sink_rows() has
    # the sinks that do not.
    (("dtype", "out", "sink"), lambda dtype, out, sink:
     sink in ("none", "-inf") or not writes_f16(dtype, out)),
    # Scores of hundreds: that f32 rounds m * log2(e) shows in an O of f32 where the
    # row has one key, so that the floor is 0.
    (("out", "scale", "input"), lambda out, scale, kind:
     scale != "5" or (out != "f32" and kind == "normal")),
    # Blocks of packed keys are not supported.
    *(((scale, "kv_len"), lambda scale, kv_len: scale != "block" or kv_len != "varlen")
      for scale in ("k_scale", "v_scale")),
]


# ===- Rows -------------------------------------------------------------------===


def is_possible(row):
    return all(predicate(*(row[a] for a in names))
               for names, predicate in CONSTRAINTS)


def with_defaults(**values):
    return DEFAULTS | values


def residue_rows():
    """Every Sq modulo 128 rows; every Sk modulo 64 keys, and modulo 32 for the heads
    whose tile has 32."""
    masks = ["none", "causal", "window:40,9", "chunked:50", "causal-top-left"]
    for r in range(128):
        yield with_defaults(
            sq=str(r + 1 + 128 * (r % 3 == 0)), sk=str(r * 37 % 64 + 1 + 64 * (r % 4)),
            mask=masks[r % 5], dtype=DTYPES[r % len(DTYPES)], lse="yes", batch="1",
            head=RESIDUE_HEADS[r % len(RESIDUE_HEADS)])
    for r in range(32):
        yield with_defaults(
            sq=str(r * 5 + 1), sk=str(r + 1 + 32 * (r % 5)), mask=masks[r % 5],
            dtype=DTYPES[r % len(DTYPES)], lse="yes", batch="1",
            head=["256/256", "136/200", "192/128"][r % 3])


def head_rows():
    """Every head size, of all four tensors and of each side with another size."""
    sizes = range(8, 257, 8)
    for i, size in enumerate(sizes):
        other = (i * 13 + 5) % 32 * 8 + 8
        for n, head in enumerate((f"{size}/{size}", f"{size}/{other}")):
            yield with_defaults(head=head, sq="70", sk="75", batch="1", lse="yes",
                                mask=["causal", "none"][n],
                                dtype=DTYPES[(i + n) % len(DTYPES)])


def sink_rows():
    """Sinks of the size of the scores, written as f16."""
    for i, mask in enumerate(AXES["mask"]):
        yield with_defaults(mask=mask, sink="normal", dtype=DTYPES[i % len(DTYPES)],
                            out="f16", lse=AXES["lse"][i % 3 == 0 and len(AXES["lse"]) > 1])


def empty_rows():
    """No sequence has a key, or none a row."""
    for head in ("128/128", "256/256"):
        for sink in ("none", "normal"):
            yield with_defaults(head=head, kv_len="empty", sink=sink, lse="yes",
                                mask="causal")
        yield with_defaults(head=head, q_len="empty", lse="yes")


def pairwise_rows():
    return pairwise.Cover(AXES, CONSTRAINTS).rows()


def default_rows():
    return [*pairwise_rows(), *residue_rows(), *head_rows(), *sink_rows(), *empty_rows()]


def full_rows(first, step):
    """Every `step`th row of the product from `first` on, if it is possible."""
    total = math.prod(map(len, AXES.values()))
    for index in range(first, total, step):
        row = {}
        for name, values in reversed(AXES.items()):
            index, digit = divmod(index, len(values))
            row[name] = values[digit]
        row = {name: row[name] for name in AXES}
        if is_possible(row):
            yield row


def random_rows(count, seed):
    source = random.Random(seed)
    while count:
        row = {name: source.choice(values) for name, values in AXES.items()}
        if is_possible(row):
            count -= 1
            yield row


def spell(row):
    """What --row takes: the axes that are not at their defaults."""
    return ",,".join(f"{name}={value}" for name, value in row.items()
                     if value != DEFAULTS[name])


def unspell(text):
    row = with_defaults(**dict(part.split("=", 1) for part in text.split(",,") if part))
    unknown = set(row) - set(AXES)
    if unknown:
        sys.exit(f"--row: no axis {', '.join(unknown)}; there are {', '.join(AXES)}")
    return row


# ===- The command of a row ---------------------------------------------------===


def lengths_of(row):
    """(rows of Q, keys) in use of each sequence; None if all are."""
    batch, sq, sk = sizes_of(row)
    empty = [0] * batch
    q = empty if row["q_len"] == "empty" else axis_files.q_lengths(
        row["q_len"], batch, sq)
    if row["kv_len"] == "empty":
        return q, empty
    if row["layout"] == "packed-qkv" and row["kv_len"] == "varlen":
        return q, q
    return q, axis_files.kv_lengths(row["kv_len"], batch, sk)


def sizes_of(row):
    """B, Sq, Sk."""
    sq = int(row["sq"])
    return int(row["batch"]), sq, sq if row["sk"] == "Sq" else int(row["sk"])


def strides_flags(row, lengths):
    """Strides other than a layout's: gaps after rows and batches; K and V by heads."""
    batch, sq, sk = sizes_of(row)
    hq, hk = map(int, row["heads"].split("/"))
    dqk, dv = map(int, row["head"].split("/"))
    rows, keys = (sum(used) if kind == "varlen" else size for used, kind, size in
                  zip(lengths, (row["q_len"], row["kv_len"]), (sq, sk)))

    wide = 16 if has_8_bits(row["dtype"]) else 8  # elements of 16 bytes

    def by_rows(rows, heads, dim, gap):
        step = heads * dim + gap * wide
        return f"{rows * step + 8 * wide},{step},{dim}"

    def by_heads(rows, heads, dim, gap):
        gap *= wide
        step = rows * (dim + gap) + wide
        return f"{heads * step},{dim + gap},{step}"

    flags = {"q": ["--q-strides", by_rows(rows, hq, dqk, 1)],
             "kv": ["--k-strides", by_heads(keys, hk, dqk, 2),
                    "--v-strides", by_heads(keys, hk, dv, 1)],
             "o": ["--o-strides", by_heads(rows, hq, dv, 3)]}
    kind = row["strides"]
    if kind == "all":
        return [flag for part in flags.values() for flag in part]
    return flags.get(kind, [])


def dtype_flags(dtype):
    """Of one type for all, of "Q/K/V", or of that with a Q that is quantised."""
    types = dtype.split("/")
    if len(types) == 1:
        return ["--dtype", dtype]
    flags = [flag for name, value in zip("qkv", types)
             for flag in (f"--{name}-dtype", value)]
    return [*flags, "--quantize-q"] if len(types) > 3 else flags


def types_of(schedule):
    """Flags of types that a built-in schedule serves."""
    return dtype_flags(Q8[0] if "q8" in schedule else "fp8" if "fp8" in schedule else "bf16")


def schedule_of(dqk, dv):
    """Flags of the schedule that these tests are about; beyond 128 those that there are
    serve of themselves. A --schedule after them counts instead."""
    return ["--schedule", "generic"] if max(dqk, dv) <= 128 else []


def leaves_generic(row):
    """Whether generic leaves the row to generic_wide, whatever the head
    (lib/choose/support.def): functions of scores beside factors of K's rows."""
    functions = [row[name] for name in ("softcap", "alibi", "bias", "score_mod")]
    return row["k_scale"] not in UNIFORM and functions != ["0", "no", "none", "none"]


def arguments(row, folder):
    """Flags of `fmhac run` for a row; writes the files that they name to `folder`."""
    batch, sq, sk = sizes_of(row)
    hq, hk = row["heads"].split("/")
    dqk, dv = row["head"].split("/")
    flags = [*dtype_flags(row["dtype"]), "--head-dim-qk", dqk, "--head-dim-v", dv,
             "--mask", row["mask"], "--out-dtype", row["out"], "--layout",
             row["layout"], "--batch", str(batch), "--heads", hq, "--kv-heads", hk,
             "--seqlen-q", str(sq), "--seqlen-kv", str(sk), "--input", row["input"],
             *([] if leaves_generic(row) else schedule_of(int(dqk), int(dv)))]

    def add_file(flag, name, write, *values):
        path = os.path.join(folder, name)
        write(path, *values)
        flags.extend([flag, path])

    if row["lse"] == "yes":
        flags.append("--lse")
    if row["alibi"] == "yes":
        flags.append("--alibi")
    if row["softcap"] != "0":
        flags += ["--softcap", row["softcap"]]
    if row["scale"] != "default":
        flags += ["--scale", row["scale"]]
    lengths = lengths_of(row)
    for side, kind, used in zip(("q", "kv"), (row["q_len"], row["kv_len"]), lengths):
        if used is not None:
            name = "cu-seqlens" if kind == "varlen" else "seqlens"
            add_file(f"--{name}-{side}", f"{name}-{side}.npy",
                     axis_files.write_lengths, kind, used)
    if row["sink"] != "none":
        add_file("--sink", "sink.npy", axis_files.write_sink, row["sink"], int(hq))
    if row["bias"] != "none":
        add_file("--bias", "bias.npy", axis_files.write_bias, row["bias"], batch,
                 int(hq), sq, sk)
    if row["score_mod"] != "none":
        add_file("--score-mod", "mod.mlir", axis_files.write_score_mod,
                 row["score_mod"])
    blocks = False
    for operand, heads, rows, kind, used in (("q", hq, sq, row["q_len"], lengths[0]),
                                             ("k", hk, sk, row["kv_len"], lengths[1]),
                                             ("v", hk, sk, row["kv_len"], lengths[1])):
        scale = row[f"{operand}_scale"]
        if scale == "none":
            continue
        blocks |= scale == "block"
        packed = kind == "varlen"
        shape = axis_files.factors_shape(scale, sum(used) if packed else None, batch,
                                         max(used) if packed else rows, int(heads),
                                         int(row["scale_block"]))
        flags += [f"--{operand}-scale", scale]
        add_file(f"--{operand}-scales", f"{operand}-scales.npy", axis_files.write_factors,
                 operand, shape)
    if blocks:
        flags += ["--scale-block", row["scale_block"]]
    if row["out"] == "fp8":
        flags += ["--o-scale", "0.02"]
    return flags + strides_flags(row, lengths)


def run(fmhac, row, folder, extra=()):
    """(problem or None, command, report, stderr) of a row."""
    command = [fmhac, "run", "--json", *arguments(row, folder), *extra]
    return (*run_rows.execute(command),)


# ===- Main -------------------------------------------------------------------===


def choose(options):
    if options.row is not None:
        return [unspell(options.row)]
    if options.random:
        return list(random_rows(options.random, options.seed))
    if options.full:
        return list(full_rows(options.slice.part, options.slice.parts))
    rows = residue_rows() if options.residues else default_rows()
    if options.schedule:
        rows = [row for row in rows if is_of_pipeline(row, options.schedule)]
    return options.slice.of(rows)


def print_table(passed):
    """Axis, value, rows that passed; of lengths and heads the values of AXES only."""
    print("| axis | value | rows passed |\n|---|---|---:|")
    for name, values in AXES.items():
        for value in values:
            print(f"| {name} | {value} | {sum(r[name] == value for r in passed)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--full", action="store_true",
                        help="the product of all axes in the place of the cover; with --slice")
    slices.add_argument(parser)
    parser.add_argument("--random", type=int, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--residues", action="store_true",
                        help="the lengths modulo a tile only")
    parser.add_argument("--schedule", choices=PIPELINES, help="with this pipeline")
    parser.add_argument("--row", help="one row, as a failure spells it")
    parser.add_argument("--keep", metavar="DIR", help="where the files of --row go")
    parser.add_argument("--table", action="store_true",
                        help="also print how often each value passed")
    parser.add_argument("--list", action="store_true", help="print the rows only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("extra", nargs="*", help="flags for every run")
    options = parser.parse_args()
    if options.schedule:
        restrict(options.schedule)
        if options.schedule not in UNNAMED:
            options.extra = [*options.extra, "--schedule",
                             NAMES.get(options.schedule, options.schedule)]
    table = choose(options)
    slices.tell(options)
    if min(options.jobs, len(table)) > 1:  # which run side by side
        options.extra = ["--threads=1", *options.extra]
    if options.list:
        print(*map(spell, table), sep="\n")
        return 0

    def one(row):
        if options.keep:
            os.makedirs(options.keep, exist_ok=True)
            return row, run(options.fmhac, row, options.keep, options.extra)
        with tempfile.TemporaryDirectory() as folder:
            return row, run(options.fmhac, row, folder, options.extra)

    passed, failed, worst = [], 0, 0.0
    with ThreadPoolExecutor(options.jobs) as pool:
        for row, (problem, command, report, stderr) in pool.map(one, table):
            if problem is None:
                passed.append(row)
                worst = max(worst, report["max_abs_err"] / report["tolerance"])
                continue
            failed += 1
            reason = report.get("outputs") or report
            print(f"FAIL ({problem}): {' '.join(command)}\n{reason}\n{stderr[-2000:]}"
                  f"again, with files: {sys.executable} {__file__} --fmhac "
                  f"{options.fmhac} --keep DIR --row '{spell(row)}'", flush=True)
    if options.table:
        print_table(passed)
    print(f"{len(passed)} of {len(table)} rows passed; worst max_abs_err is "
          f"{100 * worst:.0f} % of its tolerance")
    return 1 if failed or not table else 0


if __name__ == "__main__":
    sys.exit(main())
