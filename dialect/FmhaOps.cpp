// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Ops that are not steps: arguments, the KV loop, stages, and the casts
/// between tiles and what a lane holds. FmhaSteps.cpp verifies steps.
#include "FmhaDialect.h"
#include "fmhac_abi.h"

#include <cstddef>

using namespace mlir;
using namespace mlir::fmha;

/// `@generic` or `#fmha.schedule<…>`
static ParseResult parseBaseOrValue(OpAsmParser &parser,
                                    FlatSymbolRefAttr &base,
                                    ScheduleAttr &value) {
  StringAttr name;
  if (failed(parser.parseOptionalSymbolName(name)))
    return parser.parseCustomAttributeWithFallback(value);
  base = FlatSymbolRefAttr::get(name);
  return success();
}

static void printBaseOrValue(OpAsmPrinter &printer, Operation *,
                             FlatSymbolRefAttr base, ScheduleAttr value) {
  printer << (base ? Attribute(base) : Attribute(value));
}

/// `%f` of all rows, or `%f of !fmha.tile<…>`, one of each.
static ParseResult parseFactor(OpAsmParser &parser,
                               OpAsmParser::UnresolvedOperand &factor,
                               Type &type) {
  if (parser.parseOperand(factor))
    return failure();
  type = parser.getBuilder().getF32Type();
  if (failed(parser.parseOptionalKeyword("of")))
    return success();
  return parser.parseType(type);
}

static void printFactor(OpAsmPrinter &printer, Operation *, Value factor,
                        Type type) {
  printer << factor;
  if (isa<TileType>(type))
    printer << " of " << type;
}

/// The same after `factor`, if there is one.
static ParseResult
parseOptionalFactor(OpAsmParser &parser,
                    std::optional<OpAsmParser::UnresolvedOperand> &factor,
                    Type &type) {
  if (failed(parser.parseOptionalKeyword("factor")))
    return success();
  factor.emplace();
  return parseFactor(parser, *factor, type);
}

static void printOptionalFactor(OpAsmPrinter &printer, Operation *op,
                                Value factor, Type type) {
  if (!factor)
    return;
  printer << " factor ";
  printFactor(printer, op, factor, type);
}

#define GET_OP_CLASSES
#include "FmhaOps.cpp.inc"

//===- Arguments ----------------------------------------------------------===//

namespace {
enum class ArgKind { u32, u64, f32, ptr };
/// By the numbers of Arg, whose cases are the rows of this table.
constexpr ArgKind kArgKinds[] = {
#define FMHAC_ARG(type, name, group, doc) ArgKind::type,
#include "fmhac_abi.def"
};
} // namespace

Type fmha::typeOfArg(Arg field, MLIRContext *context) {
  switch (kArgKinds[static_cast<unsigned>(field)]) {
  case ArgKind::u32:
    return IntegerType::get(context, 32);
  case ArgKind::f32:
    return Float32Type::get(context);
  case ArgKind::u64:
  case ArgKind::ptr:
    return IntegerType::get(context, 64);
  }
  llvm_unreachable("closed enum");
}

StringRef fmha::labelOf(Operation *op) {
  auto step = dyn_cast<StepOp>(op);
  return step && step.isByOperand() ? stringifyStepKind(step.getStepKind())
                                    : op->getName().stripDialect();
}

int64_t fmha::offsetOfArg(Arg field) {
  constexpr int64_t kOffsets[] = {
#define FMHAC_ARG(type, name, group, doc) offsetof(fmhac_kernel_args, name),
#include "fmhac_abi.def"
  };
  return kOffsets[static_cast<unsigned>(field)];
}

bool fmha::isAddress(Arg field) {
  return kArgKinds[static_cast<unsigned>(field)] == ArgKind::ptr;
}

LogicalResult ArgOp::verify() {
  Type expected = typeOfArg(getField(), getContext());
  if (getType() != expected)
    return emitOpError() << "expected type " << expected << " for field '"
                         << stringifyArg(getField()) << "', found "
                         << getType();
  return success();
}

//===- Combining ----------------------------------------------------------===//

LogicalResult CombineOp::verify() {
  const bool isTiled = getLanes() && getWaves() && getLaunchAttr();
  if (!isTiled && (getLanes() || getWaves() || getLaunchAttr()))
    return emitOpError("expected lanes, waves and a launch, or none of them, "
                       "found some");
  if (!isTiled)
    return success();
  const int64_t lanes = *getLanes(), columns = getProblem().getHeadDimV();
  if (!llvm::isPowerOf2_64(lanes) || lanes * kColumnsOfLane < columns)
    return emitOpError() << "expected a power of two of lanes that have "
                         << columns << " columns, " << kColumnsOfLane
                         << " each, found " << lanes;
  return success();
}

//===- Loop ---------------------------------------------------------------===//

WorkOp KernelOp::getWork() {
  auto works = getBody().front().getOps<WorkOp>();
  return works.empty() ? WorkOp() : *works.begin();
}

Block *KernelOp::getItemBlock() {
  WorkOp work = getWork();
  return work ? &work.getBody().front() : &getBody().front();
}

ParseResult WorkOp::parse(OpAsmParser &parser, OperationState &result) {
  WorkFormAttr form;
  SmallVector<OpAsmParser::Argument> place;
  if (parser.parseCustomAttributeWithFallback(
          form, Type(), getFormAttrName(result.name), result.attributes) ||
      parser.parseArgumentList(place, OpAsmParser::Delimiter::Paren))
    return failure();
  for (OpAsmParser::Argument &argument : place)
    argument.type = parser.getBuilder().getI32Type();
  if (parser.parseRegion(*result.addRegion(), place))
    return failure();
  return parser.parseOptionalAttrDict(result.attributes);
}

void WorkOp::print(OpAsmPrinter &printer) {
  printer << " " << stringifyWorkForm(getForm()) << " (";
  llvm::interleaveComma(getBody().getArguments(), printer);
  printer << ") ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  printer.printOptionalAttrDict((*this)->getAttrs(), {getFormAttrName()});
}

LogicalResult WorkOp::verify() {
  constexpr unsigned kPlace = 3, kPlaceOfPart = 6;
  auto kernel = (*this)->getParentOfType<KernelOp>();
  ProblemAttr problem = kernel.getProblem();
  const unsigned expected = problem.getParts() ? kPlaceOfPart : kPlace;
  // Passes ask a kernel for its work.
  if (WorkOp first = kernel.getWork(); first != *this) {
    InFlightDiagnostic diag =
        emitOpError("expected one in a kernel, found another before it");
    diag.attachNote(first.getLoc()) << "the first";
    return diag;
  }
  if (getBody().getNumArguments() != expected)
    return emitOpError() << "expected " << expected
                         << " arguments: row, head, batch"
                         << (problem.getParts() ? ", first key, end key, part"
                                                : "")
                         << "; found " << getBody().getNumArguments();
  for (BlockArgument argument : getBody().getArguments())
    if (!argument.getType().isInteger(32))
      return emitOpError() << "expected arguments of i32, found "
                           << argument.getType();
  if (getForm() != problem.getWork())
    return emitOpError() << "expected the form of the kernel's problem, "
                         << stringifyWorkForm(problem.getWork()) << ", found "
                         << stringifyWorkForm(getForm());
  return success();
}

ParseResult KvLoopOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::Argument index;
  index.type = parser.getBuilder().getI32Type();
  OpAsmParser::UnresolvedOperand lower, upper;
  SmallVector<OpAsmParser::Argument> args;
  SmallVector<OpAsmParser::UnresolvedOperand> inits;
  if (parser.parseArgument(index) || parser.parseEqual() ||
      parser.parseOperand(lower) || parser.parseKeyword("to") ||
      parser.parseOperand(upper))
    return failure();
  args.push_back(index);
  if (succeeded(parser.parseOptionalKeyword("iter_args"))) {
    SmallVector<OpAsmParser::Argument> carried;
    if (parser.parseAssignmentList(carried, inits) ||
        parser.parseArrowTypeList(result.types))
      return failure();
    if (carried.size() != result.types.size())
      return parser.emitError(parser.getNameLoc())
             << "expected " << carried.size()
             << " types of carried tiles, found " << result.types.size();
    for (auto [arg, type] : llvm::zip(carried, result.types))
      arg.type = type;
    args.append(carried);
  }
  if (succeeded(parser.parseOptionalKeyword("step"))) {
    int32_t step;
    if (parser.parseInteger(step))
      return failure();
    result.getOrAddProperties<Properties>().step =
        parser.getBuilder().getI32IntegerAttr(step);
  }
  if (parser.resolveOperand(lower, index.type, result.operands) ||
      parser.resolveOperand(upper, index.type, result.operands) ||
      parser.resolveOperands(inits, result.types, parser.getNameLoc(),
                             result.operands))
    return failure();
  if (parser.parseRegion(*result.addRegion(), args))
    return failure();
  return parser.parseOptionalAttrDict(result.attributes);
}

void KvLoopOp::print(OpAsmPrinter &printer) {
  printer << " " << getIndex() << " = " << getLower() << " to " << getUpper();
  if (!getInits().empty()) {
    printer << " iter_args(";
    llvm::interleaveComma(
        llvm::zip(getRegionIterArgs(), getInits()), printer, [&](auto pair) {
          printer << std::get<0>(pair) << " = " << std::get<1>(pair);
        });
    printer << ") -> (" << getResultTypes() << ")";
  }
  if (getStep() != 1)
    printer << " step " << getStep();
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  printer.printOptionalAttrDict((*this)->getAttrs(), {getStepAttrName()});
}

LogicalResult KvLoopOp::verify() {
  if (int32_t(getStep()) < 1)
    return emitOpError() << "expected a step of at least 1, found "
                         << int32_t(getStep());
  Block *body = getBodyBlock();
  if (!body->getNumArguments() || !body->getArgument(0).getType().isInteger(32))
    return emitOpError("expected the body to take the index, an i32, first");
  if (!isa<YieldOp>(body->back()))
    return emitOpError("expected the body to end with fmha.yield");
  return success(); // LoopLikeOpInterface compares what is carried
}

bool StageOp::readsLds() {
  return llvm::any_of(getBody().front().getOps<LdsAccessOp>(),
                      [](LdsAccessOp access) { return !access.isCopy(); });
}

bool StageOp::waitsForLds() {
  return llvm::any_of(
      getBody().front().getOps<LdsAccessOp>(),
      [](LdsAccessOp access) { return !isa<VectorMemoryOp>(*access); });
}

LogicalResult StageOp::verify() {
  auto yield = dyn_cast<YieldOp>(getBody().front().back());
  if (!yield)
    return emitOpError("expected the body to end with fmha.yield");
  if (yield->getOperandTypes() != getResultTypes())
    return emitOpError() << "expected the yield to give the " << getNumResults()
                         << " results, found " << yield->getNumOperands()
                         << " values or other types";
  return success();
}

//===- Casts --------------------------------------------------------------===//

static LogicalResult verifyLanes(Operation *op, TileType tile,
                                 TypeRange lanes) {
  LaneLayoutAttr layout = tile.getLayout();
  if (!layout)
    return op->emitOpError("expected a tile with a lane layout, found none; "
                           "run fmha-assign-lane-layouts");
  if (size_t expected = tile.presentFragments().size();
      lanes.size() != expected)
    return op->emitOpError()
           << "expected " << expected << " fragments, found " << lanes.size();
  Type expected =
      VectorType::get({layout.getFragment()}, laneElement(tile.getElement()));
  for (Type found : lanes)
    if (found != expected)
      return op->emitOpError()
             << "expected fragments " << expected << ", found " << found;
  return success();
}

LogicalResult ToLanesOp::verify() {
  return verifyLanes(*this, getTile().getType(), getLanes().getTypes());
}

LogicalResult FromLanesOp::verify() {
  return verifyLanes(*this, getTile().getType(), getLanes().getTypes());
}

/// to_lanes(from_lanes(x)) is x.
LogicalResult ToLanesOp::fold(FoldAdaptor,
                              SmallVectorImpl<OpFoldResult> &results) {
  auto from = getTile().getDefiningOp<FromLanesOp>();
  if (from)
    llvm::append_range(results, from.getLanes());
  return success(bool(from));
}
