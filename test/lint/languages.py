# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""lib, driver, runtime and examples are C."""
import os

import house

FOLDERS = ("lib", "oracle", "isa", "driver", "runtime", "examples")
CXX_FILES = (".cc", ".cpp", ".cxx", ".hpp", ".hh")
CXX_TEXT = (
    r"\bstd::|\btemplate\s*<|(?m:^\s*(?:namespace|class)\s+\w+)|\bnullptr\b"
    r"|(?m:^\s*using\s+\w+)|#\s*include\s*<(?:c[a-z]+|string|vector|memory|map|mutex)>"
)


def check(root):
    for path in house.files(root, FOLDERS):
        if path.endswith(CXX_FILES):
            yield path, 1, f"C++ in {path.split(os.sep, 1)[0]}, a C folder"
        elif path.endswith((".c", ".h")):
            text = house.code(house.read(root, path))
            for line, match in house.matches(text, CXX_TEXT):
                yield path, line, f"C++ in a C file: '{match.group().strip()}'"


house.main(check)
