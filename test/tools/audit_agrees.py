# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the static wait checker to the one that watches a run.

    audit_agrees.py --llvm-bin DIR --fmhac PATH TEST…

Each TEST of the emulator is built, run with --check=wait, and given to `inspect --waits`.

- What the run finds, the static checker finds: the same memory operation, at this use or
  at one before it (it takes the wait that is missing there for granted behind it).
- What the static checker finds, the run finds, if it gets there.
- Data decides, and the static checker does not claim to know: which bytes of LDS a direct
  load still owns, and which register M0 selects. The first are counted as such; of the
  second each must be named as not analysed.

Prints the sums. Exit code 0: they agree. 1: they do not.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import emu_test  # noqa: E402


def answer(command):
    done = subprocess.run(command, capture_output=True, text=True)
    return json.loads(done.stdout)


def is_lds_use(finding):
    """An LDS access meets a load direct to LDS."""
    return " LDS bytes at " in finding["message"]


def compare(path, options, sums):
    with open(path) as file:
        test = emu_test.Test(path, file.read())
    if test.written is False:
        return []  # does not run
    with tempfile.TemporaryDirectory() as folder:
        emu_test.build(test, options, folder)
        emu_test.write_launch(test, folder)
        if test.prepare_hook:
            test.prepare_hook(folder)
        run = answer([options.fmhac, "emu", os.path.join(folder, "LAUNCH.json"),
                      "--json", "--check=wait", *test.args])
        static = answer([options.fmhac, "inspect", "--waits", "--json",
                         os.path.join(folder, "k.hsaco")])
    if "findings" not in run or "findings" not in static:
        return [f"{path}: {run.get('error')} | {static.get('error')}"]
    bad = []
    uncertain = {note["pc"] for note in static["not_analysed"]}
    seen = {(f["pc"], f["other_pc"]) for f in run["findings"]}
    for f in run["findings"]:
        if is_lds_use(f):
            sums["LDS bytes"] += 1
        elif f["pc"] in uncertain:
            sums["selected by M0"] += 1
        elif any(s["other_pc"] == f["other_pc"] and s["pc"] <= f["pc"]
                 for s in static["findings"]):
            sums["both"] += 1
        else:
            bad.append(f"{path}: only the run: {f['message']}")
    for s in static["findings"]:
        if (s["pc"], s["other_pc"]) not in seen:
            bad.append(f"{path}: only the static checker: {s['message']}")
    sums["tests"] += 1
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--llvm-bin", required=True)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--mcpu", default="gfx950")
    parser.add_argument("--opt", default="-O2")
    parser.add_argument("tests", nargs="+")
    options = parser.parse_args()
    sums = {"tests": 0, "both": 0, "LDS bytes": 0, "selected by M0": 0}
    bad = [line for path in options.tests for line in compare(path, options, sums)]
    print(f"{sums['tests']} programs: {sums['both']} findings of both; by the run only, "
          f"as data decides: {sums['LDS bytes']} on LDS bytes, "
          f"{sums['selected by M0']} on registers that M0 selects")
    print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
