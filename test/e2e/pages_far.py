# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Caches of K and V beyond 4 GiB, whose pages are all that there is of them.

Of a paged run every page becomes a buffer of its own, gigabytes from the next, some across
a multiple of 2^32; the numbers follow, and lie across such a multiple themselves. O must be
the same bytes, and nothing between the pages or past the numbers in use is mapped: what a
kernel reads beside them is a finding. So are factors of pages, of K and V in one array, [pages, Hk, 2],
whose pages lie as far from each other.
"""
import argparse
import json
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import slices  # noqa: E402
from axis_files import read_npy, write_npy  # noqa: E402

ABI = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lib", "abi",
                   "fmhac_abi.def")
SIZES = {"u32": 4, "f32": 4, "u64": 8, "ptr": 8}
LENGTHS = [130, 0, 65, 300]
APART = 1 << 26  # bytes from a page to the next number's
FAR, NEAR = 67, 3  # numbers from a page to the next: beyond 4 GiB, or where there are hundreds, not
BASES = {"k": 0x130000000000, "v": 0x150000000000}
TABLE = 0x170000000000 - 12
FACTORS = 0x190000000000
KV_HEADS, F32_BYTES = 2, 4
BY_PAGE = ["--k-scale", "block", "--v-scale", "block"]
# (flags, page size): page and tile alike, pages of several tiles, and tiles in several pages, of
# which lanes of a wave share one, or have their own.
ROWS = [(["--head-dim", "128", "--dtype", "bf16"], 64), (["--head-dim", "64", "--dtype", "f16"], 192),
        (["--head-dim", "256", "--dtype", "bf16"], 32), (["--head-dim", "128", "--dtype", "fp8"], 128),
        (["--head-dim", "64", "--k-dtype", "fp8", "--v-dtype", "bf8"], 64),
        *((["--head-dim", "128", "--dtype", dtype], page)
          for dtype in ("bf16", "fp8") for page in (16, 1, 48, 528)),
        (["--head-dim", "96", "--dtype", "f16"], 4), (["--head-dim", "16", "--dtype", "bf16"], 16),
        (["--head-dim", "256", "--dtype", "bf16"], 8), (["--head-dim", "192", "--dtype", "fp8"], 2),
        (["--head-dim", "128", "--k-dtype", "fp8", "--v-dtype", "fp8"], 1),
        (["--head-dim", "80", "--k-dtype", "bf8", "--v-dtype", "fp8"], 48),
        # Factors of the page that a tile lies in, of several pages of a tile, and of one operand.
        *((["--head-dim", "128", "--dtype", "fp8", *BY_PAGE], page) for page in (128, 16, 1, 528)),
        (["--head-dim", "64", "--k-dtype", "fp8", "--v-dtype", "bf8", *BY_PAGE], 64),
        (["--head-dim", "192", "--dtype", "fp8", "--v-scale", "block"], 32),
        *((["--head-dim", "128", "--dtype", dtype, "--kv-layout", "vectorised"], page)
          for dtype in ("bf16", "fp8") for page in (64, 16, 528)),
        (["--head-dim", "96", "--dtype", "f16", "--kv-layout", "vectorised"], 8),
        (["--head-dim", "80", "--k-dtype", "bf8", "--v-dtype", "fp8", "--kv-layout", "vectorised"],
         48)]


def offsets():
    """Of the fields of the block of kernel arguments."""
    at, found = 0, {}
    with open(ABI, encoding="utf-8") as file:
        for kind, name in re.findall(r"^FMHAC_ARG\((\w+), (\w+),", file.read(), re.M):
            at = (at + SIZES[kind] - 1) // SIZES[kind] * SIZES[kind]
            found[name] = at
            at += SIZES[kind]
    return found


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"FAIL: {' '.join(command)}: exit code {result.returncode}\n{result.stderr}")
    return result.stdout


def number(page, pages):
    """Where a page goes, of so many: far from its neighbours."""
    return (FAR if pages < 50 else NEAR) * page


def spread_factors(launch, values, folder, operand, name):
    """Of page 0 across a multiple of 2^32."""
    at = offsets()
    first = FACTORS + (1 << 32) - 2 * F32_BYTES
    file = launch["buffers"].pop(name + "s")["file"]
    with open(os.path.join(folder, file), "rb") as opened:
        factors = struct.unpack(f"<{os.path.getsize(opened.name) // F32_BYTES}f", opened.read())
    count = len(factors) // KV_HEADS
    for page in range(count):
        # A page's are a buffer, which the other operand may have made.
        own = f"factors_{page}"
        path = os.path.join(folder, own + ".bin")
        both = [math.nan] * (2 * KV_HEADS)
        if own in launch["buffers"]:
            with open(path, "rb") as opened:
                both = list(struct.unpack(f"<{len(both)}f", opened.read()))
        both[operand::2] = factors[page * KV_HEADS:(page + 1) * KV_HEADS]
        with open(path, "wb") as opened:
            opened.write(struct.pack(f"<{len(both)}f", *both))
        launch["buffers"][own] = {"bytes": len(both) * F32_BYTES, "file": own + ".bin",
                                  "base": hex(first + number(page, count) * APART)}
    for field, value in (("", first + operand * F32_BYTES), ("_head_stride", 2 * F32_BYTES),
                         ("_block_stride", APART)):
        offset = at[name + field]
        values[offset] = {"offset": offset, "u64": value}


def spread(folder):
    """Rewrites the launch in a folder."""
    path = os.path.join(folder, "LAUNCH.json")
    with open(path, encoding="utf-8") as file:
        launch = json.load(file)
    at = offsets()
    values = {entry["offset"]: entry for entry in launch["kernarg"]}
    for name, base in BASES.items():
        stride = values[at[f"{name}_page_stride"]]["u64"]
        # Page 0 across a multiple of 2^32: within the first row, where a page has one.
        first = base + (1 << 32) - stride // 64 * 16
        with open(os.path.join(folder, launch["buffers"][name]["file"]), "rb") as file:
            cache = file.read()
        del launch["buffers"][name]
        count = len(cache) // stride
        for page in range(count):
            own = f"{name}_page_{page}"
            with open(os.path.join(folder, own + ".bin"), "wb") as file:
                file.write(cache[page * stride:(page + 1) * stride])
            launch["buffers"][own] = {"bytes": stride, "file": own + ".bin",
                                      "base": hex(first + number(page, count) * APART)}
        values[at[name]] = {"offset": at[name], "u64": first}
        values[at[f"{name}_page_stride"]] = {"offset": at[f"{name}_page_stride"], "u64": APART}
    for operand, name in enumerate(("k_scale", "v_scale")):
        if name + "s" in launch["buffers"]:
            spread_factors(launch, values, folder, operand, name)
    launch["kernarg"] = list(values.values())
    launch.pop("tensors", None)
    listed = "kv_indices" if "kv_indices" in launch["buffers"] else "page_table"
    launch["buffers"][listed]["base"] = hex(TABLE)
    table = os.path.join(folder, launch["buffers"][listed]["file"])
    with open(table, "rb") as file:
        pages = struct.unpack(f"<{os.path.getsize(table) // 4}i", file.read())
    with open(table, "wb") as file:
        file.write(struct.pack(f"<{len(pages)}i", *(number(p, count) if p >= 0 else p for p in pages)))
    with open(path, "w", encoding="utf-8") as file:
        json.dump(launch, file)


def tables(page, is_list):
    """Shape and numbers of each array. The longest sequence is the last: both end with the
    last number in use."""
    counts = [(keys + page - 1) // page for keys in LENGTHS]
    starts = [sum(counts[:i]) for i in range(len(counts) + 1)]
    batch = len(LENGTHS)
    if is_list:
        last = [keys - (count - 1) * page if count else 1 for keys, count in zip(LENGTHS, counts)]
        return {"kv-indptr": ((batch + 1,), starts), "kv-last-page-len": ((batch,), last),
                "kv-indices": ((starts[-1],), [*range(starts[-1])])}
    width, rows = max(counts), []
    for start, count in zip(starts, counts):
        rows += [*range(start, start + count), *[-1] * (width - count)]
    return {"page-table": ((batch, width), rows), "seqlens-kv": ((batch,), LENGTHS)}


def check(fmhac, flags, page, is_list, folder):
    own = os.path.join(folder, "launch")
    arrays = []
    for name, (shape, values) in tables(page, is_list).items():
        path = os.path.join(folder, name + ".npy")
        write_npy(path, "<i4", shape, struct.pack(f"<{len(values)}i", *values))
        arrays += ["--" + name, path]
    source, count = random.Random(page), sum((keys + page - 1) // page for keys in LENGTHS)
    for operand in "kv":
        if f"--{operand}-scale" in flags:
            path = os.path.join(folder, f"{operand}-scales.npy")
            factors = [source.choice((-1, 1)) * source.uniform(0.2, 3)
                       for _ in range(count * KV_HEADS)]
            write_npy(path, "<f4", (count, KV_HEADS), struct.pack(f"<{len(factors)}f", *factors))
            arrays += [f"--{operand}-scales", path]
    near, far = os.path.join(folder, "o.npy"), os.path.join(own, "o.out.bin")
    what = f"{flags}, pages of {page}, {'list' if is_list else 'table'}"
    run(fmhac, "run", "-q", *flags, "--heads", "2", "--kv-heads", str(KV_HEADS), "--seqlen-q",
        "40", "--mask", "causal", "--page-size", str(page), *arrays, "--check=all",
        "--save-launch", own, "--o", near)
    spread(own)
    report = json.loads(run(fmhac, "emu", os.path.join(own, "LAUNCH.json"), "--check=all", "--json"))
    if not report["ok"] or report["findings"]:
        sys.exit(f"FAIL: {what}, far: {report}")
    with open(far, "rb") as file:
        if file.read() != read_npy(near):
            sys.exit(f"FAIL: {what}: O differs")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", required=True)
    slices.add_argument(parser)
    options = parser.parse_args()
    slices.tell(options)
    for flags, page in options.slice.of(ROWS):
        for is_list in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                check(options.fmhac, flags, page, is_list, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
