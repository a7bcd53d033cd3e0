// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "chip/Chip.h"
#include "lower/CombineGrid.h"

#include "llvm/Support/MathExtras.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_TILECOMBINEPASS
#include "Passes.h.inc"

namespace {

/// A quarter of the waves of a compute unit: workgroups end on their own, and
/// none is so large that one row keeps many waves.
constexpr int64_t kWaves = 4;

struct TileCombine : impl::TileCombinePassBase<TileCombine> {
  /// Parts: as many workgroups as there may be rows for, up to those that walk
  /// the list. Results: a workgroup for each piece of a batch's rows.
  LaunchAttr launchOf(CombineOp op) {
    Builder b(op.getContext());
    const std::string rows =
        "ceil(Sq * Hq / " + std::to_string(rowsOfWorkgroup(op)) + ")";
    const bool isList = op.getSource() == CombineSource::Parts;
    const std::string grid[] = {isList ? "min(" + rows + " * B, " +
                                             std::to_string(kMostWalkers) + ")"
                                       : rows,
                                isList ? "1" : "B", "1"};
    SmallVector<StringAttr> sides;
    for (const std::string &side : grid)
      sides.push_back(b.getStringAttr(side));
    return LaunchAttr::get(op.getContext(), sides,
                           op.waveCount() * chip::kWaveLanes, StringAttr());
  }

  LogicalResult run(CombineOp op) override {
    if (op.getLaunchAttr())
      return success(); // a text brought it
    const int64_t columns = op.getProblem().getHeadDimV();
    const int64_t lanes = llvm::PowerOf2Ceil(
        llvm::divideCeil(columns, CombineOp::kColumnsOfLane));
    op.setLanes(lanes);
    op.setWaves(kWaves);
    op.setLaunchAttr(launchOf(op));
    return success();
  }
};
} // namespace
} // namespace mlir::fmha
