#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a plan takes for few rows and for many, and what the alternative costs, in the cycle model.

    choices.py --fmhac build/bin/fmhac [--dtype bf16|fp8] [--heads HQ/HK] [--batches 1,4,...] [--keys 256,...] [--rows 1,...]
               [--most-keys N] [--json FILE]

D = 128, keys divided as the plan decides (--work list --split-kv auto), nothing in a cache before, all launches. For each
number of sequences, keys of each, and rows of Q of each: the schedule that the plan takes, its time, and those of a decode
schedule, a generic one and a pipeline, asked for by name. "x": the best of the others over the one that is taken; below 1 the table
of schedules chose wrong. Problems of more than --most-keys keys together are left out.
"""
import argparse
import json
import subprocess
import sys

OTHERS = {"bf16": ["decode", "generic", "dualwave_1tile"],
          "fp8": ["decode_fp8", "generic_fp8", "dualwave_fp8"]}


def bench(fmhac, flags):
    run = subprocess.run([fmhac, "bench", "--json", *flags], capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"{fmhac} bench {' '.join(flags)}: {run.stderr}")
    out = json.loads(run.stdout)
    return out["seconds"] * 1e6, out["schedule"]


def numbers(text):
    return [int(each) for each in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--dtype", choices=OTHERS, default="bf16")
    parser.add_argument("--heads", default="64/8")
    parser.add_argument("--batches", type=numbers, default=[1, 4, 16, 64, 256])
    parser.add_argument("--keys", type=numbers, default=[256, 2048, 16384, 131072, 1048576])
    parser.add_argument("--rows", type=numbers, default=[1, 2, 4, 8, 16, 64])
    parser.add_argument("--most-keys", type=int, default=1 << 22)
    parser.add_argument("--json", help="write the figures here")
    options = parser.parse_args()
    hq, hk = options.heads.split("/")
    found = []
    print(f"{'sequences x keys, rows':>28}  taken            us      x  others, us")
    for batch in options.batches:
        for keys in options.keys:
            if batch * keys > options.most_keys:
                continue
            for rows in options.rows:
                flags = ["--dtype", options.dtype, "--heads", hq, "--kv-heads", hk, "--batch", str(batch),
                         "--seqlen-q", str(rows), "--seqlen-kv", str(keys), "--work", "list",
                         "--split-kv", "auto"]
                us, taken = bench(options.fmhac, flags)
                others = {name: bench(options.fmhac, [*flags, "--schedule", name])[0]
                          for name in OTHERS[options.dtype] if name != taken}
                row = {"batch": batch, "keys": keys, "rows": rows, "taken": taken, "us": us,
                       "others": others}
                found.append(row)
                print(f"{f'{batch} x {keys}, {rows}':>28}  {taken:14}{us:9.1f}"
                      f"{min(others.values()) / us:7.2f}  "
                      f"{', '.join(f'{name} {each:.1f}' for name, each in others.items())}", flush=True)
    if options.json:
        with open(options.json, "w") as out:
            json.dump(found, out, indent=1)


if __name__ == "__main__":
    main()
