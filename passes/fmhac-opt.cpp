// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mlir-opt with the fmha dialect and passes, for lit tests and for kernel
// engineers.
#include "Passes.h"
#include "c/fmha_passes_c.h"

#include "mlir-c/Conversion.h"
#include "mlir-c/Transforms.h"
#include "mlir/CAPI/IR.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  fmhaRegisterPasses();
  mlirRegisterConversionPasses();
  mlirRegisterTransformsPasses();
  mlir::DialectRegistry registry;
  fmhaRegisterDialects(wrap(&registry));
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "attention on gfx950\n", registry));
}
