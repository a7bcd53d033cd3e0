// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// test_nulls: calls the functions of the compiler's headers with null pointers,
// and with objects of another context; each in a process of its own, so that a
// crash is that row's failure. test_nulls --list prints "FUNCTION ARGUMENT" of
// each row.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fmhac.h"
#include "fmhac_cache.h"
#include "fmhac_inspect.h"
#include "fmhac_jobs.h"
#include "fmhac_merge.h"
#include "fmhac_options.h"
#include "fmhac_reference.h"
#include "fmhac_schedule.h"
#include "fmhac_work.h"

/// What rows call with; outputs are fields so that a row can name them.
typedef struct fixture {
  fmhac_context *context, *other;
  fmhac_config *config, *foreign; ///< of `context`, of `other`
  fmhac_kernel *kernel;
  fmhac_plan *plan; ///< of `kernel`
  fmhac_merge *merge;
  fmhac_rt_device *device;
  fmhac_job *job;   ///< has finished
  const char *text; ///< of a schedule
  const char *words[1];
  fmhac_schedule_setting settings[1];  ///< without a name
  fmhac_schedule_row row, foreign_row; ///< the first without a configuration

  fmhac_config *out_config;
  fmhac_kernel *out_kernel;
  fmhac_job *out_job;
  fmhac_plan *out_plan;
  fmhac_merge *out_merge;
  fmhac_stats stats;
  fmhac_support support;
  fmhac_job_progress progress;
  fmhac_cache_usage usage;
  fmhac_problem problem;
  fmhac_kernel_info info;
  fmhac_schedule_choice choice;
  fmhac_tensors tensors;             ///< of size 0
  fmhac_merge_tensors merge_tensors; ///< of size 0
  fmhac_rt_launch launch;
  unsigned char kernarg[1024];
  fmhac_work_room room;
  fmhac_work_places places;
  fmhac_work_lengths lengths;
  fmhac_work_lists lists; ///< without memory
  unsigned char scratch[16];
  fmhac_reference_results results;
  fmhac_comparison comparison;
  const void *bytes;
  void *out;
  char *out_text;
  size_t size;
  int64_t rows, keys;
} fixture;

static bool is_empty(const char *text) { return text && !text[0]; }

static bool creates(const fmhac_context_options *options) {
  fmhac_context *context;
  return fmhac_context_create(options, &context) == FMHAC_OK;
}

static bool creates_from_environment(char *text, size_t text_bytes) {
  fmhac_context *context;
  return fmhac_context_create_from_environment(NULL, text, text_bytes,
                                               &context) == FMHAC_OK;
}

/// Directories that are announced and not there: refused, and it says which.
static bool tells_null_directories(void) {
  char text[256];
  fmhac_context *context;
  const fmhac_context_options options = {.size = sizeof options,
                                         .read_only_cache_directory_count = 1};
  return fmhac_context_create(&options, &context) == FMHAC_INVALID_INPUT &&
         fmhac_context_create_from_environment(
             &options, text, sizeof text, &context) == FMHAC_INVALID_INPUT &&
         strstr(text, "read_only_cache_directories");
}

static bool on_cache_entry(void *user, const fmhac_cache_entry *entry) {
  (void)user;
  (void)entry;
  return true;
}

static void on_ir(void *user, const char *stage, const char *text) {
  (void)user;
  (void)stage;
  (void)text;
}

static void on_line(void *user, uint64_t pc, const char *text) {
  (void)user;
  (void)pc;
  (void)text;
}

static void on_knob(void *user, const fmhac_schedule_knob *knob) {
  (void)user;
  (void)knob;
}

/// One way a row can fail.
static int wrong(const char *function, const char *argument, const char *what) {
  printf("FAIL: %s, %s: %s\n", function, argument, what);
  fflush(stdout);
  return 1;
}

static int expect_refusal(fmhac_status status, const fmhac_context *context,
                          const char *function, const char *argument,
                          const char *part) {
  char what[512];
  if (status != FMHAC_INVALID_INPUT) {
    snprintf(what, sizeof what, "status %d, expected INVALID_INPUT",
             (int)status);
    return wrong(function, argument, what);
  }
  const char *text = fmhac_last_error(context);
  snprintf(what, sizeof what, "the text is '%.400s'", text);
  return !context || (strstr(text, argument) && strstr(text, part) &&
                      strncmp(text, function, strlen(function)) == 0)
             ? 0
             : wrong(function, argument, what);
}

/// Runs the row at a line of nulls.def; 0 if it is as it should be.
static int run_row(int line, fixture *f) {
  switch (line) {
#define REFUSES(function, argument, context, call)                             \
  case __LINE__:                                                               \
    return expect_refusal(call, context, #function, #argument, "null pointer");
#define FOREIGN(function, argument, call)                                      \
  case __LINE__:                                                               \
    return expect_refusal(call, f->context, #function, #argument,              \
                          "the same context");
#define ANSWERS(function, argument, condition)                                 \
  case __LINE__:                                                               \
    return (condition) ? 0 : wrong(#function, #argument, #condition);
#include "nulls.def"
#undef REFUSES
#undef FOREIGN
#undef ANSWERS
  default:
    return 1;
  }
}

static const struct {
  int line;
  const char *function, *argument;
} rows[] = {
#define REFUSES(function, argument, context, call)                             \
  {__LINE__, #function, #argument},
#define FOREIGN(function, argument, call) {__LINE__, #function, #argument},
#define ANSWERS(function, argument, condition) {__LINE__, #function, #argument},
#include "nulls.def"
#undef REFUSES
#undef FOREIGN
#undef ANSWERS
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static bool prepare(fixture *f) {
  static const char json[] = "{\"head_dim\":64,\"schedule\":\"generic\"}";
  const fmhac_context_options options = {.size = sizeof options,
                                         .compile_in_process = true};
  f->stats.size = sizeof f->stats;
  f->support.size = sizeof f->support;
  f->progress.size = sizeof f->progress;
  f->usage.size = sizeof f->usage;
  f->info.size = sizeof f->info;
  f->comparison.size = sizeof f->comparison;
  f->choice.size = sizeof f->choice;
  f->launch.size = sizeof f->launch;
  f->problem = (fmhac_problem){sizeof f->problem, 1, 1, 1, 1, 1, 0, 0};
  f->words[0] = "word";
  f->text = fmhac_schedule_text("generic");
  f->row = (fmhac_schedule_row){.size = sizeof f->row,
                                .schedule = "generic",
                                .seconds = 1,
                                .cycles = 1,
                                .problem = "B1"};
  f->foreign_row = f->row;
  bool ok =
      fmhac_context_create(&options, &f->context) == FMHAC_OK &&
      fmhac_context_create(&options, &f->other) == FMHAC_OK &&
      fmhac_config_create_json(f->context, json, &f->config) == FMHAC_OK &&
      fmhac_config_create_json(f->other, json, &f->foreign) == FMHAC_OK &&
      fmhac_compile_start(f->context, f->config, NULL, &f->job) == FMHAC_OK &&
      fmhac_job_wait(f->job, -1, &f->kernel) == FMHAC_OK &&
      fmhac_plan_create(f->kernel, &f->problem, &f->plan) == FMHAC_OK &&
      fmhac_merge_create_json(f->context, json, &f->merge) == FMHAC_OK &&
      fmhac_rt_device_open("emu", &f->device) == FMHAC_OK;
  f->foreign_row.config = f->foreign;
  f->lengths.size = sizeof f->lengths;
  f->lists.size = sizeof f->lists;
  return ok;
}

static void destroy(fixture *f) {
  fmhac_merge_destroy(f->merge);
  fmhac_plan_destroy(f->plan);
  fmhac_rt_device_close(f->device);
  fmhac_job_destroy(f->job);
  fmhac_kernel_destroy(f->kernel);
  fmhac_config_destroy(f->config);
  fmhac_config_destroy(f->foreign);
  fmhac_context_destroy(f->context);
  fmhac_context_destroy(f->other);
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "--list") == 0) {
    for (size_t i = 0; i < ROWS; ++i)
      printf("%s %s\n", rows[i].function, rows[i].argument);
    return 0;
  }
  fixture f = {.context = NULL};
  if (!prepare(&f))
    return wrong("fmhac_compile", "-", fmhac_last_error(f.context));
  int failures = 0;
  for (size_t i = 0; i < ROWS; ++i) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
      _exit(run_row(rows[i].line, &f));
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child)
      return wrong(rows[i].function, rows[i].argument, "no process");
    char what[64];
    snprintf(what, sizeof what, "signal %d", status & 0x7f);
    if (WIFSIGNALED(status))
      wrong(rows[i].function, rows[i].argument, what);
    failures += status != 0;
  }
  destroy(&f);
  printf("%d rows, %d failures\n", (int)ROWS, failures);
  return failures != 0;
}
