// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which layout a tile gets in LDS: the candidates of each family, what each
/// costs, the cheapest.
#ifndef FMHA_BITMAPS_LDSLAYOUTS_H
#define FMHA_BITMAPS_LDSLAYOUTS_H

#include "bitmaps/LdsAccess.h"

#include "llvm/Support/Error.h"

namespace mlir::fmha {

/// What a layout costs one wave for one tile; first what weighs most.
struct LdsCost {
  int64_t readWays = 1;    ///< words of one bank in a phase of a read, at worst
  int64_t pages = 0;       ///< numbers of pages that copies need; 0: none
  int64_t cacheCycles = 0; ///< of the vector cache, for all copies
  int64_t registers = 0;   ///< lane addresses of reads and of copies
  int64_t bytes = 0;       ///< of LDS, up to the next buffer
  int64_t runBytes = 0;    ///< of a row that a copy takes in one piece
  int64_t xors = 0;        ///< terms that are exclusive-ored

  auto key() const {
    return std::tuple(readWays, pages, cacheCycles, registers, bytes, -runBytes,
                      xors);
  }
  bool operator<(const LdsCost &other) const { return key() < other.key(); }
};

/// A layout: the cheapest of a family, or the given one.
struct LdsPlan {
  LdsFamily family;
  LdsCost cost;
  int64_t conflictCycles; ///< of banks, in all reads of a wave and tile
  LdsLayoutAttr layout;
  LaneLayoutAttr dma;
};

/// What is to be laid out.
struct LdsRequest {
  TileType tile;
  Type memory; ///< elements in memory, of as many bits as the tile's or fewer
  StagingAttr staging;
  int64_t waves;
  int64_t readCols; ///< that are read back, of those of the tile
  /// Neighbouring rows, a power of two, that lie in one page where the tile
  /// lies in several; 0: it does not.
  int64_t pageRows = 0;
  /// The dimension whose neighbours lie on end in memory and in LDS, and how
  /// many of them do in memory; 0: all of them.
  unsigned onEnd = 1;
  int64_t pieceElems = 0;
  /// Other reads of the same buffer, of so many of its columns; null: none.
  const LdsAccess *further = nullptr;
  int64_t furtherCols = 0;

  /// Whether elements are converted on their way, in registers.
  bool isConverted() const { return memory != tile.getElement(); }
};

int64_t bytesOf(TileType tile);

/// Bytes that a buffer of such a layout takes: the next begins in bank 0 again.
int64_t bufferBytes(int64_t layoutBytes);

/// Bytes that a lane moves with one copy: the widest copy of which there is one
/// for each wave. Two waves must not write the same bytes, even if they write
/// the same into them.
int64_t dmaLaneBytes(const LdsRequest &request);

/// The plans of the families that `staging` leaves to choose from, cheapest
/// first; of equal ones the simpler family. Or why there is none.
llvm::Expected<SmallVector<LdsPlan>> planLdsLayouts(const LdsRequest &request,
                                                    const LdsAccess &access);

/// The plan of the map that `staging` gives. Fails if the map is larger than
/// the tile, or tears apart what an access takes on end.
llvm::Expected<LdsPlan> planGivenLds(const LdsRequest &request,
                                     const LdsAccess &access);

/// "no bank conflicts, 64 cycles of the vector cache a wave and tile, …"
std::string describe(const LdsCost &cost);
/// What makes `cost` the lesser: "fewer bytes", …
StringRef advantage(const LdsCost &cost, const LdsCost &over);

} // namespace mlir::fmha

#endif // FMHA_BITMAPS_LDSLAYOUTS_H
