// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Waits for LDS beside global loads direct to LDS.
#ifndef FMHA_TIGHTEN_LDS_WAITS_H
#define FMHA_TIGHTEN_LDS_WAITS_H

namespace llvm {
class Pass;
}

namespace mlir::fmha {

/// A pass of LLVM's code generator, to run when waits are there.
/// Ensures: no s_waitcnt counts a global load direct to LDS in lgkmcnt.
llvm::Pass *createTightenLdsWaits();

} // namespace mlir::fmha

#endif // FMHA_TIGHTEN_LDS_WAITS_H
