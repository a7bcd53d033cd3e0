# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""K and V in pages: every pair of values of every two axes.

A row is one `fmhac run --json` of a paged problem under every check of the emulator, of
whole descriptors, too, which must exit with 0, be within tolerance and have no finding. Pages of a sequence lie in
any order among others; those that no sequence has are NaN, and so are the rows past a
length in its last page. What stands in a table past a length is no number of a page, or one
of a page of NaN; or a table ends with its last number in use, so that a read past it is out
of bounds.
"""
import os
import random
import struct
import subprocess
import sys
import zlib

import axes
import axis_files
import pairwise

# Of axes.py, as far as they meet pages.
SHARED = {name: axes.AXES[name]
          for name in ("mask", "sink", "softcap", "alibi", "score_mod", "scale")}
AXES = {
    "layout": ["bshd", "bhsd", "interleaved-kv"],
    "kv_layout": ["nhd", "hnd", "vectorised"],
    # Gaps after rows and pages; each head of all pages after the other.
    "strides": ["dense", "gaps", "heads"],
    "head": ["128/128", "64/64", "96/40", "256/256", "192/128", "80/48", "16/16"],
    "dtype": ["bf16", "f16", "fp8", "bf16/fp8/fp8", "f16/fp8/bf8", "bf16/fp8/fp8/q8"],
    "q_scale": ["none", "tensor", "token"],
    "k_scale": ["none", "tensor", "head", "block"],
    "v_scale": ["none", "tensor", "head", "block"],
    "bias": ["none", "bhq", "h"],
    "page": ["64", "1", "2", "8", "16", "32", "48", "80", "128", "256", "528", "1024", "1056"],
    "table": ["table", "list"],
    "counts": ["all", "cached"],
    "tail": ["garbage", "exact", "page"],
    "lengths": ["ragged", "tiles", "short", "empty", "equal", "long", "pairs"],
    "share": ["no", "yes"],
    # The one of axes.py where it serves, or the one that the library takes.
    "schedule": ["generic", "auto"],
    "q_len": ["dense", "varlen", "padded"],
    "sq": ["70", "1", "128", "200"],
    "lse": ["yes", "no"],
    "heads": ["2/1", "1/1", "3/3"],
    "input": ["normal", "growing", "spikes"],
    **SHARED,
}
# Keys of sequences: nothing, one key, round 1, 2 and 3 tiles of 32, 64 and 128 keys, up to
# several tiles.
LENGTHS = {"ragged": [150, 0, 65], "tiles": [64, 192, 128], "short": [1, 2, 31],
           "empty": [0, 0, 0], "equal": [96, 96, 96], "long": [33, 1100, 127],
           "pairs": [257, 384, 129]}
# Pipelines that take only tiles which lie in one page, of so many keys; and whether these
# may be on several without functions of scores (lib/choose/support.def). With functions some
# take no pages.
NEVER = 1 << 30
ONE_PAGE_TILES = {"dualwave_fp8_d256": (64, False), "dualwave": (64, True),
                  **{name: (NEVER, True)
                     for name in ("dualwave_1tile", "dualwave_sums", "dualwave_kv8")}}
FACTORS = ("k_scale", "v_scale")
BATCH = 3
SPARE_PAGES = 3  # that no sequence has
CHECKS = "--check=all", "--descriptors=mapped"
LEAD = 2  # numbers before the first sequence's in a list
GARBAGE = [2**31 - 1, -1, -2**31, 2**30]


def is_8_bit(dtype):
    """Whether weights are: Q is, or becomes it."""
    return dtype == "fp8" or is_rounded(dtype)


def is_rounded(dtype):
    """Whether Q becomes it."""
    return dtype.count("/") == 3


def equal_heads(head):
    dqk, dv = head.split("/")
    return dqk == dv


def multiples(head, step):
    return not any(int(dim) % step for dim in head.split("/"))


CONSTRAINTS = [
    # One buffer of K and V has one head size, and rows in order.
    (("layout", "head", "kv_layout"), lambda layout, head, kv_layout:
     layout != "interleaved-kv" or (equal_heads(head) and kv_layout == "nhd")),
    (("layout", "kv_layout", "strides"), lambda layout, kv_layout, strides:
     strides == "dense" or (layout == "bshd" and kv_layout != "hnd")),
    # V's pieces have 16 bytes of keys.
    (("kv_layout", "dtype", "page"), lambda kv_layout, dtype, page:
     kv_layout != "vectorised" or int(page) % (16 if "8" in dtype else 8) == 0),
    (("head", "dtype"), lambda head, dtype: "8" not in dtype or multiples(head, 16)),
    *((("dtype", operand), lambda dtype, scale: scale == "none" or "8" in dtype)
      for operand in FACTORS),
    (("dtype", "q_scale"), lambda dtype, scale: scale == "none" or dtype == "fp8"),
    # What no schedule has the registers for, without pages, too.
    (("head", "dtype", "bias"), lambda head, dtype, bias:
     bias == "none" or not is_8_bit(dtype) or max(map(int, head.split("/"))) <= 192),
    *((("head", "dtype", function), lambda head, dtype, value, default=AXES[function][0]:
       value == default or not is_rounded(dtype) or max(map(int, head.split("/"))) <= 192)
      for function in ("softcap", "alibi", "score_mod")),
    # Factors of pages, of a Q that is rounded: where those of rows are taken.
    *((("head", "dtype", operand), lambda head, dtype, scale:
       scale != "block" or not is_rounded(dtype) or max(map(int, head.split("/"))) <= 192)
      for operand in FACTORS),
    *((("dtype", operand, function), lambda dtype, scale, value, default=AXES[function][0]:
       scale != "block" or not is_rounded(dtype) or value == default)
      for operand in FACTORS for function in ("bias", "softcap", "alibi", "score_mod")),
    (("table", "counts"), lambda table, counts: table == "table" or counts == "all"),
    # A sink far above every score leaves an O that f16 cannot hold.
    (("dtype", "sink"), lambda dtype, sink: sink in ("none", "-inf") or dtype[0] != "f"
     or is_8_bit(dtype)),
]
DEFAULTS = {name: values[0] for name, values in AXES.items()}


def lengths_of(row):
    """Rows of Q and keys of each sequence."""
    rows = axis_files.q_lengths(row["q_len"], BATCH, int(row["sq"])) or [int(row["sq"])] * BATCH
    keys = list(LENGTHS[row["lengths"]])
    if row["tail"] == "exact":  # of a table the last row has to be the longest
        keys.sort()
    if row["counts"] == "cached":
        keys = [max(own, new) for own, new in zip(keys, rows)]
    return rows, keys


def i32(values):
    return struct.pack(f"<{len(values)}i", *values)


def strides_flags(row, pages):
    """From one page, row and head of K and V to the next, in elements."""
    page, heads = int(row["page"]), int(row["heads"].split("/")[1])
    wide = 16 if axes.has_8_bits(row["dtype"]) else 8  # elements of 16 bytes
    flags = []
    for name, dim, gap in zip("kv", map(int, row["head"].split("/")), (2 * wide, wide)):
        step, own = heads * dim + gap, page * dim
        if row["kv_layout"] == "vectorised":  # which says itself where rows lie
            strides = ((heads * (own + gap) + 3 * gap, 0, own + gap) if row["strides"] == "gaps"
                       else (own, 0, pages * own))
        else:
            strides = ((page * step + 3 * gap, step, dim) if row["strides"] == "gaps" else
                       (own, dim, pages * own))
        flags += [f"--{name}-strides", ",".join(map(str, strides))]
    return flags if row["strides"] != "dense" else []


def has_factors_of_pages(row):
    return "block" in (row[name] for name in FACTORS)


def factor_flags(row, used, source, folder):
    """Factors of pages, of either sign; of those that no sequence has far above the others."""
    count, heads = max(used, default=0) + 1, int(row["heads"].split("/")[1])
    flags = []
    for operand in (name[0] for name in FACTORS if row[name] == "block"):
        values = [source.choice((-1, 1)) * source.uniform(0.2, 3) if page in used else 1e30
                  for page in range(count) for _ in range(heads)]
        path = os.path.join(folder, f"{operand}-scales.npy")
        axis_files.write_npy(path, "<f4", (count, heads), struct.pack(f"<{len(values)}f", *values))
        flags += [f"--{operand}-scale", "block", f"--{operand}-scales", path]
    return flags


def page_flags(row, rows, keys, folder):
    """Writes tables, and says where they are."""
    source = random.Random(zlib.crc32(repr(sorted(row.items())).encode()))
    page = int(row["page"])
    counts = [(own + page - 1) // page for own in keys]
    numbers = list(range(sum(counts) + SPARE_PAGES))
    source.shuffle(numbers)
    pages = []
    for count in counts:
        pages.append(numbers[:count])
        del numbers[:count]
    if row["share"] == "yes":  # what is whole, and the last has as many rows of
        longest = max(range(len(keys)), key=lambda b: keys[b])
        for b in range(len(keys)):
            whole = keys[b] // page
            pages[b][:whole] = pages[longest][:whole]
    flags = ["--page-size", row["page"], "--kv-layout", row["kv_layout"],
             *strides_flags(row, sum(counts) + SPARE_PAGES)]
    flags += factor_flags(row, {number for own in pages for number in own}, source, folder)

    def add(flag, shape, values):
        path = os.path.join(folder, flag[2:] + ".npy")
        axis_files.write_npy(path, "<i4", shape, i32(values))
        flags.extend([flag, path])

    # Of a page that no sequence has; axes with `share` leave more of them.
    garbage = [numbers[-1]] * len(GARBAGE) if row["tail"] == "page" else GARBAGE
    if row["table"] == "table":
        # Rows at any multiple of 4 bytes; at least a number, for there are no empty arrays.
        width = max(1, max(counts) + (row["tail"] != "exact"))
        padded = [own + [garbage[(b + i) % len(garbage)] for i in range(width - len(own))]
                  for b, own in enumerate(pages)]
        add("--page-table", (len(keys), width), sum(padded, []))
        before = [own - new if row["counts"] == "cached" else own
                  for own, new in zip(keys, rows)]
        add("--seqlens-kv", (len(keys),), before)
        flags += ["--kv-lengths", row["counts"]]
        return flags
    before = garbage[:LEAD] if row["tail"] != "exact" else []
    listed = [*before, *sum(pages, []), *(garbage if before else [])]
    starts = [len(before) + sum(counts[:b]) for b in range(len(keys) + 1)]
    add("--kv-indptr", (len(keys) + 1,), starts)
    add("--kv-indices", (len(listed),), listed)
    add("--kv-last-page-len", (len(keys),),  # of no pages, too, engines say that there are keys
        [own - (count - 1) * page if count else source.choice([0, 1, page])
         for own, count in zip(keys, counts)])
    return flags


def arguments(row, folder):
    """Flags of `fmhac run` for a row; writes the files that they name to `folder`."""
    rows, keys = lengths_of(row)
    dense = axes.with_defaults(
        **{name: value for name, value in row.items()
           if name in axes.AXES and value != "block"}, batch=str(BATCH), sk=str(max(1, *keys)))
    flags = axes.arguments(dense, folder)
    if "--schedule" in flags and (is_8_bit(row["dtype"]) or row["schedule"] != "generic"
                                  or has_factors_of_pages(row)):
        at = flags.index("--schedule")
        del flags[at:at + 2]
    if row["schedule"] not in ("generic", "auto"):
        flags += ["--schedule", row["schedule"]]
    return [*flags, *page_flags(row, rows, keys, folder)]


def run(fmhac, row, folder, extra=()):
    """(problem or None, command, report, stderr) of a row."""
    command = [fmhac, "run", "--json", *arguments(row, folder), *extra]
    return (*axes.run_rows.execute(command),)


def flags_of(text, keys, folder):
    """Flags of a kernel of one sequence of `keys` keys. TABLE and LIST are those of the pages
    that "--page-size N" asks for; both end with the last number in use."""
    flags = text.split()
    for table in ("TABLE", "LIST"):
        if table in flags:
            page = int(flags[flags.index("--page-size") + 1])
            numbers = list(range((keys + page - 1) // page))
            random.Random(page).shuffle(numbers)
            count, last = len(numbers), keys - (len(numbers) - 1) * page
            files = ({"page-table": ((1, count), numbers), "seqlens-kv": ((1,), [keys])}
                     if table == "TABLE" else
                     {"kv-indptr": ((2,), [0, count]), "kv-indices": ((count,), numbers),
                      "kv-last-page-len": ((1,), [last])})
            flags.remove(table)
            for name, (shape, values) in files.items():
                path = os.path.join(folder, name + ".npy")
                axis_files.write_npy(path, "<i4", shape, i32(values))
                flags += ["--" + name, path]
    return flags


def restrict(schedule):
    """The axes become those of a pipeline of axes.py."""
    known = len(axes.CONSTRAINTS)
    axes.restrict(schedule)
    # Those of more axes are known too late to choose by.
    CONSTRAINTS.extend(constraint for constraint in axes.CONSTRAINTS[known:]
                       if set(constraint[0]) <= set(AXES) and len(constraint[0]) == 2)
    if schedule == "generic_fp8":  # which leaves the others to generic_fp8_n32
        CONSTRAINTS.extend((("head", operand), lambda head, scale: scale != "block" or
                            max(map(int, head.split("/"))) <= 192) for operand in FACTORS)
        CONSTRAINTS.extend(((operand, name), lambda scale, value, default=AXES[name][0]:
                            scale != "block" or value == default) for operand in FACTORS
                           for name in ("bias", "softcap", "alibi", "score_mod"))

        def has_room(head, page, value, default):
            dqk, dv = map(int, head.split("/"))
            return (value == default or max(dqk, dv) <= 192 or
                    (int(page) % axes.TILE_KEYS == 0 and (dqk <= 192 or dv <= 224)))
        CONSTRAINTS.extend((("head", "page", name), lambda head, page, value, default=AXES[name][0]:
                            has_room(head, page, value, default))
                           for name in ("bias", "softcap", "alibi", "score_mod"))
    for name in AXES:
        if name in axes.AXES and name in axes.PIPELINES[schedule]:
            AXES[name] = [value for value in axes.AXES[name]
                          if name not in ("q_scale", *FACTORS) or value in AXES[name]]
    if "dtype" not in axes.PIPELINES[schedule]:
        AXES["dtype"] = axes.DTYPES
    AXES["head"] = [head for head in AXES["head"] if axes.is_head_of(head, schedule)]
    if axes.PIPELINES[schedule].get("k_scale") == axes.OF_TILES:
        CONSTRAINTS.extend((("page", name), lambda page, scale:
                            scale != "block" or int(page) % axes.TILE_KEYS == 0)
                           for name in FACTORS)
    of_tiles, without_function = ONE_PAGE_TILES.get(schedule, (1, True))
    if not without_function:
        AXES["page"] = [page for page in AXES["page"] if int(page) % of_tiles == 0]
    CONSTRAINTS.extend((("page", name), lambda page, value, default=AXES[name][0]:
                        int(page) % of_tiles == 0 or value == default)
                       for name in ("softcap", "alibi", "score_mod"))
    if schedule == "dualwave_d96":
        AXES["bias"] = ["none"]
    AXES["schedule"] = ["generic" if schedule in axes.UNNAMED else
                        axes.NAMES.get(schedule, schedule)]


def cover():
    return pairwise.Cover(AXES, CONSTRAINTS).rows()


def listed(schedule):
    """The rows of a pipeline, by a process of its own: restrict() changes axes for good."""
    return subprocess.run([sys.executable, __file__, "--fmhac", "", "--schedule", schedule,
                           "--list"], check=True, capture_output=True,
                          text=True).stdout.split()


def spell(row):
    return ",,".join(f"{name}={value}" for name, value in row.items()
                     if value != DEFAULTS[name])


def unspell(text):
    return DEFAULTS | dict(part.split("=", 1) for part in text.split(",,") if part)


def main():
    parser = axes.run_rows.table_parser(__doc__)
    parser.add_argument("--schedule", choices=axes.PIPELINES, action="append", default=[],
                        help="rows that this one serves, or those of several")
    options = parser.parse_args()
    if len(options.schedule) == 1:
        restrict(*options.schedule)
    if options.row is not None:
        table = [unspell(options.row)]
    elif len(options.schedule) > 1:
        table = options.slice.of([unspell(row) for name in options.schedule
                                  for row in listed(name)])
    else:
        table = options.slice.of(cover())
    return axes.run_rows.run_table(
        options, table, spell,
        lambda number, row, folder, extra: run(options.fmhac, row, folder, extra), CHECKS)


if __name__ == "__main__":
    sys.exit(main())
