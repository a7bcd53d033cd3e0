# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the static checkers to those that watch a run.

    audit_agrees.py --llvm-bin DIR --fmhac PATH TEST…

Each TEST of the emulator is built, run with --check=wait and --check=hazard, and given to
`inspect --waits`.

- Missing wait states: both find the same pairs of instructions.
- Missing waits: what the run finds, the static checker finds: the same memory operation, at this use or
  at one before it (it takes the wait that is missing there for granted after it).
  And what the static checker finds, the run finds.
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
import slices  # noqa: E402


def answer(command):
    done = subprocess.run(command, capture_output=True, text=True)
    return json.loads(done.stdout)


def is_lds_use(finding):
    """An LDS access meets a load direct to LDS."""
    return " LDS bytes at " in finding["message"]


def of_check(findings, check):
    return {(f["pc"], f["other_pc"]): f for f in findings if f["check"] == check}


def wait_differences(run, static, sums):
    bad = []
    uncertain = {note["pc"] for note in static["not_analysed"]}
    seen = of_check(run, "wait")
    audited = of_check(static["findings"], "wait")
    for (pc, other), f in seen.items():
        if is_lds_use(f):
            sums["LDS bytes"] += 1
        elif pc in uncertain:
            sums["selected by M0"] += 1
        elif any(o == other and p <= pc for p, o in audited):
            sums["waits"] += 1
        else:
            bad.append(("run", f["message"]))
    return bad + [("static checker", f["message"]) for key, f in audited.items()
                  if key not in seen]


def hazard_differences(run, static, sums):
    seen, audited = of_check(run, "hazard"), of_check(static, "hazard")
    sums["hazards"] += len(seen.keys() & audited.keys())
    return ([("run", f["message"]) for key, f in seen.items() if key not in audited]
            + [("static checker", f["message"]) for key, f in audited.items()
               if key not in seen])


def compare(path, options, sums):
    with open(path) as file:
        test = emu_test.Test(path, file.read())
    if test.written is False:
        return []  # does not run
    with tempfile.TemporaryDirectory() as folder:
        emu_test.write_files(test, options, folder)
        # One check at a time: a run keeps 100 findings.
        runs = [answer([options.fmhac, "emu", os.path.join(folder, "LAUNCH.json"),
                        "--json", "--check=" + check, *test.args])
                for check in ("wait", "hazard")]
        static = answer([options.fmhac, "inspect", "--waits", "--json",
                         os.path.join(folder, "k.hsaco")])
    failed = [a["error"] for a in (*runs, static) if "error" in a]
    if failed:
        return [f"{path}: {' | '.join(failed)}"]
    found = [f for run in runs for f in run["findings"]]
    bad = [f"{path}: only the {who}: {text}" for who, text in
           wait_differences(found, static, sums)
           + hazard_differences(found, static["findings"], sums)]
    sums["tests"] += 1
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--llvm-bin", required=True)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--mcpu", default="gfx950")
    parser.add_argument("--opt", default="-O2")
    parser.add_argument("tests", nargs="+")
    slices.add_argument(parser)
    options = parser.parse_args()
    options.tests = options.slice.of(options.tests)
    slices.tell(options)
    sums = dict.fromkeys(("tests", "waits", "hazards", "LDS bytes", "selected by M0"), 0)
    bad = [line for path in options.tests for line in compare(path, options, sums)]
    print(f"{sums['tests']} programs; found by both: {sums['waits']} waits, "
          f"{sums['hazards']} hazards; by the run only, as data decides: "
          f"{sums['LDS bytes']} on LDS bytes, {sums['selected by M0']} on registers that "
          f"M0 selects")
    print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
