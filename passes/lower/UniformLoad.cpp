// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/UniformLoad.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::fmha;

Value fmha::loadUniform(LaneBuilder &b, Type type, Value address,
                        unsigned alignBytes) {
  constexpr unsigned kConstantSpace = 4; // scalar loads
  Value pointer = LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), kConstantSpace), address);
  auto load = LLVM::LoadOp::create(b, type, pointer, alignBytes);
  load.setInvariant(true);
  return load.getResult();
}
