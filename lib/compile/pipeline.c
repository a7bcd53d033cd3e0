// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline.h"

#include <string.h>

#include "fmhac_inspect.h"
#include "mlir-c/Pass.h"

typedef enum row_kind { ROW_RUNG, ROW_PASS, ROW_LINES, ROW_PLACE } row_kind;

/// One row of pipeline.def.
typedef struct pipeline_row {
  row_kind kind;
  const char *name;
  const char *text;     ///< pass pipeline of a pass, or the text of the row
  const char *required; ///< requirements of a pass
} pipeline_row;

static const pipeline_row rows[] = {
#define FMHAC_RUNG(name, text) {ROW_RUNG, name, text, ""},
#define FMHAC_PASS(name, text, required) {ROW_PASS, name, text, required},
#define FMHAC_LINES(name, text, required) {ROW_LINES, name, text, required},
#define FMHAC_PLACE(name, text) {ROW_PLACE, name, text, ""},
#include "pipeline.def"
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

const char *fmhac_rung_name(size_t index) {
  for (size_t i = 0; i < ROW_COUNT; ++i)
    if (rows[i].kind == ROW_RUNG && index-- == 0)
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

/// The pass pipeline of a row, with the built-in schedule that one attaches.
static void render(const char *text, const char *builtin, fmhac_str *out) {
  static const char mark[] = "%SCHEDULE%";
  const char *at = strstr(text, mark);
  if (!at) {
    fmhac_str_append(out, text);
    return;
  }
  fmhac_str_append_bytes(out, text, (size_t)(at - text));
  if (builtin)
    fmhac_str_appendf(out, "{schedule=%s}", builtin);
  fmhac_str_append(out, at + sizeof mark - 1);
}

char *fmhac_pipeline_print(const char *builtin, bool lines) {
  fmhac_str out = {0};
  const char *rung = "";
  for (size_t i = 0; i < ROW_COUNT; ++i) {
    const pipeline_row *row = &rows[i];
    switch (row->kind) {
    case ROW_RUNG:
      rung = row->name;
      break;
    case ROW_LINES:
      if (!lines) {
        fmhac_str_appendf(&out, "%-10s %-20s (not asked for: line tables)\n",
                          rung, row->name);
        break;
      }
      // fall through
    case ROW_PASS:
      fmhac_str_appendf(&out, "%-10s %-20s ", rung, row->name);
      render(row->text, builtin, &out);
      fmhac_str_append(&out, "\n");
      break;
    case ROW_PLACE:
      fmhac_str_appendf(&out, "%-10s %-20s (not asked for: %s)\n", rung,
                        row->name, row->text);
      break;
    }
  }
  return fmhac_str_take(&out);
}

/// Whether a pass only checks. MLIR's own verifier runs in these passes, and
/// not after each pass as in fmhac-opt: that would take a tenth of the time of
/// a compilation.
static bool is_check(const pipeline_row *row) {
  static const char check[] = "fmha-verify-rung";
  return strncmp(row->text, check, sizeof check - 1) == 0;
}

static fmhac_status run_pass(struct fmhac_session *session, MlirModule module,
                             const pipeline_row *row,
                             const fmhac_schedule_ref *schedule) {
  fmhac_session_begin(session);
  fmhac_str text = {0};
  render(row->text, schedule->builtin, &text);
  if (text.failed) {
    fmhac_str_deinit(&text);
    return fmhac_fail(session->context, FMHAC_OUT_OF_MEMORY,
                      "running pass %s: out of memory", row->name);
  }
  MlirPassManager manager = mlirPassManagerCreate(session->mlir);
  mlirPassManagerEnableVerifier(manager, is_check(row));
  fmhac_str parse_errors = {0};
  fmhac_status status = FMHAC_OK;
  if (mlirLogicalResultIsFailure(mlirOpPassManagerAddPipeline(
          mlirPassManagerGetAsOpPassManager(manager),
          mlirStringRefCreate(text.text, text.length), fmhac_append_string_ref,
          &parse_errors)))
    status = fmhac_fail(session->context, FMHAC_INTERNAL,
                        "running pass %s: expected the passes '%s' to parse, "
                        "found: %s",
                        row->name, text.text,
                        parse_errors.text ? parse_errors.text : "");
  else if (mlirLogicalResultIsFailure(
               mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module))))
    status =
        fmhac_fail(session->context,
                   schedule->builtin ? FMHAC_PASS_FAILED : FMHAC_INVALID_INPUT,
                   "compiling with schedule '%s': pass %s failed: %s",
                   schedule->label, row->name, fmhac_session_errors(session));
  mlirPassManagerDestroy(manager);
  fmhac_str_deinit(&parse_errors);
  fmhac_str_deinit(&text);
  return status;
}

/// Rows of the table, one after the other.
typedef struct row_walk {
  size_t next;
  int rung; ///< of the row that was found last
} row_walk;

/// The next pass of a range that runs; NULL after the last.
static const pipeline_row *next_pass(const fmhac_pass_range *range, bool lines,
                                     row_walk *walk) {
  while (walk->next < ROW_COUNT) {
    const pipeline_row *row = &rows[walk->next++];
    if (row->kind == ROW_RUNG && ++walk->rung > (int)range->last)
      break;
    // No schedule of this build asks for a pass that only has a place.
    if (row->kind != ROW_PASS && !(row->kind == ROW_LINES && lines))
      continue;
    if (!range->has_from || walk->rung > (int)range->from ||
        (walk->rung == (int)range->from &&
         (row->kind == ROW_LINES || is_check(row))))
      return row;
  }
  return NULL;
}

uint32_t fmhac_pipeline_passes(const fmhac_pass_range *range, bool lines) {
  uint32_t passes = 0;
  row_walk walk = {.rung = -1};
  while (next_pass(range, lines, &walk))
    ++passes;
  return passes;
}

fmhac_status fmhac_pipeline_run(struct fmhac_session *session,
                                MlirModule module,
                                const fmhac_schedule_ref *schedule,
                                const fmhac_pass_range *range,
                                const fmhac_pass_watch *watch) {
  const bool lines = !session->context->options.no_line_tables;
  row_walk walk = {.rung = -1};
  const pipeline_row *row;
  while ((row = next_pass(range, lines, &walk))) {
    fmhac_status status = watch->before(watch->user, row->name);
    if (status == FMHAC_OK)
      status = run_pass(session, module, row, schedule);
    if (status != FMHAC_OK)
      return status;
    watch->after(watch->user, row->name, module);
  }
  return FMHAC_OK;
}
