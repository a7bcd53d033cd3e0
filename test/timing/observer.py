# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cycle model looks on: it changes nothing, and nothing changes it.

    observer.py --fmhac FMHAC OBSERVED.hsaco

Runs a kernel of fmhac and one that is not, in several orders of waves and landings of
loads, with --timing and without: every byte written, every finding and every count are the
same. And whatever the order, the landing, the threads and the addresses of a run, the
times are the same, because neither kernel's way depends on them.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

# Each is a run with and one without timing. The first is what the others' times are held to.
WAYS = [
    ["--threads=1"],
    ["--threads=2", "--sched=rr:1"],
    ["--sched=until-blocked", "--landing=late"],
    ["--sched=random:1", "--landing=early", "--threads=2"],
    ["--sched=random:2", "--landing=random:3"],
    ["--landing=after:2:1", "--placement=adversarial"],
]
SAME = ("ok", "dropped", "workgroups", "instructions", "matrix_instructions")
TIMEOUT_SECONDS = 120


class Launch:
    def __init__(self, fmhac, folder, checks):
        self.fmhac, self.folder, self.checks = fmhac, folder, checks
        path = os.path.join(folder, "LAUNCH.json")
        with open(path, encoding="utf-8") as file:
            buffers = json.load(file)["buffers"]
        self.findings = set()
        self.outputs = [b["out"] for b in buffers.values() if "out" in b]

    def run(self, flags):
        """Exit code, what it said, and the bytes of the outputs."""
        for name in self.outputs:
            if os.path.exists(self._path(name)):
                os.remove(self._path(name))
        done = subprocess.run(
            [self.fmhac, "emu", self._path("LAUNCH.json"), "--json",
             "--check=" + self.checks, *flags],
            capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
        if not done.stdout:
            sys.exit(f"{' '.join(done.args)}: exit code {done.returncode}\n{done.stderr}")
        written = []
        for name in self.outputs:
            with open(self._path(name), "rb") as file:
                written.append(file.read())
        return done.returncode, json.loads(done.stdout), written

    def _path(self, name):
        return os.path.join(self.folder, name)


def own_kernel(fmhac, folder):
    subprocess.run([fmhac, "run", "--seqlen", "160", "--heads", "1", "--mask", "causal",
                    "--no-compare", "--save-launch", folder],
                   check=True, capture_output=True, timeout=TIMEOUT_SECONDS)
    return Launch(fmhac, folder, "all")


def other_kernel(fmhac, code_object, folder):
    workgroups = 3
    os.makedirs(folder)
    with open(os.path.join(folder, "i.bin"), "wb") as file:
        file.write(bytes((i * i // 7) & 0xff for i in range(8192)))
    launch = {
        "code_object": os.path.abspath(code_object),
        "kernel": "observed", "grid": [workgroups, 1, 1], "block": [512, 1, 1],
        "buffers": {"o": {"bytes": 2048 * workgroups, "fill": 0, "out": "o.bin"},
                    "i": {"bytes": 8192, "file": "i.bin"},
                    "c": {"bytes": 256, "fill": 0, "out": "c.bin"}},
        "kernarg": [{"offset": 8 * n, "buffer": b} for n, b in enumerate("oic")]}
    with open(os.path.join(folder, "LAUNCH.json"), "w", encoding="utf-8") as file:
        json.dump(launch, file)
    return Launch(fmhac, folder, "mem,sync,wait,race")


def times(said):
    return {"per_workgroup": said["per_workgroup"], "timing": said["timing"]}


def differences(launch):
    """What is not as it should be, one line each."""
    wrong, first = [], None
    for flags in WAYS:
        way = " ".join(flags)
        without, with_it = launch.run(flags), launch.run(flags + ["--timing"])
        if without[0] != with_it[0]:
            wrong.append(f"{way}: exit code {without[0]} without --timing, {with_it[0]} with it")
        for key in SAME + ("findings",):
            if without[1][key] != with_it[1][key]:
                wrong.append(f"{way}: {key} with --timing: {with_it[1][key]}; "
                             f"without: {without[1][key]}")
        if without[2] != with_it[2]:
            wrong.append(f"{way}: --timing changes what is written")
        if not all(w["cycles"] > 0 for w in with_it[1]["per_workgroup"]):
            wrong.append(f"{way}: a workgroup takes no time")
        if len(with_it[1]["per_workgroup"]) != with_it[1]["workgroups"]:
            wrong.append(f"{way}: not every workgroup is timed")
        if first is None:
            first = times(with_it[1])
        elif times(with_it[1]) != first:
            wrong.append(f"{way}: other times than with {' '.join(WAYS[0])}:\n"
                         f"  {json.dumps(times(with_it[1]))}\n  {json.dumps(first)}")
        if not launch.outputs or not any(without[2]):
            wrong.append(f"{way}: nothing is written")
        launch.findings |= {f["check"] for f in without[1]["findings"]}
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("code_object")
    args = parser.parse_args()
    wrong = []
    with tempfile.TemporaryDirectory() as work:
        for launch, found in (
                (own_kernel(args.fmhac, os.path.join(work, "own")), set()),
                (other_kernel(args.fmhac, args.code_object, os.path.join(work, "other")),
                 {"race", "wait"})):
            name = os.path.basename(launch.folder)
            wrong += [f"{name}: {w}" for w in differences(launch)]
            if launch.findings != found:
                wrong.append(f"{name}: findings of {sorted(launch.findings)}; its mistakes "
                             f"are of {sorted(found)}")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
