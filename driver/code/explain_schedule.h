// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// `fmhac list --explain-schedule`: the work of the stages of a schedule.
#ifndef FMHAC_DRIVER_EXPLAIN_SCHEDULE_H
#define FMHAC_DRIVER_EXPLAIN_SCHEDULE_H

#include "args.h"
#include "report.h"

/// Prints the stages, or their JSON, of a schedule, a name or a file, for the
/// configuration of the command line; returns the exit code.
int explain_schedule(const report *r, args *a, const char *schedule);

#endif // FMHAC_DRIVER_EXPLAIN_SCHEDULE_H
