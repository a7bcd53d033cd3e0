# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tests of a Q that the kernel rounds to 8 bits (quantize_q) share: its numbers by the rule
(docs/topics/pass-rule.md) and by the format of e4m3, and runs with Q, K and V of their own.
"""
import math
import struct
import subprocess

import axes
import axis_files

HEAD = 64
ONE = 0x38  # of e4m3
SCHEDULES = ["generic_fp8", "generic_fp8_n32", "dualwave_fp8", "dualwave_q8", "dualwave_fp8_d64",
             "dualwave_fp8_d192"]
# Those that take functions of scores: with one that changes nothing.
WITH_FUNCTION = ["generic_fp8", "generic_fp8_n32"]
FUNCTION = """fmha.score_mod @same(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
  fmha.yield %score : f32
}
"""


def kernels():
    """(schedule, whether there is a function of scores)."""
    return [(schedule, has_function) for schedule in SCHEDULES
            for has_function in ([False, True] if schedule in WITH_FUNCTION else [False])]


def bf16_bits(x):
    return struct.unpack("<I", struct.pack("<f", x))[0] >> 16


def of_bf16(bits):
    return struct.unpack("<f", struct.pack("<I", bits << 16))[0]


def e4m3(x):
    """3 bits of fraction, exponents from -6, ties to even."""
    if x == 0:
        return 0.0
    step = 2.0 ** (max(math.frexp(abs(x))[1] - 1, -6) - 3)
    return math.copysign(min(round(abs(x) / step) * step, 448.0), x)


def factor_of(row, by):
    """The least that is no less than max|q| / 448 and makes `by` times it a power of two."""
    return 2.0 ** math.ceil(math.log2(max(map(abs, row)) / 448 * by)) / by


def rounded(row, by):
    factor = factor_of(row, by)
    return [factor * e4m3(x / factor) for x in row]


def run(fmhac, schedule, has_function, q, k, v, scale, folder, flags):
    """Of one head: bits of bf16, of e4m3, of e4m3; what is wrong."""
    rows, keys = len(q) // HEAD, len(k) // HEAD
    axis_files.write_npy(f"{folder}/q.npy", "<u2", [1, rows, 1, HEAD],
                         struct.pack(f"<{len(q)}H", *q))
    for name, data in (("k", k), ("v", v)):
        axis_files.write_npy(f"{folder}/{name}.npy", "|u1", [1, keys, 1, HEAD], bytes(data))
    if has_function:
        with open(f"{folder}/same.mlir", "w", encoding="utf-8") as file:
            file.write(FUNCTION)
        flags = [*flags, "--score-mod", f"{folder}/same.mlir"]
    done = subprocess.run(
        [fmhac, "run", "--schedule", schedule, *axes.dtype_flags("bf16/fp8/fp8/quantised"),
         "--head-dim", str(HEAD), "--heads", "1", "--seqlen-q", str(rows), "--seqlen-kv", str(keys),
         "--scale", repr(scale), *flags, *(f"--{name}={folder}/{name}.npy" for name in "qkv")],
        capture_output=True, text=True)
    return [] if done.returncode == 0 else [
        f"exit code {done.returncode}: {done.stderr}{done.stdout}"]
