# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Workgroups that share rows (work = runs) come in any order: whoever is the last combines the
parts, and O has the same bytes, without a finding of the emulator.

The emulator takes workgroups in the order of a list. Ascending, as it takes them without one, the
last of a row is whoever has its last keys; here also whoever has its first ones, and any
other. The problems are those of join_mutants.py.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

import axis_files
import join_mutants
import mutants

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
import slices  # noqa: E402

KERNELS = [*join_mutants.KERNELS,
           f"--schedule generic --head-dim 64 --mask causal --lse {join_mutants.RUNS}",
           f"--schedule decode_wide --head-dim 256 --dtype f16 {join_mutants.RUNS}"]
SEEDS = 2


def orders(count):
    yield "descending", list(reversed(range(count)))
    # Of each eight neighbours the first comes last.
    yield "turned", [i ^ 7 if i ^ 7 < count else i for i in range(count)]
    for seed in range(SEEDS):
        shuffled = list(range(count))
        random.Random(seed).shuffle(shuffled)
        yield f"random {seed}", shuffled


def check(options, name):
    with tempfile.TemporaryDirectory() as top:
        folder, lengths = os.path.join(top, "launch"), os.path.join(top, "lengths.npy")
        axis_files.write_lengths(lengths, "varlen", join_mutants.LENGTHS)
        subprocess.run([options.fmhac, "run", *join_mutants.PROBLEM, *name.split(),
                        "--cu-seqlens-kv", lengths, "--no-compare", "--save-launch", folder],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        bench = mutants.Bench(options, folder)
        code, findings, good = bench.run(folder, "--check=all")
        if code != 0 or findings:
            sys.exit(f"FAIL: {name}: ascending: {findings}")
        count = bench.launch["grid"][0]
        problems = 0
        for order, ids in options.slice.of(orders(count)):
            bench.launch["workgroups"] = [[i, 0, 0] for i in ids]
            with open(os.path.join(folder, "LAUNCH.json"), "w") as file:
                json.dump(bench.launch, file)
            # Waves take turns in other orders, too: only one of them asks the counter.
            code, findings, out = bench.run(
                folder, "--check=all", f"--sched=random:{len(order)}",
                f"--landing=random:{len(order)}")
            if code == 0 and not findings and out == good:
                continue
            problems += 1
            print(f"{name}: {order}: exit code {code}, "
                  f"{'the same bytes' if out == good else 'other bytes'}, {findings[:1]}")
        return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fmhac", required=True)
    slices.add_argument(parser)
    options = parser.parse_args()
    options.fmhac = os.path.abspath(options.fmhac)  # runs in other folders
    slices.tell(options)
    problems = sum(check(options, name) for name in KERNELS)
    if problems:
        sys.exit(f"FAIL: {problems} orders")


if __name__ == "__main__":
    main()
