#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The public headers have the layout that layout.txt records: sizes and offsets of structs,
numbers of enumerators, prototypes of functions. What programs were built with stays; changes only
append: a function, an enumerator with a new number, a field at the end of a struct that begins
with `size` or of the block of kernel arguments.

    layout.py --clang CLANG --cc CC --record layout.txt --include DIR... -- HEADER...
    layout.py ... --append -- HEADER...     # records what is new, and nothing else

The test changes copies of the headers, too: a field that moves, an enumerator with another number
and a function that is gone must each be told by name.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

PREFIX = re.compile(r"fmhac_|FMHAC_")
# What a change that breaks callers looks like: pattern and replacement in a header, and what must
# be told of it.
BREAKS = (
    ("a moved field", "fmhac.h", r"(  float scale;\n)(  fmhac_device_ptr q, k, v, o;\n)", r"\2\1",
     "fmhac_tensors.scale"),
    ("a renumbered enumerator", "fmhac_status.h", r"FMHAC_TIMED_OUT = 12", "FMHAC_TIMED_OUT = 15",
     "FMHAC_TIMED_OUT"),
    ("a removed function", "fmhac.h",
     r"FMHAC_API size_t fmhac_plan_launch_count\([^;]*;", "", "fmhac_plan_launch_count"),
    ("a kernel argument before the others", "fmhac_abi.h", r"(typedef struct fmhac_kernel_args \{\n)",
     r"\1  fmhac_abi_u64 more;\n", "fmhac_kernel_args.field_mask"),
)


# Grows at its end without a size of its own: kernels say which of its fields they require, and
# fmhac_plan_pack() takes the room that there is. The enumerator is the number of its fields.
BLOCK, BLOCK_FIELDS = "fmhac_kernel_args", "enumerator FMHAC_ARG_COUNT"


def run(*command, **more):
    answer = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    if answer.returncode:
        sys.exit(f"{' '.join(command)}: {answer.stderr[:2000]}")
    return answer.stdout


def fields_of(record, prefix=""):
    """(path, type) of each field; those of members without a name are the struct's own."""
    for node in record.get("inner", []):
        if node["kind"] == "FieldDecl" and "name" in node:
            yield prefix + node["name"], node["type"]["qualType"]


def declarations(options, headers):
    """Structs with their fields, enumerators, functions: what clang reads in the headers."""
    source = "".join(f'#include "{os.path.basename(h)}"\n' for h in headers)
    tree = json.loads(run(options.clang, "-x", "c", "-std=c11", "-fsyntax-only", "-Xclang",
                          "-ast-dump=json", *include_flags(options, headers), "-", input=source))
    structs, enumerators, functions = {}, [], {}
    for node in tree["inner"]:
        name = node.get("name", "")
        if node["kind"] == "RecordDecl" and PREFIX.match(name) and "inner" in node:
            structs[name] = list(fields_of(node))
        elif node["kind"] == "EnumDecl":
            enumerators += [e["name"] for e in node.get("inner", [])
                            if e["kind"] == "EnumConstantDecl" and PREFIX.match(e["name"])]
        elif node["kind"] == "FunctionDecl" and PREFIX.match(name):
            functions[name] = node["type"]["qualType"]
    return structs, enumerators, functions


def include_flags(options, headers):
    # The headers' own folders first: copies are read instead of the originals.
    folders = dict.fromkeys([os.path.dirname(os.path.abspath(h)) for h in headers] +
                            options.include)
    return ["-I" + folder for folder in folders]


def layout(options, headers):
    """{what: as it is}: measured by a program that the C compiler makes."""
    structs, enumerators, functions = declarations(options, headers)
    lines = []
    for name, fields in structs.items():
        lines.append(f'printf("struct {name}\\tsize %zu\\n", sizeof(struct {name}));')
        for field, kind in fields:
            lines.append(f'printf("field {name}.{field}\\toffset %zu, size %zu, {kind}\\n", '
                         f"offsetof(struct {name}, {field}), "
                         f"sizeof(((struct {name} *)0)->{field}));")
    lines += [f'printf("enumerator {e}\\t%lld\\n", (long long){e});' for e in enumerators]
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "measure.c"), os.path.join(folder, "measure")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <stddef.h>\n#include <stdio.h>\n")
            file.write("".join(f'#include "{os.path.basename(h)}"\n' for h in headers))
            file.write("int main(void) {\n" + "\n".join(lines) + "\nreturn 0;\n}\n")
        run(options.cc, "-std=c11", *include_flags(options, headers), source, "-o", program)
        found = dict(line.split("\t") for line in run(program).splitlines())
    found.update((f"function {name}", kind) for name, kind in functions.items())
    return found


def read(path):
    with open(path, encoding="utf-8") as file:
        return dict(line.rstrip("\n").split("\t") for line in file if not line.startswith("#"))


def differences(recorded, found):
    """(what breaks callers, what is only new)."""
    broken, new = [], []
    # A struct with `size` may grow.
    grows = {name.split()[1].split(".")[0] for name in recorded if name.endswith(".size")} | {BLOCK}
    for what, was in recorded.items():
        now = found.get(what)
        if now == was:
            continue
        kind, name = what.split()
        if now and kind == "struct" and name in grows and int(now[5:]) > int(was[5:]):
            new.append(what)
        elif now and what == BLOCK_FIELDS and int(now) > int(was):
            new.append(what)
        else:
            broken.append(f"{what}: was {was}; now {now or 'gone'}")
    end = {}
    for what, was in recorded.items():
        if what.startswith("struct "):
            end[what.split()[1]] = int(was[5:])
    for what, now in found.items():
        if what in recorded:
            continue
        owner = what.split()[1].split(".")[0]
        if what.startswith("field ") and owner in end:
            offset = int(re.match(r"offset (\d+)", now).group(1))
            # Padding at the end of the recorded struct held nothing.
            used = max(sum(map(int, re.match(r"offset (\d+), size (\d+)", was).groups()))
                       for w, was in recorded.items() if w.startswith(f"field {owner}."))
            if owner not in grows or offset < used:
                broken.append(f"{what}: {now}: lies within what callers were built with")
                continue
        new.append(what)
    return broken, new


def write(path, found):
    kinds = ("struct", "field", "enumerator", "function")
    order = {name: (kinds.index(name.split()[0]), i) for i, name in enumerate(found)}
    with open(path, "w", encoding="utf-8") as file:
        file.write("# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
                   "# What programs are built with (x86-64): layout.py compares, --append "
                   "adds.\n")
        for name in sorted(found, key=order.get):
            file.write(f"{name}\t{found[name]}\n")


def check_nesting(found):
    """A struct that grows lies in no other: that would move what follows it."""
    grows = {name.split()[1].split(".")[0] for name in found if name.endswith(".size")}
    failures = 0
    for what, now in found.items():
        kind = re.sub(r"^offset \d+, size \d+, (const |struct )*", "", now)
        if what.startswith("field ") and kind.split("[")[0].strip() in grows:
            failures += 1
            print(f"FAIL: {what}: {kind} has a size of its own and may grow: give its address")
    return failures


def check_breaks(options, recorded):
    """Each way to break callers is told."""
    failures = 0
    for what, header, pattern, replacement, name in BREAKS:
        with tempfile.TemporaryDirectory() as folder:
            copies = [shutil.copy(h, folder) for h in options.headers]
            path = os.path.join(folder, header)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            changed, count = re.subn(pattern, replacement, text)
            with open(path, "w", encoding="utf-8") as file:
                file.write(changed)
            broken, _ = differences(recorded, layout(options, copies))
        told = [b for b in broken if name in b]
        if count != 1 or not told:
            failures += 1
            print(f"FAIL: {what} in {header} is not told ({count} places changed)")
        else:
            print(f"{what}: {told[0]}")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--clang", required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--record", required=True)
    parser.add_argument("--include", nargs="+", required=True)
    parser.add_argument("--append", action="store_true")
    parser.add_argument("headers", nargs="+")
    options = parser.parse_args()
    found = layout(options, options.headers)
    if options.append and not os.path.exists(options.record):
        write(options.record, found)
    recorded = read(options.record)
    broken, new = differences(recorded, found)
    for text in broken:
        print("FAIL: callers break:", text)
    if options.append and not broken:
        write(options.record, {**recorded, **found})
        print(f"{len(new)} recorded")
        return 0
    for what in new:
        print(f"FAIL: not in {os.path.basename(options.record)}: {what}: {found[what]}; "
              "record it with --append")
    failures = len(broken) + len(new) + check_breaks(options, recorded) + check_nesting(found)
    if not check_nesting({"field a.size": "offset 0, size 8, size_t",
                          "field b.in": "offset 8, size 24, struct a"}):
        failures += 1
        print("FAIL: a struct with a size inside another is not told")
    counts = {}
    for what in found:
        counts[what.split()[0]] = counts.get(what.split()[0], 0) + 1
    if min(counts.get(k, 0) for k in ("struct", "field", "enumerator", "function")) < 30:
        failures += 1
        print(f"FAIL: only {counts} found in the headers")
    print(f"{counts}, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
