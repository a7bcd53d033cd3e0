# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Latent attention in its two forms on one cache.

A cache has 512 latent columns c and 64 of positions, k_rope, for all heads. Unabsorbed, a head
has keys [K c, k_rope] of 192 columns and values V c of 128, for its weights K and V. Absorbed,
rows of Q are [K^T q, q_rope], keys the cache itself, and O is V times what comes out; from one
row of 576 columns or from two tensors. The projections are sums in double precision here; all
forms agree up to what rounding of their inputs to f16 does.
"""
import argparse
import array
import math
import os
import random
import struct
import subprocess
import sys
import tempfile

import axis_files

LATENT, ROPE, NOPE, VALUE = 512, 64, 128, 128
ROWS, KEYS, HEADS = 3, 41, 2
# Of scores of a few units, whose terms are rounded to 2^-11 of themselves.
BOUND = 4e-3


def product(matrix, vector):
    return [math.fsum(a * b for a, b in zip(row, vector)) for row in matrix]


def rounded(values):
    """As f16 holds them."""
    return [struct.unpack("<e", struct.pack("<e", value))[0] for value in values]


def run(fmhac, folder, name, tensors, flags):
    command = [fmhac, "run", "--dtype", "f16", "--out-dtype", "f32", "--mask", "causal", "--quiet",
               "--scale", repr(1 / math.sqrt(NOPE + ROPE)), "--check=all", *flags]
    for flag, (shape, values) in tensors.items():
        path = os.path.join(folder, f"{name}-{flag}.npy")
        axis_files.write_f32(path, shape, values)
        command += [f"--{flag}", path]
    path = os.path.join(folder, f"{name}-o.npy")
    result = subprocess.run([*command, "--o", path], capture_output=True, text=True)
    if result.returncode:
        print(f"FAIL: {' '.join(command)}\n{result.stdout}{result.stderr}")
        sys.exit(1)
    return array.array("f", axis_files.read_npy(path)).tolist()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", required=True)
    options = parser.parse_args()
    source = random.Random(7)

    def normal(count, sigma=1.0):
        return [source.gauss(0, sigma) for _ in range(count)]
    cache = [rounded(normal(LATENT)) for _ in range(KEYS)]
    rope = [rounded(normal(ROPE)) for _ in range(KEYS)]
    down = 1 / math.sqrt(LATENT)
    keys = [[normal(LATENT, down) for _ in range(NOPE)] for _ in range(HEADS)]
    values = [[normal(LATENT, down) for _ in range(VALUE)] for _ in range(HEADS)]
    q = [[(rounded(normal(NOPE)), rounded(normal(ROPE))) for _ in range(HEADS)]
         for _ in range(ROWS)]

    def flat(rows):
        return [value for row in rows for value in row]
    shared = ((1, KEYS, 1, ROPE), flat(rope))
    with tempfile.TemporaryDirectory() as folder:
        expected = run(options.fmhac, folder, "unabsorbed", {
            "q": ((1, ROWS, HEADS, NOPE + ROPE), flat(own + last for row in q for own, last in row)),
            "k": ((1, KEYS, HEADS, NOPE), flat(product(keys[h], c) for c in cache for h in range(HEADS))),
            "v": ((1, KEYS, HEADS, VALUE), flat(product(values[h], c) for c in cache for h in range(HEADS))),
            "k-rope": shared}, ["--rope-dim", str(ROPE)])
        transposed = [list(zip(*weights)) for weights in keys]
        absorbed_q = ((1, ROWS, HEADS, LATENT + ROPE),
                      flat(product(transposed[h], row[h][0]) + row[h][1]
                           for row in q for h in range(HEADS)))
        latent = ["--v-in-k", "--head-dim-v", str(LATENT)]
        forms = {"two tensors": ({"k": ((1, KEYS, 1, LATENT), flat(cache)), "k-rope": shared},
                                 ["--rope-dim", str(ROPE)]),
                 "one row": ({"k": ((1, KEYS, 1, LATENT + ROPE),
                                    flat(c + last for c, last in zip(cache, rope)))}, [])}
        failures, outputs = 0, []
        for name, (tensors, flags) in forms.items():
            o = run(options.fmhac, folder, name.replace(" ", "-"),
                    {"q": absorbed_q, **tensors}, [*latent, *flags])
            outputs.append(o)
            found = flat(product(values[i % HEADS], o[i * LATENT:(i + 1) * LATENT])
                         for i in range(ROWS * HEADS))
            error = math.sqrt(math.fsum((x - y) ** 2 for x, y in zip(found, expected)) /
                              math.fsum(y * y for y in expected))
            right = error <= BOUND and len(found) == len(expected)
            failures += not right
            print(f"{'ok' if right else 'FAIL'}: absorbed, {name}: relative rms {error:.3g} from "
                  f"unabsorbed, at most {BOUND}")
    if outputs[0] != outputs[1]:
        failures += 1
        print("FAIL: the absorbed forms differ, which have the same tiles")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
