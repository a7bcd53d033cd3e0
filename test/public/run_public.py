#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs public hand-written gfx950 attention kernels on the emulator and compares what
they write with attention in double precision. README.md says where they come from.

    run_public.py --dir DIR --fmhac build/bin/fmhac [--only TEXT] [--modes default,all]
    run_public.py --dir DIR --fmhac build/bin/fmhac --modes one --check all --findings F.json
"""

import argparse
import importlib.util
import os
import sys
import tempfile
import time

from findings import Findings

NO_NUMPY = importlib.util.find_spec("numpy") is None

# Loads arrive 64 instructions after their issue at the latest, waits or not: what the
# kernels were made for, see ERRATA.md of the emulator. Then its defaults.
AFTER = "--landing=after:64"
DEFAULT_MODES = [AFTER, f"{AFTER} --sched=rr:1", f"{AFTER} --sched=rr:16", "--sched=rr"]
# Orders of waves and landings that no hardware shows; kernels that lean on timing may
# fail here without a fault of the emulator.
EXPOSING_MODES = ["--sched=rr:256", "--sched=until-blocked", "--landing=early", "--landing=late",
                  "--sched=random:1", "--landing=random:1"]
# Extremes of both at once: a race of loads direct to LDS shows where they land early, an
# under-wait where they land late.
CROSSED_MODES = [f"--landing={landing} --sched={sched}" for landing, sched in (
    ("early", "rr"), ("early", "rr:256"), ("early", "until-blocked"), ("early", "random:1"),
    ("early", "random:2"), ("late", "rr:1"), ("late", "until-blocked"), ("late", "random:1"))]
FAMILIES = ["fmha_v3_fwd", "mla_decode", "mla_prefill", "pa",
            "fmha_v4_fwd", "fmha_v3_bwd"]
FOLDERS = ["fmha_v3_fwd", "fmha_v3_bwd", "fmha_v4_fwd", "mla", "pa"]
RESULT_TEXT = {True: "pass", False: "FAIL"}


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", required=True,
                        help="hsa/gfx950 of a checkout of ROCm/aiter")
    parser.add_argument("--fmhac", required=True, help="the fmhac command")
    parser.add_argument("--only", default="",
                        help="only cases whose 'kernel shape' contains this text")
    parser.add_argument("--family", action="append", choices=FAMILIES)
    parser.add_argument("--modes", default="default",
                        choices=["one", "default", "exposing", "all", "crossed"])
    parser.add_argument("--large", action="store_true",
                        help="one large shape a kernel, for time")
    parser.add_argument("--keep", help="folder that keeps launches and outputs")
    parser.add_argument("--check", help="list of checkers for fmhac emu")
    parser.add_argument("--findings", metavar="FILE",
                        help="write all findings to FILE as JSON, print a table of them "
                             "and the races and missing waits of each kernel")
    return parser.parse_args()


def selected_modes(name):
    return {"one": DEFAULT_MODES[:1], "default": DEFAULT_MODES,
            "exposing": EXPOSING_MODES, "all": DEFAULT_MODES + EXPOSING_MODES,
            "crossed": CROSSED_MODES}[name]


def mode_of(case, mode):
    """The mode with the time that LDS reads take in this case."""
    if not case.lds_instructions:
        return mode
    words = mode.split()
    if not any(word.startswith("--landing=") for word in words):
        words.insert(0, AFTER)
    return " ".join(f"{word}:{case.lds_instructions}" if word == AFTER else word
                    for word in words)


def mode_text(mode):
    return mode.replace("--landing=", "").replace("--sched=", "")


def print_row(columns):
    widths = (50, 30, 20, 9, 5, 7, 8, 8, 8, 4)
    print("  ".join(str(c).ljust(w) for c, w in zip(columns, widths)).rstrip(), flush=True)


def findings_text(findings):
    counts = {}
    for finding in findings:
        counts[finding["check"]] = counts.get(finding["check"], 0) + 1
    return ",".join(f"{k}:{n}" for k, n in sorted(counts.items())) or "-"


def run_case(case, family, options, emulator_options, collected):
    """Prints a line a mode; adds what is found to `collected`; returns how many lines
    failed."""
    from launch import LaunchFailed, run
    from reference import compare
    failed = 0
    launch, checks = case.build(options.dir)
    if not os.path.exists(launch.code_object):
        print_row((case.kernel, case.shape, "-", "no such file", launch.code_object))
        return 1
    for mode in selected_modes(options.modes):
        mode = mode_of(case, mode)
        folder = options.keep and os.path.join(
            options.keep, f"{case.kernel} {case.shape} {mode}".replace(" ", "_").replace("/", "-"))
        try:
            result = run(options.fmhac, launch, mode.split() + emulator_options, folder,
                         filled=not options.findings)
        except LaunchFailed as error:
            print_row((case.kernel, case.shape, mode_text(mode), "ERROR"))
            print("    " + str(error).replace("\n", "\n    "))
            failed += 1
            continue
        compared = [(check.label, compare(check.found(result.outputs), check.expected,
                                          check.floor)) for check in checks]
        collected.add(family, case.kernel, case.shape, result.findings)
        passed = all(c.passed for _, c in compared)
        failed += not passed
        # The output nearest to (or farthest beyond) what it is allowed.
        label, c = max(compared, key=lambda pair: pair[1].badness)
        print_row((case.kernel, case.shape, mode_text(mode), result.instructions,
                   f"{result.seconds:.2f}", label, f"{c.rel_rms:.2e}",
                   f"{c.allowed_rel_rms:.2e}", f"{c.max_abs:.2e}",
                   RESULT_TEXT[passed] + (f" nan {c.nan_count}" if c.nan_count else "")
                   + " " + findings_text(result.findings)))
    return failed


def emulator_options_of(options, folder):
    chosen = [f"--check={options.check}"] if options.check else []
    if options.findings:
        # With suppressions fmhac keeps every finding, not 100; this one matches none.
        path = os.path.join(folder, "suppress_none.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write('[{"check": "none"}]\n')
        chosen.append(f"--suppressions={path}")
    return chosen


def main():
    options = parse_arguments()
    if NO_NUMPY:
        sys.exit("run_public.py: numpy is needed for the references; "
                 "install python3-numpy")
    families = options.family or FAMILIES
    if not any(os.path.isdir(os.path.join(options.dir, name)) for name in FOLDERS):
        sys.exit(f"run_public.py: {options.dir}: expected a folder with "
                 f"{' or '.join(FOLDERS)}, found none; point --dir at hsa/gfx950 of a "
                 f"checkout of ROCm/aiter")
    print_row(("kernel", "shape", "mode", "instr.", "s", "out", "rel rms", "allowed",
               "max err", "result, findings"))
    failed = count = 0
    started = time.monotonic()
    collected = Findings()
    with tempfile.TemporaryDirectory() as folder:
        emulator_options = emulator_options_of(options, folder)
        for family in families:
            module = importlib.import_module(family)
            for case in module.cases(options.dir, options.large):
                if options.only in f"{case.kernel} {case.shape}":
                    failed += run_case(case, family, options, emulator_options, collected)
                    count += 1
    if options.findings:
        collected.write(options.findings)
        print(f"\n{collected.races_and_waits()}\n\n{collected.table()}\n")
    print(f"{count} cases, {failed} failed lines, {time.monotonic() - started:.0f} s")
    sys.exit(1 if failed or not count else 0)


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    main()
