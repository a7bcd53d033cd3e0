// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The passes from problem to ROCDL, in the order in which they usually run.
/// What each requires and ensures stands in Passes.td.
#ifndef FMHA_PASSES_H
#define FMHA_PASSES_H

#include "FmhaDialect.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::fmha {

/// A pass on ops of one kind, which fails where run() does.
template <typename Op> struct PassOn : OperationPass<Op> {
  using OperationPass<Op>::OperationPass;
  virtual LogicalResult run(Op op) = 0;
  void runOnOperation() final {
    if (failed(run(this->getOperation())))
      this->signalPassFailure();
  }
};

#define GEN_PASS_DECL
#include "Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Passes.h.inc"

} // namespace mlir::fmha

#endif // FMHA_PASSES_H
