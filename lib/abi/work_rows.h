// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which sequences of a batch are a kernel's, where several divide it: for the
/// planner, on the host and on the device, and for plans.
#ifndef FMHAC_WORK_ROWS_H
#define FMHAC_WORK_ROWS_H

#include <stdint.h>

/// The sequences that are a kernel's own, by their rows; each number is 0 where
/// it says nothing, and all are without lengths of rows.
typedef struct fmhac_work_rows {
  uint32_t above, most; ///< rows of Q: more than `above`, at most `most`
  /// The same of rows of all heads of Q that share one of K and V.
  uint32_t group_above, group_most;
} fmhac_work_rows;

#endif // FMHAC_WORK_ROWS_H
