#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every pointer that a function of the headers takes has a row in nulls.def, and each row holds.

    nulls.py --test api_test_nulls HEADER...

A function that is new in a header and has no rows fails.
"""
import argparse
import re
import subprocess
import sys

# Handed through to what the caller gave, and never looked at.
OPAQUE = {"user"}


def split(parameters):
    """Cuts at the commas outside of parentheses."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(parameters):
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append(parameters[start:i])
            start = i + 1
    return parts + [parameters[start:]]


def pointers(path):
    """(function, argument) of each pointer argument of a header."""
    with open(path, encoding="utf-8") as file:
        code = re.sub(r"/\*.*?\*/|//[^\n]*|^#[^\n]*", "", file.read(), flags=re.S | re.M)
    for text in re.findall(r"FMHAC_API\b([^;{]*);", code):
        text = " ".join(text.split())
        name, parameters = re.match(r".*?\b(fmhac_\w+)\s*\((.*)\)$", text).groups()
        for part in split(parameters):
            called = re.search(r"\(\s*\*\s*(\w+)\s*\)", part)  # a function
            plain = re.search(r"(\w+)(\[\w*\])?\s*$", part)
            argument = (called or plain).group(1)
            if ("*" in part or "[" in part) and argument not in OPAQUE:
                yield name, argument


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--test", required=True)
    parser.add_argument("headers", nargs="+")
    options = parser.parse_args()
    rows = subprocess.run([options.test, "--list"], capture_output=True, text=True, check=True)
    rows = {tuple(line.split(" ", 1)) for line in rows.stdout.splitlines()}
    wanted = {row for path in options.headers for row in pointers(path)}
    missing = sorted(wanted - rows)
    for function, argument in missing:
        print(f"FAIL: {function}, {argument}: no row in nulls.def")
    # Fields of arguments have rows of their own.
    for function, argument in sorted(rows - wanted):
        if re.fullmatch(r"\w+", argument):
            missing.append(function)
            print(f"FAIL: {function}, {argument}: a row for what is no pointer of the headers")
    if len(wanted) < 60:
        missing.append("few")
        print(f"FAIL: only {len(wanted)} pointers found in the headers")
    code = subprocess.run([options.test], check=False).returncode
    return 1 if missing or code else 0


if __name__ == "__main__":
    sys.exit(main())
