# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""K and V in pages: every pair of values of every two axes.

A row is one `fmhac run --json` of a paged problem under every check of the emulator, of
whole descriptors, too, which must exit with 0, be within tolerance and have no finding. Pages of a sequence lie in
any order among others; those that no sequence has are NaN, and so are the rows past a
length in its last page; entries of a table past a length are no numbers of pages.
"""
import argparse
import os
import random
import struct
import sys
import tempfile
import zlib
from concurrent.futures import ThreadPoolExecutor

import axes
import axis_files
import pairwise

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import slices  # noqa: E402

# Of axes.py, as far as they meet pages.
SHARED = {name: axes.AXES[name] for name in ("mask", "sink", "softcap", "alibi", "score_mod")}
AXES = {
    "layout": ["bshd", "bhsd", "interleaved-kv"],
    "kv_layout": ["nhd", "hnd"],
    "head": ["128/128", "64/64", "96/40", "256/256", "192/128", "80/48", "16/16"],
    "dtype": ["bf16", "f16", "fp8", "bf16/fp8/fp8", "f16/fp8/bf8", "bf16/fp8/fp8/q8"],
    "k_scale": ["none", "tensor", "head"],
    "bias": ["none", "bhq", "h"],
    "page": ["64", "1", "2", "8", "16", "32", "48", "80", "128", "256", "528", "1024", "1056"],
    "table": ["table", "list"],
    "counts": ["all", "cached"],
    "lengths": ["ragged", "tiles", "short", "empty", "equal", "long"],
    "share": ["no", "yes"],
    "q_len": ["dense", "varlen", "padded"],
    "sq": ["70", "1", "128", "200"],
    "lse": ["yes", "no"],
    "heads": ["2/1", "1/1", "3/3"],
    "input": ["normal", "growing", "spikes"],
    **SHARED,
}
# Keys of sequences: nothing, one key, round tiles of 32 and 64 keys, up to several tiles.
LENGTHS = {"ragged": [150, 0, 65], "tiles": [64, 192, 128], "short": [1, 2, 31],
           "empty": [0, 0, 0], "equal": [96, 96, 96], "long": [33, 1100, 127]}
BATCH = 3


def is_8_bit(dtype):
    """Whether weights are: Q is, or becomes it."""
    return dtype == "fp8" or dtype.endswith("q8")


def equal_heads(head):
    dqk, dv = head.split("/")
    return dqk == dv


def multiples(head, step):
    return not any(int(dim) % step for dim in head.split("/"))


CONSTRAINTS = [
    # One buffer of K and V has one head size, and rows in order.
    (("layout", "head", "kv_layout"), lambda layout, head, kv_layout:
     layout != "interleaved-kv" or (equal_heads(head) and kv_layout == "nhd")),
    (("head", "dtype"), lambda head, dtype: "8" not in dtype or multiples(head, 16)),
    (("dtype", "k_scale"), lambda dtype, scale: scale == "none" or "8" in dtype),
    # What no schedule has the registers for, without pages, too.
    (("head", "dtype", "bias"), lambda head, dtype, bias:
     bias == "none" or not is_8_bit(dtype) or max(map(int, head.split("/"))) <= 192),
    *((("head", "dtype", function), lambda head, dtype, value, default=AXES[function][0]:
       value == default or not dtype.endswith("q8") or max(map(int, head.split("/"))) <= 192)
      for function in ("softcap", "alibi", "score_mod")),
    (("table", "counts"), lambda table, counts: table == "table" or counts == "all"),
    # A sink far above every score leaves an O that f16 cannot hold.
    (("dtype", "sink"), lambda dtype, sink: sink in ("none", "-inf") or dtype[0] != "f"
     or is_8_bit(dtype)),
]
DEFAULTS = {name: values[0] for name, values in AXES.items()}


def lengths_of(row):
    """Rows of Q and keys of each sequence."""
    rows = axis_files.q_lengths(row["q_len"], BATCH, int(row["sq"])) or [int(row["sq"])] * BATCH
    keys = list(LENGTHS[row["lengths"]])
    if row["counts"] == "cached":
        keys = [max(own, new) for own, new in zip(keys, rows)]
    return rows, keys


def i32(values):
    return struct.pack(f"<{len(values)}i", *values)


def page_flags(row, rows, keys, folder):
    """Writes tables, and says where they are."""
    source = random.Random(zlib.crc32(repr(sorted(row.items())).encode()))
    page = int(row["page"])
    counts = [(own + page - 1) // page for own in keys]
    numbers = list(range(sum(counts) + 3))
    source.shuffle(numbers)
    pages = []
    for count in counts:
        pages.append(numbers[:count])
        del numbers[:count]
    if row["share"] == "yes":  # what is whole, and the last has as many rows of
        longest = max(range(BATCH), key=lambda b: keys[b])
        for b in range(BATCH):
            whole = keys[b] // page
            pages[b][:whole] = pages[longest][:whole]
    flags = ["--page-size", row["page"], "--kv-layout", row["kv_layout"]]

    def add(flag, shape, values):
        path = os.path.join(folder, flag[2:] + ".npy")
        axis_files.write_npy(path, "<i4", shape, i32(values))
        flags.extend([flag, path])

    garbage = [2**31 - 1, -1, -2**31, 2**30]
    if row["table"] == "table":
        width = max(counts) + 1  # rows at any multiple of 4 bytes
        padded = [own + [garbage[(b + i) % 4] for i in range(width - len(own))]
                  for b, own in enumerate(pages)]
        add("--page-table", (BATCH, width), sum(padded, []))
        before = [own - new if row["counts"] == "cached" else own
                  for own, new in zip(keys, rows)]
        add("--seqlens-kv", (BATCH,), before)
        flags += ["--kv-lengths", row["counts"]]
        return flags
    listed = sum(pages, [])
    starts = [sum(counts[:b]) for b in range(BATCH + 1)]
    add("--kv-indptr", (BATCH + 1,), starts)
    add("--kv-indices", (len(listed) + 4,), listed + garbage)
    add("--kv-last-page-len", (BATCH,),
        [own - (count - 1) * page if count else 0 for own, count in zip(keys, counts)])
    return flags


def arguments(row, folder):
    """Flags of `fmhac run` for a row; writes the files that they name to `folder`."""
    rows, keys = lengths_of(row)
    dense = axes.with_defaults(
        **{name: value for name, value in row.items() if name in axes.AXES},
        v_scale=row["k_scale"], batch=str(BATCH), sk=str(max(1, *keys)))
    flags = axes.arguments(dense, folder)
    if is_8_bit(row["dtype"]) and "--schedule" in flags:
        at = flags.index("--schedule")
        del flags[at:at + 2]
    return [*flags, *page_flags(row, rows, keys, folder)]


def spell(row):
    return ",,".join(f"{name}={value}" for name, value in row.items()
                     if value != DEFAULTS[name])


def unspell(text):
    return DEFAULTS | dict(part.split("=", 1) for part in text.split(",,") if part)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", required=True)
    slices.add_argument(parser)
    parser.add_argument("--row", help="one row, as a failure spells it")
    parser.add_argument("--keep", metavar="DIR", help="where the files of --row go")
    parser.add_argument("--list", action="store_true", help="print the rows only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("extra", nargs="*", help="flags for every run")
    options = parser.parse_args()
    if options.row is not None:
        table = [unspell(options.row)]
    else:
        table = options.slice.of(pairwise.Cover(AXES, CONSTRAINTS).rows())
    slices.tell(options)
    if options.list:
        print(*map(spell, table), sep="\n")
        return 0
    extra = ["--check=all", "--descriptors=mapped", *options.extra]
    if min(options.jobs, len(table)) > 1:  # which run side by side
        extra = ["--threads=1", *extra]

    def one(row):
        with tempfile.TemporaryDirectory() as own:
            folder = options.keep or own
            os.makedirs(folder, exist_ok=True)
            command = [options.fmhac, "run", "--json", *arguments(row, folder), *extra]
            return row, axes.run_rows.execute(command)

    failed = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for row, (problem, command, report, stderr) in pool.map(one, table):
            if problem is None:
                continue
            failed += 1
            print(f"FAIL ({problem}): {' '.join(command)}\n{report.get('outputs') or report}\n"
                  f"{stderr[-2000:]}again, with files: {sys.executable} {__file__} --fmhac "
                  f"{options.fmhac} --keep DIR --row '{spell(row)}'", flush=True)
    print(f"{len(table) - failed} of {len(table)} rows passed")
    return 1 if failed or not table else 0


if __name__ == "__main__":
    sys.exit(main())
