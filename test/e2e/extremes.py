# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scales and values at the ends of what `fmhac run` takes are within its tolerance, with every
built-in schedule and both types; scales beyond are refused with their bound.

Of the largest scale the softmax has one key, so that the floor is 0 and half an ulp of O counts;
of subnormal scales, which kernels take as 0, all keys are equal. V of subnormals comes out of
a kernel as 0 where f32 flushes them, and the floor with it.
"""
import argparse
import array
import json
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import axes
import axis_files
import not_numbers

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import slices  # noqa: E402

SQ, SK = 70, 203
DTYPES = ["bf16", "f16"]
MOST_HEAD = {"generic_wide": 256, "generic_wide_m64": 256, **not_numbers.MOST_HEAD}
MOST_SCALE = 65536
SCALES = ["1000", "-1000", str(MOST_SCALE), str(-MOST_SCALE), "65535.99", "1e-30", "1e-40",
          "-1e-40", "1e-45"]
INPUTS = ["normal", "growing", "spikes"]
# Found in f32, all of them: the neighbours of the bound.
REFUSED = ["65536.01", "-65536.01", "1e6", "-1e38", "3e38"]
# What unit normal V is multiplied by: subnormal bf16 are below 2^-126 = 1.2e-38, f16 below
# 2^-14 = 6.1e-5.
SUBNORMAL = {"bf16": [1e-39, 3e-41], "f16": [1e-5, 2e-7]}
# Scores that lie far apart, over many keys: most weights are below 2^-14, the least normal
# number of f16, and together they are no small part of the sum.
FAR_APART = ["--head-dim", "64", "--heads", "1", "--seqlen-q", "128", "--seqlen-kv", "2048",
             "--scale", "0.4", "--threads", "1"]


def flags_of(schedule, dtype, *more):
    return ["--schedule", schedule, *axes.dtype_flags(dtype), "--head-dim",
            str(MOST_HEAD.get(schedule, 128)), "--heads", "1", "--seqlen-q", str(SQ),
            "--seqlen-kv", str(SK), "--threads", "1", *more]


def run(fmhac, *flags):
    return subprocess.run([fmhac, "run", "--json", *flags], capture_output=True, text=True)


def passes(fmhac, flags):
    """What is wrong, or None."""
    done = run(fmhac, *flags)
    if done.returncode == 0 and json.loads(done.stdout)["pass"] is True:
        return None
    outputs = json.loads(done.stdout or "{}").get("outputs", done.stderr)
    return f"exit code {done.returncode}: {' '.join(done.args)}: {outputs}"


def is_refused(fmhac, flags):
    done = run(fmhac, *flags)
    bound = f"expected a number in [-{MOST_SCALE}, {MOST_SCALE}], found "
    if done.returncode == 2 and bound in done.stderr:
        return None
    return f"expected exit code 2 and '{bound}', found {done.returncode}: {done.stderr}"


def write_subnormal(path, dtype, head, factor):
    """V; True if all of it is subnormal and some of it not 0."""
    source = random.Random(head)
    bits = not_numbers.encode([source.gauss(0, 1) * factor for _ in range(SK * head)], dtype)
    axis_files.write_npy(path, "<f2" if dtype == "f16" else "<u2", [1, SK, 1, head],
                         array.array("H", bits).tobytes())
    exponent = 0x7c00 if dtype == "f16" else 0x7f80
    return all(b & exponent == 0 for b in bits) and any(b & 0x7fff for b in bits)


def dtypes_of(schedule):
    for name, dtypes in (("kv8", axes.KV8), ("q8", axes.Q8)):
        if name in schedule:
            return dtypes[:2]
    if not_numbers.is_of_8_bits(schedule):
        return ["fp8"]
    return DTYPES[:1] if schedule in not_numbers.BF16_ONLY else DTYPES


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fmhac", required=True)
    slices.add_argument(parser)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    names = not_numbers.schedule_names(options.fmhac)
    with tempfile.TemporaryDirectory() as folder:
        work = [(is_refused, ["--dtype", dtype, f"--scale={scale}", "--seqlen", "64"])
                for dtype in DTYPES for scale in REFUSED]
        work += [(passes, ["--dtype", dtype, "--mask", mask, *FAR_APART])
                 for dtype in DTYPES for mask in ("none", "causal")]
        for name in names:
            head = MOST_HEAD.get(name, 128)
            for dtype in dtypes_of(name):
                work.append((passes, ["--schedule", name, *axes.dtype_flags(dtype),
                                      *FAR_APART]))
                for i, scale in enumerate(SCALES):
                    kinds = INPUTS if scale == str(MOST_SCALE) else [INPUTS[i % 2]]
                    work += [(passes, flags_of(name, dtype, f"--scale={scale}", "--input",
                                               kind)) for kind in kinds]
                for factor in SUBNORMAL.get(dtype, []):
                    path = os.path.join(folder, f"{dtype}-{head}-{factor}.npy")
                    if not write_subnormal(path, dtype, head, factor):
                        sys.exit(f"FAIL: {path} is not what it should be")
                    work.append((passes, flags_of(name, dtype, "--v", path)))
                    work.append((passes, flags_of(name, dtype, "--v", path, "--out-dtype",
                                                  "f32")))
        work = options.slice.of(work)
        slices.tell(options)
        with ThreadPoolExecutor(options.jobs) as pool:
            wrong = list(filter(None, pool.map(lambda w: w[0](options.fmhac, w[1]), work)))
    for what in wrong:
        print("FAIL:", what)
    print(f"{len(work) - len(wrong)} of {len(work)} runs are as they should be, "
          f"{len(names)} schedules")
    return 1 if wrong or not names else 0


if __name__ == "__main__":
    sys.exit(main())
