// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "support/Lanes.h"

#include <limits>

namespace mlir::fmha {
#define GEN_PASS_DEF_LOWERMASKPASS
#include "Passes.h.inc"

namespace {

Value arg(OpBuilder &b, Location loc, Arg field) {
  return ArgOp::create(b, loc, b.getI32Type(), field);
}

/// Keys that row `row` sees: j < limit.
Value limitOfRow(OpBuilder &b, Location loc, MaskKind mask, Value row) {
  Value seqlenKv = arg(b, loc, Arg::SeqlenKv);
  if (mask == MaskKind::None)
    return seqlenKv;
  // Bottom-right: j <= row + Sk - Sq.
  Value delta =
      arith::SubIOp::create(b, loc, seqlenKv, arg(b, loc, Arg::SeqlenQ));
  Value limit = arith::AddIOp::create(b, loc, row, delta);
  limit = arith::AddIOp::create(b, loc, limit, constantI32(b, loc, 1));
  return arith::MinSIOp::create(b, loc, limit, seqlenKv);
}

LogicalResult lowerKeyLimit(KeyLimitOp op) {
  if (failed(requireLayout(op, op.getLimit())))
    return failure();
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto kernel = op->getParentOfType<KernelOp>();
  TileType type = op.getLimit().getType();
  LaneLayoutAttr layout = type.getLayout();
  Value row = emitFirstRow(b, loc, kernel);
  row = arith::AddIOp::create(b, loc, row, emitWaveCoord(b, loc, layout, 0));
  row = arith::AddIOp::create(b, loc, row, emitLaneCoord(b, loc, layout, 0));
  SmallVector<Value> limits;
  for (int64_t reg = 0; reg < layout.getRegElems(); ++reg) {
    Value own = arith::AddIOp::create(
        b, loc, row, constantI32(b, loc, layout.regCoord(reg, 0)));
    limits.push_back(limitOfRow(b, loc, op.getMask(), own));
  }
  op.replaceAllUsesWith(
      fromLanes(b, loc, type, pack(b, loc, limits, layout.getFragment())));
  op.erase();
  return success();
}

LogicalResult lowerMask(MaskOp op) {
  if (failed(requireLayout(op, op.getS())))
    return failure();
  auto limitOp = op.getLimit().getDefiningOp<KeyLimitOp>();
  if (!limitOp)
    return op.emitOpError("expected the limit to come from fmha.key_limit");
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

  // Uniform in the wave: its first row sees the fewest keys.
  Value waveRow = arith::AddIOp::create(b, loc, emitFirstRow(b, loc, kernel),
                                        emitWaveCoord(b, loc, rows, 0));
  Value fewest = limitOfRow(b, loc, limitOp.getMask(), waveRow);
  Value cut =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, fewest, endKey);

  SmallVector<Value> fragments = toLanes(b, loc, op.getS());
  SmallVector<Value> limits = unpack(b, loc, toLanes(b, loc, op.getLimit()));
  auto branch = scf::IfOp::create(b, loc, ValueRange(fragments).getTypes(), cut,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, fragments);
    b.setInsertionPointToStart(branch.thenBlock());
    // Per row: keys that it sees, counted from the tile's first key of this
    // lane.
    Value laneKey = arith::AddIOp::create(b, loc, firstKey,
                                          emitLaneCoord(b, loc, layout, 1));
    llvm::DenseMap<int64_t, Value> seenOfRow;
    for (int64_t reg = 0; reg < rows.getRegElems(); ++reg)
      seenOfRow[rows.regCoord(reg, 0)] =
          arith::SubIOp::create(b, loc, limits[reg], laneKey);
    Value hidden = constantF32(b, loc, -std::numeric_limits<float>::infinity());
    SmallVector<Value> masked = unpack(b, loc, fragments);
    for (auto [reg, score] : llvm::enumerate(masked)) {
      Value key = constantI32(b, loc, layout.regCoord(reg, 1));
      Value visible =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, key,
                                seenOfRow.lookup(layout.regCoord(reg, 0)));
      score = arith::SelectOp::create(b, loc, visible, score, hidden);
    }
    scf::YieldOp::create(b, loc, pack(b, loc, masked, layout.getFragment()));
  }
  op.replaceAllUsesWith(fromLanes(b, loc, type, branch.getResults()));
  op.erase();
  return success();
}

struct LowerMask : impl::LowerMaskPassBase<LowerMask> {
  void runOnOperation() override {
    SmallVector<MaskOp> masks;
    SmallVector<KeyLimitOp> limits;
    getOperation().walk([&](MaskOp op) { masks.push_back(op); });
    getOperation().walk([&](KeyLimitOp op) { limits.push_back(op); });
    for (MaskOp op : masks)
      if (failed(lowerMask(op)))
        return signalPassFailure();
    for (KeyLimitOp op : limits)
      if (failed(lowerKeyLimit(op)))
        return signalPassFailure();
  }
};
} // namespace
} // namespace mlir::fmha
