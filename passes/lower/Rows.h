// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Where the rows of a tile lie, for the lowerings that bring them: one after
/// the other in a slice, in one page, or each in a page of its own.
#ifndef FMHA_LOWER_ROWS_H
#define FMHA_LOWER_ROWS_H

#include "lower/Slices.h"

namespace mlir::fmha {

/// The rows of one tile. An instruction addresses a row by a descriptor, the
/// offset of each lane and one that is the same in all; or, where lanes have
/// pages of their own, by an address of 64 bits in each lane.
class TileRows {
public:
  /// Of the `count` rows that `op` brings, so many elements on end a lane.
  /// Fails with an error at `op` if `rows` does not come from fmha.rows.
  static FailureOr<TileRows> get(Operation *op, Value rows, int64_t count,
                                 int64_t laneElems, Slices &slices);

  /// Emits what is the same for all instructions; to be called before
  /// uniform().
  void begin(LaneBuilder &b);

  /// Whether a lane has addresses of its own, of which it knows all.
  bool isByLane() {
    return pagesTile() && !sharePages(problem(), pagesTile().getLayout());
  }
  /// Of the bits of a coordinate that an instruction and its lanes have,
  /// `ofLanes` and others, those that belong to the place of the lane.
  int64_t bitsOfLanes(int64_t ofLanes) { return isByLane() ? -1 : ofLanes; }
  /// The lane's byte offset, or its address: of its row `row`, of which the
  /// instruction makes `fixed`, and column `column`, which is no more than
  /// `most`. Addresses of lanes give zeros beyond the columns of the rows.
  Value lane(LaneBuilder &b, Value row, int64_t fixed, Value column,
             int64_t most);
  /// Columns that a lane brings at once.
  int64_t laneCols() { return onEnd() ? laneElems : 1; }
  /// Bytes from a row's first column to `column`, or to as many further than
  /// one with which it shares no bit.
  Value columnBytes(LaneBuilder &b, Value column);

  /// What all lanes have in common.
  struct Uniform {
    Value descriptor, offset; ///< null: lanes have addresses
  };
  /// Of row `row` + `fixed`, bits of which lanes have none; the instruction
  /// makes `ofInstruction` of the row.
  Uniform uniform(LaneBuilder &b, Value row, int64_t fixed,
                  int64_t ofInstruction);

  /// Brings so many bytes a lane to LDS, or to registers, as `type`: from its
  /// place, and `colBytes` that all lanes have in common, unless it is by lane,
  /// on.
  void copy(LaneBuilder &b, Uniform common, Value lane, Value colBytes,
            Value lds, int64_t laneBytes, ArrayAttr scopes, ArrayAttr noScopes);
  Value load(LaneBuilder &b, Uniform common, Value lane, Value colBytes,
             Type type, int64_t laneBytes);

  /// Whether what a lane brings at once is keys. Of a piece that has keys past
  /// the last one these come with the others; whole pieces of them are zero.
  bool bringsKeys() { return onEnd() == 0; }
  /// Whether the tile has such a piece, the same in the workgroup.
  Value cutsPiece(LaneBuilder &b);
  /// What a lane brings from row `row` on, as words or an integer of fewer
  /// bits, with keys past the last one zero.
  Value clearPast(LaneBuilder &b, Value brought, Value row);

private:
  TileRows(RowsOp op, const Slice &slice, int64_t count, int64_t laneElems,
           Slices &slices)
      : op(op), slice(slice), count(count), laneElems(laneElems),
        slices(slices) {}

  ProblemAttr problem() { return op->getParentOfType<KernelOp>().getProblem(); }
  TileType pagesTile() {
    return op.getPages() ? dyn_cast<TileType>(op.getPages().getType())
                         : TileType();
  }
  int64_t elemBytes() {
    return bytesOf(bitsOf(op.getRows().getType().getElement()));
  }
  int64_t cols() { return op.getRows().getType().getCols(); }
  unsigned onEnd() { return dimOnEnd(problem(), op.getOperand()); }
  bool bringsZeros() {
    return fmha::bringsZeros(problem(),
                             op->getParentOfType<KernelOp>().getSchedule(),
                             op.getOperand());
  }
  int64_t pieceElems() { return fmha::pieceElems(problem(), op.getOperand()); }
  Value rowBytes(LaneBuilder &b, Value row);
  Value inPieces(LaneBuilder &b, Value index, int64_t pieceBytes);
  Value bytesOfRows(LaneBuilder &b, Value rows, Value between);
  Value firstRow(LaneBuilder &b);
  Value inLoop(LaneBuilder &b, Value row);
  Value numberAt(LaneBuilder &b, int64_t row);
  Value placeOf(LaneBuilder &b, Value page, Value inPage);
  Value laneAddress(LaneBuilder &b, Value row, int64_t fixed, Value column,
                    bool mayPass);
  Value enterPage(LaneBuilder &b, Value page, Value row, int64_t rows);

  RowsOp op;
  Slice slice;
  int64_t count, laneElems;
  Slices &slices;
  Value descriptor, first; ///< row of the descriptor's first; null: 0
  llvm::SmallDenseMap<int64_t, Value> descriptors; ///< by row of instructions
  llvm::SmallDenseMap<Value, Value> hidden;        ///< of inLoop
};

/// The number of the page that holds a tile, or of those of the keys that a
/// lane brings.
FailureOr<Value> lookUpPages(LookUpOp op, LaneBuilder &b, Slices &slices);

} // namespace mlir::fmha

#endif // FMHA_LOWER_ROWS_H
