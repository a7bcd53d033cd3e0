#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decode in the cycle model: all launches of a plan, beside the bytes of K and V over the bandwidth of HBM.

    decode.py --fmhac build/bin/fmhac [--rows N] [--heads HQ/HK] [--layers N] [--work list|runs] [--json FILE]

D = 128, one row, contiguous and in pages of 16 in any order (a table), bf16 and fp8, at 64 sequences of 16384 keys, 128 of
65536 and one of 32768. Keys are divided as the plan decides (--split-kv auto), in lists or runs; nothing is in a cache before.
"share": bytes of K and V, over the time of all launches, over the bandwidth that `fmhac bench --constants` has for HBM.
"bound": those bytes over that bandwidth plus the launches, over the time.
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

PROBLEMS = [(64, 16384), (128, 65536), (1, 32768)]
SCHEDULES = {"bf16": "decode", "fp8": "decode_fp8"}
HEAD_DIM, PAGE = 128, 16


def constants(fmhac):
    out = json.loads(subprocess.run([fmhac, "bench", "--constants", "--json"], check=True,
                                    capture_output=True, text=True).stdout)
    return {each["name"]: each["value"] for each in out["constants"]}


def page_flags(batch, keys, folder):
    count = -(-keys // PAGE)
    numbers = list(range(batch * count))
    random.Random(1).shuffle(numbers)
    flags = ["--page-size", str(PAGE)]
    for name, shape, values in (("page-table", (batch, count), numbers),
                                ("seqlens-kv", (batch,), [keys] * batch)):
        path = os.path.join(folder, name + ".npy")
        write_npy(path, "<i4", shape, struct.pack(f"<{len(values)}i", *values))
        flags += [f"--{name}", path]
    return flags


def bench(fmhac, flags):
    run = subprocess.run([fmhac, "bench", "--json", *flags], capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"{fmhac} bench {' '.join(flags)}: {run.stderr}")
    return json.loads(run.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--rows", type=int, default=1)
    parser.add_argument("--heads", default="64/8")
    parser.add_argument("--layers", type=int, default=1,
                        help="as many launches of attention share one run of the planner")
    parser.add_argument("--work", default="list")
    parser.add_argument("--json", help="write the figures here")
    parser.add_argument("extra", nargs="*", help="flags for every run")
    options = parser.parse_args()
    known = constants(options.fmhac)
    hbm = known["hbm_bytes_per_ns"] * 1e9
    launch = known["launch_overhead_ns"] * 1e-9
    hq, hk = map(int, options.heads.split("/"))
    rows = []
    print(f"{'':34}{'us':>9}{'TB/s':>7}{'share':>8}{'bound':>8}  launches, us")
    for batch, keys in PROBLEMS:
        for dtype, schedule in SCHEDULES.items():
            for pages in (0, PAGE):
                with tempfile.TemporaryDirectory() as folder:
                    flags = ["--schedule", schedule, "--dtype", dtype, "--batch", str(batch),
                             "--heads", str(hq), "--kv-heads", str(hk), "--seqlen-q",
                             str(options.rows), "--seqlen-kv", str(keys), "--work", options.work,
                             "--split-kv", "auto", *options.extra]
                    if options.layers > 1:
                        flags += ["--layers", str(options.layers)]
                    if pages:
                        flags += page_flags(batch, keys, folder)
                    out = bench(options.fmhac, flags)
                size = 1 if dtype == "fp8" else 2
                moved = 2 * batch * keys * hk * HEAD_DIM * size
                seconds = out["seconds"]
                parts = out["launches"]
                bound = moved / hbm + launch * len(parts)
                row = {"batch": batch, "keys": keys, "dtype": dtype, "pages": pages,
                       "seconds": seconds, "bytes_per_second": moved / seconds,
                       "share": moved / seconds / hbm, "bound": bound / seconds,
                       "launches": [part["seconds"] for part in parts]}
                rows.append(row)
                name = f"{batch} x {keys}, {dtype}, {f'pages of {pages}' if pages else 'contiguous'}"
                print(f"{name:34}{seconds * 1e6:9.1f}{row['bytes_per_second'] / 1e12:7.2f}"
                      f"{row['share']:8.1%}{row['bound']:8.1%}  "
                      f"{', '.join(f'{each * 1e6:.1f}' for each in row['launches'])}", flush=True)
    if options.json:
        with open(options.json, "w") as out:
            json.dump(rows, out, indent=1)


if __name__ == "__main__":
    main()
