# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the mnemonics of code objects by optimisation level, and looks each up in what
the emulator says of itself."""
import collections
import json
import os
import re
import subprocess
import sys


class Census:
    def __init__(self):
        self.counts = {}  # level -> mnemonic -> occurrences in the code

    def add(self, llvm_bin, path, level):
        text = subprocess.run(
            [os.path.join(llvm_bin, "llvm-objdump"), "-d", "--no-show-raw-insn",
             "--no-leading-addr", path],
            check=True, capture_output=True, text=True).stdout
        counter = self.counts.setdefault(level, collections.Counter())
        counter.update(re.findall(r"(?m)^\s+([a-z]\w+)", text))

    def merge(self, other):
        for level, counter in other.counts.items():
            self.counts.setdefault(level, collections.Counter()).update(counter)

    def total(self):
        return sum(self.counts.values(), collections.Counter())

    def write(self, path, fmhac):
        """Writes the counts as JSON and prints what they come to. Returns the
        mnemonics that the emulator does not implement."""
        total, known = self.total(), support(fmhac)
        state = {name: known.get(re.sub(r"_(e32|e64|sdwa|dpp)$", "", name), "unknown")
                 for name in total}
        data = {"mnemonics": len(total), "instructions": sum(total.values()),
                "levels": {level: len(counter) for level, counter
                           in sorted(self.counts.items())},
                "support": dict(collections.Counter(state.values())),
                "used": {name: {"support": state[name],
                                **{level: counter[name] for level, counter
                                   in sorted(self.counts.items()) if counter[name]}}
                         for name in sorted(total)}}
        if path == "-":
            json.dump(data, sys.stdout, indent=1)
            print()
        else:
            with open(path, "w", encoding="utf-8") as file:
                json.dump(data, file, indent=1)
        missing = sorted(name for name, how in state.items()
                         if how not in ("documented", "assumed"))
        implemented = len(total) - len(missing)
        print(f"census: {len(total)} mnemonics in {sum(total.values())} instructions ("
              + ", ".join(f"-{level} {count}" for level, count in data["levels"].items())
              + f"); implemented: {implemented} of {len(total)} "
              f"({100 * implemented / max(1, len(total)):.1f} %)"
              + (": not " + ", ".join(missing) if missing else ""))
        return missing


def support(fmhac):
    """Mnemonic, without the suffix of its encoding, to documented, assumed, …"""
    text = subprocess.run([fmhac, "emu", "--coverage", "--list=all", "--json"],
                          check=True, capture_output=True, text=True).stdout
    return {row["mnemonic"]: row["support"] for row in json.loads(text)["instructions"]}
