# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the mnemonics of code objects by optimisation level."""
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

    def write(self, path):
        total = self.total()
        data = {"mnemonics": len(total), "instructions": sum(total.values()),
                "levels": {level: len(counter) for level, counter
                           in sorted(self.counts.items())},
                "occurrences": {name: {level: counter[name] for level, counter
                                       in sorted(self.counts.items())
                                       if counter[name]}
                                for name in sorted(total)}}
        if path == "-":
            json.dump(data, sys.stdout, indent=1)
            print()
        else:
            with open(path, "w", encoding="utf-8") as file:
                json.dump(data, file, indent=1)
        print(f"census: {len(total)} mnemonics in {sum(total.values())} "
              "instructions; " + ", ".join(
                  f"-{level} {count}" for level, count in data["levels"].items()))
