// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The one ordered table of rungs and passes (pipeline.def), as text: which
/// there are is known without the compiler.
#ifndef FMHAC_LIB_PASS_TABLE_H
#define FMHAC_LIB_PASS_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "str.h"

typedef enum fmhac_row_kind {
  FMHAC_ROW_RUNG,
  FMHAC_ROW_PASS,
  FMHAC_ROW_LINES
} fmhac_row_kind;

/// One row of pipeline.def.
typedef struct fmhac_pass_row {
  fmhac_row_kind kind;
  const char *name;
  const char *text;     ///< pass pipeline of a pass, or the text of the row
  const char *required; ///< requirements of a pass
} fmhac_pass_row;

/// NULL past the end.
const fmhac_pass_row *fmhac_pass_row_get(size_t index);

/// Appends the pass pipeline of a row, with the built-in schedule that one
/// attaches; `builtins` is NULL where all schedules came with their problems.
void fmhac_pass_row_render(const fmhac_pass_row *row, const char *builtins,
                           fmhac_str *out);

/// The pipeline as text, a pass a line: "rung  pass  passes"; `builtins` as
/// above; without `lines` the passes that make line tables are in parentheses.
/// The caller frees with free(); null when memory is out.
char *fmhac_pipeline_print(const char *builtins, bool lines);

#endif // FMHAC_LIB_PASS_TABLE_H
