// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "chip/Chip.h"
#include "prove/Proofs.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_VERIFYRUNGPASS
#include "Passes.h.inc"

namespace {

/// Lanes, waves and launch are there, and no other work-items than those of the
/// launch; the body comes later.
LogicalResult proveCombine(CombineOp op) {
  LaunchAttr launch = op.getLaunchAttr();
  if (!launch)
    return op.emitOpError("expected lanes, waves and a launch, found none; run "
                          "fmha-tile-combine");
  int64_t threads = op.waveCount() * chip::kWaveLanes;
  if (launch.getBlock() != threads)
    return op.emitOpError() << "expected its launch to have block = " << threads
                            << ", as it has waves, found " << launch.getBlock();
  if (*op.getLanes() > chip::kWaveLanes)
    return op.emitOpError() << "expected a row in the lanes of one wave, found "
                            << *op.getLanes() << " lanes";
  if (!op.getBody().empty())
    return op.emitOpError("expected no body before the rung amdgpu, found one");
  return success();
}

LogicalResult forEachKernel(ModuleOp module,
                            ArrayRef<LogicalResult (*)(KernelOp)> proofs) {
  auto kernels = module.getOps<KernelOp>();
  if (module.getOps<EntryOp>().empty())
    return module.emitError("expected a fmha.kernel, found none; run "
                            "fmha-tile-attention");
  for (CombineOp op : module.getOps<CombineOp>())
    if (failed(proveCombine(op)))
      return failure();
  for (auto *prove : proofs)
    for (KernelOp kernel : kernels)
      if (failed(prove(kernel)))
        return failure();
  return success();
}

constexpr const char *kUnresolvedRecipe =
    "expected the recipe in the stages (run fmha-select-schedule), found the "
    "name of one, ";

LogicalResult proveProblem(ModuleOp module) {
  auto problems = module.getOps<AttentionOp>();
  if (problems.empty() && module.getOps<CombineOp>().empty())
    return module.emitError("expected a fmha.attention, found none");
  for (AttentionOp op : problems) {
    if (!op.getSchedule())
      return op.emitOpError("expected a schedule, found none; run "
                            "fmha-select-schedule");
    if (auto recipe = op.getSchedule()->getPipeline().getRecipe())
      return op.emitOpError(kUnresolvedRecipe) << recipe;
  }
  return success();
}

/// A launch starts the waves that the schedule has, whose stages have their
/// recipe.
LogicalResult proveLaunch(KernelOp kernel) {
  ScheduleAttr schedule = kernel.getSchedule();
  if (auto recipe = schedule.getPipeline().getRecipe())
    return kernel.emitOpError(kUnresolvedRecipe) << recipe;
  LaunchAttr launch = kernel.getLaunchAttr();
  int64_t threads = schedule.getWaves() * chip::kWaveLanes;
  if (launch && launch.getBlock() != threads)
    return kernel.emitOpError()
           << "expected its launch to have block = " << threads
           << ", as the schedule has waves, found " << launch.getBlock();
  return success();
}

template <typename Op> int64_t countOf(Block &body) {
  return llvm::range_size(body.getOps<Op>());
}

/// The loop holds each step of the schedule's pipeline once (reads and writes
/// of LDS come with the buffers); score_mod where the problem does something to
/// scores, a bias where it has one, look-ups where there are pages.
LogicalResult proveTiles(KernelOp kernel) {
  struct Count {
    int64_t expected = 0, found = 0;
  };
  llvm::SmallMapVector<StepKind, Count, 16> counts;
  ProblemAttr problem = kernel.getProblem();
  auto isLookedUp = [&](StepKind page) {
    return problem.getPages() != Pages::None &&
           (page != StepKind::PageV ||
            !(takesPagesOfK(problem, kernel.getSchedule()) ||
              sharesBuffer(problem, kernel.getSchedule(), Operand::V)));
  };
  auto follows = [&](const StagedOperand &operand) {
    return followsTileFactor(problem, kernel.getSchedule(), operand);
  };
  for (StageAttr stage : kernel.getSchedule().getPipeline().getStages())
    for (StepAttr step : stage.getSteps()) {
      StepKind kind = step.getKind();
      const bool isAsked =
          !isOptional(kind) ||
          (lookupPage(kind)         ? isLookedUp(kind)
           : lookupTileFactor(kind) ? follows(*lookupTileFactor(kind))
                                    : problem.modifiesScores());
      if (!lookupRead(kind) && !lookupWrite(kind) && isAsked)
        counts[kind].expected = 1;
    }
  // The last columns of K come with the others, in the same steps.
  if (furtherCols(problem, kernel.getSchedule())) {
    ++counts[StepKind::LoadK].expected;
    ++counts[StepKind::Qk].expected;
    if (problem.hasTilesAcrossPages(kernel.getSchedule().getTileN()))
      ++counts[StepKind::PageK].expected;
  }
  auto loops = kernel.getItemBlock()->getOps<KvLoopOp>();
  if (!llvm::hasSingleElement(loops))
    return kernel.emitOpError()
           << "expected one KV loop, found " << llvm::range_size(loops);
  Block &body = *(*loops.begin()).getBodyBlock();
  auto hasFactors = [&](Operand operand) {
    return rowsAFactor(problem, operand) != 0;
  };
  auto hasOwn = [&](const StagedOperand &operand) {
    return hasFactors(operand.factors) && !follows(operand);
  };
  const bool ofV = hasOwn(staged(Operand::V));
  // Ops that stand in a step beside the one that it is named for.
  const struct {
    StringRef name;
    bool expected;
    int64_t found;
  } beside[] = {{"fmha.add_bias", problem.getBias(), countOf<AddBiasOp>(body)},
                {"fmha.scale_keys", hasOwn(staged(Operand::K)),
                 countOf<ScaleKeysOp>(body)},
                {"fmha.scale_scores",
                 hasFactorsOfRows(problem, kernel.getSchedule()) &&
                     problem.modifiesScores(),
                 countOf<ScaleScoresOp>(body)},
                {"fmha.subtract_alibi",
                 problem.getAlibi() && kernel.getSchedule().packsHeads(),
                 countOf<SubtractAlibiOp>(body)},
                {"fmha.fold_keys", ofV, countOf<FoldKeysOp>(body)},
                {"fmha.follow", ofV, countOf<FollowOp>(body)}};
  for (const auto &op : beside)
    if (op.found != (op.expected ? 1 : 0))
      return kernel.emitOpError()
             << "expected " << (op.expected ? "one " : "no ") << op.name
             << " in the loop, found " << op.found;
  const bool divides = kernel.getSchedule().getKeyWaves() > 1;
  if (countOf<MergeWavesOp>(*kernel.getItemBlock()) != (divides ? 1 : 0))
    return kernel.emitOpError()
           << "expected " << (divides ? "one" : "no")
           << " fmha.merge_waves after the loop, as key_waves = "
           << kernel.getSchedule().getKeyWaves() << ", found "
           << countOf<MergeWavesOp>(*kernel.getItemBlock());
  for (auto step : body.getOps<StepOp>())
    if (!isa<RowsOp, AddBiasOp, SubtractAlibiOp, ScaleKeysOp, ScaleScoresOp,
             FoldKeysOp, FollowOp>(step))
      ++counts[step.getStepKind()].found;
  for (auto [kind, count] : counts)
    if (count.expected != count.found)
      return kernel.emitOpError()
             << "expected '" << stringifyStepKind(kind) << "' "
             << (count.expected > 1 ? "twice"
                 : count.expected   ? "once"
                                    : "nowhere")
             << " in the loop, as the schedule's pipeline has it, found "
             << count.found;
  return success();
}

LogicalResult proveNoTileOps(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) -> WalkResult {
    if (isa_and_nonnull<FmhaDialect>(op->getDialect()))
      return op->emitOpError("expected no op of the dialect at this rung, "
                             "found one");
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult proveOnlyLlvm(ModuleOp module) {
  WalkResult result = module.walk([&](Operation *op) -> WalkResult {
    if (op == module || isa_and_nonnull<LLVM::LLVMDialect, ROCDL::ROCDLDialect>(
                            op->getDialect()))
      return WalkResult::advance();
    return op->emitOpError("expected only llvm and rocdl ops at this rung, "
                           "found another");
  });
  return failure(result.wasInterrupted());
}

struct VerifyRung : impl::VerifyRungPassBase<VerifyRung> {
  using VerifyRungPassBase::VerifyRungPassBase;

  LogicalResult run(ModuleOp module) override {
    markAllAnalysesPreserved();
    switch (rung) {
    case Rung::Problem:
      return proveProblem(module);
    case Rung::Tiles:
      return forEachKernel(module, {proveLaunch, proveTiles, proveLift});
    case Rung::Layouts:
      return forEachKernel(module, {proveLaunch, proveRegisters, proveLayouts});
    case Rung::Pipelined:
      return forEachKernel(
          module, {proveLaunch, provePipelined, proveRegisters, proveLift});
    case Rung::Synced:
      return forEachKernel(module, {proveLaunch, proveSynced});
    case Rung::Amdgpu:
      return proveNoTileOps(module);
    case Rung::Rocdl:
      return proveOnlyLlvm(module);
    }
    llvm_unreachable("closed enum");
  }
};
} // namespace
} // namespace mlir::fmha
