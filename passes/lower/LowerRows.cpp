// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "lower/RowMath.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_LOWERROWSPASS
#include "Passes.h.inc"

namespace {

LogicalResult lowerRescale(RescaleOp op) {
  for (Value tile : {op.getO(), op.getCorrection()})
    if (failed(requireLayout(op, tile)))
      return failure();
  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<Value> factors =
      unpack(b, loc, toLanes(b, loc, op.getCorrection()));
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

struct LowerRows : impl::LowerRowsPassBase<LowerRows> {
  void runOnOperation() override {
    Operation *kernel = getOperation();
    if (failed(lowerEach<InitOp>(kernel, lowerInit)) ||
        failed(lowerEach<ApplySignOp>(kernel, lowerApplySign)) ||
        failed(lowerEach<RescaleOp>(kernel, lowerRescale)) ||
        failed(lowerEach<NormalizeOp>(kernel, lowerNormalize)))
      signalPassFailure();
  }
};
} // namespace
} // namespace mlir::fmha
