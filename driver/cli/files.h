// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Whole files in and out. A written file appears completely or not at all.
/// `error` receives one line on failure: the attempt and the reason of its
/// failure.
#ifndef FMHAC_DRIVER_FILES_H
#define FMHAC_DRIVER_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { ERROR_BYTES = 512 };

/// Writes the reason of a failure, as printf() does; false, always.
#define ERROR_SET(error, ...)                                                  \
  (snprintf((error), ERROR_BYTES, __VA_ARGS__), false)

/// Reads a file; "-" is standard input. `out_bytes` is malloc'ed with a
/// terminating zero after it.
bool file_read(const char *path, void **out_bytes, size_t *out_size,
               char error[ERROR_BYTES]);

/// Writes a temporary file beside `path` and renames it over it; a symbolic
/// link stays, and its target is written. A device or a pipe is written in
/// place. "-" is standard output: whether that could be written is found at the
/// end, by streams_close().
bool file_write(const char *path, const void *bytes, size_t size,
                char error[ERROR_BYTES]);

/// Whether file_write() may succeed at `path`. The check writes nothing; it is
/// for use before long work whose result goes there.
bool file_can_write(const char *path, char error[ERROR_BYTES]);

/// Whether `path` is a regular file, or none yet.
bool file_is_regular(const char *path);

/// Makes a directory and its parents; an existing one is fine.
bool directory_create(const char *path, char error[ERROR_BYTES]);

/// "DIRECTORY/NAME", malloc'ed; NULL when memory is exhausted.
char *path_join(const char *directory, const char *name);

#endif // FMHAC_DRIVER_FILES_H
