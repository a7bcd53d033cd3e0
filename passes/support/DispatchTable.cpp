// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/DispatchTable.h"

#include "Schedules.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fmha;

namespace {

/// The columns, in their order.
enum Column {
  Dtype,
  HeadDimQk,
  HeadDimV,
  Mask,
  Scores,
  Lengths,
  Schedule,
  Seconds,
  Cycles,
  Other,
  OtherSeconds,
  OtherCycles,
  Problem,
  ColumnCount
};
constexpr llvm::StringLiteral kColumns[ColumnCount] = {
    "dtype",         "head_dim_qk",  "head_dim_v", "mask",   "scores",
    "lengths",       "schedule",     "seconds",    "cycles", "other",
    "other_seconds", "other_cycles", "problem"};
/// Those that say what a row is for.
constexpr unsigned kKeyColumns = Lengths + 1;

constexpr llvm::StringLiteral kMasks[] = {"none", "causal", "causal-top-left",
                                          "window", "chunked"};
/// In the order of ScoreFunctions; the last stands for all but the first.
constexpr llvm::StringLiteral kScores[] = {"plain", "softcap",   "alibi",
                                           "bias",  "score_mod", "functions"};
constexpr uint32_t kFunctions = Softcap | Alibi | Bias | ScoreMod;
constexpr uint32_t kAllFunctions = 1u << (std::size(kScores) - 1);
constexpr llvm::StringLiteral kDtypes[] = {"bf16", "f16"};
constexpr int64_t kMaxHeadDim = 1024;

/// `none|causal`, or `*` for all: a set of indices of `words`; 0 if one of them
/// is none.
uint32_t setOf(StringRef cell, llvm::ArrayRef<llvm::StringLiteral> words) {
  if (cell == "*")
    return (1u << words.size()) - 1;
  SmallVector<StringRef> found;
  cell.split(found, '|');
  uint32_t set = 0;
  for (StringRef word : found) {
    const auto *at = llvm::find(words, word.trim());
    if (at == words.end())
      return 0;
    set |= 1u << (at - words.begin());
  }
  return set;
}

struct Reader {
  StringRef name;
  unsigned line = 0;
  std::string &error;

  /// False, so that callers return it.
  bool fail(const llvm::Twine &expected, StringRef found) {
    constexpr size_t kShown = 60;
    error = (name + ":" + llvm::Twine(line) + ": expected " + expected +
             ", found '" + found.take_front(kShown) + "'")
                .str();
    return false;
  }

  bool failIn(Column column, const llvm::Twine &expected, StringRef found) {
    return fail(expected + " in column " + kColumns[column], found);
  }

  /// A set of indices of `words`.
  bool readSet(Column column, StringRef cell,
               llvm::ArrayRef<llvm::StringLiteral> words, uint32_t &set) {
    set = setOf(cell, words);
    return set ||
           failIn(column,
                  "* or some of " + llvm::join(words.begin(), words.end(), "|"),
                  cell);
  }

  bool readScores(StringRef cell, uint32_t &set) {
    return readSet(Scores, cell, kScores, set) &&
           (set = scoreFunctionsOf(cell));
  }

  /// `128`, `65-128`, or `*`.
  bool readRange(Column column, StringRef cell,
                 std::pair<int64_t, int64_t> &range) {
    range = {1, kMaxHeadDim};
    if (cell == "*")
      return true;
    auto [low, high] = cell.split('-');
    if (high.empty() && !cell.contains('-'))
      high = low;
    if (low.trim().getAsInteger(10, range.first) ||
        high.trim().getAsInteger(10, range.second) || range.first < 1 ||
        range.second < range.first || range.second > kMaxHeadDim)
      return failIn(column, "*, a head size or two of them, LOW-HIGH", cell);
    return true;
  }

  bool readNumber(Column column, StringRef cell, double &number) {
    // Not to a number: comparisons with it are false.
    if (cell.getAsDouble(number) || !(number > 0) || number > 1e15)
      return failIn(column, "a number above 0", cell);
    return true;
  }

  bool readSchedule(Column column, StringRef cell, std::string &schedule) {
    schedule = cell.str();
    if (cell.contains('/') || cell.ends_with(".mlir"))
      return true;
    auto builtins = builtinSchedules();
    if (llvm::any_of(builtins, [&](const BuiltinSchedule &builtin) {
          return cell == builtin.name;
        }))
      return true;
    std::string names;
    for (const BuiltinSchedule &builtin : builtins)
      names += (names.empty() ? "" : ", ") + std::string(builtin.name);
    return failIn(column,
                  "a built-in schedule (" + names +
                      ") or a file (contains '/' or ends in .mlir)",
                  cell);
  }

  bool readRow(StringRef text, DispatchRow &row) {
    SmallVector<StringRef> cells;
    text.split(cells, ',');
    for (StringRef &cell : cells)
      cell = cell.trim();
    if (cells.size() != ColumnCount)
      return fail(
          llvm::Twine(unsigned(ColumnCount)) + " cells (" +
              llvm::join(std::begin(kColumns), std::end(kColumns), ",") + ")",
          (llvm::Twine(cells.size()) + " in " + text).str());
    row.line = line;
    row.cells = llvm::join(llvm::ArrayRef(cells).take_front(kKeyColumns), ",");
    uint32_t dtypes = 0;
    if (!readSet(Dtype, cells[Dtype], kDtypes, dtypes) ||
        !readRange(HeadDimQk, cells[HeadDimQk], row.headDimQk) ||
        !readRange(HeadDimV, cells[HeadDimV], row.headDimV) ||
        !readSet(Mask, cells[Mask], kMasks, row.masks) ||
        !readScores(cells[Scores], row.scores))
      return false;
    for (auto [bit, dtype] : llvm::enumerate(kDtypes))
      if (dtypes >> bit & 1)
        row.dtypes.push_back(dtype.str());
    std::optional<LengthClass> lengths = symbolizeLengthClass(cells[Lengths]);
    if (!lengths)
      return failIn(Lengths, "any, short or long", cells[Lengths]);
    row.lengths = *lengths;
    if (!readSchedule(Schedule, cells[Schedule], row.best.schedule) ||
        !readNumber(Seconds, cells[Seconds], row.best.seconds) ||
        !readNumber(Cycles, cells[Cycles], row.best.cycles))
      return false;
    row.problem = cells[Problem].str();
    if (row.problem.empty())
      return failIn(Problem, "the problem that was measured", "");
    if (cells[Other] == "-") {
      for (Column column : {OtherSeconds, OtherCycles})
        if (cells[column] != "-")
          return failIn(column, "- as in column other", cells[column]);
      return true;
    }
    row.other.emplace();
    return readSchedule(Other, cells[Other], row.other->schedule) &&
           readNumber(OtherSeconds, cells[OtherSeconds], row.other->seconds) &&
           readNumber(OtherCycles, cells[OtherCycles], row.other->cycles);
  }
};

/// Whether a line says nothing.
bool isBlank(StringRef line) {
  line = line.trim();
  return line.empty() || line.starts_with("#");
}

std::string headerLine() {
  return llvm::join(std::begin(kColumns), std::end(kColumns), ",");
}

bool overlap(std::pair<int64_t, int64_t> a, std::pair<int64_t, int64_t> b) {
  return a.first <= b.second && b.first <= a.second;
}

/// Whether some problem would be taken by both.
bool overlap(const DispatchRow &a, const DispatchRow &b) {
  bool dtype = llvm::any_of(a.dtypes, [&](const std::string &word) {
    return llvm::is_contained(b.dtypes, word);
  });
  bool lengths = a.lengths == b.lengths || a.lengths == LengthClass::Any ||
                 b.lengths == LengthClass::Any;
  return dtype && lengths && overlap(a.headDimQk, b.headDimQk) &&
         overlap(a.headDimV, b.headDimV) && (a.masks & b.masks) &&
         (a.scores & b.scores);
}

struct Embedded {
  const char *name, *text;
};
const Embedded kBuiltin[] = {
#include "dispatch.inc"
};

std::string milliseconds(double seconds) {
  return llvm::formatv("{0:f4} ms", seconds * 1e3).str();
}

} // namespace

StringRef fmha::builtinDispatchText() { return kBuiltin->text; }

StringRef fmha::builtinDispatchName() { return "built-in table"; }

uint32_t fmha::scoreFunctionsOf(StringRef words) {
  uint32_t set = setOf(words, kScores);
  return set & kAllFunctions ? (set & PlainScores) | kFunctions : set;
}

static uint32_t functionsOf(ProblemAttr problem) {
  uint32_t functions =
      (problem.getSoftcap() ? Softcap : 0) | (problem.getAlibi() ? Alibi : 0) |
      (problem.getBias() ? Bias : 0) | (problem.getScoreMod() ? ScoreMod : 0);
  return functions ? functions : PlainScores;
}

DispatchKey fmha::dispatchKeyOf(ProblemAttr problem, LengthClass lengths) {
  return {problem.getElement().isBF16() ? kDtypes[0] : kDtypes[1],
          problem.getHeadDimQk(),
          problem.getHeadDimV(),
          problem.getMask(),
          functionsOf(problem),
          lengths};
}

bool DispatchRow::matches(const DispatchKey &key) const {
  auto in = [](std::pair<int64_t, int64_t> range, int64_t dim) {
    return range.first <= dim && dim <= range.second;
  };
  return llvm::is_contained(dtypes, key.dtype.str()) &&
         in(headDimQk, key.headDimQk) && in(headDimV, key.headDimV) &&
         (masks >> unsigned(key.mask) & 1) && !(key.scores & ~scores) &&
         (lengths == LengthClass::Any || lengths == key.lengths);
}

std::optional<DispatchTable>
DispatchTable::parse(StringRef text, StringRef name, std::string &error) {
  DispatchTable table;
  table.name = name.str();
  Reader reader{name, 0, error};
  bool hasHeader = false;
  while (!text.empty()) {
    StringRef line;
    std::tie(line, text) = text.split('\n');
    ++reader.line;
    if (isBlank(line))
      continue;
    if (!hasHeader) {
      if (line.trim() != headerLine()) {
        reader.fail("the line of columns " + headerLine(), line.trim());
        return std::nullopt;
      }
      hasHeader = true;
      continue;
    }
    if (!reader.readRow(line, table.rows.emplace_back()))
      return std::nullopt;
  }
  if (!hasHeader) {
    reader.line += !reader.line;
    reader.fail("the line of columns " + headerLine(), "the end of the file");
    return std::nullopt;
  }
  return table;
}

DispatchChoice
fmha::chooseSchedule(llvm::ArrayRef<const DispatchTable *> tables,
                     const DispatchKey &key,
                     llvm::function_ref<bool(StringRef)> serves) {
  DispatchChoice choice;
  for (const DispatchTable *table : tables)
    for (const DispatchRow &row : table->getRows()) {
      if (!row.matches(key))
        continue;
      std::string place =
          llvm::formatv("{0}:{1} ({2})", table->getName(), row.line, row.cells);
      if (!serves(row.best.schedule)) {
        choice.declined.push_back(llvm::formatv(
            "{0} is passed over: schedule {1} does not compile this "
            "configuration",
            place, row.best.schedule));
        continue;
      }
      choice.row = &row;
      choice.why =
          llvm::formatv("schedule {0} by {1}: {2}, {3:f0} cycles a KV "
                        "tile",
                        row.best.schedule, place,
                        milliseconds(row.best.seconds), row.best.cycles);
      if (row.other)
        choice.why += llvm::formatv(", against {0} and {1:f0} of {2}",
                                    milliseconds(row.other->seconds),
                                    row.other->cycles, row.other->schedule);
      choice.why += ", on " + row.problem;
      return choice;
    }
  return choice;
}

std::optional<std::string> fmha::putDispatchRow(StringRef text, StringRef name,
                                                StringRef line,
                                                std::string &error) {
  std::string whole = text.str();
  if (text.trim().empty())
    whole = headerLine() + "\n";
  std::optional<DispatchTable> table = DispatchTable::parse(whole, name, error);
  std::string alone = headerLine() + "\n" + line.str() + "\n";
  std::optional<DispatchTable> fresh;
  if (table)
    fresh = DispatchTable::parse(alone, "the new row", error);
  if (fresh && fresh->getRows().size() != 1) {
    error = "the new row: expected one row, found '" + line.str() + "'";
    return std::nullopt;
  }
  if (!table || !fresh)
    return std::nullopt;
  const DispatchRow &row = fresh->getRows().front();
  const DispatchRow *same = nullptr, *before = nullptr;
  for (const DispatchRow &old : table->getRows()) {
    if (old.cells == row.cells && !same)
      same = &old;
    // A row for one class of lengths stays before those for any.
    bool mayStandBefore =
        row.lengths != LengthClass::Any || old.lengths == LengthClass::Any;
    if (!before && mayStandBefore && overlap(old, row))
      before = &old;
  }
  std::string out;
  unsigned number = 0;
  bool placed = false;
  for (StringRef rest = whole; !rest.empty();) {
    StringRef old;
    std::tie(old, rest) = rest.split('\n');
    ++number;
    if (same ? number == same->line : before && number == before->line) {
      out += line.str() + "\n";
      placed = true;
      if (same)
        continue;
    }
    out += old.str() + "\n";
  }
  if (!placed)
    out += line.str() + "\n";
  return out;
}
