# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs without missing wait states give the same results with --hazards=effect.

    emu_effects_agree.py --llvm-bin DIR --fmhac PATH TEST…

Each TEST of the emulator is built and run with --check=hazard. Where that finds nothing,
what the test expects must come with --hazards=effect, too; where it finds something, it may
or may not. Prints the sums. Exit code 0: it is so. 1: it is not.
"""
import argparse
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import emu_test  # noqa: E402
from audit_agrees import answer  # noqa: E402


def holds(test, options, folder):
    """Whether the test passes under effects."""
    test.args = test.args + ["--hazards=effect"]
    try:
        emu_test.run_once(test, options, folder, "rr", "default")
    except emu_test.Failed as failure:
        return str(failure)
    return None


def compare(path, options, sums):
    with open(path) as file:
        test = emu_test.Test(path, file.read())
    if test.written is False:
        return []  # does not run
    with tempfile.TemporaryDirectory() as folder:
        emu_test.write_files(test, options, folder)
        found = answer([options.fmhac, "emu", os.path.join(folder, "LAUNCH.json"), "--json",
                        "--check=hazard"])["findings"]
        failure = holds(test, options, folder)
    sums["clean" if not found else "changed" if failure else "unchanged"] += 1
    return [f"{path}: no wait state is missing, and --hazards=effect changes results\n{failure}"
            ] if failure and not found else []


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--llvm-bin", required=True)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--mcpu", default="gfx950")
    parser.add_argument("tests", nargs="+")
    options = parser.parse_args()
    sums = {"clean": 0, "changed": 0, "unchanged": 0}
    wrong = [text for path in options.tests for text in compare(path, options, sums)]
    print("\n".join(wrong + [f"{sums['clean']} programs without missing wait states; of others "
                             f"{sums['changed']} with other results, {sums['unchanged']} without"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
