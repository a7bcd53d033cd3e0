// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Recipes: syntax, verifiers, and how a schedule takes one.
#include "FmhaRecipe.h"

#include "mlir/IR/AttrTypeSubElements.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::fmha;

//===- Syntax -------------------------------------------------------------===//

/// `mfma 1`, `trans 2 2 1 0`
static ParseResult parseRow(AsmParser &parser, SchedClass &kind,
                            SmallVector<int64_t> &row) {
  auto found = FieldParser<SchedClass>::parse(parser);
  if (failed(found) || parser.parseInteger(row.emplace_back()))
    return failure();
  kind = *found;
  int64_t count;
  for (OptionalParseResult more;
       (more = parser.parseOptionalInteger(count)).has_value();) {
    if (failed(*more))
      return failure();
    row.push_back(count);
  }
  return success();
}

ParseResult fmha::parseTable(AsmParser &parser, int64_t &repeat,
                             SmallVector<SchedClass> &classes,
                             SmallVector<int64_t> &counts) {
  SMLoc loc = parser.getCurrentLocation();
  repeat = 1;
  OptionalParseResult hasRepeat = parser.parseOptionalInteger(repeat);
  if (hasRepeat.has_value() && (failed(*hasRepeat) || parser.parseKeyword("x")))
    return failure();
  SmallVector<SmallVector<int64_t>> rows;
  size_t columns = 0;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        auto &row = rows.emplace_back();
        if (parseRow(parser, classes.emplace_back(), row))
          return failure();
        columns = std::max(columns, row.size());
        return success();
      }))
    return failure();
  for (auto [kind, row] : llvm::zip(classes, rows)) {
    if (row.size() == 1)
      row.assign(columns, int64_t(row.front()));
    if (row.size() != columns)
      return parser.emitError(loc)
             << "expected one count of '" << stringifySchedClass(kind)
             << "', or " << columns
             << ", as many as the table has columns, found " << row.size();
    counts.append(row);
  }
  // Equal columns are one that repeats: so a recipe has one form.
  if (repeat <= kMaxRecipe && llvm::all_of(rows, [](ArrayRef<int64_t> row) {
        return llvm::all_equal(row);
      })) {
    counts.clear();
    for (const auto &row : rows)
      counts.push_back(row.front());
    repeat *= int64_t(columns ? columns : 1);
  }
  return success();
}

void fmha::printTable(AsmPrinter &printer, int64_t repeat,
                      ArrayRef<SchedClass> classes, ArrayRef<int64_t> counts) {
  if (repeat != 1)
    printer << repeat << " x ";
  size_t columns = counts.size() / classes.size();
  printer << "[";
  llvm::interleaveComma(classes, printer, [&](SchedClass kind) {
    ArrayRef<int64_t> row = counts.take_front(columns);
    counts = counts.drop_front(columns);
    printer << stringifySchedClass(kind);
    for (int64_t count : llvm::all_equal(row) ? row.take_front() : row)
      printer << " " << count;
  });
  printer << "]";
}

ParseResult fmha::parseGroups(AsmParser &parser,
                              SmallVector<SchedGroupAttr> &groups) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    SMLoc loc = parser.getCurrentLocation();
    int64_t repeat;
    SmallVector<SchedClass> classes;
    SmallVector<int64_t> counts;
    if (parseTable(parser, repeat, classes, counts))
      return failure();
    groups.push_back(parser.getChecked<SchedGroupAttr>(
        loc, parser.getContext(), repeat, ArrayRef<SchedClass>(classes),
        ArrayRef<int64_t>(counts)));
    return success(bool(groups.back()));
  });
}

void fmha::printGroups(AsmPrinter &printer, ArrayRef<SchedGroupAttr> groups) {
  printer << "[";
  llvm::interleaveComma(groups, printer, [&](SchedGroupAttr group) {
    printTable(printer, group.getRepeat(), group.getClasses(),
               group.getCounts());
  });
  printer << "]";
}

ParseResult fmha::parseStageRecipes(AsmParser &parser,
                                    SmallVector<StageRecipeAttr> &stages) {
  return parser.parseCommaSeparatedList([&] {
    StringAttr name;
    SmallVector<SchedGroupAttr> groups;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseSymbolName(name) || parseGroups(parser, groups))
      return failure();
    stages.push_back(parser.getChecked<StageRecipeAttr>(
        loc, parser.getContext(), FlatSymbolRefAttr::get(name),
        ArrayRef<SchedGroupAttr>(groups)));
    return success(bool(stages.back()));
  });
}

void fmha::printStageRecipes(AsmPrinter &printer,
                             ArrayRef<StageRecipeAttr> stages) {
  llvm::interleaveComma(stages, printer, [&](StageRecipeAttr stage) {
    printer << stage.getName() << " ";
    printGroups(printer, stage.getGroups());
  });
}

//===- Verifiers ----------------------------------------------------------===//

LogicalResult SchedGroupAttr::verify(EmitError emitError, int64_t repeat,
                                     ArrayRef<SchedClass> classes,
                                     ArrayRef<int64_t> counts) {
  if (classes.empty() || counts.empty() || counts.size() % classes.size())
    return emitError() << "expected a table of classes with as many counts of "
                          "each, found "
                       << classes.size() << " classes and " << counts.size()
                       << " counts";
  size_t columns = counts.size() / classes.size();
  SmallVector<bool> isUsed(columns, false);
  // Each number is cut to the bound first, so that nothing overflows.
  int64_t once = 0;
  for (auto [row, kind] : llvm::enumerate(classes)) {
    ArrayRef<int64_t> cells = counts.slice(row * columns, columns);
    const int64_t *least = llvm::min_element(cells);
    if (*least < 0 || llvm::all_of(cells, [](int64_t count) { return !count; }))
      return emitError() << "expected at least one instruction of a class, "
                            "found "
                         << *least << " '" << stringifySchedClass(kind) << "'";
    for (auto [column, count] : llvm::enumerate(cells)) {
      isUsed[column] |= count > 0;
      once = std::min(once + std::min(count, kMaxRecipe + 1), kMaxRecipe + 1);
    }
  }
  if (const bool *empty = llvm::find(isUsed, false); empty != isUsed.end())
    return emitError() << "expected an instruction in each column, found none "
                          "in number "
                       << empty - isUsed.begin() + 1;
  if (repeat < 1 || repeat > kMaxRecipe || repeat * once > kMaxRecipe)
    return emitError() << "expected a table once or more, of at most "
                       << kMaxRecipe << " instructions together, found "
                       << repeat << " x " << once;
  return success();
}

void SchedGroupAttr::forEach(
    function_ref<void(SchedClass kind, int64_t count)> visit) const {
  size_t columns = getCounts().size() / getClasses().size();
  for (int64_t n = 0; n < getRepeat(); ++n)
    for (size_t column = 0; column < columns; ++column)
      for (auto [row, kind] : llvm::enumerate(getClasses()))
        if (int64_t count = getCounts()[row * columns + column])
          visit(kind, count);
}

LogicalResult fmha::verifyLength(EmitError emitError, FlatSymbolRefAttr stage,
                                 ArrayRef<SchedGroupAttr> groups) {
  int64_t all = 0;
  for (SchedGroupAttr group : groups)
    group.forEach([&](SchedClass, int64_t count) { all += count; });
  if (all > kMaxRecipe)
    return emitError() << "expected groups of " << stage << " of at most "
                       << kMaxRecipe << " instructions together, found " << all;
  return success();
}

LogicalResult StageRecipeAttr::verify(EmitError emitError,
                                      FlatSymbolRefAttr stage,
                                      ArrayRef<SchedGroupAttr> groups) {
  if (groups.empty())
    return emitError() << "expected instructions for " << stage
                       << ", found none";
  return verifyLength(emitError, stage, groups);
}

LogicalResult RecipeAttr::verify(EmitError emitError,
                                 ArrayRef<StageRecipeAttr> stages) {
  if (stages.empty())
    return emitError() << "expected a recipe to name stages, found none";
  llvm::StringSet<> names;
  for (StageRecipeAttr stage : stages)
    if (!names.insert(stage.getName().getValue()).second)
      return emitError() << "expected stages of different names, found "
                         << stage.getName() << " twice";
  return success();
}

//===- Recipe and schedule ------------------------------------------------===//

std::optional<SchedClass> fmha::foreignClass(ArrayRef<StepAttr> steps,
                                             ArrayRef<SchedGroupAttr> groups) {
  for (SchedGroupAttr group : groups)
    for (SchedClass kind : group.getClasses())
      if (llvm::none_of(steps, [&](StepAttr step) {
            return canMake(step.getKind(), kind);
          }))
        return kind;
  return std::nullopt;
}

/// The same with other stages and another recipe, whatever other keys there
/// are.
static ScheduleAttr withStages(ScheduleAttr schedule, FlatSymbolRefAttr recipe,
                               ArrayRef<StageAttr> stages) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](PipelineAttr old) {
    auto pipeline =
        PipelineAttr::get(old.getContext(), old.getTiles(), old.getStagger(),
                          old.getInstructions(), recipe, stages);
    return std::pair(Attribute(pipeline), WalkResult::skip());
  });
  return cast<ScheduleAttr>(replacer.replace(schedule));
}

static StageAttr withGroups(StageAttr stage, ArrayRef<SchedGroupAttr> groups,
                            EmitError emitError) {
  return StageAttr::getChecked(emitError, stage.getContext(), stage.getName(),
                               stage.getKind(), stage.getSteps(), groups,
                               stage.getPriority(), stage.getNops(),
                               stage.getAnchor());
}

ScheduleAttr fmha::applyRecipe(ScheduleAttr schedule, RecipeAttr recipe,
                               EmitError emitError) {
  PipelineAttr pipeline = schedule.getPipeline();
  ArrayRef<StageAttr> stages = pipeline.getStages();
  for (StageRecipeAttr row : recipe.getStages())
    if (llvm::none_of(stages, [&](StageAttr stage) {
          return stage.getName() == row.getName();
        })) {
      InFlightDiagnostic diag = emitError()
                                << "expected " << pipeline.getRecipe()
                                << " to name stages of the schedule (";
      llvm::interleaveComma(stages, diag,
                            [&](StageAttr stage) { diag << stage.getName(); });
      diag << "), found " << row.getName();
      return {};
    }
  SmallVector<StageAttr> taken;
  for (StageAttr stage : stages) {
    const auto *row = llvm::find_if(recipe.getStages(), [&](auto each) {
      return each.getName() == stage.getName();
    });
    ArrayRef<SchedGroupAttr> groups = stage.getGroups();
    if (groups.empty() && row != recipe.getStages().end())
      groups = row->getGroups();
    taken.push_back(withGroups(stage, groups, emitError));
    if (!taken.back())
      return {};
  }
  return withStages(schedule, /*recipe=*/{}, taken);
}

std::pair<ScheduleAttr, RecipeAttr> fmha::splitRecipe(ScheduleAttr schedule,
                                                      FlatSymbolRefAttr name) {
  MLIRContext *context = schedule.getContext();
  SmallVector<StageAttr> bare;
  SmallVector<StageRecipeAttr> rows;
  for (StageAttr stage : schedule.getPipeline().getStages()) {
    if (!stage.getGroups().empty())
      rows.push_back(
          StageRecipeAttr::get(context, stage.getName(), stage.getGroups()));
    bare.push_back(withGroups(stage, {}, [&] {
      return emitError(UnknownLoc::get(context)); // it verifies: it asks less
    }));
  }
  if (rows.empty())
    return {schedule, RecipeAttr()};
  return {withStages(schedule, name, bare), RecipeAttr::get(context, rows)};
}
