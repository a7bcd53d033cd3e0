# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of Q that the kernel rounds to 8 bits (quantize_q), of which it can be said what they give.

Each row of Q has one value in one column, K has 1, 1/2, -1, 1/4 there and 0 elsewhere, V the
number of its key: with scale 1 the scores are the value times these, exactly, whatever power of
two the row gets, if the value is a number of e4m3 times a power of two. So O is a softmax of
them, computed here in double precision. Values from the least normal bf16 to the largest that
leaves scores in f32; a row of zeros; NaN and infinities, whose rows are NaN and no other's.
"""
import argparse
import math
import struct
import subprocess
import sys
import tempfile

import axis_files

HEAD, KEYS = 64, 4
FACTORS = [1.0, 0.5, -1.0, 0.25]
MANTISSAS = [1.0, 1.125, 1.75, -1.875]
EXPONENTS = [-126, -60, -20, -3, 0, 2, 3, 7, 9]
SPECIAL = [math.nan, math.inf, -math.inf]
SCHEDULES = ["generic_fp8", "dualwave_fp8", "dualwave_q8"]
# Of weights of 8 bits (4 bits of mantissa), and of O in f32.
TOLERANCE = 2.0 ** -4


def bf16(x):
    return struct.unpack("<I", struct.pack("<f", x))[0] >> 16


E4M3 = {1.0: 0x38, 0.5: 0x30, -1.0: 0xb8, 0.25: 0x28, 0.0: 0, 2.0: 0x40, 3.0: 0x44, 4.0: 0x48}


def rows():
    values = [m * 2.0 ** e for e in EXPONENTS for m in MANTISSAS] + [0.0]
    for at, x in enumerate(SPECIAL):  # between rows that are numbers
        values.insert(5 + 7 * at, x)
    return values


def expected(x):
    scores = [x * f for f in FACTORS]
    most = max(scores)
    weights = [math.exp(s - most) for s in scores]
    return sum(w * (key + 1) for key, w in enumerate(weights)) / sum(weights)


def check(fmhac, schedule, folder):
    values = rows()
    q = [0] * (len(values) * HEAD)
    for row, x in enumerate(values):
        q[row * HEAD + row % HEAD] = bf16(x)
    k = bytes(E4M3[FACTORS[key]] for key in range(KEYS) for _ in range(HEAD))
    v = bytes(E4M3[float(key + 1)] for key in range(KEYS) for _ in range(HEAD))
    axis_files.write_npy(f"{folder}/q.npy", "<u2", [1, len(values), 1, HEAD],
                         struct.pack(f"<{len(q)}H", *q))
    axis_files.write_npy(f"{folder}/k.npy", "|u1", [1, KEYS, 1, HEAD], k)
    axis_files.write_npy(f"{folder}/v.npy", "|u1", [1, KEYS, 1, HEAD], v)
    done = subprocess.run(
        [fmhac, "run", "--schedule", schedule, "--q-dtype", "bf16", "--k-dtype", "fp8", "--v-dtype",
         "fp8", "--quantize-q", "--head-dim", str(HEAD), "--heads", "1", "--seqlen-q", str(len(values)),
         "--seqlen-kv", str(KEYS), "--scale", "1", "--out-dtype", "f32",
         *(f"--{name}={folder}/{name}.npy" for name in "qkv"), f"--o={folder}/o.npy"],
        capture_output=True, text=True)
    if done.returncode not in (0, 1):  # NaN that the reference has, too, may be beyond its bounds
        return [f"exit code {done.returncode}: {done.stderr}"]
    o = [x for x, in struct.iter_unpack("<f", axis_files.read_npy(f"{folder}/o.npy"))]
    wrong = []
    for row, x in enumerate(values):
        found = o[row * HEAD:(row + 1) * HEAD]
        if not math.isfinite(x):
            if not all(map(math.isnan, found)):
                wrong.append(f"row {row}, Q has {x}: expected NaN, found {found[0]}")
            continue
        wanted = expected(x)
        if not all(abs(f - wanted) <= TOLERANCE * wanted for f in found):
            wrong.append(f"row {row}, Q has {x}: expected {wanted}, found {found[0]}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fmhac", required=True)
    options = parser.parse_args()
    wrong = []
    for schedule in SCHEDULES:
        with tempfile.TemporaryDirectory() as folder:
            wrong += [f"{schedule}: {what}" for what in check(options.fmhac, schedule, folder)]
    for what in wrong:
        print("FAIL:", what)
    print(f"{len(SCHEDULES)} schedules, {len(rows())} rows, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
