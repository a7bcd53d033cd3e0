# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every source file names its licence in its first lines; no file holds marks of
unfinished work."""
import os

import house

SOURCES = (
    ".c", ".h", ".cpp", ".td", ".def", ".cmake", ".py", ".sh", ".mlir", ".test", ".s",
    ".in", ".scd", "CMakeLists.txt", "quickstart",
)
LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
FIRST_LINES = 5
# In brackets, so that this file does not hold the marks itself.
MARKS = r"\b(TO[D]O|FIX[M]E)\b"


def check(root):
    for path in house.files(root):
        if path.startswith(".git" + os.sep):
            continue
        if not path.endswith((*SOURCES, ".md")):
            continue
        text = house.read(root, path)
        if path.endswith(SOURCES):
            if LICENCE not in "\n".join(text.splitlines()[:FIRST_LINES]):
                yield path, 1, f"expected '{LICENCE}' in the first {FIRST_LINES} lines"
        for line, match in house.matches(text, MARKS):
            yield path, line, f"unfinished: '{match.group(1)}'"


house.main(check)
