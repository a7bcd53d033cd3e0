#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The way of a configuration from its JSON to a code object: the calls from one file of lib/
into another that hand it on, or what was made of it, in the order in which they stand in the
code. A function is followed once; both sides of a branch are.

    journey.py [--check VISITS] [LIB]     # --check: no file is called into more often

A call counts if the function takes one of the types of CARRIERS. Text is read, not compiled.
"""
import argparse
import collections
import os
import re
import sys

# The types that hold a configuration, or what was made of it on the way.
CARRIERS = ("fmhac_config", "fmhac_config_values", "fmhac_sources", "fmhac_schedule_list",
            "fmhac_choice", "fmhac_chosen", "fmhac_order", "request",
            "compilation", "task", "fmhac_kernels", "fmhac_kernel_part", "fmhac_problem_kernel",
            "fmhac_promise", "fmhac_note_fields")
STARTS = ("fmhac_config_create_json", "fmhac_compile")
# What prints a rung for somebody who asks, and what ends a struct, makes no code object. The
# ways are those of attention: what is combined and merged has the few keys of O.
ASIDE = ("emit", "print_ir", "fmhac_support_find_role", "fmhac_build_role_name",
         "values_of")
# By value: a struct that is copied to be changed is another configuration.
MODULES = ("MlirModule", "LLVMModuleRef")
CARRIED = re.compile(r"\b(struct )?(" + "|".join(CARRIERS) + r") (const )?\*|\bchar \*json\b|"
                     r"\b(" + "|".join(MODULES) + r") \w")
DEFINITION = re.compile(r"^(?!typedef|#|//|\s|struct \w+ \{|enum)[\w \*\n]*?\b(\w+)\(([^;{}]*?)\)\s*\{",
                        re.M)


def without_text(code):
    """Comments, strings and characters as blanks."""
    return re.sub(r"//[^\n]*|/\*.*?\*/|\"(\\.|[^\"\\\n])*\"|'(\\.|[^'\\\n])+'",
                  lambda m: re.sub(r"[^\n]", " ", m.group()), code, flags=re.S)


def body_at(code, start):
    depth = 0
    for at in range(start, len(code)):
        depth += {"{": 1, "}": -1}.get(code[at], 0)
        if not depth:
            return code[start:at]
    return code[start:]


def read(root):
    """{(file, function): body} of those that take a carrier, where public ones are, and
    {member: function} of the table by which the library calls the compiler (face.h)."""
    functions, places, face = {}, {}, {}
    for folder, _, names in sorted(os.walk(root)):
        for name in sorted(names):
            if not name.endswith(".c"):
                continue
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as file:
                code = without_text(file.read())
            if name == "face.c":
                face.update(re.findall(r"\.(\w+) = (\w+)", code))
            for match in DEFINITION.finditer(code):
                if CARRIED.search(match.group(2)) or match.group(1) in STARTS:
                    key = os.path.relpath(path, root), match.group(1)
                    functions[key] = body_at(code, match.end() - 1)
                    if "static" not in match.group(0).split("(")[0]:
                        places[match.group(1)] = key[0]
    return functions, places, face


def walk(functions, places, face):
    """(depth, file, function) of each call into another file; and the files in the order in
    which one is in them, returns among them."""
    stops, stays, passed = [], [], set()

    def follow(place, name, depth):
        if (place, name) in passed:
            return
        passed.add((place, name))
        for call in re.finditer(r"\b(\w+)\s*\(", functions[place, name]):
            callee = face.get(call.group(1), call.group(1))
            if callee.endswith("_deinit") or callee in ASIDE:
                continue
            to = place if (place, callee) in functions else places.get(callee)
            if to is None or (to, callee) not in functions:
                continue
            if to != place:
                stops.append((depth + 1, to, callee))
                stays.extend((place, to))
            follow(to, callee, depth + (to != place))

    for start in STARTS:
        stops.append((0, places[start], start))
        follow(places[start], start, 0)
    return stops, [place for at, place in enumerate(stays) if not at or stays[at - 1] != place]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    parser.add_argument("--check", type=int, metavar="VISITS")
    parser.add_argument("lib", nargs="?",
                        default=os.path.join(os.path.dirname(__file__), "..", "..", "lib"))
    options = parser.parse_args()
    functions, places, face = read(options.lib)
    stops, stays = walk(functions, places, face)
    for number, (depth, place, name) in enumerate(stops, 1):
        print(f"{number:3}  {'  ' * depth}{place}: {name}()")
    visits = collections.Counter(place for _, place, _ in stops)
    most, count = visits.most_common(1)[0]
    print(f"{len(stops)} calls into {len(visits)} files, {len(stays)} stays with the returns; the "
          f"most calls are {count}, into {most}")
    over = [place for place, n in visits.items() if options.check and n > options.check]
    for place in over:
        print(f"FAIL: {place} is called into {visits[place]} times, expected at most "
              f"{options.check}")
    if len(stops) < 10 or "compile/generate.c" not in visits:
        print("FAIL: expected the way to reach compile/generate.c, found no such call")
        return 1
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
