// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "lower/Lanes.h"

#include <limits>

namespace mlir::fmha {
#define GEN_PASS_DEF_LOWERLOGSUMPASS
#include "Passes.h.inc"

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

constexpr float kLn2 = 0.693147180559945309417f;

/// A tile of one value a row, from those of a lane.
Value rowTile(OpBuilder &b, Location loc, TileType type,
              ArrayRef<Value> values) {
  return fromLanes(b, loc, type,
                   pack(b, loc, values, type.getLayout().getFragment()));
}

LogicalResult lowerLogSum(LogSumOp op) {
  if (failed(requireLayout(op, op.getM())))
    return failure();
  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<Value> m = unpack(b, loc, toLanes(b, loc, op.getM()));
  SmallVector<Value> l = unpack(b, loc, toLanes(b, loc, op.getL()));
  SmallVector<Value> sums;
  // The factor leaves base 2 before it meets m, which may be near the largest
  // float.
  Value ln2 = constantF32(b, loc, kLn2);
  Value scale = arith::MulFOp::create(b, loc, op.getFactor(), ln2);
  // Without keys m is -inf and l is 0: both terms are -inf.
  for (auto [most, sum] : llvm::zip(m, l))
    sums.push_back(arith::AddFOp::create(
        b, loc, arith::MulFOp::create(b, loc, most, scale),
        arith::MulFOp::create(b, loc, math::Log2Op::create(b, loc, sum), ln2)));
  op.replaceAllUsesWith(rowTile(b, loc, op.getM().getType(), sums));
  op.erase();
  return success();
}

LogicalResult lowerAddSink(AddSinkOp op) {
  if (failed(requireLayout(op, op.getLogSum())))
    return failure();
  OpBuilder b(op);
  Location loc = op.getLoc();
  constexpr float kLog2e = 1.44269504088896340736f;
  Value sink = op.getSink(), log2e = constantF32(b, loc, kLog2e),
        ln2 = constantF32(b, loc, kLn2);
  Value none = constantF32(b, loc, -kInfinity), zero = constantF32(b, loc, 0);
  auto power = [&](Value x, Value from) -> Value {
    Value away = arith::SubFOp::create(b, loc, x, from);
    return math::Exp2Op::create(b, loc,
                                arith::MulFOp::create(b, loc, away, log2e));
  };
  SmallVector<Value> results, weights;
  for (Value sum : unpack(b, loc, toLanes(b, loc, op.getLogSum()))) {
    Value most = arith::MaxNumFOp::create(b, loc, sum, sink);
    // Neither keys nor a sink: -inf, and a difference of infinities is NaN.
    Value empty =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, most, none);
    Value from = arith::SelectOp::create(b, loc, empty, zero, most);
    Value both =
        arith::AddFOp::create(b, loc, power(sum, from), power(sink, from));
    Value result = arith::AddFOp::create(
        b, loc, from,
        arith::MulFOp::create(b, loc, math::Log2Op::create(b, loc, both), ln2));
    Value finite = arith::SelectOp::create(b, loc, empty, zero, result);
    results.push_back(result);
    weights.push_back(power(sum, finite));
  }
  TileType type = op.getLogSum().getType();
  op.getResult().replaceAllUsesWith(rowTile(b, loc, type, results));
  op.getWeight().replaceAllUsesWith(rowTile(b, loc, type, weights));
  op.erase();
  return success();
}

struct LowerLogSum : impl::LowerLogSumPassBase<LowerLogSum> {
  void runOnOperation() override {
    if (failed(lowerEach<LogSumOp>(getOperation(), lowerLogSum)) ||
        failed(lowerEach<AddSinkOp>(getOperation(), lowerAddSink)))
      signalPassFailure();
  }
};
} // namespace
} // namespace mlir::fmha
