// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Schedules as data: the built-in ones, which of them a configuration gets and
/// why, what of one can be changed, and tables of measurements.
#ifndef FMHAC_SCHEDULE_H
#define FMHAC_SCHEDULE_H

#include "fmhac.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Built-in schedules: name, or NULL past the end; and the text of its file, or
/// NULL if there is none of that name. Borrowed, valid for ever.
FMHAC_API const char *fmhac_schedule_name(size_t index);
FMHAC_API const char *fmhac_schedule_text(const char *name);

/// Why a configuration that leaves the schedule open gets the one that it gets:
/// the row of a table of measurements.
typedef struct fmhac_schedule_choice {
  size_t size;    ///< sizeof(fmhac_schedule_choice), set by the caller
  char why[512];  ///< one line; also of what was asked for by name
  uint32_t line;  ///< of the row in its table; 0: no row, and what follows is 0
  double seconds; ///< that a problem took with the schedule
  double cycles;  ///< of a compute unit for a KV tile of the schedule
  char other[64]; ///< the next best schedule; "" if none was measured
  double other_seconds, other_cycles; ///< likewise
  char problem[128];                  ///< that was measured
} fmhac_schedule_choice;
/// Errors: UNSUPPORTED (fmhac_query() says why), and those of fmhac_query().
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_query_schedule(fmhac_context *context, const fmhac_config *config,
                     fmhac_schedule_choice *out_choice);

/// The user's table of schedules that the context reads, or NULL; borrowed.
FMHAC_API const char *
fmhac_context_get_dispatch_table(const fmhac_context *context);

/// The tile of a workgroup under the schedule in the text of a schedule file:
/// rows of Q, and keys of K and V of a step over them. `name` stands for the
/// file in messages. Works in the caller's process, as the two below. Errors:
/// INVALID_INPUT (the text is no schedule file), OUT_OF_MEMORY.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_schedule_get_tile(fmhac_context *context, const char *text,
                        const char *name, int64_t *out_rows, int64_t *out_keys);

/// What the stages of the pipeline have to do under the schedule of a
/// configuration, as a JSON object: schedule, kernel, tile_m, tile_n, and
/// stages, an array of name, kind, steps (texts), instructions, recipe and
/// left_over (objects of mfma, valu, trans, ds_read, vmem and salu, counts of a
/// wave and tile where no branch is taken; the last two null without a recipe;
/// below 0: the recipe asks for more than there is), room_cycles beneath the
/// matrix instructions of the stage and takes_cycles of its valu and trans.
/// Empty without a pipeline. The caller frees with fmhac_free(). Works in the
/// caller's process in part, as the two below. Errors: as fmhac_emit().
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_schedule_describe(
    fmhac_context *context, const fmhac_config *config, char **out_json);

/// Something of a schedule that can be changed on its own: a choice, or a count
/// of a recipe.
typedef struct fmhac_schedule_knob {
  size_t size;      ///< sizeof(fmhac_schedule_knob), set by the library
  const char *name; ///< "grid", "@scores.nops", "@scores.groups[3][1]"
  const char *pool; ///< counts of one pool may be exchanged; "": a choice
  const char *word; ///< of the value or of its kind; "" if it has none
  /// Values are low, low + step, ..., high. Units are those of the key that the
  /// name ends with in fmhac-schedule(5), such as bytes of max_pad_bytes;
  /// counts of a recipe are instructions, and a choice between words their
  /// number.
  int64_t value, low, high, step;
} fmhac_schedule_knob;
/// Calls `visit` with each of the schedule in the text of a schedule file; in
/// an order that depends on the schedule only. Texts are borrowed during the
/// call, while a lock of the context is held: `visit` must not compile with it,
/// nor call this function or the next, which are INVALID_INPUT then. Both work
/// in the caller's process, wherever the compiler of the context does, and
/// start LLVM there. Errors: INVALID_INPUT (the text is no schedule file),
/// OUT_OF_MEMORY.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_schedule_visit_knobs(
    fmhac_context *context, const char *text,
    void (*visit)(void *user, const fmhac_schedule_knob *knob), void *user);

/// A knob that is to be set.
typedef struct fmhac_schedule_setting {
  const char *name;
  int64_t value;
} fmhac_schedule_setting;
/// The text of a schedule file with some knobs set, in any order, and the
/// schedule renamed; the rest is as it was, comments are lost. `new_name` has
/// letters of ASCII, digits and '_', the first no digit. The caller frees with
/// fmhac_free(). Errors: INVALID_INPUT (the text is no schedule file; another
/// name, an unknown knob, one out of its bounds, one that is set twice, a
/// schedule that does not verify), OUT_OF_MEMORY.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_schedule_change(
    fmhac_context *context, const char *text, const char *new_name,
    const fmhac_schedule_setting *settings, size_t count, char **out_text);

/// What was measured of a configuration: a row of a table of schedules.
typedef struct fmhac_schedule_row {
  size_t size;                ///< sizeof(fmhac_schedule_row), set by the caller
  const fmhac_config *config; ///< the row is for its types, head sizes, kind of
                              ///< mask, functions of scores and lengths
  const char *schedule;       ///< the best: a built-in, or a file, beside the
                              ///< table unless its path is absolute
  double seconds, cycles;     ///< as in fmhac_schedule_choice; above 0
  const char *other;          ///< the next best; NULL if there is none
  double other_seconds, other_cycles;
  const char *problem; ///< in words without a comma: "B1 Hq64 Hk8 Sq512 Sk512"
} fmhac_schedule_row;
/// The text of a table of schedules with a row in it: instead of the row for
/// the same, else before those that take part of what it is for. `table` is the
/// text so far, empty if there is none; `name` stands for it in messages. The
/// caller frees with fmhac_free(). Errors: INVALID_INPUT (`size`; the text is
/// no table, at which line; a name that is empty, or has a comma or an end of
/// line; a number that is not above 0), OUT_OF_MEMORY.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_schedule_table_put(
    fmhac_context *context, const char *table, const char *name,
    const fmhac_schedule_row *row, char **out_text);

#ifdef __cplusplus
}
#endif
#endif // FMHAC_SCHEDULE_H
