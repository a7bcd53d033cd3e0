// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How fragments of a tile are fetched from LDS: for a read instruction and the
/// lane layout of its result, which element of the tile each lane addresses.
#ifndef FMHA_BITMAPS_LDSACCESS_H
#define FMHA_BITMAPS_LDSACCESS_H

#include "FmhaDialect.h"

namespace mlir::fmha {

/// One read instruction of a wave. Lane l addresses `bytesPerLane` contiguous
/// bytes that start at the element whose coordinates are the sum of `lane[i]`
/// over the set bits i of l, plus `base[j]` of instruction j.
struct LdsAccess {
  int64_t elemsPerLane; ///< elements that one instruction gives a lane
  int64_t bytesPerLane;
  SmallVector<std::pair<int64_t, int64_t>> lane; ///< (row, col) of lane bits
  SmallVector<std::pair<int64_t, int64_t>> base; ///< in register order
};

/// The reads that fill `tile` (with a lane layout) by `read`; an error at `op`
/// if no instruction can produce the layout.
FailureOr<LdsAccess> planLdsReads(Operation *op, TileType tile, LdsRead read);

} // namespace mlir::fmha

#endif // FMHA_BITMAPS_LDSACCESS_H
