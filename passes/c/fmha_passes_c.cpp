// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "c/fmha_passes_c.h"

#include "FmhaRecipe.h"
#include "Nesting.h"
#include "Passes.h"
#include "schedules/Schedules.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/CAPI/Utils.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
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

bool fmhaScheduleFileParse(MlirContext context, MlirStringRef text,
                           MlirStringRef name, fmha_schedule_file *out_file) {
  *out_file = {{nullptr}, {"", 0}, {"", 0}};
  auto module = fmha::parseFile(unwrap(context), unwrap(text), unwrap(name));
  if (!module)
    return false;
  FailureOr<fmha::ResolvedSchedule> resolved = fmha::resolveSchedule(*module);
  if (failed(resolved))
    return false;
  // Attributes are uniqued in the context and outlive the module.
  *out_file = {wrap(Attribute(resolved->value)),
               wrap(resolved->name.getValue()),
               wrap(resolved->recipe ? resolved->recipe.getValue() : "")};
  return true;
}

void fmhaSchedulePrint(MlirAttribute schedule, MlirStringRef name,
                       MlirStringRef recipe, MlirStringCallback callback,
                       void *user) {
  mlir::detail::CallbackOstream out(callback, user);
  auto whole = cast<fmha::ScheduleAttr>(unwrap(schedule));
  auto [bare, parted] = fmha::splitRecipe(
      whole, FlatSymbolRefAttr::get(whole.getContext(), unwrap(recipe)));
  if (parted)
    out << "fmha.recipe @" << unwrap(recipe) << " = " << parted << "\n";
  out << "fmha.schedule @" << unwrap(name) << " = " << bare << "\n";
}
