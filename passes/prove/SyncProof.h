// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Proof that the LDS traffic of a kernel is safe, also where the groups of
/// the waves are barriers apart. Knows nothing of how waits were inserted: it
/// walks what a wave of each group executes and compares when what ends and
/// begins.
#ifndef FMHA_PROVE_SYNCPROOF_H
#define FMHA_PROVE_SYNCPROOF_H

#include "FmhaDialect.h"

namespace mlir::fmha {

/// Errors at the op that is unsafe, naming the access that it races with.
LogicalResult proveSynced(KernelOp kernel);

} // namespace mlir::fmha

#endif // FMHA_PROVE_SYNCPROOF_H
