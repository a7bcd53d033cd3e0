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
import sys
import tempfile

import axis_files
import quantised_q
from quantised_q import HEAD

ROWS = 512
SCALES = [0.125, 0.3, -0.07]
# Of LSE in f32, from scores up to some tens. The least step of e4m3 is a sixteenth of the number.
RELATIVE, ABSOLUTE = 1e-4, 1e-6


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def draw():
    """The first two elements of each row; small ones reach below e4m3's normal numbers."""
    source = random.Random(1)
    rows = []
    for _ in range(ROWS):
        largest = abs(source.gauss(0, 1)) * 3 + 0.5
        first = source.uniform(-1, 1) * largest * 2.0 ** -source.randrange(12)
        rows.append((quantised_q.bf16_bits(first), quantised_q.bf16_bits(largest)))
    return rows


def expected(row, scale, has_function):
    by = abs(scale) * (1 if has_function else math.log2(math.e))
    return scale * quantised_q.rounded(list(map(quantised_q.of_bf16, row)), by)[0]


def check(fmhac, schedule, scale, has_function, folder):
    rows = draw()
    q = [0] * (ROWS * HEAD)
    for number, row in enumerate(rows):
        q[number * HEAD:number * HEAD + 2] = row
    k = [quantised_q.ONE] + [0] * (HEAD - 1)
    wrong = quantised_q.run(fmhac, schedule, has_function, q, k, [quantised_q.ONE] * HEAD, scale,
                            folder, [f"--lse-out={folder}/lse.npy"])
    if wrong:
        return wrong
    lse = [x for x, in struct.iter_unpack("<f", axis_files.read_npy(f"{folder}/lse.npy"))]
    for number, (row, found) in enumerate(zip(rows, lse)):
        wanted = expected(row, f32(scale), has_function)
        if not abs(found - wanted) <= RELATIVE * abs(wanted) + ABSOLUTE:
            first, largest = map(quantised_q.of_bf16, row)
            wrong.append(f"row {number}, Q has {first} beside {largest}: expected {wanted}, found "
                         f"{found}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fmhac", required=True)
    options = parser.parse_args()
    wrong, count = [], 0
    for schedule, has_function in quantised_q.kernels():
        for scale in SCALES:
            count += 1
            with tempfile.TemporaryDirectory() as folder:
                wrong += [f"{schedule}, scale {scale}{', function' if has_function else ''}: {what}"
                          for what in check(options.fmhac, schedule, scale, has_function, folder)]
    for what in wrong:
        print("FAIL:", what)
    print(f"{count} kernels, {ROWS} rows, {len(wrong)} wrong")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
