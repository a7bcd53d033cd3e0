# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of Q that the kernel rounds to 8 bits (quantize_q), of which it can be said what they give.

Each row of Q has one value in one column, K has 1, 1/2, -1, 1/4 there and 0 elsewhere, V the
number of its key: scores are the value times these, times K's factor, whatever power of two the
row gets. The value is a number of e4m3 times a power of two, and the scale ln(2), so that nothing
is rounded but K's factor where it is no power of two: a score then is off by a sixteenth at most.
O is compared with softmax in double precision, of the scores and of those a sixteenth off: it has
to lie between what these give, but for the rounding of weights.
Values from the least normal bf16 to the largest; a row of zeros; NaN and infinities, whose rows
are NaN and no other's. K's factors of any magnitude and sign, 0 too.

The kernel and its launch are those of the first factor. For the others only the factor in memory
is another one, as when a captured graph is replayed: the kernel has to choose anew.
"""
import argparse
import json
import math
import os
import shutil
import struct
import subprocess
import sys
import tempfile

import axis_files
import quantised_q
from quantised_q import HEAD

KEYS = 4
K_VALUES = [1.0, 0.5, -1.0, 0.25]
MANTISSAS = [1.0, 1.125, 1.75, -1.875]
EXPONENTS = [-126, -60, -20, -3, 0, 2, 3, 7, 9, 60, 127]
SPECIAL = [math.nan, math.inf, -math.inf]
# The last two: the ends of f32. (What is below 2^-126 when it is multiplied by the scale is 0.)
K_FACTORS = [1.0, -4.0, 3.7, 0.0, 2.0 ** -90, 1e-20, 1e20, 2.0 ** 90, 2e-38, 1e38]
# Half a step of weights of 4 bits, and of their sum; and of O in f32.
TOLERANCE = 2.0 ** -4


E4M3 = {1.0: 0x38, 0.5: 0x30, -1.0: 0xb8, 0.25: 0x28, 0.0: 0, 2.0: 0x40, 3.0: 0x44, 4.0: 0x48}


def rows():
    values = [m * 2.0 ** e for e in EXPONENTS for m in MANTISSAS] + [0.0]
    for at, x in enumerate(SPECIAL):  # between rows that are numbers
        values.insert(5 + 7 * at, x)
    return values


def softmax(scores):
    most = max(scores)
    weights = [math.exp(max(s - most, -700)) for s in scores]
    return sum(w * (key + 1) for key, w in enumerate(weights)) / sum(weights)


def bounds(x, factor, is_exact):
    """Between which O of a row has to be."""
    scores = [math.log(2) * x * factor * k for k in K_VALUES]
    errors = [0] if is_exact else [-1 / 16, 0, 1 / 16]
    found = [softmax([s * (1 + error) for s in scores]) for error in errors]
    return min(found) * (1 - TOLERANCE), max(found) * (1 + TOLERANCE)


def save_launch(fmhac, schedule, has_function, folder):
    """The launch with the first factor; what is wrong."""
    values = rows()
    q = [0] * (len(values) * HEAD)
    for row, x in enumerate(values):
        q[row * HEAD + row % HEAD] = quantised_q.bf16_bits(x)
    k = [E4M3[K_VALUES[key]] for key in range(KEYS) for _ in range(HEAD)]
    v = [E4M3[float(key + 1)] for key in range(KEYS) for _ in range(HEAD)]
    axis_files.write_npy(f"{folder}/k-scales.npy", "<f4", [1], struct.pack("<f", K_FACTORS[0]))
    return quantised_q.run(fmhac, schedule, has_function, q, k, v, math.log(2), folder, [
        "--out-dtype", "f32", "--k-scale", "tensor", "--k-scales", f"{folder}/k-scales.npy",
        "--save-launch", f"{folder}/launch"])


def replay(fmhac, folder, factor):
    """O of the saved launch with another factor in memory."""
    again = f"{folder}/again"
    shutil.rmtree(again, ignore_errors=True)
    shutil.copytree(f"{folder}/launch", again)
    with open(f"{again}/LAUNCH.json", encoding="utf-8") as file:
        buffers = json.load(file)["buffers"]
    with open(os.path.join(again, buffers["k_scales"]["file"]), "wb") as file:
        file.write(struct.pack("<f", factor))
    done = subprocess.run([fmhac, "emu", f"{again}/LAUNCH.json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"FAIL: emu: exit code {done.returncode}: {done.stderr}")
    with open(os.path.join(again, buffers["o"]["out"]), "rb") as file:
        return [x for x, in struct.iter_unpack("<f", file.read())]


def check(fmhac, schedule, has_function, folder):
    wrong = save_launch(fmhac, schedule, has_function, folder)
    for factor in K_FACTORS if not wrong else []:
        o = replay(fmhac, folder, factor)
        for row, x in enumerate(rows()):
            found = o[row * HEAD:(row + 1) * HEAD]
            if not math.isfinite(x):
                if not all(map(math.isnan, found)):
                    wrong.append(f"factor {factor}, row {row}, Q has {x}: expected NaN, found "
                                 f"{found[0]}")
                continue
            is_exact = not has_function and math.frexp(factor)[0] in (0, 0.5, -0.5)
            low, high = bounds(x, factor, is_exact)
            if not all(low <= f <= high for f in found):
                wrong.append(f"factor {factor}, row {row}, Q has {x}: expected {low} to {high}, "
                             f"found {found[0]}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fmhac", required=True)
    options = parser.parse_args()
    wrong, count = [], 0
    for schedule, has_function in quantised_q.kernels():
        count += 1
        with tempfile.TemporaryDirectory() as folder:
            wrong += [f"{schedule}{', function' if has_function else ''}: {what}"
                      for what in check(options.fmhac, schedule, has_function, folder)]
    for what in wrong:
        print("FAIL:", what)
    print(f"{count} kernels, {len(K_FACTORS)} factors, {len(rows())} rows, {len(wrong)} wrong")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
