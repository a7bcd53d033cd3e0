// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "lanes/KeyRange.h"
#include "lanes/PackedRows.h"

#include <limits>

namespace mlir::fmha {
#define GEN_PASS_DEF_LOWERMASKPASS
#include "Passes.h.inc"

namespace {

using RowFunction = Value (*)(LaneBuilder &, ProblemAttr, Value);

/// A tile of one value a row.
Value rowTile(TileType type, LaneBuilder &b, RowFunction ofRow) {
  LaneLayoutAttr layout = type.getLayout();
  Value row = b.add(b.waveRow(layout), b.laneCoord(layout, 0));
  Values values;
  for (int64_t reg = 0; reg < layout.getRegElems(); ++reg)
    values.push_back(
        ofRow(b, b.kernel().getProblem(),
              queryRow(b, b.add(row, b.i32(layout.regCoord(reg, 0))))));
  return b.tileOf(type, values);
}

FailureOr<Value> lower(KeyLimitOp op, LaneBuilder &b) {
  return rowTile(op.getLimit().getType(), b, emitKeyLimit);
}

FailureOr<Value> lower(KeyFirstOp op, LaneBuilder &b) {
  return rowTile(op.getFirst().getType(), b, emitFirstKey);
}

/// The most that lanes and registers add to the row of a wave.
int64_t rowExtent(LaneLayoutAttr rows) {
  return laneExtent(rows, 0) + rows.regCoord(rows.getRegElems() - 1, 0);
}

FailureOr<Value> lower(MaskOp op, LaneBuilder &b) {
  if (!op.getLimit().getDefiningOp<KeyLimitOp>())
    return op.emitOpError("expected the limit to come from fmha.key_limit");
  if (op.getFirst() && !op.getFirst().getDefiningOp<KeyFirstOp>())
    return op.emitOpError("expected first to come from fmha.key_first");
  ProblemAttr problem = b.kernel().getProblem();
  TileType type = op.getS().getType();
  LaneLayoutAttr layout = type.getLayout(),
                 rows = op.getLimit().getType().getLayout();
  Value keys = b.i32(type.dim(1));
  Value firstKey = b.mul(op.getIndex(), keys);
  // Waves that divide the keys have what none of them counts.
  if (const int64_t shares = waveExtent(layout, 1)) {
    firstKey = b.add(firstKey, b.waveCoord(layout, 1));
    keys = b.i32(((type.dim(1) - 1) & ~shares) + 1);
  }
  Value endKey = b.add(firstKey, keys);

  // Uniform in the wave: the limit of its first row is the least, the first key
  // of its last row the greatest.
  Value waveRow = b.waveRow(rows);
  Value cut = b.cmp(arith::CmpIPredicate::slt,
                    emitKeyLimit(b, problem, queryRow(b, waveRow)), endKey);
  if (op.getFirst()) {
    Value lastRow = b.add(waveRow, b.i32(rowExtent(rows)));
    Value cutBelow =
        b.cmp(arith::CmpIPredicate::sgt,
              emitFirstKey(b, problem, queryRow(b, lastRow)), firstKey);
    cut = arith::OrIOp::create(b, cut, cutBelow);
  }

  Values fragments = b.toLanes(op.getS());
  // Per row: the range of keys that it sees, counted from the first key of this
  // lane. What does not depend on the tile is made before the branch, where it
  // can leave the loop.
  Values limits = b.elements(op.getLimit()), firsts;
  if (op.getFirst())
    firsts = b.elements(op.getFirst());
  Value laneCol = b.laneCoord(layout, 1);
  for (Value &limit : limits)
    limit = b.sub(limit, laneCol);
  for (Value &first : firsts)
    first = b.sub(first, laneCol);
  Values masked = b.changeIf(cut, fragments, [&] {
    llvm::DenseMap<int64_t, Value> limitOfRow, firstOfRow;
    for (int64_t reg = 0; reg < rows.getRegElems(); ++reg) {
      int64_t row = rows.regCoord(reg, 0);
      limitOfRow[row] = b.sub(limits[reg], firstKey);
      if (op.getFirst())
        firstOfRow[row] = b.sub(firsts[reg], firstKey);
    }
    Value hidden = b.f32(-std::numeric_limits<float>::infinity());
    Values scores = b.unpack(fragments);
    for (auto [reg, score] : llvm::enumerate(scores)) {
      Value key = b.i32(layout.regCoord(reg, 1));
      int64_t row = layout.regCoord(reg, 0);
      Value visible =
          b.cmp(arith::CmpIPredicate::slt, key, limitOfRow.lookup(row));
      if (op.getFirst()) {
        Value late =
            b.cmp(arith::CmpIPredicate::sge, key, firstOfRow.lookup(row));
        visible = arith::AndIOp::create(b, visible, late);
      }
      score = b.select(visible, score, hidden);
    }
    return b.pack(scores, layout.getFragment());
  });
  return b.fromPresentLanes(type, masked);
}

struct LowerMask : impl::LowerMaskPassBase<LowerMask> {
  LogicalResult run(KernelOp kernel) override {
    // Masks first: they look for what gives their limits.
    auto lowerOp = [](auto op, LaneBuilder &b) { return lower(op, b); };
    if (failed(lowerEach<MaskOp>(kernel, lowerOp)))
      return failure();
    return lowerEach<KeyLimitOp, KeyFirstOp>(kernel, lowerOp);
  }
};
} // namespace
} // namespace mlir::fmha
