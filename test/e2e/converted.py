# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""K and V of 8 bits under a Q of 16 are converted exactly, every code of both types.

One key is seen, so that its weight is 1: O in f32 is its row of V, and with a Q of one-hot rows
the log-sum-exp of row i is column i of K times the scale, which is a small power of two: the product of
a large maximum and log2(e), rounded in f32, would show in O. The values of codes come from the formula
of OCP's specification. Rows past the key hold NaN, which must not matter.
"""
import argparse
import array
import math
import os
import struct
import subprocess
import sys
import tempfile

import axis_files
import axes

HEAD, ROWS, KEYS = 128, 128, 5
SCHEDULES = ["generic", "dualwave_kv8"]
NAN = 0x7F  # in both types
SCALE = 2.0 ** -20
ONE = {"bf16": 0x3F80, "f16": 0x3C00}
# Bits of mantissa, bias; e5m2 has infinities, of e4m3 only the last code is no number.
FORMS = {"fp8": (3, 7), "bf8": (2, 15)}


def decode(code, kind):
    mantissa_bits, bias = FORMS[kind]
    sign = -1.0 if code & 0x80 else 1.0
    exponent = (code & 0x7F) >> mantissa_bits
    mantissa = code & ((1 << mantissa_bits) - 1)
    if kind == "fp8" and code & 0x7F == 0x7F:
        return math.nan
    if kind == "bf8" and exponent == 31:
        return math.nan if mantissa else sign * math.inf
    if exponent == 0:
        return sign * math.ldexp(mantissa, 1 - bias - mantissa_bits)
    return sign * math.ldexp((1 << mantissa_bits) + mantissa, exponent - bias - mantissa_bits)


def same(found, wanted):
    return found == wanted or (math.isnan(found) and math.isnan(wanted))


def close(found, wanted):
    """As f32 has it, which multiplies by log2(e) and by ln(2)."""
    return abs(found - wanted) <= 1e-6 * abs(wanted)


def floats(path):
    return [x for x, in struct.iter_unpack("<f", axis_files.read_npy(path))]


def check(what, found, wanted, is_right):
    wrong = [f"column {i}: expected {w}, found {f}"
             for i, (f, w) in enumerate(zip(found, wanted)) if not is_right(f, w)]
    if wrong or len(found) != len(wanted):
        sys.exit(f"FAIL: {what}: {len(found)} of {len(wanted)} values; {'; '.join(wrong[:5])}")
    return len(found)


def one(fmhac, folder, q, kind, schedule, half):
    """K and V of one half of the codes; how many values were compared."""
    codes = bytes(range(half * HEAD, (half + 1) * HEAD))
    # 0 times an infinity would be NaN in every row.
    finite = bytes(c if math.isfinite(decode(c, kind)) else 0 for c in codes)
    path = {name: os.path.join(folder, f"{name}.npy") for name in
            ("q", "k", "v", "lengths", "o", "lse")}
    axis_files.write_npy(path["lengths"], "<i4", [1], array.array("i", [1]).tobytes())
    hot = array.array("H", [ONE[q] if i == j else 0 for i in range(ROWS) for j in range(HEAD)])
    axis_files.write_npy(path["q"], "<f2" if q == "f16" else "<u2", [1, ROWS, 1, HEAD],
                         hot.tobytes())
    for name, row in (("k", finite), ("v", codes)):
        axis_files.write_npy(path[name], "|u1", [1, KEYS, 1, HEAD],
                             row + bytes([NAN]) * (HEAD * (KEYS - 1)))
    command = [fmhac, "run", *axes.dtype_flags(f"{q}/{kind}/{kind}"), "--schedule", schedule,
               "--lse", "--out-dtype", "f32", "--scale", repr(SCALE), "--q", path["q"], "--k",
               path["k"], "--v", path["v"], "--seqlens-kv", path["lengths"], "--o", path["o"],
               "--lse-out", path["lse"], "--check=all"]
    done = subprocess.run(command, capture_output=True, text=True)
    what = f"{q} {kind} {schedule}, codes from {half * HEAD}"
    if done.returncode != 0:
        sys.exit(f"FAIL: {what}: {' '.join(command)}: exit code {done.returncode}\n"
                 f"{done.stdout}{done.stderr}")
    values = [decode(c, kind) for c in codes]
    count = check(f"V, {what}", floats(path["o"]), values * ROWS, same)
    return count + check(f"K, {what}", floats(path["lse"]),
                         [SCALE * decode(c, kind) for c in finite], close)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", required=True)
    options = parser.parse_args()
    count = 0
    for q in ONE:
        for kind in FORMS:
            for schedule in SCHEDULES:
                for half in range(2):
                    with tempfile.TemporaryDirectory() as folder:
                        count += one(options.fmhac, folder, q, kind, schedule, half)
    print(f"{count} values are as the formula has them")


if __name__ == "__main__":
    main()
