// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Where in a slice the rows of a tile of Q lie, or what has a value for each.
#ifndef FMHA_LOWER_ROWPLACES_H
#define FMHA_LOWER_ROWPLACES_H

#include "lower/Slices.h"

namespace mlir::fmha {

/// Byte offsets of the rows of a tile in a slice. With rows = head a lane adds
/// its row to one that all lanes of the wave have in common, and the extent of
/// the slice keeps out rows past the last. With rows = group rows of several
/// heads take turns: a lane has an offset of its own, and where its row is past
/// the last one, an offset past every extent, since rows of other heads may lie
/// where that row would.
class RowPlaces {
public:
  /// `laneRow`: what the lane adds to a row's number.
  RowPlaces(LaneBuilder &b, const Slice &slice, Value laneRow);
  /// Bytes from a row's first column to the lane's first; before begin().
  void addColumns(LaneBuilder &b, Value bytes);
  /// `row`: the wave's first in the slice. To be called before what follows
  /// but, where lanes have no offsets of their own, ofLane().
  void begin(Value row) { waveRow = row; }

  /// Whether each lane has offsets of its own.
  bool areOfLanes() const { return bool(slice.headStride); }
  /// Of the rows that registers add `row` to, and the lane's columns. As many
  /// bytes as kFixedBytes, these columns included, may be added to it.
  Value ofLane(LaneBuilder &b, int64_t row);
  /// What is added in all lanes of the wave.
  Value uniform(LaneBuilder &b, int64_t row);
  /// Both together.
  Value whole(LaneBuilder &b, int64_t row);
  /// Bytes that are in all of these from here on.
  void addToWhole(LaneBuilder &b, Value bytes);

  static constexpr int64_t kFixedBytes = 4096;

private:
  Value place(LaneBuilder &b, int64_t row);

  const Slice &slice;
  Value laneRow, waveRow;
  Value columns;                               ///< null: none
  llvm::SmallDenseMap<int64_t, Value> offsets; ///< by row of registers
  Value wholeOfFirst;                          ///< of row 0 of registers
};

} // namespace mlir::fmha

#endif // FMHA_LOWER_ROWPLACES_H
