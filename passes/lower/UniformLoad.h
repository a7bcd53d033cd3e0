// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loads that are the same in all lanes, of what no kernel writes.
#ifndef FMHA_LOWER_UNIFORMLOAD_H
#define FMHA_LOWER_UNIFORMLOAD_H

#include "lanes/Lanes.h"

namespace mlir::fmha {

/// What lies at an address (i64) that all lanes have alike, which is aligned to
/// so many bytes. Becomes a scalar load.
Value loadUniform(LaneBuilder &b, Type type, Value address,
                  unsigned alignBytes);

} // namespace mlir::fmha

#endif // FMHA_LOWER_UNIFORMLOAD_H
