#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the rows of passes/schedules/dispatch.csv with `fmhac bench`, on the cycle model.

    dispatch.py --fmhac build/bin/fmhac [--table passes/schedules/dispatch.csv] > rows.csv

A family of configurations is measured at a few head sizes and problems. A class of lengths
gets the schedule whose times are least, as the geometric mean over its problems of time over
the best time: so one for any lengths is good at all of them. Neighbouring head sizes with the
same answer become one row. The figures of a row are those of the problem that is named, with
the schedule and with the next best.
--table prints that file's comments first, and its columns.
"""
import argparse
import json
import math
import subprocess
import sys

SCHEDULES = ["generic", "dualwave", "dualwave_1tile", "dualwave_sums"]
# Head sizes that stand for those up to them, ascending: the first row that fits counts.
SIZES = [64, 128]
SHORT, LONG = [(256, "64/8"), (256, "512/64")], [(512, "64/8"), (4096, "64/8")]
# Of a class of lengths the problems, and the one whose figures stand in the row.
CLASSES = {"short": (SHORT, (256, "64/8")), "any": (SHORT + LONG, (4096, "64/8"))}
# Columns mask and scores of a family, and the flags that stand for it.
FAMILIES = [
    ("none", "plain", []),
    ("causal|causal-top-left", "plain", ["--mask", "causal"]),
    ("window", "plain", ["--mask", "window:512,0"]),
    ("chunked", "plain", ["--mask", "chunked:1024"]),
    ("*", "functions", ["--softcap", "20"]),
]
COLUMNS = ("dtype,head_dim_qk,head_dim_v,mask,scores,lengths,schedule,seconds,cycles,other,"
           "other_seconds,other_cycles,problem")


def measure(options, size, flags, problem, schedule):
    """(seconds, cycles of a KV tile)."""
    length, heads = problem
    query, kv = heads.split("/")
    batch = max(1, int(query) // 64)
    command = [options.fmhac, "bench", "--json", "--sample=3", f"--threads={options.threads}",
               "--head-dim", str(size), "--schedule", schedule, "--batch", str(batch),
               "--heads", str(int(query) // batch), "--kv-heads", str(int(kv) // batch),
               "--seqlen", str(length), *flags]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr}")
    point = json.loads(done.stdout)
    print(f"{' '.join(command[3:])}: {point['seconds']:.4g}", file=sys.stderr, flush=True)
    return point["seconds"], point["cycles_per_kv_tile"]


def words(problem):
    length, heads = problem
    query, kv = map(int, heads.split("/"))
    batch = max(1, query // 64)
    return f"B{batch} Hq{query // batch} Hk{kv // batch} Sq{length} Sk{length}"


def choose(times, problems):
    """Schedules, the best first, by the mean of their times over the best times."""
    def loss(schedule):
        return math.fsum(math.log(times[p][schedule][0] / min(t[0] for t in times[p].values()))
                         for p in problems)
    return sorted(SCHEDULES, key=loss)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--table", help="whose comments are printed first")
    options = parser.parse_args()
    answers = {}
    for mask, scores, flags in FAMILIES:
        for size in SIZES:
            times = {p: {s: measure(options, size, flags, p, s) for s in SCHEDULES}
                     for p in dict.fromkeys(SHORT + LONG)}
            for lengths, (problems, shown) in CLASSES.items():
                best, other = choose(times, problems)[:2]
                answers[mask, scores, lengths, size] = best, other, times[shown], shown
    if options.table:
        with open(options.table, encoding="utf-8") as file:
            print("".join(line for line in file if line.startswith("#")), end="")
    print(COLUMNS)
    for lengths in CLASSES:
        for mask, scores, _ in FAMILIES:
            for i, size in enumerate(SIZES):
                best, other, figures, shown = answers[mask, scores, lengths, size]
                following = SIZES[i + 1:i + 2]
                if following and answers[mask, scores, lengths, following[0]][0] == best:
                    continue
                cells = [f"1-{size}"] * 2
                print(",".join([
                    "bf16|f16", *cells, mask, scores, lengths,
                    best, f"{figures[best][0]:.6g}", f"{figures[best][1]:.6g}",
                    other, f"{figures[other][0]:.6g}", f"{figures[other][1]:.6g}",
                    words(shown)]))


if __name__ == "__main__":
    main()
