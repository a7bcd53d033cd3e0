# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nothing may drift while the row maximum stays where it is.

All scores of a row are equal, so every key has the same weight and O is the mean of
V: half the keys have V = 1, the other half V = -1, and the mean is exactly 0. A
correction that is not exactly 1 in each further tile multiplies what the earlier
tiles gave, and shows as a mean that is not 0.
"""
import argparse
import os
import struct
import subprocess
import sys
import tempfile

D = 128
# Bits of the numbers that are used, as .npy spells the type.
BITS = {"bf16": ("<u2", "<H", {8.0: 0x4100, 7.0: 0x40E0, 2.0: 0x4000, 2.03125: 0x4002,
                               1.0: 0x3F80, -1.0: 0xBF80}),
        "fp8": ("|u1", "<B", {8.0: 0x50, 7.0: 0x4E, 2.0: 0x40, 2.25: 0x41, 1.0: 0x38,
                              -1.0: 0xB8})}
# Type, schedule, keys, elements of Q and of K.
CASES = [("bf16", "auto", 8192, 8.0, 7.0), ("bf16", "auto", 32768, 2.0, 2.03125),
         ("fp8", "dualwave_fp8", 8192, 8.0, 7.0), ("fp8", "generic_fp8", 8192, 2.0, 2.25),
         ("fp8", "generic_fp8_n32", 8192, 8.0, 7.0)]


def write_npy(path, dtype, rows):
    """Bits as [1, S, 1, D]; `rows` holds one value a row."""
    descr, code, bits = BITS[dtype]
    header = (f"{{'descr': '{descr}', 'fortran_order': False, "
              f"'shape': (1, {len(rows)}, 1, {D}), }}")
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
        file.write(header.encode())
        for value in rows:
            file.write(struct.pack(code, bits[value]) * D)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", required=True)
    options = parser.parse_args()
    for dtype, schedule, keys, q, k in CASES:
        with tempfile.TemporaryDirectory() as folder:
            path = {n: os.path.join(folder, n + ".npy") for n in "qkv"}
            write_npy(path["q"], dtype, [q])
            write_npy(path["k"], dtype, [k] * keys)
            write_npy(path["v"], dtype, [1.0] * (keys // 2) + [-1.0] * (keys // 2))
            result = subprocess.run(
                [options.fmhac, "run", "--dtype", dtype, "--schedule", schedule, "--heads", "1",
                 "--seqlen-q", "1", "--seqlen-kv", str(keys), "--q", path["q"], "--k", path["k"],
                 "--v", path["v"]], capture_output=True, text=True)
            if result.returncode != 0:
                sys.exit(f"FAIL: {dtype}, {schedule}, {keys} keys, q = {q}, k = {k}:\n"
                         f"{result.stdout}{result.stderr}")
    print("ok")


if __name__ == "__main__":
    main()
