# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The digits to which the kernel rounds rows of Q (quantize_q), read from LSE.

There is one key, 1 in the first column and 0 in the others: LSE of a row is its score,
scale * f * e4m3(q / f), q being the row's first element and f its factor. f follows from the row's
largest element, the second, by the rule (docs/topics/pass-rule.md): the least number that is no
less than max|q| / 448 and makes scale * log2(e) * f a power of two, or, where a function takes
scores, scale * f. Both are computed here, by the format of e4m3: 3 bits of fraction, exponents
from -6, ties to even.
"""
import argparse
import math
import random
import struct
import subprocess
import sys
import tempfile

import axis_files

HEAD, ROWS = 64, 512
SCALES = [0.125, 0.3, -0.07]
SCHEDULES = ["generic_fp8", "generic_fp8_n32", "dualwave_fp8", "dualwave_q8", "dualwave_fp8_d64",
             "dualwave_fp8_d192"]
# With a function of scores, which changes nothing.
WITH_FUNCTION = ["generic_fp8", "generic_fp8_n32"]
FUNCTION = """fmha.score_mod @same(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
  fmha.yield %score : f32
}
"""
ONE = 0x38  # of e4m3
# Of LSE in f32, from scores up to some tens. The least step of e4m3 is a sixteenth of the number.
RELATIVE, ABSOLUTE = 1e-4, 1e-6


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def bf16_bits(x):
    return struct.unpack("<I", struct.pack("<f", x))[0] >> 16


def of_bf16(bits):
    return struct.unpack("<f", struct.pack("<I", bits << 16))[0]


def e4m3(x):
    if x == 0:
        return 0.0
    step = 2.0 ** (max(math.frexp(abs(x))[1] - 1, -6) - 3)
    return math.copysign(min(round(abs(x) / step) * step, 448.0), x)


def draw():
    """The first two elements of each row; small ones reach below e4m3's normal numbers."""
    source = random.Random(1)
    rows = []
    for _ in range(ROWS):
        largest = abs(source.gauss(0, 1)) * 3 + 0.5
        first = source.uniform(-1, 1) * largest * 2.0 ** -source.randrange(12)
        rows.append((bf16_bits(first), bf16_bits(largest)))
    return rows


def expected(row, scale, has_function):
    q, largest = (of_bf16(bits) for bits in row)
    by = abs(scale) * (1 if has_function else math.log2(math.e))
    factor = 2.0 ** math.ceil(math.log2(max(abs(q), largest) / 448 * by)) / by
    return scale * factor * e4m3(q / factor)


def check(fmhac, schedule, scale, has_function, folder):
    rows = draw()
    q = [0] * (ROWS * HEAD)
    for number, row in enumerate(rows):
        q[number * HEAD:number * HEAD + 2] = row
    k = bytes([ONE] + [0] * (HEAD - 1))
    axis_files.write_npy(f"{folder}/q.npy", "<u2", [1, ROWS, 1, HEAD],
                         struct.pack(f"<{len(q)}H", *q))
    axis_files.write_npy(f"{folder}/k.npy", "|u1", [1, 1, 1, HEAD], k)
    axis_files.write_npy(f"{folder}/v.npy", "|u1", [1, 1, 1, HEAD], bytes([ONE] * HEAD))
    flags = []
    if has_function:
        flags = ["--score-mod", f"{folder}/same.mlir"]
        with open(flags[1], "w", encoding="utf-8") as file:
            file.write(FUNCTION)
    done = subprocess.run(
        [fmhac, "run", "--schedule", schedule, "--q-dtype", "bf16", "--k-dtype", "fp8", "--v-dtype",
         "fp8", "--quantize-q", "--head-dim", str(HEAD), "--heads", "1", "--seqlen-q", str(ROWS),
         "--seqlen-kv", "1", "--scale", repr(scale), *flags,
         *(f"--{name}={folder}/{name}.npy" for name in "qkv"), f"--lse-out={folder}/lse.npy"],
        capture_output=True, text=True)
    if done.returncode != 0:
        return [f"exit code {done.returncode}: {done.stderr}{done.stdout}"]
    lse = [x for x, in struct.iter_unpack("<f", axis_files.read_npy(f"{folder}/lse.npy"))]
    wrong = []
    for number, (row, found) in enumerate(zip(rows, lse)):
        wanted = expected(row, f32(scale), has_function)
        if not abs(found - wanted) <= RELATIVE * abs(wanted) + ABSOLUTE:
            wrong.append(f"row {number}, Q has {of_bf16(row[0])} beside {of_bf16(row[1])}: expected "
                         f"{wanted}, found {found}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fmhac", required=True)
    options = parser.parse_args()
    wrong, count = [], 0
    for schedule in SCHEDULES:
        for has_function in [False, True] if schedule in WITH_FUNCTION else [False]:
            for scale in SCALES:
                count += 1
                with tempfile.TemporaryDirectory() as folder:
                    wrong += [f"{schedule}, scale {scale}{', function' if has_function else ''}: "
                              f"{what}"
                              for what in check(options.fmhac, schedule, scale, has_function,
                                                folder)]
    for what in wrong:
        print("FAIL:", what)
    print(f"{count} kernels, {ROWS} rows, {len(wrong)} wrong")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
