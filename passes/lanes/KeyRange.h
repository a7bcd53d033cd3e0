// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which keys a row sees under each mask, as arithmetic on i32. Both ends grow
/// with the row, so that those of a range of rows are those of its first and of
/// its last row.
#ifndef FMHA_LANES_KEYRANGE_H
#define FMHA_LANES_KEYRANGE_H

#include "lanes/Lanes.h"

namespace mlir::fmha {

/// One past the last key that `row` sees, at most Sk; may be negative.
Value emitKeyLimit(LaneBuilder &b, ProblemAttr problem, Value row);

/// The first key that `row` may see, at least 0; may lie past the limit. Needs
/// a problem with hasFirstKey().
Value emitFirstKey(LaneBuilder &b, ProblemAttr problem, Value row);

} // namespace mlir::fmha

#endif // FMHA_LANES_KEYRANGE_H
