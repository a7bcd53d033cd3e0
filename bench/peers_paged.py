#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ours beside published figures of fp8 attention over pages, which are measured (bench/published_paged.csv).

    peers_paged.py --fmhac build/bin/fmhac [--scale tensor|block] [--keys N,...] [--schedule S]
                   [--sample N] [--spread X] [--json FILE]

Ours are of the cycle model, with its interval, and stand for no measurement. The ratio is ours over the
published pipeline's, of the interval's lower end, too. Pages in any order; factors by tensor are 1.

Factors of pages are those by which unit normal data are quantised page by page: for each page and head the
largest magnitude of its numbers over 448, drawn from its distribution, about 4.6 / 448 with a standard deviation of 6 %.
Quantised data are unit normal again when they are multiplied by them, in each page. The K of `fmhac bench` is unit normal as it is stored,
in all pages, and would become as narrow as the factors; --scale makes up for their root mean square. So scores are as
wide as those of unit normal data: exactly so where all keys lie in one page, else 6 % more or less from page to page, where
those of quantised data do not differ. How wide V is changes no time. With --spread X factors are from 1 / X to X instead, and nothing makes up for them:
K of a short sequence then is as wide or as narrow as one factor makes it. --sample is that of `fmhac bench`.
"""
import argparse
import csv
import json
import math
import os
import random
import statistics
import sys
import tempfile

import pages

LARGEST_E4M3 = 448
TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "published_paged.csv")


def problems(options):
    with open(TABLE, encoding="utf-8") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            if options.scale in (None, row["scale"]) and row["seqlen"] in (
                    options.keys or row["seqlen"]).split(","):
                yield row


def largest_of(count, source):
    """The largest magnitude of so many unit normal numbers, drawn from its distribution: all are
    within x with the probability (2 cdf(x) - 1) ** count."""
    return statistics.NormalDist().inv_cdf((1 + source.random() ** (1 / count)) / 2)


def factor_flags(row, spread, folder):
    """Factors by which unit normal data are quantised, and the scale with which scores are as wide
    as theirs."""
    keys, page, heads = (int(row[name]) for name in ("seqlen", "page", "kv_heads"))
    one = pages.write(folder, "one", "<f4", (1,), [1.0])
    flags = ["--q-scale", "tensor", "--q-scales", one]
    source = random.Random(0)
    for operand in "kv":
        path = one
        if row["scale"] == "block":
            count = -(-keys // page)
            values = [spread ** source.uniform(-1, 1) if spread else
                      largest_of(page * pages.HEAD_DIM, source) / LARGEST_E4M3
                      for _ in range(count * heads)]
            path = pages.write(folder, operand, "<f4", (count, heads), values)
            if operand == "k" and not spread:
                width = math.sqrt(statistics.fmean(value * value for value in values))
                flags += ["--scale", repr(1 / (width * math.sqrt(pages.HEAD_DIM)))]
        flags += [f"--{operand}-scale", row["scale"], f"--{operand}-scales", path]
    return flags


def ours(options, row):
    keys = int(row["seqlen"])
    with tempfile.TemporaryDirectory() as folder:
        return pages.bench(options.fmhac, [
            "--dtype", "fp8", "--heads", row["heads"], "--kv-heads", row["kv_heads"], "--seqlen-q",
            str(keys), "--mask", row["mask"], "--schedule", options.schedule, "--sample",
            options.sample, *factor_flags(row, options.spread, folder),
            *pages.page_flags(int(row["page"]), "list", 1, keys, folder)])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--scale", choices=["tensor", "block"], help="default: both")
    parser.add_argument("--keys", help="sequences of so many only, N,N,...")
    parser.add_argument("--schedule", default="auto", help="auto: the one that the library takes")
    parser.add_argument("--sample", default="auto")
    parser.add_argument("--spread", type=float, help="factors of pages from 1 / X to X")
    parser.add_argument("--json", help="write everything to this file")
    options = parser.parse_args()
    written = []
    print("| scale, page | heads | keys | schedule | ours, TFLOPS | interval | V2 | V3 | over V3 | at least |")
    print("|---|---|---|---|---:|---|---:|---:|---:|---:|")
    for row in problems(options):
        report = ours(options, row)
        mine = report["tflops"]
        low, high = (report["flops"] / s / 1e12 for s in reversed(report["seconds_interval"]))
        published = float(row["v3_tflops"])
        print(f"| {row['scale']}, {row['page']} | {row['heads']}/{row['kv_heads']} | {row['seqlen']}"
              f"{' causal' if row['mask'] == 'causal' else ''} | `{report['schedule']}` | {mine:.4g} | "
              f"{low:.4g} to {high:.4g} | {row['v2_tflops']} | {row['v3_tflops']} | "
              f"{mine / published:.2f} | {low / published:.2f} |", flush=True)
        written.append(row | {"ours": report})
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(written, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
