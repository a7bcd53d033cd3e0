# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A source file has at most 800 lines; tables (.def, .td) may be longer."""
import house

LIMIT = 800
FOLDERS = ("dialect", "passes", "lib", "oracle", "isa", "driver", "runtime", "examples", "test", "bench")


def check(root):
    for path in house.files(root, FOLDERS, (".c", ".h", ".cpp")):
        lines = house.read(root, path).count("\n")
        if lines > LIMIT:
            yield path, lines, f"{lines} lines, at most {LIMIT}: split it"


house.main(check)
