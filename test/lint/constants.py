# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No pass and no part of the dialect names a schedule or a tile constant: schedules
are data. Files of schedules, the chip's table and tests are where such numbers
stand; anything else is listed here with its reason. Nor does any take elements to have
a number of bits, or count their bytes by itself, or a schedule name an instruction."""
import house

SCHEDULES = r"\b(generic\w*|dualwave\w*|quadphase|mla_prefill|two_q|decode_split)\b"
NUMBERS = r"(?<![\w.])(64|128|256|520|544)(?![\w.])|\b\d+x(?:64|128|256)\b"
BITS = r"getIntOrFloatBitWidth|/ 8(?![\w.])"
INSTRUCTIONS = r"\b(?:ds_read_\w+|(?:tr_)?b(?:128|64|16|8)|v_mfma\w*|\w*f8f6f4)\b"
CHIP = "passes/chip/Chip."
SIZES = "dialect/FmhaElements.h"

WIDTH = "bits of an integer type, not keys or rows"
ALLOWED = house.Allowed([
    ("dialect/FmhaOps.cpp", "IntegerType::get(context, 64)", WIDTH),
    ("dialect/FmhaScoreMod.cpp", "getIntOrFloatBitWidth() <= kMostBits",
     "a user's value, no element of a tensor"),
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
        for line, match in house.matches(house.code(text), BITS):
            if path != SIZES and (path, lines[line - 1]) not in ALLOWED:
                yield path, line, f"size of an element by '{match.group()}': ask {SIZES}"
    for path in house.files(root, ("passes/schedules",), (".mlir",)):
        for line, match in house.matches(house.code(house.read(root, path)), INSTRUCTIONS):
            yield path, line, f"names the instruction '{match.group()}': belongs to the chip"
    yield from ALLOWED.stale(root)


house.main(check)
