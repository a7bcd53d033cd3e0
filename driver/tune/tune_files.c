// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "files.h"
#include "fmhac_schedule.h"
#include "mask.h"

//===- Paths --------------------------------------------------------------===//

static const char *base_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/// The folder that a file is in, without links. Caller frees; NULL if there is
/// none, or no memory.
static char *folder_of(const char *path) {
  size_t length = (size_t)(base_of(path) - path);
  char *folder = length ? strndup(path, length) : strdup(".");
  char *whole = folder ? realpath(folder, NULL) : NULL;
  free(folder);
  return whole;
}

/// How a table names a schedule file, which need not be there yet: alone if it
/// lies beside the table, else by its whole path. Caller frees.
static char *file_in_table(const char *table, const char *file) {
  char *beside = folder_of(table), *folder = folder_of(file), *name = NULL;
  if (beside && folder) {
    // Without '/' or .mlir it would be the name of a built-in.
    bool same = strcmp(beside, folder) == 0;
    if (asprintf(&name, "%s/%s", same ? "." : folder, base_of(file)) < 0)
      name = NULL;
  }
  free(beside);
  free(folder);
  return name;
}

/// Whether two paths are of one file, which need not be there yet.
static bool same_file(const char *a, const char *b) {
  char *whole[2] = {realpath(a, NULL), realpath(b, NULL)};
  char *folders[2] = {folder_of(a), folder_of(b)};
  bool same = whole[0] && whole[1]
                  ? strcmp(whole[0], whole[1]) == 0
                  : !whole[0] && !whole[1] && folders[0] && folders[1] &&
                        strcmp(folders[0], folders[1]) == 0 &&
                        strcmp(base_of(a), base_of(b)) == 0;
  for (int i = 0; i < 2; ++i) {
    free(whole[i]);
    free(folders[i]);
  }
  return same;
}

enum { CLASSES = 3 };

/// The problems that the row is for, one flag each.
typedef struct problem_class {
  const char *flag, *range, *noun;
} problem_class;

static void classes_of(const tune_files *files, problem_class out[CLASSES]) {
  out[0] = (problem_class){"--for-keys", files->keys, "keys that a row sees"};
  out[1] = (problem_class){"--for-q-rows", files->q_rows, "rows of Q"};
  out[2] = (problem_class){"--for-workgroups", files->workgroups,
                           "heads of all batches"};
}

/// The most keys that a row of Q sees of a problem, as a table counts them: the
/// rule of keys_of_mask() of lib/choose/columns.c, to which tune_refusals.sh
/// holds it.
static int64_t keys_of(const cJSON *options) {
  const int64_t keys = option_integer(options, "seqlen_kv");
  attention_mask mask;
  int64_t most = keys;
  if (attention_mask_parse(option_text(options, "mask"), &mask)) {
    if (mask.kind == MASK_CHUNKED)
      most = mask.chunk;
    if (mask.kind == MASK_WINDOW && mask.left >= 0 && mask.right >= 0)
      most = mask.left + mask.right + 1;
  }
  return most < keys ? most : keys;
}

/// That the problem which is timed is one of those that the row is for. The
/// ranges are well-formed.
static int check_problem(const tune_files *files, const session *s) {
  problem_class classes[CLASSES];
  classes_of(files, classes);
  const int64_t sizes[CLASSES] = {keys_of(s->options),
                                  option_integer(s->options, "seqlen_q"),
                                  option_integer(s->options, "batch") *
                                      option_integer(s->options, "heads")};
  for (int i = 0; i < CLASSES; ++i) {
    const char *range = classes[i].range;
    if (!range || strcmp(range, "*") == 0)
      continue;
    const char *dash = strchr(range, '-');
    const long long low = strtoll(range, NULL, 10);
    const long long high = dash ? strtoll(dash + 1, NULL, 10) : low;
    if (sizes[i] < low || sizes[i] > high)
      return report_error(s->r, EXIT_USAGE,
                          "%s %s: expected a problem of the row to be timed, "
                          "found one of %lld %s; give other sizes or another "
                          "range",
                          classes[i].flag, range, (long long)sizes[i],
                          classes[i].noun);
  }
  return ARGS_CONTINUE;
}

int tune_files_check(const tune_files *files, const report *r) {
  static const char out[] = "-";
  const char *schedule = files->schedule, *table = files->table;
  const bool prints = schedule && strcmp(schedule, out) == 0;
  char error[ERROR_BYTES];
  problem_class classes[CLASSES];
  classes_of(files, classes);
  for (int i = 0; i < CLASSES && !table; ++i)
    if (classes[i].range)
      return report_error(r, EXIT_USAGE, "%s goes with --table only",
                          classes[i].flag);
  if (prints && r->json)
    return report_error(
        r, EXIT_USAGE,
        "-o - and --json both write to standard output: give -o FILE");
  if (table && strcmp(table, out) == 0)
    return report_error(r, EXIT_USAGE,
                        "--table: expected a file, which is read and written, "
                        "found '-'");
  if (prints && table)
    return report_error(r, EXIT_USAGE,
                        "-o - with --table: the row of the table names the "
                        "file of the schedule; give -o FILE.mlir");
  if (schedule && table && same_file(schedule, table))
    return report_error(r, EXIT_USAGE,
                        "-o and --table: expected two files, found '%.200s' "
                        "for both",
                        table);
  if ((schedule && !file_can_write(schedule, error)) ||
      (table && !file_can_write(table, error)))
    return report_error(r, EXIT_USAGE, "%s", error);
  return ARGS_CONTINUE;
}

//===- The table ----------------------------------------------------------===//

/// The text of the table; empty if there is none. Caller frees.
static int read_table(const char *path, const report *r, char **out_text) {
  char error[ERROR_BYTES];
  void *bytes = NULL;
  size_t size;
  *out_text = NULL;
  if (access(path, F_OK) != 0)
    bytes = strdup("");
  else if (!file_read(path, &bytes, &size, error))
    return report_error(r, EXIT_USAGE, "%s", error);
  *out_text = bytes;
  return bytes ? ARGS_CONTINUE
               : report_error(r, EXIT_DEVICE, "no memory for %.200s", path);
}

/// The text of the table with a row in it. The caller frees with fmhac_free().
static int with_row(const tune_files *files, const session *s,
                    const fmhac_schedule_row *row, char **out_text) {
  *out_text = NULL;
  char *text, *file = NULL;
  fmhac_schedule_row named = *row;
  if (!fmhac_schedule_text(row->schedule)) {
    named.schedule = file = file_in_table(files->table, row->schedule);
    if (!file)
      return report_error(s->r, EXIT_DEVICE, "no path of %.200s",
                          row->schedule);
  }
  int code = read_table(files->table, s->r, &text);
  if (code == ARGS_CONTINUE) {
    fmhac_status status = fmhac_schedule_table_put(
        s->context, text, files->table, &named, out_text);
    if (status != FMHAC_OK)
      code = session_fail(s, status);
  }
  free(text);
  free(file);
  return code;
}

int tune_files_rehearse(const tune_files *files, const session *s,
                        const char *schedule) {
  if (!files->table)
    return ARGS_CONTINUE;
  const fmhac_schedule_row row = {.size = sizeof row,
                                  .config = s->config,
                                  .schedule = schedule,
                                  .seconds = 1,
                                  .cycles = 1,
                                  .other = schedule,
                                  .other_seconds = 1,
                                  .other_cycles = 1,
                                  .problem = "any",
                                  .keys = files->keys,
                                  .q_rows = files->q_rows,
                                  .workgroups = files->workgroups};
  char *text;
  int code = with_row(files, s, &row, &text);
  fmhac_free(text);
  return code == ARGS_CONTINUE ? check_problem(files, s) : code;
}

/// Keeps others out of the folder of the table until the file is closed: the
/// table itself is another file once it is written. File systems without locks
/// give no such protection.
static int lock_folder(const char *table) {
  char *folder = folder_of(table);
  int file = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  free(folder);
  if (file >= 0)
    (void)!flock(file, LOCK_EX);
  return file;
}

int tune_files_put(const tune_files *files, const session *s,
                   const fmhac_schedule_row *row) {
  if (!files->table)
    return ARGS_CONTINUE;
  char *text, error[ERROR_BYTES];
  int lock = lock_folder(files->table);
  int code = with_row(files, s, row, &text);
  if (code == ARGS_CONTINUE &&
      !file_write(files->table, text, strlen(text), error))
    code = report_error(s->r, EXIT_USAGE, "%s", error);
  fmhac_free(text);
  if (lock >= 0)
    close(lock);
  return code;
}
