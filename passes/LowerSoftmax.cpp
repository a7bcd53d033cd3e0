// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "support/Lanes.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

namespace mlir::fmha {
#define GEN_PASS_DEF_LOWERSOFTMAXPASS
#include "Passes.h.inc"

namespace {

using Combine = function_ref<Value(Value, Value)>;

/// Scalar arithmetic of the online softmax.
class Math {
public:
  Math(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  Value constant(float value) { return constantF32(b, loc, value); }
  /// Without NaN in sight, so that three of them fuse into v_max3_f32.
  Value max(Value x, Value y) {
    auto flags = arith::FastMathFlagsAttr::get(b.getContext(),
                                               arith::FastMathFlags::nnan);
    return arith::MaxNumFOp::create(b, loc, x, y, flags);
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value neg(Value x) { return arith::NegFOp::create(b, loc, x); }
  Value fma(Value x, Value y, Value z) {
    return LLVM::FMAOp::create(b, loc, x, y, z);
  }
  Value exp2(Value x) {
    return ROCDL::ROCDLExp2::create(b, loc, b.getF32Type(), x);
  }
  Value reciprocal(Value x) {
    return ROCDL::ROCDLRcp::create(b, loc, b.getF32Type(), x);
  }
  Value equals(Value x, Value y) {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }

  /// Combines all values; three at a time, which is what v_max3_f32 takes, in a
  /// tree, so that independent parts can overlap.
  Value reduce(SmallVector<Value> values, Combine combine) {
    while (values.size() > 1) {
      SmallVector<Value> next;
      for (size_t i = 0; i < values.size(); i += 3) {
        Value part = values[i];
        for (size_t j = i + 1; j < std::min(i + 3, values.size()); ++j)
          part = combine(part, values[j]);
        next.push_back(part);
      }
      values = std::move(next);
    }
    return values.front();
  }

  /// Combines with the lane that differs in `bit`, 4 or 5.
  Value acrossLanes(Value value, unsigned bit, Combine combine) {
    Value bits = LLVM::BitcastOp::create(b, loc, b.getI32Type(), value);
    auto [first, second] = emitPermlaneSwap(b, loc, bits, bits, bit);
    auto part = [&](Value word) -> Value {
      return LLVM::BitcastOp::create(b, loc, b.getF32Type(), word);
    };
    // Own and partner value in an order that depends on the half: combining is
    // commutative.
    return combine(part(first), part(second));
  }

private:
  OpBuilder &b;
  Location loc;
};

/// Lane bits over which one row of the tile is spread. Only bits 4 and 5 can be
/// exchanged by a permlane swap.
FailureOr<SmallVector<unsigned>> rowLaneBits(Operation *op,
                                             LaneLayoutAttr layout) {
  SmallVector<unsigned> bits;
  for (unsigned bit = 0; bit < layout.laneBits(); ++bit) {
    if (layout.laneBasis(bit, 1) == 0)
      continue;
    if (bit < 4)
      return op->emitOpError()
             << "expected a row to be spread over lane bits 4 "
                "and 5 only, found bit "
             << bit;
    bits.push_back(bit);
  }
  return bits;
}

/// Register elements of each row that a lane holds; rows in the order of
/// `rows`.
SmallVector<SmallVector<size_t>> elementsOfRows(LaneLayoutAttr layout,
                                                LaneLayoutAttr rows) {
  SmallVector<SmallVector<size_t>> elements(rows.getRegElems());
  for (int64_t row = 0; row < rows.getRegElems(); ++row)
    for (int64_t reg = 0; reg < layout.getRegElems(); ++reg)
      if (layout.regCoord(reg, 0) == rows.regCoord(row, 0))
        elements[row].push_back(reg);
  return elements;
}

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
  Math math(b, loc);
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
    // A row that saw no key has the maximum -inf; subtracting it would give
    // NaN.
    Value empty = math.equals(
        newMax, math.constant(-std::numeric_limits<float>::infinity()));
    Value finite = math.select(empty, math.constant(0.0f), newMax);
    // By one fma, the rounding of the product m * factor is in every exponent:
    // it cancels as long as it is small.
    Value shift = math.neg(op.getWide() ? finite : math.mul(finite, factor));
    auto exponent = [&](Value x) {
      return op.getWide() ? math.mul(math.add(x, shift), factor)
                          : math.fma(x, factor, shift);
    };
    SmallVector<Value> weights;
    for (size_t reg : elements) {
      p[reg] = math.exp2(exponent(scores[reg]));
      weights.push_back(p[reg]);
    }
    Value sum = math.reduce(weights, add);
    for (unsigned bit : *laneBits)
      sum = math.acrossLanes(sum, bit, add);
    // The difference of the rounded products that the weights were taken
    // against, not one fma: it is 0 when the maximum stays, and the factor
    // exactly 1.
    Value scale =
        math.exp2(op.getWide() ? exponent(m[row])
                               : math.add(math.mul(m[row], factor), shift));
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

/// Multiplies every element of a tile by a value of its row, whole fragments at
/// a time, so that accumulators stay the register tuples they are.
FailureOr<Value> scaleRows(Operation *op, OpBuilder &b, Value tile,
                           ArrayRef<Value> factors, LaneLayoutAttr rows) {
  Location loc = op->getLoc();
  auto type = cast<TileType>(tile.getType());
  LaneLayoutAttr layout = type.getLayout();
  for (unsigned bit = 0; bit < llvm::Log2_64(layout.getFragment()); ++bit)
    if (layout.regBasis(bit, 0))
      return op->emitOpError()
             << "expected a fragment to lie in one row, found " << layout;
  SmallVector<Value> fragments = toLanes(b, loc, tile);
  for (auto [i, fragment] : llvm::enumerate(fragments)) {
    if (!fragment) // padding
      continue;
    int64_t row = layout.regCoord(i * layout.getFragment(), 0);
    for (auto [reg, factor] : llvm::enumerate(factors)) {
      if (rows.regCoord(reg, 0) != row)
        continue;
      Value splat =
          vector::BroadcastOp::create(b, loc, fragment.getType(), factor);
      fragment = arith::MulFOp::create(b, loc, fragment, splat);
    }
  }
  return fromLanes(b, loc, type, fragments);
}

/// True, uniformly in the wave, if some row's factor is not 1.
Value anyChanged(OpBuilder &b, Location loc, ArrayRef<Value> factors) {
  Value one = constantF32(b, loc, 1.0f), changed;
  for (Value factor : factors) {
    Value differs =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, factor, one);
    changed = changed ? arith::OrIOp::create(b, loc, changed, differs)
                      : Value(differs);
  }
  Value lanes =
      ROCDL::BallotOp::create(b, loc, b.getI64Type(), changed).getResult();
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, lanes,
                               constantI64(b, loc, 0));
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
