// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Scalar values that LLVM has no scalar register for.
#ifndef FMHA_KEEP_SCALARS_H
#define FMHA_KEEP_SCALARS_H

namespace llvm {
class Pass;
}

namespace mlir::fmha {

/// A pass of LLVM's code generator, to run when scalar registers are allocated
/// and vector registers are not.
/// Ensures: of a function with the attribute "fmha-keep-scalars", each scalar
/// value that the allocator wanted to spill is in vector registers: a lane for
/// a dword, if all lanes are on wherever it is kept and taken; a register for a
/// dword, if some are off where it is taken. Where some are off when it is kept
/// it stays a spill.
llvm::Pass *createKeepScalars();

} // namespace mlir::fmha

#endif // FMHA_KEEP_SCALARS_H
