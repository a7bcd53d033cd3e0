# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Words of schedules that no built-in schedule, or hardly one, uses: for each a kernel whose code
shows the word, run against the reference with every checker.

What the code has to show is taken from the ISA guide and from LLVM's documentation of
llvm.amdgcn.sched.group.barrier (masks of instruction classes), not from the compiler's tables.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
import slices  # noqa: E402

# Masks of llvm.amdgcn.sched.group.barrier, LLVM's AMDGPUUsage.
MASKS = {"mfma": {0x8}, "valu": {0x2}, "trans": {0x400}, "ds_read": {0x100},
         "vmem": {0x10, 0x20}, "salu": {0x4}}


class Code:
    """The code of a schedule at two rungs."""

    def __init__(self, isa, llvm):
        self.isa, self.llvm = isa, llvm

    def count(self, pattern):
        return len(re.findall(pattern, self.isa, re.M))

    def groups(self):
        """Masks of the groups that are asked of LLVM, how often each."""
        masks = re.findall(r"sched\.group\.barrier\(i32 (\d+),", self.llvm)
        return {int(mask): masks.count(mask) for mask in set(masks)}

    def walls(self):
        return len(re.findall(r"call void @llvm\.amdgcn\.sched\.barrier\(i32 0\)", self.llvm))

    def packed(self):
        return self.count(r"^\s+v_pk_(mul|add|fma)_f32\b")


    def instructions(self):
        """All in their order, but for what they tell the caches."""
        return [re.sub(r" (sc0|nt|sc1)\b", "", line)
                for line in re.findall(r"^\t[a-z].*$", self.isa, re.M)]


# Instructions that bring or take an operand, in dualwave_1tile of a plain problem: K and V go to LDS.
ACCESSES = {"q": r"^\s+buffer_load(?!.* lds\b).*", "k": r"^\s+buffer_load.* lds\b.*",
            "v": r"^\s+buffer_load.* lds\b.*", "o": r"^\s+buffer_store.*"}


def has_policy(operand, bits):
    """The operand's instructions have exactly these bits, and no other has any: of those that copy
    to LDS some are K's, and some V's."""
    def shows(code, base):
        own = re.findall(ACCESSES[operand], code.isa, re.M)
        told = [line for line in own if re.findall(r" (sc0|nt|sc1)\b", line) == bits.split()]
        others = len(re.findall(r"^\t[a-z].* (?:sc0|nt|sc1)\b", code.isa, re.M)) - len(told)
        is_all = len(told) == len(own) if operand in "qo" else len(told) < len(own)
        return told and is_all and not others and code.instructions() == base.instructions()
    return shows


def pipeline(base, changes, keys=""):
    return f"fmha.schedule @word = @{base} with <{keys}pipeline = <{changes}>>"


def recipe_of(kind, stage):
    """One group that names the class alone, and who orders the instructions."""
    return (f"fmha.recipe @one = #fmha.recipe<@{stage} [2 x [{kind} 1]]>\n"
            + pipeline("dualwave_1tile", "instructions = grouped, recipe = @one"))


def has_mask(kind):
    return lambda code, base: any(code.groups().get(mask) for mask in MASKS[kind])


# name, schedule, base, what the code has to show beside that of the base.
ROWS = [
    ("priority", pipeline("dualwave_1tile", "stages = [<@scores priority 3>]"), "dualwave_1tile",
     lambda code, base: code.count(r"s_setprio 3") > 0 and not base.count(r"s_setprio")),
    # 16 slots are s_nop 15.
    ("nops", pipeline("dualwave_1tile", "stages = [<@k_in nops 16>]"), "dualwave_1tile",
     lambda code, base: code.count(r"s_nop 15") > base.count(r"s_nop 15")),
    # An exponent is a difference, no fma with the scale, of 32 scores a lane and tile; and Q, 64
    # elements a lane, is rounded in pairs.
    ("scale = q", "fmha.schedule @word = @dualwave_1tile with <scale = q>", "dualwave_1tile",
     lambda code, base: code.count(r"v_fma_f32") + 32 <= base.count(r"v_fma_f32")
     and code.count(r"v_(add|sub)_f32") >= base.count(r"v_(add|sub)_f32") + 32
     and code.count(r"v_cvt_pk_bf16_f32") == base.count(r"v_cvt_pk_bf16_f32") + 32),
    # The product starts from the maximum, not from 0.
    ("scale = start", None, "dualwave",
     lambda code, base: code.count(r"v_mfma.*, 0$") < base.count(r"v_mfma.*, 0$")),
    ("packed = off", "fmha.schedule @word = @dualwave_1tile with <packed = off>",
     "dualwave_1tile", lambda code, base: code.packed() == 0 and base.packed() > 0),
    ("packed = softmax", "fmha.schedule @word = @dualwave_1tile with <packed = softmax>",
     "dualwave_1tile", lambda code, base: code.packed() > base.packed()),
    ("free", pipeline("dualwave_1tile", "instructions = free"), "dualwave_1tile",
     lambda code, base: not code.groups() and code.walls() < base.walls()),
    ("grouped", pipeline("dualwave_1tile", "instructions = grouped"), "dualwave_1tile",
     lambda code, base: len(code.groups()) == 4 and not base.groups()
     and code.walls() < base.walls()),
    # A wall after each instruction of the stages: 16 products of both, 32 exponentials.
    ("pinned", pipeline("generic", "instructions = pinned, recipe = @word_recipe")
     .replace("fmha.schedule", "fmha.recipe @word_recipe = #fmha.recipe<@scores "
              "[16 x [mfma 1, trans 1]]>\nfmha.schedule"), "generic",
     lambda code, base: code.walls() >= base.walls() + 32),
    *((f"recipe of {kind}", recipe_of(kind, stage), "dualwave_1tile", has_mask(kind))
      for kind, stage in (("mfma", "scores"), ("valu", "output"), ("trans", "scores"),
                          ("ds_read", "v_in"), ("vmem", "k_in"), ("salu", "scores"))),
    # Without padding: 16384 bytes a buffer, of K and of V, where one of the base's is padded.
    ("maps 32x32 and 8x32", """fmha.schedule @word = @dualwave_1tile with <
       k = <map = <row = [64, 128, 256, 512 xor 32, 1024 xor 16], col = [2, 4, 8, 16, 32]>>,
       v = <without layout, map = <row = [64, 128, 256], col = [2, 4, 8, 16, 32]>>>""",
     "dualwave_1tile",
     lambda code, base: code.count(r"group_segment_fixed_size: 65536") == 1
     and not base.count(r"group_segment_fixed_size: 65536")),
]
# A policy of each operand; none changes what an instruction does, or their order.
ROWS += [(f"cache of {operand}: {bits}",
          f"fmha.schedule @word = @dualwave_1tile with <cache = <{operand} = {bits}>>",
          "dualwave_1tile", has_policy(operand, bits))
         for operand, bits in (("q", "sc0"), ("k", "nt"), ("v", "sc1"), ("o", "sc0 nt sc1"),
                               ("v", "sc0 nt"), ("o", "nt"))]
PROBLEMS = (["--mask", "none", "--seqlen-q", "300", "--seqlen-kv", "333"],
            ["--mask", "causal", "--seqlen-q", "280", "--seqlen-kv", "520"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--start", required=True, help="the schedule with scale = start")
    slices.add_argument(parser)
    options = parser.parse_args()
    slices.tell(options)
    failed, rows = 0, options.slice.of(ROWS)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "word.mlir")

        def code_of(schedule):
            texts = []
            for rung in ("isa", "llvm"):
                out = os.path.join(folder, "code." + rung)
                subprocess.run([options.fmhac, "compile", "--schedule", schedule, "--head-dim",
                                "128", f"--emit={rung}", "-o", out], check=True,
                               capture_output=True)
                with open(out) as file:
                    texts.append(file.read())
            return Code(*texts)

        bases = {name: code_of(name) for name in {row[2] for row in rows}}
        for name, text, base, shows in rows:
            schedule = path if text else options.start
            if text:
                with open(path, "w") as file:
                    file.write(text + "\n")
            if not shows(code_of(schedule), bases[base]):
                failed += 1
                print(f"FAIL: {name}: the code does not show it")
            for problem in PROBLEMS:
                result = subprocess.run(
                    [options.fmhac, "run", "--json", "--check=all", "--schedule", schedule,
                     "--head-dim", "128", "--heads", "2", "--kv-heads", "1", *problem],
                    capture_output=True, text=True)
                report = json.loads(result.stdout) if result.stdout else {}
                if result.returncode or report.get("pass") is not True or report["findings"]:
                    failed += 1
                    print(f"FAIL: {name}, {' '.join(problem)}: {result.stdout}{result.stderr}")
    print(f"{len(rows)} words, {len(PROBLEMS)} problems each, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
