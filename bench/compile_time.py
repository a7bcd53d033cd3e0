# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile time of fmhac against LLVM alone on the same IR.

Pairs of runs, alternating in one process: `fmhac compile` against `llc-22 -O3
-filetype=obj` on the LLVM IR that fmhac itself compiles and emits, followed by
`ld.lld-22`. Of each pair the ratio of wall time and that of processor time (which
other work on the machine disturbs less). Bar: the median ratio of wall time is at
most 1.3. --plain takes the IR without line tables for LLVM, and fmhac makes them all
the same; --lines compares fmhac with fmhac without line tables.
"""
import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time


def timed(*commands):
    """Milliseconds of wall and of processor time, children of children included."""
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    start, before = time.perf_counter(), used()
    for command in commands:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    return 1e3 * (time.perf_counter() - start), 1e3 * (used() - before)


LISTS = "--kv-indptr X --kv-indices X --kv-last-page-len X"
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
    "--dtype fp8 --schedule dualwave_fp8", "--dtype fp8 --schedule dualwave_fp8 --mask causal --lse",
    "--dtype fp8 --schedule dualwave_fp8 --head-dim 64 --mask window:100,20 --out-dtype f32",
    "--dtype fp8 --schedule generic_fp8", "--dtype fp8 --schedule generic_fp8 --mask causal --lse",
    "--dtype fp8 --schedule generic_fp8 --head-dim 256",
    "--dtype fp8 --schedule generic_fp8_n32 --head-dim 256 --bias X --lse",
    *(f"--q-dtype bf16 --k-dtype fp8 --v-dtype fp8 --quantize-q --schedule {more}"
      for more in ("dualwave_q8", "dualwave_q8 --mask causal --lse", "generic_fp8 --head-dim 256")),
    "--schedule generic --page-size 16 --page-table X --seqlens-kv X",
    f"--schedule dualwave --page-size 64 {LISTS}",
    f"--dtype fp8 --schedule dualwave_fp8 --page-size 1 {LISTS}",
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


def compare(fmhac, config, pairs, lines, plain):
    """Pairs of (wall, processor) time: of fmhac, and of LLVM alone on the IR of the same
    kernel or of fmhac without line tables."""
    with tempfile.TemporaryDirectory() as folder:
        ir, obj, linked, ours, mod = (os.path.join(folder, name) for name in
                                      ("k.ll", "k.o", "k.so", "k.hsaco", "m.mlir"))
        with open(mod, "w") as file:
            file.write(SCORE_MOD)
        flags = [mod if flag == "MOD" else flag for flag in config.split()]
        compile_it = [fmhac, "compile", *flags]
        subprocess.run([*compile_it, *(["--no-line-tables"] if plain else []),
                        "--emit=llvm", "-o", ir],
                       check=True, stdout=subprocess.DEVNULL)
        llvm = (["llc-22", "-O3", "-mcpu=gfx950", "-filetype=obj", ir, "-o", obj],
                ["ld.lld-22", "-shared", obj, "-o", linked])
        whole = [*compile_it, "-o", ours]
        if lines:
            llvm = ([*whole, "--no-line-tables"],)
        timed(whole), timed(*llvm)  # files into the page cache
        return [(timed(whole), timed(*llvm)) for _ in range(pairs)]


BAR = 1.3


def figures(times, kind):
    """Medians: of the first of each pair, of the second, of the ratio. Kind 0 is wall
    time, 1 processor time."""
    a, b = ([pair[side][kind] for pair in times] for side in (0, 1))
    return (statistics.median(a), statistics.median(b),
            statistics.median(x / y for x, y in zip(a, b)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", default="build/bin/fmhac")
    parser.add_argument("--config", default=CONFIGS[0],
                        help="flags of `fmhac compile` (default: %(default)s)")
    parser.add_argument("--all", action="store_true", help="every one of CONFIGS")
    parser.add_argument("--pairs", type=int, default=31)
    parser.add_argument("--lines", action="store_true", help="what line tables cost")
    parser.add_argument("--plain", action="store_true",
                        help="LLVM gets the IR without line tables")
    options = parser.parse_args()
    missed = 0
    for config in CONFIGS if options.all else [options.config]:
        times = compare(options.fmhac, config, options.pairs, options.lines, options.plain)
        wall, processor = figures(times, 0), figures(times, 1)
        of_pairs = f"({options.pairs} pairs): {config}"
        if options.lines:
            print(f"with line tables {wall[0]:.1f} ms; without {wall[1]:.1f} ms, "
                  f"{100 * (wall[2] - 1):+.1f} % {of_pairs}", flush=True)
            continue
        missed += wall[2] > BAR
        print(f"fmhac compile {wall[0]:.1f} ms; llc + ld.lld {wall[1]:.1f} ms; ratio "
              f"{wall[2]:.2f}, of processor time {processor[2]:.2f}; bar {BAR}: "
              f"{'met' if wall[2] <= BAR else 'missed'} {of_pairs}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
