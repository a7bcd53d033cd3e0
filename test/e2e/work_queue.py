# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A launch that takes its lists from a queue leaves the queue as it found it.

The launches of `fmhac run --work queue` are saved; attention then runs once more, alone,
and writes another O: the same bytes, and nobody has asked the queue for anything. So it is
with any number of workgroups, more than there are lists included, in any order of waves,
with one host thread and several. A kernel whose counter does not wrap finds no lists when
it runs once more, and one without a barrier beside the number of the next list in LDS has a
race: that is looked for, too, so that the comparison and the check can fail.
"""
import argparse
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

import axis_files
import large_places

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import slices  # noqa: E402

# Sequences of which most have no rows: lists without items are among the others.
ROWS = [200, 0, 1, 129, 0, 0, 64, 3] * 6
KEYS = [1, 300, 64, 0, 65, 200, 130, 7] * 6
CASES = [["--schedule", "generic", "--head-dim", "64"],
         ["--schedule", "dualwave_1tile", "--head-dim", "128"],
         ["--schedule", "dualwave_fp8", "--head-dim", "128", "--dtype", "fp8", "--out-dtype",
          "f32"],
         ["--schedule", "generic", "--head-dim", "64", "--split-kv", "fixed", "--split-chunk",
          "64", "--lse"]]
# Workgroups of attention; None: as many as the plan has.
WORKGROUPS = [None, 1, 7, 100]
MOST_LISTS = 2048
MODES = [[], ["--threads=1", "--sched=random:1", "--landing=random:3"],
         ["--threads=3", "--sched=until-blocked", "--landing=late"],
         ["--threads=1", "--sched=rr:1", "--landing=early"]]
QUEUE = "<III"  # fmhac_work_queue: asked, lists, workgroups


def fail(text):
    sys.exit(f"FAIL: {text}")


def call(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        fail(f"{' '.join(command)} exited with {result.returncode}\n{result.stdout[-2000:]}"
             f"{result.stderr[-2000:]}")
    return result.stdout


class Launches:
    """Saved launches: of the planner, of attention, perhaps of the combination."""

    def __init__(self, fmhac, flags, folder):
        self.fmhac, self.folder = fmhac, folder
        self.offsets = {name: at for at, (name, _) in large_places.read_abi().items()}
        paths = []
        for side, lengths in (("q", ROWS), ("kv", KEYS)):
            paths.append(os.path.join(folder, f"cu-seqlens-{side}.npy"))
            axis_files.write_lengths(paths[-1], "varlen", lengths)
        self.config = [*flags, "--work", "queue", "--mask", "causal", "--cu-seqlens-q", paths[0],
                       "--cu-seqlens-kv", paths[1]]
        call([fmhac, "run", *self.config, "--batch", str(len(ROWS)), "--heads", "4",
              "--kv-heads", "2", "--seqlen-q", str(max(ROWS)), "--seqlen-kv", str(max(KEYS)),
              "--check=all", f"--save-launch={folder}"])
        with open(os.path.join(folder, "LAUNCH.json"), encoding="utf-8") as file:
            self.saved = file.read()

    def argument(self, launch, name):
        found = [a for a in launch["kernarg"] if a["offset"] == self.offsets[name]]
        if len(found) != 1:
            fail(f"{launch['kernel']} has {len(found)} arguments {name}")
        return found[0]

    def run(self, launch, name, mode=(), check="all"):
        """The bytes of the buffers that come out."""
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(launch, file)
        call([self.fmhac, "emu", path, f"--check={check}", *mode])
        outputs = {}
        for buffer, places in launch["buffers"].items():
            if "out" in places:
                with open(os.path.join(self.folder, places["out"]), "rb") as file:
                    outputs[buffer] = file.read()
        return outputs

    def twice(self, code=None, workgroups=None, mode=()):
        """O of the launches, O of attention once more, and the queue after both. `code`: of
        another file."""
        launch = json.loads(self.saved)
        if code:
            launch["code_object"] = code
        planner, attention, *combine = launch["launches"]
        if workgroups:
            attention["grid"][0] = workgroups
            self.argument(planner, "workgroups")["u64"] = workgroups
        buffers = launch["buffers"]
        again = json.loads(json.dumps([attention, *combine]))
        for one in again:
            if any(a["offset"] == self.offsets["o"] for a in one["kernarg"]):
                self.argument(one, "o")["buffer"] = "o2"
        buffers["o2"] = {**buffers["o"], "out": "o2.out.bin"}
        buffers["workspace"]["out"] = "workspace.out.bin"
        launch["launches"] += again
        # Races between hundreds of workgroups take long to look for.
        check = "all" if workgroups else "mem,wait,sync,init"
        outputs = self.run(launch, "twice.json", mode, check)
        at = self.argument(attention, "work_counter")["add"]
        return outputs["o"], outputs["o2"], struct.unpack_from(QUEUE, outputs["workspace"], at)

    def beyond_lists(self):
        """O, and the queue after it, of more workgroups than there are lists, which are those
        of the plan's workgroups."""
        launch = json.loads(self.saved)
        planner, attention, *combine = launch["launches"]
        buffers = launch["buffers"]
        buffers["workspace"]["out"] = "workspace.out.bin"
        launch["launches"] = [planner]
        workspace = bytearray(self.run(launch, "plan.json", check="mem")["workspace"])
        at = self.argument(attention, "work_counter")["add"]
        _, lists, _ = struct.unpack_from(QUEUE, workspace, at)
        attention["grid"][0] = lists + 50
        struct.pack_into(QUEUE, workspace, at, 0, lists, lists + 50)
        with open(os.path.join(self.folder, "workspace.bin"), "wb") as file:
            file.write(workspace)
        buffers["workspace"]["file"] = "workspace.bin"
        launch["launches"] = [attention, *combine]
        outputs = self.run(launch, "beyond.json", check="mem,wait,sync")
        return outputs["o"], struct.unpack_from(QUEUE, outputs["workspace"], at)

    def compile(self, edit, name):
        """The file of a kernel whose hardware operations are edited."""
        text = edit(call([self.fmhac, "compile", *self.config, "--emit=amdgpu", "-o", "-"]))
        source = os.path.join(self.folder, f"{name}.mlir")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        call([self.fmhac, "compile", *self.config, "--from", "amdgpu", source, "-o",
              os.path.join(self.folder, f"{name}.hsaco")])
        return f"{name}.hsaco"

    def races(self, code):
        """Whether the race checker finds something in another file's kernel."""
        launch = json.loads(self.saved) | {"code_object": code}
        planner, attention = launch["launches"][:2]
        attention["grid"][0] = self.argument(planner, "workgroups")["u64"] = 7
        path = os.path.join(self.folder, "race.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(launch, file)
        result = subprocess.run([self.fmhac, "emu", path, "--check=race", "--threads=1"],
                                capture_output=True, text=True)
        return result.returncode == 1 and "race: " in result.stderr


def without_wrap(text):
    """Adds one to the counter, whatever it was."""
    text, count = re.subn(
        r"( *)%(\w+) = llvm\.atomicrmw uinc_wrap (%\w+), %\w+ ",
        r"\1%one\2 = arith.constant 1 : i32\n\1%\2 = llvm.atomicrmw add \3, %one\2 ", text)
    if count != 2:
        fail(f"{count} fetches from the queue, expected 2")
    return text


def without_barrier(text, step):
    """Without the barrier before the number is read in LDS (-1), or after it (1)."""
    lines = text.split("\n")
    reads = [n for n, line in enumerate(lines)
             if re.search(r"llvm\.load %\w+ : !llvm\.ptr<3> -> i32", line)]
    if len(reads) != 1:
        fail(f"{len(reads)} reads of a number in LDS, expected 1")
    at = reads[0]
    while "rocdl.s.barrier" not in lines[at]:
        at += step
    del lines[at]
    return "\n".join(lines)


def check(fmhac, flags, folder):
    launches = Launches(fmhac, flags, folder)
    title = " ".join(flags)
    right, _, (_, lists, plan_workgroups) = launches.twice()
    for number, workgroups in enumerate(WORKGROUPS):
        first, second, queue = launches.twice(workgroups=workgroups,
                                              mode=MODES[number % len(MODES)])
        expected = workgroups or plan_workgroups
        if queue[0] or not 0 < queue[1] <= min(4 * expected, MOST_LISTS) or queue[2] != expected:
            fail(f"{title}, {expected} workgroups: the queue is {queue} after the launches")
        for name, found in (("first", first), ("second", second)):
            if found != right:
                fail(f"{title}, {expected} workgroups: the {name} launch has other bytes")
    found, queue = launches.beyond_lists()
    if found != right or queue != (0, lists, lists + 50):
        fail(f"{title}, more workgroups than lists: the queue is {queue} after the launch, O is "
             f"{'as before' if found == right else 'another'}")
    first, second, queue = launches.twice(launches.compile(without_wrap, "add"), workgroups=7)
    if first != right:
        fail(f"{title}: without wrapping the first launch has other bytes")
    if second == right or queue[0] == 0:
        fail(f"{title}: a counter that does not wrap is not seen")
    for step in (-1, 1):
        code = launches.compile(lambda text, step=step: without_barrier(text, step), "barrier")
        if not launches.races(code):
            fail(f"{title}: the barrier {'before' if step < 0 else 'after'} the read of the "
                 "list's number is missing, and no race is found")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", required=True)
    slices.add_argument(parser)
    options = parser.parse_args()
    slices.tell(options)
    cases = options.slice.of(CASES)
    for flags in cases:
        with tempfile.TemporaryDirectory() as folder:
            check(options.fmhac, flags, folder)
    print(f"{len(cases)} kernels, {len(WORKGROUPS)} numbers of workgroups each, and more than lists")


if __name__ == "__main__":
    main()
