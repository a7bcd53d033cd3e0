# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails unless each row of the pipeline that runs fmha-* passes has a file
without_NAME.test in the folder, each such file a row, and each pass a row."""
import os
import re
import sys

table, passes, folder = sys.argv[1:4]
with open(table, encoding="utf-8") as text:
    rows = re.findall(r'^FMHAC_(?:PASS|LINES)\("([^"]*)",\s*"([^"]*)"', text.read(), re.MULTILINE)
with open(passes, encoding="utf-8") as text:
    ours = set(re.findall(r'FmhaPass<"([a-z-]+)"', text.read()))

problems = []
expected = {f"without_{name}.test" for name, pipeline in rows if "fmha-" in pipeline}
found = {name for name in os.listdir(folder) if name.startswith("without_")}
run = {name for _, pipeline in rows for name in re.findall(r"fmha-[a-z-]+", pipeline)}
problems += [f"expected {name}: its pass has no removal test" for name in expected - found]
problems += [f"found {name}: its pass is not in the pipeline" for name in found - expected]
problems += [f"{name}: no pass runs it" for name in ours - run]
problems += [f"{name}: a pass runs it, Passes.td has it not" for name in run - ours]
print("\n".join(sorted(problems)))
sys.exit(bool(problems))
