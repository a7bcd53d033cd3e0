// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "c/fmha_passes_c.h"

#include "Passes.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"

using namespace mlir;

void fmhaRegisterPasses(void) {
  fmha::registerFmhaPasses();
  math::registerMathExpandOpsPass();
}

void fmhaRegisterDialects(MlirDialectRegistry registry) {
  DialectRegistry &dialects = *unwrap(registry);
  dialects
      .insert<fmha::FmhaDialect, amdgpu::AMDGPUDialect, arith::ArithDialect,
              cf::ControlFlowDialect, LLVM::LLVMDialect, math::MathDialect,
              ROCDL::ROCDLDialect, scf::SCFDialect, vector::VectorDialect>();
  // For convert-to-llvm, which converts all of them in one walk.
  arith::registerConvertArithToLLVMInterface(dialects);
  cf::registerConvertControlFlowToLLVMInterface(dialects);
  registerConvertMathToLLVMInterface(dialects);
  registerBuiltinDialectTranslation(dialects);
  registerLLVMDialectTranslation(dialects);
  registerROCDLDialectTranslation(dialects);
}

void fmhaContextConfigure(MlirContext context) {
  unwrap(context)->printOpOnDiagnostic(false);
}
