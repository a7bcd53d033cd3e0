// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// MLIR's parser calls itself for every bracket, and ends the process where the
/// stack does: text from outside is looked at before.
#ifndef FMHA_NESTING_H
#define FMHA_NESTING_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::fmha {

/// Fails, with an error at its place in `name`, if something lies in more
/// brackets than any text of ours has.
LogicalResult checkNesting(MLIRContext *context, StringRef text,
                           StringRef name);

/// Parses a file of the user's; null with a diagnostic.
OwningOpRef<ModuleOp> parseFile(MLIRContext *context, StringRef text,
                                StringRef name);

} // namespace mlir::fmha

#endif // FMHA_NESTING_H
