// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bitmaps/LdsAccess.h"

using namespace mlir;
using namespace mlir::fmha;

namespace {

using Coord = std::pair<int64_t, int64_t>;

Coord laneBasis(LaneLayoutAttr layout, unsigned bit) {
  return {layout.laneBasis(bit, 0), layout.laneBasis(bit, 1)};
}
Coord regBasis(LaneLayoutAttr layout, unsigned bit) {
  return {layout.regBasis(bit, 0), layout.regBasis(bit, 1)};
}

/// Bases of the instructions: register elements 0, elems, 2 elems, …
void addBases(LdsAccess &access, LaneLayoutAttr layout) {
  for (int64_t reg = 0; reg < layout.getRegElems(); reg += access.elemsPerLane)
    access.base.push_back({layout.regCoord(reg, 0), layout.regCoord(reg, 1)});
}

LogicalResult planB128(LdsAccess &access, LaneLayoutAttr layout,
                       std::string &reason) {
  constexpr unsigned kElemBits = 3; // 16 bytes of 16-bit elements
  for (unsigned bit = 0; bit < kElemBits; ++bit)
    if (bit >= layout.regBits() ||
        regBasis(layout, bit) != Coord(0, int64_t(1) << bit)) {
      reason = "b128 needs eight neighbouring columns in register bits 0..2";
      return failure();
    }
  access.elemsPerLane = int64_t(1) << kElemBits;
  access.bytesPerLane = 16;
  for (unsigned bit = 0; bit < layout.laneBits(); ++bit)
    access.lane.push_back(laneBasis(layout, bit));
  addBases(access, layout);
  return success();
}

/// ds_read_b64_tr_b16 works on groups of 16 lanes: lane 4j + x of a group
/// supplies columns 4x..4x+3 of row j, and lane i receives column i of rows
/// 0..3. Source: CDNA4 ISA guide, DS_READ_B64_TR_B16.
LogicalResult planTrB16(LdsAccess &access, LaneLayoutAttr layout,
                        std::string &reason) {
  constexpr unsigned kRowBits = 2, kColBits = 4, kElemBits = 2;
  for (unsigned bit = 0; bit < kColBits; ++bit)
    if (laneBasis(layout, bit) != Coord(0, int64_t(1) << bit)) {
      reason = "tr_b16 needs sixteen neighbouring columns in lane bits 0..3";
      return failure();
    }
  for (unsigned bit = 0; bit < kRowBits; ++bit)
    if (bit >= layout.regBits() || regBasis(layout, bit).second != 0 ||
        regBasis(layout, bit).first == 0) {
      reason = "tr_b16 needs four rows in register bits 0..1";
      return failure();
    }
  access.elemsPerLane = int64_t(1) << kRowBits;
  access.bytesPerLane = 8;
  for (unsigned bit = kElemBits; bit < kColBits; ++bit)
    access.lane.push_back(laneBasis(layout, bit));
  for (unsigned bit = 0; bit < kRowBits; ++bit)
    access.lane.push_back(regBasis(layout, bit));
  for (unsigned bit = kColBits; bit < layout.laneBits(); ++bit)
    access.lane.push_back(laneBasis(layout, bit));
  addBases(access, layout);
  return success();
}

} // namespace

FailureOr<LdsAccess> fmha::planLdsReads(TileType tile, LdsRead read,
                                        std::string &reason) {
  LdsAccess access;
  LaneLayoutAttr layout = tile.getLayout();
  switch (read) {
  case LdsRead::B128:
    if (failed(planB128(access, layout, reason)))
      return failure();
    return access;
  case LdsRead::TrB16:
    if (failed(planTrB16(access, layout, reason)))
      return failure();
    return access;
  }
  llvm_unreachable("closed enum");
}
