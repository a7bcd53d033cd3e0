// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What of a schedule can be changed on its own, for those who search: each
/// choice, and each count of a recipe, as a number with bounds. What comes out
/// is an attribute that its verifier has seen.
#include "c/fmha_dialect_c.h"

#include "FmhaRecipe.h"
#include "mlir/CAPI/IR.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <functional>
#include <vector>

using namespace mlir;
using namespace mlir::fmha;

namespace {

struct Knob {
  std::string name;
  std::string pool; ///< counts of one pool may be exchanged; "": a choice
  std::string word; ///< of the value, if it has one
  int64_t value, low, high, step;
  std::function<void(int64_t)> set;
};

struct DraftStage {
  StageAttr attr;
  SmallVector<StepAttr> steps;
  /// The tables of its recipe as one: a column for each group.
  SmallVector<SchedClass> classes;
  SmallVector<SmallVector<int64_t>> columns, asWritten;
  int64_t priority, nops, anchor;

  void append(SchedGroupAttr group);
  SmallVector<SchedGroupAttr> groups() const;
};

struct DraftStaging {
  std::string name;
  StagingAttr attr;
  int64_t maxPadBytes;
  LdsFamily layout;
};

/// A schedule in parts. What is set is put down as it is given; what follows
/// from several settings is worked out by build(), so that their order is
/// nobody's business.
struct Draft {
  explicit Draft(ScheduleAttr schedule);

  SmallVector<Knob> knobs();
  LogicalResult set(ArrayRef<fmha_schedule_setting> settings,
                    EmitError emitError);
  ScheduleAttr build(EmitError emitError) const;

private:
  void addChoices(SmallVector<Knob> &list);
  void addStage(DraftStage &stage, SmallVector<Knob> &list);
  void addCuts(SmallVector<Knob> &list);
  /// Whether the scale was set to one that leaves no work for the step.
  bool isOver(StepKind kind) const;

  ScheduleAttr attr;
  std::vector<DraftStaging>
      staged; ///< as stagedOperands(), of those with steps of their own
  RescalePolicy rescale;
  int64_t lazyLog2;
  ScalePolicy scale;
  PackedMath packed;
  GridOrder grid;
  InstructionOrder instructions;
  std::vector<DraftStage> stages;
};

Draft::Draft(ScheduleAttr schedule)
    : attr(schedule), rescale(schedule.getRescale()),
      lazyLog2(schedule.getLazyLog2()), scale(schedule.getScale()),
      packed(schedule.getPacked()), grid(schedule.getGrid()),
      instructions(schedule.getPipeline().getInstructions()) {
  for (const StagedOperand &each : stagedOperands()) {
    if (each.isFurther) // as the operand before
      continue;
    StagingAttr own = each.getStaging(schedule);
    staged.push_back({stringifyOperand(each.operand).str(), own,
                      own.getMaxPadBytes(), own.getLayout()});
  }
  for (StageAttr stage : schedule.getPipeline().getStages()) {
    DraftStage &draft = stages.emplace_back();
    draft.attr = stage;
    draft.steps.assign(stage.getSteps().begin(), stage.getSteps().end());
    draft.priority = stage.getPriority();
    draft.nops = stage.getNops();
    draft.anchor = stage.getAnchor();
    for (SchedGroupAttr group : stage.getGroups())
      draft.append(group);
    draft.asWritten = draft.columns;
  }
}

/// What a column has none of it could get: rows are those of all tables.
void DraftStage::append(SchedGroupAttr group) {
  SmallVector<size_t> rows; // of the group's among all
  for (SchedClass kind : group.getClasses()) {
    size_t next = rows.empty() ? 0 : rows.back() + 1;
    auto found = std::find(classes.begin() + next, classes.end(), kind);
    if (found == classes.end()) {
      found = classes.insert(classes.begin() + next, kind);
      for (auto &column : columns)
        column.insert(column.begin() + next, 0);
    }
    rows.push_back(found - classes.begin());
  }
  size_t width = group.getCounts().size() / rows.size();
  for (int64_t n = 0; n < group.getRepeat(); ++n)
    for (size_t from = 0; from < width; ++from) {
      auto &column = columns.emplace_back(classes.size(), 0);
      for (auto [i, row] : llvm::enumerate(rows))
        column[row] = group.getCounts()[i * width + from];
    }
}

/// The recipe as it is written, or if counts were set, as one table.
SmallVector<SchedGroupAttr> DraftStage::groups() const {
  if (columns == asWritten)
    return SmallVector<SchedGroupAttr>(attr.getGroups());
  SmallVector<SchedClass> kinds;
  SmallVector<int64_t> counts;
  auto isEmpty = [](ArrayRef<int64_t> column) {
    return llvm::all_of(column, [](int64_t count) { return !count; });
  };
  for (auto [row, kind] : llvm::enumerate(classes)) {
    SmallVector<int64_t> cells;
    for (ArrayRef<int64_t> column : columns)
      if (!isEmpty(column))
        cells.push_back(column[row]);
    if (isEmpty(cells))
      continue;
    kinds.push_back(kind);
    counts.append(cells);
  }
  if (kinds.empty())
    return {};
  // Equal columns are one that repeats.
  int64_t repeat = counts.size() / kinds.size();
  SmallVector<int64_t> once;
  for (ArrayRef<int64_t> rest = counts; !rest.empty();
       rest = rest.drop_front(repeat)) {
    if (!llvm::all_equal(rest.take_front(repeat)))
      return {SchedGroupAttr::get(attr.getContext(), 1, kinds, counts)};
    once.push_back(rest.front());
  }
  return {SchedGroupAttr::get(attr.getContext(), repeat, kinds, once)};
}

/// The maximum that a lazy rescale lets pass where none was given.
constexpr int64_t kUsualLazyLog2 = 8;

/// Scores that come out as exponents have nothing subtracted from them, and no
/// function.
bool Draft::isOver(StepKind kind) const {
  return scale == ScalePolicy::Start && scale != attr.getScale() &&
         changesScores(kind);
}

/// A closed choice, from `low` on.
template <typename Enum>
Knob choiceOf(std::string name, Enum &place, unsigned last, unsigned low = 0) {
  auto set = [&place](int64_t value) { place = Enum(value); };
  std::string word = stringifyEnum(place).str();
  return {name, "", word, int64_t(place), low, last, 1, set};
}

Knob countOf(std::string name, int64_t &place, int64_t low, int64_t high,
             int64_t step = 1, std::string pool = "", std::string word = "") {
  return {name, pool, word, place,
          low,  high, step, [&place](int64_t value) { place = value; }};
}

void Draft::addChoices(SmallVector<Knob> &list) {
  list.push_back(choiceOf("rescale", rescale, getMaxEnumValForRescalePolicy()));
  if (rescale == RescalePolicy::Lazy)
    list.push_back(countOf("lazy_log2", lazyLog2, 1, kMaxLazyLog2));
  // Once nothing is subtracted there is no way back to where it stood.
  unsigned lastScale = getMaxEnumValForScalePolicy();
  list.push_back(choiceOf("scale", scale, lastScale,
                          scale == ScalePolicy::Start ? lastScale : 0));
  list.push_back(choiceOf("packed", packed, getMaxEnumValForPackedMath()));
  list.push_back(choiceOf("grid", grid, getMaxEnumValForGridOrder()));
  constexpr int64_t kPadStep = 16, kMostPad = 8 * kPadStep;
  for (DraftStaging &own : staged) {
    list.push_back(countOf(own.name + ".max_pad_bytes", own.maxPadBytes, 0,
                           std::max(kMostPad, own.maxPadBytes), kPadStep));
    // A map that is given leaves nothing to choose.
    if (!own.attr.getMap())
      list.push_back(choiceOf(own.name + ".layout", own.layout,
                              getMaxEnumValForLdsFamily()));
  }
  list.push_back(choiceOf("instructions", instructions,
                          getMaxEnumValForInstructionOrder()));
}

void Draft::addStage(DraftStage &stage, SmallVector<Knob> &list) {
  std::string name = "@" + stage.attr.getName().getValue().str();
  constexpr int64_t kMaxCount = 16;
  list.push_back(countOf(name + ".priority", stage.priority, 0, kMaxPriority));
  list.push_back(countOf(name + ".nops", stage.nops, 0, kMaxNops, 4));
  list.push_back(countOf(name + ".anchor", stage.anchor, 0, 1, 1, "",
                         stage.anchor ? "on" : "off"));
  for (auto [index, column] : llvm::enumerate(stage.columns))
    for (auto [row, kind] : llvm::enumerate(stage.classes)) {
      // Matrix instructions are what the others are put between.
      if (kind == SchedClass::Mfma)
        continue;
      std::string word = stringifySchedClass(kind).str();
      list.push_back(countOf(
          llvm::formatv("{0}.groups[{1}][{2}]", name, index, row), column[row],
          0, std::max(kMaxCount, column[row]), 1, name + "." + word, word));
    }
}

/// Where the whole of a step is cut into two parts that stand apart.
void Draft::addCuts(SmallVector<Knob> &list) {
  llvm::SmallMapVector<StepKind, SmallVector<StepAttr *>, 4> parts;
  for (DraftStage &stage : stages)
    for (StepAttr &step : stage.steps)
      if (step.getPart())
        parts[step.getKind()].push_back(&step);
  for (auto &[kind, pair] : parts) {
    if (pair.size() != 2)
      continue;
    StepAttr *low = pair[0], *high = pair[1];
    if (low->getPart().getFirst() != 0)
      std::swap(low, high);
    PartAttr first = low->getPart(), second = high->getPart();
    if (first.getFirst() != 0 || first.getLast() != second.getFirst() ||
        first.getOf() != second.getOf() || second.getLast() != second.getOf())
      continue;
    auto set = [low, high](int64_t value) {
      auto with = [](StepAttr step, int64_t begin, int64_t end) {
        return StepAttr::get(step.getContext(), step.getKind(),
                             PartAttr::get(step.getContext(), begin, end,
                                           step.getPart().getOf()),
                             step.getAhead());
      };
      *low = with(*low, 0, value);
      *high = with(*high, value, high->getPart().getOf());
    };
    list.push_back({stringifyStepKind(kind).str() + ".cut", "", "",
                    first.getLast(), 1, first.getOf() - 1, 1, set});
  }
}

SmallVector<Knob> Draft::knobs() {
  SmallVector<Knob> list;
  addChoices(list);
  addCuts(list);
  for (DraftStage &stage : stages)
    addStage(stage, list);
  return list;
}

LogicalResult Draft::set(ArrayRef<fmha_schedule_setting> settings,
                         EmitError emitError) {
  // All are those of the schedule as it is: one that is set may end another.
  SmallVector<Knob> all = knobs();
  llvm::StringSet<> seen;
  for (const fmha_schedule_setting &each : settings) {
    auto *knob = llvm::find_if(
        all, [&](const Knob &knob) { return knob.name == each.name; });
    if (knob == all.end())
      return emitError() << "expected a name of something to change, found '"
                         << each.name << "'";
    if (!seen.insert(knob->name).second)
      return emitError() << "expected one value for each name, found '"
                         << knob->name << "' twice";
    if (each.value < knob->low || each.value > knob->high)
      return emitError() << "expected " << knob->name << " in " << knob->low
                         << ".." << knob->high << ", found " << each.value;
    knob->set(each.value);
  }
  return success();
}

ScheduleAttr Draft::build(EmitError emitError) const {
  MLIRContext *context = attr.getContext();
  SmallVector<StagingAttr> stagings;
  for (const DraftStaging &own : staged) {
    stagings.push_back(StagingAttr::getChecked(
        emitError, context, own.attr.getRead(), own.maxPadBytes,
        own.attr.getBuffers(), own.layout, own.attr.getMap(),
        own.attr.getShared()));
    if (!stagings.back())
      return {};
  }
  bool isLazy = rescale == RescalePolicy::Lazy;
  SmallVector<StageAttr> built;
  for (const DraftStage &stage : stages) {
    SmallVector<SchedGroupAttr> groups = stage.groups();
    SmallVector<StepAttr> steps(stage.steps);
    llvm::erase_if(steps,
                   [&](StepAttr step) { return isOver(step.getKind()); });
    built.push_back(StageAttr::getChecked(
        emitError, context, stage.attr.getName(), stage.attr.getKind(),
        ArrayRef<StepAttr>(steps), ArrayRef<SchedGroupAttr>(groups),
        stage.priority, stage.nops, stage.anchor != 0));
    if (!built.back())
      return {};
  }
  PipelineAttr pipeline = attr.getPipeline();
  pipeline = PipelineAttr::getChecked(
      emitError, context, pipeline.getTiles(), pipeline.getStagger(),
      instructions, pipeline.getRecipe(), ArrayRef<StageAttr>(built));
  if (!pipeline)
    return {};
  return attr.with(emitError, stagings, rescale,
                   isLazy ? lazyLog2 ? lazyLog2 : kUsualLazyLog2 : 0, scale,
                   packed, grid, pipeline);
}

} // namespace

void fmhaScheduleAttrVisitKnobs(MlirAttribute schedule,
                                void (*visit)(void *user,
                                              const fmha_schedule_knob *knob),
                                void *user) {
  Draft draft(cast<ScheduleAttr>(unwrap(schedule)));
  for (const Knob &knob : draft.knobs()) {
    const fmha_schedule_knob face = {
        knob.name.c_str(), knob.pool.c_str(), knob.word.c_str(), knob.value,
        knob.low,          knob.high,         knob.step};
    visit(user, &face);
  }
}

MlirAttribute fmhaScheduleAttrSetKnobs(MlirLocation location,
                                       MlirAttribute schedule,
                                       const fmha_schedule_setting *settings,
                                       size_t count) {
  auto fail = [&] { return emitError(unwrap(location)); };
  Draft draft(cast<ScheduleAttr>(unwrap(schedule)));
  if (failed(draft.set({settings, count}, fail)))
    return {nullptr};
  return wrap(Attribute(draft.build(fail)));
}
