// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "c/fmha_passes_c.h"

#include "mlir/CAPI/IR.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

#include "chip/Matrix.h"
#include "sync/InstructionCounts.h"

using namespace mlir;
using namespace mlir::fmha;

static_assert(FMHA_SCHED_CLASSES == getMaxEnumValForSchedClass() + 1);

const char *fmhaSchedClassName(size_t index) {
  // A literal, which ends with a NUL.
  return stringifySchedClass(SchedClass(index)).data();
}

/// "exp[5 to 8 of 8] ahead -1"
static std::string textOf(StepAttr step) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  Attribute(step).print(stream);
  // "#fmha.step<...>"
  StringRef whole = text;
  return whole.drop_front(whole.find('<') + 1).drop_back().str();
}

/// The matrix instruction of a stage: that of its first product.
static int64_t matrixCycles(StageAttr stage, KernelOp kernel) {
  for (StepAttr step : stage.getSteps())
    if (const StagedOperand *by = lookupProduct(step.getKind()))
      if (auto matrix = chip::lookupMatrix(*by, kernel.getProblem(),
                                           kernel.getSchedule()))
        return matrix->cycles;
  return 0;
}

static void tell(StageAttr stage, StageOp stageOp, KernelOp kernel,
                 void (*visit)(void *user, const fmha_stage *stage),
                 void *user) {
  SmallVector<std::string> texts;
  for (StepAttr step : stage.getSteps())
    texts.push_back(textOf(step));
  SmallVector<const char *> steps;
  for (const std::string &text : texts)
    steps.push_back(text.c_str());
  std::string name = stage.getName().getValue().str();
  fmha_stage facts = {name.c_str(),
                      stringifyStageKind(stage.getKind()).data(),
                      steps.data(),
                      steps.size(),
                      !stage.getGroups().empty(),
                      matrixCycles(stage, kernel),
                      {},
                      {}};
  ClassCounts asked = countAsked(stage.getGroups());
  llvm::copy(asked, facts.recipe);
  llvm::copy(countInstructions(stageOp, asked), facts.instructions);
  visit(user, &facts);
}

void fmhaModuleVisitStages(MlirModule module,
                           void (*visit)(void *user, const fmha_stage *stage),
                           void *user) {
  for (KernelOp kernel : unwrap(module).getOps<KernelOp>()) {
    for (StageAttr stage : kernel.getSchedule().getPipeline().getStages()) {
      // Each stands in a round once a tile; the first is like the others.
      kernel.walk([&](StageOp stageOp) {
        if (stageOp.getStageAttr() != stage.getName() ||
            !stageOp->getParentOfType<KvLoopOp>())
          return WalkResult::advance();
        tell(stage, stageOp, kernel, visit, user);
        return WalkResult::interrupt();
      });
    }
  }
}
