// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The built-in schedules: the files of schedules/, embedded.
#ifndef FMHA_SCHEDULES_H
#define FMHA_SCHEDULES_H

#include "FmhaDialect.h"

#include "llvm/ADT/ArrayRef.h"

namespace mlir::fmha {

struct BuiltinSchedule {
  const char *name;
  const char *text; ///< of the schedule file
};

llvm::ArrayRef<BuiltinSchedule> builtinSchedules();

/// The built-in of this name, parsed; null, with a diagnostic at `location`, if
/// there is none.
ScheduleAttr parseBuiltinSchedule(llvm::StringRef name, Location location);

} // namespace mlir::fmha

#endif // FMHA_SCHEDULES_H
