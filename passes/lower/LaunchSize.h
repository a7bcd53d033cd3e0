// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A size of a launch as a kernel sees it.
#ifndef FMHA_PASSES_LAUNCH_SIZE_H
#define FMHA_PASSES_LAUNCH_SIZE_H

#include "FmhaDialect.h"

#include "mlir/IR/Builders.h"

namespace mlir::fmha {

/// An expression of `#fmha.launch`, which has verified it, as an i32 made of
/// the kernel's arguments. Null if it names a size that these do not have.
Value emitLaunchSize(OpBuilder &b, Location loc, StringAttr expression);

} // namespace mlir::fmha

#endif // FMHA_PASSES_LAUNCH_SIZE_H
