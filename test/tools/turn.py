# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a test in its turn: where the slice of this commit is that of TURN.

    turn.py --slice=commit/N --turn=TURN COMMAND ARGUMENT...

In the turn of others the exit code is 77, which ctest shows as skipped. Without --turn the
test runs at each commit and takes the slice itself: FMHAC_TEST_PART says I/N.
"""
import argparse
import os
import signal
import sys

import slices

SKIPPED = 77


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    slices.add_argument(parser)
    parser.add_argument("--turn", type=int)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if options.turn is None:
        slices.tell(options)
        os.environ["FMHAC_TEST_PART"] = str(options.slice)
    elif options.slice.parts > 1 and options.turn % options.slice.parts != options.slice.part:
        print(f"not in the turn of this commit: {options.turn} of --slice={options.slice}")
        return SKIPPED
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # which Python ignores, and a child inherits
    os.execvp(options.command[0], options.command)


if __name__ == "__main__":
    sys.exit(main())
