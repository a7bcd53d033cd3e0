// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which workgroups a combination has: what its launch says and its code counts
/// on.
#ifndef FMHA_LOWER_COMBINEGRID_H
#define FMHA_LOWER_COMBINEGRID_H

#include "FmhaDialect.h"
#include "chip/Chip.h"

namespace mlir::fmha {

/// Workgroups that walk a list: four of four waves fill a compute unit with as
/// many waves as there are registers for, and MI350X has 256. More would only
/// end at once.
constexpr int64_t kMostWalkers = 1024;

/// Rows that a workgroup combines at once.
inline int64_t rowsOfWorkgroup(CombineOp op) {
  return op.waveCount() * chip::kWaveLanes / int64_t(*op.getLanes());
}

} // namespace mlir::fmha

#endif // FMHA_LOWER_COMBINEGRID_H
