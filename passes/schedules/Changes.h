// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A schedule with changes, as another schedule.
#ifndef FMHA_SCHEDULES_CHANGES_H
#define FMHA_SCHEDULES_CHANGES_H

#include "FmhaDialect.h"

namespace mlir::fmha {

/// `base`, called `name` in messages, with `changes`. Null, with a diagnostic
/// at the place of what is wrong, if a stage or a key that goes is not there,
/// or what comes out is no schedule.
ScheduleAttr applyChanges(ScheduleAttr base, FlatSymbolRefAttr name,
                          ChangesAttr changes);

} // namespace mlir::fmha

#endif // FMHA_SCHEDULES_CHANGES_H
