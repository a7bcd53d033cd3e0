# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""K in two tensors, and V in K: every pair of values of every two axes.

A row is one `fmhac run --json` under every check of the emulator, which must exit with 0, be
within tolerance and have no finding. In the form `rope` the last columns of K come from k_rope,
in `latent` V is the first columns of K, in `both` both. What lies in pages has pages of pages.py, with NaN where no sequence has a key.
"""
import os
import random
import struct
import sys
import zlib

import axes
import axis_files
import pages
import pairwise

SHARED = {name: axes.AXES[name] for name in
          ("mask", "sink", "softcap", "alibi", "bias", "score_mod", "scale", "out", "lse",
           "q_len", "kv_len")}
AXES = {
    "form": ["both", "rope", "latent"],
    # Dqk/Dv, and the columns of k_rope.
    "head": ["576/512/64", "192/128/64", "128/64/64", "576/256/64", "320/256/64", "160/32/32",
             "144/128/16", "256/192/64", "384/128/128"],
    "dtype": ["bf16", "f16", "fp8", "bf16/fp8", "f16/bf8", "bf16/fp8/q8"],
    "page": ["0", "64", "1", "16", "32", "48", "1024"],
    "kv_layout": ["nhd", "hnd", "vectorised"],
    "layout": ["bshd", "bhsd"],
    "table": ["table", "list"],
    "lengths": ["ragged", "tiles", "short", "empty", "long"],
    "share": ["no", "yes"],
    "rope_heads": ["1", "all"],
    "q_scale": ["none", "tensor", "token"],
    "k_scale": ["none", "tensor", "head", "token", "block"],
    "scale_block": ["64", "24"],
    "work": ["grid", "list", "queue", "split", "fixed", "runs"],
    "sk": ["150", "1", "31", "32", "65", "257"],
    "sq": ["1", "70", "3", "128"],
    "heads": ["4/1", "1/1", "16/1", "4/2", "3/3"],
    "input": ["normal", "growing", "spikes"],
    **SHARED,
}
DEFAULTS = {name: values[0] for name, values in AXES.items()}
# Columns of a matrix instruction of the schedules that there are: bf16 and 8 bits.
STEPS = {False: (16, 32), True: (64, 128)}


def is_small(dtype):
    return dtype == "fp8" or "q8" in dtype


def own_width(head):
    """The columns of K that are not k_rope's."""
    dqk, _, rope = map(int, head.split("/"))
    return dqk - rope


def fits(head, form, dtype):
    """Whether a schedule takes the columns of K's own tensor, and V's fit in them."""
    dqk, dv, _ = map(int, head.split("/"))
    own = dqk if form == "latent" else own_width(head)
    # Beyond these a matrix instruction of the schedule that serves every function is larger.
    step = STEPS[is_small(dtype)][max(dqk, dv) > (192 if is_small(dtype) else 256)]
    return (form == "latent" or own % step == 0) and (form == "rope" or dv <= own)


CONSTRAINTS = [
    (("form", "head", "dtype"), lambda form, head, dtype: fits(head, form, dtype)),
    (("page", "kv_layout"), lambda page, layout: page != "0" or layout == "nhd"),
    (("page", "table"), lambda page, table: page != "0" or table == "table"),
    (("page", "kv_len"), lambda page, kind: page == "0" or kind == "dense"),
    # V's pieces have 16 bytes of keys, unless they are K's.
    (("kv_layout", "dtype", "page", "form"), lambda layout, dtype, page, form:
     layout != "vectorised" or form != "rope" or int(page) % (16 if "8" in dtype else 8) == 0),
    (("dtype", "k_scale"), lambda dtype, scale: scale == "none" or "8" in dtype),
    (("dtype", "q_scale"), lambda dtype, scale: scale == "none" or dtype == "fp8"),
    # Rows in pages have no factors of their own, packed sequences no blocks.
    (("page", "k_scale"), lambda page, scale: page == "0" or scale != "token"),
    (("kv_len", "k_scale"), lambda kind, scale: kind != "varlen" or scale != "block"),
    (("dtype", "out", "sink"), lambda dtype, out, sink: sink in ("none", "-inf") or
     not (out == "f16" or (out == "same" and dtype[0] == "f" and dtype != "fp8"))),
    # Beside lists the largest heads, and factors of K's rows, leave functions of scores too few
    # scalar registers; work.py has others.
    *((("work", name), lambda work, value, default=axes.AXES[name][0]:
       work == "grid" or value == default)
      for name in ("softcap", "alibi", "bias", "score_mod")),
    # A sink far above scores of any size leaves an O of subnormals, which are zero in a kernel.
    (("out", "scale", "input"), lambda out, scale, kind:  # as in axes.py
     scale != "5" or (out != "f32" and kind == "normal")),
    (("scale", "sink"), lambda scale, sink: sink != "large" or scale in ("default", "1e-30")),
    # Factors of K's rows and functions of scores at once: of the schedules for a converted Q only that with matrix
    # instructions of 128 columns takes them.
    *((("form", "head", "dtype", "k_scale", name),
       lambda form, head, dtype, scale, value, default=axes.AXES[name][0]:
       form == "latent" or not dtype.endswith("q8") or scale not in ("token", "block") or
       value == default or own_width(head) % 128 == 0)
      for name in ("softcap", "alibi", "bias", "score_mod")),
    # Nor does one take K converted, of more than 192 columns in two tensors, with factors of pages and keys that
    # may be divided.
    (("form", "head", "dtype", "page", "k_scale", "work"), lambda form, head, dtype, page, scale, kind:
     form != "rope" or len(dtype.split("/")) != 2 or page == "0" or scale != "block" or
     kind not in ("split", "fixed", "runs") or int(head.split("/")[0]) <= 192),
    (("form", "rope_heads"), lambda form, heads: form != "latent" or heads == "1"),
    (("bias", "page"), lambda bias, page: bias == "none" or page == "0"),
    # Converted, K and V of pages of one key take too many scalar registers (support_rope.c).
    (("form", "page", "dtype"), lambda form, page, dtype:
     form != "rope" or page != "1" or len(dtype.split("/")) != 2),
    # In pieces of columns nothing past the last key can be left out of V.
    (("form", "kv_layout"), lambda form, layout: form == "rope" or layout != "vectorised"),
]


# Caches as engines keep them: three values at once that pairs do not ask for, where schedules have the fewest scalar
# registers left.
SERVED = ["page=1,,table=list,,mask=causal,,work=split,,lse=yes,,sq=3,,heads=16/1",
          "form=latent,,page=1,,mask=causal,,work=fixed,,lse=yes,,sq=3,,heads=16/1",
          "page=1,,dtype=bf16/fp8,,mask=window:7,3,,work=fixed,,lse=yes,,sq=3",
          "form=rope,,page=16,,mask=window:7,3,,sink=normal,,work=fixed,,lse=yes,,sq=3",
          "page=1,,dtype=fp8,,mask=causal,,work=split,,lse=yes,,sq=3,,heads=16/1"]


def dtype_of(row):
    """As axes.py spells it: Q/K/V."""
    parts = row["dtype"].split("/")
    return row["dtype"] if len(parts) == 1 else "/".join([parts[0], parts[1], parts[1],
                                                          *(["q"] if len(parts) > 2 else [])])


def without_v(flags):
    kept, at = [], iter(flags)
    for flag in at:
        if flag in ("--v-dtype", "--v-scale", "--v-scales", "--v-strides"):
            next(at)
        else:
            kept.append(flag)
    return kept


def rope_file(row, flags, folder):
    """k_rope of several heads, as rows of f32, which the command rounds."""
    source = random.Random(zlib.crc32(repr(sorted(row.items())).encode()))
    rope, heads = int(row["head"].split("/")[2]), int(row["heads"].split("/")[1])

    def shape_of(name):
        path = flags[flags.index(name) + 1]
        content = axis_files.read_npy(path)
        return struct.unpack(f"<{len(content) // 4}i", content)
    page = int(row["page"])
    if page:
        numbers = shape_of("--page-table" if "--page-table" in flags else "--kv-indices")
        count = max([number for number in numbers if 0 <= number < 1 << 20], default=0) + 1
        shape = ([count, heads, page, rope] if row["kv_layout"] == "hnd" else
                 [count, page, heads, rope])
        if row["kv_layout"] == "vectorised":
            piece = 16 if "8" in row["dtype"] else 8
            shape = [count, heads, rope // piece, page, piece]
    elif row["kv_len"] == "varlen":
        shape = [shape_of("--cu-seqlens-kv")[-1], heads, rope]
    else:
        shape = [3, int(row["sk"]), heads, rope]
    size = 1
    for extent in shape:
        size *= extent
    pool = [source.gauss(0, 1) for _ in range(axis_files.POOL)]
    path = os.path.join(folder, "k-rope.npy")
    axis_files.write_f32(path, shape, [pool[i % len(pool)] for i in range(size)])
    return ["--k-rope", path]


def arguments(row, folder):
    dqk, dv, rope = row["head"].split("/")
    own = dict(row, head=f"{dqk}/{dv}", dtype=dtype_of(row), v_scale=row["k_scale"])
    scales = {}
    if row["page"] != "0":
        full = pages.DEFAULTS | {name: value for name, value in own.items()
                                 if name in pages.AXES} | {"schedule": "auto", "strides": "dense"}
        rows, keys = pages.lengths_of(full)
        dense = axes.with_defaults(
            **{name: value for name, value in own.items()
               if name in axes.AXES and (not name.endswith("_scale") or value != "block")},
            batch=str(pages.BATCH))
        dense["sk"] = str(max(1, *keys))
        flags = [*axes.arguments(dense, folder), *pages.page_flags(full, rows, keys, folder)]
    else:
        scales = {"batch": "3"}
        flags = axes.arguments(axes.with_defaults(
            **{name: value for name, value in own.items() if name in axes.AXES}, **scales), folder)
    while "--schedule" in flags:
        at = flags.index("--schedule")
        del flags[at:at + 2]
    if row["form"] != "rope":
        flags = [*without_v(flags), "--v-in-k"]
    if row["form"] != "latent":
        flags += ["--rope-dim", rope]
        if row["rope_heads"] == "all":
            flags += rope_file(row, flags, folder)
    return [*flags, *{"grid": [], "list": ["--work", "list"], "queue": ["--work", "queue"],
                      "split": ["--work", "list", "--split-kv", "auto"],
                      "runs": ["--work", "runs", "--split-kv", "auto"],
                      "fixed": ["--work", "queue", "--split-kv", "fixed", "--split-chunk", "64"]}
            [row["work"]]]


def spell(row):
    return ",,".join(f"{name}={value}" for name, value in row.items() if value != DEFAULTS[name])


def unspell(text):
    return DEFAULTS | dict(part.split("=", 1) for part in text.split(",,") if part)


def cover():
    """Every pair, and between them what is served."""
    table = pairwise.Cover(AXES, CONSTRAINTS).rows()
    step = len(table) // len(SERVED)
    for n, row in enumerate(SERVED):
        table.insert(n * (step + 1), unspell(row))
    return table


def run(fmhac, row, folder, extra):
    """(problem or None, command, report, stderr) of a row."""
    command = [fmhac, "run", "--json", *arguments(row, folder), *extra]
    return axes.run_rows.execute(command)


def main():
    options = axes.run_rows.table_parser(__doc__).parse_args()
    table = ([unspell(options.row)] if options.row is not None else
             options.slice.of(cover()))
    return axes.run_rows.run_table(
        options, table, spell,
        lambda number, row, folder, extra: run(options.fmhac, row, folder, extra), pages.CHECKS)


if __name__ == "__main__":
    sys.exit(main())
