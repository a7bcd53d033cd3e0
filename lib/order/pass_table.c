// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pass_table.h"

#include <string.h>

#include "fmhac_inspect.h"
#include "order.h"

static const fmhac_pass_row rows[] = {
#define FMHAC_RUNG(name, text) {FMHAC_ROW_RUNG, name, text, ""},
#define FMHAC_PASS(name, text, required) {FMHAC_ROW_PASS, name, text, required},
#define FMHAC_LINES(name, text, required)                                      \
  {FMHAC_ROW_LINES, name, text, required},
#include "pipeline.def"
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

const fmhac_pass_row *fmhac_pass_row_get(size_t index) {
  return index < ROW_COUNT ? &rows[index] : NULL;
}

const char *fmhac_rung_name(size_t index) {
  for (size_t i = 0; i < ROW_COUNT; ++i)
    if (rows[i].kind == FMHAC_ROW_RUNG && index-- == 0)
      return rows[i].name;
  return NULL;
}

bool fmhac_rung_find(const char *name, fmhac_rung *out_rung) {
  for (size_t i = 0; fmhac_rung_name(i); ++i)
    if (strcmp(fmhac_rung_name(i), name) == 0) {
      *out_rung = (fmhac_rung)i;
      return true;
    }
  return false;
}

void fmhac_pass_row_render(const fmhac_pass_row *row, const char *builtins,
                           fmhac_str *out) {
  static const char mark[] = "%SCHEDULE%";
  const char *text = row->text;
  const char *at = strstr(text, mark);
  if (!at) {
    fmhac_str_append(out, text);
    return;
  }
  fmhac_str_append_bytes(out, text, (size_t)(at - text));
  if (builtins)
    fmhac_str_appendf(out, "{schedule=%s}", builtins);
  fmhac_str_append(out, at + sizeof mark - 1);
}

char *fmhac_pipeline_print(const char *builtins, bool lines) {
  fmhac_str out = {0};
  const char *rung = "";
  for (size_t i = 0; i < ROW_COUNT; ++i) {
    const fmhac_pass_row *row = &rows[i];
    switch (row->kind) {
    case FMHAC_ROW_RUNG:
      rung = row->name;
      break;
    case FMHAC_ROW_LINES:
      if (!lines) {
        fmhac_str_appendf(&out, "%-10s %-20s (not asked for: line tables)\n",
                          rung, row->name);
        break;
      }
      // fall through
    case FMHAC_ROW_PASS:
      fmhac_str_appendf(&out, "%-10s %-20s ", rung, row->name);
      fmhac_pass_row_render(row, builtins, &out);
      fmhac_str_append(&out, "\n");
      break;
    }
  }
  return fmhac_str_take(&out);
}
