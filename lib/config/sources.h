// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The texts of the user's files that a configuration names. They are read
/// once, so that the kernel is compiled from the same texts by which it is
/// looked up.
#ifndef FMHAC_LIB_SOURCES_H
#define FMHAC_LIB_SOURCES_H

#include "config.h"
#include "launch_expr.h"
#include "str.h"

/// A text is NULL where the configuration names no file.
typedef struct fmhac_sources {
  fmhac_str schedules[FMHAC_MOST_ENTRIES]; ///< by the list of the key schedule
  fmhac_str score_mod;
} fmhac_sources;

/// Errors: IO_ERROR, OUT_OF_MEMORY. fmhac_sources_deinit() is due in any case.
FMHAC_MUST_USE fmhac_status fmhac_sources_read(fmhac_context *context,
                                               const fmhac_config *config,
                                               fmhac_sources *out);
/// Reads a file; `what` names its kind in messages. Errors: as above.
FMHAC_MUST_USE fmhac_status fmhac_source_read(fmhac_context *context,
                                              const char *what,
                                              const char *path, fmhac_str *out);
void fmhac_sources_deinit(fmhac_sources *sources);

#endif // FMHAC_LIB_SOURCES_H
