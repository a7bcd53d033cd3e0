// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How the sequences of one batch are divided among kernels of attention. Where
/// a configuration has lengths of rows, and names kernels "if Sq <= N" before
/// the one that a plan's maxima choose, each sequence goes to the kernel that a
/// plan of its own rows would choose among these. It depends on the rows of the
/// sequence alone, and is found out on the device. Each kernel has lists of its
/// own.
#ifndef FMHAC_LIB_DIVISION_H
#define FMHAC_LIB_DIVISION_H

#include "entry.h"
#include "work_list.h"

/// A kernel that takes the sequences of more than `rows_above` rows, up to
/// `rows_most`; 0: of any number.
typedef struct fmhac_divided {
  size_t entry;
  uint32_t rows_above, rows_most;
} fmhac_divided;

typedef struct fmhac_division {
  fmhac_divided kernels[FMHAC_WORK_MOST_KERNELS]; ///< by their rows
  size_t count; ///< 1: nothing is divided; the last one is the chosen one
} fmhac_division;

/// Whether an entry, of attention, takes its work from lists.
bool fmhac_entry_takes_lists(const fmhac_entry *entry);

/// The kernels among which a plan divides batches if its maxima choose entry
/// `chosen`, which takes lists. The compiler asks for the planner's rules, and
/// plans for their launches.
void fmhac_divide(const fmhac_config_values *values, const fmhac_entry *entries,
                  size_t count, size_t chosen, fmhac_division *out);

#endif // FMHAC_LIB_DIVISION_H
