// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The built-in schedules, the files of schedules/, embedded; and what a file
/// says, with its bases and its recipe in their place.
#ifndef FMHA_SCHEDULES_H
#define FMHA_SCHEDULES_H

#include "FmhaDialect.h"

#include "llvm/ADT/ArrayRef.h"

namespace mlir {
class ModuleOp;
}

namespace mlir::fmha {

struct BuiltinSchedule {
  const char *name;
  const char *text; ///< of the schedule file
};

llvm::ArrayRef<BuiltinSchedule> builtinSchedules();

/// The schedule of a file, complete: no base, and the recipe in its stages.
struct ResolvedSchedule {
  StringAttr name;
  ScheduleAttr value;
  StringAttr recipe; ///< name of the recipe; null: it refers to none
};

/// The one schedule of the module that no other of it is derived from. Bases
/// and recipes are the module's, else built in. Fails, with a diagnostic at the
/// place of the fault.
FailureOr<ResolvedSchedule> resolveSchedule(ModuleOp file);

/// A schedule with the recipe that it refers to, if it does, in its stages;
/// null, with a diagnostic at `location`.
ScheduleAttr resolveRecipe(ScheduleAttr schedule, ModuleOp file,
                           Location location);

/// The built-in of this name; null, with a diagnostic at `location`, if there
/// is none.
ScheduleAttr parseBuiltinSchedule(llvm::StringRef name, Location location);

} // namespace mlir::fmha

#endif // FMHA_SCHEDULES_H
