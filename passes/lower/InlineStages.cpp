// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_INLINESTAGESPASS
#include "Passes.h.inc"

namespace {

struct InlineStages : impl::InlineStagesPassBase<InlineStages> {
  LogicalResult run(KernelOp kernel) override {
    SmallVector<StageOp> stageOps;
    kernel.walk([&](StageOp op) { stageOps.push_back(op); });
    for (StageOp stageOp : stageOps) {
      OpBuilder b(stageOp);
      WallOp::create(b, stageOp.getLoc(), stageOp.getStageAttr());
      Block &body = stageOp.getBody().front();
      auto yield = cast<YieldOp>(body.back());
      stageOp.replaceAllUsesWith(yield.getValues());
      yield.erase();
      stageOp->getBlock()->getOperations().splice(stageOp->getIterator(),
                                                  body.getOperations());
      WallOp::create(b, stageOp.getLoc(), FlatSymbolRefAttr());
      stageOp.erase();
    }
    return success();
  }
};
} // namespace
} // namespace mlir::fmha
