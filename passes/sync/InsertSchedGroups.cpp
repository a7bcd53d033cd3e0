// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "chip/Chip.h"
#include "lanes/Lanes.h"
#include "sync/InstructionCounts.h"

#include "llvm/ADT/StringSet.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_INSERTSCHEDGROUPSPASS
#include "Passes.h.inc"

namespace {

struct InsertSchedGroups : impl::InsertSchedGroupsPassBase<InsertSchedGroups> {
  LogicalResult run(KernelOp kernel) override {
    PipelineAttr pipeline = kernel.getSchedule().getPipeline();
    llvm::StringSet<> reported;
    WalkResult isLaidOut = kernel.walk(
        [](StepOp step) { return WalkResult(requireLayouts(step)); });
    if (isLaidOut.wasInterrupted())
      return failure();
    kernel.walk([&](StageOp stageOp) {
      for (StageAttr stage : pipeline.getStages())
        if (stage.getName() == stageOp.getStageAttr())
          insert(stageOp, stage, pipeline.getInstructions(), reported);
    });
    return success();
  }

  static void insert(StageOp stageOp, StageAttr stage, InstructionOrder order,
                     llvm::StringSet<> &reported) {
    Location loc = stageOp.getLoc();
    Block &body = stageOp.getBody().front();
    OpBuilder b(body.getTerminator());
    ClassCounts asked = countAsked(stage.getGroups()), seen{},
                contained = countInstructions(stageOp, asked);
    // Of a class that the stage has too few of, the recipe loses some evenly:
    // of a smaller head every second matrix instruction, and what stood between
    // them stays between those that are left.
    auto isThere = [&](SchedClass kind) {
      int64_t n = seen[size_t(kind)]++, all = asked[size_t(kind)],
              have = std::min(contained[size_t(kind)], all);
      return llvm::divideCeil(n * have, all) !=
             llvm::divideCeil((n + 1) * have, all);
    };
    if (order != InstructionOrder::Free)
      for (SchedGroupAttr group : stage.getGroups())
        group.forEach([&](SchedClass kind, int64_t count) {
          int64_t there = 0;
          for (int64_t i = 0; i < count; ++i)
            there += isThere(kind);
          if (there)
            ROCDL::SchedGroupBarrier::create(b, loc, chip::schedMask(kind),
                                             there, /*groupId=*/0);
        });
    // Only the loop is worth a recipe; each of its stages stands in it once a
    // tile.
    bool isFirst = stageOp->getParentOfType<KvLoopOp>() &&
                   reported.insert(stageOp.getStage()).second;
    bool isFree = order == InstructionOrder::Free;
    if (isFirst && isFree && !stage.getGroups().empty())
      stageOp.emitRemark() << "declined: recipe of @" << stageOp.getStage()
                           << " is not followed: instructions = free leaves "
                              "their order to LLVM";
    for (size_t kind = 0; kind < asked.size(); ++kind)
      if (isFirst && !isFree && asked[kind] > contained[kind])
        stageOp.emitRemark()
            << "declined: recipe of @" << stageOp.getStage()
            << " cannot be met: it asks "
            << "for " << asked[kind] << " "
            << stringifySchedClass(SchedClass(kind))
            << " instructions, the stage has " << contained[kind];
    // The numbers of pages, and factors of tiles, are looked up ahead to be
    // there when they are asked for.
    SmallVector<Value> kept;
    const bool isHeld =
        holdsLookUps(stageOp->getParentOfType<KernelOp>().getSchedule());
    for (Value value : body.getTerminator()->getOperands()) {
      if (value.getDefiningOp<TileFactorOp>()) {
        if (isHeld)
          kept.push_back(value);
        continue;
      }
      auto pages = value.getDefiningOp<LookUpOp>();
      auto step = value.getDefiningOp<StepOp>();
      if (pages ? isHeld && pages.getVectorMemoryInstructions() == 0
                : step && stage.getAnchor() && step.worksByScore())
        kept.push_back(value);
    }
    if (!kept.empty())
      AnchorOp::create(b, loc, kept);
  }
};
} // namespace
} // namespace mlir::fmha
