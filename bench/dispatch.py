#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the rows of passes/schedules/dispatch.csv with `fmhac bench`, on the cycle model.

    dispatch.py --fmhac build/bin/fmhac --table passes/schedules/dispatch.csv > rows.csv

A family of masks is measured at four head sizes and a few problems of each class of keys that
their rows see: up to 256, and more. A class of few keys gets the schedule whose times are least,
as the geometric mean over its problems of time over the best time. The row for all keys is for
those that no row before it takes, which are many: it gets that with which the problems with many
keys take the least time together. Of those within 1 %, also on
the problem that the row names, it is the one that compiles fastest. A class of few keys
has a row only where its schedule is another one, a head size only where that of the next is.
The figures of a row are those of one problem that it names, with the schedule and with the
best of the other kind (generic, or a pipeline). Measured in bf16, of which f16 takes the
same instructions, of schedules that it has; and in fp8, or in the one that --dtype names.
--table prints that file's comments first.
--functions measures problems with functions of scores instead and prints how the schedules
stand, a line a problem; --pages does that with K and V in pages, by lists, and without.
"""
import argparse
import itertools
import json
import math
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import pages

# By compile time; the least and the largest head that each is for. dualwave_d96 is
# dualwave_1tile to within 0.1 % of heads up to 64, and compiles as fast.
SCHEDULES = {
    "bf16": {"generic": (8, 128), "dualwave_d96": (72, 96), "dualwave_1tile": (8, 128),
             "dualwave_sums": (8, 128), "dualwave_narrow": (8, 64), "dualwave": (8, 128)},
    "fp8": {"generic_fp8": (16, 128), "dualwave_fp8": (16, 128)}}
BF16_ONLY = {"dualwave_sums", "dualwave_narrow"}  # lib/choose/support.def
ALIKE = math.log(1.01)
# Head sizes that stand for those up to them, ascending: the first row that fits counts.
SIZES = [32, 64, 96, 128]
# Problems by the keys that a row of theirs sees at most, as the column has them: keys and rows,
# heads of Q and of K. The first of a class stands in its rows.
FEW, ALL = "1-256", "*"
FULL = {FEW: [(256, 64, 8), (256, 512, 64)], ALL: [(4096, 64, 8), (512, 64, 8)]}
LOCAL = {FEW: [(256, 64, 8), (4096, 64, 8)], ALL: [(4096, 64, 8), (512, 64, 8)]}
FAMILIES = [  # column mask, problems, mask of those with few keys, of the others
    ("none", FULL, "none", "none"),
    ("causal|causal-top-left", FULL, "causal", "causal"),
    ("window", LOCAL, "window:255,0", "window:512,0"),
    ("chunked", LOCAL, "chunked:256", "chunked:1024"),
]
FUNCTIONS = {"softcap": ["--softcap", "20"], "alibi": ["--alibi"],
             "softcap|alibi": ["--softcap", "20", "--alibi"]}
PAGE_SIZES = [0, 64, 16, 1]
PAGED = [(256, 64, 8), (1024, 64, 8), (4096, 64, 8), (16384, 64, 8)]
COLUMNS = ("dtype,head_dim_qk,head_dim_v,mask,scores,keys,schedule,seconds,cycles,other,"
           "other_seconds,other_cycles,problem,quantize_q")


def batches(heads):
    return max(1, heads // 64)


def types_of(dtype, schedule):
    """As the column has them, of a row that was measured in `dtype`."""
    return dtype if dtype == "fp8" or schedule in BF16_ONLY else "bf16|f16"


def measure(options, dtype, size, problem, mask, schedule, flags):
    """(seconds, cycles of a KV tile)."""
    length, query, kv = problem
    batch = batches(query)
    command = [options.fmhac, "bench", "--json", "--threads=1", "--dtype", dtype, "--mask", mask,
               "--head-dim", str(size), "--schedule", schedule, "--batch", str(batch),
               "--heads", str(query // batch), "--kv-heads", str(kv // batch),
               "--seqlen-q" if "--page-size" in flags else "--seqlen", str(length), *flags]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr}")
    point = json.loads(done.stdout)
    print(f"{' '.join(command[4:])}: {point['seconds']:.4g}", file=sys.stderr, flush=True)
    return point["seconds"], point["cycles_per_kv_tile"]


def measure_family(options, dtype, family, size, flags=()):
    """Of each class of keys (problem, mask, {schedule: figures}), in the order of FULL."""
    _, problems, *masks = family
    asked = [(keys, problem, mask, schedule)
             for (keys, some), mask in zip(problems.items(), masks)
             for problem in some for schedule, (least, most) in SCHEDULES[dtype].items()
             if least <= size <= most]
    with ThreadPoolExecutor(options.threads) as pool:
        found = list(pool.map(lambda a: measure(options, dtype, size, *a[1:], flags), asked))
    classes = {keys: [] for keys in problems}
    for (keys, problem, mask, schedule), figures in zip(asked, found):
        rows = classes[keys]
        if not rows or rows[-1][:2] != (problem, mask):
            rows.append((problem, mask, {}))
        rows[-1][2][schedule] = figures
    return classes


def words(problem, mask):
    length, query, kv = problem
    batch = batches(query)
    text = f"B{batch} Hq{query // batch} Hk{kv // batch} Sq{length} Sk{length}"
    return text if mask == "none" else f"{text} {mask.replace(',', ';')}"


def is_generic(schedule):
    return schedule.startswith("generic")


def choose(keys, rows):
    """The best schedule, and the best of the other kind."""
    if keys == ALL:
        loss = {s: math.log(math.fsum(times[s][0] for _, _, times in rows))
                for s in rows[0][2]}
    else:
        loss = {s: math.fsum(math.log(times[s][0] / min(t[0] for t in times.values()))
                             for _, _, times in rows) / len(rows) for s in rows[0][2]}

    def least(schedules):
        """Those of nearly the least loss; of them those of nearly the least time shown."""
        for of in (loss, {s: math.log(t[0]) for s, t in rows[0][2].items()}):
            bound = min(of[s] for s in schedules) + ALIKE
            schedules = [s for s in schedules if of[s] <= bound]
        return schedules[0]
    best = least(loss)
    return best, least([s for s in loss if is_generic(s) != is_generic(best)])


def print_functions(options):
    for name, flags in FUNCTIONS.items():
        for family in FAMILIES:
            for size in SIZES:
                for rows in measure_family(options, "bf16", family, size, flags).values():
                    for problem, mask, times in rows:
                        least = min(t[0] for t in times.values())
                        print(name, size, words(problem, mask), *(
                            f"{s} {t[0] / least:.3f}" for s, t in times.items()), flush=True)


def print_pages(options):
    """Where what is best without pages is not nearly so with them, the line says so."""
    masks, size = ("none", "causal"), SIZES[-1]
    for dtype in options.dtype or SCHEDULES:
        schedules = [s for s, (least, most) in SCHEDULES[dtype].items() if least <= size <= most]
        for problem, mask in itertools.product(PAGED, masks):
            best = None
            for page in PAGE_SIZES:
                with tempfile.TemporaryDirectory() as folder:
                    flags = ["--sample", "3"]
                    if page:
                        flags += pages.page_flags(page, "list", batches(problem[1]), problem[0],
                                                  folder)
                    times = {s: measure(options, dtype, size, problem, mask, s, flags)[0]
                             for s in schedules}
                least = min(times, key=times.get)
                best = best or least
                stays = math.log(times[best] / times[least]) <= ALIKE
                print(dtype, size, words(problem, mask), f"pages of {page}:" if page else "no pages:",
                      *(f"{s} {t / times[least]:.3f}" for s, t in times.items()),
                      "" if stays else f"(without: {best})", flush=True)


def print_table(options):
    lines = [line for dtype in options.dtype or SCHEDULES for line in lines_of(options, dtype)]
    if options.table:
        with open(options.table, encoding="utf-8") as file:
            print("".join(line for line in file if line.startswith("#")), end="")
    print(COLUMNS, *lines, sep="\n")


def lines_of(options, dtype):
    answers = {}
    for family in FAMILIES:
        for size in SIZES:
            classes = measure_family(options, dtype, family, size)
            for keys, rows in classes.items():
                answers[keys, family[0], size] = *choose(keys, rows), rows[0]
    # From the last row to the first: a row is needed where the rows after it answer otherwise.
    rows = []
    for keys in (ALL, FEW):
        for mask, *_ in reversed(FAMILIES):
            for size in reversed(SIZES):
                best, other, shown = answers[keys, mask, size]
                later = next((row for row in rows if row[0] in (ALL, keys)
                               and row[1] == mask and row[2] >= size), None)
                if not later or later[3] != best:
                    rows.insert(0, (keys, mask, size, best, other, shown))
    return [",".join([
        types_of(dtype, best), *[f"1-{size}"] * 2, mask, "plain", keys,
        best, f"{times[best][0]:.6g}", f"{times[best][1]:.6g}",
        other, f"{times[other][0]:.6g}", f"{times[other][1]:.6g}",
        words(problem, its_mask), "*"])
            for keys, mask, size, best, other, (problem, its_mask, times) in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--threads", type=int, default=1, help="commands at a time")
    parser.add_argument("--dtype", action="append", choices=SCHEDULES,
                        help="rows of this one only")
    parser.add_argument("--table", help="whose comments are printed first")
    parser.add_argument("--functions", action="store_true",
                        help="how schedules stand where scores pass through functions")
    parser.add_argument("--pages", action="store_true",
                        help="how schedules stand where K and V lie in pages")
    options = parser.parse_args()
    if options.pages:
        print_pages(options)
    elif options.functions:
        print_functions(options)
    else:
        print_table(options)


if __name__ == "__main__":
    main()
