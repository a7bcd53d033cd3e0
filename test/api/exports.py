#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The shared library exports what the public headers declare, and nothing else; each header
compiles alone, as C99 and as C++, without a warning; each declaration has its words.

    exports.py --shared libfmhac.so --include DIR... --cc CC --cxx CXX HEADER...
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

failures = []


def check(ok, text):
    if not ok:
        failures.append(text)
        print("FAIL:", text)


def exported(library):
    out = subprocess.run(["nm", "-D", "--defined-only", "--without-symbol-versions", library],
                         capture_output=True, text=True, check=True).stdout
    # The version is a symbol of its own.
    return {line.split()[2] for line in out.splitlines() if line.split()[1] != "A"}


def declared(headers):
    names = set()
    for path in headers:
        with open(path, encoding="utf-8") as file:
            code = re.sub(r"//.*|^#.*", "", file.read(), flags=re.M)
        # Arguments that are functions have parentheses of their own.
        for text in re.findall(r"FMHAC_API\b[^;{]*", code):
            names.add(re.search(r"\b(fmhac_\w+)\s*\(", text).group(1))
    return names


def undocumented(path):
    """Functions, structs and enums of a header with no comment before them."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    start = re.compile(r"(FMHAC_API|typedef (struct|enum) \w+ \{|typedef (struct|enum) \w+ \w+;)")
    missing = []
    for i, line in enumerate(lines):
        if not start.match(line):
            continue
        before = i - 1
        # What belongs together shares the words above the first of it.
        while before >= 0 and lines[before] and not lines[before].lstrip().startswith("//"):
            before -= 1
        if before < 0 or not lines[before].lstrip().startswith("//"):
            missing.append(f"{os.path.basename(path)}:{i + 1}: {line.strip()}")
    return missing


def compiles(compiler, language, standard, header, include, folder):
    source = os.path.join(folder, "one." + language)
    with open(source, "w", encoding="utf-8") as file:
        # Twice: a header guards itself.
        file.write(f'#include "{header}"\n#include "{header}"\nint main(void) {{ return 0; }}\n')
    answer = subprocess.run(
        [compiler, "-std=" + standard, "-Wall", "-Wextra", "-Wpedantic", "-Werror",
         "-fsyntax-only", *("-I" + i for i in include), source],
        capture_output=True, text=True, check=False)
    check(answer.returncode == 0, f"{header} as {standard}: {answer.stderr[:400]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", required=True)
    parser.add_argument("--include", nargs="+", required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("headers", nargs="+")
    options = parser.parse_args()
    have, want = exported(options.shared), declared(options.headers)
    check(len(want) > 50, f"only {len(want)} functions were found in the headers")
    for name in sorted(have - want):
        check(False, f"exported and not declared: {name}")
    for name in sorted(want - have):
        check(False, f"declared and not exported: {name}")
    with tempfile.TemporaryDirectory() as folder:
        for path in options.headers:
            header = os.path.basename(path)
            compiles(options.cc, "c", "c99", header, options.include, folder)
            compiles(options.cxx, "cpp", "c++11", header, options.include, folder)
            for place in undocumented(path):
                check(False, f"without words: {place}")
    print(f"{len(want)} functions, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
