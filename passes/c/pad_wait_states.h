// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Wait states after matrix instructions, counted along every path.
#ifndef FMHA_PAD_WAIT_STATES_H
#define FMHA_PAD_WAIT_STATES_H

namespace llvm {
class Pass;
}

namespace mlir::fmha {

/// A pass of LLVM's code generator, to run before its hazard recogniser, which
/// counts what this one adds.
/// Requires: physical registers, and branches as they will be.
/// Ensures: on every path from a matrix instruction to an instruction that
/// reads or overwrites its result, or overwrites its addend, as many wait
/// states as pad_wait_states.cpp says; adds an s_nop where there are fewer.
llvm::Pass *createPadWaitStates();

} // namespace mlir::fmha

#endif // FMHA_PAD_WAIT_STATES_H
