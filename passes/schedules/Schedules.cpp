// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedules/Schedules.h"

#include "FmhaRecipe.h"
#include "schedules/Changes.h"

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

namespace {

/// Finds schedules and recipes by name: those of a file, then the built-in
/// ones, whose files are parsed as they are asked for.
class Library {
public:
  explicit Library(ModuleOp file) : file(file) {}

  /// The schedule without base; it may refer to a recipe.
  ScheduleAttr schedule(ScheduleOp op);
  /// With the recipe that it refers to.
  ScheduleAttr withRecipe(ScheduleAttr schedule, Location location);

private:
  template <typename Op> Op find(StringAttr name);

  ModuleOp file;
  SmallVector<OwningOpRef<ModuleOp>> builtins;
  SmallVector<ScheduleOp> chain; ///< that are being resolved
};

template <typename Op> Op Library::find(StringAttr name) {
  auto in = [&](ModuleOp module) {
    for (Op op : module.getOps<Op>())
      if (op.getSymNameAttr() == name)
        return op;
    return Op();
  };
  if (Op op = file ? in(file) : Op())
    return op;
  for (auto &module : builtins)
    if (Op op = in(*module))
      return op;
  // The name of the op and the symbol: what the text of its file has.
  std::string head =
      (Op::getOperationName() + " @" + name.getValue() + " ").str();
  for (const BuiltinSchedule &builtin : builtinSchedules()) {
    if (!StringRef(builtin.text).contains(head))
      continue;
    builtins.push_back(parseSourceString<ModuleOp>(
        builtin.text, ParserConfig(name.getContext()), builtin.name));
    return builtins.back() ? in(*builtins.back()) : Op();
  }
  return Op();
}

/// The built-in schedules that there are to choose from.
void appendNames(InFlightDiagnostic &diag) {
  llvm::interleaveComma(builtinSchedules(), diag,
                        [&](const BuiltinSchedule &b) { diag << b.name; });
}

ScheduleAttr Library::schedule(ScheduleOp op) {
  if (llvm::is_contained(chain, op)) {
    InFlightDiagnostic diag = emitError(
        op.getLoc(),
        "expected a base that is not derived from the schedule itself, found ");
    for (ScheduleOp each : ArrayRef(chain).drop_until(
             [&](ScheduleOp other) { return other == op; }))
      diag << "@" << each.getSymName() << " = ";
    diag << "@" << op.getSymName();
    return {};
  }
  if (ScheduleAttr value = op.getValueAttr())
    return value;
  FlatSymbolRefAttr name = op.getBaseAttr();
  auto base = find<ScheduleOp>(name.getAttr());
  if (!base) {
    InFlightDiagnostic diag = emitError(
        op.getLoc(), "expected a base of the file or a built-in one (");
    appendNames(diag);
    diag << "), found " << name;
    return {};
  }
  chain.push_back(op);
  ScheduleAttr value = schedule(base);
  chain.pop_back();
  if (value && op.getChangesAttr())
    value = applyChanges(value, name, op.getChangesAttr());
  return value;
}

ScheduleAttr Library::withRecipe(ScheduleAttr schedule, Location location) {
  FlatSymbolRefAttr name = schedule.getPipeline().getRecipe();
  if (!name)
    return schedule;
  auto recipe = find<RecipeOp>(name.getAttr());
  if (!recipe) {
    emitError(location) << "expected a recipe of the file or a built-in one, "
                           "found "
                        << name;
    return {};
  }
  // A built-in recipe is right: it is not for this schedule.
  bool isUsers = file && recipe->getParentOp() == file;
  return applyRecipe(schedule, recipe.getValue(), [&] {
    return emitError(isUsers ? recipe.getLoc() : location);
  });
}

} // namespace

FailureOr<ResolvedSchedule> fmha::resolveSchedule(ModuleOp file) {
  SmallVector<ScheduleOp> schedules(file.getOps<ScheduleOp>()), last;
  for (ScheduleOp op : schedules)
    if (llvm::none_of(schedules, [&](ScheduleOp other) {
          return other.getBaseAttr() &&
                 other.getBaseAttr().getAttr() == op.getSymNameAttr();
        }))
      last.push_back(op);
  size_t ops = llvm::range_size(*file.getBody());
  size_t recipes = llvm::range_size(file.getOps<RecipeOp>());
  // Derived from each other in a circle: resolving says so.
  if (last.empty() && !schedules.empty())
    last.push_back(schedules.front());
  if (last.size() != 1 || schedules.size() + recipes != ops) {
    // The file's first line, unless its text gives the module another place.
    auto place = dyn_cast<FileLineColLoc>(file.getLoc());
    InFlightDiagnostic error =
        emitError(place ? FileLineColLoc::get(place.getFilename(), 1, 1)
                        : file.getLoc())
        << "expected exactly one fmha.schedule in the file that "
           "no other is derived from, found "
        << last.size() << " among " << ops << " ops";
    for (ScheduleOp op : last)
      error << (op == last.front() ? ": @" : ", @") << op.getSymName();
    return error;
  }
  Library library(file);
  ScheduleOp op = last.front();
  ScheduleAttr value = library.schedule(op);
  StringAttr recipe;
  if (value && value.getPipeline().getRecipe())
    recipe = value.getPipeline().getRecipe().getAttr();
  if (value)
    value = library.withRecipe(value, op.getLoc());
  if (!value)
    return failure();
  return ResolvedSchedule{op.getSymNameAttr(), value, recipe};
}

ScheduleAttr fmha::resolveRecipe(ScheduleAttr schedule, ModuleOp file,
                                 Location location) {
  return Library(file).withRecipe(schedule, location);
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
    FailureOr<ResolvedSchedule> resolved = resolveSchedule(*module);
    return succeeded(resolved) ? resolved->value : ScheduleAttr();
  }
  InFlightDiagnostic diag = emitError(location)
                            << "expected the name of a built-in schedule (";
  appendNames(diag);
  diag << "), found '" << name << "'";
  return {};
}
