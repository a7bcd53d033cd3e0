// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Nesting.h"

#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace {

/// The rungs of our kernels have at most 20; the parser needs about 1 KiB of
/// stack for each.
constexpr int64_t kMaxDepth = 200;

/// The end of a string or of a comment that begins at `at`; else `at`.
size_t skipText(StringRef text, size_t at) {
  if (text.substr(at).starts_with("//"))
    return std::min(text.find('\n', at), text.size());
  if (text[at] != '"')
    return at;
  for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
    at += text[at] == '\\';
  return std::min(at, text.size());
}

/// The first byte that lies too deep, or npos. Signs count like brackets, as
/// those of affine expressions nest without any.
size_t findTooDeep(StringRef text) {
  int64_t depth = 0, signs = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    size_t end = skipText(text, at);
    if (end != at) {
      at = end;
      continue;
    }
    const char c = text[at];
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    signs = c == '-' ? signs + 1 : c == ' ' || c == '\n' ? signs : 0;
    if (c == '{' || c == '(' || c == '[' || (c == '<' && next != '='))
      ++depth;
    else if (c == '}' || c == ')' || c == ']' ||
             (c == '>' && next != '=' && (!at || text[at - 1] != '-')))
      depth = std::max<int64_t>(depth - 1, 0);
    if (depth + signs > kMaxDepth)
      return at;
  }
  return StringRef::npos;
}

} // namespace

LogicalResult fmha::checkNesting(MLIRContext *context, StringRef text,
                                 StringRef name) {
  const size_t at = findTooDeep(text);
  if (at == StringRef::npos)
    return success();
  const StringRef before = text.take_front(at);
  const size_t line = before.rfind('\n');
  return emitError(
             FileLineColLoc::get(context, name, before.count('\n') + 1,
                                 line == StringRef::npos ? at + 1 : at - line))
         << "expected at most " << kMaxDepth
         << " brackets within each other, found more";
}

OwningOpRef<ModuleOp> fmha::parseFile(MLIRContext *context, StringRef text,
                                      StringRef name) {
  if (failed(checkNesting(context, text, name)))
    return {};
  return parseSourceString<ModuleOp>(text, ParserConfig(context), name);
}
