// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Views as hardware sees them, for the lowerings that load and store.
#ifndef FMHA_LOWER_SLICES_H
#define FMHA_LOWER_SLICES_H

#include "FmhaDialect.h"

#include "llvm/ADT/DenseMap.h"

namespace mlir::fmha {

/// A buffer descriptor of a slice, and the byte distance of its rows.
struct Slice {
  Value descriptor;
  Value rowStride; ///< i32
};

/// The slices of a kernel, each made once, where its view stands.
class Slices {
public:
  /// Fails with an error at `op` if the view does not come from fmha.view.
  FailureOr<Slice> get(Operation *op, Value view);

private:
  llvm::DenseMap<Value, Slice> slices;
};

/// Views that no op of the kernel takes any more.
void eraseUnusedViews(KernelOp kernel);

/// A byte offset past the extent of every slice: loads from there give zero,
/// stores to there are dropped.
Value pastEveryExtent(OpBuilder &b, Location loc);

/// The lane's byte offset of a piece of `pieceCols` columns that begins at
/// column `lane` + `uniform` (null for 0) + `fixed`: past every extent where
/// the piece lies beyond `cols`. `laneMax` and `uniformMax` are the most that
/// these can be.
Value guardColumns(OpBuilder &b, Location loc, Value offset, Value lane,
                   int64_t laneMax, Value uniform, int64_t uniformMax,
                   int64_t fixed, int64_t pieceCols, int64_t cols);

/// The bits of a coordinate that lanes (waves) change, which is the most that
/// they make of it.
int64_t laneExtent(LaneLayoutAttr layout, unsigned dim);
int64_t waveExtent(LaneLayoutAttr layout, unsigned dim);

} // namespace mlir::fmha

#endif // FMHA_LOWER_SLICES_H
