# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel visits the key tiles that its mask implies, no more and no fewer.

The emulator counts matrix instructions. A key tile costs a workgroup, by the schedule
that `fmhac list --print-schedule` shows,

  tile_m / m rows of blocks * tile_n / n blocks * Dqk' / k    for S, and
  tile_m / m rows of blocks * Dv' / n blocks * tile_n / k     for O,

where D' is D rounded up to a multiple of the block. In fp8 with LSE, so that no matrix instruction
sums weights. What is visited is
counted here element by element: from the first tile in which some row of the
workgroup sees a key to the last such tile. No tile between may be empty. Without
--all, a few lengths a mask; with it, every residue of them too.
"""
import argparse
import functools
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import axes
import axis_files

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import slices  # noqa: E402

MASKS = ["none", "causal", "causal-top-left", "window:0,0", "window:7,3",
         "window:64,63", "window:100,-1", "window:-1,0", "window:-1,70",
         "window:128,32", "window:300,5", "window:-1,-1", "chunked:1", "chunked:24",
         "chunked:64", "chunked:100", "chunked:128"]
LENGTHS = [(1, 1), (1, 257), (128, 64), (129, 65), (300, 77), (77, 300), (256, 512),
           (513, 200)]
# (rows, keys) of the sequences of one batch: no rows, no keys, neither.
SEQUENCES = [[(130, 200), (0, 64), (128, 0), (1, 1), (257, 129)],
             [(64, 300), (0, 0), (300, 64)]]
HEADS = [(32, 32), (40, 136)]  # a tile of 64 keys, and one of 32
HEADS_OF_8_BITS = [(32, 32), (48, 144)]  # a pipeline, and none


def sees(mask, row, key, rows, keys):
    """The definition, element by element."""
    kind, _, bounds = mask.partition(":")
    on = row + keys - rows
    if kind == "none":
        return True
    if kind == "causal":
        return key <= on
    if kind == "causal-top-left":
        return key <= row
    if kind == "window":
        left, right = map(int, bounds.split(","))
        return (left < 0 or key >= on - left) and (right < 0 or key <= on + right)
    return key <= on and key // int(bounds) == on // int(bounds)


def count_tiles(mask, rows, keys, tile_m, tile_n):
    """Tiles that the workgroups of one head visit."""
    total = 0
    for first in range(0, rows, tile_m):
        seen = set()
        for row in range(first, min(first + tile_m, rows)):
            seen.update(key // tile_n for key in range(keys)
                        if sees(mask, row, key, rows, keys))
        if not seen:
            continue
        between = set(range(min(seen), max(seen) + 1))
        if seen != between:
            sys.exit(f"FAIL: {mask}, {rows} rows, {keys} keys: the rows from {first} "
                     f"see nothing of tiles {sorted(between - seen)}")
        total += len(seen)
    return total


def read_schedule(fmhac, name):
    """tile_m, tile_n and the m, n, k of the two products."""
    text = subprocess.run([fmhac, "list", "--print-schedule", name], check=True,
                          capture_output=True, text=True).stdout

    def shape(product):
        part = re.search(rf"\b{product} = <([^>]*)>", text).group(1)
        return [int(re.search(rf"\b{x} = (\d+)", part).group(1)) for x in "mnk"]

    tiles = [int(re.search(rf"\b{x} = (\d+)", text).group(1))
             for x in ("tile_m", "tile_n")]
    return (*tiles, shape("qk"), shape("pv"))


def padded(size, block):
    return -(-size // block) * block


def cost(schedule, head):
    """Matrix instructions of a tile, all waves of the workgroup together."""
    tile_m, tile_n, (m, n, k), (pv_m, pv_n, pv_k) = schedule
    scores = tile_m // m * (tile_n // n) * (padded(head[0], k) // k)
    values = tile_m // pv_m * (padded(head[1], pv_n) // pv_n) * (tile_n // pv_k)
    return scores + values


def check(fmhac, schedules, mask, head, pairs, kind, dtype):
    """None, or what went wrong; `pairs` holds (rows, keys) of each sequence."""
    with tempfile.TemporaryDirectory() as folder:
        command = [fmhac, "run", "--json", "--threads=1", "--no-compare", "--mask", mask,
                   "--head-dim-qk", str(head[0]), "--head-dim-v", str(head[1]),
                   "--heads", "2", "--kv-heads", "1", "--dtype", dtype]
        # Pipelines of two tiles a round mask the second where there is none.
        command += (["--lse", "--schedule", "generic_fp8"] if dtype == "fp8"
                    else axes.schedule_of(*head))
        longest = [max(sizes) for sizes in zip(*pairs)]
        command += ["--seqlen-q", str(longest[0]), "--seqlen-kv", str(longest[1])]
        for side, used in zip(("q", "kv"), zip(*pairs)):
            if kind != "dense":
                name = "cu-seqlens" if kind == "varlen" else "seqlens"
                path = os.path.join(folder, f"{name}-{side}.npy")
                axis_files.write_lengths(path, kind, used)
                command += [f"--{name}-{side}", path]
        result = subprocess.run(command, capture_output=True, text=True)
    spelt = f"{' '.join(command)}, sequences {pairs}"
    if result.returncode != 0:
        return f"{spelt}: exit code {result.returncode}\n{result.stderr}"
    report = json.loads(result.stdout)
    schedule = schedules(report["schedule"])
    tiles = 2 * sum(count_tiles(mask, rows, keys, *schedule[:2])
                    for rows, keys in pairs)
    expected, found = tiles * cost(schedule, head), report["matrix_instructions"]
    if found != expected:
        return (f"{spelt}: expected {tiles} tiles, {expected} matrix instructions; "
                f"found {found}, {found / cost(schedule, head):.2f} tiles")
    return None


def cases(every):
    lengths = list(LENGTHS)
    if every:
        lengths += [(r + 1, r * 37 % 129 + 1) for r in range(0, 256, 3)]
    for dtype, heads in ("bf16", HEADS), ("fp8", HEADS_OF_8_BITS):
        for mask in MASKS:
            for i, pair in enumerate(lengths):
                yield mask, heads[i % 2], [pair], "dense", dtype
            for i, pairs in enumerate(SEQUENCES):
                yield mask, heads[i % 2], pairs, "varlen", dtype
                yield mask, heads[(i + 1) % 2], pairs, "padded", dtype


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--all", action="store_true", help="more lengths")
    slices.add_argument(parser)
    options = parser.parse_args()
    known = functools.cache(functools.partial(read_schedule, options.fmhac))
    table = options.slice.of(cases(options.all))
    slices.tell(options)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [f for f in pool.map(
            lambda case: check(options.fmhac, known, *case), table) if f]
    for failure in failures:
        print(f"FAIL: {failure}")
    print(f"{len(table) - len(failures)} of {len(table)} launches visit the tiles "
          f"that {len(MASKS)} masks imply")
    return 1 if failures or not table else 0


if __name__ == "__main__":
    sys.exit(main())
