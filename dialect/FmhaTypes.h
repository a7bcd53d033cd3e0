// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The dialect's enums, attributes and types, generated from the .td files.
#ifndef FMHA_TYPES_H
#define FMHA_TYPES_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/SymbolTable.h"

#include "FmhaLimits.h"

#include "FmhaDialect.h.inc"

#include "FmhaEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "FmhaAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "FmhaTypes.h.inc"

#endif // FMHA_TYPES_H
