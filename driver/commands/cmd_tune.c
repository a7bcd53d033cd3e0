// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac tune: which schedule is best for a configuration, and a better one.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "commands.h"
#include "fmhac_schedule.h"
#include "interrupt.h"
#include "seconds.h"
#include "session.h"
#include "streams.h"
#include "tune_files.h"
#include "tune_report.h"

enum { MOST_KNOWN = 32 };

typedef struct tune_flags {
  int64_t budget, trials;
  double threshold; ///< percent
  const char *schedules;
  tune_files files;
} tune_flags;

/// Everything that a call owns.
typedef struct tune {
  const report *r;
  const tune_flags *flags;
  interrupt signals;
  session s; ///< its log is quiet; the requested configuration
  tune_bench bench;
  tune_known known[MOST_KNOWN];
  size_t known_count;
  tune_search search;
  bool found;
  tune_checked checked;
} tune;

/// Leaves the first schedules.
static void forget_known(tune *t, size_t from) {
  for (size_t i = from; i < t->known_count; ++i)
    free(t->known[i].text);
  t->known_count = from;
}

static void tune_close(tune *t) {
  forget_known(t, 0);
  tune_search_deinit(&t->search);
  tune_bench_deinit(&t->bench);
  session_close(&t->s);
  interrupt_end(&t->signals);
}

static bool is_interrupted(const tune *t) {
  return atomic_load(&t->signals.came);
}

//===- Before anything takes its time -------------------------------------===//

/// The text of a built-in schedule or of a file; caller frees.
static char *read_schedule(const char *name, char error[ERROR_BYTES]) {
  const char *builtin = fmhac_schedule_text(name);
  void *bytes;
  size_t size;
  if (builtin)
    return strdup(builtin);
  return file_read(name, &bytes, &size, error) ? bytes : NULL;
}

/// Adds a schedule that is to be timed. `must`: it was named, and has to serve.
static int add_known(tune *t, const char *name, bool must) {
  char error[ERROR_BYTES] = "out of memory";
  fmhac_support support = {.size = sizeof support};
  fmhac_config *config;
  fmhac_status status = tune_point_config(&t->bench, t->bench.options, name,
                                          NULL, &config, error);
  if (status != FMHAC_OK)
    return report_error(t->r, exit_code_of(status), "%s", error);
  status = fmhac_query(t->s.context, config, &support);
  fmhac_config_destroy(config);
  if (status != FMHAC_OK)
    return session_fail(&t->s, status);
  if (!support.supported && !must)
    return ARGS_CONTINUE;
  if (!support.supported)
    return report_error(t->r, EXIT_UNSUPPORTED, "schedule %.100s: %s", name,
                        support.reason);
  tune_known *known = &t->known[t->known_count];
  if (t->known_count == MOST_KNOWN || strlen(name) >= sizeof known->name)
    return report_error(t->r, EXIT_USAGE,
                        "--schedules: expected at most %d names of at most %zu "
                        "bytes, found more",
                        MOST_KNOWN, sizeof known->name - 1);
  known->text = read_schedule(name, error);
  if (!known->text)
    return report_error(t->r, EXIT_USAGE, "%s", error);
  snprintf(known->name, sizeof known->name, "%s", name);
  ++t->known_count;
  return ARGS_CONTINUE;
}

static int add_list(tune *t, const char *list) {
  char *copy = strdup(list), *rest = NULL;
  int code = copy
                 ? ARGS_CONTINUE
                 : report_error(t->r, EXIT_DEVICE, "no memory for --schedules");
  for (char *name = copy ? strtok_r(copy, ",", &rest) : NULL;
       name && code == ARGS_CONTINUE; name = strtok_r(NULL, ",", &rest))
    code = add_known(t, name, true);
  free(copy);
  return code;
}

/// Those that are named, else all built-in ones that serve.
static int add_schedules(tune *t) {
  const char *asked = option_text(t->s.options, "schedule");
  int code = ARGS_CONTINUE;
  if (t->flags->schedules)
    code = add_list(t, t->flags->schedules);
  else if (strcmp(asked, "auto") != 0)
    code = add_known(t, asked, true);
  else
    for (size_t i = 0; fmhac_schedule_name(i) && code == ARGS_CONTINUE; ++i)
      code = add_known(t, fmhac_schedule_name(i), false);
  if (code == ARGS_CONTINUE && !t->known_count)
    code = report_error(t->r, EXIT_USAGE,
                        "--schedules: expected names of schedules with commas "
                        "between them, found none");
  return code;
}

/// Whether the table accepts the row that may be written, under its name.
static int rehearse(const tune *t) {
  const tune_files *files = &t->flags->files;
  int code = ARGS_CONTINUE;
  for (size_t i = 0; i < t->known_count && code == ARGS_CONTINUE; ++i)
    code = tune_files_rehearse(files, &t->s, t->known[i].name);
  if (code == ARGS_CONTINUE && files->schedule)
    code = tune_files_rehearse(files, &t->s, files->schedule);
  return code;
}

static int check_flags(const tune_flags *flags, const bench_flags *bench,
                       const char *check, const report *r) {
  enum { MOST_SECONDS = 1000000 };
  const emu_flags emu = {.check = check, .threads = bench->threads};
  fmhac_emu_options unused;
  char error[ERROR_BYTES];
  bool all;
  uint32_t points;
  if (!emu_flags_apply(&emu, &unused, error))
    return report_error(r, EXIT_USAGE, "%s", error);
  if (flags->budget > MOST_SECONDS || flags->trials > UINT_MAX)
    return report_error(r, EXIT_USAGE,
                        "--budget, --trials: expected at most %d seconds and "
                        "%u candidates, found %lld and %lld",
                        MOST_SECONDS, UINT_MAX, (long long)flags->budget,
                        (long long)flags->trials);
  if (flags->threshold >= 100)
    return report_error(r, EXIT_USAGE,
                        "--threshold: expected less than 100 percent, found %g",
                        flags->threshold);
  if (bench->sample && !bench_sample_parse(bench->sample, &all, &points))
    return report_error(r, EXIT_USAGE,
                        "--sample: expected auto, all or 3 to 4096 points of "
                        "an axis, found '%.40s'",
                        bench->sample);
  return tune_files_check(&flags->files, r);
}

//===- The work -----------------------------------------------------------===//

static int by_time(const void *a, const void *b) {
  const tune_time *x = &((const tune_known *)a)->time,
                  *y = &((const tune_known *)b)->time;
  if ((x->verdict == TUNE_TIMED) != (y->verdict == TUNE_TIMED))
    return x->verdict == TUNE_TIMED ? -1 : 1;
  return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

/// Once it is interrupted one that could be timed is enough.
static int time_known(tune *t) {
  bool timed = false;
  for (size_t i = 0; i < t->known_count; ++i) {
    if (timed && is_interrupted(t)) {
      fprintx(stderr, "fmhac tune: %zu of %zu schedules are compared\n", i,
              t->known_count);
      forget_known(t, i);
      break;
    }
    tune_known *known = &t->known[i];
    tune_point_time(&t->bench, known->name, NULL, NULL, &known->time);
    timed |= known->time.verdict == TUNE_TIMED;
    if (!report_shows(t->r, MESSAGE_NOTE))
      continue;
    if (known->time.verdict == TUNE_TIMED)
      fprintx(stderr, "fmhac tune: %s: %.5g ms, %.1f cycles a KV tile\n",
              known->name, 1e3 * known->time.seconds, known->time.cycles);
    else
      fprintx(stderr, "fmhac tune: %s: %s\n", known->name, known->time.why);
  }
  qsort(t->known, t->known_count, sizeof t->known[0], by_time);
  const tune_time *best = &t->known[0].time;
  if (best->verdict == TUNE_TIMED)
    return ARGS_CONTINUE;
  return report_error(t->r, exit_code_of(best->status),
                      "no schedule could be timed; of %.100s: %s",
                      t->known[0].name, best->why);
}

/// "dualwave_tuned" of "dualwave" and of "dir/dualwave.mlir".
static void name_found(const char *from, char *out, size_t bytes) {
  const char *slash = strrchr(from, '/');
  const char *stem = slash ? slash + 1 : from;
  size_t length = strcspn(stem, "."), used = 0;
  for (size_t i = 0; i < length && used + sizeof "_tuned" < bytes; ++i) {
    char c = stem[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    bool digit = c >= '0' && c <= '9';
    out[used] = letter || (digit && used) ? c : '_';
    ++used;
  }
  snprintf(out + used, bytes - used, "%s_tuned", used ? "" : "_");
}

/// Searches, and falls back to the starting schedule if the found one is not
/// right.
static int search(tune *t, const char *name, double start) {
  char error[ERROR_BYTES], why[ERROR_BYTES];
  tune_search *s = &t->search;
  s->bench = &t->bench;
  s->name = name;
  s->command = t->r->quiet ? NULL : t->r->command;
  s->end = start + (double)t->flags->budget;
  s->most_trials = (unsigned)t->flags->trials;
  s->threshold = t->flags->threshold / 100;
  s->stop = &t->signals.came;
  s->seed = (uint64_t)option_integer(t->s.options, "seed");
  if (t->flags->budget &&
      !tune_search_run(s, t->known[0].text, &t->known[0].time, error))
    return report_error(t->r, EXIT_DEVICE, "%s", error);
  fmhac_status status;
  if (s->improved) {
    status = tune_check(&t->bench, NULL, s->text, &t->checked, why);
    t->found = status == FMHAC_OK;
    if (t->found)
      return ARGS_CONTINUE;
    s->counts.wrong += status == FMHAC_CHECK_FAILED;
    fprintx(stderr, "fmhac tune: the best schedule found %s: %s\n",
            status == FMHAC_CHECK_FAILED ? "is wrong" : "cannot be checked",
            why);
  }
  status = tune_check(&t->bench, t->known[0].name, NULL, &t->checked, why);
  if (status == FMHAC_OK)
    return ARGS_CONTINUE;
  return report_error(t->r, exit_code_of(status),
                      "schedule %.100s: its results %s, nothing is written: %s",
                      t->known[0].name,
                      status == FMHAC_CHECK_FAILED ? "are not right"
                                                   : "cannot be checked",
                      why);
}

//===- Output files -------------------------------------------------------===//

static int write_schedule(const tune *t) {
  const char *path = t->flags->files.schedule;
  if (!path)
    return ARGS_CONTINUE;
  const tune_known *from = &t->known[0];
  const tune_time *best = t->found ? &t->search.best : &from->time;
  const char *config = fmhac_config_get_canonical(t->s.config);
  char words[128], error[ERROR_BYTES], *text = NULL;
  tune_problem_words(t->s.options, words);
  int length =
      t->found
          ? asprintf(&text,
                     "// Found by `fmhac tune`, from %s: %.5g ms and %.1f "
                     "cycles of a compute unit\n// for a KV tile in the cycle "
                     "model, where that takes %.5g ms and %.1f, on\n// %s of\n"
                     "// %s.\n%s",
                     from->name, 1e3 * best->seconds, best->cycles,
                     1e3 * from->time.seconds, from->time.cycles, words, config,
                     t->search.text)
          : asprintf(&text,
                     "// A copy of %s: `fmhac tune` found nothing better. %.5g "
                     "ms and %.1f cycles\n// of a compute unit for a KV tile "
                     "in the cycle model, on\n// %s of\n// %s.\n%s",
                     from->name, 1e3 * best->seconds, best->cycles, words,
                     config, from->text);
  if (length < 0)
    return report_error(t->r, EXIT_DEVICE, "no memory for the schedule");
  bool ok = file_write(path, text, strlen(text), error);
  free(text);
  return ok ? ARGS_CONTINUE : report_error(t->r, EXIT_USAGE, "%s", error);
}

static int write_row(const tune *t) {
  const tune_files *files = &t->flags->files;
  const bool is_new = t->found && files->schedule;
  const tune_known *first = &t->known[0];
  const tune_known *second =
      is_new ? first
      : t->known_count > 1 && t->known[1].time.verdict == TUNE_TIMED
          ? &t->known[1]
          : NULL;
  const tune_time *best = is_new ? &t->search.best : &first->time;
  char words[128];
  tune_problem_words(t->s.options, words);
  const fmhac_schedule_row row = {
      .size = sizeof row,
      .config = t->s.config,
      .schedule = is_new ? files->schedule : first->name,
      .seconds = best->seconds,
      .cycles = best->cycles,
      .other = second ? second->name : NULL,
      .other_seconds = second ? second->time.seconds : 0,
      .other_cycles = second ? second->time.cycles : 0,
      .problem = words,
      .keys = files->keys,
      .q_rows = files->q_rows,
      .workgroups = files->workgroups};
  return tune_files_put(files, &t->s, &row);
}

static int print_result(const tune *t) {
  const tune_result result = {.options = t->s.options,
                              .config = t->s.config,
                              .known = t->known,
                              .known_count = t->known_count,
                              .search = &t->search,
                              .found = t->found,
                              .interrupted = is_interrupted(t),
                              .checked = t->checked,
                              .output = t->flags->files.schedule,
                              .table = t->flags->files.table,
                              .context = t->s.context};
  if (t->r->json)
    return report_json(tune_result_json(&result), EXIT_DONE);
  // The schedule may be on standard output.
  if (!result.output || strcmp(result.output, "-") != 0)
    tune_result_print(&result);
  return EXIT_DONE;
}

/// Checks that need no run come before the first schedule takes its time.
static int prepare(tune *t) {
  char error[ERROR_BYTES];
  int code = ARGS_CONTINUE;
  if (!tune_bench_init(&t->bench, error))
    return report_error(t->r, EXIT_DEVICE, "%s", error);
  fmhac_status status = tune_check_possible(&t->bench, t->s.config, error);
  if (status != FMHAC_OK)
    code = report_error(t->r, exit_code_of(status), "%s", error);
  if (code == ARGS_CONTINUE)
    code = add_schedules(t);
  return code == ARGS_CONTINUE ? rehearse(t) : code;
}

static int run_tune(tune *t, const args *a, bench_flags bench,
                    const char *check) {
  const double start = seconds_now();
  char name[256];
  int code = check_flags(t->flags, &bench, check, t->r);
  // Without it a signal ends the process, which is no reason not to begin.
  (void)interrupt_begin(&t->signals,
                        "fmhac tune: interrupted: the best so far is checked "
                        "and written; a second signal ends at once");
  if (code == ARGS_CONTINUE)
    code = session_open(a, t->r, (session_options){.quiet = true}, &t->s);
  if (code == ARGS_CONTINUE)
    code = session_require_support(&t->s);
  if (code != ARGS_CONTINUE)
    return code;
  t->bench = (tune_bench){.context = t->s.context,
                          .options = t->s.options,
                          .flags = bench,
                          .check = check,
                          .file = -1,
                          .settles = !bench.sample};
  if (!bench.sample)
    t->bench.flags.sample = "3";
  code = prepare(t);
  if (code == ARGS_CONTINUE)
    code = time_known(t);
  if (code == ARGS_CONTINUE) {
    name_found(t->known[0].name, name, sizeof name);
    code = search(t, name, start);
  }
  if (code == ARGS_CONTINUE)
    code = write_schedule(t);
  if (code == ARGS_CONTINUE)
    code = write_row(t);
  return code == ARGS_CONTINUE ? print_result(t) : code;
}

int cmd_tune(int argc, char **argv) {
  enum { USUAL_BUDGET = 60 };
  tune_flags flags = {.budget = USUAL_BUDGET, .threshold = 0.5};
  bench_flags bench = {.device = "emu", .layers = 1};
  const char *check = NULL;
  const flag specs[] = {
      {"budget", "SECONDS",
       "how long to search for a better schedule (default 60); 0: only compare "
       "the existing ones",
       FLAG_INTEGER, &flags.budget},
      {"trials", "N", "the most candidates to try (default: no limit)",
       FLAG_INTEGER, &flags.trials},
      {"threshold", "PERCENT",
       "a candidate must be faster by this much: the model is not more exact "
       "(default 0.5)",
       FLAG_REAL, &flags.threshold},
      {"schedules", "NAME,FILE.mlir,...",
       "schedules to compare and to start from (default: --schedule, else all "
       "built-in ones that serve the configuration)",
       FLAG_TEXT, &flags.schedules},
      {"o", "FILE.mlir", "write the best schedule here; - is standard output",
       FLAG_TEXT, &flags.files.schedule},
      {"table", "FILE.csv",
       "write the row of the configuration into this table of schedules; "
       "commands read it if FMHAC_DISPATCH names it",
       FLAG_TEXT, &flags.files.table},
      {"for-keys", "LOW-HIGH",
       "the row is for problems whose rows see at most that many keys; or one "
       "number (default: all)",
       FLAG_TEXT, &flags.files.keys},
      {"for-q-rows", "LOW-HIGH", "the same of rows of Q", FLAG_TEXT,
       &flags.files.q_rows},
      {"for-workgroups", "LOW-HIGH", "the same of heads of all batches",
       FLAG_TEXT, &flags.files.workgroups},
      {"check", EMU_CHECK_VALUES,
       "checks to run when results are compared (default mem,sync,wait)",
       FLAG_TEXT, &check},
      {"sample", "auto|all|N",
       "workgroups to time, as in fmhac bench (default 3, then auto if orders "
       "of the grid are too close to decide)",
       FLAG_TEXT, &bench.sample},
      {"threads", "N", EMU_THREADS_HELP, FLAG_INTEGER, &bench.threads},
  };
  const command cmd = {
      .name = "tune",
      .synopsis = "CONFIG PROBLEM [--budget SECONDS] [--schedules LIST] "
                  "[-o FILE.mlir] [--table FILE.csv]",
      .summary =
          "Finds the best schedule of a configuration by the cycle model.",
      .details =
          "tune times every schedule, then changes the best one: each choice "
          "by itself, then counts\nof its recipes, at random. --seed also "
          "seeds the search: with --trials, each run tries\nthe same "
          "candidates. SIGINT and SIGTERM end the search like the budget. "
          "Before tune\nwrites anything, it runs the best schedule on the "
          "emulator and compares the results\nwith the reference, as fmhac run "
          "does. A row of the table is for the types, head\nsizes, kind of "
          "mask and functions of scores of CONFIG, and for the problems of "
          "--for-keys,\n--for-q-rows and --for-workgroups: where rows for "
          "several classes take a configuration,\nits code object holds a "
          "kernel for each. Without -o it names the best existing schedule.",
      COMMAND_FLAGS(specs),
      .takes_config = true,
      .takes_problem = true,
  };
  report r = {0};
  args a;
  tune *t = calloc(1, sizeof *t);
  int code = args_parse(&cmd, argc, argv, &r, &a);
  if (code == ARGS_CONTINUE && !t)
    code = report_error(&r, EXIT_DEVICE, "no memory");
  if (code == ARGS_CONTINUE) {
    t->r = &r;
    t->flags = &flags;
    t->bench.file = -1;
    code = run_tune(t, &a, bench, check);
    tune_close(t);
  }
  free(t);
  args_deinit(&a);
  return code;
}
