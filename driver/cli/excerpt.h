// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The line of a file that an error speaks of, with a caret below its column.
#ifndef FMHAC_DRIVER_EXCERPT_H
#define FMHAC_DRIVER_EXCERPT_H

#include <stdbool.h>
#include <stdio.h>

/// Where `text` begins with "FILE:LINE:COLUMN:" or "FILE:LINE:", or says of
/// JSON "FILE: ... at LINE:COLUMN:", and FILE is a regular file: prints that
/// line, and the caret in colour if `colour`. Else nothing.
void excerpt_print(FILE *out, const char *text, bool colour);

#endif // FMHAC_DRIVER_EXCERPT_H
