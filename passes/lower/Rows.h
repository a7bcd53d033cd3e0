// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Where the rows of a tile lie, for the lowerings that bring them: one after
/// the other in a slice, in one page, or each in a page of its own.
#ifndef FMHA_LOWER_ROWS_H
#define FMHA_LOWER_ROWS_H

#include "lower/Slices.h"

namespace mlir::fmha {

/// The rows of one tile. An instruction addresses a row by the offset of each
/// lane and one that is the same in all.
class TileRows {
public:
  /// Of the `count` rows that `op` brings. Fails with an error at `op` if
  /// `rows` does not come from fmha.rows.
  static FailureOr<TileRows> get(Operation *op, Value rows, int64_t count,
                                 Slices &slices);

  /// Emits what is the same for all instructions; to be called before
  /// uniformOffset() and getDescriptor().
  void begin(LaneBuilder &b);
  Value getDescriptor() const { return descriptor; }

  /// Of the bits of a row that an instruction and its lanes have, `ofLanes` and
  /// others, those that belong to the offset of the lane.
  int64_t bitsOfLanes(int64_t ofLanes) { return isSpread() ? -1 : ofLanes; }
  /// Bytes of the lane: of its row `row`, of which the instruction makes
  /// `fixed`, and column `column`.
  Value laneOffset(LaneBuilder &b, Value row, int64_t fixed, Value column);
  /// Bytes of a row that is no lane's; null if there is none.
  Value uniformOffset(LaneBuilder &b, Value row, int64_t fixed);

private:
  TileRows(RowsOp op, const Slice &slice, int64_t count)
      : op(op), slice(slice), count(count) {}

  TileType pagesTile() {
    return op.getPages() ? dyn_cast<TileType>(op.getPages().getType())
                         : TileType();
  }
  /// Whether each row has a page of its own.
  bool isSpread() { return pagesTile() != nullptr; }
  int64_t elemBytes() {
    return bytesOf(bitsOf(op.getRows().getType().getElement()));
  }
  Value firstRow(LaneBuilder &b);
  Value spreadOffset(LaneBuilder &b, Value row, int64_t fixed, Value column);
  void enterPage(LaneBuilder &b);

  RowsOp op;
  Slice slice;
  int64_t count;
  Value descriptor, first; ///< row of the descriptor's first; null: 0
};

/// The number of the page that holds a tile, or of those of the keys that a
/// lane brings.
FailureOr<Value> lookUpPages(LookUpOp op, LaneBuilder &b, Slices &slices);

} // namespace mlir::fmha

#endif // FMHA_LOWER_ROWS_H
