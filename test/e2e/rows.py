# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""End-to-end rows: configuration and problem -> compile -> emulate -> compare.

Every row is one `fmhac run --json`; it passes if the command exits with 0, says
that the numbers are within tolerance, and has no finding. The axes below are the
table; `--mask` restricts it, so that ctest runs the parts side by side.
"""
import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
import slices  # noqa: E402

MASKS = ["none", "causal"]
# (Sq, Sk): one row and one key, tails of every kind around the tile of 64 keys and
# the tiles of 32 rows a wave and 128 a workgroup, more rows than keys (rows that
# see no key under the causal mask), more keys than rows.
LENGTHS = [(1, 1), (1, 257), (31, 33), (64, 64), (65, 63), (127, 129),
           (200, 77), (256, 256), (300, 513), (77, 300)]
HEADS = [(1, 1), (4, 2), (6, 1)]
INPUTS = ["normal", "growing", "spikes"]
# Axes beyond the product: (mask, Sq, Sk, Hq, Hk, extra flags).
EXTRA = [
    ("causal", 130, 130, 2, 1, ["--batch", "3"]),
    ("none", 65, 129, 3, 3, ["--batch", "2"]),
    ("causal", 128, 192, 2, 2, ["--scale", "0.5"]),
    ("causal", 128, 192, 2, 2, ["--scale", "-0.125"]),
    ("none", 96, 160, 2, 2, ["--scale", "0"]),
    ("none", 96, 160, 2, 2, ["--scale", "1e-30"]),  # equal scores
    ("none", 64, 64, 40, 8, []),
    ("causal", 2, 1024, 1, 1, []),
    ("causal", 513, 2, 1, 1, []),
]


def rows(mask):
    for (sq, sk), (hq, hk), kind in itertools.product(LENGTHS, HEADS, INPUTS):
        yield [mask, sq, sk, hq, hk, ["--input", kind]]
    for row in EXTRA:
        if row[0] == mask:
            yield list(row)


def execute(command):
    """(problem or None, command, report, stderr) of one `fmhac run --json`."""
    result = subprocess.run(command, capture_output=True, text=True)
    problem = None
    try:
        report = json.loads(result.stdout)
    except json.JSONDecodeError:
        report, problem = {}, "stdout is not one JSON object"
    if result.returncode != 0:
        problem = f"exit code {result.returncode}"
    elif report.get("pass") is not True:
        problem = "did not pass"
    elif report.get("findings"):
        problem = "findings"
    return problem, command, report, result.stderr


def report_failures(results, again):
    """Prints those of (text of a row, (problem or None, command, report, stderr)) that failed, and
    how many passed. `again` runs one by itself, up to its text. Returns the exit code."""
    count = failed = 0
    for text, (problem, command, report, stderr) in results:
        count += 1
        if problem is None:
            continue
        failed += 1
        print(f"FAIL ({problem}): {' '.join(command)}\n{report.get('outputs') or report}\n"
              f"{stderr[-2000:]}again, with files: {again} --keep DIR --row '{text}'", flush=True)
    print(f"{count - failed} of {count} rows passed")
    return 1 if failed or not count else 0


def table_parser(description):
    """Of a command that runs the rows of a table; run_table() takes its options."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--fmhac", required=True)
    slices.add_argument(parser)
    parser.add_argument("--row", help="one row, as a failure spells it")
    parser.add_argument("--keep", metavar="DIR", help="where the files of --row go")
    parser.add_argument("--list", action="store_true", help="print the rows only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("extra", nargs="*", help="flags for every run")
    return parser


def run_table(options, table, spell, one, checks=()):
    """Runs the rows side by side, or prints them. `one` of (number, row, folder, flags for every
    run) gives what execute() does; `checks` are more of these flags. Returns the exit code."""
    slices.tell(options)
    if options.list:
        print(*map(spell, table), sep="\n")
        return 0
    extra = [*checks, *options.extra]
    if min(options.jobs, len(table)) > 1:  # which run side by side
        extra = ["--threads=1", *extra]

    def in_folder(numbered):
        number, row = numbered
        with tempfile.TemporaryDirectory() as own:
            folder = options.keep or own
            os.makedirs(folder, exist_ok=True)
            return spell(row), one(number, row, folder, extra)

    with ThreadPoolExecutor(options.jobs) as pool:
        return report_failures(pool.map(in_folder, enumerate(table)),
                               f"{sys.executable} {sys.argv[0]} --fmhac {options.fmhac}")


def run(fmhac, row, extra):
    mask, sq, sk, hq, hk, flags = row
    command = [fmhac, "run", "--json", "--schedule", "generic", "--dtype", "bf16", "--head-dim", "128",
               "--mask", mask, "--seqlen-q", str(sq), "--seqlen-kv", str(sk),
               "--heads", str(hq), "--kv-heads", str(hk), *flags, *extra]
    return execute(command)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--mask", choices=MASKS, action="append")
    slices.add_argument(parser)
    parser.add_argument("extra", nargs="*", help="flags for every run")
    options = parser.parse_args()
    slices.tell(options)
    failed = total = 0
    worst = 0.0
    for mask in options.mask or MASKS:
        for row in options.slice.of(rows(mask)):
            total += 1
            problem, command, report, stderr = run(options.fmhac, row,
                                                   options.extra)
            if problem:
                failed += 1
                print(f"FAIL ({problem}): {' '.join(command)}\n"
                      f"{json.dumps(report)}\n{stderr}")
            else:
                worst = max(worst, report["max_abs_err"] / report["tolerance"])
    print(f"{total - failed} of {total} rows passed; worst max_abs_err is "
          f"{100 * worst:.0f} % of its tolerance")
    return 1 if failed or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
