// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "chip/Chip.h"
#include "lower/CombineGrid.h"

#include "llvm/Support/MathExtras.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_TILECOMBINEPASS
#include "Passes.h.inc"

namespace {

/// Waves do not meet. Rows with parts are often few, and many bytes each: one
/// wave a workgroup, so that they are read by as many compute units as there
/// are waves (64 rows of 64 parts, D = 128: 11 µs in the model instead of 21).
/// Results are many, and dispatching more workgroups takes time.
constexpr int64_t kWavesOfParts = 1, kWavesOfResults = 4;

struct TileCombine : impl::TileCombinePassBase<TileCombine> {
  LogicalResult run(CombineOp op) override {
    if (op.getLaunchAttr())
      return success(); // a text brought it
    const int64_t columns = op.getProblem().getHeadDimV();
    const int64_t lanes = llvm::PowerOf2Ceil(
        llvm::divideCeil(columns, CombineOp::kColumnsOfLane));
    op.setLanes(lanes);
    op.setWaves(op.getSource() == CombineSource::Parts ? kWavesOfParts
                                                       : kWavesOfResults);
    op.setLaunchAttr(launchOf(op));
    return success();
  }
};
} // namespace
} // namespace mlir::fmha
