// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialects and their libraries are loaded and bound. Passes and options are
// left to each child: a process registers them once.
#include "c/fmha_passes_c.h"
#include "mlir-c/IR.h"
#include "warm.h"

void resident_warm(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  fmhaRegisterDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirContextLoadAllAvailableDialects(context);
  mlirContextDestroy(context);
  mlirDialectRegistryDestroy(registry);
}
