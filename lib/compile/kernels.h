// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The kernels of one compilation, on their way from a choice of schedules to
/// entries of a code object.
#ifndef FMHAC_LIB_KERNELS_H
#define FMHAC_LIB_KERNELS_H

#include "fmha_dialect_c.h"

#include "division.h"
#include "entry.h"
#include "order.h"
#include "session.h"

/// One with another role than attention has no schedule: its label stands for
/// it in messages, of the geometry there are only the waves, and the attributes
/// are null.
typedef struct fmhac_kernel_part {
  const char *label; ///< of its schedule in messages: a name, or a path
  bool is_users;     ///< schedule file or text
  const char *text;  ///< the schedule; borrowed
  size_t text_bytes;
  MlirAttribute loaded;  ///< what that text is
  MlirAttribute carried; ///< the attribute that comes with the problem; null:
                         ///< the pass attaches the built-in one
  fmha_schedule_geometry geometry;
  bool takes_lists; ///< of attention: its work comes from a list
  size_t lists_of;  ///< of the planner: the part whose tiles it lists
  /// Symbol and schedule from the start, the rest from
  /// fmhac_kernels_read_launches() on.
  fmhac_entry entry;
} fmhac_kernel_part;

typedef struct fmhac_kernels {
  fmhac_kernel_part parts[FMHAC_MOST_ENTRIES];
  size_t count;
} fmhac_kernels;

/// Loads the schedules of an order and names its kernels: those of attention,
/// a schedule each and, where the plan chooses the form of work, once more for
/// lists; then that which combines, and a planner for each that takes lists.
/// `instead` replaces
/// the schedules, by one kernel for all problems, if it is not NULL. Errors:
/// INVALID_INPUT (a user's schedule, at its line), INTERNAL, OUT_OF_MEMORY.
FMHAC_MUST_USE fmhac_status fmhac_kernels_load(struct fmhac_session *session,
                                               const fmhac_order *order,
                                               const char *instead,
                                               fmhac_kernels *out);

/// The module of the kernels: their problems; or with `from_text` the text of a
/// rung that the order has, and the schedules of that text. The caller destroys
/// the module. Errors: INTERNAL; INVALID_INPUT, at a line of the text.
FMHAC_MUST_USE fmhac_status fmhac_kernels_make_module(
    struct fmhac_session *session, const fmhac_order *order, bool from_text,
    fmhac_kernels *kernels, MlirModule *out_module);

/// How batches are divided among kernels that take lists. Part `chosen` is the
/// one for the largest problems; entries of the division are parts.
static inline void fmhac_kernels_divide(const fmhac_kernels *kernels,
                                        const fmhac_config_values *values,
                                        size_t chosen, fmhac_division *out) {
  fmhac_entry entries[FMHAC_MOST_ENTRIES];
  for (size_t i = 0; i < kernels->count; ++i)
    entries[i] = kernels->parts[i].entry;
  fmhac_divide(values, entries, kernels->count, chosen, out);
}

/// Completes the entries with the launches that the kernels of a module have,
/// from the rung `tiles` on. Errors: INVALID_INPUT, as only an edited text can
/// lack one, or the condition of one that is not the last.
FMHAC_MUST_USE fmhac_status fmhac_kernels_read_launches(
    struct fmhac_session *session, const fmhac_order *order, MlirModule module,
    fmhac_kernels *kernels);

#endif // FMHAC_LIB_KERNELS_H
