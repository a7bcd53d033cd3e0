# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The passes interpret schedules, they do not know them: variants of the generic
schedule compile, run within tolerance and without findings; what races or does not
fit is refused with exit code 2 and a reason."""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile


def sums(m, n, k):
    """Weights that a matrix instruction sums, or dot products (1, 1, 2)."""
    return {"grid": f"linear, rescale = lazy, lazy_log2 = 8, sums = <m = {m}, n = {n}, k = {k}>"}


def stages(*lists):
    """A pipeline of these stages, one of a memory kind where it copies and computes nothing."""
    return {"stages": "[" + ", ".join(
        f"<@s{i} {'memory' if steps.startswith('load') else 'compute'} [{steps}]>"
        for i, steps in enumerate(lists)) + "]"}


SOFTMAX = "mask, row_max, rescale, subtract, exp, row_sum, convert"


NARROW = {"tile_m": "64", "m": "16", "n": "16", "k": "32"}
# name, {parameter: new value}
GOOD = [
    ("narrow tile", {"tile_n": "32"}),
    ("wide tile", {"tile_n": "128"}),
    ("eight waves", {"tile_m": "256", "waves": "8"}),
    ("two waves", {"tile_m": "64", "waves": "2"}),
    ("one wave", {"tile_m": "32", "waves": "1", "waves_per_simd": "1"}),
    ("16x16x32", NARROW),
    ("16x16x32, summed by its like", {**NARROW, **sums(16, 16, 32)}),
    ("32x32x16, summed by its like", sums(32, 32, 16)),
    ("16x16x32, summed by dot products", {**NARROW, **sums(1, 1, 2)}),
    ("32x32x16, summed by dot products", sums(1, 1, 2)),
    ("lazy rescale", {"grid": "linear, rescale = lazy, lazy_log2 = 8"}),
    ("nothing packed", {"grid": "linear, packed = off"}),
    ("softmax in pairs", {"grid": "linear, packed = softmax"}),
    ("nothing overlaps", stages("load_k, load_v", f"read_k, qk, {SOFTMAX}, read_v, pv")),
    ("V first", stages("load_v, load_k", f"read_k, qk, {SOFTMAX}", "read_v, pv")),
    ("V late", stages("load_k", f"read_k, qk, {SOFTMAX}", "load_v", "read_v, pv")),
    ("K a tile ahead, V after QK", stages(f"read_k, qk, load_v, {SOFTMAX}",
                                          "load_k ahead 1, read_v, pv")),
    ("no padding", {"max_pad_bytes": "0"}),
    ("much padding", {"max_pad_bytes": "256"}),
]
# name, changes, words of the error
BAD = [
    ("LDS overflow", {"tile_n": "512"}, "LDS plan needs"),
    ("registers", {"waves_per_simd": "4"},
     "expected the kernel to fit the 128 registers a lane"),
    ("LDS for the waves", {"tile_m": "32", "waves": "1"},
     "8 workgroups a compute unit"),
    ("register overflow", {"tile_m": "256", "tile_n": "32"}, "scratch"),
    ("order", stages("load_k, load_v", f"read_k, qk, read_v, pv, {SOFTMAX}"),
     "expected it after 'convert'"),
    ("unknown step", stages("load_k, load_q"), "for a step of the KV loop, got: load_q"),
    ("a step that is missing", stages("load_k, load_v", f"read_k, qk, {SOFTMAX}, pv"),
     "expected a step 'read_v'"),
    ("a race", stages(f"load_k, load_v, read_k, qk, {SOFTMAX}", "read_v, pv"),
     "reads what may not be there yet"),
    ("tile_m", {"tile_m": "96"}, "expected tile_m to be a power of two"),
    ("waves", {"waves": "3"}, "expected waves to be a power of two"),
    ("unknown matrix instruction", {"k": "8"}, "found 32x32x8"),
    ("16x16x32, summed by 32x32x16", {**NARROW, **sums(32, 32, 16)},
     "found n = 32 and lane bit 4, which counts keys of P"),
    ("32x32x16, summed by 16x16x32", sums(16, 16, 32),
     "found n = 16 and lane bit 4, which counts rows of P"),
]


def variant(text, changes):
    for name, value in changes.items():
        pattern = (rf"({name} = )\[.*\](?=>>)" if name == "stages" else
                   rf"(\b{name} = )(\[[^]]*\]|\w+)")
        text, count = re.subn(pattern, lambda m: m.group(1) + value, text, flags=re.S)
        if not count:
            sys.exit(f"FAIL: the schedule has no parameter {name}")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", required=True)
    options = parser.parse_args()
    generic = subprocess.run(
        [options.fmhac, "list", "--print-schedule", "generic"], check=True,
        capture_output=True, text=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "variant.mlir")

        def run(name, changes, *flags):
            with open(path, "w") as file:
                file.write(variant(generic, changes))
            return subprocess.run([options.fmhac, *flags, "--schedule", path],
                                  capture_output=True, text=True)

        for name, changes in GOOD:
            for mask in ("none", "causal"):
                result = run(name, changes, "run", "--json", "--mask", mask,
                             "--heads", "2", "--kv-heads", "1", "--seqlen-q",
                             "150", "--seqlen-kv", "333")
                if result.returncode != 0:
                    sys.exit(f"FAIL: {name}, {mask}: {result.stdout}"
                             f"{result.stderr}")
                report = json.loads(result.stdout)
                if report["pass"] is not True or report["findings"]:
                    sys.exit(f"FAIL: {name}, {mask}: {report}")
        for name, changes, words in BAD:
            output = os.path.join(folder, "out.hsaco")
            result = run(name, changes, "compile", "-o", output)
            if result.returncode != 2 or words not in result.stderr:
                sys.exit(f"FAIL: {name}: expected exit code 2 and '{words}', "
                         f"found {result.returncode}: {result.stderr}")
            if os.path.exists(output):
                sys.exit(f"FAIL: {name}: wrote {output}")
        for name, text, words in (
                ("empty file", "", "expected exactly one fmha.schedule in the "
                 "file that no other is derived from, found 0 among 0 ops"),
                ("two schedules", generic + generic.replace("@generic", "@b"),
                 "found 2 among 2 ops: @generic, @b")):
            with open(path, "w") as file:
                file.write(text)
            result = subprocess.run([options.fmhac, "compile", "--schedule",
                                     path, "-o", output],
                                    capture_output=True, text=True)
            if result.returncode != 2 or words not in result.stderr:
                sys.exit(f"FAIL: {name}: expected exit code 2 and '{words}', "
                         f"found {result.returncode}: {result.stderr}")
    print(f"ok: {len(GOOD)} schedules run, {len(BAD) + 2} files are refused")


if __name__ == "__main__":
    main()
