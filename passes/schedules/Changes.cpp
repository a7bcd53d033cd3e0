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

/// `KEY = VALUE`, `without KEY`, or an item of a list, which has no key.
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

/// The items that commas keep apart, of a text or of what brackets hold.
SmallVector<Item> itemsOf(StringRef text) {
  SmallVector<Item> items;
  SmallVector<StringRef> tokens = tokensOf(text);
  for (ArrayRef<StringRef> rest = tokens; !rest.empty();) {
    size_t count =
        std::distance(rest.begin(), llvm::find(rest, StringRef(",")));
    ArrayRef<StringRef> item = rest.take_front(count);
    rest = rest.drop_front(std::min(count + 1, rest.size()));
    bool isGone = item.size() == 2 && item[0] == kWithout;
    if (isGone)
      items.push_back({item[1], {}, span(item), true});
    else if (item.size() > 2 && item[1] == "=")
      items.push_back({item[0], span(item.drop_front(2)), span(item)});
    else
      items.push_back({{}, span(item), span(item)});
  }
  return items;
}

bool isStruct(StringRef value) {
  return value.starts_with("<") && value.ends_with(">");
}
StringRef inside(StringRef value) {
  return value.size() < 2 ? StringRef() : value.drop_front().drop_back();
}

/// The merged text, which knows what of it came from the changes.
class Merge {
public:
  Merge(FlatSymbolRefAttr base, ChangesAttr changes)
      : base(base), changes(changes) {
    append(kOpen);
  }

  LogicalResult keys(StringRef of, StringRef changed);
  ScheduleAttr parse();

private:
  LogicalResult value(const Item &of, const Item &changed);
  LogicalResult stages(StringRef of, StringRef changed);
  LogicalResult stage(StringRef of, StringRef changed);

  void append(StringRef piece);
  /// The place of a byte of the changes.
  Location place(const char *at) const;
  /// Of the byte of the merged text, if it is of the changes.
  Location placeOfMerged(size_t byte) const;
  InFlightDiagnostic errorAt(StringRef piece) const {
    return emitError(place(piece.data()));
  }

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

LogicalResult Merge::keys(StringRef of, StringRef changed) {
  SmallVector<Item> old = itemsOf(of), wanted = itemsOf(changed);
  SmallVector<bool> used(wanted.size(), false);
  bool isFirst = true;
  auto comma = [&] {
    if (!isFirst)
      append(", ");
    isFirst = false;
  };
  for (const Item &item : old) {
    const auto *change = llvm::find_if(wanted, [&](const Item &each) {
      return !each.key.empty() && each.key == item.key;
    });
    if (change == wanted.end()) {
      comma();
      append(item.whole);
      continue;
    }
    used[change - wanted.begin()] = true;
    if (change->isGone)
      continue;
    comma();
    append(change->key);
    append(" = ");
    if (failed(value(item, *change)))
      return failure();
  }
  // A key that stands there twice, too, which the parser refuses.
  for (auto [item, isUsed] : llvm::zip(wanted, used)) {
    if (isUsed)
      continue;
    if (item.isGone)
      return errorAt(item.key) << "expected " << base << " to have '"
                               << item.key << "' set, found it at its default";
    comma();
    append(item.whole);
  }
  return success();
}

LogicalResult Merge::value(const Item &of, const Item &changed) {
  if (of.key == "stages")
    return stages(of.value, changed.value);
  if (!isStruct(of.value) || !isStruct(changed.value)) {
    append(changed.value);
    return success();
  }
  append(changed.value.take_front()); // its place is that of what is in it
  if (failed(keys(inside(of.value), inside(changed.value))))
    return failure();
  append(">");
  return success();
}

/// The name that a stage begins with, `<@scores …>`.
StringRef nameOf(StringRef stage) {
  SmallVector<StringRef> tokens = tokensOf(inside(stage));
  return tokens.empty() ? StringRef() : tokens.front();
}

LogicalResult Merge::stages(StringRef of, StringRef changed) {
  SmallVector<Item> old = itemsOf(inside(of)),
                    wanted = itemsOf(inside(changed));
  for (auto [i, item] : llvm::enumerate(wanted)) {
    StringRef name = nameOf(item.value);
    auto isIt = [name = name](const Item &each) {
      return nameOf(each.value) == name;
    };
    if (llvm::none_of(old, isIt)) {
      InFlightDiagnostic diag = errorAt(name.empty() ? item.whole : name)
                                << "expected changes of stages of " << base
                                << " (";
      llvm::interleaveComma(
          old, diag, [&](const Item &each) { diag << nameOf(each.value); });
      return diag << "), found " << (name.empty() ? item.whole : name);
    }
    if (llvm::any_of(ArrayRef(wanted).take_front(i), isIt))
      return errorAt(name) << "expected one change of each stage, found "
                           << name << " twice";
  }
  append("[");
  for (auto [i, item] : llvm::enumerate(old)) {
    if (i)
      append(", ");
    StringRef name = nameOf(item.value);
    const auto *change = llvm::find_if(
        wanted, [&](const Item &each) { return nameOf(each.value) == name; });
    if (change == wanted.end())
      append(item.value);
    else if (failed(stage(item.value, change->value)))
      return failure();
  }
  append("]");
  return success();
}

/// Parts of a stage, each under the word that it begins with: `[` for the
/// steps, "memory" for the kind, which has two words.
SmallVector<Item> partsOf(StringRef stage) {
  SmallVector<Item> parts;
  SmallVector<StringRef> tokens = tokensOf(inside(stage));
  for (size_t i = 1; i < tokens.size();) {
    StringRef word = tokens[i];
    bool isWithout = word == kWithout && i + 1 < tokens.size();
    bool isKind = symbolizeStageKind(word).has_value();
    bool takesMore =
        !isKind && isWord(word[0]) && i + 1 < tokens.size() &&
        (tokens[i + 1].starts_with("[") || tokens[i + 1][0] == '-' ||
         llvm::isDigit(tokens[i + 1][0]));
    size_t count = isWithout || takesMore ? 2 : 1;
    StringRef whole = span(ArrayRef(tokens).slice(i, count));
    StringRef key = isWithout               ? tokens[i + 1]
                    : isKind                ? StringRef("memory")
                    : word.starts_with("[") ? StringRef("[")
                                            : word;
    parts.push_back({key, whole, whole, isWithout});
    i += count;
  }
  return parts;
}

LogicalResult Merge::stage(StringRef of, StringRef changed) {
  // The order in which a stage has its parts.
  constexpr StringRef kParts[] = {"memory",   "[",    "groups",
                                  "priority", "nops", "anchor"};
  SmallVector<Item> old = partsOf(of), wanted = partsOf(changed);
  append(changed.take_front());
  append(nameOf(changed));
  auto find = [](ArrayRef<Item> items, StringRef key) {
    const auto *found =
        llvm::find_if(items, [&](const Item &each) { return each.key == key; });
    return found == items.end() ? nullptr : found;
  };
  for (StringRef key : kParts) {
    const Item *before = find(old, key), *change = find(wanted, key);
    if (change && change->isGone && !before)
      return errorAt(change->key)
             << "expected " << nameOf(changed) << " of " << base << " to have '"
             << key << "', found it without";
    const Item *taken = change ? change : before;
    if (!taken || taken->isGone)
      continue;
    append(" ");
    append(taken->whole);
  }
  for (auto [i, item] : llvm::enumerate(wanted)) {
    bool isKnown = llvm::is_contained(kParts, item.key);
    if (isKnown && find(wanted, item.key) == &wanted[i])
      continue;
    if (isKnown)
      return errorAt(item.whole) << "expected one change of a part of a stage, "
                                    "found "
                                 << item.whole << " after another";
    append(" ");
    append(item.whole); // for the parser to refuse
  }
  append(">");
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
  if (failed(merge.keys(body, inside(changes.getText()))))
    return {};
  return merge.parse();
}
