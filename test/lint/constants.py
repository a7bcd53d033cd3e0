# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No pass and no part of the dialect names a schedule or a tile constant: schedules
are data. Files of schedules, the chip's table and tests are where such numbers
stand; anything else is listed here with its reason."""
import house

SCHEDULES = r"\b(generic\w*|dualwave\w*|quadphase|mla_prefill|two_q|decode_split)\b"
NUMBERS = r"(?<![\w.])(64|128|256|520|544)(?![\w.])|\b\d+x(?:64|128|256)\b"
CHIP = "passes/chip/Chip."

WIDTH = "bits of an integer type, not keys or rows"
ALLOWED = house.Allowed([
    ("dialect/FmhaOps.cpp", "IntegerType::get(context, 64)", WIDTH),
    ("dialect/FmhaAttrs.cpp", "dim > 256", "largest head size that the dialect takes"),
])


def check(root):
    for path in house.files(root, ("dialect", "passes"), (".cpp", ".h")):
        if path.startswith(CHIP):
            continue
        text = house.read(root, path)
        lines = text.splitlines()
        for line, match in house.matches(house.code(text, keep_strings=True), SCHEDULES):
            yield path, line, f"names the schedule '{match.group(1)}'"
        for line, match in house.matches(house.code(text), NUMBERS):
            if (path, lines[line - 1]) not in ALLOWED:
                yield path, line, f"tile constant {match.group()}: belongs to a schedule or the chip"
    yield from ALLOWED.stale(root)


house.main(check)
