# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No checker finds anything in a kernel, and it gives the same bytes whatever the order of
its waves, the landing of its loads, and the number of host threads.

Takes the rows of rows.py, and of the pairwise covers of axes.py and pages.py; each is
compiled once, its launch saved, and run with --check=all under orders of waves with
landings, and in random ones as often as --seeds says, each in one host thread, as rows run
side by side; then with a thread a core, and with what missing wait states would do to
results. --slice is of the orders with the landings; row by row it moves on by one.
"""
import argparse
import itertools
import json
import math
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import axes
import pages
import rows

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import slices  # noqa: E402

SCHEDS = ["rr:1", "rr:4", "rr:16", "rr:256", "until-blocked", "random:1", "random:2"]
LANDINGS = ["default", "early", "late", "random:3"]
CHECKED = [["--threads=1", f"--sched={s}", f"--landing={l}"]
           for s, l in itertools.product(SCHEDS, LANDINGS)]

FULL_MODES = "0/7"


def modes(seeds, part):
    """`part` of the orders with the landings: an odd number of slices has all landings in
    each."""
    checked = part.of(CHECKED) + [["--threads=1", f"--sched=random:{100 + i}",
                                   f"--landing=random:{200 + i}"] for i in range(seeds)]
    return ([["--check=all", *mode] for mode in [*checked, []]]
            + [[], ["--check=none"], ["--check=none", "--hazards=effect"]])


def check(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} exited with "
                           f"{result.returncode}\n{result.stdout}"
                           f"{result.stderr}")


def optional_slice(text):
    return None if text == "none" else slices.Slice(text)


def run_row(fmhac, row, table, schedule):
    """None, or what went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        extra = ["--threads=1", "--no-compare", f"--save-launch={folder}"]
        if schedule:
            extra += ["--schedule", schedule]
        if isinstance(row, dict) and "page" in row:
            _, command, _, stderr = pages.run(fmhac, row, folder, extra)
        elif isinstance(row, dict):
            _, command, _, stderr = axes.run(fmhac, row, folder, extra)
        else:
            _, command, _, stderr = rows.run(fmhac, row, extra)
        return same_bytes(fmhac, folder, command, stderr, table)


def same_bytes(fmhac, folder, command, stderr, table):
    """Runs the launch that a command has saved in every mode: None, or what went wrong."""
    launch = os.path.join(folder, "LAUNCH.json")
    if not os.path.exists(launch):
        return f"{' '.join(command)}: nothing was launched\n{stderr}"
    with open(launch) as file:
        buffers = json.load(file)["buffers"]
    outputs = [os.path.join(folder, b["out"]) for b in buffers.values()
               if "out" in b]
    if not outputs:
        return f"{' '.join(command)}: the saved launch has no output"
    expected = None
    for mode in table:
        for path in outputs:
            if os.path.exists(path):
                os.remove(path)
        try:
            check([fmhac, "emu", launch, *mode])
        except RuntimeError as error:
            return str(error)
        found = []
        for path in outputs:
            with open(path, "rb") as file:
                found.append(file.read())
        expected = expected or found
        if found != expected:
            return f"{' '.join(mode)} gives other bytes: {' '.join(command)}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--rows", type=optional_slice, default=slices.Slice("0/12"), metavar="I/N",
                        help="every Nth row from row I on (default 0/12), or none")
    parser.add_argument("--cover", type=optional_slice, default=slices.Slice("0/40"), metavar="I/N",
                        help="every Nth row of the cover from row I on (default 0/40)")
    parser.add_argument("--pages", type=optional_slice, default=None, metavar="I/N",
                        help="every Nth row of pages.py from row I on (default none)")
    slices.add_argument(parser)
    parser.add_argument("--seeds", type=int, default=0,
                        help="random orders and landings a row, beside (default 0)")
    parser.add_argument("--schedule", choices=axes.PIPELINES,
                        help="with this pipeline, and rows of the cover that it serves")
    options = parser.parse_args()
    if slices.is_full():  # the whole table of rows; all rows in all modes take hours
        options.slice = slices.Slice(FULL_MODES)
    if options.schedule:
        (pages if options.pages else axes).restrict(options.schedule)
    for part in (options.rows, options.cover, options.pages):
        if part and math.gcd(part.parts, options.slice.parts) > 1:
            sys.exit(f"{part} and --slice={options.slice} have a common factor: some rows "
                     "would never meet some modes")
    table = []
    if options.rows:
        table += options.rows.of(row for mask in rows.MASKS for row in rows.rows(mask))
    if options.cover:
        table += options.cover.of(axes.pairwise_rows())
    if options.pages:
        table += options.pages.of(pages.cover())
    print(f"--rows={options.rows or 'none'} --cover={options.cover or 'none'} "
          f"--pages={options.pages or 'none'} --slice={options.slice}", flush=True)
    each = [modes(options.seeds, options.slice.moved(n)) for n in range(len(table))]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [f for f in pool.map(lambda r, m: run_row(options.fmhac, r, m,
                                                             options.schedule), table, each)
                    if f]
    for failure in failures:
        print(f"FAIL: {failure}")
    print(f"{len(table) - len(failures)} of {len(table)} rows give the same bytes "
          f"in {len(each[0]) if each else 0} modes each")
    return 1 if failures or not table else 0


if __name__ == "__main__":
    sys.exit(main())
