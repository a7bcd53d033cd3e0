// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which workgroups a combination has: what its launch says and its code counts
/// on.
#ifndef FMHA_LOWER_COMBINEGRID_H
#define FMHA_LOWER_COMBINEGRID_H

#include "FmhaDialect.h"
#include "chip/Chip.h"

namespace mlir::fmha {

/// Workgroups that walk a list, a wave each: eight fill a compute unit with as
/// many waves as there are registers for, and MI350X has 256. More would only
/// end at once.
constexpr int64_t kMostWalkers = 2048;

/// Rows that a workgroup combines at once.
inline int64_t rowsOfWorkgroup(CombineOp op) {
  return op.waveCount() * chip::kWaveLanes / int64_t(*op.getLanes());
}

/// Parts: as many workgroups as there may be rows, as one of many chunks is a
/// wave's, up to those that walk the list. Results: a workgroup for each piece
/// of a batch's rows.
inline LaunchAttr launchOf(CombineOp op) {
  Builder b(op.getContext());
  const bool isList = op.getSource() == CombineSource::Parts;
  const std::string grid[] = {
      isList ? "min(Sq * Hq * B, " + std::to_string(kMostWalkers) + ")"
             : "ceil(Sq * Hq / " + std::to_string(rowsOfWorkgroup(op)) + ")",
      isList ? "1" : "B", "1"};
  SmallVector<StringAttr> sides;
  for (const std::string &side : grid)
    sides.push_back(b.getStringAttr(side));
  return LaunchAttr::get(op.getContext(), sides,
                         op.waveCount() * chip::kWaveLanes, StringAttr());
}

} // namespace mlir::fmha

#endif // FMHA_LOWER_COMBINEGRID_H
