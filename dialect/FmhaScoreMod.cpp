// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// fmha.score_mod: syntax, and what its body may hold. Users write it in files,
/// so that every error names what was expected.
#include "FmhaDialect.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::fmha;

namespace {

/// Arguments of the body, in order: an f32, then i32.
constexpr StringLiteral kParameters[] = {"score", "row", "key", "head",
                                         "batch"};

/// Ops of `math` that gfx950 code can be made for; LLVM would call a library
/// for others, and make of powf what is NaN for every negative base.
constexpr StringLiteral kKnownMath[] = {
    "absf",  "absi",  "ceil", "copysign", "cos",  "exp",
    "exp2",  "floor", "fma",  "log",      "log2", "roundeven",
    "rsqrt", "sin",   "sqrt", "tanh",     "trunc"};

LogicalResult verifyBodyOp(Operation &op) {
  StringRef dialect = op.getName().getDialectNamespace();
  StringRef name = op.getName().stripDialect();
  if (dialect != "arith" &&
      !(dialect == "math" && llvm::is_contained(kKnownMath, name))) {
    InFlightDiagnostic diag =
        op.emitOpError("expected an arith op or one of math.");
    llvm::interleaveComma(kKnownMath, diag);
    return diag << " in fmha.score_mod, found another";
  }
  constexpr unsigned kMostBits = 8 * sizeof(int64_t);
  for (Type type : op.getResultTypes())
    if (!type.isF32() && !(type.isSignlessInteger() &&
                           type.getIntOrFloatBitWidth() <= kMostBits))
      return op.emitOpError()
             << "expected results of type f32 or an integer of at most 64 bits "
                "in fmha.score_mod, found "
             << type;
  return success();
}

} // namespace

ParseResult ScoreModOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  OpAsmParser::UnresolvedOperand s, index;
  bool applied = failed(parser.parseOptionalSymbolName(name));
  if (applied && (parser.parseOperand(s) || parser.parseComma() ||
                  parser.parseOperand(index)))
    return failure();
  SmallVector<OpAsmParser::Argument> args;
  if (parser.parseArgumentList(args, OpAsmParser::Delimiter::Paren,
                               /*allowType=*/true) ||
      parser.parseRegion(*result.addRegion(), args) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  Type tile;
  if (applied && (parser.parseColonType(tile) ||
                  parser.resolveOperand(s, tile, result.operands) ||
                  parser.resolveOperand(index, parser.getBuilder().getI32Type(),
                                        result.operands)))
    return failure();
  if (applied)
    result.addTypes(tile);
  auto &properties = result.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {applied, applied};
  properties.sym_name = name;
  return success();
}

void ScoreModOp::print(OpAsmPrinter &printer) {
  printer << " ";
  if (getSymName())
    printer.printSymbolName(*getSymName());
  else
    printer << getS() << ", " << getIndex() << " ";
  printer << "(";
  llvm::interleaveComma(
      getBody().getArguments(), printer,
      [&](BlockArgument arg) { printer.printRegionArgument(arg); });
  printer << ") ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"sym_name", "operandSegmentSizes"});
  if (getResult())
    printer << " : " << getResult().getType();
}

LogicalResult ScoreModOp::verify() {
  bool applied = bool(getS());
  if (applied == getSymName().has_value() || applied != bool(getIndex()) ||
      applied != bool(getResult()))
    return emitOpError("expected a name, or a tile of scores with its index");
  if (applied && (!getS().getType().getElement().isF32() ||
                  getResult().getType() != getS().getType()))
    return emitOpError() << "expected a tile of f32 scores to stay of its "
                            "type, found "
                         << getS().getType() << " and "
                         << getResult().getType();
  Block &body = getBody().front();
  if (body.getNumArguments() != std::size(kParameters))
    return emitOpError() << "expected the " << std::size(kParameters)
                         << " arguments (score, row, key, head, batch), found "
                         << body.getNumArguments();
  Builder b(getContext());
  for (auto [i, arg] : llvm::enumerate(body.getArguments()))
    if (Type expected = i ? Type(b.getI32Type()) : Type(b.getF32Type());
        arg.getType() != expected)
      return emitOpError() << "expected argument " << i << ", "
                           << kParameters[i] << ", to be " << expected
                           << ", found " << arg.getType();
  if (body.empty() || !isa<YieldOp>(body.back()))
    return emitOpError("expected the body to end with fmha.yield");
  for (Operation &op : body.without_terminator())
    if (failed(verifyBodyOp(op)))
      return failure();
  auto yield = cast<YieldOp>(body.back());
  if (yield.getValues().size() != 1 || !yield.getValues()[0].getType().isF32())
    return yield.emitOpError("expected one f32, the score to use");
  return success();
}
