// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// `fmhac list --explain-mask`: the tile map of a mask.
#ifndef FMHAC_DRIVER_EXPLAIN_MASK_H
#define FMHAC_DRIVER_EXPLAIN_MASK_H

#include <stdint.h>

#include "args.h"
#include "report.h"

typedef struct explain_mask_flags {
  const char *mask;            ///< NULL: nothing is to be explained
  int64_t seqlen_q, seqlen_kv; ///< -1: the table's default
  const char *tile;            ///< "M,N", or NULL: the schedule's
  const char *svg;             ///< file, or NULL
} explain_mask_flags;

/// Prints the map, or its JSON; returns the exit code. The configuration of the
/// command line, with the mask, says which schedule's tile is the default.
int explain_mask(const report *r, const args *a,
                 const explain_mask_flags *flags);

#endif // FMHAC_DRIVER_EXPLAIN_MASK_H
