#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What pages cost: the time of a launch with K and V in pages over that without, in the model.

    pages.py --fmhac build/bin/fmhac [--schedule S] [--fp8-schedule S] [--kv-layout L] [--short] [--far]
             [--sample N] [--json FILE]

B1, heads 64/8, D = 128, rows and keys alike, pages in any order, [pages, N, Hk, D] or as --kv-layout has it: without a
mask and causal, with a table and with lists, bf16 and fp8 with factors by tensor. With --short also pages of
16 at B8 64/8, 128 rows and keys. With --far the pages of K lie in 5 GiB, and those of V. The time without pages is of the same schedule and of the same run. The model has
no TLB: where pages of a sequence lie far apart, hardware may wait for addresses that the model has at once.
"""
import argparse
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "test", "e2e"))

from axis_files import write_npy  # noqa: E402

PAGES = [64, 128, 256, 1024, 16, 32, 528, 1056, 1]
KV_HEADS, HEAD_DIM = 8, 128
HEADS = ["--heads", "64", "--kv-heads", str(KV_HEADS), "--head-dim", str(HEAD_DIM)]
FAR_BYTES = 5 << 30


def write(folder, name, kind, shape, values):
    path = os.path.join(folder, name + ".npy")
    code = {"<i4": "i", "<f4": "f"}[kind]
    write_npy(path, kind, shape, struct.pack(f"<{len(values)}{code}", *values))
    return path


def type_flags(dtype, folder):
    if dtype != "fp8":
        return ["--dtype", dtype]
    one = write(folder, "one", "<f4", (1,), [1.0])
    return ["--dtype", dtype] + [flag for operand in "qkv" for flag in (
        f"--{operand}-scale", "tensor", f"--{operand}-scales", one)]


def apart_of(dtype, page, count):
    """From a number to the next of so many whose pages lie in FAR_BYTES each of K and V."""
    page_bytes = page * KV_HEADS * HEAD_DIM * (1 if dtype == "fp8" else 2)
    return -(-FAR_BYTES // (count * page_bytes))


def page_flags(page, table, batch, keys, folder, apart=1, layout="nhd"):
    count = -(-keys // page)
    numbers = list(range(0, batch * count * apart, apart))
    random.Random(page).shuffle(numbers)
    flags = ["--page-size", str(page), "--kv-layout", layout]
    if table == "table":
        return flags + ["--page-table", write(folder, "t", "<i4", (batch, count), numbers),
                        "--seqlens-kv", write(folder, "l", "<i4", (batch,), [keys] * batch)]
    starts = [count * b for b in range(batch + 1)]
    last = [keys - (count - 1) * page] * batch
    return flags + ["--kv-indptr", write(folder, "s", "<i4", (batch + 1,), starts),
                    "--kv-indices", write(folder, "i", "<i4", (len(numbers),), numbers),
                    "--kv-last-page-len", write(folder, "n", "<i4", (batch,), last)]


def bench(fmhac, flags):
    """The report of `fmhac bench`."""
    command = [fmhac, "bench", "--json", *flags]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def seconds(options, dtype, batch, keys, mask, page, table):
    schedule = options.fp8_schedule if dtype == "fp8" else options.schedule
    with tempfile.TemporaryDirectory() as folder:
        apart = apart_of(dtype, page, batch * -(-keys // page)) if page and options.far else 1
        sizes = (page_flags(page, table, batch, keys, folder, apart, options.kv_layout) if page else
                 ["--seqlen-kv", str(keys)])
        return bench(options.fmhac, [
            *type_flags(dtype, folder), *HEADS, "--batch", str(batch), "--seqlen-q", str(keys),
            "--mask", mask, "--schedule", schedule, "--sample", options.sample, *sizes])["seconds"]


def problems(options):
    """(type, batch, keys, mask, pages)."""
    for dtype in options.dtype.split(","):
        for keys in map(int, options.keys.split(",")):
            for mask in options.mask.split(","):
                yield dtype, 1, keys, mask, options.pages
        if options.short:
            yield dtype, 8, 128, "none", [16]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--schedule", default="auto", help="of bf16; auto: the one that the library takes")
    parser.add_argument("--fp8-schedule", default="auto")
    parser.add_argument("--dtype", default="bf16,fp8")
    parser.add_argument("--keys", default="4096,16384")
    parser.add_argument("--mask", default="none,causal")
    parser.add_argument("--table", default="table,list")
    parser.add_argument("--pages", type=lambda text: [int(n) for n in text.split(",")], default=PAGES)
    parser.add_argument("--kv-layout", default="nhd", help="nhd, hnd, vectorised")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--far", action="store_true")
    parser.add_argument("--sample", default="auto", help="of `fmhac bench`")
    parser.add_argument("--json", help="write all times here")
    options = parser.parse_args()
    times = []
    print("| | table |", " | ".join(map(str, options.pages)), "|")
    print("|---|---|" + "---:|" * len(options.pages))
    for dtype, batch, keys, mask, pages in problems(options):
        alone = seconds(options, dtype, batch, keys, mask, 0, None)
        for table in options.table.split(","):
            cells = []
            for page in pages:
                own = seconds(options, dtype, batch, keys, mask, page, table)
                times.append({"dtype": dtype, "batch": batch, "keys": keys, "mask": mask, "page": page,
                              "table": table, "seconds": own, "contiguous_seconds": alone})
                cells.append(f"{100 * (own / alone - 1):+.1f} %")
            size = f"B{batch} {keys}" + ("" if mask == "none" else f" {mask}")
            if pages != options.pages:
                size += f", pages of {pages[0]}"
            print(f"| {dtype} {size} | {table} |", " | ".join(cells), "|", flush=True)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(times, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
