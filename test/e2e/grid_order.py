# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order of the grid moves work between workgroups and changes nothing else.

A kernel that only writes down which tile of Q, head and batch each workgroup gets runs
on grids of many sizes. Whatever the order, each is taken once. With longest_first, of
all heads the last tile comes first, then the one before (window:L,-1: the first tile
first), and as many neighbours as there are heads of K and V have different ones. With
head_major, what an XCD gets in the order of its workgroups, every eighth of the grid, is
a run of (batch, head, tile) without a gap. A mask that gives no order has that of the
grid, as has a grid whose workgroups 32 bits cannot count. None of these is taken from
the formula in passes/lower/PlaceWorkgroups.cpp, whose operations are also evaluated by
themselves, to hold them to the same on sizes beyond the emulator.

Then attention gives the same bytes in every order: lengths that do not fill a tile,
heads that share K and V, packed sequences and lengths of their own, odd head counts.
"""
import argparse
import json
import os
import random
import re
import struct
import sys
import tempfile

import axes

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
import commands  # noqa: E402
from commands import fail  # noqa: E402

XCDS = 8
TILE_M = 32
# (tiles, heads, heads of K and V, batches)
SIZES = [(1, 1, 1, 1), (2, 1, 1, 1), (7, 1, 1, 1), (8, 1, 1, 1), (9, 1, 1, 1),
         (1, 5, 1, 1), (1, 9, 3, 1), (1, 1, 1, 13), (3, 5, 5, 1), (3, 6, 2, 3),
         (4, 8, 8, 1), (5, 7, 7, 3), (2, 40, 8, 2), (16, 16, 4, 1), (11, 12, 4, 5),
         (64, 10, 2, 1), (13, 64, 8, 2)]
WHOLE = 2**16 - 1
# Numbers of workgroups at the end of 32 bits, and beyond.
LARGE = [(2**16, 2**8, 2**7, 2**8 - 1), (2**20 + 1, 4095, 5, 1)]
BEYOND = [(2**16, 2**8, 2**7, 2**8), (2**22, WHOLE, 5, WHOLE)]

KERNEL = """
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32,
  head_dim_v = 32, MASK>
#schedule = #fmha.schedule<tile_m = TILE_M, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  grid = ORDER, pipeline = <stages = [<@all compute [qk]>]>>
fmha.kernel @place problem(#problem) schedule(#schedule)
  launch(<grid = ["ceil(Sq / TILE_M)", "Hq", "B"], block = 64>) {
  %tile = fmha.id q_tile : i32
  %head = fmha.id head : i32
  %batch = fmha.id batch : i32
  %x = rocdl.workgroup.id.x : i32
  %y = rocdl.workgroup.id.y : i32
  %z = rocdl.workgroup.id.z : i32
  %x64 = arith.extui %x : i32 to i64
  %y64 = arith.extui %y : i32 to i64
  %z64 = arith.extui %z : i32 to i64
  // Of the test: bytes from workgroup to workgroup along each side of the grid.
  %o = fmha.arg o : i64
  %ox = fmha.arg q_row_stride : i64
  %oy = fmha.arg q_head_stride : i64
  %oz = fmha.arg q_batch_stride : i64
  %0 = arith.muli %x64, %ox : i64
  %1 = arith.muli %y64, %oy : i64
  %2 = arith.muli %z64, %oz : i64
  %3 = arith.addi %o, %0 : i64
  %4 = arith.addi %3, %1 : i64
  %5 = arith.addi %4, %2 : i64
  %four = arith.constant 4 : i64
  %6 = arith.addi %5, %four : i64
  %7 = arith.addi %6, %four : i64
  %a = llvm.inttoptr %5 : i64 to !llvm.ptr<1>
  %b = llvm.inttoptr %6 : i64 to !llvm.ptr<1>
  %c = llvm.inttoptr %7 : i64 to !llvm.ptr<1>
  llvm.store %tile, %a : i32, !llvm.ptr<1>
  llvm.store %head, %b : i32, !llvm.ptr<1>
  llvm.store %batch, %c : i32, !llvm.ptr<1>
}
"""
ENTRY = struct.Struct("<III")

# mask of the problem, how the keys of a tile go with its number
MASKS = {"mask = none": 0, "mask = causal": 1, "mask = causal_top_left": 1,
         "mask = window, window_left = -1, window_right = 3": 1,
         "mask = window, window_left = 3, window_right = -1": -1,
         "mask = window, window_left = 3, window_right = 3": 0,
         "mask = window, window_left = -1, window_right = -1": 0,
         "mask = chunked, chunk = 64": 0}

ROWS = [
    dict(mask="causal", sq="200", sk="257", heads="5/1", batch="3", lse="yes"),
    dict(mask="causal", sq="130", sk="65", heads="2/1", batch="3", q_len="varlen",
         kv_len="varlen", lse="yes", sink="normal", out="f32"),
    dict(mask="causal", sq="257", sk="Sq", heads="4/2", q_len="padded",
         kv_len="padded", alibi="yes"),
    dict(mask="window:100,-1", sq="200", sk="150", heads="3/3", bias="bhq"),
    dict(mask="window:-1,70", sq="129", sk="257", heads="4/2", batch="1"),
    dict(mask="causal-top-left", sq="200", sk="128", heads="1/1", batch="1"),
    dict(mask="none", sq="200", sk="257", heads="5/1", batch="3", score_mod="decay"),
    dict(mask="chunked:100", sq="257", sk="Sq", heads="3/3", batch="2", q_len="varlen",
         kv_len="varlen"),
]


# ===- Places -----------------------------------------------------------------===


def placed(options, order, mask, *passes):
    """The kernel of one order and mask after the pass and others."""
    text = KERNEL.replace("ORDER", order).replace("MASK", mask)
    text = text.replace("TILE_M", str(TILE_M))
    return commands.run([options.fmhac_opt, "-fmha-place-workgroups", *passes, "-"],
                        input=text)


class Places:
    """The kernel of one order and mask, compiled."""

    def __init__(self, options, folder, order, mask):
        self.fmhac, self.folder = options.fmhac, folder
        opt = placed(options, order, mask, "-fmha-control-to-llvm",
                     "-convert-arith-to-llvm")
        self.remarks = opt.stderr
        commands.generate_of_dialect(options.llvm_bin, opt.stdout,
                                     os.path.join(folder, "place.hsaco"))

    def run(self, size, strides, entries, workgroups=None):
        """What workgroups wrote, by entry."""
        tiles, heads, heads_kv, batches = size
        launch = {
            "code_object": "place.hsaco", "kernel": "place",
            "grid": [tiles, heads, batches], "block": [64, 1, 1], "dynamic_lds": 0,
            "buffers": {"o": {"bytes": entries * ENTRY.size, "fill": 255,
                              "out": "o.bin"}},
            # lib/abi/fmhac_abi.def; the last tile has one row
            "kernarg": [{"offset": 32, "buffer": "o"},
                        {"offset": 40, "u32": batches}, {"offset": 44, "u32": heads},
                        {"offset": 48, "u32": heads_kv},
                        {"offset": 52, "u32": (tiles - 1) * TILE_M + 1},
                        {"offset": 72, "u64": strides[2] * ENTRY.size},
                        {"offset": 80, "u64": strides[1] * ENTRY.size},
                        {"offset": 88, "u64": strides[0] * ENTRY.size}],
            "kernarg_bytes": 368}
        if workgroups:
            launch["workgroups"] = workgroups
        path = os.path.join(self.folder, "place.json")
        with open(path, "w") as file:
            json.dump(launch, file)
        commands.call([self.fmhac, "emu", path, "--check=mem"])
        with open(os.path.join(self.folder, "o.bin"), "rb") as file:
            return [entry for entry in ENTRY.iter_unpack(file.read())]

    def all(self, size):
        tiles, heads, _, batches = size
        return self.run(size, (1, tiles, tiles * heads), tiles * heads * batches)

    def one(self, size, workgroup):
        return self.run(size, (0, 0, 0), 1, [workgroup])[0]


def linear(size):
    tiles, heads, _, batches = size
    return [(t, h, b) for b in range(batches) for h in range(heads)
            for t in range(tiles)]


def check_turn(size, turn, part, growth):
    """What all heads get in a turn of longest_first, of which there is one a tile."""
    tiles, heads, heads_kv, batches = size
    group = heads // heads_kv
    tile = tiles - 1 - turn if growth > 0 else turn
    if {t for t, _, _ in part} != {tile}:
        fail(size, "expected tile", tile, "of all heads, found", part)
    if sorted((b, h) for _, h, b in part) != [
            (b, h) for b in range(batches) for h in range(heads)]:
        fail(size, "expected each head of tile", tile, "once, found", part)
    for first in range(0, len(part), heads_kv):
        shared = {(b, h // group) for _, h, b in part[first:first + heads_kv]}
        if len(shared) != heads_kv:
            fail(size, "expected neighbours with K and V of their own, found",
                 part[first:first + heads_kv])


def check_longest_first(size, places, growth):
    tiles, heads, _, batches = size
    every = heads * batches
    for turn in range(tiles):
        check_turn(size, turn, places[turn * every:(turn + 1) * every], growth)


def place_head_major(size, number):
    """Which place of the grid a workgroup takes: the runs of the XCDs before its own, then
    those that started before it on its own."""
    tiles, heads, _, batches = size
    runs = [len(range(c, tiles * heads * batches, XCDS)) for c in range(number % XCDS)]
    return sum(runs) + number // XCDS


def check_head_major(size, places):
    tiles, heads, _, _ = size
    after = 0
    for xcd in range(XCDS):
        run = [t + tiles * (h + heads * b) for t, h, b in places[xcd::XCDS]]
        if run != list(range(after, after + len(run))):
            fail(size, "expected a run from", after, "on XCD", xcd, "found", run)
        after += len(run)


def check_places(options, folder):
    for mask, growth in MASKS.items():
        kernel = Places(options, folder, "longest_first", mask)
        if (growth == 0) != ("is left as linear" in kernel.remarks):
            fail(mask, "expected a remark where there is no order, found",
                 kernel.remarks)
        for size in SIZES:
            places = kernel.all(size)
            if sorted(places) != sorted(linear(size)):
                fail(mask, size, "longest_first is no bijection:", places)
            if growth == 0 and places != linear(size):
                fail(mask, size, "expected the order of the grid, found", places)
            if growth != 0:
                check_longest_first(size, places, growth)
    for size in LARGE:
        kernel = Places(options, folder, "longest_first", "mask = causal")
        if kernel.one(size, [0, 0, 0])[0] != size[0] - 1:
            fail(size, "expected the last tile first")
    for order, mask in (("longest_first", "mask = causal"),
                        ("head_major", "mask = none")):
        kernel = Places(options, folder, order, mask)
        for size in BEYOND:
            tiles, heads, _, batches = size
            for id in ([0, 0, 0], [tiles - 1, heads - 1, batches - 1], [7, 200, 99]):
                if kernel.one(size, id) != tuple(id):
                    fail(order, size, "expected the grid's own place", id,
                         "found", kernel.one(size, id))
    for size in LARGE:  # still of `head_major`: the ends of the runs of two XCDs
        tiles, heads, _, batches = size
        total = tiles * heads * batches
        for number in (0, 1, total - 1, total - 2):
            id = [number % tiles, number // tiles % heads, number // tiles // heads]
            t, h, b = kernel.one(size, id)
            expected = place_head_major(size, number)
            if t + tiles * (h + heads * b) != expected:
                fail(size, id, "expected number", expected, "found", (t, h, b))
    kernel = Places(options, folder, "head_major", "mask = causal")
    for size in SIZES:
        places = kernel.all(size)
        if sorted(places) != sorted(linear(size)):
            fail(size, "head_major is no bijection:", places)
        check_head_major(size, places)


# ===- The operations -----------------------------------------------------------===

OPERATIONS = {
    "addi": "{0} + {1}", "subi": "{0} - {1}", "muli": "{0} * {1}", "divui": "{0} // {1}",
    "minui": "min({0}, {1})", "shrui": "{0} >> {1}", "extui": "{0}", "trunci": "{0}",
    "select": "{1} if {0} else {2}", "constant": "{0}"}
OPERATION = re.compile(r"\s*%(\w+) = (\w+)\.(\w+) +(.*) : .*?(\w+)$")


def evaluator(text):
    """A function of (x, y, z) and the arguments of a kernel: what it stores, by the operations
    in its text, each in as many bits as its type."""
    body, stored = [], []
    for line in text[text.index("fmha.kernel @place"):].splitlines()[1:]:
        store = re.match(r"\s*llvm\.store %(\w+),", line)
        place = re.match(r"\s*%(\w+) = rocdl\.workgroup\.id\.([xyz]) : i32", line)
        found = OPERATION.match(line)
        if store:
            stored.append(f"v_{store[1]}")
        if place:
            body.append(f"    v_{place[1]} = id[{place[2]!r}]")
        if not found or found[2] == "llvm":
            continue
        name, dialect, op, operands, kind = found.groups()
        words = [re.sub("^%", "v_", word) for word in re.split(r", ", operands)]
        if dialect == "fmha":
            value = f"{op}[{operands!r}]"
        elif op == "cmpi" and words[0] == "eq":
            value = f"{words[1]} == {words[2]}"
        elif dialect == "arith" and op in OPERATIONS:
            value = OPERATIONS[op].format(*words)
        else:
            fail("expected an operation that this test can evaluate, found", line)
        bits = int(re.fullmatch(r"i(\d+)", kind)[1])
        body.append(f"    v_{name} = ({value}) & {2**bits - 1:#x}")
    if len(stored) != 3:
        fail("expected a tile, a head and a batch to be stored, found", text)
    scope = {}
    exec("\n".join(["def evaluate(id, arg):", *body, f"    return {', '.join(stored)}"]),
         scope)
    return scope["evaluate"]


def arguments(size):
    tiles, heads, heads_kv, batches = size
    return {"seqlen_q": (tiles - 1) * TILE_M + 1, "heads_q": heads, "heads_kv": heads_kv,
            "batch": batches, "o": 0, "q_row_stride": 0, "q_head_stride": 0,
            "q_batch_stride": 0}


def evaluate(places, size, number):
    tiles, heads, _, _ = size
    return places({"x": number % tiles, "y": number // tiles % heads,
                   "z": number // tiles // heads}, arguments(size))


def draw_size(source, low, high):
    """A grid of at least `low` and fewer than `high` workgroups."""
    while True:
        heads_kv = source.choice([1, 1, 2, 3, 8, 13])
        heads = heads_kv * source.choice([1, 2, 5, 8, 200])
        batches = int(2**source.uniform(0, 16))
        tiles = int(2**source.uniform(0, 26))
        if low <= tiles * heads * batches < high and heads <= WHOLE:
            return tiles, heads, heads_kv, batches


def check_operations(options):
    source = random.Random(0)
    text = lambda *what: placed(options, *what).stdout
    last_first = evaluator(text("longest_first", "mask = causal"))
    first_first = evaluator(text("longest_first",
                                 "mask = window, window_left = 3, window_right = -1"))
    major = evaluator(text("head_major", "mask = none"))
    whole = (2**16 + 1, 257, 257, 255)  # 2^32 - 1 workgroups
    sizes = [whole, *SIZES, *LARGE, *(draw_size(source, 1, 2**32) for _ in range(150))]
    for size in sizes:
        tiles, heads, _, batches = size
        total = tiles * heads * batches
        numbers = {0, total - 1, *range(max(0, total - XCDS), total),
                   *range(min(total, XCDS)), *(source.randrange(total) for _ in range(20))}
        for number in numbers:
            t, h, b = evaluate(major, size, number)
            expected = place_head_major(size, number)
            if t >= tiles or h >= heads or t + tiles * (h + heads * b) != expected:
                fail("head_major", size, number, "expected", expected, "found", (t, h, b))
        every = heads * batches
        for turn in {0, tiles - 1, source.randrange(tiles)} if every < 300 else ():
            for places, growth in ((last_first, 1), (first_first, -1)):
                check_turn(size, turn, [evaluate(places, size, turn * every + i)
                                        for i in range(every)], growth)
    for size in [*BEYOND, *(draw_size(source, 2**32, 2**58) for _ in range(50))]:
        tiles, heads, _, batches = size
        total = tiles * heads * batches
        for number in (0, total - 1, source.randrange(total)):
            own = (number % tiles, number // tiles % heads, number // tiles // heads)
            for places in (last_first, first_first, major):
                if evaluate(places, size, number) != own:
                    fail(size, "expected the grid's own place", own, "found",
                         evaluate(places, size, number))


# ===- Attention --------------------------------------------------------------===


def with_order(options, folder, order):
    path = os.path.join(folder, f"{order}.mlir")
    text = commands.call([options.fmhac, "list", "--print-schedule", "generic"])
    text, count = re.subn(r"\bgrid = \w+", f"grid = {order}", text)
    if count != 1:
        fail("expected one 'grid = …' in the generic schedule, found", count)
    # Tiles of fewer rows: more of them.
    text = re.sub(r"\btile_m = \d+", "tile_m = 32", text)
    text = re.sub(r"\bwaves = \d+", "waves = 1", text)
    text = re.sub(r"\bwaves_per_simd = \d+", "waves_per_simd = 1", text)
    with open(path, "w") as file:
        file.write(text)
    return path


def outputs(options, folder, row, schedule):
    names = ["o.npy"] + ["lse.npy"] * (row["lse"] == "yes")
    paths = [os.path.join(folder, name) for name in names]
    extra = ["--schedule", schedule, "-o", paths[0]]
    if len(paths) > 1:
        extra += ["--lse-out", paths[1]]
    problem, command, report, stderr = axes.run(options.fmhac, row, folder, extra)
    if problem is not None:
        fail(f"({problem}):", *command, report, stderr[-2000:])
    data = []
    for path in paths:
        with open(path, "rb") as file:
            data.append(file.read())
        os.remove(path)
    return data, report["workgroups"]


def check_attention(options, folder):
    schedules = {order: with_order(options, folder, order)
                 for order in ("linear", "longest_first", "head_major")}
    uneven = 0
    for row in ROWS:
        row = axes.with_defaults(head="64/64", **row)
        expected, workgroups = outputs(options, folder, row, schedules["linear"])
        uneven += workgroups % XCDS != 0
        for order in ("longest_first", "head_major"):
            found, _ = outputs(options, folder, row, schedules[order])
            if found != expected:
                fail(order, "gives other bytes than linear:", axes.spell(row))
    if uneven < 2:
        fail("expected grids that 8 does not divide, found", uneven)


# ===- Samples of workgroups ----------------------------------------------------===


def check_samples(options, folder):
    """`trace` and `bench` run a few workgroups and make the inputs that these read,
    whichever heads the order gives them."""
    for order in ("longest_first", "head_major"):
        schedule = with_order(options, folder, order)
        for workgroup in ("0,0,0", "3,2,0", "0,5,1"):
            commands.call(
                [options.fmhac, "trace", "--schedule", schedule, "--mask", "causal",
                 "--heads", "6", "--kv-heads", "6", "--batch", "2", "--seqlen", "130",
                 "--workgroup", workgroup, "--check=init,mem", "-o",
                 os.path.join(folder, "trace.json")])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--fmhac-opt", required=True)
    parser.add_argument("--llvm-bin", required=True)
    options = parser.parse_args()
    check_operations(options)
    with tempfile.TemporaryDirectory() as folder:
        check_places(options, folder)
        check_attention(options, folder)
        check_samples(options, folder)
    print(f"ok: {len(SIZES)} grids under {len(MASKS)} masks, {len(ROWS)} problems")


if __name__ == "__main__":
    main()
