# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs lit on a slice of its tests, as the order of their names has them.

    lit_slice.py [--slice=I/N] LIT ARGUMENT...
"""
import argparse
import os

import slices


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    slices.add_argument(parser)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    slices.tell(options)
    lit, *arguments = options.command
    if options.slice.parts > 1:
        # In the order of names: lit's own begins with what failed, or took long, last time.
        arguments = ["--order=lexical", f"--num-shards={options.slice.parts}",
                     f"--run-shard={options.slice.part + 1}", *arguments]
    os.execv(lit, [lit, *arguments])


if __name__ == "__main__":
    main()
