// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The `fmha` dialect: enums, attributes, types and ops generated from the .td
/// files beside this header.
#ifndef FMHA_DIALECT_H
#define FMHA_DIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "FmhaLimits.h"

#include "FmhaDialect.h.inc"

#include "FmhaEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "FmhaAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "FmhaTypes.h.inc"

#define GET_OP_CLASSES
#include "FmhaOps.h.inc"

#endif // FMHA_DIALECT_H
