// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The ops of a KV loop as the steps of a schedule's pipeline.
#ifndef FMHA_PIPELINE_STEPS_H
#define FMHA_PIPELINE_STEPS_H

#include "FmhaDialect.h"

namespace mlir::fmha {

/// An op of the loop's body at its place in the pipeline.
struct Step {
  StepOp op;
  int64_t ahead; ///< tiles
  int64_t stage; ///< index among the stages
  int64_t place; ///< in its stage
  /// Counts stages from where the tile that the body is about begins.
  std::pair<int64_t, int64_t> time(int64_t stages) const {
    return {stage - ahead * stages, place};
  }
};

/// Places every op of the body, in the order of their stages. An op that the
/// pipeline divides is replaced by its parts; what needs a part of its result
/// takes the first that has it. Fails with an error, and what is expected, if
/// an op has no place, a step no op, parts do not add up, or a step stands
/// before what it needs.
FailureOr<SmallVector<Step>> placeSteps(KvLoopOp loop, PipelineAttr pipeline);

} // namespace mlir::fmha

#endif // FMHA_PIPELINE_STEPS_H
