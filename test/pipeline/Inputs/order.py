#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the order of instructions between barriers of a kernel in the LLVM dialect,
one line for each stretch that has matrix instructions: `M1 T3 M1 V4 …`. M is a matrix
instruction, T a transcendental one, V another of the vector unit, W a wall of LLVM's
schedulers after every instruction (else the line begins with `unpinned`)."""
import re
import sys

CLASSES = (
    ("M", r"rocdl\.mfma"),
    ("T", r"rocdl\.(exp2|rcp)"),
    ("V", r"llvm\.(fadd|fmul|fsub|fcmp|fptrunc|intr\.fma)"),
)


def class_of(line):
    return next((name for name, pattern in CLASSES if re.search(pattern, line)), None)


def show(kinds, walls):
    runs = []
    for kind in kinds:
        if runs and runs[-1][0] == kind:
            runs[-1][1] += 1
        else:
            runs.append([kind, 1])
    pinned = [] if walls >= len(kinds) else ["unpinned"]
    print(" ".join(pinned + [f"{kind}{count}" for kind, count in runs]))


def main():
    kinds, walls = [], 0
    for line in sys.stdin:
        if "rocdl.s.barrier" in line or "llvm.return" in line:
            if "M" in kinds:
                show(kinds, walls)
            kinds, walls = [], 0
            continue
        walls += "rocdl.sched.barrier 0" in line
        kind = class_of(line)
        if kind:
            kinds.append(kind)


main()
