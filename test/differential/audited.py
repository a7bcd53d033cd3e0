# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code that LLVM made has no missing wait, and no missing wait state but known ones.

    audited.py --fmhac PATH --llvm-bin DIR [--random N --seed S] [--level O2 …]

Compiles the written kernels, those of test/emu/compiled and random ones, and gives each
code object to `fmhac inspect --waits`. LLVM inserts both by a dataflow of its own, so that
a finding is a fault of the static checkers (or of LLVM, which would be news). Where LLVM 22
is known to fill in fewer wait states than the CDNA4 ISA asks for (runtime/emu/ERRATA.md),
SHORT says how many such places each code object has: just so many must be found. Places
that are not analysed are counted: at -O0 functions are called through registers.
"""
import argparse
import collections
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import generate
import units

sys.path.insert(0, os.path.join(units.HERE, "..", "tools"))
import slices  # noqa: E402

KERNELS_PER_UNIT = 8

# {code object: {rule of isa/rules/wait_states.def: places}}. Loads right after a wide store that
# overwrite its data: CDNA4 ISA, table 11; LLVM 22 has no such rule.
SHORT = {"matrix -O2": {"store-data-load": 4}, "vector -O2": {"store-data-load": 2}}


def audit(fmhac, path):
    done = subprocess.run([fmhac, "inspect", "--waits", "--json", path],
                          capture_output=True, text=True)
    return json.loads(done.stdout)


def compile_cl(llvm_bin, source, level, output):
    subprocess.run(
        [os.path.join(llvm_bin, "clang"), "-x", "cl", "-cl-std=CL2.0", "-w", "-target",
         "amdgcn-amd-amdhsa", "-mcpu=gfx950", "-nogpulib", "-Xclang",
         "-finclude-default-header", "-" + level, source, "-o", output], check=True)


def code_objects(options, folder):
    """(name, path), one after the other."""
    output = os.path.join(folder, "k.co")
    for path in sorted(glob.glob(os.path.join(units.HERE, "kernels", "*.c*"))):
        unit = units.Unit(path)
        for variant, flags in unit.variants.items():
            for level in options.level:
                units.compile_gfx950(options.llvm_bin, unit, level, flags, output)
                yield f"{unit.name} -{level} {variant}".strip(), output
    compiled = os.path.join(units.HERE, "..", "emu", "compiled", "*.cl")
    for path in sorted(glob.glob(compiled)):
        for level in options.level:
            compile_cl(options.llvm_bin, path, level, output)
            yield f"{os.path.basename(path)} -{level}", output
    for seed in range(options.seed, options.seed + options.random, KERNELS_PER_UNIT):
        source = os.path.join(folder, "random.c")
        text = generate.unit_source(seed // KERNELS_PER_UNIT,
                                    range(seed, seed + KERNELS_PER_UNIT))
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        for level in options.level:
            units.compile_gfx950(options.llvm_bin, units.Unit(source, text), level, [],
                                 output)
            yield f"random {seed} -{level}", output


def faults(name, findings):
    """(what is wrong about the findings of a code object, {rule: places known to be short})."""
    wrong, short = [], collections.Counter()
    expected = SHORT.get(name, {})
    for finding in findings:
        rule = re.search(r"required \(([a-z0-9-]+)", finding["message"])
        if finding["check"] == "hazard" and rule and rule[1] in expected:
            short[rule[1]] += 1
        else:
            wrong.append(f"{name}: {finding['check']}: {finding['message']}")
    wrong += [f"{name}: {rule}: expected {places} places that LLVM leaves short, found "
              f"{short[rule]}" for rule, places in expected.items() if places != short[rule]]
    return wrong, short


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--llvm-bin", required=True)
    parser.add_argument("--level", nargs="+", default=["O0", "O2"])
    parser.add_argument("--random", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    slices.add_argument(parser)
    options = parser.parse_args()
    options.level = options.slice.of(options.level)
    slices.tell(options)
    sums, reasons, short = collections.Counter(), collections.Counter(), collections.Counter()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, path in code_objects(options, folder):
            answer = audit(options.fmhac, path)
            sums["code objects"] += 1
            for key in ("kernels", "instructions", "seconds"):
                sums[key] += answer[key]
            for note in answer["not_analysed"]:
                reasons[note["message"].rsplit("`: ", 1)[-1]] += 1
            wrong, known = faults(name, answer["findings"])
            bad += len(wrong)
            short += known
            for text in wrong:
                print("FAIL: " + text)
    print(f"{sums['code objects']} code objects, {sums['kernels']} kernels, "
          f"{sums['instructions']} instructions in {sums['seconds']:.2f} s: "
          f"{bad} faults")
    for rule, count in sorted(short.items()):
        print(f"wait states that LLVM leaves out: {rule}, {count} places")
    for reason, count in reasons.most_common():
        print(f"not analysed, {count} times: {reason}")
    return 1 if bad or not sums["instructions"] else 0


if __name__ == "__main__":
    sys.exit(main())
