#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors of rows of O with quantize_q, beside those of the two factors by which its floor rounds Q.

    rounded_rows.py --fmhac build/bin/fmhac [--schedule NAME] [--input KIND]

Quantiles over rows of a row's relative rms error, in units of 1e-3: of a kernel, on the emulator,
and of attention in double precision with Q rounded by rows to e4m3 and weights to e4m3 of
2^(s - m + 8): with the factor max|q| / 448, and with the one that leaves a power of two to multiply
scores by. Then, by rows, how far 1 - cosine is beyond nine times that of a floor (or 0.002): of the
kernel from the first factor alone, from the worse of both; and of the two floors from each other.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "test", "public")]

from formats import BF16, FP8  # noqa: E402

HEADS, ROWS, KEYS, DIM = 8, 512, 512, 128
SCALE = float(np.float32(DIM ** -0.5))
LOG2E = float(np.log2(np.e))
QUANTILES = [0.01, 0.1, 0.5, 0.9, 0.99, 1]
LIFT = 8


def run(options, folder):
    done = subprocess.run(
        [options.fmhac, "run", "--json", "--quiet", "--q-dtype", "bf16", "--k-dtype", "fp8",
         "--v-dtype", "fp8", "--quantize-q", "--head-dim", str(DIM), "--heads", str(HEADS),
         "--seqlen-q", str(ROWS), "--seqlen-kv", str(KEYS), "--out-dtype", "f32", "--input",
         options.input, f"--scale={SCALE!r}", f"--seed={options.seed}", "--save-launch", folder,
         "--o", os.path.join(folder, "found.npy"),
         *(["--schedule", options.schedule] if options.schedule else [])],
        capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"exit code {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def read(folder):
    """Q, K and V by heads, and what the kernel stored."""
    q = BF16.values(np.fromfile(os.path.join(folder, "q.bin"), np.uint16))
    k, v = (FP8.values(np.fromfile(os.path.join(folder, f"{name}.bin"), np.uint8))
            for name in "kv")
    found = np.load(os.path.join(folder, "found.npy"))[0].astype(float)
    q, k, v = (x.reshape(rows, HEADS, DIM).swapaxes(0, 1)
               for x, rows in ((q, ROWS), (k, KEYS), (v, KEYS)))
    return q, k, v, found.swapaxes(0, 1)


def attention(q, k, v, rounds):
    scores = q @ k.swapaxes(1, 2) * SCALE * LOG2E
    weights = np.exp2(scores - scores.max(axis=-1, keepdims=True) + LIFT)
    total = weights.sum(axis=-1, keepdims=True)
    return (FP8.round(weights) if rounds else weights) @ v / total


def rounded(q, factor):
    return FP8.round(q / factor) * factor


def errors(o, exact):
    """By rows: relative rms, and what the cosine lacks."""
    rms = np.sqrt(((o - exact) ** 2).sum(-1) / (exact ** 2).sum(-1))
    cosine = (o * exact).sum(-1) / np.sqrt((o ** 2).sum(-1) * (exact ** 2).sum(-1))
    return rms.ravel(), 1 - cosine.ravel()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--schedule")
    parser.add_argument("--input", default="normal")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = run(options, folder)
        q, k, v, found = read(folder)
    usual = np.abs(q).max(axis=-1, keepdims=True) / 448
    scaled = np.exp2(np.ceil(np.log2(usual * SCALE * LOG2E))) / (SCALE * LOG2E)
    exact = attention(q, k, v, False)
    all_errors = {
        f"`{report['schedule']}`": errors(found, exact),
        "max / 448": errors(attention(rounded(q, usual), k, v, True), exact),
        "power of two left": errors(attention(rounded(q, scaled), k, v, True), exact)}
    print(f"| {options.input} |", " | ".join(f"{x:.0%}" for x in QUANTILES), "| all rows |")
    print("|---|" + "---:|" * (len(QUANTILES) + 1))
    for name, (rms, _) in all_errors.items():
        print(f"| {name} |", " | ".join(f"{1e3 * x:.1f}" for x in np.quantile(rms, QUANTILES)),
              f"| {1e3 * np.sqrt((rms ** 2).mean()):.1f} |")
    (_, ours), (_, one), (_, other) = all_errors.values()

    def beyond(lacks, *floors):
        bound = np.maximum(9 * np.max(floors, axis=0), 0.002)
        return f"{(lacks >= bound).sum()} of {lacks.size}"
    print(f"rows beyond the bound of cosines: ours by the first factor {beyond(ours, one)}, by the "
          f"worse of both {beyond(ours, one, other)}; the second by the first {beyond(other, one)},"
          f" the first by the second {beyond(one, other)}")


if __name__ == "__main__":
    main()
