// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Proof that layouts keep what they promise: every element of a tile has its
/// own bytes in LDS, buffers do not overlap and fit; a copy moves every element
/// once, to where the layout has it; reads find theirs; and bank conflicts of
/// both are what the layout states. Enumerates; shares no code with the
/// planner.
#ifndef FMHA_PROVE_LAYOUTPROOF_H
#define FMHA_PROVE_LAYOUTPROOF_H

#include "FmhaDialect.h"

namespace mlir::fmha {

LogicalResult proveLayouts(KernelOp kernel);

} // namespace mlir::fmha

#endif // FMHA_PROVE_LAYOUTPROOF_H
