// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/RowMath.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <deque>
#include <limits>

using namespace mlir;
using namespace mlir::fmha;

//===- Math ---------------------------------------------------------------===//

Value Math::max(Value x, Value y) {
  auto flags =
      arith::FastMathFlagsAttr::get(b.getContext(), arith::FastMathFlags::nnan);
  return arith::MaxNumFOp::create(b, loc, x, y, flags);
}
Value Math::fma(Value x, Value y, Value z) {
  return LLVM::FMAOp::create(b, loc, x, y, z);
}
Value Math::exp2(Value x) {
  return ROCDL::ROCDLExp2::create(b, loc, b.getF32Type(), x);
}
Value Math::reciprocal(Value x) {
  return ROCDL::ROCDLRcp::create(b, loc, b.getF32Type(), x);
}
Value Math::equals(Value x, Value y) {
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, y);
}
Value Math::greater(Value x, Value y) {
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, x, y);
}

Value Math::reduce(SmallVector<Value> values, Combine combine) {
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

Value Math::reduceInTurn(ArrayRef<Value> values, Combine combine) {
  std::deque<Value> queue(values.begin(), values.end());
  auto take = [&] {
    Value value = queue.front();
    queue.pop_front();
    return value;
  };
  while (queue.size() > 1) {
    Value part = combine(take(), take());
    if (!queue.empty())
      part = combine(part, take());
    queue.push_back(part);
  }
  return queue.front();
}

Value Math::acrossLanes(Value value, unsigned bit, Combine combine) {
  Value bits = LLVM::BitcastOp::create(b, loc, b.getI32Type(), value);
  auto [first, second] = emitPermlaneSwap(b, loc, bits, bits, bit);
  auto part = [&](Value word) -> Value {
    return LLVM::BitcastOp::create(b, loc, b.getF32Type(), word);
  };
  // Own and partner value in an order that depends on the half: combining is
  // commutative.
  return combine(part(first), part(second));
}

Value Math::shiftOf(Value max, Value factor, bool wide) {
  Value empty = equals(max, constant(-std::numeric_limits<float>::infinity()));
  Value finite = select(empty, constant(0.0f), max);
  return neg(wide ? finite : mul(finite, factor));
}

/// A factor of 1, where Q was scaled.
static bool isOne(Value factor) {
  FloatAttr value;
  return matchPattern(factor, m_Constant(&value)) &&
         value.getValue().isExactlyValue(1.0);
}

Value Math::exponent(Value score, Value shift, Value factor, bool wide) {
  if (isOne(factor))
    return add(score, shift);
  return wide ? mul(add(score, shift), factor) : fma(score, factor, shift);
}

Value Math::pairOf(Value x, Value y) {
  auto type = VectorType::get({2}, b.getF32Type());
  return vector::FromElementsOp::create(b, loc, type, ValueRange{x, y});
}

Value Math::elementOf(Value pair, int64_t index) {
  return vector::ExtractOp::create(b, loc, pair, index);
}

SmallVector<Value> Math::exponents(ArrayRef<Value> scores, Value shift,
                                   Value factor, bool wide) {
  SmallVector<Value> results;
  if (inPairs) {
    // A factor of 1 is one of scalars: no splat of it.
    Value shifts = pairOf(shift, shift);
    Value factors = isOne(factor) ? factor : pairOf(factor, factor);
    for (; scores.size() > 1; scores = scores.drop_front(2)) {
      Value pair =
          exponent(pairOf(scores[0], scores[1]), shifts, factors, wide);
      results.push_back(elementOf(pair, 0));
      results.push_back(elementOf(pair, 1));
    }
  }
  for (Value score : scores)
    results.push_back(exponent(score, shift, factor, wide));
  return results;
}

Value Math::sum(ArrayRef<Value> values) {
  auto plus = [&](Value x, Value y) { return add(x, y); };
  if (!inPairs || values.size() < 4)
    return reduce(SmallVector<Value>(values), plus);
  SmallVector<Value> pairs;
  for (; values.size() > 1; values = values.drop_front(2))
    pairs.push_back(pairOf(values[0], values[1]));
  Value both = reduce(pairs, plus);
  Value all = add(elementOf(both, 0), elementOf(both, 1));
  return values.empty() ? all : add(all, values.front());
}

Value Math::correction(Value before, Value shift, Value factor, bool wide) {
  return exp2(wide ? exponent(before, shift, factor, true)
                   : add(mul(before, factor), shift));
}

//===- Rows ---------------------------------------------------------------===//

FailureOr<SmallVector<unsigned>> fmha::rowLaneBits(Operation *op,
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

SmallVector<SmallVector<size_t>> fmha::elementsOfRows(LaneLayoutAttr layout,
                                                      LaneLayoutAttr rows) {
  SmallVector<SmallVector<size_t>> elements(rows.getRegElems());
  for (int64_t row = 0; row < rows.getRegElems(); ++row)
    for (int64_t reg = 0; reg < layout.getRegElems(); ++reg)
      if (layout.regCoord(reg, 0) == rows.regCoord(row, 0))
        elements[row].push_back(reg);
  return elements;
}

FailureOr<Value> fmha::scaleRows(Operation *op, OpBuilder &b, Value tile,
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

Value fmha::anyLane(OpBuilder &b, Location loc, ArrayRef<Value> conditions) {
  Value some;
  for (Value condition : conditions)
    some = some ? arith::OrIOp::create(b, loc, some, condition).getResult()
                : condition;
  Value lanes =
      ROCDL::BallotOp::create(b, loc, b.getI64Type(), some).getResult();
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, lanes,
                               constantI64(b, loc, 0));
}
