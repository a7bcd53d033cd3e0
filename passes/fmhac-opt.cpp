// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mlir-opt with the fmha dialect and passes, for lit tests and for kernel engineers.
#include "Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::registerAllPasses();
  mlir::fmha::registerFmhaPasses();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<mlir::fmha::FmhaDialect>();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "attention on gfx950\n", registry));
}
