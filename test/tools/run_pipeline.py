#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs fmhac-opt with the pipeline of lib/order/pipeline.def, less the passes that are
named, so that a test can show what a pass is for.

The table is read as text: its rows in order are the pipeline. A pass that a test
names and the table lacks is an error, so that a test cannot outlive its pass.
"""
import argparse
import re
import subprocess
import sys

RUNG, PASS = "RUNG", "PASS"
ROW = re.compile(
    r'^FMHAC_(RUNG|PASS|LINES)\("([^"]*)",\s*"([^"]*)"(?:,\s*"([^"]*)")?\)', re.MULTILINE
)


class TableError(Exception):
    """What the caller asked of the table is not in it."""


def read_table(path):
    """Rows (kind, name, pipeline or description) in the order of the file."""
    with open(path, encoding="utf-8") as table:
        rows = [match.groups()[:3] for match in ROW.finditer(table.read())]
    if not any(kind == PASS for kind, _, _ in rows):
        raise TableError(f"{path}: expected rows FMHAC_PASS(...), found none")
    return rows


def passes_until(rows, until):
    """Stages (name, pipeline) up to the end of rung `until`, or all."""
    rungs = [name for kind, name, _ in rows if kind == RUNG]
    if until is not None and until not in rungs:
        raise TableError(f"expected a rung ({', '.join(rungs)}), found '{until}'")
    passes, rung = [], None
    for kind, name, pipeline in rows:
        if kind == RUNG:
            if rung is not None and rung == until:
                break
            rung = name
        else:
            passes.append((name, pipeline))
    return passes


def select(passes, without, skip_verify):
    """The passes that are left; every name in `without` must be one."""
    names = [name for name, _ in passes]
    for name in without:
        if name not in names:
            raise TableError(f"expected a pass ({', '.join(names)}), found '{name}'")
    return [
        (name, pipeline)
        for name, pipeline in passes
        if name not in without
        and not (skip_verify and name.startswith("verify-"))
    ]


def render(passes, schedule):
    passes = ",".join(pipeline for _, pipeline in passes)
    return f"builtin.module({passes.replace('%SCHEDULE%', '{schedule=' + schedule + '}')})"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    parser.add_argument("input", nargs="?", help="problem IR")
    parser.add_argument("--fmhac-opt", default="fmhac-opt", metavar="PROGRAM")
    parser.add_argument("--table", required=True, metavar="PIPELINE_DEF")
    parser.add_argument("--schedule", default="generic", metavar="NAME")
    parser.add_argument(
        "--without", action="append", default=[], metavar="PASS",
        help="leave this pass out; may be given more than once",
    )
    parser.add_argument("--until", metavar="RUNG", help="stop after this rung")
    parser.add_argument(
        "--skip-verify", action="store_true", help="leave out the passes verify-*"
    )
    parser.add_argument(
        "--list-passes", action="store_true", help="print the passes and stop"
    )
    parser.add_argument(
        "--print-pipeline", action="store_true", help="print the pipeline and stop"
    )
    parser.add_argument(
        "--print-locations", action="store_true", help="print the location of each op"
    )
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    try:
        passes = select(
            passes_until(read_table(arguments.table), arguments.until),
            arguments.without,
            arguments.skip_verify,
        )
    except (OSError, TableError) as error:
        print(f"run_pipeline: {error}", file=sys.stderr)
        return 2
    if arguments.list_passes:
        print("\n".join(name for name, _ in passes))
        return 0
    pipeline = render(passes, arguments.schedule)
    if arguments.print_pipeline:
        print(pipeline)
        return 0
    if arguments.input is None:
        print("run_pipeline: expected an input file, found none", file=sys.stderr)
        return 2
    command = [arguments.fmhac_opt, arguments.input, "--pass-pipeline=" + pipeline]
    if arguments.print_locations:
        command.append("--mlir-print-debuginfo")
    return 0 if subprocess.run(command, check=False).returncode == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
