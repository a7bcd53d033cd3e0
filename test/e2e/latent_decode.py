# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels for few rows and long caches of latent attention: work.py with their schedules, V in
K, the last columns of K with the others or in a tensor of their own, 1 to 8 rows a sequence
and 1 to 128 heads, so that tiles are full, ragged and several."""
import sys

import latent
import work

KERNELS = {
    "latent_decode": ("latent_decode", "bf16", "576/512"),
    "latent_decode-rope": ("latent_decode", "f16", "576/512"),
    "latent_decode-kv8": ("latent_decode", "bf16/fp8/fp8", "576/512"),
    "latent_decode_m64": ("latent_decode_m64", "bf16", "576/512"),
    "latent_decode_m64-rope": ("latent_decode_m64", "bf16", "576/512"),
    "latent_decode_m128": ("latent_decode_m128", "f16", "576/512"),
    "latent_decode_m128-rope": ("latent_decode_m128", "bf16", "576/512"),
    "latent_decode_fp8": ("latent_decode_fp8", "fp8", "576/512"),
    "latent_decode_fp8-rope": ("latent_decode_fp8", "fp8", "576/512"),
    "latent_decode_fp8_m64": ("latent_decode_fp8_m64", "fp8", "576/512"),
    "latent_decode_fp8_m128": ("latent_decode_fp8_m128", "fp8", "576/512"),
    "latent_decode_fp8_m128-rope": ("latent_decode_fp8_m128", "fp8", "576/512"),
}
ROPE_COLUMNS = 64
ROWS = {"1": [1], "2": [2, 1], "3": [3, 0, 1], "4": [4, 1], "8": [8, 3, 0],
        "many": [1, 2, 0, 5, 8, 1] * 3, "none": [0, 0, 0]}
HEADS = ["16/1", "32/1", "128/1", "7/1", "1/1", "6/2", "40/1"]


def has_registers(kernel, kv, function, form, split, sink, lse):
    """Kernels of 32 rows a wave have no vector registers for more (lib/choose/support.def)."""
    schedule = KERNELS[kernel][0]
    if not schedule.startswith("latent_decode_fp8_m"):
        return True
    if form == "runs" and split == "none" and schedule == "latent_decode_fp8_m128":
        return False  # 3 too few
    if (form == "runs" and sink != "none" and lse == "yes" and
            schedule == "latent_decode_fp8_m128"):
        return False  # 32 too few
    is_tight = form in ("queue", "runs") or split.startswith("fixed")
    if schedule == "latent_decode_fp8_m128" and kernel.endswith("-rope"):
        if split.startswith("fixed"):
            return False  # 4 scalar ones too few
        is_tight = True
    is_tight |= sink != "none"  # one too few with pages of 16
    keys = 64 if is_tight and schedule == "latent_decode_fp8_m128" else 16
    return function == "none" and (not work.is_paged(kv) or int(kv.split(":")[1]) % keys == 0)


def has_scalar_registers(kernel, kv, form, mask, function):
    """Runs, a page for each key, a first key that rows see, and a bias: up to 29 too few of 16 bits."""
    has_first = mask.startswith("chunked") or (mask.startswith("window") and
                                               not mask.startswith("window:-1"))
    return (form != "runs" or not function.startswith("bias") or not has_first or "fp8" in kernel or
            not work.is_paged(kv) or int(kv.split(":")[1]) != 1)


def takes_factors(kernel, kv, factors):
    return factors == "none" or (work.is_of_8_bits(kernel) and factors == "head")


def other_form(row, of_rows=work.other_form):
    """The second run has the list of the first where a queue has too few registers."""
    if row["work"] == "runs":
        return "runs"
    takes_queue = has_registers(row["kernel"], row["kv"], row["function"], "queue", row["split"],
                                row["sink"], row["lse"])
    return of_rows(row) if takes_queue else "list"


def arguments(row, folder, of_rows=work.arguments):
    """V's flags are K's; k_rope is of one head, and generated."""
    flags = [*latent.without_v(of_rows(row, folder)), "--v-in-k"]
    return [*flags, "--rope-dim", str(ROPE_COLUMNS)] if row["kernel"].endswith("-rope") else flags


def prepare():
    work.MOST_SCORES = 300_000  # of heads of 576 and 512, under every check
    work.KERNELS = dict(KERNELS)
    work.ROWS = ROWS
    work.AXES["kernel"] = list(KERNELS)
    work.AXES["rows"] = list(ROWS)
    work.AXES["heads"] = HEADS
    # Tiles have up to 64 keys, which divide a chunk.
    work.AXES["layout"] = ["bshd", "bhsd", "o-strides"]
    work.DEFAULTS = {name: values[0] for name, values in work.AXES.items()}
    of_kernels = {("kernel", "kv", "factors"): takes_factors}
    work.CONSTRAINTS = [(axes, of_kernels.get(axes, holds)) for axes, holds in work.CONSTRAINTS
                        if axes not in (("rows", "q"), ("kernel", "layout"),
                                        ("kernel", "kv", "function"))]
    work.CONSTRAINTS.append((("rows", "q"), lambda rows, q: rows not in ("many", "none") or
                             q == "padded" or (q == "packed" and rows != "none")))
    work.CONSTRAINTS.append((("kernel", "kv", "function", "work", "split", "sink", "lse"),
                             has_registers))
    work.CONSTRAINTS.append((("kernel", "kv", "work", "mask", "function"), has_scalar_registers))
    # Of one row of few keys that weigh anything the floor has one or two roundings of weights, which may
    # be nearly exact where those of another maximum are not.
    work.CONSTRAINTS.append((("rows", "heads", "out", "input"), lambda rows, heads, out, kind:
                             rows != "1" or heads != "1/1" or out != "f32" or kind != "growing"))
    # O of 32 rows a wave leaves no registers to round it to 8 bits.
    work.CONSTRAINTS.append((("kernel", "out"), lambda kernel, out: out != "fp8" or
                             not kernel.startswith(("latent_decode_fp8_m64",
                                                    "latent_decode_fp8_m128"))))
    work.large_rows = lambda: [work.DEFAULTS]
    work.arguments = arguments
    work.other_form = other_form


if __name__ == "__main__":
    prepare()
    sys.exit(work.main())
