// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How every sub-command ends: exit codes, errors on stderr, and with --json
/// one object on stdout whatever happens.
#ifndef FMHAC_DRIVER_REPORT_H
#define FMHAC_DRIVER_REPORT_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "fmhac_status.h"

/// Exit codes of the command.
enum {
  EXIT_DONE = 0,
  EXIT_CHECK = 1,       ///< numbers wrong, or a checker's finding
  EXIT_USAGE = 2,       ///< bad usage or bad input
  EXIT_UNSUPPORTED = 3, ///< means something that this build cannot do
  EXIT_DEVICE = 4,      ///< the device or emulator could not go on
  EXIT_INTERNAL = 5
};

/// "; did you mean 'NAME'?" for three %s; nothing without a `near` name.
#define MEANT(near)                                                            \
  (near) ? "; did you mean '" : "", (near) ? (near) : "", (near) ? "'?" : ""

/// The command that reports, and the form of its messages.
typedef struct report {
  const char *command; ///< "run"; "" before it is known
  bool json;
  bool quiet;   ///< errors and findings only
  bool verbose; ///< remarks, too
} report;

/// In the order of their weight.
typedef enum message_kind {
  MESSAGE_ERROR,
  MESSAGE_FINDING, ///< of a checker: a result, shown as errors are
  MESSAGE_WARNING,
  MESSAGE_NOTE,
  MESSAGE_REMARK ///< a choice of the compiler
} message_kind;

/// Whether messages of this kind are shown, as --quiet and --verbose say.
bool report_shows(const report *r, message_kind kind);

/// "fmhac run: warning: TEXT" on stderr, if it is shown. For an error in a file
/// also the line with the error.
void report_message(const report *r, message_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// The exit code that a status means.
int exit_code_of(fmhac_status status);

/// "fmhac run: error: TEXT" on stderr; with --json also
/// {"error": TEXT, "exit_code": N} on stdout. Returns `exit_code`.
int report_error(const report *r, int exit_code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// The two members that an object of --json has when something failed.
void report_add_error(cJSON *object, int exit_code, const char *text);

/// Prints the one JSON object and deletes it. Returns `exit_code`, or
/// EXIT_DEVICE without memory for the text. streams_close() reports failed
/// writes at the end.
int report_json(cJSON *object, int exit_code);

/// A number of JSON, or null where `value` is no number or infinite.
void json_add_number(cJSON *object, const char *key, double value);
/// A number of JSON, or null where it is not known.
void json_add_known(cJSON *object, const char *key, bool known, double value);
/// A text of JSON, or null where there is none.
void json_add_text(cJSON *object, const char *key, const char *text);

/// The member `key` of an object, or NULL; also of NULL.
const cJSON *json_get(const cJSON *object, const char *key);
/// Its number, or 0 if it has none.
double number_in(const cJSON *object, const char *key);
/// Its text, or "" if it has none.
const char *text_in(const cJSON *object, const char *key);

#endif // FMHAC_DRIVER_REPORT_H
