// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "lower/RowMath.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_LOWERROWSPASS
#include "Passes.h.inc"

namespace {

FailureOr<Value> lower(RescaleOp op, LaneBuilder &b) {
  return scaleRows(op, b, op.getO(), b.elements(op.getCorrection()),
                   op.getCorrection().getType().getLayout());
}

FailureOr<Value> lower(FollowOp op, LaneBuilder &b) {
  return scaleRows(op, b, op.getO(), b.elements(op.getCorrection()),
                   op.getCorrection().getType().getLayout());
}

FailureOr<Value> lower(ScaleScoresOp op, LaneBuilder &b) {
  return scaleRows(op, b, op.getS(), b.elements(op.getFactor()),
                   op.getFactor().getType().getLayout());
}

FailureOr<Value> lower(ScaleRowsOp op, LaneBuilder &b) {
  Values rows = b.elements(op.getRows());
  for (Value &row : rows)
    row = b.mul(row, op.getFactor());
  return b.tileOf(op.getRows().getType(), rows);
}

FailureOr<Value> lower(MagnitudeOp op, LaneBuilder &b) {
  Values rows = b.elements(op.getRows());
  Value least = b.f32(op.getLeast().convertToFloat()),
        most = b.f32(op.getMost().convertToFloat());
  for (Value &row : rows) {
    Value magnitude = math::AbsFOp::create(b, row);
    magnitude = arith::MaxNumFOp::create(b, magnitude, least);
    row = arith::MinNumFOp::create(b, magnitude, most);
  }
  return b.tileOf(op.getRows().getType(), rows);
}

FailureOr<Value> lower(NormalizeOp op, LaneBuilder &b) {
  Values factors;
  for (Value sum : b.elements(op.getL())) {
    Value zero = b.f32(0);
    factors.push_back(b.select(b.cmp(arith::CmpFPredicate::OEQ, sum, zero),
                               zero, b.reciprocal(sum)));
  }
  LaneLayoutAttr rows = op.getL().getType().getLayout();
  FailureOr<Value> o = scaleRows(op, b, op.getO(), factors, rows);
  if (failed(o) || !op.getFactor())
    return o;
  // Not in the reciprocals: f32 below 2^-126 are zeros.
  return scaleRows(op, b, *o, Values(factors.size(), op.getFactor()), rows);
}

FailureOr<Value> lower(InitOp op, LaneBuilder &b) {
  return b.filled(op.getTile().getType(), op.getValue().convertToFloat());
}

/// Flips the sign bits of all elements of each word.
FailureOr<Value> lower(ApplySignOp op, LaneBuilder &b) {
  TileType type = op.getTile().getType();
  constexpr unsigned kWordBits = 32;
  unsigned elemBits = bitsOf(type.getElement());
  int64_t words = type.getLayout().getFragment() * elemBits / kWordBits;
  if (words == 0 || elemBits >= kWordBits)
    return op.emitOpError() << "expected fragments of whole 32-bit words of "
                               "smaller elements, found "
                            << type.getLayout().getFragment() << " elements of "
                            << elemBits << " bits";
  int64_t signs = 0;
  for (unsigned bit = elemBits; bit <= kWordBits; bit += elemBits)
    signs |= int64_t(1) << (bit - 1);
  auto flipsOf = [&](Value factor) {
    Value negative = b.cmp(arith::CmpFPredicate::OLT, factor, b.f32(0));
    Value flip = b.select(negative, b.i32(signs), b.i32(0));
    return b.packAll(Values(words, flip));
  };
  // By the row that a fragment lies in, if rows have factors of their own.
  llvm::SmallDenseMap<int64_t, Value> ofRows;
  Value flips;
  if (auto rows = dyn_cast<TileType>(op.getFactor().getType())) {
    for (auto [reg, factor] : llvm::enumerate(b.elements(op.getFactor())))
      ofRows[rows.getLayout().regCoord(reg, 0)] = flipsOf(factor);
  } else {
    flips = flipsOf(op.getFactor());
  }
  LaneLayoutAttr layout = type.getLayout();
  Values fragments = b.toPresentLanes(op.getTile());
  for (auto [i, fragment] : llvm::zip(type.presentFragments(), fragments)) {
    int64_t row = layout.regCoord(i * layout.getFragment(), 0);
    Value own = flips ? flips : ofRows.lookup(row);
    if (!own)
      return op.emitOpError()
             << "expected a factor of row " << row << " of a lane, found none";
    Value bits = b.bitcast(own.getType(), fragment);
    bits = arith::XOrIOp::create(b, bits, own);
    fragment = b.bitcast(fragment.getType(), bits);
  }
  return b.fromPresentLanes(type, fragments);
}

struct LowerRows : impl::LowerRowsPassBase<LowerRows> {
  LogicalResult run(KernelOp kernel) override {
    return lowerEach<InitOp, ApplySignOp, RescaleOp, FollowOp, ScaleScoresOp,
                     ScaleRowsOp, MagnitudeOp, NormalizeOp>(
        kernel, [](auto op, LaneBuilder &b) { return lower(op, b); });
  }
};
} // namespace
} // namespace mlir::fmha
