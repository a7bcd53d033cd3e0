// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compilations beside the caller: results, progress, cancellation, sudden ends;
// and many threads in one context. argv[1]: a directory to write in.
#include "jit_test.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fmhac.h"
#include "fmhac_inspect.h"
#include "fmhac_jobs.h"

/// Configuration number `i`; all are different.
static void config_text(int i, char *json, size_t bytes) {
  static const int head_dims[] = {64, 128};
  static const char *const masks[] = {"none", "causal", "causal-top-left"};
  snprintf(json, bytes,
           "{\"dtype\":\"%s\",\"head_dim\":%d,\"mask\":\"%s\",\"lse\":%s}",
           i & 1 ? "f16" : "bf16", head_dims[i >> 1 & 1], masks[i >> 2 & 1],
           i >> 3 & 1 ? "true" : "false");
}

static fmhac_config *config_of(fmhac_context *context, int i) {
  char json[256];
  fmhac_config *config;
  config_text(i, json, sizeof json);
  assert_int_equal(fmhac_config_create_json(context, json, &config), FMHAC_OK);
  return config;
}

static fmhac_context *open_context(uint32_t parallel, const char *program) {
  const fmhac_context_options options = {.size = sizeof options,
                                         .parallel_compilations = parallel,
                                         .compiler_program = program};
  fmhac_context *context;
  assert_int_equal(fmhac_context_create(&options, &context), FMHAC_OK);
  return context;
}

static fmhac_stats stats_of(fmhac_context *context) {
  fmhac_stats stats = {.size = sizeof stats};
  assert_int_equal(fmhac_context_get_stats(context, &stats), FMHAC_OK);
  return stats;
}

/// A compiler that takes every order and answers none.
static const char *idle_compiler(void) {
  return write_file("idle", "#!/bin/sh\nexec sleep 1000\n");
}

static fmhac_job *start(fmhac_context *context, int i,
                        const fmhac_job_options *options) {
  fmhac_config *config = config_of(context, i);
  fmhac_job *job;
  assert_int_equal(fmhac_compile_start(context, config, options, &job),
                   FMHAC_OK);
  fmhac_config_destroy(config); // the job has its own
  return job;
}

static fmhac_status wait_for(fmhac_job *job, int64_t milliseconds) {
  fmhac_kernel *kernel;
  fmhac_status status = fmhac_job_wait(job, milliseconds, &kernel);
  assert_true((status == FMHAC_OK) == (kernel != NULL));
  fmhac_kernel_destroy(kernel);
  return status;
}

//===- Results and progress -----------------------------------------------===//

/// What a job told.
typedef struct told {
  uint32_t steps, total;
  bool in_order;
  char last[40];
  atomic_int finished;
} told;

static void on_progress(void *user, const fmhac_job_progress *progress) {
  told *t = user;
  t->in_order &= progress->done == t->steps && !progress->finished &&
                 (!t->total || progress->total == t->total) &&
                 progress->size == sizeof *progress;
  ++t->steps;
  t->total = progress->total;
  snprintf(t->last, sizeof t->last, "%s", progress->stage);
}

static void on_finished(void *user) {
  atomic_fetch_add(&((told *)user)->finished, 1);
}

static void test_a_job_tells_how_far_it_is(void **state) {
  (void)state;
  fmhac_context *context = open_context(0, NULL);
  told t = {.in_order = true};
  const fmhac_job_options options = {.size = sizeof options,
                                     .progress = on_progress,
                                     .finished = on_finished,
                                     .user = &t};
  fmhac_job *job = start(context, 0, &options);
  fmhac_kernel *kernel, *again;
  assert_int_equal(fmhac_job_wait(job, -1, &kernel), FMHAC_OK);
  assert_int_equal(fmhac_job_wait(job, 0, &again), FMHAC_OK);
  assert_ptr_equal(kernel, again);
  fmhac_job_progress progress = {.size = sizeof progress};
  assert_int_equal(fmhac_job_get_progress(job, &progress), FMHAC_OK);
  assert_true(progress.finished);
  assert_true(progress.total > 20);
  assert_int_equal(progress.done, progress.total);
  fmhac_job_cancel(job); // too late: nothing changes
  assert_int_equal(wait_for(job, 0), FMHAC_OK);
  fmhac_job_destroy(job);
  // Every step was told, in order, the last of which is code generation.
  assert_true(t.in_order);
  assert_int_equal(t.steps, t.total);
  assert_int_equal(t.total, progress.total);
  assert_string_equal(t.last, "generate");
  assert_int_equal(atomic_load(&t.finished), 1);
  fmhac_kernel_destroy(kernel);
  fmhac_kernel_destroy(again);

  // The same as without a job; and what the context has takes no step.
  fmhac_config *config = config_of(context, 0);
  assert_int_equal(fmhac_compile(context, config, &kernel), FMHAC_OK);
  fmhac_kernel_destroy(kernel);
  fmhac_config_destroy(config);
  job = start(context, 0, NULL);
  assert_int_equal(wait_for(job, -1), FMHAC_OK);
  assert_int_equal(fmhac_job_get_progress(job, &progress), FMHAC_OK);
  assert_true(progress.finished);
  assert_int_equal(progress.total, 0);
  fmhac_job_destroy(job);
  fmhac_job_destroy(NULL);
  fmhac_stats stats = stats_of(context);
  assert_int_equal(stats.compiles, 1);
  assert_int_equal(stats.memory_hits, 2);
  progress.size = 3;
  job = start(context, 0, NULL);
  assert_int_equal(fmhac_job_get_progress(job, &progress), FMHAC_INVALID_INPUT);
  fmhac_job_destroy(job);
  fmhac_context_destroy(context);
}

static void test_jobs_for_one_kernel_compile_once(void **state) {
  (void)state;
  enum { JOBS = 12 };
  fmhac_context *context = open_context(4, NULL);
  fmhac_job *jobs[JOBS];
  for (int i = 0; i < JOBS; ++i)
    jobs[i] = start(context, i % 3, NULL);
  for (int i = 0; i < JOBS; ++i) {
    assert_int_equal(wait_for(jobs[i], -1), FMHAC_OK);
    fmhac_job_destroy(jobs[i]);
  }
  fmhac_stats stats = stats_of(context);
  assert_int_equal(stats.compiles, 3);
  assert_int_equal(stats.memory_hits, JOBS - 3);
  assert_in_range(stats.compiler_processes, 1, 4);
  fmhac_context_destroy(context);
}

static void test_a_failure_is_the_jobs(void **state) {
  (void)state;
  fmhac_context *context = open_context(0, NULL);
  fmhac_config *config;
  assert_int_equal(fmhac_config_create_json(
                       context, "{\"dtype\":\"fp8\",\"head_dim\":24}", &config),
                   FMHAC_OK);
  fmhac_job *job;
  assert_int_equal(fmhac_compile_start(context, config, NULL, &job), FMHAC_OK);
  assert_int_equal(wait_for(job, -1), FMHAC_UNSUPPORTED);
  assert_non_null(strstr(fmhac_last_error(context), "multiples of 16"));
  fmhac_job_destroy(job);
  const fmhac_job_options small = {.size = 4};
  assert_int_equal(fmhac_compile_start(context, config, &small, &job),
                   FMHAC_INVALID_INPUT);
  assert_null(job);
  fmhac_config_destroy(config);
  fmhac_context_destroy(context);
}

//===- Cancellation -------------------------------------------------------===//

static void test_time_runs_out_and_cancel_ends_it(void **state) {
  (void)state;
  fmhac_context *context = open_context(0, idle_compiler());
  fmhac_job *job = start(context, 0, NULL);
  assert_int_equal(wait_for(job, 0), FMHAC_TIMED_OUT);
  assert_int_equal(wait_for(job, 30), FMHAC_TIMED_OUT);
  assert_non_null(strstr(fmhac_last_error(context), "30 ms"));
  fmhac_job_progress progress = {.size = sizeof progress};
  assert_int_equal(fmhac_job_get_progress(job, &progress), FMHAC_OK);
  assert_false(progress.finished);
  fmhac_job_cancel(job);
  assert_int_equal(wait_for(job, -1), FMHAC_CANCELLED);
  fmhac_job_cancel(job);
  fmhac_job_destroy(job);
  // Without waiting or cancelling first.
  fmhac_job_destroy(start(context, 1, NULL));
  assert_int_equal(stats_of(context).compiles, 0);
  fmhac_context_destroy(context);
}

static void test_what_waits_is_cancelled_at_once(void **state) {
  (void)state;
  fmhac_context *context = open_context(1, idle_compiler());
  told t = {.in_order = true};
  const fmhac_job_options options = {
      .size = sizeof options, .finished = on_finished, .user = &t};
  fmhac_job *works = start(context, 0, NULL);
  fmhac_job *queued = start(context, 1, &options);
  fmhac_job_cancel(queued);
  assert_int_equal(wait_for(queued, 0), FMHAC_CANCELLED);
  assert_int_equal(atomic_load(&t.finished), 1);
  assert_int_equal(wait_for(works, 0), FMHAC_TIMED_OUT);
  fmhac_job_destroy(queued);
  fmhac_job_destroy(works);
  fmhac_context_destroy(context);

  // One that waits for another's result: its end is not the other's.
  context = open_context(3, idle_compiler());
  works = start(context, 0, NULL);
  while (stats_of(context).compiler_processes < 1)
    usleep(1000);
  fmhac_job *same = start(context, 0, NULL);
  fmhac_job *third = start(context, 0, NULL);
  fmhac_job_cancel(same);
  assert_int_equal(wait_for(same, -1), FMHAC_CANCELLED);
  fmhac_job_cancel(works);
  assert_int_equal(wait_for(works, -1), FMHAC_CANCELLED);
  // It is the third's turn now: a compiler of its own starts.
  while (stats_of(context).compiler_processes < 2)
    usleep(1000);
  assert_int_equal(wait_for(third, 0), FMHAC_TIMED_OUT);
  fmhac_job_destroy(works);
  fmhac_job_destroy(same);
  fmhac_job_destroy(third);
  fmhac_context_destroy(context);
}

/// Cancels its job at a step, or kills the compiler.
typedef struct intruder {
  const char *at;
  fmhac_job *_Atomic job;
  bool kills;
} intruder;

/// The system keeps the children of each thread.
static void kill_children(void) {
  int killed = 0;
  DIR *threads = opendir("/proc/self/task");
  assert_non_null(threads);
  for (struct dirent *thread; (thread = readdir(threads));) {
    char path[300];
    snprintf(path, sizeof path, "/proc/self/task/%s/children", thread->d_name);
    FILE *file = fopen(path, "r");
    for (int child; file && fscanf(file, "%d", &child) == 1; ++killed)
      kill(child, SIGKILL);
    if (file)
      fclose(file);
  }
  closedir(threads);
  assert_int_equal(killed, 1);
}

static void intrude(void *user, const fmhac_job_progress *progress) {
  intruder *i = user;
  if (strcmp(progress->stage, i->at) != 0)
    return;
  if (i->kills) {
    kill_children();
    return;
  }
  fmhac_job *job;
  while (!(job = atomic_load(&i->job)))
    usleep(100);
  fmhac_job_cancel(job);
}

static void test_ends_in_the_middle(void **state) {
  (void)state;
  static const char *const steps[] = {"select-schedule", "matrix-to-amdgpu",
                                      "translate", "generate"};
  for (int kills = 0; kills < 2; ++kills)
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; ++k) {
      fmhac_context *context = open_context(1, NULL);
      intruder i = {.at = steps[k], .kills = kills};
      const fmhac_job_options options = {
          .size = sizeof options, .progress = intrude, .user = &i};
      fmhac_job *job = start(context, (int)k, &options);
      atomic_store(&i.job, job);
      assert_int_equal(wait_for(job, -1),
                       kills ? FMHAC_COMPILER_DIED : FMHAC_CANCELLED);
      if (kills)
        assert_non_null(strstr(fmhac_last_error(context), "signal 9 (Killed)"));
      fmhac_job_destroy(job);
      // The context goes on.
      job = start(context, (int)k, NULL);
      assert_int_equal(wait_for(job, -1), FMHAC_OK);
      fmhac_job_destroy(job);
      assert_int_equal(stats_of(context).compiles, 1);
      fmhac_context_destroy(context);
    }
}

static void test_cancel_in_this_process(void **state) {
  (void)state;
  const fmhac_context_options o = {.size = sizeof o,
                                   .compile_in_process = true};
  fmhac_context *context;
  assert_int_equal(fmhac_context_create(&o, &context), FMHAC_OK);
  static const char *const steps[] = {"tile-attention", "translate",
                                      "generate"};
  for (size_t k = 0; k < sizeof steps / sizeof steps[0]; ++k) {
    intruder i = {.at = steps[k]};
    const fmhac_job_options options = {
        .size = sizeof options, .progress = intrude, .user = &i};
    fmhac_job *job = start(context, (int)k, &options);
    atomic_store(&i.job, job);
    assert_int_equal(wait_for(job, -1), FMHAC_CANCELLED);
    assert_non_null(strstr(fmhac_last_error(context), steps[k]));
    fmhac_job_destroy(job);
  }
  assert_int_equal(stats_of(context).compiles, 0);
  fmhac_context_destroy(context);
}

/// Another process that holds the lock of every kernel of a cache directory.
static pid_t hold_locks(const char *cache) {
  char path[4200];
  int said[2];
  assert_int_equal(pipe(said), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (!child) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    snprintf(path, sizeof path, "%s/v1", cache);
    mkdir(cache, 0777);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/v1/lock", cache);
    int file = open(path, O_RDWR | O_CREAT, 0600);
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (file < 0 || fcntl(file, F_OFD_SETLKW, &all) != 0 ||
        write(said[1], "x", 1) != 1)
      _exit(1);
    for (;;)
      pause();
  }
  char byte;
  close(said[1]);
  assert_int_equal(read(said[0], &byte, 1), 1);
  close(said[0]);
  return child;
}

static void test_cancel_while_another_process_compiles(void **state) {
  (void)state;
  char cache[4096];
  snprintf(cache, sizeof cache, "%s/locked-XXXXXX", folder);
  assert_non_null(mkdtemp(cache)); // nothing is there yet
  pid_t other = hold_locks(cache);
  const fmhac_context_options options = {.size = sizeof options,
                                         .cache_directory = cache};
  fmhac_context *context;
  assert_int_equal(fmhac_context_create(&options, &context), FMHAC_OK);
  fmhac_job *job = start(context, 0, NULL);
  assert_int_equal(wait_for(job, 30), FMHAC_TIMED_OUT);
  fmhac_job_cancel(job);
  assert_int_equal(wait_for(job, -1), FMHAC_CANCELLED);
  fmhac_job_destroy(job);
  kill(other, SIGKILL);
  waitpid(other, NULL, 0);
  job = start(context, 0, NULL);
  assert_int_equal(wait_for(job, -1), FMHAC_OK);
  fmhac_job_destroy(job);
  fmhac_context_destroy(context);
}

/// A callback that compiles, which the library must refuse: it would wait for
/// itself.
typedef struct caller {
  fmhac_context *context;
  fmhac_config *config;
  int refused, others;
} caller;

static void compile_from_callback(void *user, const char *stage,
                                  const char *text) {
  (void)stage;
  (void)text;
  caller *c = user;
  fmhac_kernel *kernel;
  fmhac_status status = fmhac_compile(c->context, c->config, &kernel);
  if (status == FMHAC_INVALID_INPUT &&
      strstr(fmhac_last_error(c->context), "callback"))
    ++c->refused;
  else
    ++c->others;
  fmhac_kernel_destroy(kernel);
}

static void test_callbacks_do_not_compile(void **state) {
  (void)state;
  for (int here = 0; here < 2; ++here) {
    const fmhac_context_options options = {.size = sizeof options,
                                           .compile_in_process = here,
                                           .parallel_compilations = 1};
    caller c = {.refused = 0};
    assert_int_equal(fmhac_context_create(&options, &c.context), FMHAC_OK);
    c.config = config_of(c.context, 1);
    fmhac_config *config = config_of(c.context, 0);
    assert_int_equal(
        fmhac_emit_after_all(c.context, config, compile_from_callback, &c),
        FMHAC_OK);
    assert_true(c.refused > 20);
    assert_int_equal(c.others, 0);
    fmhac_config_destroy(config);
    fmhac_config_destroy(c.config);
    fmhac_context_destroy(c.context);
  }
}

//===- Many threads -------------------------------------------------------===//

enum { THREADS = 8, ROUNDS = 9, KERNELS = 4 };

typedef struct shared {
  fmhac_context *context;
  fmhac_config *configs[KERNELS];
  size_t code_bytes[KERNELS];
  atomic_int faults;
} shared;

/// What one thread does with a context that others use too.
static void *use(void *user) {
  shared *s = user;
  for (int round = 0; round < ROUNDS; ++round) {
    int which = round % KERNELS;
    fmhac_kernel *kernel = NULL;
    fmhac_job *job = NULL;
    fmhac_status status;
    if (round % 3 == 2) {
      status = fmhac_compile_start(s->context, s->configs[which], NULL, &job);
      if (status == FMHAC_OK)
        status = fmhac_job_wait(job, -1, &kernel);
    } else {
      status = fmhac_compile(s->context, s->configs[which], &kernel);
    }
    const void *code;
    size_t bytes = 0;
    bool ok = status == FMHAC_OK &&
              fmhac_kernel_get_code(kernel, &code, &bytes) == FMHAC_OK &&
              bytes == s->code_bytes[which];
    // A failure of its own, whose words are its own.
    char json[64], part[64];
    fmhac_config *config;
    snprintf(json, sizeof json, "{\"key_%p\":1}", (void *)&json);
    snprintf(part, sizeof part, "key_%p", (void *)&json);
    ok &= fmhac_config_create_json(s->context, json, &config) ==
              FMHAC_INVALID_INPUT &&
          strstr(fmhac_last_error(s->context), part);
    size_t text_bytes;
    ok &= kernel && fmhac_kernel_get_text(kernel, "statistics", NULL, 0,
                                          &text_bytes) == FMHAC_OK;
    if (!ok)
      atomic_fetch_add(&s->faults, 1);
    fmhac_job_destroy(job);
    fmhac_kernel_destroy(kernel);
  }
  return NULL;
}

static void many_threads(fmhac_context_options options) {
  shared s = {.context = NULL};
  assert_int_equal(fmhac_context_create(&options, &s.context), FMHAC_OK);
  fmhac_context *alone;
  assert_int_equal(fmhac_context_create(NULL, &alone), FMHAC_OK);
  for (int i = 0; i < KERNELS; ++i) {
    s.configs[i] = config_of(s.context, i);
    fmhac_config *same = config_of(alone, i);
    fmhac_kernel *kernel;
    const void *code;
    assert_int_equal(fmhac_compile(alone, same, &kernel), FMHAC_OK);
    fmhac_config_destroy(same);
    assert_int_equal(fmhac_kernel_get_code(kernel, &code, &s.code_bytes[i]),
                     FMHAC_OK);
    fmhac_kernel_destroy(kernel);
  }
  fmhac_context_destroy(alone);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i)
    assert_int_equal(pthread_create(&threads[i], NULL, use, &s), 0);
  for (int i = 0; i < THREADS; ++i)
    pthread_join(threads[i], NULL);
  assert_int_equal(atomic_load(&s.faults), 0);
  fmhac_stats stats = stats_of(s.context);
  assert_int_equal(stats.compiles, KERNELS);
  assert_int_equal(stats.compiles + stats.disk_hits + stats.memory_hits,
                   THREADS * ROUNDS);
  for (int i = 0; i < KERNELS; ++i)
    fmhac_config_destroy(s.configs[i]);
  fmhac_context_destroy(s.context);
}

static void test_many_threads_in_one_context(void **state) {
  (void)state;
  char cache[4096];
  snprintf(cache, sizeof cache, "%s/cache-XXXXXX", folder);
  assert_non_null(mkdtemp(cache)); // nothing is there yet
  many_threads((fmhac_context_options){.size = sizeof(fmhac_context_options)});
  many_threads((fmhac_context_options){.size = sizeof(fmhac_context_options),
                                       .cache_directory = cache,
                                       .memory_kernels = 2,
                                       .parallel_compilations = 3});
}

static void test_many_contexts(void **state) {
  (void)state;
  enum { CONTEXTS = 10 };
  fmhac_context *contexts[CONTEXTS];
  fmhac_job *jobs[CONTEXTS];
  for (int i = 0; i < CONTEXTS; ++i) {
    contexts[i] = open_context(1, NULL);
    jobs[i] = start(contexts[i], i % 4, NULL);
  }
  for (int i = 0; i < CONTEXTS; ++i) {
    if (i % 3)
      assert_int_equal(wait_for(jobs[i], -1), FMHAC_OK);
    fmhac_job_destroy(jobs[i]);
    fmhac_context_destroy(contexts[i]);
  }
}

int main(int argc, char **argv) {
  if (!take_folder(argc, argv))
    return 2;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_job_tells_how_far_it_is),
      cmocka_unit_test(test_jobs_for_one_kernel_compile_once),
      cmocka_unit_test(test_a_failure_is_the_jobs),
      cmocka_unit_test(test_time_runs_out_and_cancel_ends_it),
      cmocka_unit_test(test_what_waits_is_cancelled_at_once),
      cmocka_unit_test(test_ends_in_the_middle),
      cmocka_unit_test(test_cancel_in_this_process),
      cmocka_unit_test(test_cancel_while_another_process_compiles),
      cmocka_unit_test(test_callbacks_do_not_compile),
      cmocka_unit_test(test_many_threads_in_one_context),
      cmocka_unit_test(test_many_contexts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
