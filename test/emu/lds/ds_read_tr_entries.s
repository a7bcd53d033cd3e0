// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// The transposing LDS reads, element by element. Every element of LDS gets a number of
// its own, as many elements' widths at a time as one pass can show, so what a lane
// receives names the lane and the element that it came from.
//
// Source: CDNA4 ISA 11.4; rocRoller's TransposeLoadsTest, which runs on gfx950, gives the
// places: in each 16 lanes, element j of lane c is
//   b16  element c%4 of lane 4j + c/4      b8  element c%8 of lane 2j + c/8
//   b4   element c of lane j               b6  element c of lane j
// Each lane's address is its own (LINEAR and SCATTERED order of the 64 rows, 16 bytes
// apart, which b6 needs), and so is where the rows of 16 lanes begin.

.set LDS, 1024
.include "prologue.inc"
//| KINDS = {16: (4, 64), 8: (8, 64), 4: (16, 64), 6: (16, 96)}  # elements, bits a lane
//| ORDERS = {"linear": LANE, "scattered": [(29 * l + 7) % 64 for l in LANE]}
//| def source(width, c, j):
//|     return {16: (4*j + c//4, c % 4), 8: (2*j + c//8, c % 8)}.get(width, (j, c))
//| def row(width, slot, step):
//|     """Bits of one 16-byte row: digit `step` of the numbers of its elements."""
//|     count, _ = KINDS[width]
//|     return sum((slot * count + e >> width * step & (1 << width) - 1) << width * e
//|                for e in range(count))
//| def result(width, order, step):
//|     values = []
//|     for lane in LANE:
//|         packed = 0
//|         for j in range(KINDS[width][0]):
//|             l, e = source(width, lane % 16, j)
//|             field = row(width, order[lane - lane % 16 + l], step) >> width * e
//|             packed |= (field & (1 << width) - 1) << width * j
//|         values.append(packed)
//|     return values
//| STEPS = [(16, 0), (8, 0), (8, 1), (4, 0), (4, 1), (4, 2), (6, 0), (6, 1)]
//| columns = []
//| for width, step in STEPS:
//|     rows = [row(width, slot, step) for slot in LANE]
//|     columns += [[r >> 32 * d & U32 for r in rows] for d in range(3)]
//| inputs(*columns)
//| for order in ORDERS.values():
//|     inputs([16 * slot for slot in order])
//| for width, step in STEPS:
//|     for name, order in ORDERS.items():
//|         got = result(width, order, step)
//|         for d in range(KINDS[width][1] // 32):
//|             expect(f"b{width} digit {step} {name} [{d}]",
//|                    [g >> 32 * d & U32 for g in got])

.macro STEP read, dwords, column
  INPUTS 16, 3, \column
  LOADED
  ds_write_b96 v6, v[16:18]
  s_waitcnt lgkmcnt(0)
  \read v[20:20+\dwords-1], v4
  \read a[20:20+\dwords-1], v5
  s_waitcnt lgkmcnt(0)
  OUTPUTS 20, \dwords
  OUTPUTS_ACC 20, \dwords
.endm

KERNEL
  INPUTS 4, 2, 24
  v_lshlrev_b32_e32 v6, 4, v0
  STEP ds_read_b64_tr_b16, 2, 0
  STEP ds_read_b64_tr_b8, 2, 3
  STEP ds_read_b64_tr_b8, 2, 6
  STEP ds_read_b64_tr_b4, 2, 9
  STEP ds_read_b64_tr_b4, 2, 12
  STEP ds_read_b64_tr_b4, 2, 15
  STEP ds_read_b96_tr_b6, 3, 18
  STEP ds_read_b96_tr_b6, 3, 21
END_KERNEL
