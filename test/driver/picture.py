#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/loop.svg, the picture in the README, is the picture that fmhac trace draws today.

  picture.py --fmhac FILE --picture docs/loop.svg [--renew]

--renew writes the picture instead of comparing it.
"""
import argparse
import os
import subprocess
import sys
import tempfile

# The schedule is named, so that a new row in the table of schedules changes no picture.
COMMAND = ["trace", "--quiet", "--schedule", "dualwave_1tile", "--seqlen", "2048"]
LIMIT = 150_000  # bytes: what a page of a repository shows at once


def draw(fmhac):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "loop.svg")
        subprocess.run([fmhac, *COMMAND, "--svg", path], check=True, timeout=120)
        with open(path, "rb") as file:
            return file.read()


def first_difference(found, kept):
    """(line, text now, text then) of the first line that differs."""
    now, then = found.decode().splitlines(), kept.decode().splitlines()
    for line, (a, b) in enumerate(zip(now + [""], then + [""]), 1):
        if a != b:
            return line, a, b
    return min(len(now), len(then)) + 1, "", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--picture", required=True)
    parser.add_argument("--renew", action="store_true")
    options = parser.parse_args()
    found = draw(os.path.abspath(options.fmhac))
    if options.renew:
        with open(options.picture, "wb") as file:
            file.write(found)
        return 0
    if len(found) > LIMIT:
        print(f"FAIL: the picture has {len(found)} bytes, at most {LIMIT} are wanted")
        return 1
    with open(options.picture, "rb") as file:
        kept = file.read()
    if found == kept:
        print(f"{options.picture} is current: {len(found)} bytes")
        return 0
    line, now, then = first_difference(found, kept)
    print(f"FAIL: {options.picture} is out of date, from line {line} on:\n"
          f"  now  {now:.160}\n  then {then:.160}\n"
          "The kernel, the cycle model or the drawing has changed. If that was intended, look at "
          "the new picture, change the figures that README.md has from it, and renew it:\n"
          f"  python3 test/driver/picture.py --fmhac {options.fmhac} --picture {options.picture} "
          "--renew")
    return 1


if __name__ == "__main__":
    sys.exit(main())
