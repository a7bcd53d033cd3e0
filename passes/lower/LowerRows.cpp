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

FailureOr<Value> lower(ApplySignOp op, LaneBuilder &b) {
  auto rows = dyn_cast<TileType>(op.getFactor().getType());
  Values negative = rows ? b.elements(op.getFactor()) : Values{op.getFactor()};
  for (Value &factor : negative)
    factor = b.cmp(arith::CmpFPredicate::OLT, factor, b.f32(0));
  return negateRows(op, b, op.getTile(), negative,
                    rows ? rows.getLayout() : LaneLayoutAttr());
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
