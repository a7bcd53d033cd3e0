# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels for few rows and long caches: work.py with their schedules, with 1 to 8 rows a
sequence and groups of 1 to 16 heads, so that tiles are full, ragged and several."""
import sys

import work

KERNELS = {
    "decode": ("decode", "bf16", "128/128"),
    "decode-f16": ("decode", "f16", "64/64"),
    "decode-d80": ("decode", "bf16", "80/96"),
    "decode-kv8": ("decode", "bf16/fp8/fp8", "128/128"),
    "decode_wide": ("decode_wide", "bf16", "256/256"),
    "decode_wide-192": ("decode_wide", "f16", "192/128"),
    "decode_fp8": ("decode_fp8", "fp8", "128/128"),
    "decode_fp8-d64": ("decode_fp8", "fp8", "64/64"),
}
ROWS = {"1": [1], "2": [2, 1], "3": [3, 0, 1], "4": [4, 1], "5": [5, 8, 2], "7": [7, 1],
        "8": [8, 3, 0], "many": [1, 2, 0, 5, 8, 1] * 4, "none": [0, 0, 0]}
HEADS = ["2/2", "4/2", "3/1", "10/2", "7/1", "8/1", "16/1", "32/2"]


def takes_factors(kernel, kv, factors):
    """Whatever the schedule: no blocks of packed keys; of pages none by token, so that Q alone has them."""
    if factors == "token" and work.is_paged(kv):
        return kernel.startswith("decode_fp8")
    return factors == "none" or (work.is_of_8_bits(kernel)
                                 and not (factors == "block" and kv == "packed"))


def large_rows():
    for split, form in (("auto", "list"), ("fixed:1024", "queue"), ("none", "auto"),
                        ("auto", "runs")):
        yield work.DEFAULTS | {"kernel": "decode-d8", "rows": "1", "keys": "million",
                               "heads": "2/2", "split": split, "work": form}


def prepare():
    work.MOST_SCORES = 2_500_000  # of heads up to 256, under every check
    work.KERNELS = dict(KERNELS)
    work.ROWS = ROWS
    work.AXES["kernel"] = list(KERNELS)
    work.TOKENS_OF_KEYS = {kernel for kernel in KERNELS if work.is_of_8_bits(kernel)}
    work.AXES["rows"] = list(ROWS)
    work.AXES["heads"] = HEADS
    # Tiles have 128 keys, which divide a chunk.
    work.AXES["split"] = ["auto", "fixed:128", "fixed:256", "fixed:1024", "none"]
    work.DEFAULTS = {name: values[0] for name, values in work.AXES.items()}
    work.KERNELS |= {"decode-d8": ("decode", "bf16", "8/8")}
    of_kernels = {("kernel", "kv", "factors"): takes_factors}
    work.CONSTRAINTS = [(axes, of_kernels.get(axes, holds)) for axes, holds in work.CONSTRAINTS
                        if axes not in (("rows", "q"), ("kernel", "kv", "function"))]
    work.CONSTRAINTS.append((("rows", "q"), lambda rows, q: rows not in ("many", "none") or
                             q == "padded" or (q == "packed" and rows != "none")))
    work.large_rows = large_rows


if __name__ == "__main__":
    prepare()
    sys.exit(work.main(__doc__))
