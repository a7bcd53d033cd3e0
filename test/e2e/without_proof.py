# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels whose proofs were left out, and what the emulator finds in them.

`fmhac` makes no kernel that its proofs refuse. Here the stages of lib/order/pipeline.def less
those named verify-*, then LLVM's own tools, make one of the same problem; it takes the
place of the code object of a saved launch of a schedule that moves nothing ahead.
"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
import commands  # noqa: E402
import run_pipeline  # noqa: E402

# Orders of waves and landings, the likeliest to show a fault first.
MODES = [("rr:4", "default"), ("rr:1", "late"), ("until-blocked", "early"),
         ("random:1", "random:2"), ("until-blocked", "late"), ("random:3", "early"),
         ("rr:256", "random:4"), ("random:5", "late")]
# Of O, beyond what two roundings of the same sum differ by: O of unit normal V is below 5.
FAR = 0.1
MOST_INSTRUCTIONS = 30000000


class Tools:
    """fmhac, fmhac-opt, LLVM's tools and the table of the pipeline."""

    def __init__(self, options):
        self.fmhac, self.opt = os.path.abspath(options.fmhac), options.fmhac_opt
        self.llvm_bin = options.llvm_bin
        self.rows = run_pipeline.read_table(options.table)

    def pipeline(self, first=None, last=None, proofs=False):
        """Passes of the stages from `first` to `last`, both included."""
        stages = run_pipeline.passes_until(self.rows, None)
        names = [name for name, _ in stages]
        begin = names.index(first) if first else 0
        end = names.index(last) + 1 if last else len(names)
        stages = [s for s in stages[begin:end] if proofs or not s[0].startswith("verify-")]
        return run_pipeline.render(stages, "generic")

    def run_passes(self, text, **stages):
        return commands.call([self.opt, "-", "--pass-pipeline=" + self.pipeline(**stages)],
                             input=text)

    def generate(self, llvm_dialect, path):
        commands.generate_of_dialect(self.llvm_bin, llvm_dialect, path)


def read_output(folder):
    """The bytes of O of a launch that was run."""
    with open(os.path.join(folder, "LAUNCH.json")) as file:
        launch = json.load(file)
    with open(os.path.join(folder, launch["buffers"]["o"]["out"]), "rb") as file:
        return file.read()


def floats(data, dtype):
    if dtype == "f16":
        return struct.unpack(f"<{len(data) // 2}e", data)
    words = struct.unpack(f"<{len(data) // 2}H", data)
    return struct.unpack(f"<{len(words)}f", struct.pack(f"<{len(words)}I",
                                                        *(w << 16 for w in words)))


def is_far(data, good, dtype):
    """Whether some element is not what it should be. What nobody writes is the same NaN in
    both."""
    if data == good:
        return False
    return any(not abs(x - y) <= FAR and (x == x or y == y)
               for x, y in zip(floats(data, dtype), floats(good, dtype)))


def emulate(fmhac, folder, *flags):
    """Exit code, report."""
    done = subprocess.run([fmhac, "emu", "--json", "LAUNCH.json", "--threads=1",
                           f"--max-instructions={MOST_INSTRUCTIONS}", *flags], cwd=folder,
                          capture_output=True, text=True)
    if done.returncode not in (0, 1, 4):
        raise commands.CommandError(f"fmhac emu in {folder}: exit code {done.returncode}: "
                                    f"{done.stderr}")
    return done.returncode, json.loads(done.stdout) if done.returncode != 4 else {
        "findings": [], "error": done.stderr.strip() or done.stdout.strip()}


def replace_code(saved, folder, code_object):
    """A copy of a saved launch with another code object, whose kernel has a name of its own:
    that differs with the schedule."""
    shutil.copytree(saved, folder)
    path = os.path.join(folder, "LAUNCH.json")
    with open(path) as file:
        launch = json.load(file)
    with open(code_object, "rb") as file:
        launch["kernel"] = re.search(rb"\0(attn_\w+)\.kd\0", file.read())[1].decode()
    with open(path, "w") as file:
        json.dump(launch, file)
    shutil.copy(code_object, os.path.join(folder, launch["code_object"]))
    return folder


def find_fault(fmhac, folder, good, dtype, modes=tuple(MODES)):
    """What is wrong with a launch, by the first mode that shows it; None if none does.
    Wait states are LLVM's affair and not looked for."""
    for sched, landing in modes:
        mode = [f"--sched={sched}", f"--landing={landing}"]
        code, report = emulate(fmhac, folder, "--check=mem,wait,race,init,sync", *mode)
        if code == 4:
            return "stops", report["error"], mode
        if report["findings"]:
            finding = report["findings"][0]
            return finding["check"], finding["message"], mode
        if is_far(read_output(folder), good, dtype):
            return "numbers", "O is far from what it should be", mode
    return None
