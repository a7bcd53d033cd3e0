# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails unless each stage of the pipeline that runs fmha-* passes has a file
without_STAGE.test in the folder, each such file a stage, and each pass a stage."""
import os
import re
import sys

table, passes, folder = sys.argv[1:4]
with open(table, encoding="utf-8") as text:
    rows = re.findall(r'^FMHAC_(?:STAGE|LINES)\("([^"]*)",\s*"([^"]*)"', text.read(), re.MULTILINE)
with open(passes, encoding="utf-8") as text:
    ours = set(re.findall(r'FmhaPass<"([a-z-]+)"', text.read()))

problems = []
expected = {f"without_{name}.test" for name, pipeline in rows if "fmha-" in pipeline}
found = {name for name in os.listdir(folder) if name.startswith("without_")}
run = {name for _, pipeline in rows for name in re.findall(r"fmha-[a-z-]+", pipeline)}
problems += [f"expected {name}: its stage has no removal test" for name in expected - found]
problems += [f"found {name}: its stage is not in the pipeline" for name in found - expected]
problems += [f"{name}: no stage runs it" for name in ours - run]
problems += [f"{name}: a stage runs it, Passes.td has it not" for name in run - ours]
print("\n".join(sorted(problems)))
sys.exit(bool(problems))
