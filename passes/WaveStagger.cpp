// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_WAVESTAGGERPASS
#include "Passes.h.inc"

namespace {

bool readsLds(ClusterOp cluster) {
  Block &body = cluster.getBody().front();
  return llvm::any_of(body,
                      [](Operation &op) { return isa<ReadKOp, ReadVOp>(op); });
}

struct WaveStagger : impl::WaveStaggerPassBase<WaveStagger> {
  void runOnOperation() override {
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      if (failed(separate(kernel)))
        return signalPassFailure();
  }

  LogicalResult separate(KernelOp kernel) {
    PipelineAttr pipeline = kernel.getSchedule().getPipeline();
    SmallVector<ClusterOp> clusters;
    kernel.walk([&](ClusterOp op) { clusters.push_back(op); });
    if (clusters.empty()) {
      kernel.emitRemark("left as it is: it has no clusters in a pipeline");
      return success();
    }
    llvm::SmallDenseMap<StringRef, StageAttr> stages;
    for (StageAttr stage : pipeline.getStages())
      stages[stage.getName().getValue()] = stage;
    for (ClusterOp cluster : clusters) {
      StageAttr stage = stages.lookup(cluster.getStage());
      if (!stage)
        return cluster.emitOpError()
               << "expected a stage of the kernel's schedule, found @"
               << cluster.getStage();
      frame(cluster, stage);
    }
    stagger(kernel, clusters, pipeline.getStagger());
    return success();
  }

  /// Priority and idle slots in the cluster, a barrier behind it.
  static void frame(ClusterOp cluster, StageAttr stage) {
    Location loc = cluster.getLoc();
    Block &body = cluster.getBody().front();
    OpBuilder b = OpBuilder::atBlockBegin(&body);
    if (stage.getNops())
      IdleOp::create(b, loc, stage.getNops());
    if (stage.getPriority()) {
      PriorityOp::create(b, loc, stage.getPriority());
      b.setInsertionPoint(body.getTerminator());
      PriorityOp::create(b, loc, 0);
    }
    b.setInsertionPointAfter(cluster);
    BarrierOp::create(b, loc);
  }

  /// Before anything that the halves could do at different times; and behind
  /// everything, so that both have gone through as many barriers when they end.
  static void stagger(KernelOp kernel, ArrayRef<ClusterOp> clusters,
                      int64_t barriers) {
    if (!barriers)
      return;
    Block &body = kernel.getBody().front();
    auto topLevel = [&](ClusterOp cluster) {
      return body.findAncestorOpInBlock(*cluster);
    };
    auto first = llvm::find_if(clusters, readsLds);
    OpBuilder b(first == clusters.end() ? topLevel(clusters.front())
                                        : topLevel(*first));
    Location loc = kernel.getLoc();
    StaggerOp::create(b, loc, WaveGroup::Second, barriers);
    Operation *last = topLevel(clusters.back());
    b.setInsertionPointAfter(isa_and_nonnull<BarrierOp>(last->getNextNode())
                                 ? last->getNextNode()
                                 : last);
    StaggerOp::create(b, loc, WaveGroup::First, barriers);
  }
};
} // namespace
} // namespace mlir::fmha
