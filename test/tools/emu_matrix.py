# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix operands lane by lane, and a plain matrix product, for the MFMA tests.

Layouts, for M x M results, `blocks` independent products, K elements in all:

  A[i][k] of block b: lane M*(g + b) + i for K-group g, element k % kl of that lane
  B[k][j] of block b: the same with j for i
  D[i][j] of block b: M=32: lane 32*(i/4 % 2) + j, register 16*b + 4*(i/8) + i%4
                      M=16: lane 16*(i/4) + j,     register 4*b + i%4
                      M=4:  lane 4*b + j,          register i

with kl = K / groups, groups = 64 / (M * blocks). Sources: AMD's
amd_matrix_instruction_calculator (ROCm/amd_matrix_instruction_calculator, CDNA3,
`--detail-instruction`) for the shapes CDNA3 has; the double-rate 16-bit shapes of
gfx950 follow the same rule with kl = 8 ("Register mapping", Modular and
HipKittens sources load 8 consecutive k a lane for 32x32x16 and 16x16x32).
The f8f6f4 shapes hold kl = 32 elements a lane, packed without gaps.
A permutation of k common to A and B cannot be seen in a result.
"""

import emu_numbers as numbers

BITS = {"bf16": 16, "f16": 16, "f32": 32, "fp8": 8, "bf8": 8, "i8": 8,
        "fp6": 6, "bf6": 6, "fp4": 4}


class Mfma:
    def __init__(self, kind, m, k, blocks=1, kind_b=None):
        self.kind, self.kind_b = kind, kind_b or kind
        self.m, self.k, self.blocks = m, k, blocks
        self.groups = max(64 // (m * blocks), 1)
        self.kl = k // self.groups
        self.registers = m * m * blocks // 64

    def random(self, seed, low=-4, high=4):
        """A, B, C of every block, as lists [block][row][column] of integers."""
        step = numbers.rng(seed)

        def matrix(rows, columns):
            return [[[low + step(24) % (high - low + 1) for _ in range(columns)]
                     for _ in range(rows)] for _ in range(self.blocks)]

        return matrix(self.m, self.k), matrix(self.k, self.m), \
            matrix(self.m, self.m)

    def constant(self, value):
        return [[[value] * self.m for _ in range(self.m)]
                for _ in range(self.blocks)]

    def one_hot_a(self, *places):
        a = [[[0] * self.k for _ in range(self.m)] for _ in range(self.blocks)]
        for block, i, k in places:
            a[block][i][k] = 1
        return a

    def _encode(self, value, kind):
        if kind == "i8":
            return value & 0xFF
        return numbers.encode(float(value), kind)

    def _operand(self, element, kind):
        """element(block, row, k) -> columns of dwords."""
        bits = BITS[kind]
        columns = [[0] * 64 for _ in range(self.kl * bits // 32)]
        for lane in range(64):
            block = lane // self.m if self.blocks > 1 else 0
            group = lane // self.m if self.blocks == 1 else 0
            packed = 0
            for e in range(self.kl):
                packed |= self._encode(element(block, lane % self.m,
                                               group * self.kl + e), kind) << e * bits
            for c, column in enumerate(columns):
                column[lane] = packed >> 32 * c & numbers.U32
        return columns

    def a(self, matrix):
        return self._operand(lambda b, i, k: matrix[b][i][k], self.kind)

    def b(self, matrix):
        return self._operand(lambda b, j, k: matrix[b][k][j], self.kind_b)

    def _place(self, lane, r):
        """Accumulator register r of a lane -> block, row, column."""
        if self.m == 32:
            s = r % 16
            return r // 16, 8 * (s // 4) + 4 * (lane // 32) + s % 4, lane % 32
        if self.m == 16:
            return r // 4, 4 * (lane // 16) + r % 4, lane % 16
        return lane // 4, r, lane % 4

    def acc(self, matrix, integer=False):
        columns = []
        for r in range(self.registers):
            column = []
            for lane in range(64):
                b, i, j = self._place(lane, r)
                v = matrix[b][i][j]
                column.append(v & numbers.U32 if integer
                              else numbers.b32(float(v)))
            columns.append(column)
        return columns

    def product(self, a, b, c):
        """A x B + C; c may be one number."""
        if not isinstance(c, list):
            c = self.constant(c)
        return [[[sum(x * b[n][k][j] for k, x in enumerate(a[n][i])) + c[n][i][j]
                  for j in range(self.m)] for i in range(self.m)]
                for n in range(self.blocks)]
