// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How the sequences of one batch are divided among kernels of attention. Where
/// a configuration has lengths of rows, and names kernels "if Sq <= N", or "if
/// Sq * Hq <= N * Hk", before the one that a plan's maxima choose, each
/// sequence goes to the kernel that a plan of its own rows would choose among
/// these. It depends on the rows of the sequence alone, and is found out on the
/// device. Each kernel has lists of its own.
#ifndef FMHAC_LIB_DIVISION_H
#define FMHAC_LIB_DIVISION_H

#include "entry.h"
#include "work_list.h"
#include "work_rows.h"

/// A kernel, and the sequences that are its own.
typedef struct fmhac_divided {
  size_t entry;
  fmhac_work_rows rows;
} fmhac_divided;

typedef struct fmhac_division {
  fmhac_divided kernels[FMHAC_WORK_MOST_KERNELS]; ///< by their rows
  size_t count; ///< 1: nothing is divided; the last one is the chosen one
} fmhac_division;

/// Whether an entry, of attention, takes its work from lists.
bool fmhac_entry_takes_lists(const fmhac_entry *entry);

/// Whether a kernel of attention finds its work itself.
bool fmhac_entry_finds_runs(const fmhac_entry *entry);

/// Most rows of a sequence that is the kernel's, `group` heads of Q being those
/// whose rows a tile of it has; 0: any number.
uint32_t fmhac_divided_most_rows(const fmhac_divided *kernel, uint32_t group);

/// The kernels among which a plan divides batches if its maxima choose entry
/// `chosen`, which takes lists. The compiler asks for the planner's rules, and
/// plans for their launches.
void fmhac_divide(const fmhac_config_values *values, const fmhac_entry *entries,
                  size_t count, size_t chosen, fmhac_division *out);

#endif // FMHAC_LIB_DIVISION_H
