// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A schedule that is another with changes: syntax.
#include "FmhaDialect.h"

using namespace mlir;
using namespace mlir::fmha;

/// One token of those that schedules are made of, brackets aside; false: it is
/// another.
static bool skipToken(AsmParser &parser) {
  StringRef word;
  StringAttr symbol;
  int64_t number;
  OptionalParseResult integer;
  return succeeded(parser.parseOptionalKeyword(&word)) ||
         succeeded(parser.parseOptionalSymbolName(symbol)) ||
         ((integer = parser.parseOptionalInteger(number)).has_value() &&
          succeeded(*integer)) ||
         succeeded(parser.parseOptionalComma()) ||
         succeeded(parser.parseOptionalEqual()) ||
         succeeded(parser.parseOptionalPlus());
}

/// Moves past what lies between two brackets, up to the `>` that closes it;
/// which brackets match is seen when the outcome is parsed.
static ParseResult skipBalanced(AsmParser &parser) {
  for (int depth = 0;;) {
    SMLoc loc = parser.getCurrentLocation();
    if (!depth && *loc.getPointer() == '>')
      return success();
    bool opens = succeeded(parser.parseOptionalLess()) ||
                 succeeded(parser.parseOptionalLSquare());
    bool closes = !opens && depth &&
                  (succeeded(parser.parseOptionalGreater()) ||
                   succeeded(parser.parseOptionalRSquare()));
    depth += int(opens) - int(closes);
    if (!opens && !closes && !skipToken(parser))
      return parser.emitError(loc, "expected keys of a schedule and their "
                                   "values, up to a '>'");
  }
}

Attribute ChangesAttr::parse(AsmParser &parser, Type) {
  SMLoc begin = parser.getCurrentLocation();
  Location at = parser.getEncodedSourceLoc(begin);
  if (parser.parseLess() || skipBalanced(parser))
    return {};
  const char *end = parser.getCurrentLocation().getPointer() + 1;
  if (parser.parseGreater())
    return {};
  // MLIR looks for the end of an attribute in comments, too: they become
  // blanks, so that what is left keeps its place.
  std::string text(begin.getPointer(), end);
  for (size_t from = 0; (from = text.find("//", from)) != std::string::npos;)
    for (; from < text.size() && text[from] != '\n'; ++from)
      text[from] = ' ';
  return get(parser.getContext(), text, LocationAttr(at));
}

void ChangesAttr::print(AsmPrinter &printer) const { printer << getText(); }

LogicalResult ScheduleOp::verify() {
  if (bool(getValueAttr()) == bool(getBaseAttr()))
    return emitOpError("expected a schedule or the name of a base, found ")
           << (getValueAttr() ? "both" : "neither");
  if (getChangesAttr() && !getBaseAttr())
    return emitOpError("expected a base with changes, found none");
  return success();
}
