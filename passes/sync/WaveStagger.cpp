// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_WAVESTAGGERPASS
#include "Passes.h.inc"

namespace {

struct WaveStagger : impl::WaveStaggerPassBase<WaveStagger> {
  LogicalResult run(KernelOp kernel) override {
    PipelineAttr pipeline = kernel.getSchedule().getPipeline();
    SmallVector<StageOp> stageOps;
    kernel.walk([&](StageOp op) { stageOps.push_back(op); });
    if (stageOps.empty()) {
      kernel.emitRemark("left as it is: it has no stages in a pipeline");
      return success();
    }
    llvm::SmallDenseMap<StringRef, StageAttr> stages;
    for (StageAttr stage : pipeline.getStages())
      stages[stage.getName().getValue()] = stage;
    for (StageOp stageOp : stageOps) {
      StageAttr stage = stages.lookup(stageOp.getStage());
      if (!stage)
        return stageOp.emitOpError()
               << "expected a stage of the kernel's schedule, found @"
               << stageOp.getStage();
      frame(stageOp, stage);
    }
    stagger(kernel, stageOps, pipeline.getStagger());
    frameExchange(kernel);
    return success();
  }

  /// What a wave shares the others gather after a barrier. After another one
  /// its place may have something else: what is shared next, or what the next
  /// work item copies.
  static void frameExchange(KernelOp kernel) {
    SmallVector<Operation *> ops;
    kernel.walk([&](Operation *op) {
      if (isa<ShareOp, GatherOp>(op))
        ops.push_back(op);
    });
    WorkOp work = kernel.getWork();
    for (Operation *op : ops) {
      if (op == ops.back() && !(work && work.repeats()))
        continue;
      OpBuilder b(op->getBlock(), std::next(op->getIterator()));
      ROCDL::SBarrierOp::create(b, op->getLoc());
    }
  }

  /// Priority and idle slots in the stage, a barrier after it.
  static void frame(StageOp stageOp, StageAttr stage) {
    Location loc = stageOp.getLoc();
    Block &body = stageOp.getBody().front();
    OpBuilder b = OpBuilder::atBlockBegin(&body);
    if (stage.getNops()) {
      ROCDL::SNopOp::create(b, loc, stage.getNops() - 1);
      amdgpu::SchedBarrierOp::create(b, loc,
                                     amdgpu::sched_barrier_opt_enum::none);
    }
    if (stage.getPriority()) {
      ROCDL::SetPrioOp::create(b, loc, stage.getPriority());
      b.setInsertionPoint(body.getTerminator());
      ROCDL::SetPrioOp::create(b, loc, 0);
    }
    b.setInsertionPointAfter(stageOp);
    ROCDL::SBarrierOp::create(b, loc);
  }

  /// Before anything that the groups could do at different times; and after
  /// everything, so that both have gone through as many barriers when they end.
  static void stagger(KernelOp kernel, ArrayRef<StageOp> stageOps,
                      int64_t barriers) {
    if (!barriers)
      return;
    Block &body = *kernel.getItemBlock();
    auto topLevel = [&](StageOp stageOp) {
      return body.findAncestorOpInBlock(*stageOp);
    };
    auto first = llvm::find_if(
        stageOps, [](StageOp stageOp) { return stageOp.readsLds(); });
    OpBuilder b(first == stageOps.end() ? topLevel(stageOps.front())
                                        : topLevel(*first));
    Location loc = kernel.getLoc();
    StaggerOp::create(b, loc, WaveGroup::Second, barriers);
    Operation *last = topLevel(stageOps.back());
    b.setInsertionPointAfter(
        isa_and_nonnull<ROCDL::SBarrierOp>(last->getNextNode())
            ? last->getNextNode()
            : last);
    StaggerOp::create(b, loc, WaveGroup::First, barriers);
  }
};
} // namespace
} // namespace mlir::fmha
