// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a stage will be once it is instructions, by class.
#ifndef FMHA_SYNC_INSTRUCTIONCOUNTS_H
#define FMHA_SYNC_INSTRUCTIONCOUNTS_H

#include "FmhaDialect.h"

#include <array>

namespace mlir::fmha {

/// Instructions of a wave, by SchedClass.
using ClassCounts = std::array<int64_t, getMaxEnumValForSchedClass() + 1>;

/// Those that a recipe asks for.
ClassCounts countAsked(ArrayRef<SchedGroupAttr> groups);

/// Instructions that the steps of a stage become where no branch is taken.
/// Addresses and bounds are not counted; LLVM keeps them out of loops. Of
/// classes that only LLVM can count there are as many as are asked for.
ClassCounts countInstructions(StageOp stageOp, const ClassCounts &asked);

} // namespace mlir::fmha

#endif // FMHA_SYNC_INSTRUCTIONCOUNTS_H
