// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Rows of a tile and rows of Q. With rows = head they are the same. With
/// rows = group row r of a tile is row r / G of Q and of head r % G of the G
/// heads that share one of K and V, and a sequence has G times its rows.
///
/// G is known when a kernel is launched. Quotients come of the launcher's
/// reciprocal, and are exact below 2^31 for every G: with 2^(l - 1) < G <= 2^l
/// and m = ceil(2^(31 + l) / G), which has 32 bits, r / G is the upper half of
/// 2 r m, shifted right by l. For m G is at most 2^(31 + l) + 2^l - 1, so that
/// r m / 2^(31 + l) is beyond r / G by less than 1 / G.
#ifndef FMHA_LANES_PACKEDROWS_H
#define FMHA_LANES_PACKEDROWS_H

#include "lanes/Lanes.h"

namespace mlir::fmha {

/// Whether the kernel's tiles have rows of several heads.
bool packsHeads(LaneBuilder &b);

/// The row of Q (i32) of a row of the work item's sequence, which is not
/// negative.
Value queryRow(LaneBuilder &b, Value row);

/// Which head of the group it is of (i32), given its row of Q; rows = group.
Value memberOf(LaneBuilder &b, Value row, Value ofQ);

/// Rows of the work item's sequence (i32).
Value rowsOfSequence(LaneBuilder &b);

/// The head of Q (i32) of a row, given its row of Q: the same in all rows, but
/// with rows = group.
Value headOfRow(LaneBuilder &b, Value row, Value ofQ);

} // namespace mlir::fmha

#endif // FMHA_LANES_PACKEDROWS_H
