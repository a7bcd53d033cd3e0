// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Proof that a pipelined kernel does what its loop did: that each read takes
/// the copy of its own tile, and nothing of LDS happens outside of stages.
#ifndef FMHA_PROVE_PIPELINEPROOF_H
#define FMHA_PROVE_PIPELINEPROOF_H

#include "FmhaDialect.h"

namespace mlir::fmha {

LogicalResult provePipelined(KernelOp kernel);

} // namespace mlir::fmha

#endif // FMHA_PROVE_PIPELINEPROOF_H
