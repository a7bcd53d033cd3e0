// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Proof that layouts keep what they promise: every element of a tile has its
/// own bytes in LDS, buffers do not overlap and fit, and a copy moves every
/// element. Enumerates; shares no code with the planner.
#ifndef FMHA_SUPPORT_LAYOUTPROOF_H
#define FMHA_SUPPORT_LAYOUTPROOF_H

#include "FmhaDialect.h"

namespace mlir::fmha {

LogicalResult proveLayouts(KernelOp kernel);

} // namespace mlir::fmha

#endif // FMHA_SUPPORT_LAYOUTPROOF_H
