// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Schedules as data: the built-in ones, the choice of a schedule for a
/// configuration and its reason, the parts of a schedule that can be changed,
/// and tables of measurements.
#ifndef FMHAC_SCHEDULE_H
#define FMHAC_SCHEDULE_H

#include "fmhac.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Built-in schedules: the name, or NULL past the end; and the text of the
/// file, or NULL if no schedule has that name. Borrowed; valid for ever. A file
/// may derive its schedule from another: fmhac_schedule_expand() writes it out.
FMHAC_API const char *fmhac_schedule_name(size_t index);
FMHAC_API const char *fmhac_schedule_text(const char *name);

/// The reason for the schedule of a configuration that leaves it open: the row
/// of a table of measurements.
typedef struct fmhac_schedule_choice {
  size_t size;   ///< sizeof(fmhac_schedule_choice), set by the caller
  char why[512]; ///< one line; also for a schedule given by name
  uint32_t
      line; ///< of the row in its table; 0: no row, and the fields below are 0
  double seconds; ///< time of the problem with the schedule
  double cycles;  ///< cycles of a compute unit per KV tile
  char other[64]; ///< the next best schedule; "" if none was measured
  double other_seconds, other_cycles; ///< likewise
  char problem[128];                  ///< that was measured
  char schedule[1024];                ///< its name, or the path of a file
  char when[128]; ///< the sizes of problems that its entry is for, as
                  ///< fmhac_kernel_info has it
} fmhac_schedule_choice;
/// The schedule of an entry, below the `entry_count` of fmhac_query().
/// Errors: UNSUPPORTED (fmhac_query() says why), INVALID_INPUT (no such entry),
/// and those of fmhac_query().
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_query_schedule(fmhac_context *context, const fmhac_config *config,
                     size_t entry, fmhac_schedule_choice *out_choice);

/// The user's table of schedules that the context reads, or NULL; borrowed.
FMHAC_API const char *
fmhac_context_get_dispatch_table(const fmhac_context *context);

/// The tile of a workgroup for the schedule in the text of a schedule file:
/// rows of Q, and keys of one KV tile. `name` stands for the file in messages.
/// Runs in the caller's process, as the three functions below.
/// Errors: INVALID_INPUT (the text is no schedule file), OUT_OF_MEMORY.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_schedule_get_tile(fmhac_context *context, const char *text,
                        const char *name, int64_t *out_rows, int64_t *out_keys);

/// The text of a schedule file written out: the schedule with every key that is
/// not at its default, and its recipe, whatever it is derived from or refers
/// to. Comments at the top stay, others are lost. `name` stands for the file in
/// messages. The caller frees with fmhac_free().
/// Errors: INVALID_INPUT (the text is no schedule file), OUT_OF_MEMORY.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_schedule_expand(fmhac_context *context, const char *text,
                      const char *name, char **out_text);

/// The work of each stage of the pipeline for the schedules of a configuration,
/// as a JSON object: entries, an array with an object for each kernel, and the
/// keys of the first of them: schedule, when (the condition under which a plan
/// takes it, or ""), kernel, tile_m, tile_n, and stages, an array of
/// name, kind, steps (texts), instructions, recipe and left_over (objects of
/// mfma, valu, trans, ds_read, vmem and salu, counts per wave and tile if no
/// branch is taken; the last two are null without a recipe; a left_over below 0
/// means that the recipe asks for more than the stage has), room_cycles (the
/// cycles beside the stage's matrix instructions) and takes_cycles (of its valu
/// and trans instructions). The caller
/// frees with fmhac_free(). Runs partly in the caller's process, as the two
/// functions below.
/// Errors: as fmhac_emit().
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_schedule_describe(
    fmhac_context *context, const fmhac_config *config, char **out_json);

/// A part of a schedule that can be changed on its own: a choice, or a count of
/// a recipe.
typedef struct fmhac_schedule_knob {
  size_t size;      ///< sizeof(fmhac_schedule_knob), set by the library
  const char *name; ///< "grid", "@scores.nops", "@scores.groups[3][1]"
  const char *pool; ///< counts in one pool may be exchanged; "": a choice
  const char *word; ///< the word of the value or of its kind, or ""
  /// Values are low, low + step, ..., high. The name ends with a key of
  /// fmhac-schedule(5), and values have its unit, such as bytes for
  /// max_pad_bytes. Counts of a recipe are instructions. A choice between words
  /// is the number of the word.
  int64_t value, low, high, step;
} fmhac_schedule_knob;
/// Calls `visit` with each knob of the schedule in the text of a schedule file,
/// in an order that depends only on the schedule. Texts are borrowed during the
/// call. The call holds a lock of the context: if `visit` compiles with the
/// context, or calls this function or the next, that call returns
/// INVALID_INPUT. Both functions run in the caller's process, wherever the
/// compiler of the context runs, and start LLVM there.
/// Errors: INVALID_INPUT (the text is no schedule file), OUT_OF_MEMORY.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_schedule_visit_knobs(
    fmhac_context *context, const char *text,
    void (*visit)(void *user, const fmhac_schedule_knob *knob), void *user);

/// A knob and its new value.
typedef struct fmhac_schedule_setting {
  const char *name;
  int64_t value;
} fmhac_schedule_setting;
/// Returns the text of a schedule file with some knobs set, in any order, and
/// with the schedule renamed, written out as by fmhac_schedule_expand(); its
/// recipe, if it has one, is `new_name` and "_recipe". Comments are lost; the
/// rest stays unchanged.
/// `new_name` consists of ASCII letters, digits and '_' and does not begin with
/// a digit. The caller frees with fmhac_free().
/// Errors: INVALID_INPUT (the text is no schedule file; a malformed name; a
/// knob that is unknown, out of its bounds or set twice; a schedule that does
/// not verify), OUT_OF_MEMORY.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_schedule_change(
    fmhac_context *context, const char *text, const char *new_name,
    const fmhac_schedule_setting *settings, size_t count, char **out_text);

/// The measurement of a configuration: a row of a table of schedules.
typedef struct fmhac_schedule_row {
  size_t size;                ///< sizeof(fmhac_schedule_row), set by the caller
  const fmhac_config *config; ///< the row is for its types, head sizes, kind of
                              ///< mask, functions of scores, page size and
                              ///< scales
  const char *schedule;       ///< the best: a built-in, or a file, beside the
                              ///< table unless its path is absolute
  double seconds, cycles;     ///< as in fmhac_schedule_choice; above 0
  const char *other;          ///< the next best; NULL if there is none
  double other_seconds, other_cycles;
  const char *problem; ///< in words without a comma: "B1 Hq64 Hk8 Sq512 Sk512"
  /// The problems that the row is for: the most keys that a row of Q sees, rows
  /// of Q, heads of all batches. "LOW-HIGH", a number, or NULL: all.
  const char *keys, *q_rows, *workgroups;
} fmhac_schedule_row;
/// Returns the text of a table of schedules with a row added. The row replaces
/// one with the same conditions, or else goes before the rows whose conditions
/// overlap with its own. `table` is the text so far, empty for a new table;
/// `name` stands for it in messages. A table keeps its columns. The caller
/// frees with fmhac_free().
/// Errors: INVALID_INPUT (`size`; the text is no table, with the line, or lacks
/// a column that the row needs; a name that is empty or has a comma or an end
/// of line; a number that is not above 0), OUT_OF_MEMORY.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_schedule_table_put(
    fmhac_context *context, const char *table, const char *name,
    const fmhac_schedule_row *row, char **out_text);

#ifdef __cplusplus
}
#endif
#endif // FMHAC_SCHEDULE_H
