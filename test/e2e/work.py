# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Work items from lists or a queue, or that workgroups find themselves, and keys that are
divided: every pair of values of every two axes.

A row is one problem of sequences of some rows and keys. `fmhac run --json` of it with lists
that the planner's kernel makes must exit with 0 under every check of the emulator, be within
tolerance and have no finding. A second run must give the same bytes of O and of LSE: without
divided keys one that gives each workgroup an item by its place in the grid; with them one of
a list for each workgroup, or of a queue where the first had that, or of runs once more, whose
parts are others; each under another order of waves and another landing of loads. Of batches that are divided between kernels, which a grid does
not do, the second run has lists or a queue, too. --modes runs the
launches, saved, in those orders and landings of modes.py: the bytes are the same.
"""
import itertools
import os
import random
import sys
import zlib

import axes
import axis_files
import modes
import pages
import pairwise
import rows as run_rows

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import slices  # noqa: E402

# Name -> schedule, types, head sizes.
KERNELS = {
    "generic": ("generic", "bf16", "128/128"),
    "generic-f16": ("generic", "f16", "64/64"),
    "generic-kv8": ("generic", "bf16/fp8/fp8", "128/128"),
    "generic_wide": ("generic_wide", "bf16", "192/128"),
    "generic_fp8": ("generic_fp8", "fp8", "128/128"),
    "dualwave": ("dualwave", "bf16", "128/128"),
    "dualwave_1tile": ("dualwave_1tile", "f16", "128/128"),
    "dualwave_d96": ("dualwave_d96", "bf16", "96/64"),
    "dualwave_kv8": ("dualwave_kv8", "bf16/fp8/fp8", "128/128"),
    "dualwave_fp8": ("dualwave_fp8", "fp8", "128/128"),
    "dualwave_fp8_d64": ("dualwave_fp8_d64", "fp8", "64/64"),
    # Batches are divided between two kernels.
    "divided": ("generic_wide_m64 if Sq <= 4; generic", "bf16", "128/128"),
    "divided_fp8": ("generic_fp8_n32 if Sq <= 4; generic_fp8", "fp8", "128/128"),
}
OF_LARGE_ROWS = {"generic-d8": ("generic", "bf16", "8/8")}
# Rows of Q: of dense sequences the first number counts, others have those of all, in turn.
ROWS = {"1": [1], "4": [4, 1], "8": [8, 3, 0], "70": [70, 0, 8], "300": [300, 1, 129],
        "2000": [2000], "mixed": [1, 4, 2000, 0, 1], "many": [1, 2, 0, 5, 130, 1] * 5,
        "none": [0, 0, 0], "thousand": [1, 0, 2, 1, 8, 1, 4] * 143}
# Keys, likewise. Those of the largest number are for few rows.
KEYS = {"1": [1], "63": [63, 0, 1], "64": [64, 65], "65": [65, 128, 0], "1000": [1000, 0, 193],
        "5000": [5000, 64], "70000": [70000, 1], "ragged": [700, 64, 0, 1300, 31, 256, 1],
        "none": [0, 0], "thousand": [7, 64, 0, 1, 65, 99, 30, 2] * 125, "million": [1_000_000]}
# Not in the cover: see large_rows().
LARGE = ("thousand", "million")
# Batches of dense and of other sequences, at least.
DENSE_BATCH, BATCH = 2, 3
# Rows times keys times heads of one problem: what the reference takes a few seconds for.
MOST_SCORES = 12_000_000
BLOCK = 64  # rows that share a factor

# Kernels whose K and V get factors by token, too, where these are rows; others those of Q.
TOKENS_OF_KEYS = {"generic_fp8"}
AXES = {
    "kernel": list(KERNELS),
    "rows": [rows for rows in ROWS if rows not in LARGE],
    "keys": [keys for keys in KEYS if keys not in LARGE],
    "heads": ["2/2", "2/1", "8/1", "6/3"],
    # Of K and V; pages are those of a table, of a list, or of a table with lengths before
    # this call.
    "kv": ["dense", "packed", "padded", "table:64", "table:16", "table:1", "table:528",
           "list:16", "list:128", "list:2", "cached:64", "cached:48"],
    "q": ["dense", "packed", "padded"],
    "work": ["list", "queue", "auto", "runs"],
    "mask": ["none", "causal", "causal-top-left", "window:100,30", "window:200,-1",
             "chunked:64", "chunked:100"],
    # Tiles have 64 keys, which divide a chunk.
    "split": ["auto", "fixed:64", "fixed:256", "fixed:1024", "none"],
    "lse": ["yes", "no"],
    "sink": ["none", "normal"],
    "out": ["same", "f32", "fp8"],
    # Functions of scores, of a row's, key's, head's and batch's numbers.
    "function": ["none", "softcap", "alibi", "bias:bh", "bias:q", "score_mod"],
    # Of Q, K and V, as far as a kernel takes them.
    "factors": ["none", "head", "token", "block"],
    "layout": ["bshd", "bhsd", "interleaved-kv", "o-strides"],
    "input": ["normal", "growing", "spikes"],
}
DEFAULTS = {name: values[0] for name, values in AXES.items()}
KERNELS |= OF_LARGE_ROWS
# The second run of a row has one of these.
MODES = [[f"--sched={sched}", f"--landing={landing}"] for sched, landing in
         zip(modes.SCHEDS, modes.LANDINGS * 2)]


def is_of_8_bits(kernel):
    return axes.has_8_bits(KERNELS[kernel][1])


def takes_function(kernel, kv, function):
    """Pipelines of dual waves take some; some of them not with K and V in pages."""
    if function == "none" or kernel in ("generic", "generic-f16", "generic-kv8", "generic_wide",
                                        "generic_fp8", "divided", "divided_fp8"):
        return True
    return (kernel in ("dualwave", "dualwave_1tile") and not is_paged(kv)
            and not function.startswith("bias"))


def takes_factors(kernel, kv, factors):
    if factors in ("none", "head"):
        return factors == "none" or is_of_8_bits(kernel)
    if factors == "token":  # of Q; of K and V where they are rows
        return kernel in ("generic_fp8", "dualwave_fp8", "dualwave_fp8_d64")
    if kv == "packed":  # whose blocks are not supported
        return False
    of_tiles = not is_paged(kv) or int(kv.split(":")[1]) % axes.TILE_KEYS == 0
    return kernel in ("generic_fp8", "generic-kv8") or (kernel.startswith("dualwave_fp8")
                                                        and of_tiles)


def has_room(kernel, factors, function):
    """generic and generic_fp8 leave factors of blocks and tokens with functions to others."""
    return (kernel not in ("generic-kv8", "generic_fp8") or function == "none"
            or factors in ("none", "head"))


def is_dense(row):
    """Whether all sequences have one number of rows, or of keys."""
    return row["q"] == "dense", row["kv"] == "dense"


def is_paged(kv):
    return ":" in kv


def lengths_of(row):
    """Rows and keys of each sequence."""
    rows, keys = ROWS[row["rows"]], KEYS[row["keys"]]
    dense_rows, dense_keys = is_dense(row)
    both = dense_rows and dense_keys
    count = DENSE_BATCH if both else max(BATCH, 1 if dense_rows else len(rows),
                                         1 if dense_keys else len(keys))
    if row["keys"] in ("70000", "million"):
        count = 1 if both else 2
    rows = [rows[0 if dense_rows else b % len(rows)] for b in range(count)]
    keys = [keys[0 if dense_keys else b % len(keys)] for b in range(count)]
    if row["kv"].startswith("cached"):
        keys = [max(own, new) for own, new in zip(keys, rows)]
    return rows, keys


def scores(row):
    rows, keys = lengths_of(row)
    return int(row["heads"].split("/")[0]) * sum(n * k for n, k in zip(rows, keys))


def has_size(q, kv, rows, keys, heads):
    row = {"q": q, "kv": kv, "rows": rows, "keys": keys, "heads": heads}
    used_rows, used_keys = lengths_of(row)
    if (q == "dense" and used_rows[0] == 0) or (kv == "dense" and used_keys[0] == 0):
        return False  # which a problem has no words for
    return scores(row) <= MOST_SCORES


CONSTRAINTS = [
    (("q", "kv", "rows", "keys", "heads"), has_size),
    # There are no empty arrays of packed sequences.
    (("rows", "q"), lambda rows, q: q == "padded" or rows not in ("mixed", "many", "none")
     or (q == "packed" and rows != "none")),
    (("keys", "kv"), lambda keys, kv: kv not in ("dense", "packed") or keys != "none"),
    (("kernel", "out"), lambda kernel, out: out != "fp8" or KERNELS[kernel][1] == "fp8"),
    (("kernel", "kv", "function"), takes_function),
    (("kernel", "kv", "factors"), takes_factors),
    (("kernel", "factors", "function"), has_room),
    # Parts of keys need the registers that these factors have (lib/choose/support.def).
    (("kernel", "factors", "split"), lambda kernel, factors, split: split == "none"
     or not kernel.startswith("dualwave_fp8") or factors != "block"),
    (("work", "split"), lambda form, split: form != "runs" or not split.startswith("fixed")),
    # Whether a batch is divided does not show in whether a plan takes the grid.
    (("kernel", "split", "work"), lambda kernel, split, work:
     not kernel.startswith("divided") or split != "none" or work != "auto"),
    # Nor are batches divided whose rows sizes say, so that chunks are of one kernel.
    (("kernel", "split", "q"), lambda kernel, split, q:
     not kernel.startswith("divided") or not split.startswith("fixed") or q != "dense"),
    # Pages of fewer than 16 keys leave pipelines too few registers for lists: exit code 2, and
    # `auto` takes another schedule.
    (("kernel", "kv"), lambda kernel, kv: not kernel.startswith("dualwave") or ":" not in kv
     or int(kv.split(":")[1]) >= 16),
    # One buffer of K and V has one head size.
    (("kernel", "layout"), lambda kernel, layout:
     layout != "interleaved-kv" or axes.equal_heads(KERNELS[kernel][2])),
    # A sink far above every score leaves an O that f16 cannot hold.
    (("kernel", "sink", "out"), lambda kernel, sink, out:
     sink == "none" or out != "same" or KERNELS[kernel][1] != "f16"),
]


def large_rows():
    """A thousand short sequences, and a million keys of one."""
    forms = itertools.cycle(("list", "queue", "auto"))
    for split in ("auto", "none"):
        yield DEFAULTS | {"kernel": "generic-f16", "rows": "thousand", "keys": "thousand",
                          "heads": "2/1", "q": "packed", "kv": "table:16", "split": split,
                          "mask": "causal", "work": "runs"}
    for split in ("auto", "fixed:64", "none"):
        for kv in ("packed", "table:16", "list:2"):
            yield DEFAULTS | {"kernel": "generic-f16", "rows": "thousand", "keys": "thousand",
                              "heads": "2/1", "q": "packed", "kv": kv, "split": split,
                              "mask": "causal", "work": next(forms)}
    for split in ("auto", "fixed:1024", "none"):
        yield DEFAULTS | {"kernel": "generic-d8", "rows": "1", "keys": "million",
                          "split": split, "work": next(forms)}


def cover():
    """Every pair, and between them the large ones."""
    table = list(pairwise.Cover(AXES, CONSTRAINTS).rows())
    large = list(large_rows())
    step = len(table) // len(large)
    for n, row in enumerate(large):
        table.insert(n * (step + 1), row)
    return table


def spell(row):
    return ",,".join(f"{name}={value}" for name, value in row.items()
                     if value != DEFAULTS[name])


def unspell(text):
    row = DEFAULTS | dict(part.split("=", 1) for part in text.split(",,") if part)
    unknown = set(row) - set(AXES)
    if unknown:
        sys.exit(f"--row: no axis {', '.join(unknown)}; there are {', '.join(AXES)}")
    return row


# ===- The commands of a row ---------------------------------------------------===


def place_flags(row, rows, keys, folder):
    """Where the sequences lie; writes the files that it names."""
    flags = []
    for side, place, lengths in (("q", row["q"], rows), ("kv", row["kv"], keys)):
        if place not in ("packed", "padded"):
            continue
        name = "cu-seqlens" if place == "packed" else "seqlens"
        path = os.path.join(folder, f"{name}-{side}.npy")
        axis_files.write_lengths(path, "varlen" if place == "packed" else "padded", lengths)
        flags += [f"--{name}-{side}", path]
    if is_paged(row["kv"]):
        table, page = row["kv"].split(":")
        _, dtype, head = KERNELS[row["kernel"]]
        paged = pages.DEFAULTS | {
            "page": page, "table": "list" if table == "list" else "table", "dtype": dtype,
            "counts": "cached" if table == "cached" else "all", "head": head,
            "heads": row["heads"]}
        if row["factors"] == "block":
            paged |= {"k_scale": "block", "v_scale": "block"}
        flags += pages.page_flags(paged, rows, keys, folder)
    return flags


def factor_flags(row, rows, keys, folder):
    """Those that are not of pages."""
    kind, kernel, flags = row["factors"], row["kernel"], []
    hq, hk = map(int, row["heads"].split("/"))
    paged = is_paged(row["kv"])
    operands = {"q": not kernel.endswith("kv8") and kind != "block",
                "k": kind == "head" or (kind == "block" and not paged) or
                (kind == "token" and kernel in TOKENS_OF_KEYS and not paged)}
    operands["v"] = operands["k"]
    for operand, has in operands.items():
        if kind == "none" or not has:
            continue
        place, lengths, heads = ((row["q"], rows, hq) if operand == "q" else
                                 (row["kv"], keys, hk))
        shape = axis_files.factors_shape(
            kind, max(1, sum(lengths)) if place == "packed" else None, len(rows), max(1, *lengths),
            heads, BLOCK)
        path = os.path.join(folder, f"{operand}-scales.npy")
        axis_files.write_factors(path, operand, shape)
        flags += [f"--{operand}-scale", kind, f"--{operand}-scales", path]
    return [*flags, "--scale-block", str(BLOCK)] if kind == "block" and not paged else flags


def function_flags(row, rows, keys, folder):
    name, _, kind = row["function"].partition(":")
    if name == "softcap":
        return ["--softcap", "20"]
    if name == "alibi":
        return ["--alibi"]
    if name == "bias":
        path = os.path.join(folder, "bias.npy")
        axis_files.write_bias(path, kind, len(rows), int(row["heads"].split("/")[0]),
                              max(1, *rows), max(1, *keys))
        return ["--bias", path]
    if name == "score_mod":
        path = os.path.join(folder, "mod.mlir")
        axis_files.write_score_mod(path, "decay")
        return ["--score-mod", path]
    return []


def layout_flags(row, rows):
    """The other strides have gaps after heads, rows and batches of O."""
    if row["layout"] != "o-strides":
        return ["--layout", row["layout"]]
    step = int(KERNELS[row["kernel"]][2].split("/")[1]) + 32
    of_row = step * int(row["heads"].split("/")[0]) + 64
    count = sum(rows) if row["q"] == "packed" else max(1, *rows)
    return ["--o-strides", f"{count * of_row + 128},{of_row},{step}"]


def arguments(row, folder):
    """Flags of `fmhac run` for a row, without those of its work; writes the files that they
    name to `folder`."""
    rows, keys = lengths_of(row)
    schedule, dtype, head = KERNELS[row["kernel"]]
    hq, hk = row["heads"].split("/")
    dqk, dv = head.split("/")
    flags = ["--schedule", schedule, *axes.dtype_flags(dtype), "--head-dim-qk", dqk,
             "--head-dim-v", dv, "--mask", row["mask"], "--out-dtype", row["out"], "--batch",
             str(len(rows)), "--heads", hq, "--kv-heads", hk, "--seqlen-q",
             str(max(1, *rows)), "--seqlen-kv", str(max(1, *keys)), "--input", row["input"],
             *place_flags(row, rows, keys, folder), *factor_flags(row, rows, keys, folder),
             *function_flags(row, rows, keys, folder), *layout_flags(row, rows)]
    if row["out"] == "fp8":
        flags += ["--o-scale", "0.02"]
    if row["sink"] != "none":
        path = os.path.join(folder, "sink.npy")
        axis_files.write_sink(path, row["sink"], int(hq))
        flags += ["--sink", path]
    return flags


def work_flags(row, form):
    kind, _, chunk = row["split"].partition(":")
    flags = ["--work", form, "--split-kv", kind]
    return [*flags, "--split-chunk", chunk] if chunk else flags


def outputs_flags(row, folder, name):
    """(flags, files) of what a run writes."""
    files = [os.path.join(folder, f"{name}-o.npy")]
    flags = ["-o", files[0]]
    if row["lse"] == "yes":
        files.append(os.path.join(folder, f"{name}-lse.npy"))
        flags += ["--lse-out", files[1]]
    return flags, files


def other_form(row):
    """Of the second run, where that is no grid."""
    return {"queue": "list", "runs": "runs"}.get(row["work"], "queue")


def run(fmhac, row, folder, extra):
    """(problem or None, command, report, stderr) of a row."""
    common = [fmhac, "run", "--json", *arguments(row, folder), *extra]
    first, files = outputs_flags(row, folder, row["work"])
    checked = run_rows.execute([*common, *work_flags(row, row["work"]), *first, "--check=all"])
    if checked[0] is not None:
        return checked
    of_row = random.Random(zlib.crc32(spell(row).encode()))
    second, other_files = outputs_flags(row, folder, "other")
    other = other_form(row)
    has_grid = row["split"] == "none" and not row["kernel"].startswith("divided")
    work = ["--work", "grid"] if has_grid else work_flags(row, other)
    command = [*common, *work, *second, *of_row.choice(MODES), "--no-compare"]
    problem, _, report, stderr = run_rows.execute(command)
    if report.get("exit_code", 0) or report.get("findings") or not report:
        return problem, command, report, stderr
    for path, other in zip(files, other_files):
        if axis_files.read_npy(path) != axis_files.read_npy(other):
            problem = (f"{os.path.basename(other)} has other bytes than "
                       f"{os.path.basename(path)}, of: {' '.join(checked[1])}")
            return problem, command, report, stderr
    return checked


def run_modes(fmhac, row, folder, table):
    """None, or what went wrong: a row's launches, saved and run in every mode."""
    command = [fmhac, "run", "--json", *arguments(row, folder), *work_flags(row, row["work"]),
               "--threads=1", "--no-compare", f"--save-launch={folder}"]
    if row["lse"] == "yes":
        command.append("--lse")
    _, _, _, stderr = run_rows.execute(command)
    return modes.same_bytes(fmhac, folder, command, stderr, table)


def main(description=__doc__):
    """Also of tables that have put their own axes and functions in the place of these."""
    parser = run_rows.table_parser(description)
    parser.add_argument("--modes", type=slices.Slice, metavar="I/N",
                        help="run saved launches instead, in every Nth order of waves with a "
                        "landing (modes.py); row by row I moves on by one")
    options = parser.parse_args()
    table = [unspell(options.row)] if options.row is not None else options.slice.of(cover())
    if options.modes and slices.is_full():  # all rows in all modes take hours
        options.modes = slices.Slice(modes.FULL_MODES)

    def one(number, row, folder, extra):
        if not options.modes:
            return run(options.fmhac, row, folder, extra)
        return (run_modes(options.fmhac, row, folder,
                          modes.modes(0, options.modes.moved(number))), [], {}, "")

    return run_rows.run_table(options, table, spell, one)


if __name__ == "__main__":
    sys.exit(main())
