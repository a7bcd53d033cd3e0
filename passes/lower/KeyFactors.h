// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The factors of keys that a lane has scores or weights of, from memory.
#ifndef FMHA_LOWER_KEYFACTORS_H
#define FMHA_LOWER_KEYFACTORS_H

#include "lower/Slices.h"

namespace mlir::fmha {

/// For each register of a tile of scores (rows by keys) the factor of its key,
/// in tile `index`: loads of one dword a lane, or, where the whole tile has one
/// factor, a scalar load. Of keys past the sequence's they are anything;
/// factors of pages are finite then. These are found by `pages`: the number of
/// the tile's, or the table that has those of its keys; null: factors lie as
/// rows do. Fails with an error at `op` if a view does not come from fmha.view.
FailureOr<Values> factorsOfKeys(Operation *op, LaneBuilder &b, Slices &slices,
                                Value view, TileType tile, Value index,
                                Value pages);

/// The factor that all keys of a tile share, in tile `index` of an operand, or
/// in the page with number `page`, where factors are of pages: a scalar load,
/// which stays in its stage where look-ups do (holdsLookUps).
Value factorOfTile(LaneBuilder &b, Operand factors, Value index, Value page);

} // namespace mlir::fmha

#endif // FMHA_LOWER_KEYFACTORS_H
