// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One value a row, from the lanes of one layout to those of another.
#ifndef FMHA_LOWER_MOVEROWS_H
#define FMHA_LOWER_MOVEROWS_H

#include "lower/Lanes.h"

namespace mlir::fmha {

/// The values of `to`'s registers, given those of `from`'s; both of rank 1. A
/// lane bit may count rows in the one and registers in the other: 4 and 5 if it
/// is the one that has the rows in lanes. All else is an error at `op`.
FailureOr<SmallVector<Value>> moveRows(Operation *op, OpBuilder &b,
                                       ArrayRef<Value> values,
                                       LaneLayoutAttr from, LaneLayoutAttr to);

} // namespace mlir::fmha

#endif // FMHA_LOWER_MOVEROWS_H
