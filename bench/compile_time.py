# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile time of fmhac against LLVM alone on the same IR.

Pairs of runs, alternating in one process: `fmhac compile` against `llc-22 -O3
-filetype=obj` on the LLVM IR that fmhac itself emits, followed by `ld.lld-22`.
Bar: median of fmhac <= 1.5 * median of the other + 30 ms.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time


def timed(*commands):
    start = time.perf_counter()
    for command in commands:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    return 1e3 * (time.perf_counter() - start)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", default="build/bin/fmhac")
    parser.add_argument("--mask", default="causal")
    parser.add_argument("--pairs", type=int, default=31)
    options = parser.parse_args()
    config = ["--dtype", "bf16", "--head-dim", "128", "--mask", options.mask]
    with tempfile.TemporaryDirectory() as folder:
        ir, obj, linked, ours = (os.path.join(folder, name) for name in
                                 ("k.ll", "k.o", "k.so", "k.hsaco"))
        subprocess.run([options.fmhac, "compile", *config, "--emit=llvm", "-o",
                        ir], check=True, stdout=subprocess.DEVNULL)
        llvm = (["llc-22", "-O3", "-mcpu=gfx950", "-filetype=obj", ir, "-o", obj],
                ["ld.lld-22", "-shared", obj, "-o", linked])
        fmhac = [options.fmhac, "compile", *config, "-o", ours]
        timed(fmhac), timed(*llvm)  # files into the page cache
        pairs = [(timed(fmhac), timed(*llvm)) for _ in range(options.pairs)]
    a, b = (statistics.median(column) for column in zip(*pairs))
    bar = 1.5 * b + 30
    print(f"fmhac compile {a:.1f} ms; llc + ld.lld {b:.1f} ms; bar {bar:.1f} ms; "
          f"{'met' if a <= bar else 'missed'} ({options.pairs} pairs)")
    return 0 if a <= bar else 1


if __name__ == "__main__":
    sys.exit(main())
