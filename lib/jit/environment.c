// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The environment variables of a context. Only this file of the library reads
// the environment.
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "fmhac_options.h"
#include "require.h"

enum {
#define FMHAC_VARIABLE(name, metavar, fallback, help) VARIABLE_##name,
#include "environment.def"
  VARIABLES
};

static const fmhac_environment_variable variables[VARIABLES] = {
#define FMHAC_VARIABLE(name, metavar, fallback, help)                          \
  {"FMHAC_" #name, metavar, fallback, help},
#include "environment.def"
};

const fmhac_environment_variable *fmhac_environment_get(size_t index) {
  return index < VARIABLES ? &variables[index] : NULL;
}

/// The values that the environment adds to the options of a context.
typedef struct settings {
  fmhac_context_options options;
  char *directory;   ///< owned
  char *list;        ///< owned; the directories of CACHE_PATH, cut up
  const char **path; ///< owned; into `list`
  char *text;        ///< of the caller: why not
  size_t text_bytes;
} settings;

static fmhac_status refuse(const settings *s, fmhac_status status,
                           const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static fmhac_status refuse(const settings *s, fmhac_status status,
                           const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (s->text_bytes)
    vsnprintf(s->text, s->text_bytes, format, arguments);
  va_end(arguments);
  return status;
}

static fmhac_status no_memory(const settings *s) {
  return refuse(s, FMHAC_OUT_OF_MEMORY,
                "reading the environment: out of memory");
}

/// The value of a variable, NULL if it is not set or empty.
static const char *value_of(int variable) {
  const char *value = secure_getenv(variables[variable].name);
  return value && value[0] ? value : NULL;
}

/// A variable with two values; true for the first, which is the default.
static fmhac_status read_choice(const settings *s, int variable,
                                const char *first, const char *second,
                                bool *out_first) {
  const char *value = value_of(variable);
  *out_first = !value || strcmp(value, first) == 0;
  if (*out_first || strcmp(value, second) == 0)
    return FMHAC_OK;
  return refuse(s, FMHAC_INVALID_INPUT, "%s: expected %s or %s, found '%.60s'",
                variables[variable].name, first, second, value);
}

static fmhac_status read_limit(settings *s) {
  static const char units[] = "KMG";
  const char *value = value_of(VARIABLE_CACHE_LIMIT);
  if (!value || s->options.cache_limit_bytes)
    return FMHAC_OK;
  char *end = NULL;
  errno = 0;
  uint64_t number = strtoull(value, &end, 10), bytes = number;
  const char *unit = *end ? strchr(units, *end) : NULL;
  bool ok = value[0] >= '0' && value[0] <= '9' && !errno &&
            (!*end || (unit && !end[1]));
  if (ok && unit)
    ok = !__builtin_mul_overflow(number, UINT64_C(1) << 10 * (unit - units + 1),
                                 &bytes);
  if (!ok || !bytes)
    return refuse(s, FMHAC_INVALID_INPUT,
                  "FMHAC_CACHE_LIMIT: expected a number of bytes from 1 to "
                  "2^64 - 1, such as 500M or 2G, found '%.60s'",
                  value);
  s->options.cache_limit_bytes = bytes;
  return FMHAC_OK;
}

static fmhac_status read_timeout(settings *s) {
  const char *value = value_of(VARIABLE_COMPILE_TIMEOUT);
  if (!value || s->options.compile_timeout_seconds)
    return FMHAC_OK;
  char *end = NULL;
  errno = 0;
  unsigned long long seconds = strtoull(value, &end, 10);
  if (value[0] < '0' || value[0] > '9' || *end || errno || !seconds ||
      seconds > UINT32_MAX)
    return refuse(s, FMHAC_INVALID_INPUT,
                  "FMHAC_COMPILE_TIMEOUT: expected seconds from 1 to 2^32 - 1, "
                  "found '%.60s'",
                  value);
  s->options.compile_timeout_seconds = (uint32_t)seconds;
  return FMHAC_OK;
}

static char *join(const char *folder, const char *name) {
  size_t bytes = strlen(folder) + strlen(name) + 2;
  char *path = malloc(bytes);
  if (path)
    snprintf(path, bytes, "%s/%s", folder, name);
  return path;
}

/// The variable, else the place that the XDG Base Directory Specification
/// names: a relative XDG_CACHE_HOME is to be ignored.
static fmhac_status read_directory(settings *s) {
  const char *value = value_of(VARIABLE_CACHE_DIR);
  if (s->options.cache_directory)
    return FMHAC_OK;
  if (value && value[0] != '/')
    return refuse(s, FMHAC_INVALID_INPUT,
                  "FMHAC_CACHE_DIR: expected an absolute path, found '%.200s'",
                  value);
  const char *xdg = secure_getenv("XDG_CACHE_HOME"),
             *home = secure_getenv("HOME");
  if (value)
    s->directory = strdup(value);
  else if (xdg && xdg[0] == '/')
    s->directory = join(xdg, "fmhac");
  else if (home && home[0] == '/')
    s->directory = join(home, ".cache/fmhac");
  else
    return FMHAC_OK; // no place for it
  s->options.cache_directory = s->directory;
  return s->directory ? FMHAC_OK : no_memory(s);
}

static fmhac_status read_path(settings *s) {
  const char *value = value_of(VARIABLE_CACHE_PATH);
  if (!value || s->options.read_only_cache_directory_count)
    return FMHAC_OK;
  size_t count = 1;
  for (const char *c = value; *c; ++c)
    count += *c == ':';
  s->list = strdup(value);
  s->path = calloc(count, sizeof *s->path);
  if (!s->list || !s->path)
    return no_memory(s);
  size_t i = 0;
  for (char *at = s->list, *next; at; at = next) {
    next = strchr(at, ':');
    if (next)
      *next++ = '\0';
    if (at[0] != '/')
      return refuse(s, FMHAC_INVALID_INPUT,
                    "FMHAC_CACHE_PATH: expected absolute paths with ':' "
                    "between them, found '%.200s' in '%.200s'",
                    at, value);
    s->path[i++] = at;
  }
  s->options.read_only_cache_directories = s->path;
  s->options.read_only_cache_directory_count = i;
  return FMHAC_OK;
}

fmhac_status
fmhac_context_create_from_environment(const fmhac_context_options *options,
                                      char *text, size_t text_bytes,
                                      fmhac_context **out_context) {
  settings s = {.text = text, .text_bytes = text ? text_bytes : 0};
  FMHAC_CLEAR(out_context);
  if (s.text_bytes)
    text[0] = '\0';
  if (!out_context)
    return refuse(&s, FMHAC_INVALID_INPUT,
                  "creating a context: expected out_context, found a null "
                  "pointer");
  char why[256];
  fmhac_status status = FMHAC_OK;
  if (options)
    status =
        fmhac_struct_in(&s.options, sizeof s.options,
                        FMHAC_SIZE_THROUGH(fmhac_context_options, log_user),
                        options, "fmhac_context_options", why, sizeof why);
  if (status != FMHAC_OK)
    return refuse(&s, status, "creating a context: %s", why);
  s.options.size = sizeof s.options;
  if (!s.options.dispatch_table)
    s.options.dispatch_table = value_of(VARIABLE_DISPATCH);
  bool on = false, process = true;
  status =
      read_choice(&s, VARIABLE_COMPILER, "process", "in-process", &process);
  if (!process)
    s.options.compile_in_process = true;
  if (status == FMHAC_OK)
    status = read_timeout(&s);
  if (status == FMHAC_OK)
    status = read_choice(&s, VARIABLE_CACHE, "on", "off", &on);
  on = on && !s.options.no_cache_directories;
  if (status == FMHAC_OK && on)
    status = read_limit(&s);
  if (status == FMHAC_OK && on)
    status = read_directory(&s);
  if (status == FMHAC_OK && on)
    status = read_path(&s);
  if (status == FMHAC_OK) {
    status = fmhac_context_create(&s.options, out_context);
    if (status != FMHAC_OK)
      refuse(&s, status, "creating a context: %s",
             status == FMHAC_INVALID_INPUT
                 ? "expected read_only_cache_directories, found a null pointer"
                 : fmhac_status_name(status));
  }
  free(s.directory);
  free(s.list);
  free(s.path);
  return status;
}
