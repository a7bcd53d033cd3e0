# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the house-rule checks share: the files of a tree, C text without comments,
and the report. A check is a function from the root of a tree to findings
(path, line, message); it prints them and fails if there are any."""
import os
import re
import sys

SKIPPED = {".git", "__pycache__", "node_modules"}


def files(root, folders=("",), suffixes=None):
    """Relative paths below `folders`, sorted. Build trees and the bad samples of
    these checks are no part of the house."""
    found = set()
    for folder in folders:
        for here, below, names in os.walk(os.path.join(root, folder)):
            relative = os.path.relpath(here, root)
            below[:] = [
                name for name in below
                if name not in SKIPPED and not name.startswith("build")
                and os.path.normpath(os.path.join(relative, name)) != "test/lint/Inputs"
            ]
            for name in names:
                path = os.path.normpath(os.path.join(relative, name))
                if suffixes is None or name.endswith(tuple(suffixes)):
                    found.add(path)
    return sorted(found)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as text:
        return text.read()


TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL
)


def code(text, keep_strings=False):
    """C or C++ text with comments, and string contents unless kept, blanked. Lines
    keep their numbers."""

    def blank(match):
        token = match.group()
        if token[0] in "\"'":
            return token if keep_strings else token[0] + token[-1]
        return re.sub(r"[^\n]", " ", token)

    return TOKEN.sub(blank, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def matches(text, pattern):
    """(line, match) of each match."""
    for match in re.finditer(pattern, text):
        yield line_of(text, match.start()), match


class Allowed:
    """Exceptions, each with its reason: (path, text that the line holds, reason). One
    that no line needs any more is a finding itself."""

    def __init__(self, rows):
        self.rows = rows
        self.used = set()

    def __contains__(self, place):
        path, line = place
        for row in self.rows:
            if row[0] == path and row[1] in line:
                self.used.add(row)
                return True
        return False

    def stale(self, root):
        for row in self.rows:
            if row not in self.used and os.path.exists(os.path.join(root, row[0])):
                yield row[0], 1, f"exception for '{row[1]}' is no longer needed"


def main(check):
    findings = list(check(sys.argv[1]))
    for path, line, message in findings:
        print(f"{path}:{line}: {message}")
    sys.exit(1 if findings else 0)
