// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The built-in schedules: files of schedules/, embedded, and the table of what
/// they serve.
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

/// Name of the first schedule that serves the problem; empty if none does.
llvm::StringRef scheduleServing(ProblemAttr problem);

} // namespace mlir::fmha

#endif // FMHA_SCHEDULES_H
