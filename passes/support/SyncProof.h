// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Proof that waits and barriers make LDS traffic of a kernel safe. Knows
/// nothing of how they were inserted: it replays the loop and keeps, for each
/// buffer, how far the copy into it and the reads out of it have come.
#ifndef FMHA_SUPPORT_SYNCPROOF_H
#define FMHA_SUPPORT_SYNCPROOF_H

#include "FmhaDialect.h"

namespace mlir::fmha {

/// Errors at the op that is unsafe, with the wait or barrier that is missing.
LogicalResult proveSynced(KernelOp kernel);

} // namespace mlir::fmha

#endif // FMHA_SUPPORT_SYNCPROOF_H
