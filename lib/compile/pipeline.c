// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline.h"

#include <string.h>

#include "mlir-c/Pass.h"

#include "pass_table.h"

/// Whether a pass only checks. MLIR's own verifier runs in these passes, and
/// not after each pass as in fmhac-opt: that would take a tenth of the time of
/// a compilation.
static bool is_check(const fmhac_pass_row *row) {
  static const char check[] = "fmha-verify-rung";
  return strncmp(row->text, check, sizeof check - 1) == 0;
}

static fmhac_status run_pass(struct fmhac_session *session, MlirModule module,
                             const fmhac_pass_row *row,
                             const fmhac_schedule_ref *schedule) {
  fmhac_session_begin(session);
  fmhac_str text = {0};
  fmhac_pass_row_render(row, schedule->builtins, &text);
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
                   schedule->is_users ? FMHAC_INVALID_INPUT : FMHAC_PASS_FAILED,
                   "compiling with schedule '%s': pass %s failed: %s",
                   schedule->label, row->name, fmhac_session_errors(session));
  mlirPassManagerDestroy(manager);
  fmhac_str_deinit(&parse_errors);
  fmhac_str_deinit(&text);
  return status;
}

/// Whether the proof of a rung before the one that a text is of holds for it,
/// too: no pass changes a layout after its rung.
static bool holds_later(const fmhac_pass_range *range, int rung) {
  return rung == FMHAC_RUNG_LAYOUTS && (range->from == FMHAC_RUNG_PIPELINED ||
                                        range->from == FMHAC_RUNG_SYNCED);
}

/// Rows of the table, one after the other.
typedef struct row_walk {
  size_t next;
  int rung; ///< of the row that was found last
} row_walk;

/// The next pass of a range that runs; NULL after the last.
static const fmhac_pass_row *next_pass(const fmhac_pass_range *range,
                                       bool lines, row_walk *walk) {
  const fmhac_pass_row *row;
  while ((row = fmhac_pass_row_get(walk->next))) {
    ++walk->next;
    if (row->kind == FMHAC_ROW_RUNG && ++walk->rung > (int)range->last)
      break;
    if (row->kind != FMHAC_ROW_PASS && !(row->kind == FMHAC_ROW_LINES && lines))
      continue;
    if (!range->has_from || walk->rung > (int)range->from ||
        (walk->rung == (int)range->from && row->kind == FMHAC_ROW_LINES) ||
        (is_check(row) &&
         (walk->rung == (int)range->from || holds_later(range, walk->rung))))
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
  const fmhac_pass_row *row;
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
