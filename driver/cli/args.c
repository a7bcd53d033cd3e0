// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "args.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "fmhac_options.h"
#include "streams.h"

enum {
  NAME_BYTES = 64,
  MAX_NAMES = 128,
  HELP_COLUMN = 30,
  HELP_WIDTH = 80,
  HELP_BYTES = 1024,
};

//===- Flags of the option table ------------------------------------------===//

/// "head_dim_qk" -> "head-dim-qk".
static void flag_of_key(const char *key, char name[NAME_BYTES]) {
  snprintf(name, NAME_BYTES, "%s", key);
  for (char *p = name; *p; ++p)
    if (*p == '_')
      *p = '-';
}

static const fmhac_option_info *find_option(const char *name) {
  const fmhac_option_info *info;
  for (size_t i = 0; (info = fmhac_option_get(i)); ++i) {
    char flag_name[NAME_BYTES];
    flag_of_key(info->key, flag_name);
    if (strcmp(name, flag_name) == 0)
      return info;
  }
  return NULL;
}

static const fmhac_option_info *find_key(const char *key) {
  const fmhac_option_info *info;
  for (size_t i = 0; (info = fmhac_option_get(i)); ++i)
    if (strcmp(key, info->key) == 0)
      return info;
  return NULL;
}

static void set_item(cJSON *object, const char *key, cJSON *item) {
  cJSON_DeleteItemFromObjectCaseSensitive(object, key);
  cJSON_AddItemToObject(object, key, item);
}

/// A value as JSON. A word that does not parse as the option's type becomes a
/// string, and the library's error names the expected type.
static cJSON *item_of_value(const fmhac_option_info *info, const char *value) {
  if (info->is_switch) {
    if (!value || strcmp(value, "true") == 0)
      return cJSON_CreateTrue();
    if (strcmp(value, "false") == 0)
      return cJSON_CreateFalse();
    return cJSON_CreateString(value);
  }
  if (info->is_integer || info->is_real) {
    char *end;
    double number = strtod(value, &end);
    if (end != value && !*end && isfinite(number) &&
        !isspace((unsigned char)*value))
      return cJSON_CreateNumber(number);
  }
  return cJSON_CreateString(value);
}

//===- Help ---------------------------------------------------------------===//

/// A flag that every sub-command takes.
typedef struct common_flag {
  const char *name, *letter, *help;
} common_flag;

static const common_flag common_flags[] = {
    {"json", "", "print one JSON object on standard output"},
    {"quiet", "q", "print errors and findings only, no warnings and notes"},
    {"verbose", "v",
     "print details and remarks: the compiler's choices, with reasons"},
    {"help", "h", "print this text"},
};
enum { COMMON_FLAGS = sizeof common_flags / sizeof *common_flags };

/// Whether "-LETTER" is a flag that every sub-command takes. One of a
/// sub-command with that name is "--LETTER" only.
static bool is_common_letter(const char *letter) {
  for (size_t i = 0; i < COMMON_FLAGS; ++i)
    if (letter[0] && strcmp(letter, common_flags[i].letter) == 0)
      return true;
  return false;
}

/// The text between the first '-' of a flag and its name.
static const char *dashes_of(const char *name) {
  return name[0] && (name[1] || is_common_letter(name)) ? "-" : "";
}

static bool is_common(const char *name) {
  for (size_t i = 0; i < COMMON_FLAGS; ++i)
    if (strcmp(name, common_flags[i].name) == 0)
      return true;
  return false;
}

/// Bytes of the first word of @p text. What stands in brackets is one word if
/// it is at most @p most bytes.
static int word_bytes(const char *text, int most) {
  int depth = 0, i = 0;
  for (; text[i] && (text[i] != ' ' || depth > 0); ++i)
    depth += (text[i] == '[') - (text[i] == ']');
  return i <= most ? i : (int)strcspn(text, " ");
}

/// Prints words from @p column on, and goes on in the next line, at @p indent,
/// before one would pass the width of a terminal.
static void print_wrapped(const char *text, int column, int indent) {
  for (bool first = true; *text; first = false) {
    const int bytes = word_bytes(text, HELP_WIDTH - indent);
    if (!first && column + 1 + bytes > HELP_WIDTH) {
      printx("\n%*s", indent, "");
      column = indent;
    } else if (!first) {
      printx(" ");
      ++column;
    }
    printx("%.*s", bytes, text);
    column += bytes;
    text += bytes;
    text += strspn(text, " ");
  }
  printx("\n");
}

static void print_row(const char *name, const char *letter, const char *metavar,
                      const char *help, const char *fallback) {
  char left[160], brief[8] = "";
  if (letter[0])
    snprintf(brief, sizeof brief, "-%s, ", letter);
  snprintf(left, sizeof left, "  %s--%s%s%s", brief, name,
           metavar[0] ? "=" : "", metavar);
  printx("%-*s", HELP_COLUMN, left);
  if (strlen(left) >= HELP_COLUMN)
    printx("\n%*s", HELP_COLUMN, "");
  char text[HELP_BYTES];
  snprintf(text, sizeof text, fallback[0] ? "%s (default %s)" : "%s", help,
           fallback);
  print_wrapped(text, HELP_COLUMN, HELP_COLUMN);
}

/// Whether a command takes an option. A reserved one is answered by whatever
/// takes a configuration.
static bool takes(const command *cmd, const fmhac_option_info *info) {
  return info->is_problem && info->works ? cmd->takes_problem
                                         : cmd->takes_config;
}

/// The rows that work, of the configuration or of the problem; or the reserved
/// ones of both.
static void print_options(const char *title, bool problem, bool works) {
  const fmhac_option_info *info;
  bool first = true;
  for (size_t i = 0; (info = fmhac_option_get(i)); ++i) {
    if (info->works != works || (works && info->is_problem != problem))
      continue;
    if (first)
      printx("\n%s\n", title);
    first = false;
    char name[NAME_BYTES];
    flag_of_key(info->key, name);
    print_row(name, "", info->metavar, info->help, info->fallback);
  }
}

static void print_help(const command *cmd) {
  char usage[HELP_BYTES];
  snprintf(usage, sizeof usage, "usage: fmhac %s %s", cmd->name, cmd->synopsis);
  print_wrapped(usage, 0, (int)strlen("usage: "));
  printx("\n");
  print_text(stdout, cmd->summary);
  if (cmd->details) {
    printx("\n\n");
    print_text(stdout, cmd->details);
  }
  printx("\n\noptions:\n");
  for (size_t i = 0; i < cmd->flag_count; ++i) {
    const flag *f = &cmd->flags[i];
    const bool either = !f->name[1] && !is_common_letter(f->name);
    print_row(f->name, either ? f->name : "", f->metavar, f->help, "");
  }
  for (size_t i = 0; i < COMMON_FLAGS; ++i)
    print_row(common_flags[i].name, common_flags[i].letter, "",
              common_flags[i].help, "");
  if (cmd->takes_config) {
    print_options("CONFIG:", false, true);
    print_row("config", "", "FILE.json",
              "the same as one JSON object, keys with '_' for '-'; flags win",
              "");
  }
  if (cmd->takes_problem)
    print_options("PROBLEM:", true, true);
  if (cmd->takes_config)
    print_options("reserved, exit 3 until they work:", false, false);
}

/// Flags as lines of name, value and help with tabs between them, after one of
/// the positional arguments: completion in shells is made of it.
static void list_flags(const command *cmd) {
  printx("\t%s\t", cmd->most_positionals ? cmd->synopsis : "");
  print_text(stdout, cmd->summary);
  printx("\n");
  for (size_t i = 0; i < cmd->flag_count; ++i)
    printx("-%s%s\t%s\t%s\n", dashes_of(cmd->flags[i].name), cmd->flags[i].name,
           cmd->flags[i].metavar, cmd->flags[i].help);
  for (size_t i = 0; i < COMMON_FLAGS; ++i)
    printx("--%s\t\t%s\n", common_flags[i].name, common_flags[i].help);
  if (cmd->takes_config)
    printx("--config\tFILE.json\tthe configuration as one JSON object\n");
  const fmhac_option_info *info;
  for (size_t i = 0; (info = fmhac_option_get(i)); ++i) {
    char name[NAME_BYTES];
    flag_of_key(info->key, name);
    if (info->works && takes(cmd, info))
      printx("--%s\t%s\t%s\n", name, info->metavar, info->help);
  }
}

//===- Parsing ------------------------------------------------------------===//

static const flag *find_flag(const command *cmd, const char *name) {
  for (size_t i = 0; i < cmd->flag_count; ++i)
    if (strcmp(cmd->flags[i].name, name) == 0)
      return &cmd->flags[i];
  return NULL;
}

static int unknown_flag(const command *cmd, const report *r, const char *name) {
  char option_names[MAX_NAMES][NAME_BYTES];
  const char *names[2 * MAX_NAMES];
  size_t count = 0, options = 0;
  for (size_t i = 0; i < COMMON_FLAGS; ++i)
    names[count++] = common_flags[i].name;
  if (cmd->takes_config)
    names[count++] = "config";
  for (size_t i = 0; i < cmd->flag_count && count < MAX_NAMES; ++i)
    names[count++] = cmd->flags[i].name;
  const fmhac_option_info *info;
  for (size_t i = 0; (info = fmhac_option_get(i)) && options < MAX_NAMES; ++i)
    if (takes(cmd, info)) {
      flag_of_key(info->key, option_names[options]);
      names[count++] = option_names[options++];
    }
  const char *near = fmhac_nearest_spelling(name, names, count);
  return report_error(r, EXIT_USAGE,
                      "unknown flag -%s%.60s%s%s%s%s; `fmhac %s --help` lists "
                      "them",
                      dashes_of(name), name, near ? "; did you mean -" : "",
                      near ? dashes_of(near) : "", near ? near : "",
                      near ? "?" : "", cmd->name);
}

static int set_flag(const flag *f, const report *r, const char *value) {
  switch (f->kind) {
  case FLAG_SWITCH:
    *(bool *)f->target = true;
    return ARGS_CONTINUE;
  case FLAG_TEXT:
    *(const char **)f->target = value;
    return ARGS_CONTINUE;
  case FLAG_INTEGER: {
    char *end;
    errno = 0;
    long long number = strtoll(value, &end, 10);
    if (end == value || *end || errno || number < 0)
      return report_error(r, EXIT_USAGE,
                          "--%s: expected a whole number of at least 0, found "
                          "'%.60s'",
                          f->name, value);
    *(int64_t *)f->target = number;
    return ARGS_CONTINUE;
  }
  case FLAG_REAL: {
    char *end;
    double number = strtod(value, &end);
    if (end == value || *end || !isfinite(number) || number < 0)
      return report_error(r, EXIT_USAGE,
                          "--%s: expected a number of at least 0, found "
                          "'%.60s'",
                          f->name, value);
    *(double *)f->target = number;
    return ARGS_CONTINUE;
  }
  case FLAG_TEXTS: {
    text_list *list = f->target;
    if (list->count == MAX_TEXTS)
      return report_error(r, EXIT_USAGE, "--%s: given more than %d times",
                          f->name, MAX_TEXTS);
    list->items[list->count++] = value;
    return ARGS_CONTINUE;
  }
  }
  return EXIT_INTERNAL;
}

/// One flag, split into name and value; `next` is the argument after it, or
/// NULL. Sets `*used_next` if it was the value.
static int parse_flag(const command *cmd, const report *r, const char *name,
                      const char *value, const char *next, bool *used_next,
                      args *out_args) {
  const flag *own = find_flag(cmd, name);
  const fmhac_option_info *info = own ? NULL : find_option(name);
  if (info && !takes(cmd, info) && cmd->takes_config)
    return report_error(r, EXIT_USAGE,
                        "--%s belongs to the problem, and `fmhac %s` takes "
                        "none: a code object serves every length",
                        name, cmd->name);
  if (info && !takes(cmd, info))
    info = NULL;
  bool is_config = cmd->takes_config && strcmp(name, "config") == 0;
  bool is_switch = own ? own->kind == FLAG_SWITCH : info && info->is_switch;
  if (value && ((own && is_switch) || is_common(name)))
    return report_error(r, EXIT_USAGE, "--%s takes no value, found '%.60s'",
                        name, value);
  if (!own && !info && !is_config)
    return unknown_flag(cmd, r, name);
  if (!is_switch && !value) {
    if (!next || (next[0] == '-' && next[1] == '-'))
      return report_error(r, EXIT_USAGE, "-%s%s: expected a value (%s)",
                          dashes_of(name), name,
                          own    ? own->metavar
                          : info ? info->metavar
                                 : "FILE.json");
    value = next;
    *used_next = true;
  }
  if (!is_switch && !*value && (own || is_config))
    return report_error(
        r, EXIT_USAGE, "-%s%s: expected a value (%s), found an empty one",
        dashes_of(name), name, own ? own->metavar : "FILE.json");
  if (own)
    return set_flag(own, r, value);
  if (is_config)
    out_args->config_file = value;
  else
    set_item(out_args->options, info->key, item_of_value(info, value));
  return ARGS_CONTINUE;
}

/// Takes a flag of every sub-command that is neither --help nor --json.
static bool take_common(const char *word, report *r) {
  const bool quiet = !strcmp(word, "-q") || !strcmp(word, "--quiet");
  const bool verbose = !strcmp(word, "-v") || !strcmp(word, "--verbose");
  if (quiet || verbose) {
    r->quiet = quiet;
    r->verbose = verbose;
  }
  return quiet || verbose;
}

/// An argument that no sub-command takes there. `letter`: that of the common
/// flag in front of it, or "".
static int unexpected_argument(const command *cmd, const report *r,
                               const char *word, const char *letter) {
  const flag *meant = is_common_letter(letter) ? find_flag(cmd, letter) : NULL;
  for (size_t i = 0; meant && i < COMMON_FLAGS; ++i)
    if (strcmp(common_flags[i].letter, letter) == 0)
      return report_error(r, EXIT_USAGE,
                          "unexpected argument '%.60s': -%s is --%s; give "
                          "--%s %s",
                          word, letter, common_flags[i].name, meant->name,
                          meant->metavar);
  return report_error(r, EXIT_USAGE,
                      "unexpected argument '%.60s'; usage: fmhac %s%s%s", word,
                      cmd->name, cmd->synopsis[0] ? " " : "", cmd->synopsis);
}

/// The letter of "-L"; "" of anything else.
static const char *letter_of(const char *word) {
  return word[0] == '-' && word[1] && !word[2] ? word + 1 : "";
}

static bool has_word(int argc, char **argv, const char *word) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; ++i)
    if (strcmp(argv[i], word) == 0)
      return true;
  return false;
}

int args_parse(const command *cmd, int argc, char **argv, report *r,
               args *out_args) {
  *out_args = (args){.options = cJSON_CreateObject()};
  // Known before the first error, so that errors come as JSON too.
  r->command = cmd->name;
  r->json = has_word(argc, argv, "--json");
  if (has_word(argc, argv, "--help") || has_word(argc, argv, "-h")) {
    print_help(cmd);
    return EXIT_DONE;
  }
  if (argc == 2 && strcmp(argv[1], "--list-flags") == 0) {
    list_flags(cmd);
    return EXIT_DONE;
  }
  bool only_positionals = false;
  for (int i = 1; i < argc; ++i) {
    const char *word = argv[i];
    if (!only_positionals && strcmp(word, "--") == 0) {
      only_positionals = true;
      continue;
    }
    if (only_positionals || word[0] != '-' || !word[1]) {
      if (out_args->positional_count >= cmd->most_positionals)
        return unexpected_argument(cmd, r, word, letter_of(argv[i - 1]));
      out_args->positionals[out_args->positional_count++] = word;
      continue;
    }
    if (strcmp(word, "--json") == 0 || take_common(word, r))
      continue;
    const char *name = word + (word[1] == '-' ? 2 : 1);
    char plain[NAME_BYTES];
    const char *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    snprintf(plain, sizeof plain, "%.*s",
             (int)(length < NAME_BYTES ? length : NAME_BYTES - 1), name);
    if (word[1] != '-' && is_common_letter(plain))
      return unexpected_argument(cmd, r, word, plain);
    bool used_next = false;
    int code =
        parse_flag(cmd, r, plain, equals ? equals + 1 : NULL,
                   i + 1 < argc ? argv[i + 1] : NULL, &used_next, out_args);
    if (code != ARGS_CONTINUE)
      return code;
    i += used_next;
  }
  if (out_args->positional_count < cmd->least_positionals)
    return report_error(r, EXIT_USAGE, "too few arguments; usage: fmhac %s%s%s",
                        cmd->name, cmd->synopsis[0] ? " " : "", cmd->synopsis);
  return ARGS_CONTINUE;
}

void args_deinit(args *a) {
  cJSON_Delete(a->options);
  *a = (args){0};
}

void args_set_switch(args *a, const char *key) {
  set_item(a->options, key, cJSON_CreateTrue());
}

bool args_set_option(args *a, const char *name, const char *value) {
  const fmhac_option_info *info = find_key(name);
  if (!info)
    info = find_option(name);
  if (!info)
    return false;
  set_item(a->options, info->key, item_of_value(info, value));
  return true;
}

//===- Configuration file and flags ---------------------------------------===//

/// Replaces a shorthand by its keys. If one of the keys has another value the
/// shorthand stays, and the library reports the contradiction.
static void expand_shorthands(cJSON *object) {
  const fmhac_option_info *info;
  for (size_t i = 0; (info = fmhac_option_get(i)); ++i) {
    const cJSON *item = json_get(object, info->key);
    if (!info->shorthand_for[0] || !cJSON_IsNumber(item))
      continue;
    char parts[2 * NAME_BYTES];
    snprintf(parts, sizeof parts, "%s", info->shorthand_for);
    bool agrees = true;
    char *rest;
    for (char *part = strtok_r(parts, " ", &rest); part;
         part = strtok_r(NULL, " ", &rest)) {
      const cJSON *given = json_get(object, part);
      if (!given)
        cJSON_AddNumberToObject(object, part, item->valuedouble);
      else if (given->valuedouble != item->valuedouble)
        agrees = false;
    }
    if (agrees)
      cJSON_DeleteItemFromObjectCaseSensitive(object, info->key);
  }
}

/// Whether the text of a file is a configuration, in the library's words. A
/// context of its own has no log and no table of schedules: which schedule is
/// taken is for the configuration with the flags over it, and said of that.
static int check_config(const char *path, const char *text, const report *r) {
  const fmhac_context_options options = {.size = sizeof options,
                                         .no_cache_directories = true};
  fmhac_context *context;
  fmhac_config *config = NULL;
  int code = ARGS_CONTINUE;
  fmhac_status status = fmhac_context_create(&options, &context);
  if (status != FMHAC_OK)
    return report_error(r, exit_code_of(status), "%s: %s", path,
                        fmhac_status_name(status));
  status = fmhac_config_create_json(context, text, &config);
  if (status != FMHAC_OK)
    code = report_error(r, exit_code_of(status), "%s: %s", path,
                        fmhac_last_error(context));
  fmhac_config_destroy(config);
  fmhac_context_destroy(context);
  return code;
}

static int read_config_file(const char *path, const report *r,
                            cJSON **out_object) {
  char error[ERROR_BYTES];
  void *text;
  size_t size;
  if (!file_read(path, &text, &size, error))
    return report_error(r, EXIT_USAGE, "%s", error);
  int code = strlen(text) == size
                 ? check_config(path, text, r)
                 : report_error(r, EXIT_USAGE,
                                "%s: expected JSON text, found a byte 0", path);
  if (code == ARGS_CONTINUE)
    *out_object = cJSON_Parse(text);
  free(text);
  return code;
}

int args_merge_options(const args *a, const report *r, cJSON **out_options) {
  *out_options = NULL;
  cJSON *merged = NULL;
  int code = ARGS_CONTINUE;
  if (a->config_file)
    code = read_config_file(a->config_file, r, &merged);
  else
    merged = cJSON_CreateObject();
  if (code != ARGS_CONTINUE)
    return code;
  expand_shorthands(merged);
  expand_shorthands(a->options);
  for (const cJSON *item = a->options->child; item; item = item->next)
    set_item(merged, item->string, cJSON_Duplicate(item, true));
  *out_options = merged;
  return ARGS_CONTINUE;
}

int args_create_config(const cJSON *options, const report *r,
                       fmhac_context *context, fmhac_config **out_config) {
  *out_config = NULL;
  char *text = cJSON_PrintUnformatted(options);
  if (!text)
    return report_error(r, EXIT_DEVICE, "no memory for the configuration");
  fmhac_status status = fmhac_config_create_json(context, text, out_config);
  cJSON_free(text);
  return status == FMHAC_OK ? ARGS_CONTINUE
                            : report_error(r, exit_code_of(status), "%s",
                                           fmhac_last_error(context));
}

int args_load_config(const args *a, const report *r, fmhac_context *context,
                     cJSON **out_options, fmhac_config **out_config) {
  *out_config = NULL;
  int code = args_merge_options(a, r, out_options);
  if (code == ARGS_CONTINUE)
    code = args_create_config(*out_options, r, context, out_config);
  if (code != ARGS_CONTINUE) {
    cJSON_Delete(*out_options);
    *out_options = NULL;
  }
  return code;
}

int64_t option_integer(const cJSON *options, const char *key) {
  return (int64_t)option_real(options, key);
}

double option_real(const cJSON *options, const char *key) {
  const cJSON *item = json_get(options, key);
  if (cJSON_IsNumber(item))
    return item->valuedouble;
  const fmhac_option_info *info = find_key(key);
  return info ? strtod(info->fallback, NULL) : 0;
}

const char *option_text(const cJSON *options, const char *key) {
  const cJSON *item = json_get(options, key);
  if (cJSON_IsString(item))
    return item->valuestring;
  const fmhac_option_info *info = find_key(key);
  return info ? info->fallback : "";
}
