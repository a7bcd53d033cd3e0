// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Arithmetic of the online softmax on what a lane holds, for its lowerings.
#ifndef FMHA_LOWER_ROWMATH_H
#define FMHA_LOWER_ROWMATH_H

#include "lower/Lanes.h"

namespace mlir::fmha {

/// Scalar operations at one place.
class Math {
public:
  using Combine = function_ref<Value(Value, Value)>;

  /// With `inPairs` what is done to many values is done to two at a time.
  Math(OpBuilder &b, Location loc, bool inPairs = false)
      : b(b), loc(loc), inPairs(inPairs) {}

  /// Values that one operation takes where it can.
  size_t atOnce() const { return inPairs ? 2 : 1; }

  Value constant(float value) { return constantF32(b, loc, value); }
  /// Without NaN in sight, so that three of them fuse into v_max3_f32.
  Value max(Value x, Value y);
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value neg(Value x) { return arith::NegFOp::create(b, loc, x); }
  Value fma(Value x, Value y, Value z);
  Value exp2(Value x);
  Value reciprocal(Value x);
  Value equals(Value x, Value y);
  Value greater(Value x, Value y);
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }

  /// Combines all values; three at a time, which is what v_max3_f32 takes, in a
  /// tree, so that independent parts can overlap.
  Value reduce(SmallVector<Value> values, Combine combine);

  /// The same with the fewest steps of three: what comes out of one goes in
  /// again last.
  Value reduceInTurn(ArrayRef<Value> values, Combine combine);

  /// Combines with the lane that differs in `bit`, 4 or 5.
  Value acrossLanes(Value value, unsigned bit, Combine combine);

  /// What is subtracted of the scores of a row with maximum `max`, negative: a
  /// row that saw no key has the maximum -inf, and subtracting it would give
  /// NaN. By one fma (not `wide`) the rounding of the product max * factor is
  /// in every exponent: it cancels as long as it is small.
  Value shiftOf(Value max, Value factor, bool wide);
  Value exponent(Value score, Value shift, Value factor, bool wide);
  SmallVector<Value> exponents(ArrayRef<Value> scores, Value shift,
                               Value factor, bool wide);
  Value sum(ArrayRef<Value> values);
  /// exp2(factor * (before - after)), `shift` being that of after: the
  /// difference of the rounded products that the weights were taken against,
  /// not one fma, so that it is 0 when the maximum stays, and the factor
  /// exactly 1.
  Value correction(Value before, Value shift, Value factor, bool wide);

private:
  Value pairOf(Value x, Value y);
  Value elementOf(Value pair, int64_t index);

  OpBuilder &b;
  Location loc;
  bool inPairs;
};

/// Lane bits over which one row of the tile is spread. Only bits 4 and 5 can be
/// exchanged by a permlane swap: others are an error at `op`.
FailureOr<SmallVector<unsigned>> rowLaneBits(Operation *op,
                                             LaneLayoutAttr layout);

/// Register elements of each row that a lane holds; rows in the order of
/// `rows`.
SmallVector<SmallVector<size_t>> elementsOfRows(LaneLayoutAttr layout,
                                                LaneLayoutAttr rows);

/// Multiplies every element of a tile by a value of its row, whole fragments at
/// a time, so that accumulators stay the register tuples they are.
FailureOr<Value> scaleRows(Operation *op, OpBuilder &b, Value tile,
                           ArrayRef<Value> factors, LaneLayoutAttr rows);

/// True, uniformly in the wave, if one of the lane's conditions holds in some
/// lane.
Value anyLane(OpBuilder &b, Location loc, ArrayRef<Value> conditions);

} // namespace mlir::fmha

#endif // FMHA_LOWER_ROWMATH_H
