# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles with rows of a group of heads (rows = group): every pair of values of every two axes.

A row is one problem of sequences of some rows and keys, as in work.py, whose rows and groups
are those of decode and tails round a tile. Its schedule is a built-in one with `rows = group`,
in a file. `fmhac run --json` of it must exit with 0 under every check of the emulator, be within
tolerance and have no finding. A second run must give the same bytes of O and of LSE: without
divided keys one of the same schedule with `rows = head`, from the grid, whose sums are the
same, as tiles of keys that a row sees nothing of add nothing; with them one with `rows = group`
of a queue, or of lists where the first had that. --modes runs the launches, saved, in orders of
waves and landings of loads of modes.py.
"""
import os
import random
import sys
import zlib

import axis_files
import modes
import pairwise
import rows as run_rows
import work

NARROW = "qk = <m = 16, n = 16, k = 32>, pv = <m = 16, n = 16, k = 32>"
# Name -> schedule, what it changes beside rows, types, head sizes.
KERNELS = {
    "generic": ("generic", "", "bf16", "128/128"),
    "generic-f16": ("generic", "", "f16", "64/64"),
    # One wave of 16 rows, and four.
    "m16": ("generic", f"tile_m = 16, waves = 1, waves_per_simd = 1, {NARROW}", "bf16",
            "128/128"),
    "m64": ("generic", f"tile_m = 64, {NARROW}", "f16", "128/64"),
    # Waves that divide the keys.
    "decode": ("generic", f"tile_m = 16, tile_n = 128, key_waves = 4, {NARROW}", "bf16",
               "128/128"),
    "decode-f16": ("generic", f"tile_m = 16, waves = 2, key_waves = 2, {NARROW}", "f16", "64/64"),
    "linear": ("generic", "grid = linear", "bf16", "64/128"),
    "head_major": ("generic", "grid = head_major", "bf16", "96/40"),
    "generic_wide": ("generic_wide", "", "bf16", "192/128"),
    "generic_fp8": ("generic_fp8", "", "fp8", "128/128"),
    "generic-kv8": ("generic", "", "bf16/fp8/fp8", "128/128"),
    "quantised-kv8": ("generic_fp8", "", "bf16/fp8/fp8/quantised", "64/128"),
}
ROWS = {str(n): [n] for n in range(1, 9)} | {
    "9": [9, 16, 17], "31": [31, 33, 0], "130": [130, 127], "300": [300, 1],
    "mixed": [1, 8, 0, 2, 5], "many": [1, 2, 8, 1, 0, 4, 3] * 5}
KEYS = {"1": [1], "63": [63, 0, 1], "64": [64, 65], "129": [129, 3, 128], "1000": [1000, 0, 193],
        "5000": [5000, 64], "ragged": [700, 64, 0, 1300, 31, 256, 1]}
HEADS = ["8/1", "1/1", "4/2", "3/1", "15/3", "7/1", "16/2", "32/2", "6/6"]

# Those of work.py that are not named are the same there and here.
AXES = work.AXES | {
    "kernel": list(KERNELS), "rows": list(ROWS), "keys": list(KEYS), "heads": HEADS,
    "work": ["grid", "list", "queue", "auto", "runs"],
    "split": ["none", "auto", "fixed:64", "fixed:256"],
    "sink": ["none", "normal", "-inf"],
    "function": ["none", "softcap", "alibi", "bias:bhq", "bias:bh", "bias:q", "score_mod"],
    "mask": ["none", "causal", "causal-top-left", "window:3,0", "window:100,30", "window:200,-1",
             "window:-1,5", "chunked:3", "chunked:64", "chunked:100"]}
DEFAULTS = {name: values[0] for name, values in AXES.items()}


def use(tables):
    """Has work.py make flags of these tables."""
    for name, value in tables.items():
        setattr(work, name, value)


use({"KERNELS": {name: (name, *kernel[2:]) for name, kernel in KERNELS.items()},
     "ROWS": ROWS, "KEYS": KEYS, "AXES": AXES, "DEFAULTS": DEFAULTS})


def takes_factors(kernel, kv, factors):
    if factors in ("none", "head"):
        return factors == "none" or work.is_of_8_bits(kernel)
    if factors == "token":
        return kernel == "generic_fp8"
    return kernel in ("generic_fp8", "generic-kv8") and kv != "packed"


def has_room(kernel, factors, function):
    """generic and generic_fp8 leave factors of blocks and tokens with functions to others."""
    return function == "none" or factors in ("none", "head")


CONSTRAINTS = [c for c in work.CONSTRAINTS
               if c[0] not in (("kernel", "kv", "function"), ("kernel", "kv", "factors"),
                               ("kernel", "factors", "function"), ("rows", "q"),
                               ("kernel", "out"))] + [
    (("rows", "q"), lambda rows, q: q != "dense" or rows not in ("mixed", "many")),
    (("kernel", "out"), lambda kernel, out: out != "fp8" or kernel == "generic_fp8"),
    (("kernel", "kv", "factors"), takes_factors),
    (("kernel", "factors", "function"), has_room),
    # Where waves have all rows of a tile, lists want a few scalar registers too many beside these.
    (("kernel", "kv", "work", "function"), lambda kernel, kv, form, function:
     kernel not in ("m16", "decode", "decode-f16") or form == "grid" or function == "none"
     or not (function.startswith("bias") or work.is_paged(kv))),
    (("kernel", "kv", "work"), lambda kernel, kv, form:
     kernel != "decode" or form == "grid" or not work.is_paged(kv)),
    (("kernel", "split"), lambda kernel, split: kernel != "decode" or split != "fixed:64"),
    (("work", "split"), lambda form, split: form != "grid" or split == "none"),
]


def cover():
    return pairwise.Cover(AXES, CONSTRAINTS).rows()


def schedule_file(kernel, packing, folder):
    """Of a kernel, with `rows = packing`."""
    base, changes, *_ = KERNELS[kernel]
    path = os.path.join(folder, f"{packing}.mlir")
    with open(path, "w") as file:
        file.write(f"fmha.schedule @own = @{base} with <{changes}{', ' if changes else ''}"
                   f"rows = {packing}>\n")
    return path


def has_equal_sums(row):
    """Whether rows = head adds and multiplies the same. It multiplies the factors of Q and of
    K by the scale in another order."""
    return row["split"] == "none" and row["factors"] != "head"


def run(fmhac, row, folder, extra):
    """(problem or None, command, report, stderr) of a row."""
    flags = work.arguments(row, folder)
    at = flags.index("--schedule") + 1

    def command_of(packing, form, files, *more):
        flags[at] = schedule_file(row["kernel"], packing, folder)
        return [fmhac, "run", "--json", *flags, *extra, *work.work_flags(row, form), *files,
                *more]

    first, files = work.outputs_flags(row, folder, "group")
    checked = run_rows.execute(command_of("group", row["work"], first, "--check=all"))
    if checked[0] is not None:
        return checked
    second, other_files = work.outputs_flags(row, folder, "other")
    mode = random.Random(zlib.crc32(work.spell(row).encode())).choice(work.MODES)
    if has_equal_sums(row):
        command = command_of("head", "grid", second, *mode, "--no-compare")
    else:
        form = "grid" if row["split"] == "none" else work.other_form(row)
        command = command_of("group", form, second, *mode, "--no-compare")
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
    flags = work.arguments(row, folder)
    flags[flags.index("--schedule") + 1] = schedule_file(row["kernel"], "group", folder)
    command = [fmhac, "run", "--json", *flags, *work.work_flags(row, row["work"]), "--threads=1",
               "--no-compare", f"--save-launch={folder}"]
    if row["lse"] == "yes":
        command.append("--lse")
    _, _, _, stderr = run_rows.execute(command)
    return modes.same_bytes(fmhac, folder, command, stderr, table)


if __name__ == "__main__":
    use({"cover": cover, "run": run, "run_modes": run_modes})
    sys.exit(work.main(__doc__))
