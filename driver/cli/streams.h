// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Standard input, output and error. All output of the command goes through the
/// functions below, so that names from a file, a code object or a user cannot
/// control the terminal.
#ifndef FMHAC_DRIVER_STREAMS_H
#define FMHAC_DRIVER_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/// Occupies the descriptors 0, 1 and 2 where they are closed, so that no file
/// that is opened later becomes standard output. Reading and writing them still
/// fails. False if that is not possible.
bool streams_open(void);

/// Flushes standard output. Returns `exit_code`; if that is 0 and a write
/// failed, EXIT_USAGE. If a write failed, one line on standard error gives the
/// reason.
int streams_close(int exit_code);

/// As printf() and fprintf() for readers: control characters and bytes that are
/// no UTF-8 appear as \xNN where they come from an argument; those of the
/// format are written as they are. To be used for streams that may be a
/// terminal; failures show in streams_close().
void printx(const char *format, ...) __attribute__((format(printf, 1, 2)));
void fprintx(FILE *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// A text of several lines, with the same rule but for line ends and tabs.
void print_text(FILE *out, const char *text);

/// Closes a stream of open_memstream(). Returns `*text`, its contents; if a
/// write failed, frees it and returns NULL.
char *stream_text(FILE *out, char **text);

/// Whether a stream is a terminal that is to have colours: NO_COLOR of the
/// environment, with any value, says that none is.
bool streams_take_colour(FILE *out);

/// How many bytes the character at `text` has in UTF-8; 0 if there is none.
size_t utf8_bytes(const unsigned char *text);

#endif // FMHAC_DRIVER_STREAMS_H
