// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Arithmetic of the online softmax on what a lane holds, for its lowerings.
#ifndef FMHA_LOWER_ROWMATH_H
#define FMHA_LOWER_ROWMATH_H

#include "lanes/Lanes.h"

namespace mlir::fmha {

/// The greatest, three at a time, which is what v_max3_f32 takes, with the
/// fewest steps of three: what comes out of one goes in again last.
Value maxOf(LaneBuilder &b, ArrayRef<Value> values);

/// The greatest of a row, of which a lane has `own`.
Value maxOfRow(LaneBuilder &b, Value own, ArrayRef<unsigned> laneBits);

/// One value for each of a lane's rows: those of a tile, or one for all.
Values factorsOfRows(LaneBuilder &b, Value factor, size_t rows);

/// The sum, three at a time, in a tree, so that independent parts can overlap.
/// With `inPairs` two additions are one operation where there are as many, and
/// those that do not wait for each other come first.
Value sumOf(LaneBuilder &b, ArrayRef<Value> values, bool inPairs);

/// What is subtracted of the scores of a row with maximum `max`, negative: a
/// row that saw no key has the maximum -inf, and subtracting it would give
/// NaN. By one fma (not `wide`) the rounding of the product max * factor is
/// in every exponent: it cancels as long as it is small.
Value shiftOf(LaneBuilder &b, Value max, Value factor, bool wide);
/// Plus `lift`. With `inPairs` of two scores at a time.
Values exponents(LaneBuilder &b, ArrayRef<Value> scores, Value shift,
                 Value factor, bool wide, float lift, bool inPairs);
/// exp2(factor * (before - after)), `shift` being that of after: the
/// difference of the rounded products that the weights were taken against,
/// not one fma, so that it is 0 when the maximum stays, and the factor
/// exactly 1.
Value correctionOf(LaneBuilder &b, Value before, Value shift, Value factor,
                   bool wide);

/// The exponent (i32) of a number that is a mantissa of a magnitude in [0.5, 1)
/// times 2^exponent; 0 of 0.
Value exponentOf(LaneBuilder &b, Value number);

/// number * 2^exponent, which may lie beyond f32.
Value timesPowerOf2(LaneBuilder &b, Value number, Value exponent);

/// The greatest power of two that is no greater than a magnitude; 0 if that is
/// subnormal.
Value powerOf2(LaneBuilder &b, Value magnitude);

/// As many f32 as fill a word (i32), rounded to `element`: two an instruction,
/// each an op, so that a recipe may put others between.
Value roundToWord(LaneBuilder &b, Type element, ArrayRef<Value> x);

/// Elements, rounded to `element`, as words (i32).
Values wordsOf(LaneBuilder &b, ArrayRef<Value> elements, Type element);

/// From here on conversions to 8 bits give the largest number instead of NaN
/// for what is larger.
void saturateConversions(LaneBuilder &b);

/// Lane bits over which one row of the tile is spread. Only bits 4 and 5 can be
/// exchanged by a permlane swap: others are an error at `op`.
FailureOr<SmallVector<unsigned>> rowLaneBits(Operation *op,
                                             LaneLayoutAttr layout);

/// Register elements of each row that a lane holds, as far as they are of
/// `part` (null for all of the tile); rows in the order of `rows`.
SmallVector<SmallVector<size_t>>
elementsOfRows(LaneLayoutAttr layout, LaneLayoutAttr rows, PartAttr part = {});

/// Multiplies every element of a tile by a value of its row, whole fragments at
/// a time, so that accumulators stay the register tuples they are.
FailureOr<Value> scaleRows(Operation *op, LaneBuilder &b, Value tile,
                           ArrayRef<Value> factors, LaneLayoutAttr rows);

/// Adds to every element of a tile a value of its row, in the same way.
FailureOr<Value> addToRows(Operation *op, LaneBuilder &b, Value tile,
                           ArrayRef<Value> values, LaneLayoutAttr rows);

/// Sets every element of a tile to a value of its row, in the same way.
FailureOr<Value> setRows(Operation *op, LaneBuilder &b, Value tile,
                         ArrayRef<Value> values, LaneLayoutAttr rows);

/// Negates the elements of a tile, sign bits of whole words, in rows whose
/// condition (i1) holds; with one condition and no `rows` all of it.
FailureOr<Value> negateRows(Operation *op, LaneBuilder &b, Value tile,
                            ArrayRef<Value> conditions, LaneLayoutAttr rows);

/// By how much a score may pass the maximum of its row before that follows,
/// with lazy rescale: that of exponents over the factor (null: 1) of each row.
Values lazyLimits(LaneBuilder &b, Value factor, size_t rows);

/// One value a row, from the lanes of one layout to those of another: the
/// values of `to`'s registers, given those of `from`'s; both of rank 1. A lane
/// bit may count rows in the one and registers in the other: 4 and 5 if it is
/// the one that has the rows in lanes. All else is an error at `op`.
FailureOr<Values> moveRows(Operation *op, LaneBuilder &b,
                           ArrayRef<Value> values, LaneLayoutAttr from,
                           LaneLayoutAttr to);

/// True, uniformly in the wave, if one of the lane's conditions holds in some
/// lane.
Value anyLane(LaneBuilder &b, ArrayRef<Value> conditions);

} // namespace mlir::fmha

#endif // FMHA_LOWER_ROWMATH_H
