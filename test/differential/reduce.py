#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shrinks a failing random kernel: removes statements as long as both targets compile
it and their results differ.

  reduce.py SOURCE KERNEL --level O2 --input 1 -o small.c
"""
import argparse
import os
import re
import sys
import tempfile

import differential
import units


def kernel_alone(text, name):
    """The options, the launch, the functions and the body of one kernel of a unit."""
    lines = text.split("\n")
    start = next(i for i, line in enumerate(lines) if f'launch("{name}"' in line)
    end = next(i for i in range(start, len(lines)) if lines[i] == "}"
               and not any(f" {name}_f" in line for line in lines[i:i + 2])
               and any(f"{name}, (" in line for line in lines[start:i]))
    head = [line for line in lines[:start]
            if re.match(r"//\| (gfx950|x86_64)|#include", line)]
    return head + lines[start:end + 1]


def chunks(lines):
    """(first, past the last) of statements: single lines and whole blocks, the large
    ones first."""
    found, open_at = [], []
    for i, line in enumerate(lines):
        if line.startswith(("//|", "#", "KERNEL", "}", "NOINLINE", "SHARED")):
            open_at = [] if line.startswith(("KERNEL", "NOINLINE")) else open_at
            continue
        text = line.strip()
        if text.startswith("}") and open_at:
            found.append((open_at.pop(), i + 1))
        if text.endswith("{"):
            open_at.append(i)
        elif not text.startswith(("}", "case", "default", "return")):
            found.append((i, i + 1))
    return sorted(found, key=lambda c: c[0] - c[1])


def fails(options, folder, lines):
    path = os.path.join(folder, "reduced.c")
    text = "\n".join(lines) + "\n"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    unit = units.Unit(path, text)
    for flags in unit.flags.values():
        flags += ["-Werror=uninitialized", "-Werror=sometimes-uninitialized"]
    code, oracle = os.path.join(folder, "k.co"), os.path.join(folder, "o.so")
    result = differential.Result(unit)
    try:
        units.compile_oracle(options.llvm_bin, unit, False, oracle)
        units.compile_gfx950(options.llvm_bin, unit, options.level, [], code)
    except units.CompileError:
        return False
    differential.run_jobs(options, folder, oracle, units.cases(
        unit, [("-" + options.level, code)], [options.input], units.MODES[:1]), result)
    return any(options.text in text for _, text in result.failures)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source")
    parser.add_argument("kernel")
    parser.add_argument("--level", default="O2")
    parser.add_argument("--input", type=int, default=1)
    parser.add_argument("--text", default="results differ",
                        help="what the report must go on to say")
    parser.add_argument("--runner", default=differential.DEFAULT_RUNNER)
    parser.add_argument("--llvm-bin", default=differential.DEFAULT_LLVM)
    parser.add_argument("-o", "--output", default="reduced.c")
    options = parser.parse_args()
    with open(options.source, encoding="utf-8") as file:
        lines = kernel_alone(file.read(), options.kernel)
    with tempfile.TemporaryDirectory() as folder:
        if not fails(options, folder, lines):
            sys.exit("reduce: the kernel alone does not fail")
        shrunk = True
        while shrunk:
            shrunk = False
            for first, last in chunks(lines):
                if last > len(lines):
                    continue
                shorter = lines[:first] + lines[last:]
                if fails(options, folder, shorter):
                    lines, shrunk = shorter, True
                    break
    with open(options.output, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    print(f"{len(lines)} lines in {options.output}")


if __name__ == "__main__":
    main()
