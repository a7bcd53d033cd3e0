// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The base is printed and its text merged with that of the changes, key by
/// key; the parser of schedules reads the outcome. So no key is named here, and
/// a new one can be changed like any other.
#include "schedules/Changes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::fmha;

namespace {

constexpr StringRef kOpen = "#fmha.schedule<";
/// Takes a key, or an option of a stage, back to its default.
constexpr StringRef kWithout = "without";

bool isWord(char c) { return llvm::isAlnum(c) || c == '_'; }

/// Bytes of blanks and comments that `text` begins with.
size_t blanksOf(StringRef text) {
  size_t at = 0;
  while (at < text.size())
    if (llvm::isSpace(text[at]))
      ++at;
    else if (text.substr(at).starts_with("//"))
      at = std::min(text.find('\n', at), text.size());
    else
      break;
  return at;
}

StringRef trim(StringRef text) { return text.drop_front(blanksOf(text)); }

/// Bytes of the token that `text` begins with: a word, a name, a number, one
/// other character, or what lies in brackets with them.
size_t tokenOf(StringRef text) {
  if (text.empty())
    return 0;
  if (text[0] != '<' && text[0] != '[') {
    size_t at = 1;
    if (text.starts_with("@\"")) // nothing in it is escaped: see skipToken()
      return std::min(text.find('"', 2), text.size() - 1) + 1;
    if (isWord(text[0]) || text[0] == '@' || text[0] == '-')
      while (at < text.size() && isWord(text[at]))
        ++at;
    return at;
  }
  size_t at = 1;
  char close = text[0] == '<' ? '>' : ']';
  while (at += blanksOf(text.substr(at)), at < text.size() && text[at] != close)
    at += tokenOf(text.substr(at));
  return std::min(at + 1, text.size());
}

/// Tokens, without what is between them.
SmallVector<StringRef> tokensOf(StringRef text) {
  SmallVector<StringRef> tokens;
  for (text = trim(text); !text.empty(); text = trim(text)) {
    tokens.push_back(text.take_front(tokenOf(text)));
    text = text.drop_front(tokens.back().size());
  }
  return tokens;
}

/// `KEY = VALUE`, `without KEY`, a stage, which goes by its name, or a part of
/// one, which goes by the word that it begins with.
struct Item {
  StringRef key, value, whole;
  bool isGone = false;
};

/// From the first of the tokens to the last.
StringRef span(ArrayRef<StringRef> tokens) {
  if (tokens.empty())
    return {};
  return StringRef(tokens.front().data(),
                   tokens.back().end() - tokens.front().data());
}

StringRef inside(StringRef value) {
  return value.size() < 2 ? StringRef() : value.drop_front().drop_back();
}

/// The name that a stage begins with, `<@scores …>`.
StringRef nameOf(StringRef stage) {
  SmallVector<StringRef> tokens = tokensOf(inside(stage));
  return tokens.empty() ? stage : tokens.front();
}

/// The items that commas keep apart.
SmallVector<Item> itemsOf(StringRef text) {
  SmallVector<Item> items;
  SmallVector<StringRef> tokens = tokensOf(text);
  for (ArrayRef<StringRef> rest = tokens; !rest.empty();) {
    ArrayRef<StringRef> item =
        rest.take_until([](StringRef token) { return token == ","; });
    rest = rest.drop_front(std::min(item.size() + 1, rest.size()));
    StringRef whole = span(item);
    if (item.size() == 2 && item[0] == kWithout)
      items.push_back({item[1], {}, whole, true});
    else if (item.size() > 1 && item[1] == "=")
      items.push_back({item[0], span(item.drop_front(2)), whole});
    else if (whole.starts_with("<"))
      items.push_back({nameOf(whole), whole, whole});
    else
      items.push_back({whole, {}, whole});
  }
  return items;
}

/// Parts of a stage after its name: `[` are the steps, "memory" the kind, which
/// has two words.
SmallVector<Item> partsOf(StringRef stage) {
  SmallVector<Item> parts;
  SmallVector<StringRef> tokens = tokensOf(inside(stage));
  for (size_t i = 1; i < tokens.size();) {
    StringRef word = tokens[i],
              next = i + 1 < tokens.size() ? tokens[i + 1] : "";
    bool isKind = symbolizeStageKind(word).has_value();
    bool isPair =
        !next.empty() &&
        (word == kWithout ||
         (!isKind && isWord(word[0]) &&
          (next[0] == '[' || next[0] == '-' || llvm::isDigit(next[0]))));
    StringRef whole = span(ArrayRef(tokens).slice(i, isPair ? 2 : 1));
    StringRef key = word == kWithout ? next
                    : isKind         ? "memory"
                    : word[0] == '[' ? "["
                                     : word;
    parts.push_back({key, {}, whole, word == kWithout && isPair});
    i += isPair ? 2 : 1;
  }
  return parts;
}

/// The merged text, which knows what of it came from the changes.
class Merge {
public:
  Merge(FlatSymbolRefAttr base, ChangesAttr changes)
      : base(base), changes(changes) {
    append(kOpen);
  }

  /// Items of the base with those of the changes that have the same keys.
  LogicalResult items(ArrayRef<Item> old, ArrayRef<Item> wanted,
                      StringRef separator);
  ScheduleAttr parse();

private:
  LogicalResult change(const Item &old, const Item &wanted);

  void append(StringRef piece);
  /// The place of a byte of the changes.
  Location place(const char *at) const;
  /// Of the byte of the merged text, if it is of the changes.
  Location placeOfMerged(size_t byte) const;

  FlatSymbolRefAttr base;
  ChangesAttr changes;
  std::string text;
  /// From a byte of `text` on, bytes of the changes; null: others.
  SmallVector<std::pair<size_t, const char *>> origins;
};

void Merge::append(StringRef piece) {
  StringRef written = changes.getText();
  bool isWritten =
      piece.data() >= written.begin() && piece.end() <= written.end();
  origins.push_back({text.size(), isWritten ? piece.data() : nullptr});
  text += piece;
}

Location Merge::place(const char *at) const {
  auto begin = dyn_cast<FileLineColLoc>(Location(changes.getAt()));
  if (!begin || !at)
    return changes.getAt();
  StringRef before(changes.getText().begin(), at - changes.getText().begin());
  unsigned lines = before.count('\n');
  size_t column = before.size() - (before.rfind('\n') + 1);
  return FileLineColLoc::get(begin.getFilename(), begin.getLine() + lines,
                             lines ? column + 1 : begin.getColumn() + column);
}

Location Merge::placeOfMerged(size_t byte) const {
  auto after = llvm::upper_bound(
      origins, byte, [](size_t at, auto &origin) { return at < origin.first; });
  if (after == origins.begin())
    return changes.getAt();
  // A comma or bracket between two pieces is about the one that it opens.
  auto [first, source] = *std::prev(after);
  if (!source && after != origins.end() && after->second)
    return place(after->second);
  return source ? place(source + (byte - first)) : Location(changes.getAt());
}

LogicalResult Merge::items(ArrayRef<Item> old, ArrayRef<Item> wanted,
                           StringRef separator) {
  auto find = [](ArrayRef<Item> items, StringRef key) {
    return llvm::find_if(items,
                         [&](const Item &each) { return each.key == key; });
  };
  for (const Item &item : wanted) {
    bool isThere = find(old, item.key) != old.end();
    if (find(wanted, item.key) != &item && isThere)
      return emitError(place(item.whole.data()))
             << "expected one change of '" << item.key << "', found "
             << item.whole << " after another";
    if (!isThere && item.isGone)
      return emitError(place(item.key.data()))
             << "expected " << base << " to have '" << item.key
             << "' set, found it at its default";
    if (isThere || !item.key.starts_with("@"))
      continue;
    InFlightDiagnostic diag = emitError(place(item.key.data()))
                              << "expected changes of stages of " << base
                              << " (";
    llvm::interleaveComma(old, diag,
                          [&](const Item &each) { diag << each.key; });
    return diag << "), found " << item.key;
  }
  bool isFirst = true;
  auto begin = [&] {
    append(isFirst ? "" : separator);
    isFirst = false;
  };
  for (const Item &item : old) {
    const Item *found = find(wanted, item.key);
    if (found != wanted.end() && found->isGone)
      continue;
    begin();
    if (found == wanted.end())
      append(item.whole);
    else if (failed(change(item, *found)))
      return failure();
  }
  for (const Item &item : wanted)
    if (find(old, item.key) == old.end()) {
      begin();
      append(item.whole);
    }
  return success();
}

LogicalResult Merge::change(const Item &old, const Item &wanted) {
  StringRef from = old.value, to = wanted.value;
  if (from.empty() || to.empty() || from[0] != to[0] ||
      (to[0] != '<' && old.key != "stages")) {
    append(wanted.whole);
    return success();
  }
  bool isStage = old.key.starts_with("@");
  if (!isStage) {
    append(wanted.key);
    append(" = ");
  }
  append(to.take_front()); // its place is that of what is in it
  if (isStage) {
    append(wanted.key);
    append(" ");
  }
  if (failed(isStage ? items(partsOf(from), partsOf(to), " ")
                     : items(itemsOf(inside(from)), itemsOf(inside(to)), ", ")))
    return failure();
  append(to[0] == '<' ? ">" : "]");
  return success();
}

ScheduleAttr Merge::parse() {
  append(">");
  MLIRContext *context = base.getContext();
  std::string message;
  Location at = changes.getAt();
  Attribute parsed;
  {
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diag) {
      if (!message.empty() || diag.getSeverity() != DiagnosticSeverity::Error)
        return success();
      message = diag.str();
      if (auto loc = dyn_cast<FileLineColLoc>(diag.getLocation())) {
        size_t line = 0;
        for (unsigned n = 1; n < loc.getLine(); ++n)
          line = text.find('\n', line) + 1;
        at = placeOfMerged(line + loc.getColumn() - 1);
      }
      return success();
    });
    parsed = parseAttribute(text, context);
  }
  if (!parsed)
    emitError(at) << message;
  return dyn_cast_or_null<ScheduleAttr>(parsed);
}

} // namespace

ScheduleAttr fmha::applyChanges(ScheduleAttr base, FlatSymbolRefAttr name,
                                ChangesAttr changes) {
  std::string printed;
  llvm::raw_string_ostream out(printed);
  Attribute(base).print(out);
  StringRef body = printed;
  body = body.drop_front(kOpen.size()).drop_back();
  Merge merge(name, changes);
  if (failed(
          merge.items(itemsOf(body), itemsOf(inside(changes.getText())), ", ")))
    return {};
  return merge.parse();
}
