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
  Value negative = b.cmp(arith::CmpFPredicate::OLT, op.getFactor(), b.f32(0));
  Value flip = b.select(negative, b.i32(signs), b.i32(0));
  Value flips = b.packAll(Values(words, flip));
  Values fragments = b.toPresentLanes(op.getTile());
  for (Value &fragment : fragments) {
    Value bits = b.bitcast(flips.getType(), fragment);
    bits = arith::XOrIOp::create(b, bits, flips);
    fragment = b.bitcast(fragment.getType(), bits);
  }
  return b.fromPresentLanes(type, fragments);
}

struct LowerRows : impl::LowerRowsPassBase<LowerRows> {
  LogicalResult run(KernelOp kernel) override {
    return lowerEach<InitOp, ApplySignOp, RescaleOp, NormalizeOp>(
        kernel, [](auto op, LaneBuilder &b) { return lower(op, b); });
  }
};
} // namespace
} // namespace mlir::fmha
