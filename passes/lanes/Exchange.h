// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Where waves that divide the keys leave O, m and l for each other in LDS.
/// What a lane of one wave holds the same lane of another takes, so that places
/// follow from the numbers of wave and register alone: first O, 16 bytes of
/// every lane on end, for each wave its fragments one after the other; then
/// pairs of m and l.
#ifndef FMHA_LANES_EXCHANGE_H
#define FMHA_LANES_EXCHANGE_H

#include "FmhaDialect.h"

namespace mlir::fmha {

class Exchange {
public:
  /// `merged` is the tile of O that a wave gets, `rows` those of m and l.
  Exchange(ScheduleAttr schedule, TileType merged, TileType rows);

  /// Fragments of the O that a wave has, for one that it gets.
  int64_t sharers() const { return sharing; }
  /// The fragments that a wave gets, counted with those of padding, of `part`:
  /// from first to second, exclusive.
  std::pair<int64_t, int64_t> rangeOf(PartAttr part) const {
    return PartAttr::rangeOf(part, groups);
  }
  /// The fewest parts, a power of two, such that each takes no more than
  /// `bytes` of LDS; as many as there are if that is never so.
  int64_t partsWithin(int64_t bytes) const;
  /// Of LDS, with as many parts.
  int64_t bytesOf(int64_t parts) const;

  /// Pieces of 16 bytes that a lane has of a fragment.
  int64_t pieces() const { return piecesOfFragment; }
  /// First byte, for lane 0, of piece `piece` of fragment `at` (counted from
  /// the part's first) of wave `wave`, and what each of them adds.
  int64_t pieceByte(int64_t at, int64_t piece) const;
  int64_t waveBytes(int64_t fragments) const;
  /// Of the pair of m and l in register `reg`, of wave 0; and from one wave to
  /// the next.
  int64_t pairByte(int64_t fragments, int64_t reg) const;
  int64_t wavePairBytes() const;

private:
  int64_t waves, sharing, groups, piecesOfFragment, rowRegs;
};

} // namespace mlir::fmha

#endif // FMHA_LANES_EXCHANGE_H
