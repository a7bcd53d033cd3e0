# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small weights of 8 bits survive because exponents are lifted, and large ones are not cut.

Of `fixture`, one key of 2048 has the logit 0, the others have -7, which is 2^-10.1: e4m3 has
nothing between 0 and 2^-9. V is -1 for that key and 1 for the others, so that O is

  (2047 e^-7 - 1) / (2047 e^-7 + 1) = 0.3023, and -1 / (2047 e^-7 + 1) = -0.3488

if all other weights are rounded to zero but stay in the sum, -1 if they do not. Every schedule of fp8 has to give
the first within 0.03; the same kernel without its lift, from the text of its tiles, has to give the
second. `sink` has weights between 2^-11 and 2^-12 beside a key with V = 0, `rising` maxima
that rise to the end: weights above 448 would be cut there. With factors by token of Q, K and V (as far as a
schedule takes them) the same scores and the same V come of other numbers, and O is the same.
"""
import argparse
import array
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile

import axis_files

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
ROWS, KEYS = 33, 2048
# Operands whose rows may have factors of their own.
FACTORS = {"generic_fp8": "qkv", "generic_fp8_n32": "qkv", "dualwave_fp8": "q",
           "dualwave_fp8_d64": "q", "dualwave_fp8_d192": "q", "dualwave_fp8_d256": "q"}


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


def factors(folder, operand):
    """Flags of factors of 1/8 to 4, of both signs, that differ from row to row."""
    rows = ROWS if operand == "q" else KEYS
    path = os.path.join(folder, f"{operand}.npy")
    values = array.array("f", (2.0 ** (i * 7 % 11 / 2 - 3) * (-1) ** (i * 5 % 3)
                               for i in range(rows)))
    axis_files.write_f32(path, [1, rows, 1], values)
    return [f"--{operand}-scale", "token", f"--{operand}-scales", path]


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
        dim = "64" if schedule.endswith("_d64") else "128"
        config = ["--dtype", "fp8", "--head-dim", dim, "--schedule", schedule]
        problem = ["--heads", "1", "--kv-heads", "1", "--seqlen-q", str(ROWS), "--seqlen-kv", str(KEYS),
                   "--scale", "1"]
        with tempfile.TemporaryDirectory() as folder:
            for kind in INPUTS:
                call([fmhac, "run", *config, *problem, "--input", kind, "--save-launch",
                      os.path.join(folder, kind)])
            for operands in sorted({*FACTORS[schedule], FACTORS[schedule]}):
                flags = [flag for operand in operands for flag in factors(folder, operand)]
                for kind in INPUTS:
                    path = os.path.join(folder, f"{kind}-{operands}")
                    call([fmhac, "run", *config, *problem, *flags, "--input", kind, "--save-launch", path])
                    if kind == "fixture":
                        expect(f"{kind}, {schedule}, factors of {operands}", outputs(fmhac, path), EXACT)
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
