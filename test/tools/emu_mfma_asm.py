# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the programs that probe matrix instructions have in common: operands as bytes,
instructions as text."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from emu_mfma_layout import BITS  # noqa: E402
from emu_program import move, registers  # noqa: E402

PAIRS = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]  # ISA 7.5: index 0 < index 1

# registers of the probes
V_OFFSET = {1: 2, 2: 3, 4: 4, 6: 5, 8: 6, 16: 7, 32: 8}  # lane * 4 * count
V_B, V_A, V_INDEX, V_SCALE, V_D, V_SUM = 16, 56, 80, 82, 96, 128


def pack(lanes, fmt, registers_count):
    """lanes: per lane a dict item -> encoding."""
    size = 4 * registers_count
    width = BITS[fmt]
    out = []
    for items in lanes:
        packed = 0
        for item, code in items.items():
            packed |= code << width * item
        out.append(packed.to_bytes(size, "little"))
    return b"".join(out)


def offsets():
    return "\n".join(f"  v_mul_u32_u24_e32 v{r}, {4 * n}, v0"
                     for n, r in V_OFFSET.items())


def load(shape, operand, first):
    n = shape.registers(operand)
    return move("load", first, n, V_OFFSET[n])


def instruction(shape, d, a, b, c, scales="", files="vvv"):
    """files: of A, of B, of C and D."""
    na, nb, nd = (shape.registers(x) for x in "abd")
    if shape.sparse:
        c = f"v{V_INDEX}"
    elif not isinstance(c, str):
        c = registers(c, nd, files[2])
    return "  %s %s, %s, %s, %s%s%s\n  s_nop 15\n  s_nop 15" % (
        shape.mnemonic, registers(d, nd, files[2]), registers(a, na, files[0]),
        registers(b, nb, files[1]), c, scales, shape.modifiers())


def zero(first, count):
    return "\n".join(f"  v_mov_b32_e32 v{first + r}, 0" for r in range(count))


def index_word(shape, lane, variant):
    """The pairs of a lane's index register; what is not selected holds other pairs."""
    nibbles = [PAIRS[(lane + n + variant) % 6] for n in range(shape.a_items // 2)]
    size = 2 * shape.a_items
    word = 0
    for at in range(0, 32, size):
        for n, (low, high) in enumerate(nibbles):
            if at != shape.index_shift():
                low, high = PAIRS[(PAIRS.index((low, high)) + 1 + at // size) % 6]
            word |= (low | high << 2) << at + 4 * n
    return word, nibbles


def scale_bytes(shape, n):
    """Which byte of A's and of B's scale register an instruction takes: all sixteen
    combinations come up among the 25 pairs of formats."""
    return n % 4, n // 4 % 4


def scale_operands(selected):
    a, b = selected
    return (f", v{V_SCALE}, v{V_SCALE + 1} op_sel:[{a & 1},{b & 1},0] "
            f"op_sel_hi:[{a >> 1},{b >> 1},0]")


def scale_word(value, selected):
    """An E8M0 scale in the byte that counts; others would give wrong sums."""
    return sum((value if byte == selected else 200 + byte) << 8 * byte
               for byte in range(4))
