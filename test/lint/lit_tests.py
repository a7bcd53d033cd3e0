# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Form of the lit tests: test/passes/ARGUMENT/what_happens.mlir runs one pass of ours,
the one that its folder is named after; negatives are called OP_invalid (verifiers)
and reject_WHY (passes), and every pass has a folder."""
import os
import re

import house

OUR_PASS = r"-(fmha-[a-z-]+)"


def run_lines(text):
    """RUN lines, with continued ones joined."""
    joined = re.sub(r"\\\n\s*(?://|#)\s*RUN:", " ", text)
    return re.findall(r"RUN:\s*(.*)", joined)


def check_pass_test(path, text):
    folder = path.split("/")[2]
    passes = [re.findall(OUR_PASS, line) for line in run_lines(text)]
    for names in passes:
        if len(names) > 1:
            yield path, 1, f"expected one pass a RUN line, found {', '.join(names)}"
    found = {name for names in passes for name in names}
    if found != {folder}:
        yield path, 1, f"expected the pass {folder}, found {', '.join(sorted(found)) or 'none'}"
    name = os.path.basename(path)
    refuses = "expected-error" in text
    if refuses != name.startswith("reject_") and folder != "fmha-verify-rung":
        yield path, 1, "a test is called reject_WHY if, and only if, the pass refuses"


def check(root):
    for path in house.files(root, ("test/passes",), (".mlir",)):
        yield from check_pass_test(path, house.read(root, path))
    for path in house.files(root, ("test/dialect",), (".mlir",)):
        refuses = "expected-error" in house.read(root, path)
        if refuses != path.endswith("_invalid.mlir"):
            yield path, 1, "a test is called OP_invalid if, and only if, a verifier refuses"
    table = "passes/Passes.td"
    if os.path.exists(os.path.join(root, table)):
        for line, match in house.matches(house.read(root, table), r'FmhaPass<"([a-z-]+)"'):
            if not os.path.isdir(os.path.join(root, "test/passes", match.group(1))):
                yield table, line, f"{match.group(1)} has no folder in test/passes"


house.main(check)
