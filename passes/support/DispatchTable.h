// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which schedule is best for which problem, as measured: a table of data
/// (schedules/dispatch.csv, and such files of users). What can serve at all is
/// not asked here: whoever chooses says so.
#ifndef FMHA_SUPPORT_DISPATCHTABLE_H
#define FMHA_SUPPORT_DISPATCHTABLE_H

#include "FmhaDialect.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mlir::fmha {

/// What scores pass through on their way to the softmax, as bits of a set.
enum ScoreFunctions : uint32_t {
  PlainScores = 1, ///< nothing: alone in the set of a problem
  Softcap = 2,
  Alibi = 4,
  Bias = 8,
  ScoreMod = 16, ///< a function of the user's
};

/// What a row is looked up by.
struct DispatchKey {
  StringRef dtype; ///< as in a configuration: "bf16", "f16"
  int64_t headDimQk, headDimV;
  MaskKind mask;
  uint32_t scores; ///< set of ScoreFunctions
  LengthClass lengths;
};

/// The set of "plain", "softcap|alibi", "functions", …; 0 if a word is none.
uint32_t scoreFunctionsOf(StringRef words);

/// The key of a problem.
DispatchKey dispatchKeyOf(ProblemAttr problem, LengthClass lengths);

/// One side of a measurement.
struct DispatchFigure {
  std::string schedule; ///< a built-in, or a file
  double seconds = 0;   ///< of the problem
  double cycles = 0;    ///< of a compute unit for a KV tile of the schedule
};

struct DispatchRow {
  unsigned line;                   ///< from 1
  std::string cells;               ///< what it is for, as it is written
  std::vector<std::string> dtypes; ///< as in a configuration
  std::pair<int64_t, int64_t> headDimQk, headDimV; ///< inclusive
  uint32_t masks;                                  ///< set of 1 << MaskKind
  uint32_t scores; ///< set of ScoreFunctions that a problem may have
  /// Any: whatever the lengths, as it was found good at all of them.
  LengthClass lengths;
  DispatchFigure best;
  std::optional<DispatchFigure> other; ///< the next best
  std::string problem;                 ///< that was measured

  bool matches(const DispatchKey &key) const;
};

class DispatchTable {
public:
  /// Reads a table. None, with "NAME:LINE: expected …, found …", if it is none.
  static std::optional<DispatchTable> parse(StringRef text, StringRef name,
                                            std::string &error);

  /// Searched from the first on.
  llvm::ArrayRef<DispatchRow> getRows() const { return rows; }
  StringRef getName() const { return name; }

private:
  std::string name;
  std::vector<DispatchRow> rows;
};

/// The text of the built-in table, and the name that messages give it.
StringRef builtinDispatchText();
StringRef builtinDispatchName();

struct DispatchChoice {
  const DispatchRow *row = nullptr; ///< of one of the tables; none: no row
  std::string why; ///< one line: which row, and what it was measured against
  /// Rows that fit the key and whose schedule cannot serve: a line each.
  SmallVector<std::string> declined;
};

/// The first row of the tables, in their order, that fits the key and names a
/// schedule that `serves`.
DispatchChoice chooseSchedule(llvm::ArrayRef<const DispatchTable *> tables,
                              const DispatchKey &key,
                              llvm::function_ref<bool(StringRef)> serves);

/// The text of a table with a row in it that is written as `line`: in the place
/// of the row for the same, else before the first that takes something of what
/// it is for. An empty text becomes a table of one row. None, with a reason.
std::optional<std::string> putDispatchRow(StringRef text, StringRef name,
                                          StringRef line, std::string &error);

} // namespace mlir::fmha

#endif // FMHA_SUPPORT_DISPATCHTABLE_H
