// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which workgroups a kernel of attention has.
#ifndef FMHA_TILES_ATTENTIONGRID_H
#define FMHA_TILES_ATTENTIONGRID_H

#include "FmhaDialect.h"
#include "chip/Chip.h"

namespace mlir::fmha {

/// As many workgroups as there are tiles of rows, heads and batches, or tiles
/// of groups of heads; of a list, as many as compute units hold. Null, with an
/// error at `op`, if its condition is none.
inline LaunchAttr launchOf(AttentionOp op) {
  Builder b(op.getContext());
  ScheduleAttr schedule = *op.getSchedule();
  const bool packs = schedule.packsHeads();
  const std::string tile = std::to_string(schedule.getTileM());
  const std::string rows = packs ? "Sq * ceil(Hq / Hk)" : "Sq";
  const int64_t resident =
      schedule.getWavesPerSimd() * chip::kSimds / schedule.getWaves();
  SmallVector<StringAttr> grid{
      b.getStringAttr("ceil(" + rows + " / " + tile + ")"),
      b.getStringAttr(packs ? "Hk" : "Hq"), b.getStringAttr("B")};
  if (op.getProblem().getWork() != WorkForm::Grid)
    grid = {b.getStringAttr("CUs * " + std::to_string(resident)),
            b.getStringAttr("1"), b.getStringAttr("1")};
  return LaunchAttr::getChecked(
      [&] { return op.emitOpError(); }, op.getContext(), ArrayRef(grid),
      schedule.getWaves() * chip::kWaveLanes, op.getWhenAttr());
}

} // namespace mlir::fmha

#endif // FMHA_TILES_ATTENTIONGRID_H
