# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small weights of 8 bits survive because exponents are lifted, and large ones are not cut.

Of `fixture`, one key of 2048 has the logit 0, the others have -7, which is 2^-10.1: e4m3 has
nothing between 0 and 2^-9. V is -1 for that key and 1 for the others, so that O is

  (2047 e^-7 - 1) / (2047 e^-7 + 1) = 0.3023, and -1 / (2047 e^-7 + 1) = -0.3488

if all other weights are rounded to zero but stay in the sum, -1 if they do not. Every schedule of fp8 has to give
the first within 0.03; the same kernel without its lift, from the text of its tiles, has to give the
second. `sink` has weights between 2^-11 and 2^-12 beside a key with V = 0, `rising` maxima
that rise to the end: weights above 448 would be cut there.
"""
import argparse
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile

INPUTS = ["fixture", "sink", "rising"]
OTHERS = 2047 * math.exp(-7)
EXACT = (OTHERS - 1) / (OTHERS + 1)
# Schedules, and what they give without a lift: those that sum weights before they are rounded,
# and those that sum what is left.
UNROUNDED, ROUNDED = -1 / (OTHERS + 1), -1.0
SCHEDULES = {"generic_fp8": UNROUNDED, "generic_fp8_n32": UNROUNDED, "dualwave_fp8": ROUNDED,
             "dualwave_fp8_d64": ROUNDED, "dualwave_fp8_d192": ROUNDED,
             "dualwave_fp8_d256": UNROUNDED}
TOLERANCE = 0.03


def call(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"FAIL: {' '.join(command)}: exit code {result.returncode}\n"
                 f"{result.stdout}{result.stderr}")
    return result.stdout


def outputs(fmhac, folder):
    """Every element of O of a saved launch."""
    call([fmhac, "emu", os.path.join(folder, "LAUNCH.json")])
    with open(os.path.join(folder, "o.out.bin"), "rb") as file:
        words = file.read()
    return [value for value, in struct.iter_unpack(
        "<f", b"".join(b"\0\0" + words[i:i + 2] for i in range(0, len(words), 2)))]


def expect(what, values, wanted):
    worst = max(values, key=lambda value: abs(value - wanted))
    if not values or not abs(worst - wanted) <= TOLERANCE:
        sys.exit(f"FAIL: {what}: expected {wanted:.4f} +- {TOLERANCE}, found {worst:.4f}")
    return f"{worst:.4f} for {wanted:.4f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", required=True)
    options = parser.parse_args()
    fmhac = options.fmhac
    for schedule, without in SCHEDULES.items():
        config = ["--dtype", "fp8", "--head-dim",
                  "64" if schedule.endswith("_d64") else "128", "--schedule", schedule]
        problem = ["--heads", "1", "--kv-heads", "1", "--seqlen-q", "33", "--seqlen-kv", "2048",
                   "--scale", "1"]
        with tempfile.TemporaryDirectory() as folder:
            for kind in INPUTS:
                call([fmhac, "run", *config, *problem, "--input", kind, "--save-launch",
                      os.path.join(folder, kind)])
            launch = os.path.join(folder, "fixture")
            lifted = expect(f"fixture, {schedule}", outputs(fmhac, launch), EXACT)
            tiles = call([fmhac, "compile", *config, "--emit=tiles", "-o", "-"])
            text, count = re.subn(r" lift \d+ ", " ", tiles)
            if count != 1:
                sys.exit(f"FAIL: {schedule}: expected one lift in the text, found {count}")
            path = os.path.join(folder, "tiles.mlir")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            with open(os.path.join(launch, "LAUNCH.json"), encoding="utf-8") as file:
                code = json.load(file)["code_object"]
            call([fmhac, "compile", *config, "--from", "tiles", path, "-o",
                  os.path.join(launch, code)])
            found = expect(f"fixture, {schedule} without a lift", outputs(fmhac, launch), without)
        print(f"{schedule}: {lifted}; without a lift {found}")


if __name__ == "__main__":
    main()
