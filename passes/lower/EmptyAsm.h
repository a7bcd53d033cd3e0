// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Instructions that are none: LLVM does not look into them.
#ifndef FMHA_LOWER_EMPTYASM_H
#define FMHA_LOWER_EMPTYASM_H

#include "lanes/Lanes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::fmha {

/// Takes `operands`, gives `results`, as LLVM's `constraints` say. One with
/// effects stays, and memory accesses stay on their side of it.
LLVM::InlineAsmOp createEmptyAsm(LaneBuilder &b, TypeRange results,
                                 ValueRange operands, StringRef constraints,
                                 bool hasEffects);

enum class RegisterKind { Scalar, Vector };

/// The same number, in a register of that kind, of which LLVM does not know how
/// it came to be; with `always` at this very place, whenever it comes by.
Value hide(LaneBuilder &b, Value number, RegisterKind kind,
           bool always = false);

} // namespace mlir::fmha

#endif // FMHA_LOWER_EMPTYASM_H
