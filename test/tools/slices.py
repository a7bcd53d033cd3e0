# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Slices of the tables of tests that would take too long at each commit (docs/testing.md).

--slice=I/N takes every Nth row from row I on. --slice=commit/N takes the I of this commit:
the number of commits up to it, or FMHAC_TEST_SLICE where that is set, modulo N. So N commits
after each other run the whole table. FMHAC_TEST_FULL=1 makes the whole table of each
commit/N.
"""
import argparse
import os
import subprocess
import sys

FULL, NUMBER = "FMHAC_TEST_FULL", "FMHAC_TEST_SLICE"
HERE = os.path.dirname(os.path.abspath(__file__))


def is_full():
    return os.environ.get(FULL, "0") not in ("", "0")


def number():
    """Of this commit."""
    given = os.environ.get(NUMBER)
    if given:
        if not given.isdigit():
            raise argparse.ArgumentTypeError(f"{NUMBER}: expected a number, found '{given}'")
        return int(given)
    git = ["git", "-C", HERE]
    shallow = subprocess.run([*git, "rev-parse", "--is-shallow-repository"],
                             capture_output=True, text=True)
    count = subprocess.run([*git, "rev-list", "--count", "HEAD"], capture_output=True, text=True)
    if count.returncode or shallow.stdout.strip() != "false":
        print(f"slices.py: the commits cannot be counted, slice 0 is taken; {NUMBER} chooses "
              "another", file=sys.stderr)
        return 0
    return int(count.stdout)


class Slice:
    def __init__(self, text):
        """ValueError if it is none."""
        part, parts = text.split("/")
        self.parts = int(parts)
        if part != "commit":
            self.part = int(part)
        elif is_full():
            self.part, self.parts = 0, 1
        else:
            self.part = number()
        if self.parts < 1 or self.part < 0:
            raise ValueError(text)
        self.part %= self.parts

    def of(self, rows):
        """The rows of the slice, at least one if there is any."""
        rows = list(rows)
        step = max(1, min(self.parts, len(rows)))
        return rows[self.part % step::step]

    def moved(self, by):
        """The slice `by` further on: for rows that each have a table of their own."""
        return Slice(f"{(self.part + by) % self.parts}/{self.parts}")

    def __str__(self):
        return f"{self.part}/{self.parts}"


def add_argument(parser, default="0/1"):
    parser.add_argument("--slice", type=Slice, default=Slice(default), metavar="I/N",
                        help="every Nth row from row I on; commit/N takes the I of this "
                        f"commit (default {default})")


def tell(options):
    """Says how to repeat what is run."""
    if options.slice.parts > 1:
        print(f"--slice={options.slice}", flush=True)
