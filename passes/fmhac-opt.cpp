// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mlir-opt with the fmha dialect and passes, for lit tests and for kernel
// engineers.
#include "Nesting.h"
#include "Passes.h"
#include "c/fmha_passes_c.h"

#include "mlir-c/Conversion.h"
#include "mlir-c/Transforms.h"
#include "mlir/CAPI/IR.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

/// Whether the parser can take what is in a file; what cannot be read is left
/// to mlir-opt.
static bool isShallow(llvm::StringRef path) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> file = mlir::openInputFile(path, &error);
  if (!file)
    return true;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::ScopedDiagnosticHandler print(&context, [](mlir::Diagnostic &found) {
    llvm::errs() << found.getLocation() << ": error: " << found << "\n";
  });
  return mlir::succeeded(
      mlir::fmha::checkNesting(&context, file->getBuffer(), path));
}

int main(int argc, char **argv) {
  fmhaRegisterPasses();
  mlirRegisterConversionPasses();
  mlirRegisterTransformsPasses();
  mlir::DialectRegistry registry;
  fmhaRegisterDialects(wrap(&registry));
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "attention on gfx950\n", registry);
  // Standard input can be read once only: what comes from there is not checked.
  if (input != "-" && !isShallow(input))
    return EXIT_FAILURE;
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, input, output, registry));
}
