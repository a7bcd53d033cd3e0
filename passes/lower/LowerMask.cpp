// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "lower/KeyRange.h"
#include "lower/Lanes.h"
#include "lower/Slices.h"

#include <limits>

namespace mlir::fmha {
#define GEN_PASS_DEF_LOWERMASKPASS
#include "Passes.h.inc"

namespace {

using RowFunction = Value (*)(OpBuilder &, Location, ProblemAttr, Value);

/// Replaces a tile of one value a row.
template <typename Op>
LogicalResult lowerRows(Op op, Value tile, RowFunction ofRow) {
  if (failed(requireLayout(op, tile)))
    return failure();
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto kernel = op->template getParentOfType<KernelOp>();
  auto type = cast<TileType>(tile.getType());
  LaneLayoutAttr layout = type.getLayout();
  Value row = emitFirstRow(b, loc, kernel);
  row = arith::AddIOp::create(b, loc, row, emitWaveCoord(b, loc, layout, 0));
  row = arith::AddIOp::create(b, loc, row, emitLaneCoord(b, loc, layout, 0));
  SmallVector<Value> values;
  for (int64_t reg = 0; reg < layout.getRegElems(); ++reg) {
    Value own = arith::AddIOp::create(
        b, loc, row, constantI32(b, loc, layout.regCoord(reg, 0)));
    values.push_back(ofRow(b, loc, kernel.getProblem(), own));
  }
  tile.replaceAllUsesWith(
      fromLanes(b, loc, type, pack(b, loc, values, layout.getFragment())));
  op.erase();
  return success();
}

/// The most that lanes and registers add to the row of a wave.
int64_t rowExtent(LaneLayoutAttr rows) {
  return laneExtent(rows, 0) + rows.regCoord(rows.getRegElems() - 1, 0);
}

LogicalResult lowerMask(MaskOp op) {
  if (failed(requireLayout(op, op.getS())))
    return failure();
  if (!op.getLimit().getDefiningOp<KeyLimitOp>())
    return op.emitOpError("expected the limit to come from fmha.key_limit");
  if (op.getFirst() && !op.getFirst().getDefiningOp<KeyFirstOp>())
    return op.emitOpError("expected first to come from fmha.key_first");
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto kernel = op->getParentOfType<KernelOp>();
  TileType type = op.getS().getType();
  LaneLayoutAttr layout = type.getLayout();
  LaneLayoutAttr rows = op.getLimit().getType().getLayout();
  if (!rows)
    return requireLayout(op, op.getLimit());

  Value tileKeys = constantI32(b, loc, type.dim(1));
  Value firstKey = arith::MulIOp::create(b, loc, op.getIndex(), tileKeys);
  Value endKey = arith::AddIOp::create(b, loc, firstKey, tileKeys);

  // Uniform in the wave: the limit of its first row is the least, the first key
  // of its last row the greatest.
  ProblemAttr problem = kernel.getProblem();
  Value waveRow = arith::AddIOp::create(b, loc, emitFirstRow(b, loc, kernel),
                                        emitWaveCoord(b, loc, rows, 0));
  Value cut =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                            emitKeyLimit(b, loc, problem, waveRow), endKey);
  if (op.getFirst()) {
    Value lastRow = arith::AddIOp::create(b, loc, waveRow,
                                          constantI32(b, loc, rowExtent(rows)));
    Value cutBelow =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                              emitFirstKey(b, loc, problem, lastRow), firstKey);
    cut = arith::OrIOp::create(b, loc, cut, cutBelow);
  }

  SmallVector<Value> fragments = toLanes(b, loc, op.getS());
  SmallVector<Value> limits = unpack(b, loc, toLanes(b, loc, op.getLimit()));
  SmallVector<Value> firsts;
  if (op.getFirst())
    firsts = unpack(b, loc, toLanes(b, loc, op.getFirst()));
  Value laneCol = emitLaneCoord(b, loc, layout, 1);
  auto ofLane = [&](ArrayRef<Value> keys) {
    SmallVector<Value> own;
    for (Value key : keys)
      own.push_back(arith::SubIOp::create(b, loc, key, laneCol));
    return own;
  };
  SmallVector<Value> laneLimits = ofLane(limits), laneFirsts = ofLane(firsts);
  auto branch = scf::IfOp::create(b, loc, ValueRange(fragments).getTypes(), cut,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, fragments);
    b.setInsertionPointToStart(branch.thenBlock());
    // Per row: the range of keys that it sees, counted from the tile's first
    // key of this lane. What does not depend on the tile is made before the
    // branch, where it can leave the loop.
    llvm::DenseMap<int64_t, Value> limitOfRow, firstOfRow;
    for (int64_t reg = 0; reg < rows.getRegElems(); ++reg) {
      int64_t row = rows.regCoord(reg, 0);
      limitOfRow[row] =
          arith::SubIOp::create(b, loc, laneLimits[reg], firstKey);
      if (op.getFirst())
        firstOfRow[row] =
            arith::SubIOp::create(b, loc, laneFirsts[reg], firstKey);
    }
    Value hidden = constantF32(b, loc, -std::numeric_limits<float>::infinity());
    SmallVector<Value> masked = unpack(b, loc, fragments);
    for (auto [reg, score] : llvm::enumerate(masked)) {
      Value key = constantI32(b, loc, layout.regCoord(reg, 1));
      int64_t row = layout.regCoord(reg, 0);
      Value visible = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                            key, limitOfRow.lookup(row));
      if (op.getFirst()) {
        Value late = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                           key, firstOfRow.lookup(row));
        visible = arith::AndIOp::create(b, loc, visible, late);
      }
      score = arith::SelectOp::create(b, loc, visible, score, hidden);
    }
    scf::YieldOp::create(b, loc, pack(b, loc, masked, layout.getFragment()));
  }
  op.replaceAllUsesWith(fromPresentLanes(b, loc, type, branch.getResults()));
  op.erase();
  return success();
}

struct LowerMask : impl::LowerMaskPassBase<LowerMask> {
  void runOnOperation() override {
    Operation *kernel = getOperation();
    if (failed(lowerEach<MaskOp>(kernel, lowerMask)) ||
        failed(lowerEach<KeyLimitOp>(kernel,
                                     [](KeyLimitOp op) {
                                       return lowerRows(op, op.getLimit(),
                                                        emitKeyLimit);
                                     })) ||
        failed(lowerEach<KeyFirstOp>(kernel, [](KeyFirstOp op) {
          return lowerRows(op, op.getFirst(), emitFirstKey);
        })))
      signalPassFailure();
  }
};
} // namespace
} // namespace mlir::fmha
