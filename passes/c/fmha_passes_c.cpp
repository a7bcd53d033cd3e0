// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "c/fmha_passes_c.h"

#include "Passes.h"
#include "schedules/Schedules.h"

#include "mlir/CAPI/IR.h"
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
  registerBuiltinDialectTranslation(dialects);
  registerLLVMDialectTranslation(dialects);
  registerROCDLDialectTranslation(dialects);
}

void fmhaContextConfigure(MlirContext context) {
  unwrap(context)->printOpOnDiagnostic(false);
}

bool fmhaBuiltinSchedule(size_t index, const char **out_name,
                         const char **out_text) {
  *out_name = *out_text = nullptr;
  llvm::ArrayRef<fmha::BuiltinSchedule> schedules = fmha::builtinSchedules();
  if (index >= schedules.size())
    return false;
  *out_name = schedules[index].name;
  *out_text = schedules[index].text;
  return true;
}
