// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "c/fmha_passes_c.h"

#include "support/DispatchTable.h"

#include "mlir/CAPI/Support.h"
#include "llvm/ADT/StringExtras.h"

#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace mlir::fmha;

/// For free(); null when memory is out.
static char *copyText(StringRef text) {
  char *copy = static_cast<char *>(malloc(text.size() + 1));
  if (copy) {
    memcpy(copy, text.data(), text.size());
    copy[text.size()] = '\0';
  }
  return copy;
}

/// What does not fit is cut.
static void copyInto(char *to, size_t bytes, StringRef text) {
  text = text.take_front(bytes - 1);
  memcpy(to, text.data(), text.size());
  to[text.size()] = '\0';
}

static void copyFigure(const DispatchFigure &from, fmha_dispatch_figure &to) {
  copyInto(to.schedule, sizeof to.schedule, from.schedule);
  to.seconds = from.seconds;
  to.cycles = from.cycles;
}

bool fmhaDispatchChoose(const fmha_dispatch_key *key, MlirStringRef table,
                        MlirStringRef name,
                        bool (*serves)(void *user, MlirStringRef schedule),
                        void *user, fmha_dispatch_choice *out,
                        char **outMessage) {
  *out = fmha_dispatch_choice{};
  *outMessage = nullptr;
  bool builtin = !table.data;
  std::string error;
  std::optional<DispatchTable> read = DispatchTable::parse(
      builtin ? builtinDispatchText() : unwrap(table),
      builtin ? builtinDispatchName() : unwrap(name), error);
  if (!read) {
    *outMessage = copyText(error);
    return false;
  }
  const DispatchTable *tables[] = {&*read};
  DispatchChoice choice = chooseSchedule(
      tables,
      {key->dtype, key->head_dim_qk, key->head_dim_v, MaskKind(key->mask),
       scoreFunctionsOf(key->scores), LengthClass(key->lengths)},
      [&](StringRef schedule) { return serves(user, wrap(schedule)); });
  if (!choice.declined.empty())
    out->declined = copyText(llvm::join(choice.declined, "\n"));
  if (!choice.row)
    return true;
  out->line = choice.row->line;
  copyFigure(choice.row->best, out->best);
  if (choice.row->other)
    copyFigure(*choice.row->other, out->other);
  copyInto(out->problem, sizeof out->problem, choice.row->problem);
  out->why = copyText(choice.why);
  return true;
}

void fmhaDispatchChoiceDeinit(fmha_dispatch_choice *choice) {
  free(choice->why);
  free(choice->declined);
  *choice = fmha_dispatch_choice{};
}

char *fmhaDispatchPut(MlirStringRef table, MlirStringRef name,
                      MlirStringRef line, char **outMessage) {
  *outMessage = nullptr;
  std::string error;
  std::optional<std::string> text =
      putDispatchRow(unwrap(table), unwrap(name), unwrap(line), error);
  if (text)
    return copyText(*text);
  *outMessage = copyText(error);
  return nullptr;
}
