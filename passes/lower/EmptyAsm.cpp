// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/EmptyAsm.h"

using namespace mlir;
using namespace mlir::fmha;

LLVM::InlineAsmOp fmha::createEmptyAsm(LaneBuilder &b, TypeRange results,
                                       ValueRange operands,
                                       StringRef constraints, bool hasEffects) {
  return LLVM::InlineAsmOp::create(
      b, results, operands, /*asm_string=*/"", constraints, hasEffects,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
}

Value fmha::hide(LaneBuilder &b, Value number, RegisterKind kind, bool always) {
  StringRef same = kind == RegisterKind::Scalar ? "=s,0" : "=v,0";
  return createEmptyAsm(b, number.getType(), number, same,
                        /*hasEffects=*/always)
      .getResult(0);
}
