# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails unless each stage of the pipeline that runs fmha-* passes has a file
without_STAGE.test in the folder, and each such file a stage."""
import os
import re
import sys

table, folder = sys.argv[1:3]
with open(table, encoding="utf-8") as text:
    rows = re.findall(r'^FMHAC_STAGE\("([^"]*)",\s*"([^"]*)"', text.read(), re.MULTILINE)
expected = {f"without_{name}.test" for name, pipeline in rows if "fmha-" in pipeline}
found = {name for name in os.listdir(folder) if name.startswith("without_")}
for name in sorted(expected - found):
    print(f"expected {name}: its stage has no removal test")
for name in sorted(found - expected):
    print(f"found {name}: its stage is not in the pipeline")
sys.exit(expected != found)
