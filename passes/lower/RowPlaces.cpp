// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/RowPlaces.h"

#include "lanes/PackedRows.h"

using namespace mlir;
using namespace mlir::fmha;

/// With what is added to it, at most 2^32 - 1: extents stay below it by the
/// launcher's proof.
static constexpr int64_t kPast = (int64_t(1) << 32) - RowPlaces::kFixedBytes;

/// Of a row in a slice that has rows of several heads.
Value RowPlaces::place(LaneBuilder &b, int64_t fixed) {
  Value row = b.add(b.add(waveRow, laneRow), b.i32(fixed));
  Value ofQ = queryRow(b, row);
  Value offset = b.mul(memberOf(b, row, ofQ), slice.headStride);
  if (slice.rowStride) {
    const int64_t shared = rowsAFactor(b.kernel().getProblem(), slice.operand);
    Value own = ofQ;
    if (shared > 1)
      own = arith::DivUIOp::create(b, own, b.i32(shared));
    offset = b.add(b.mul(own, slice.rowStride), offset);
  }
  if (columns)
    offset = b.add(offset, columns);
  Value isThere = b.cmp(arith::CmpIPredicate::slt, row, rowsOfSequence(b));
  return b.select(isThere, offset, b.i32(kPast));
}

RowPlaces::RowPlaces(LaneBuilder &b, const Slice &slice, Value laneRow)
    : slice(slice), laneRow(laneRow) {
  if (!areOfLanes())
    offsets[0] = b.mul(laneRow, slice.rowStride);
}

void RowPlaces::addColumns(LaneBuilder &b, Value bytes) {
  columns = bytes;
  if (!areOfLanes())
    offsets[0] = b.add(offsets[0], bytes);
}

Value RowPlaces::ofLane(LaneBuilder &b, int64_t row) {
  Value &offset = offsets[areOfLanes() ? row : 0];
  if (!offset)
    offset = place(b, row);
  return offset;
}

Value RowPlaces::uniform(LaneBuilder &b, int64_t row) {
  return areOfLanes() ? b.i32(0)
                      : b.mul(b.add(waveRow, b.i32(row)), slice.rowStride);
}

Value RowPlaces::whole(LaneBuilder &b, int64_t row) {
  if (areOfLanes())
    return ofLane(b, row);
  if (!wholeOfFirst)
    wholeOfFirst = b.add(ofLane(b, 0), b.mul(waveRow, slice.rowStride));
  return row ? b.add(wholeOfFirst, b.mul(b.i32(row), slice.rowStride))
             : wholeOfFirst;
}

void RowPlaces::addToWhole(LaneBuilder &b, Value bytes) {
  if (areOfLanes())
    columns = columns ? b.add(columns, bytes) : bytes;
  else
    wholeOfFirst = b.add(whole(b, 0), bytes);
}
