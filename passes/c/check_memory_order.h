// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The order of vector memory instructions, as waits for copies count them.
#ifndef FMHA_CHECK_MEMORY_ORDER_H
#define FMHA_CHECK_MEMORY_ORDER_H

namespace llvm {
class Pass;
}

namespace mlir::fmha {

/// A pass of LLVM's code generator, to run when no later one moves
/// instructions.
/// Requires: line tables of the rung at which waits were counted.
/// Ensures: an error in the context unless, between two barriers of a block, no
/// vector memory instruction is on the other side of a load to LDS than its
/// line. Instructions without a line are not looked at.
llvm::Pass *createCheckMemoryOrder();

} // namespace mlir::fmha

#endif // FMHA_CHECK_MEMORY_ORDER_H
