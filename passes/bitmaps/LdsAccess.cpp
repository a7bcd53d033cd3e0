// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bitmaps/LdsAccess.h"

using namespace mlir;
using namespace mlir::fmha;

using Coord = std::pair<int64_t, int64_t>;

/// Whether the first `count` bits count neighbouring columns.
static bool countColumns(ArrayRef<Coord> bits, size_t count) {
  return bits.size() >= count &&
         llvm::all_of(llvm::seq(count), [&](size_t bit) {
           return bits[bit] == Coord(0, int64_t(1) << bit);
         });
}

FailureOr<LdsAccess> fmha::planLdsReads(Operation *op, TileType tile,
                                        LdsRead read) {
  LaneLayoutAttr layout = tile.getLayout();
  auto fail = [&](StringRef why) {
    return op->emitOpError()
           << "expected a lane layout that " << stringifyLdsRead(read)
           << " can read: " << why << ", found " << layout;
  };
  SmallVector<Coord> lane, reg;
  for (unsigned bit = 0; bit < layout.laneBits(); ++bit)
    lane.emplace_back(layout.laneBasis(bit, 0), layout.laneBasis(bit, 1));
  for (unsigned bit = 0; bit < layout.regBits(); ++bit)
    reg.emplace_back(layout.regBasis(bit, 0), layout.regBasis(bit, 1));
  const int64_t elems = elemsPerLane(read);
  LdsAccess access{elems, /*bytesPerLane=*/2 * elems, lane, {}};
  if (read == LdsRead::B128) {
    if (!countColumns(reg, 3))
      return fail(
          "b128 needs eight neighbouring columns in register bits 0..2");
  } else {
    // ds_read_b64_tr_b16 works on groups of 16 lanes: lane 4j + x of a group
    // supplies columns 4x..4x+3 of row j, and lane i receives column i of rows
    // 0..3. Source: CDNA4 ISA guide, DS_READ_B64_TR_B16.
    if (!countColumns(lane, 4))
      return fail(
          "tr_b16 needs sixteen neighbouring columns in lane bits 0..3");
    auto isRow = [](Coord at) { return at.first && !at.second; };
    if (reg.size() < 2 || !isRow(reg[0]) || !isRow(reg[1]))
      return fail("tr_b16 needs four rows in register bits 0..1");
    access.lane = {lane[2], lane[3], reg[0], reg[1], lane[4], lane[5]};
  }
  for (int64_t i = 0; i < layout.getRegElems(); i += access.elemsPerLane)
    access.base.emplace_back(layout.regCoord(i, 0), layout.regCoord(i, 1));
  return access;
}
