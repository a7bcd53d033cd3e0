// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The command line: flags of a sub-command, and the options of the library's
/// table (fmhac_option_get) as JSON. Flags and help come from these two lists
/// and from nowhere else.
#ifndef FMHAC_DRIVER_ARGS_H
#define FMHAC_DRIVER_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "fmhac.h"
#include "report.h"

typedef enum flag_kind {
  FLAG_SWITCH,  ///< target: bool
  FLAG_TEXT,    ///< target: const char *, borrowed from argv
  FLAG_INTEGER, ///< target: int64_t, at least 0
  FLAG_REAL,    ///< target: double, at least 0
  FLAG_TEXTS,   ///< target: text_list; each time that the flag is given
} flag_kind;

enum { MAX_TEXTS = 8 };

typedef struct text_list {
  const char *items[MAX_TEXTS]; ///< borrowed from argv
  size_t count;
} text_list;

/// One flag of a sub-command. A name of one letter is "-o", else "--emit".
typedef struct flag {
  const char *name, *metavar, *help;
  flag_kind kind;
  void *target;
} flag;

typedef struct command {
  const char *name;
  const char *synopsis; ///< after the name: "CONFIG [-o FILE] [--emit=RUNG]"
  const char *summary;  ///< one line
  const char *details;  ///< further lines of the help; may be NULL
  const flag *flags;
  size_t flag_count;
  bool takes_config, takes_problem; ///< options of the library's table
  size_t least_positionals, most_positionals;
} command;

/// The members of a command that take a table of flags.
#define COMMAND_FLAGS(table)                                                   \
  .flags = (table), .flag_count = sizeof(table) / sizeof *(table)

enum { MAX_POSITIONALS = 4 };

/// The contents of a command line. Zero-initialised; args_deinit() frees it.
typedef struct args {
  const char *config_file; ///< of --config, or NULL
  cJSON *options;          ///< keys given as flags; owned
  const char *positionals[MAX_POSITIONALS];
  size_t positional_count;
} args;

/// The result of args_parse() when the sub-command should go on.
enum { ARGS_CONTINUE = -1 };

/// Parses argv[1..] (argv[0] is the sub-command). Sets `r->json` from --json.
/// Returns ARGS_CONTINUE, or the exit code, after printing help or an error of
/// usage.
int args_parse(const command *cmd, int argc, char **argv, report *r,
               args *out_args);
void args_deinit(args *a);

/// Sets a switch, as the command line would.
void args_set_switch(args *a, const char *key);

/// Sets an option of the library's table to this value, as the command line
/// would. `name` is the name of its flag or its key. False if no option has it.
bool args_set_option(args *a, const char *name, const char *value);

/// The options of --config with the flags over them; the caller deletes the
/// object. Returns ARGS_CONTINUE or the exit code of the reported error.
int args_merge_options(const args *a, const report *r, cJSON **out_options);
/// The library's configuration of merged options, likewise.
int args_create_config(const cJSON *options, const report *r,
                       fmhac_context *context, fmhac_config **out_config);
/// Both: object (for the keys of the problem) and library object.
int args_load_config(const args *a, const report *r, fmhac_context *context,
                     cJSON **out_options, fmhac_config **out_config);

/// The integer option `key` of merged options: given, or the table's default.
int64_t option_integer(const cJSON *options, const char *key);
/// The option `key` that is a number, likewise.
double option_real(const cJSON *options, const char *key);
/// The text option `key`, likewise.
const char *option_text(const cJSON *options, const char *key);

#endif // FMHAC_DRIVER_ARGS_H
