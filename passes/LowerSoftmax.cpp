// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "support/RowMath.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_LOWERSOFTMAXPASS
#include "Passes.h.inc"

namespace {

LogicalResult lowerSoftmax(SoftmaxOp op) {
  for (Value tile : {op.getS(), op.getM(), op.getP()})
    if (failed(requireLayout(op, tile)))
      return failure();
  LaneLayoutAttr layout = op.getS().getType().getLayout();
  LaneLayoutAttr rows = op.getM().getType().getLayout();
  FailureOr<SmallVector<unsigned>> laneBits = rowLaneBits(op, layout);
  if (failed(laneBits))
    return failure();

  OpBuilder b(op);
  Location loc = op.getLoc();
  auto kernel = op->getParentOfType<KernelOp>();
  Math math(b, loc, kernel.getSchedule().getPacked() == PackedMath::Softmax);
  auto max = [&](Value x, Value y) { return math.max(x, y); };
  auto add = [&](Value x, Value y) { return math.add(x, y); };
  SmallVector<Value> scores = unpack(b, loc, toLanes(b, loc, op.getS()));
  SmallVector<Value> m = unpack(b, loc, toLanes(b, loc, op.getM()));
  SmallVector<Value> l = unpack(b, loc, toLanes(b, loc, op.getL()));
  Value factor = op.getFactor();
  SmallVector<Value> p(scores.size()), mNew, lNew, correction;

  for (auto [row, elements] : llvm::enumerate(elementsOfRows(layout, rows))) {
    SmallVector<Value> own;
    for (size_t reg : elements)
      own.push_back(scores[reg]);
    Value tileMax = math.reduce(own, max);
    for (unsigned bit : *laneBits)
      tileMax = math.acrossLanes(tileMax, bit, max);
    Value newMax = math.max(m[row], tileMax);
    Value shift = math.shiftOf(newMax, factor, op.getWide());
    SmallVector<Value> weights;
    while (weights.size() < own.size()) {
      auto few = ArrayRef<Value>(own).drop_front(weights.size());
      few = few.take_front(math.atOnce());
      for (Value x : math.exponents(few, shift, factor, op.getWide())) {
        Value weight = math.exp2(x);
        p[elements[weights.size()]] = weight;
        weights.push_back(weight);
      }
    }
    Value sum = math.sum(weights);
    for (unsigned bit : *laneBits)
      sum = math.acrossLanes(sum, bit, add);
    Value scale = math.correction(m[row], shift, factor, op.getWide());
    mNew.push_back(newMax);
    lNew.push_back(math.fma(l[row], scale, sum));
    correction.push_back(scale);
  }

  TileType pType = op.getP().getType(), rowType = op.getM().getType();
  SmallVector<Value> rounded;
  for (Value fragment : pack(b, loc, p, pType.getLayout().getFragment()))
    rounded.push_back(arith::TruncFOp::create(
        b, loc,
        VectorType::get({pType.getLayout().getFragment()}, pType.getElement()),
        fragment));
  auto rowTile = [&](ArrayRef<Value> values) {
    return fromLanes(b, loc, rowType, pack(b, loc, values, rows.getFragment()));
  };
  op.getP().replaceAllUsesWith(fromLanes(b, loc, pType, rounded));
  op.getMNew().replaceAllUsesWith(rowTile(mNew));
  op.getLNew().replaceAllUsesWith(rowTile(lNew));
  op.getCorrection().replaceAllUsesWith(rowTile(correction));
  op.erase();
  return success();
}

LogicalResult lowerRescale(RescaleOp op) {
  for (Value tile : {op.getO(), op.getCorrection()})
    if (failed(requireLayout(op, tile)))
      return failure();
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto kernel = op->getParentOfType<KernelOp>();
  SmallVector<Value> factors =
      unpack(b, loc, toLanes(b, loc, op.getCorrection()));
  if (kernel.getSchedule().getRescale() == RescalePolicy::IfChanged) {
    SmallVector<Value> before = toPresentLanes(b, loc, op.getO());
    auto branch = scf::IfOp::create(b, loc, ValueRange(before).getTypes(),
                                    anyChanged(b, loc, factors),
                                    /*withElseRegion=*/true);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, before);
    b.setInsertionPointToStart(branch.thenBlock());
    FailureOr<Value> scaled = scaleRows(
        op, b, op.getO(), factors, op.getCorrection().getType().getLayout());
    if (failed(scaled))
      return failure();
    scf::YieldOp::create(b, loc, toPresentLanes(b, loc, *scaled));
    b.setInsertionPointAfter(branch);
    op.replaceAllUsesWith(
        fromPresentLanes(b, loc, op.getO().getType(), branch.getResults()));
    op.erase();
    return success();
  }
  FailureOr<Value> scaled = scaleRows(op, b, op.getO(), factors,
                                      op.getCorrection().getType().getLayout());
  if (failed(scaled))
    return failure();
  op.replaceAllUsesWith(*scaled);
  op.erase();
  return success();
}

LogicalResult lowerNormalize(NormalizeOp op) {
  for (Value tile : {op.getO(), op.getL()})
    if (failed(requireLayout(op, tile)))
      return failure();
  OpBuilder b(op);
  Location loc = op.getLoc();
  Math math(b, loc);
  SmallVector<Value> factors;
  for (Value sum : unpack(b, loc, toLanes(b, loc, op.getL()))) {
    Value zero = math.constant(0.0f);
    factors.push_back(
        math.select(math.equals(sum, zero), zero, math.reciprocal(sum)));
  }
  FailureOr<Value> scaled =
      scaleRows(op, b, op.getO(), factors, op.getL().getType().getLayout());
  if (failed(scaled))
    return failure();
  op.replaceAllUsesWith(*scaled);
  op.erase();
  return success();
}

LogicalResult lowerInit(InitOp op) {
  if (failed(requireLayout(op, op.getTile())))
    return failure();
  OpBuilder b(op);
  Location loc = op.getLoc();
  TileType type = op.getTile().getType();
  auto fragment =
      VectorType::get({type.getLayout().getFragment()}, type.getElement());
  Value value = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(fragment, op.getValue()));
  SmallVector<Value> fragments(type.getLayout().getFragments(), value);
  op.replaceAllUsesWith(fromLanes(b, loc, type, fragments));
  op.erase();
  return success();
}

/// Flips the sign bits of both 16-bit elements of each word.
LogicalResult lowerApplySign(ApplySignOp op) {
  if (failed(requireLayout(op, op.getTile())))
    return failure();
  OpBuilder b(op);
  Location loc = op.getLoc();
  Math math(b, loc);
  TileType type = op.getTile().getType();
  constexpr unsigned kWordBits = 32;
  unsigned elemBits = type.getElement().getIntOrFloatBitWidth();
  int64_t words = type.getLayout().getFragment() * elemBits / kWordBits;
  if (words == 0 || elemBits > 16)
    return op.emitOpError() << "expected fragments of whole 32-bit words of "
                               "16-bit elements, found "
                            << type.getLayout().getFragment() << " elements of "
                            << elemBits << " bits";
  int64_t signs = 0;
  for (unsigned bit = elemBits; bit <= kWordBits; bit += elemBits)
    signs |= int64_t(1) << (bit - 1);
  Value negative = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT,
                                         op.getFactor(), math.constant(0.0f));
  Value flip =
      math.select(negative, constantI32(b, loc, signs), constantI32(b, loc, 0));
  auto wordType = VectorType::get({words}, b.getI32Type());
  SmallVector<Value> flips(words, flip);
  Value flipWords = pack(b, loc, flips, words).front();
  SmallVector<Value> fragments;
  for (Value fragment : toPresentLanes(b, loc, op.getTile())) {
    Value bits = LLVM::BitcastOp::create(b, loc, wordType, fragment);
    bits = arith::XOrIOp::create(b, loc, bits, flipWords);
    fragments.push_back(
        LLVM::BitcastOp::create(b, loc, fragment.getType(), bits));
  }
  op.replaceAllUsesWith(fromPresentLanes(b, loc, type, fragments));
  op.erase();
  return success();
}

struct LowerSoftmax : impl::LowerSoftmaxPassBase<LowerSoftmax> {
  template <typename Op> LogicalResult lowerAll(LogicalResult (*lower)(Op)) {
    SmallVector<Op> ops;
    getOperation().walk([&](Op op) { ops.push_back(op); });
    for (Op op : ops)
      if (failed(lower(op)))
        return failure();
    return success();
  }

  void runOnOperation() override {
    if (failed(lowerAll(lowerInit)) || failed(lowerAll(lowerApplySign)) ||
        failed(lowerAll(lowerSoftmax)) || failed(lowerAll(lowerRescale)) ||
        failed(lowerAll(lowerNormalize)))
      signalPassFailure();
  }
};
} // namespace
} // namespace mlir::fmha
