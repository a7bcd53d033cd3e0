# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile time of fmhac against LLVM alone on the same IR.

Pairs of runs, alternating in one process: `fmhac compile` against `llc-22 -O3
-filetype=obj` on the LLVM IR that fmhac itself emits, followed by `ld.lld-22`.
The IR has no line tables, fmhac makes them; --lines compares with fmhac without them.
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


# Configurations beside the default one: what makes kernels long, alone and together.
# X stands for a file that is only named, MOD for a function of scores.
CONFIGS = [
    "--mask causal", "--mask none", "--mask window:100,20", "--mask chunked:64",
    "--mask causal-top-left", "--dtype f16", "--head-dim 8", "--head-dim 64",
    "--head-dim 72", "--head-dim-qk 192 --head-dim-v 128", "--head-dim 256",
    "--lse", "--sink X --lse", "--softcap 20", "--alibi", "--bias X",
    "--score-mod MOD", "--out-dtype f32", "--cu-seqlens-q X --cu-seqlens-kv X",
    "--seqlens-q X --seqlens-kv X", "--head-dim 256 --alibi --lse",
    "--head-dim 256 --score-mod MOD --alibi --sink X --mask causal-top-left",
    "--mask causal --softcap 20 --score-mod MOD --alibi --bias X --sink X --lse",
    "--head-dim 256 --mask causal --softcap 20 --score-mod MOD --alibi --bias X "
    "--sink X --lse --cu-seqlens-q X --seqlens-kv X",
]

SCORE_MOD = """fmha.score_mod @hide(%score: f32, %row: i32, %key: i32, %head: i32,
                     %batch: i32) {
  %hidden = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %rest = arith.remsi %key, %three : i32
  %off = arith.cmpi ne, %rest, %zero : i32
  %result = arith.select %off, %hidden, %score : f32
  fmha.yield %result : f32
}
"""


def compare(fmhac, config, pairs, lines):
    """Medians in ms: fmhac, and LLVM alone on the IR of the same kernel, or fmhac
    without line tables."""
    with tempfile.TemporaryDirectory() as folder:
        ir, obj, linked, ours, mod = (os.path.join(folder, name) for name in
                                      ("k.ll", "k.o", "k.so", "k.hsaco", "m.mlir"))
        with open(mod, "w") as file:
            file.write(SCORE_MOD)
        flags = [mod if flag == "MOD" else flag for flag in config.split()]
        compile_it = [fmhac, "compile", *flags]
        subprocess.run([*compile_it, "--no-line-tables", "--emit=llvm", "-o", ir],
                       check=True,
                       stdout=subprocess.DEVNULL)
        llvm = (["llc-22", "-O3", "-mcpu=gfx950", "-filetype=obj", ir, "-o", obj],
                ["ld.lld-22", "-shared", obj, "-o", linked])
        whole = [*compile_it, "-o", ours]
        if lines:
            llvm = ([*whole, "--no-line-tables"],)
        timed(whole), timed(*llvm)  # files into the page cache
        times = [(timed(whole), timed(*llvm)) for _ in range(pairs)]
    return [statistics.median(column) for column in zip(*times)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", default="build/bin/fmhac")
    parser.add_argument("--config", default=CONFIGS[0],
                        help="flags of `fmhac compile` (default: %(default)s)")
    parser.add_argument("--all", action="store_true", help="every one of CONFIGS")
    parser.add_argument("--pairs", type=int, default=31)
    parser.add_argument("--lines", action="store_true", help="what line tables cost")
    options = parser.parse_args()
    missed = 0
    for config in CONFIGS if options.all else [options.config]:
        a, b = compare(options.fmhac, config, options.pairs, options.lines)
        if options.lines:
            print(f"with line tables {a:.1f} ms; without {b:.1f} ms, {100 * (a / b - 1):+.1f} % "
                  f"({options.pairs} pairs): {config}", flush=True)
            continue
        bar = 1.5 * b + 30
        missed += a > bar
        print(f"fmhac compile {a:.1f} ms; llc + ld.lld {b:.1f} ms; bar {bar:.1f} ms; "
              f"{'met' if a <= bar else 'missed'} ({options.pairs} pairs): {config}",
              flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
