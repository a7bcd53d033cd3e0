// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "support/LayoutProof.h"
#include "support/PipelineProof.h"
#include "support/RegisterBound.h"
#include "support/Steps.h"
#include "support/SyncProof.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_VERIFYSTAGEPASS
#include "Passes.h.inc"

namespace {

LogicalResult forEachKernel(ModuleOp module, LogicalResult (*prove)(KernelOp)) {
  auto kernels = module.getOps<KernelOp>();
  if (kernels.empty())
    return module.emitError("expected a fmha.kernel, found none; run "
                            "fmha-tile-attention");
  for (KernelOp kernel : kernels)
    if (failed(prove(kernel)))
      return failure();
  return success();
}

LogicalResult proveProblem(ModuleOp module) {
  auto problems = module.getOps<AttentionOp>();
  if (problems.empty())
    return module.emitError("expected a fmha.attention, found none");
  for (AttentionOp op : problems)
    if (!op.getSchedule())
      return op.emitOpError("expected a schedule, found none; run "
                            "fmha-select-schedule");
  return success();
}

/// The loop holds each step of the schedule's pipeline once (reads come with
/// the buffers); score_mod where the problem does something to scores, a bias
/// where it has one.
LogicalResult proveTiles(KernelOp kernel) {
  llvm::SmallMapVector<Cluster, int64_t, 16> expected, found;
  ProblemAttr problem = kernel.getProblem();
  for (StageAttr stage : kernel.getSchedule().getPipeline().getStages())
    for (StepAttr step : stage.getSteps()) {
      Cluster cluster = step.getCluster();
      if (cluster != Cluster::ReadK && cluster != Cluster::ReadV &&
          (cluster != Cluster::ScoreMod || problem.modifiesScores()))
        expected[cluster] = 1;
    }
  auto loops = kernel.getBody().getOps<KvLoopOp>();
  if (!llvm::hasSingleElement(loops))
    return kernel.emitOpError()
           << "expected one KV loop, found " << llvm::range_size(loops);
  Block &body = *(*loops.begin()).getBodyBlock();
  auto biases = llvm::range_size(body.getOps<AddBiasOp>());
  if (biases != (problem.getBias() ? 1 : 0))
    return kernel.emitOpError()
           << "expected " << (problem.getBias() ? "one" : "no")
           << " fmha.add_bias in the loop, found " << biases;
  for (Operation &op : body)
    if (std::optional<Cluster> cluster = clusterOf(&op);
        cluster && !isa<AddBiasOp>(op))
      ++found[*cluster];
  for (auto [cluster, count] : expected)
    if (found.lookup(cluster) != count)
      return kernel.emitOpError()
             << "expected '" << stringifyCluster(cluster)
             << "' once in the loop, as the schedule's pipeline has it, found "
             << found.lookup(cluster);
  for (auto [cluster, count] : found)
    if (!expected.contains(cluster))
      return kernel.emitOpError()
             << "expected the steps of the schedule's pipeline in the loop, "
                "found '"
             << stringifyCluster(cluster) << "', which it has not";
  return success();
}

LogicalResult proveNoTileOps(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    if (!isa_and_nonnull<FmhaDialect>(op->getDialect()))
      return WalkResult::advance();
    op->emitOpError("expected no op of the dialect at this rung, found one");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult proveOnlyLlvm(ModuleOp module) {
  WalkResult result = module.walk([&](Operation *op) {
    if (op == module || isa_and_nonnull<LLVM::LLVMDialect, ROCDL::ROCDLDialect>(
                            op->getDialect()))
      return WalkResult::advance();
    op->emitOpError("expected only llvm and rocdl ops at this rung, found "
                    "another");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

struct VerifyStage : impl::VerifyStagePassBase<VerifyStage> {
  using VerifyStagePassBase::VerifyStagePassBase;

  LogicalResult prove(ModuleOp module) {
    if (rung == "problem")
      return proveProblem(module);
    if (rung == "tiles")
      return forEachKernel(module, proveTiles);
    if (rung == "layouts")
      return success(succeeded(forEachKernel(module, proveRegisters)) &&
                     succeeded(forEachKernel(module, proveLayouts)));
    if (rung == "pipelined")
      return success(succeeded(forEachKernel(module, provePipelined)) &&
                     succeeded(forEachKernel(module, proveRegisters)));
    if (rung == "synced")
      return forEachKernel(module, proveSynced);
    if (rung == "amdgpu")
      return proveNoTileOps(module);
    if (rung == "rocdl")
      return proveOnlyLlvm(module);
    return module.emitError()
           << "expected rung problem, tiles, layouts, pipelined, synced, "
              "amdgpu or rocdl, found '"
           << rung << "'";
  }

  void runOnOperation() override {
    if (failed(prove(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
} // namespace mlir::fmha
