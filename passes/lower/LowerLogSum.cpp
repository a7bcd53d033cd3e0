// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "lower/RowMath.h"

#include <limits>

namespace mlir::fmha {
#define GEN_PASS_DEF_LOWERLOGSUMPASS
#include "Passes.h.inc"

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

FailureOr<Value> lower(LogSumOp op, LaneBuilder &b) {
  Values m = b.elements(op.getM()), l = b.elements(op.getL()), sums;
  // The factor leaves base 2 before it meets m, which may be near the largest
  // float.
  Value ln2 = b.f32(llvm::numbers::ln2f);
  Values scales;
  if (isa<TileType>(op.getFactor().getType()))
    scales = llvm::map_to_vector(b.elements(op.getFactor()),
                                 [&](Value own) { return b.mul(own, ln2); });
  else
    scales.assign(m.size(), b.mul(op.getFactor(), ln2));
  // Without keys m is -inf and l is 0: both terms are -inf.
  for (auto [most, sum, scale] : llvm::zip(m, l, scales)) {
    Value shift = b.mul(most, scale), power = math::Log2Op::create(b, sum);
    if (op.getLift())
      power = b.sub(power, b.f32(float(*op.getLift())));
    sums.push_back(b.add(shift, b.mul(power, ln2)));
  }
  return b.tileOf(op.getM().getType(), sums);
}

FailureOr<Values> lower(AddSinkOp op, LaneBuilder &b) {
  Value log2e = b.f32(llvm::numbers::log2ef), ln2 = b.f32(llvm::numbers::ln2f);
  Value none = b.f32(-kInfinity), zero = b.f32(0);
  auto power = [&](Value x, Value from) -> Value {
    return math::Exp2Op::create(b, b.mul(b.sub(x, from), log2e));
  };
  Values results, weights;
  Values sums = b.elements(op.getLogSum());
  for (auto [sum, sink] :
       llvm::zip_equal(sums, factorsOfRows(b, op.getSink(), sums.size()))) {
    Value most = arith::MaxNumFOp::create(b, sum, sink);
    // Neither keys nor a sink: -inf, and a difference of infinities is NaN.
    Value empty = b.cmp(arith::CmpFPredicate::OEQ, most, none);
    Value from = b.select(empty, zero, most);
    Value both = b.add(power(sum, from), power(sink, from));
    results.push_back(b.add(from, b.mul(math::Log2Op::create(b, both), ln2)));
    weights.push_back(power(sum, b.select(empty, zero, results.back())));
  }
  TileType type = op.getLogSum().getType();
  return Values{b.tileOf(type, results), b.tileOf(type, weights)};
}

struct LowerLogSum : impl::LowerLogSumPassBase<LowerLogSum> {
  LogicalResult run(KernelOp kernel) override {
    return lowerEach<LogSumOp, AddSinkOp>(
        kernel, [](auto op, LaneBuilder &b) { return lower(op, b); });
  }
};
} // namespace
} // namespace mlir::fmha
