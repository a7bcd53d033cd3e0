// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How fragments of a tile are fetched from LDS: for a read instruction and the
/// lane layout of its result, which element of the tile each lane addresses.
#ifndef FMHA_BITMAPS_LDSACCESS_H
#define FMHA_BITMAPS_LDSACCESS_H

#include "chip/Chip.h"

namespace mlir::fmha {

/// The instruction that fills fragments of `tile` (with a lane layout), of an
/// operand whose neighbours along `onEnd` lie on end in LDS: one that gives a
/// lane these, if they are what `read` asks for, or else transposes. Nothing if
/// gfx950 has none.
std::optional<chip::LdsReadInstruction>
lookupLdsRead(TileType tile, LdsRead read, unsigned onEnd);

/// One read instruction of a wave. Lane l addresses `bytesPerLane` contiguous
/// bytes that start at the element whose coordinates are the sum of `lane[i]`
/// over the set bits i of l, plus `base[j]` of instruction j.
struct LdsAccess {
  int64_t elemsPerLane; ///< elements that one instruction gives a lane
  int64_t bytesPerLane;
  bool transposes; ///< a lane gets other elements than those that it addresses
  SmallVector<std::pair<int64_t, int64_t>> lane; ///< (row, col) of lane bits
  SmallVector<std::pair<int64_t, int64_t>> base; ///< in register order
};

/// The reads that fill `tile` (with a lane layout), a tile of `operand`; an
/// error at `op` if no instruction can produce the layout.
FailureOr<LdsAccess> planLdsReads(Operation *op, TileType tile,
                                  Operand operand);

} // namespace mlir::fmha

#endif // FMHA_BITMAPS_LDSACCESS_H
