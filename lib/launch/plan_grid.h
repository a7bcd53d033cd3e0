// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The grid of an entry for the sizes of a problem, from the expressions that
/// the code object carries.
#ifndef FMHAC_LIB_PLAN_GRID_H
#define FMHAC_LIB_PLAN_GRID_H

#include "division.h"
#include "kernel.h"

/// An entry with its expressions read.
typedef struct fmhac_launcher {
  const fmhac_entry *entry; ///< borrowed
  fmhac_launch_expr sides[3];
} fmhac_launcher;

/// The launcher of an entry. Errors: INTERNAL (an expression that is
/// malformed).
FMHAC_MUST_USE fmhac_status fmhac_launcher_of(fmhac_context *context,
                                              const fmhac_entry *entry,
                                              fmhac_launcher *out);

/// Heads of Q whose rows are rows of one tile, for an entry of attention; 1: a
/// tile has rows of one head.
uint32_t fmhac_entry_group(const fmhac_entry *entry,
                           const fmhac_problem *problem);

/// The first entry of attention that takes a problem, and its work from the
/// grid or from lists. Errors: as fmhac_launcher_find().
FMHAC_MUST_USE fmhac_status fmhac_launcher_find_attention(
    const fmhac_kernel *kernel, bool takes_lists, const fmhac_problem *problem,
    fmhac_launcher *out);

/// The first entry of another role that takes a problem. Errors: UNSUPPORTED
/// (none does), INVALID_INPUT (a condition that has no value for it, no entry
/// of the role), INTERNAL (an expression that is malformed).
FMHAC_MUST_USE fmhac_status fmhac_launcher_find(const fmhac_kernel *kernel,
                                                fmhac_role role,
                                                const fmhac_problem *problem,
                                                fmhac_launcher *out);

/// Workgroups in x, y and z, if a device takes as many. Errors: UNSUPPORTED,
/// with the bound.
FMHAC_MUST_USE fmhac_status fmhac_launcher_grid(fmhac_context *context,
                                                const fmhac_launcher *launcher,
                                                const fmhac_problem *problem,
                                                uint32_t out_grid[3]);

#endif // FMHAC_LIB_PLAN_GRID_H
