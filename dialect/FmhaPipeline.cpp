// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Attributes of a pipeline: syntax and verifiers.
#include "FmhaRecipe.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fmha;

//===- Syntax -------------------------------------------------------------===//

/// `exp[16 to 32 of 32] ahead -1`
static ParseResult parseStep(AsmParser &parser, StepAttr &step) {
  SMLoc loc = parser.getCurrentLocation();
  auto kind = FieldParser<StepKind>::parse(parser);
  if (failed(kind))
    return failure();
  PartAttr part;
  if (succeeded(parser.parseOptionalLSquare())) {
    int64_t first, last, of;
    if (parser.parseInteger(first) || parser.parseKeyword("to") ||
        parser.parseInteger(last) || parser.parseKeyword("of") ||
        parser.parseInteger(of) || parser.parseRSquare() ||
        !(part = parser.getChecked<PartAttr>(loc, parser.getContext(), first,
                                             last, of)))
      return failure();
  }
  int64_t ahead = 0;
  if (succeeded(parser.parseOptionalKeyword("ahead")) &&
      parser.parseInteger(ahead))
    return failure();
  step =
      parser.getChecked<StepAttr>(loc, parser.getContext(), *kind, part, ahead);
  return success(bool(step));
}

static void printStep(AsmPrinter &printer, StepAttr step) {
  printer << stringifyStepKind(step.getKind());
  if (PartAttr part = step.getPart())
    printer << "[" << part.getFirst() << " to " << part.getLast() << " of "
            << part.getOf() << "]";
  if (step.getAhead())
    printer << " ahead " << step.getAhead();
}

Attribute StepAttr::parse(AsmParser &parser, Type) {
  StepAttr step;
  if (parser.parseLess() || parseStep(parser, step) || parser.parseGreater())
    return {};
  return step;
}

void StepAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printStep(printer, *this);
  printer << ">";
}

Attribute StageAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  StringAttr symbol;
  SmallVector<StepAttr> steps;
  SmallVector<SchedGroupAttr> groups;
  int64_t priority = 0, nops = 0;
  if (parser.parseLess() || parser.parseSymbolName(symbol))
    return {};
  auto kind = FieldParser<StageKind>::parse(parser);
  if (failed(kind) ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parseStep(parser, steps.emplace_back());
      }))
    return {};
  llvm::StringSet<> seen;
  while (failed(parser.parseOptionalGreater())) {
    StringRef option;
    SMLoc at = parser.getCurrentLocation();
    if (parser.parseKeyword(&option))
      return {};
    ParseResult parsed = success();
    if (option == "groups")
      parsed = parseGroups(parser, groups);
    else if (option == "priority")
      parsed = parser.parseInteger(priority);
    else if (option == "nops")
      parsed = parser.parseInteger(nops);
    else if (option != "anchor")
      parsed = parser.emitError(
                   at, "expected groups, priority, nops or anchor, found '")
               << option << "'";
    if (succeeded(parsed) && !seen.insert(option).second)
      parsed = parser.emitError(at, "expected each option of a stage once");
    if (parsed)
      return {};
  }
  return parser.getChecked<StageAttr>(
      loc, parser.getContext(), FlatSymbolRefAttr::get(symbol), *kind,
      ArrayRef<StepAttr>(steps), ArrayRef<SchedGroupAttr>(groups), priority,
      nops, seen.contains("anchor"));
}

void StageAttr::print(AsmPrinter &printer) const {
  printer << "<" << getName() << " " << stringifyStageKind(getKind()) << " [";
  llvm::interleaveComma(getSteps(), printer,
                        [&](StepAttr step) { printStep(printer, step); });
  printer << "]";
  if (!getGroups().empty()) {
    printer << " groups ";
    printGroups(printer, getGroups());
  }
  if (getPriority())
    printer << " priority " << getPriority();
  if (getNops())
    printer << " nops " << getNops();
  if (getAnchor())
    printer << " anchor";
  printer << ">";
}

//===- Verifiers ----------------------------------------------------------===//

LogicalResult PartAttr::verify(EmitError emitError, int64_t first, int64_t last,
                               int64_t of) {
  if (first < 0 || last <= first || of < last)
    return emitError() << "expected a part with 0 <= first < last <= of, found "
                       << first << " to " << last << " of " << of;
  if (of > kMaxPartOf)
    return emitError() << "expected a part of at most " << kMaxPartOf
                       << " things, found " << first << " to " << last << " of "
                       << of;
  return success();
}

LogicalResult StepAttr::verify(EmitError emitError, StepKind kind,
                               PartAttr part, int64_t ahead) {
  constexpr int64_t kFarthest = 8;
  if (ahead < -kFarthest || ahead > kFarthest)
    return emitError() << "expected a step at most " << kFarthest
                       << " tiles ahead or behind, found " << ahead;
  if (part && !canBeDivided(kind))
    return emitError() << "expected '" << stringifyStepKind(kind)
                       << "' whole, found a part of it";
  return success();
}

LogicalResult StageAttr::verify(EmitError emitError, FlatSymbolRefAttr stage,
                                StageKind kind, ArrayRef<StepAttr> steps,
                                ArrayRef<SchedGroupAttr> groups,
                                int64_t priority, int64_t nops, bool) {
  if (priority < 0 || priority > kMaxPriority)
    return emitError() << "expected priority of " << stage << " in 0.."
                       << kMaxPriority << ", found " << priority;
  if (nops < 0 || nops > kMaxNops)
    return emitError() << "expected nops of " << stage << " in 0.." << kMaxNops
                       << ", found " << nops;
  if (steps.empty())
    return emitError() << "expected " << stage << " to have steps, found none";
  if (failed(verifyLength(emitError, stage, groups)))
    return failure();
  if (auto foreign = foreignClass(steps, groups))
    return emitError() << "expected groups of " << stage
                       << " of classes that its steps have, found '"
                       << stringifySchedClass(*foreign)
                       << "', which none of them makes";
  return success();
}

LogicalResult PipelineAttr::verify(EmitError emitError, int64_t tiles,
                                   int64_t stagger, InstructionOrder,
                                   FlatSymbolRefAttr,
                                   ArrayRef<StageAttr> stages) {
  constexpr int64_t kMaxTiles = 8;
  if (tiles < 1 || tiles > kMaxTiles)
    return emitError() << "expected tiles of a body in 1.." << kMaxTiles
                       << ", found " << tiles;
  if (stages.empty())
    return emitError() << "expected stages, found none";
  llvm::StringSet<> names;
  for (StageAttr stage : stages)
    if (!names.insert(stage.getName().getValue()).second)
      return emitError() << "expected stages of different names, found "
                         << stage.getName() << " twice";
  int64_t barriers = stages.size() * tiles;
  if (stagger < 0 || stagger > barriers)
    return emitError() << "expected stagger in 0.." << barriers
                       << ", the barriers of a body, found " << stagger;
  return success();
}
