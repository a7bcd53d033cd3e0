// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The configuration as typed values, which the rest of the library reads. It
/// comes from JSON (fmhac_config_create_json) and goes to the IR builder, to
/// the note of the code object and to the cache key (canonical form). The knobs
/// are the rows of config.def; nothing outside this part of the library parses
/// an option.
#ifndef FMHAC_LIB_CONFIG_H
#define FMHAC_LIB_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "fmhac.h"
#include "fmhac_options.h"
#include "fmhac_schedule.h"
#include "launch_expr.h"

//===- Closed choices -----------------------------------------------------===//

typedef enum fmhac_dtype {
  FMHAC_DTYPE_BF16,
  FMHAC_DTYPE_F16,
  FMHAC_DTYPE_FP8, ///< OCP e4m3
} fmhac_dtype;

/// The type of one of Q, K and V; from BF16 on as fmhac_dtype, one further.
typedef enum fmhac_operand_dtype {
  FMHAC_OPERAND_DTYPE_SAME, ///< that of `dtype`
  FMHAC_OPERAND_DTYPE_BF16,
  FMHAC_OPERAND_DTYPE_F16,
  FMHAC_OPERAND_DTYPE_FP8,
  FMHAC_OPERAND_DTYPE_BF8, ///< OCP e5m2; K and V only
} fmhac_operand_dtype;

typedef enum fmhac_out_dtype {
  FMHAC_OUT_DTYPE_SAME, ///< as the inputs; bf16 for fp8
  FMHAC_OUT_DTYPE_BF16,
  FMHAC_OUT_DTYPE_F16,
  FMHAC_OUT_DTYPE_F32,
  FMHAC_OUT_DTYPE_FP8, ///< OCP e4m3, O divided by `o_scale`
} fmhac_out_dtype;

/// The granularity of dequantisation factors.
typedef enum fmhac_granularity {
  FMHAC_GRANULARITY_NONE,
  FMHAC_GRANULARITY_TENSOR,
  FMHAC_GRANULARITY_HEAD,
  FMHAC_GRANULARITY_TOKEN,
  FMHAC_GRANULARITY_BLOCK,
} fmhac_granularity;

/// Whether workgroups share the keys of a row.
typedef enum fmhac_split_kv {
  FMHAC_SPLIT_KV_NONE,
  FMHAC_SPLIT_KV_AUTO,  ///< the plan decides
  FMHAC_SPLIT_KV_FIXED, ///< by chunks of a length that the configuration gives
} fmhac_split_kv;

/// What a kernel of a code object does.
typedef enum fmhac_role {
  FMHAC_ROLE_ATTENTION,
  FMHAC_ROLE_COMBINE, ///< results over parts of the keys become O and LSE
  FMHAC_ROLE_MERGE,   ///< O and LSE, and others, become those over both
  FMHAC_ROLE_PLAN,    ///< lengths become lists of work
} fmhac_role;
enum { FMHAC_ROLES = FMHAC_ROLE_PLAN + 1 };

/// How a page of K and V is laid out.
typedef enum fmhac_kv_layout {
  FMHAC_KV_LAYOUT_NHD, ///< rows in order, by strides; of a configuration HND
                       ///< too
  FMHAC_KV_LAYOUT_HND,
  FMHAC_KV_LAYOUT_VECTORISED,
} fmhac_kv_layout;

/// How workgroups get their work items.
typedef enum fmhac_work {
  FMHAC_WORK_GRID,
  FMHAC_WORK_LIST,
  FMHAC_WORK_QUEUE,
  FMHAC_WORK_AUTO, ///< the grid or lists, as the plan chooses
  FMHAC_WORK_RUNS  ///< each workgroup finds its own, a run of all work
} fmhac_work;

/// What lengths of sequences of K and V count.
typedef enum fmhac_kv_lengths {
  FMHAC_KV_LENGTHS_ALL,
  FMHAC_KV_LENGTHS_CACHED, ///< without those of the rows of Q
} fmhac_kv_lengths;

typedef enum fmhac_mask_kind {
  FMHAC_MASK_NONE,
  FMHAC_MASK_CAUSAL,          ///< row i sees keys j <= i + Sk - Sq
  FMHAC_MASK_CAUSAL_TOP_LEFT, ///< row i sees keys j <= i
  FMHAC_MASK_WINDOW,  ///< i + Sk - Sq - left <= j <= i + Sk - Sq + right
  FMHAC_MASK_CHUNKED, ///< causal, and j in the chunk of row i
} fmhac_mask_kind;

typedef struct fmhac_mask {
  fmhac_mask_kind kind;
  int64_t window_left;  ///< keys; -1 unbounded; valid for WINDOW, else 0
  int64_t window_right; ///< keys; -1 unbounded; valid for WINDOW, else 0
  int64_t chunk;        ///< keys; valid for CHUNKED, else 0
} fmhac_mask;

/// The value of the key `schedule` that leaves it open.
#define FMHAC_SCHEDULE_AUTO "auto"

/// Bytes of a TEXT value, its terminator included.
#define FMHAC_TEXT_BYTES 1024

// The C type of each KIND of config.def.
typedef fmhac_dtype fmhac_value_DTYPE;
typedef fmhac_operand_dtype fmhac_value_Q_DTYPE;
typedef fmhac_operand_dtype fmhac_value_KV_DTYPE;
typedef fmhac_out_dtype fmhac_value_OUT_DTYPE;
typedef fmhac_granularity fmhac_value_GRANULARITY;
typedef fmhac_split_kv fmhac_value_SPLIT_KV;
typedef fmhac_kv_layout fmhac_value_KV_LAYOUT;
typedef fmhac_kv_lengths fmhac_value_KV_LENGTHS;
typedef fmhac_work fmhac_value_WORK;
typedef fmhac_role fmhac_value_ROLE;
typedef fmhac_mask fmhac_value_MASK;
typedef int64_t fmhac_value_INTEGER;
typedef double fmhac_value_REAL;
typedef bool fmhac_value_SWITCH;
typedef char fmhac_value_TEXT[FMHAC_TEXT_BYTES];
typedef bool fmhac_value_INPUT; ///< whether it is given

// Stores a key of the problem while it is reserved: `works` is 0 or 1.
#define FMHAC_STORED_0(declaration) declaration
#define FMHAC_STORED_1(declaration)

/// Every knob that shapes the code, by its key, and the reserved keys of the
/// problem; see config.def for meaning, unit and range. Copied by assignment.
typedef struct fmhac_config_values {
#define FMHAC_OPTION(key, kind, fallback, low, high, unit, metavar, works,     \
                     help)                                                     \
  fmhac_value_##kind key;
#define FMHAC_PROBLEM(key, kind, fallback, low, high, unit, metavar, works,    \
                      help)                                                    \
  FMHAC_STORED_##works(fmhac_value_##kind key;)
#include "config.def"
} fmhac_config_values;

/// The type of K or V, whose key has the value `own`: `dtype` is Q's once a
/// configuration was parsed. Its name is borrowed for ever.
const char *fmhac_operand_dtype_name(fmhac_operand_dtype own,
                                     fmhac_dtype dtype);

/// Bytes of an element of each operand in memory.
typedef struct fmhac_element_bytes {
  uint32_t q, k, v, o;
} fmhac_element_bytes;
fmhac_element_bytes
fmhac_config_values_element_bytes(const fmhac_config_values *values);
/// Its name: "bf16", "f16", "f32" or "fp8"; borrowed for ever.
const char *fmhac_config_values_out_name(const fmhac_config_values *values);
/// "bf16", …; borrowed for ever. NULL for a value outside the enum.
const char *fmhac_dtype_name(fmhac_dtype dtype);

/// "attention", …; borrowed for ever. NULL for a value outside the enum.
const char *fmhac_role_name(fmhac_role role);

/// Writes the spelling of a mask: "causal", "window:128,0".
void fmhac_mask_print(const fmhac_mask *mask, char *text, size_t bytes);

//===- The option table, as the parser sees it ----------------------------===//

typedef enum fmhac_option_kind {
  FMHAC_KIND_DTYPE,
  FMHAC_KIND_Q_DTYPE,
  FMHAC_KIND_KV_DTYPE,
  FMHAC_KIND_OUT_DTYPE,
  FMHAC_KIND_LAYOUT,
  FMHAC_KIND_GRANULARITY,
  FMHAC_KIND_SPLIT_KV,
  FMHAC_KIND_KV_LAYOUT,
  FMHAC_KIND_KV_LENGTHS,
  FMHAC_KIND_WORK,
  FMHAC_KIND_ROLE,
  FMHAC_KIND_MASK,
  FMHAC_KIND_INTEGER,
  FMHAC_KIND_REAL,
  FMHAC_KIND_SWITCH,
  FMHAC_KIND_TEXT,
  FMHAC_KIND_INPUT,
  FMHAC_KIND_STRIDES,
} fmhac_option_kind;

/// Place of rows whose value is not stored in fmhac_config_values.
#define FMHAC_NOT_STORED SIZE_MAX

/// One row of config.def.
typedef struct fmhac_option_row {
  fmhac_option_info info; ///< the public part
  fmhac_option_kind kind;
  size_t offset; ///< in fmhac_config_values, or FMHAC_NOT_STORED
  double low, high;
  const char *unit;
  const char *shorthand[2]; ///< keys that a shorthand sets; NULL elsewhere
} fmhac_option_row;

/// The table; `out_count` rows, valid for ever.
const fmhac_option_row *fmhac_option_rows(size_t *out_count);
/// The row of `key`, or NULL.
const fmhac_option_row *fmhac_option_find(const char *key);
/// Names of a closed choice, ended by NULL; NULL for other kinds.
const char *const *fmhac_option_choices(fmhac_option_kind kind);

//===- Values -------------------------------------------------------------===//

/// Sets every knob to the default of its row.
void fmhac_config_values_init(fmhac_config_values *values);

/// Defaults, then the keys of one JSON object over them. Errors: INVALID_INPUT
/// (also for keys that exclude each other), OUT_OF_MEMORY, with the text in the
/// context.
FMHAC_MUST_USE fmhac_status fmhac_config_values_parse(
    fmhac_context *context, const char *json, fmhac_config_values *out_values);

/// Canonical JSON: one line, the order of the table; rows that work always,
/// `role` and reserved rows only when they are not at their default. Equal
/// configurations print equally, and parsing the text gives the same values.
/// The caller frees with free(); NULL when memory is exhausted. Of a schedule
/// file the text has only the name: a caller that needs its content in a key
/// adds it.
char *fmhac_config_values_print(const fmhac_config_values *values);
/// The same without rows that are at their default, but with dtype, head sizes,
/// mask, lse and schedule.
char *fmhac_config_values_print_changes(const fmhac_config_values *values);
/// The same of what shapes the code beside schedule and function of scores,
/// which stand for themselves wherever they lie; without max_seqlen_q.
char *fmhac_config_values_print_code(const fmhac_config_values *values);

/// True if `schedule` names a file: contains '/' or ends in ".mlir".
static inline bool fmhac_schedule_is_path(const char *schedule) {
  const size_t length = strlen(schedule);
  return strchr(schedule, '/') ||
         (length >= 5 && strcmp(schedule + length - 5, ".mlir") == 0);
}

/// True if `schedule` leaves the choice to the tables.
static inline bool fmhac_schedule_is_auto(const char *schedule) {
  return strcmp(schedule, FMHAC_SCHEDULE_AUTO) == 0;
}

/// The scale of a kernel: `scale`, or 1/sqrt(Dqk) if that is 0 or -0, whatever
/// the caller's rounding mode.
float fmhac_scale_of(float scale, uint32_t head_dim_qk);

//===- The public object --------------------------------------------------===//

/// One of the schedules that the key `schedule` names (schedule_list.h).
typedef struct fmhac_schedule_item {
  char name[FMHAC_TEXT_BYTES]; ///< built-in name, path of a file, or "auto"
  char when[FMHAC_LAUNCH_TEXT_BYTES]; ///< a condition; "": all
} fmhac_schedule_item;

typedef struct fmhac_schedule_list {
  fmhac_schedule_item items[FMHAC_MOST_ENTRIES];
  size_t count; ///< at least one
} fmhac_schedule_list;

/// How many items name a schedule: all but an `auto`, which is the last.
static inline size_t
fmhac_schedule_list_count_named(const fmhac_schedule_list *list) {
  return list->count -
         fmhac_schedule_is_auto(list->items[list->count - 1].name);
}

struct fmhac_config {
  fmhac_context *context; ///< borrowed: the context outlives the object
  fmhac_config_values values;
  fmhac_schedule_list schedules; ///< the value of the key, read
  char *canonical;               ///< owned
  /// The rows of the user's table that have put schedules into the values, in
  /// their order; none: the user named them, or nobody has yet.
  fmhac_schedule_choice rows[FMHAC_MOST_ENTRIES];
  size_t row_count;
};

#endif // FMHAC_LIB_CONFIG_H
