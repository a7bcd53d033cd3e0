// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The `fmha` dialect: enums, attributes, types, interfaces and ops.
#ifndef FMHA_DIALECT_H
#define FMHA_DIALECT_H

#include "FmhaInterfaces.h"
#include "FmhaOperands.h"

#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#define GET_OP_CLASSES
#include "FmhaOps.h.inc"

namespace mlir::fmha {
/// The type of a field of the kernel-argument block; an address is a number.
Type typeOfArg(Arg field, MLIRContext *context);
/// Bytes from the start of the block to a field.
int64_t offsetOfArg(Arg field);
bool isAddress(Arg field);
/// How messages and line tables call an op: by its step where that says more.
StringRef labelOf(Operation *op);
} // namespace mlir::fmha

#endif // FMHA_DIALECT_H
