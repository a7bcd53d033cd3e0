// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Recipes: syntax, verifiers, and how a schedule takes one.
#include "FmhaRecipe.h"

#include "mlir/IR/AttrTypeSubElements.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::fmha;

using EmitError = function_ref<InFlightDiagnostic()>;

//===- Columns ------------------------------------------------------------===//

SmallVector<SchedGroupAttr> fmha::foldColumns(MLIRContext *context,
                                              ArrayRef<RecipeColumn> columns) {
  SmallVector<SchedGroupAttr> folded;
  SmallVector<SchedClass> classes;
  SmallVector<int64_t> counts;
  for (const RecipeColumn &column : columns) {
    classes.clear();
    counts.clear();
    for (auto [kind, count] : column)
      if (count) {
        classes.push_back(kind);
        counts.push_back(count);
      }
    if (classes.empty())
      continue;
    int64_t repeat = 1;
    if (!folded.empty() && folded.back().getClasses() == ArrayRef(classes) &&
        folded.back().getCounts() == ArrayRef(counts))
      repeat += folded.pop_back_val().getRepeat();
    folded.push_back(SchedGroupAttr::get(context, repeat, classes, counts));
  }
  return folded;
}

int64_t fmha::instructionsOf(ArrayRef<SchedGroupAttr> groups) {
  int64_t all = 0;
  for (SchedGroupAttr group : groups)
    all += group.getInstructions();
  return all;
}

//===- Parsing ------------------------------------------------------------===//

namespace {

/// Rows of a table in the order of their instructions; each has one count, or
/// one for each column.
struct Table {
  SmallVector<SchedClass> classes;
  SmallVector<SmallVector<int64_t>> rows;

  size_t columns() const {
    size_t most = 0;
    for (const auto &row : rows)
      most = std::max(most, row.size());
    return most;
  }
  int64_t at(size_t row, size_t column) const {
    return rows[row][rows[row].size() == 1 ? 0 : column];
  }
};

} // namespace

/// `mfma 1`, `trans 2 2 1 0`
static ParseResult parseRow(AsmParser &parser, Table &table) {
  StringRef name;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return failure();
  std::optional<SchedClass> kind = symbolizeSchedClass(name);
  if (!kind)
    return parser.emitError(loc)
           << "expected a class of instructions (mfma, valu, trans, ds_read, "
              "vmem, salu), found '"
           << name << "'";
  table.classes.push_back(*kind);
  auto &row = table.rows.emplace_back();
  if (parser.parseInteger(row.emplace_back()))
    return failure();
  int64_t count;
  for (OptionalParseResult more;
       (more = parser.parseOptionalInteger(count)).has_value();) {
    if (failed(*more))
      return failure();
    row.push_back(count);
  }
  return success();
}

/// What holds of a table before its columns are made.
static LogicalResult checkTable(EmitError emitError, const Table &table) {
  for (auto [kind, row] : llvm::zip(table.classes, table.rows)) {
    if (row.size() != 1 && row.size() != table.columns())
      return emitError() << "expected one count of '"
                         << stringifySchedClass(kind) << "', or "
                         << table.columns()
                         << ", as many as the table has columns, found "
                         << row.size();
    const auto *least = llvm::min_element(row);
    if (*least < 0 || llvm::all_of(row, [](int64_t count) { return !count; }))
      return emitError() << "expected at least one instruction of a class, "
                            "found "
                         << *least << " '" << stringifySchedClass(kind) << "'";
  }
  for (size_t column = 0; column < table.columns(); ++column)
    if (llvm::all_of(llvm::seq<size_t>(0, table.rows.size()),
                     [&](size_t row) { return !table.at(row, column); }))
      return emitError() << "expected an instruction in each column, found "
                            "none in number "
                         << column + 1;
  return success();
}

/// `4 x [mfma 1, trans 3]`; a table without a number stands there once. The
/// groups follow those that there are.
static ParseResult parseRun(AsmParser &parser,
                            SmallVectorImpl<SchedGroupAttr> &groups) {
  SMLoc loc = parser.getCurrentLocation();
  auto errorAtLoc = [&] { return parser.emitError(loc); };
  EmitError emitError(errorAtLoc);
  int64_t repeat = 1;
  OptionalParseResult hasRepeat = parser.parseOptionalInteger(repeat);
  if (hasRepeat.has_value() && (failed(*hasRepeat) || parser.parseKeyword("x")))
    return failure();
  Table table;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     [&] { return parseRow(parser, table); }) ||
      failed(checkTable(emitError, table)))
    return failure();
  if (table.columns() <= 1) {
    SmallVector<int64_t> counts;
    for (const auto &row : table.rows)
      counts.push_back(row.front());
    auto group = SchedGroupAttr::getChecked(
        emitError, parser.getContext(), repeat,
        ArrayRef<SchedClass>(table.classes), ArrayRef<int64_t>(counts));
    if (!group)
      return failure();
    groups.push_back(group);
    return success();
  }
  // Each number is cut to the bound first, so that nothing overflows.
  int64_t once = 0;
  for (size_t row = 0; row < table.rows.size(); ++row)
    for (size_t column = 0; column < table.columns(); ++column)
      once = std::min(once + std::min(table.at(row, column), kMaxRecipe + 1),
                      kMaxRecipe + 1);
  if (repeat < 1 || repeat > kMaxRecipe || repeat * once > kMaxRecipe)
    return emitError() << "expected a table once or more, of at most "
                       << kMaxRecipe << " instructions together, found "
                       << repeat << " x " << once;
  for (int64_t n = 0; n < repeat; ++n)
    for (size_t column = 0; column < table.columns(); ++column) {
      SmallVector<SchedClass> classes;
      SmallVector<int64_t> counts;
      for (size_t row = 0; row < table.rows.size(); ++row)
        if (int64_t count = table.at(row, column)) {
          classes.push_back(table.classes[row]);
          counts.push_back(count);
        }
      auto group = SchedGroupAttr::getChecked(
          emitError, parser.getContext(), /*repeat=*/int64_t{1},
          ArrayRef<SchedClass>(classes), ArrayRef<int64_t>(counts));
      if (!group)
        return failure();
      groups.push_back(group);
    }
  return success();
}

/// Equal groups in a row become one, so that a recipe has one form.
static SmallVector<SchedGroupAttr> mergeEqual(ArrayRef<SchedGroupAttr> groups) {
  SmallVector<SchedGroupAttr> merged;
  for (SchedGroupAttr group : groups) {
    int64_t repeat = group.getRepeat();
    if (!merged.empty() && merged.back().getClasses() == group.getClasses() &&
        merged.back().getCounts() == group.getCounts())
      repeat += merged.pop_back_val().getRepeat();
    merged.push_back(SchedGroupAttr::get(
        group.getContext(), repeat, group.getClasses(), group.getCounts()));
  }
  return merged;
}

FailureOr<SmallVector<SchedGroupAttr>> fmha::parseGroups(AsmParser &parser) {
  SmallVector<SchedGroupAttr> groups;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     [&] { return parseRun(parser, groups); }))
    return failure();
  return mergeEqual(groups);
}

//===- Printing -----------------------------------------------------------===//

/// Runs of at least as many equal columns are printed as such, others as
/// columns of one table, of so many at most.
static constexpr int64_t kLeastRun = 4;
static constexpr size_t kMostColumns = 32, kMostRows = 6;

static void printRow(AsmPrinter &printer, SchedClass kind,
                     ArrayRef<int64_t> counts) {
  printer << stringifySchedClass(kind);
  if (llvm::all_equal(counts))
    counts = counts.take_front();
  for (int64_t count : counts)
    printer << " " << count;
}

static void printGroup(AsmPrinter &printer, SchedGroupAttr group) {
  if (group.getRepeat() != 1)
    printer << group.getRepeat() << " x ";
  printer << "[";
  llvm::interleaveComma(llvm::zip(group.getClasses(), group.getCounts()),
                        printer, [&](auto pair) {
                          printRow(printer, std::get<0>(pair),
                                   {std::get<1>(pair)});
                        });
  printer << "]";
}

/// The shortest sequence of classes of which both are a part.
static SmallVector<SchedClass> supersequence(ArrayRef<SchedClass> a,
                                             ArrayRef<SchedClass> b) {
  // length[i][j]: of that of a from i on and b from j on.
  SmallVector<SmallVector<size_t>> length(a.size() + 1,
                                          SmallVector<size_t>(b.size() + 1, 0));
  for (size_t i = a.size() + 1; i-- > 0;)
    for (size_t j = b.size() + 1; j-- > 0;)
      if (i == a.size() || j == b.size())
        length[i][j] = a.size() - i + b.size() - j;
      else if (a[i] == b[j])
        length[i][j] = 1 + length[i + 1][j + 1];
      else
        length[i][j] = 1 + std::min(length[i + 1][j], length[i][j + 1]);
  SmallVector<SchedClass> merged;
  size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      merged.push_back(a[i]);
      ++i;
      ++j;
    } else if (j == b.size() ||
               (i < a.size() && length[i + 1][j] <= length[i][j + 1])) {
      merged.push_back(a[i++]);
    } else {
      merged.push_back(b[j++]);
    }
  }
  return merged;
}

/// The columns of some groups as one table.
static void printTable(AsmPrinter &printer, ArrayRef<SchedGroupAttr> groups,
                       ArrayRef<SchedClass> rows) {
  SmallVector<SmallVector<int64_t>> counts(rows.size());
  for (SchedGroupAttr group : groups)
    for (int64_t n = 0; n < group.getRepeat(); ++n) {
      size_t next = 0; // class of the group
      for (auto [row, kind] : llvm::enumerate(rows)) {
        bool isHere = next < group.getClasses().size() &&
                      group.getClasses()[next] == kind;
        counts[row].push_back(isHere ? group.getCounts()[next] : 0);
        next += isHere;
      }
    }
  printer << "[";
  llvm::interleaveComma(llvm::zip(rows, counts), printer, [&](auto pair) {
    printRow(printer, std::get<0>(pair), std::get<1>(pair));
  });
  printer << "]";
}

void fmha::printGroups(AsmPrinter &printer, ArrayRef<SchedGroupAttr> groups) {
  printer << "[";
  while (!groups.empty()) {
    // As many groups as a table takes.
    SmallVector<SchedClass> rows;
    size_t count = 0, columns = 0;
    for (SchedGroupAttr group : groups) {
      SmallVector<SchedClass> more = supersequence(rows, group.getClasses());
      if (group.getRepeat() >= kLeastRun || more.size() > kMostRows ||
          columns + group.getRepeat() > kMostColumns)
        break;
      rows = more;
      columns += group.getRepeat();
      ++count;
    }
    if (count < 2)
      printGroup(printer, groups.front());
    else
      printTable(printer, groups.take_front(count), rows);
    groups = groups.drop_front(std::max<size_t>(count, 1));
    if (!groups.empty())
      printer << ", ";
  }
  printer << "]";
}

//===- Attributes ---------------------------------------------------------===//

Attribute SchedGroupAttr::parse(AsmParser &parser, Type) {
  SmallVector<SchedGroupAttr> groups;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseRun(parser, groups) || parser.parseGreater())
    return {};
  if (groups.size() != 1) {
    parser.emitError(loc) << "expected one group, found a table of "
                          << groups.size();
    return {};
  }
  return groups.front();
}

void SchedGroupAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printGroup(printer, *this);
  printer << ">";
}

/// `@scores [4 x [mfma 1, trans 3]]`
static FailureOr<StageRecipeAttr> parseStageRecipe(AsmParser &parser) {
  StringAttr name;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseSymbolName(name))
    return failure();
  auto groups = parseGroups(parser);
  if (failed(groups))
    return failure();
  auto recipe = parser.getChecked<StageRecipeAttr>(
      loc, parser.getContext(), FlatSymbolRefAttr::get(name),
      ArrayRef<SchedGroupAttr>(*groups));
  if (!recipe)
    return failure();
  return recipe;
}

static void printStageRecipe(AsmPrinter &printer, StageRecipeAttr recipe) {
  printer << recipe.getName() << " ";
  printGroups(printer, recipe.getGroups());
}

Attribute StageRecipeAttr::parse(AsmParser &parser, Type) {
  FailureOr<StageRecipeAttr> recipe;
  if (parser.parseLess() || failed(recipe = parseStageRecipe(parser)) ||
      parser.parseGreater())
    return {};
  return *recipe;
}

void StageRecipeAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printStageRecipe(printer, *this);
  printer << ">";
}

Attribute RecipeAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<StageRecipeAttr> stages;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&] {
        FailureOr<StageRecipeAttr> stage = parseStageRecipe(parser);
        if (succeeded(stage))
          stages.push_back(*stage);
        return LogicalResult(stage);
      }))
    return {};
  return parser.getChecked<RecipeAttr>(loc, parser.getContext(),
                                       ArrayRef<StageRecipeAttr>(stages));
}

void RecipeAttr::print(AsmPrinter &printer) const {
  printer << "<";
  llvm::interleaveComma(getStages(), printer, [&](StageRecipeAttr stage) {
    printStageRecipe(printer, stage);
  });
  printer << ">";
}

//===- Verifiers ----------------------------------------------------------===//

LogicalResult SchedGroupAttr::verify(EmitError emitError, int64_t repeat,
                                     ArrayRef<SchedClass> classes,
                                     ArrayRef<int64_t> counts) {
  if (repeat < 1 || classes.empty() || classes.size() != counts.size())
    return emitError() << "expected a group to repeat at least once and to "
                          "name classes, found "
                       << repeat << " x " << classes.size();
  for (int64_t count : counts)
    if (count < 1)
      return emitError() << "expected at least one instruction of a class, "
                            "found "
                         << count;
  // Each number is cut to the bound first, so that nothing overflows.
  int64_t once = 0;
  for (int64_t count : counts)
    once += std::min(count, kMaxRecipe + 1);
  if (repeat > kMaxRecipe || repeat * once > kMaxRecipe) {
    InFlightDiagnostic diag = emitError()
                              << "expected a group of at most " << kMaxRecipe
                              << " instructions, found " << repeat << " x ";
    llvm::interleave(counts, diag, " + ");
    return diag;
  }
  return success();
}

int64_t SchedGroupAttr::getInstructions() const {
  int64_t once = 0;
  for (int64_t count : getCounts())
    once += count;
  return getRepeat() * once;
}

LogicalResult StageRecipeAttr::verify(EmitError emitError,
                                      FlatSymbolRefAttr stage,
                                      ArrayRef<SchedGroupAttr> groups) {
  if (groups.empty())
    return emitError() << "expected instructions for " << stage
                       << ", found none";
  if (instructionsOf(groups) > kMaxRecipe)
    return emitError() << "expected groups of " << stage << " of at most "
                       << kMaxRecipe << " instructions together, found "
                       << instructionsOf(groups);
  return success();
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

/// Whether an instruction of the class may come of the step. Any step may take
/// scalar and vector instructions, for addresses and bounds.
static bool makes(StepKind step, SchedClass kind) {
  auto isAny = [&](ArrayRef<StepKind> steps) {
    return llvm::is_contained(steps, step);
  };
  switch (kind) {
  case SchedClass::Valu:
  case SchedClass::Salu:
    return true;
  case SchedClass::Mfma:
    return isAny({StepKind::Qk, StepKind::Pv, StepKind::RowSum});
  case SchedClass::Trans:
    return isAny({StepKind::Exp, StepKind::Rescale, StepKind::ScoreMod});
  case SchedClass::DsRead:
    return isAny({StepKind::ReadK, StepKind::ReadV});
  case SchedClass::Vmem:
    return isAny({StepKind::LoadK, StepKind::LoadV, StepKind::ScoreMod});
  }
  llvm_unreachable("closed enum");
}

std::optional<SchedClass> fmha::foreignClass(ArrayRef<StepAttr> steps,
                                             ArrayRef<SchedGroupAttr> groups) {
  for (SchedGroupAttr group : groups)
    for (SchedClass kind : group.getClasses())
      if (llvm::none_of(steps, [&](StepAttr step) {
            return makes(step.getKind(), kind);
          }))
        return kind;
  return std::nullopt;
}

/// The same with another pipeline, whatever other keys there are.
static ScheduleAttr withPipeline(ScheduleAttr schedule, PipelineAttr pipeline) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](PipelineAttr) {
    return std::pair(Attribute(pipeline), WalkResult::skip());
  });
  return cast<ScheduleAttr>(replacer.replace(schedule));
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
    taken.push_back(StageAttr::getChecked(
        emitError, stage.getContext(), stage.getName(), stage.getKind(),
        stage.getSteps(), groups, stage.getPriority(), stage.getNops(),
        stage.getAnchor()));
    if (!taken.back())
      return {};
  }
  auto whole =
      PipelineAttr::get(schedule.getContext(), pipeline.getTiles(),
                        pipeline.getStagger(), pipeline.getInstructions(),
                        /*recipe=*/FlatSymbolRefAttr(), taken);
  return withPipeline(schedule, whole);
}

std::pair<ScheduleAttr, RecipeAttr> fmha::splitRecipe(ScheduleAttr schedule,
                                                      FlatSymbolRefAttr name) {
  MLIRContext *context = schedule.getContext();
  PipelineAttr pipeline = schedule.getPipeline();
  SmallVector<StageAttr> bare;
  SmallVector<StageRecipeAttr> rows;
  for (StageAttr stage : pipeline.getStages()) {
    if (!stage.getGroups().empty())
      rows.push_back(
          StageRecipeAttr::get(context, stage.getName(), stage.getGroups()));
    bare.push_back(StageAttr::get(context, stage.getName(), stage.getKind(),
                                  stage.getSteps(), {}, stage.getPriority(),
                                  stage.getNops(), stage.getAnchor()));
  }
  if (rows.empty())
    return {schedule, RecipeAttr()};
  auto referring =
      PipelineAttr::get(context, pipeline.getTiles(), pipeline.getStagger(),
                        pipeline.getInstructions(), name, bare);
  return {withPipeline(schedule, referring), RecipeAttr::get(context, rows)};
}
