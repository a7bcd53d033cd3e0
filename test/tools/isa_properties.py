# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Properties of the final code of one schedule and configuration, one a line, for
FileCheck: registers, and for a round of the loop over keys what instructions it has, where
it waits, and how far LLVM went from the order that it was given.

  resources  registers, LDS
  loops      loops of the whole kernel
  round      instructions that every round executes
  branches   those of the loop that a round may skip
  stage      what lies between two barriers of the loop, by its steps in the synced rung:
             what every round executes, and
    waits      those asked for in the synced rung, in the order of the code; `at the end`:
               nothing but scalar instructions between them and the barrier
    of LLVM    waits for a counter that nobody asked for, or not for so low a count
    strays     instructions of other stages that stand here, those of no line aside
    moved      pairs of instructions of the stage whose order is not that of the operations of
               the LLVM IR that they were made from: of all classes, and of each
    recipe     pairs of instructions whose classes are not in the order of the recipe, for
               stages whose recipe names all of their vector and memory instructions
    longest    most matrix instructions without another vector instruction between

Whatever follows `--` goes to fmhac compile.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

import code_object
import commands
import isa_loop
import isa_order

# Counted apart: a compiler may need one more or less of them.
OTHER = ("valu", "salu", "nop", "branch", "setprio")
SCALAR = ("barrier", "salu", "nop", "branch", "setprio")
MOVED = ("mfma", "trans", "valu", "ds_read", "vmem")
# Prefix of the mnemonic, class; the first that fits.
CLASSES = (
    ("v_mfma", "mfma"), ("v_smfmac", "mfma"), ("v_exp_", "trans"), ("v_log_", "trans"), ("v_rcp_", "trans"),
    ("v_accvgpr", "accvgpr"), ("v_", "valu"), ("ds_read", "ds_read"), ("ds_", "ds_write"),
    ("buffer_", "vmem"),
    ("global_", "vmem"), ("flat_", "vmem"), ("scratch_", "scratch"),
    ("s_waitcnt", "wait"), ("s_barrier", "barrier"), ("s_nop", "nop"),
    ("s_load", "smem"), ("s_buffer_load", "smem"), ("s_cbranch", "branch"), ("s_branch", "branch"),
    ("s_setprio", "setprio"), ("s_", "salu"),
)


def class_of(instruction):
    return next(name for prefix, name in CLASSES
                if instruction.mnemonic.startswith(prefix))


def is_dma(instruction):
    return (instruction.mnemonic.startswith("buffer_load")
            and instruction.text.endswith(" lds"))


# Masks of sched_group_barrier (LLVM AMDGPUUsage).
MASKS = {0x8: "mfma", 0x2: "valu", 0x400: "trans", 0x100: "ds_read", 0x10: "vmem", 0x4: "salu"}
COUNTERS = {"load": "vmcnt", "ds": "lgkmcnt"}


class Stage:
    """Lines of the synced rung between two barriers of the loop."""

    def __init__(self, first):
        self.first, self.last = first, first
        self.names, self.recipe = [], []
        self.asked = {}  # line -> counter -> count
        self.instructions = []

    @property
    def name(self):
        named = [n for n in self.names if n.startswith("@")]
        return "+".join(named or self.names) or "of no step"


def stages_of(text):
    """Stages of the loop, the last is what follows the last barrier."""
    stages, end = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if "fmha.kv_loop" in line:
            end = re.match(r" *", line).group(0) + "}"
            stages = [Stage(number)]
            continue
        if end is None:
            continue
        stages[-1].last = number
        if line.startswith(end):
            break
        stage = re.search(r"fmha\.stage (@\w+)", line)
        group = re.search(r"rocdl\.sched\.group\.barrier (\d+), (\d+), 0", line)
        waits = "amdgpu.memory_counter_wait" in line
        op = re.search(r"\bfmha\.(\w+)\b", line)
        if stage:
            stages[-1].names.append(stage.group(1))
        elif group:
            stages[-1].recipe += [MASKS[int(group.group(1))]] * int(group.group(2))
        elif waits:
            stages[-1].asked[number] = {
                COUNTERS[name]: int(count)
                for name, count in re.findall(r"(load|ds)\((\d+)\)", line)}
        elif "rocdl.s.barrier" in line:
            stages.append(Stage(number + 1))
        elif op and op.group(1) not in ("yield", "anchor", "wall"):
            stages[-1].names.append(op.group(1))
    if end is None:
        sys.exit("expected a loop in the synced rung, found none")
    return stages


def counters(wait):
    """(counter, count) of what an s_waitcnt waits for."""
    return [(name, int(count))
            for name, count in re.findall(r"(vmcnt|lgkmcnt|expcnt)\((\d+)\)", wait.text)]


class Properties:
    def __init__(self, options):
        self.fmhac, self.llvm_bin = options.fmhac, options.llvm_bin
        self.config = options.compile
        ir = None
        if options.moved or options.without:
            ir = self.rung("llvm")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "k.hsaco")
            if options.without:
                ir, times = re.subn(options.without, options.instead, ir)
                if not times:
                    sys.exit(f"expected '{options.without}' in the LLVM IR, found none")
                commands.generate(self.llvm_bin, ir, path)
            else:
                self.run("compile", *self.config, "-o", path)
            self.kernel = json.loads(self.run("inspect", "--json", path))["kernels"][0]
            self.code = code_object.without_padding(code_object.disassemble(self.llvm_bin, path))
            self.line = code_object.lines_of(self.llvm_bin, path, self.code)
        self.stages = stages_of(self.rung("synced"))
        self.place = (isa_order.places_in_ir(self.llvm_bin, ir, self.code)
                      if options.moved else None)
        self.find_loop()

    def run(self, *command):
        return subprocess.run([self.fmhac, *command], check=True, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout

    def rung(self, name, *more):
        return self.run("compile", *self.config, *more, f"--emit={name}", "-o", "-")

    def find_loop(self):
        blocks = isa_loop.blocks_of(self.code)
        self.loops = isa_loop.loops_of(blocks)
        steady = [loop for loop in self.loops
                  if any(class_of(i) == "mfma" for b in loop for i in b.instructions)]
        if len(steady) != 1:
            sys.exit(f"expected one loop with matrix instructions, found {len(steady)}")
        self.round = isa_loop.in_order(blocks, steady[0])
        self.always = {i.address for b in self.round if b.is_always
                       for i in b.instructions}
        at = 0
        for i in (i for b in self.round for i in b.instructions):
            stage = self.stages[at]
            stage.instructions.append(i)
            if i.mnemonic != "s_barrier":
                continue
            line = self.line[i.address]
            if at + 1 == len(self.stages) or line != stage.last:
                sys.exit(f"expected the barrier of line {stage.last} of the synced rung "
                         f"after {stage.name}, found that of line {line}")
            at += 1

    def count(self, instructions, kinds=None):
        found = collections.Counter()
        for i in instructions:
            kind = class_of(i)
            if kind == "wait" and not self.asked(i):
                continue
            found["dma" if is_dma(i) else
                  i.mnemonic if kind in ("mfma", "ds_read", "vmem") else kind] += 1
        return ", ".join(f"{kind} {found[kind]}" for kind in sorted(found)
                         if (kind in OTHER) == (kinds == "other")) or "none"

    def stage_of(self, line):
        return next((s for s in self.stages if s.first <= line <= s.last), None)

    def asked(self, wait):
        """Counter -> count of what was asked for on the line of a wait."""
        line = self.line[wait.address]
        stage = self.stage_of(line)
        return stage.asked.get(line, {}) if stage else {}

    def waits(self, stage):
        texts, late, own = [], False, collections.Counter()
        for i in stage.instructions:
            kind = class_of(i)
            if kind != "wait":
                late |= bool(texts) and kind not in SCALAR
                continue
            asked = self.asked(i)
            if asked:
                texts.append(i.text.split(None, 1)[1])
            for name, count in counters(i):
                own[name] += count < asked.get(name, count + 1)
        return texts, late, own

    def moved(self, stage):
        """Of the instructions of a stage that stand in it, all and by class."""
        ranks = collections.defaultdict(list)
        for i in stage.instructions:
            place, kind = self.place[i.address], class_of(i)
            if place and kind in MOVED and self.stage_of(self.line[i.address]) is stage:
                ranks["all"].append(place)
                ranks[kind].append(place)
        return {kind: isa_order.inversions(r) for kind, r in ranks.items()}

    def strays(self, stage):
        return collections.Counter(
            class_of(i) for i in stage.instructions
            if class_of(i) in MOVED and self.line[i.address]
            and self.stage_of(self.line[i.address]) is not stage)

    def off_recipe(self, stage, recipe):
        """Distance of what the stage executes in every round from the order of a recipe
        that names all of it: the n-th of a class is the n-th there."""
        kinds = [class_of(i) for i in stage.instructions if i.address in self.always]
        kinds = [kind for kind in kinds if kind in MOVED]
        if collections.Counter(kinds) != collections.Counter(recipe):
            return None
        places = collections.defaultdict(list)
        for n, kind in enumerate(recipe):
            places[kind].append(n)
        return isa_order.inversions([places[kind].pop(0) for kind in kinds])

    def longest(self, stage):
        longest = run = 0
        for i in stage.instructions:
            kind = class_of(i)
            run = run + 1 if kind == "mfma" else 0 if kind in ("trans", "valu") else run
            longest = max(longest, run)
        return longest

    def show(self, recipes):
        k = self.kernel
        registers = k["vgprs"] + k["agprs"]
        print(f"resources: registers {registers}, {k['occupancy']['waves_per_simd']} waves a "
              f"SIMD; spills {k['vgpr_spills'] + k['sgpr_spills']}; scratch "
              f"{k['scratch_bytes']}; LDS {k['lds_bytes']}")
        print(f"loops: {len(self.loops)}")
        everything = [i for b in self.round for i in b.instructions]
        always = [i for i in everything if i.address in self.always]
        print("round:", self.count(always))
        print("round, other:", self.count(always, "other"))
        print("branches:", self.count(i for i in everything if i.address not in self.always))
        for stage, recipe in zip(self.stages, recipes):
            always = [i for i in stage.instructions if i.address in self.always]
            if all(class_of(i) in OTHER for i in always):
                continue
            print(f"stage {stage.name}:", self.count(always))
            texts, late, own = self.waits(stage)
            if texts:
                print("  waits:", ", ".join(texts) + (", not" if late else ",") +
                      " at the end")
            print("  of LLVM:", ", ".join(f"{name} {own[name]}"
                                          for name in ("vmcnt", "lgkmcnt")))
            strays = self.strays(stage)
            print("  strays:", ", ".join(f"{kind} {strays[kind]}"
                                         for kind in sorted(strays)) or "none")
            if self.place:
                moved = self.moved(stage)
                print("  moved:", ", ".join(f"{kind} {moved[kind]}"
                                            for kind in ("all", *MOVED) if kind in moved))
            distance = self.off_recipe(stage, recipe) if recipe else None
            if distance is not None:
                print("  recipe:", distance)
            if any(class_of(i) == "mfma" for i in always):
                print("  longest:", self.longest(stage))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--llvm-bin", required=True)
    parser.add_argument("--moved", action="store_true",
                        help="compare the order with that of the LLVM IR")
    parser.add_argument("--recipes-of", metavar="SCHEDULE",
                        help="measure against the recipes of this schedule")
    parser.add_argument("--without", metavar="REGEX",
                        help="take this out of the LLVM IR and measure what comes out then")
    parser.add_argument("--instead", metavar="TEXT", default="",
                        help="put this in the place of what --without takes out, as in re.sub")
    parser.add_argument("compile", nargs="*", help="configuration, after --")
    options = parser.parse_args()
    properties = Properties(options)
    stages = properties.stages
    if options.recipes_of:
        stages = stages_of(properties.rung("synced", "--schedule", options.recipes_of))
    properties.show([stage.recipe for stage in stages])


if __name__ == "__main__":
    main()
