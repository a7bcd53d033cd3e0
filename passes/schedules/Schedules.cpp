// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedules/Schedules.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace mlir::fmha;

llvm::ArrayRef<BuiltinSchedule> fmha::builtinSchedules() {
  static const BuiltinSchedule schedules[] = {
#include "schedules.inc"
  };
  return schedules;
}

ScheduleAttr fmha::parseBuiltinSchedule(llvm::StringRef name,
                                        Location location) {
  for (const BuiltinSchedule &builtin : builtinSchedules()) {
    if (name != builtin.name)
      continue;
    ParserConfig config(location.getContext());
    auto module = parseSourceString<ModuleOp>(builtin.text, config, name);
    if (!module)
      return {};
    auto schedules = module->getOps<ScheduleOp>();
    return schedules.empty() ? ScheduleAttr() : (*schedules.begin()).getValue();
  }
  InFlightDiagnostic diag = emitError(location)
                            << "expected the name of a built-in schedule (";
  llvm::interleaveComma(builtinSchedules(), diag,
                        [&](const BuiltinSchedule &b) { diag << b.name; });
  diag << "), found '" << name << "'";
  return {};
}
