// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler in a process of its own: it gives what the compiler in this
// process gives, and however it ends, this process goes on and says why.
// argv[1]: a directory to write in.
#include "jit_test.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fmhac.h"
#include "fmhac_inspect.h"
#include "fmhac_jobs.h"

static const char k_plain[] = "{\"dtype\":\"bf16\",\"head_dim\":64}";
static const char k_other[] =
    "{\"dtype\":\"f16\",\"head_dim\":128,\"mask\":\"causal\",\"lse\":true}";

typedef struct text {
  char bytes[1 << 20];
  size_t length;
} text;

static void append(text *t, const char *more) {
  size_t n = strlen(more);
  assert_true(t->length + n + 2 < sizeof t->bytes);
  memcpy(t->bytes + t->length, more, n);
  t->length += n;
  t->bytes[t->length++] = '\n';
  t->bytes[t->length] = '\0';
}

static void on_log(void *user, fmhac_severity severity, const char *line) {
  (void)severity;
  append(user, line);
}

static fmhac_context *open_context(bool in_process, const char *program,
                                   text *log) {
  const fmhac_context_options options = {.size = sizeof options,
                                         .log = log ? on_log : NULL,
                                         .log_user = log,
                                         .compile_in_process = in_process,
                                         .compiler_program = program};
  fmhac_context *context;
  assert_int_equal(fmhac_context_create(&options, &context), FMHAC_OK);
  return context;
}

static fmhac_config *config_of(fmhac_context *context, const char *json) {
  fmhac_config *config;
  assert_int_equal(fmhac_config_create_json(context, json, &config), FMHAC_OK);
  return config;
}

/// Compiles and lets go; the status.
static fmhac_status compile(fmhac_context *context, const char *json) {
  fmhac_config *config = config_of(context, json);
  fmhac_kernel *kernel;
  fmhac_status status = fmhac_compile(context, config, &kernel);
  assert_true((status == FMHAC_OK) == (kernel != NULL));
  fmhac_kernel_destroy(kernel);
  fmhac_config_destroy(config);
  return status;
}

static uint64_t processes(fmhac_context *context) {
  fmhac_stats stats = {.size = sizeof stats};
  assert_int_equal(fmhac_context_get_stats(context, &stats), FMHAC_OK);
  return stats.compiler_processes;
}

static void assert_says(const fmhac_context *context, const char *part) {
  const char *said = fmhac_last_error(context);
  if (!strstr(said, part))
    fail_msg("expected \"%s\" in \"%s\"", part, said);
}

//===- The same from both -------------------------------------------------===//

static void on_stage(void *user, const char *stage, const char *ir) {
  append(user, stage);
  text *t = user;
  // The whole IR of every stage is more than there is room for.
  char sum[64];
  uint64_t hash = 14695981039346656037u;
  for (; *ir; ++ir)
    hash = (hash ^ (unsigned char)*ir) * 1099511628211u;
  snprintf(sum, sizeof sum, "%016llx", (unsigned long long)hash);
  append(t, sum);
}

static void test_both_give_the_same(void **state) {
  (void)state;
  static text logs[2], stages[2];
  static const char *const configs[] = {
      k_plain, k_other,
      "{\"dtype\":\"bf16\",\"head_dim_qk\":192,\"head_dim_v\":128,"
      "\"mask\":\"window:128,0\"}"};
  fmhac_context *contexts[2];
  for (int p = 0; p < 2; ++p)
    contexts[p] = open_context(p, NULL, &logs[p]);
  for (size_t i = 0; i < sizeof configs / sizeof configs[0]; ++i) {
    fmhac_config *config[2];
    fmhac_kernel *kernel[2];
    const void *code[2];
    size_t bytes[2];
    for (int p = 0; p < 2; ++p) {
      config[p] = config_of(contexts[p], configs[i]);
      assert_int_equal(fmhac_compile(contexts[p], config[p], &kernel[p]),
                       FMHAC_OK);
      assert_int_equal(fmhac_kernel_get_code(kernel[p], &code[p], &bytes[p]),
                       FMHAC_OK);
      if (i == 0)
        assert_int_equal(
            fmhac_emit_after_all(contexts[p], config[p], on_stage, &stages[p]),
            FMHAC_OK);
    }
    assert_int_equal(bytes[0], bytes[1]);
    assert_memory_equal(code[0], code[1], bytes[0]);
    assert_string_equal(fmhac_kernel_get_name(kernel[0]),
                        fmhac_kernel_get_name(kernel[1]));
    assert_string_equal(fmhac_kernel_get_schedule(kernel[0]),
                        fmhac_kernel_get_schedule(kernel[1]));
    for (size_t r = 0; i == 0 && fmhac_rung_name(r); ++r) {
      void *rung[2];
      for (int p = 0; p < 2; ++p)
        assert_int_equal(fmhac_emit(contexts[p], config[p], fmhac_rung_name(r),
                                    &rung[p], &bytes[p]),
                         FMHAC_OK);
      assert_int_equal(bytes[0], bytes[1]);
      assert_memory_equal(rung[0], rung[1], bytes[0]);
      fmhac_free(rung[0]);
      fmhac_free(rung[1]);
    }
    for (int p = 0; p < 2; ++p) {
      fmhac_kernel_destroy(kernel[p]);
      fmhac_config_destroy(config[p]);
    }
  }
  assert_true(stages[0].length > 0);
  assert_string_equal(stages[0].bytes, stages[1].bytes);
  assert_string_equal(logs[0].bytes, logs[1].bytes);
  // One process did all of it; the other context needed none.
  assert_int_equal(processes(contexts[0]), 1);
  assert_int_equal(processes(contexts[1]), 0);
  fmhac_context_destroy(contexts[0]);
  fmhac_context_destroy(contexts[1]);
}

static void test_both_refuse_with_the_same_words(void **state) {
  (void)state;
  char json[2][4200];
  snprintf(json[0], sizeof json[0],
           "{\"dtype\":\"bf16\",\"head_dim\":64,\"schedule\":\"%s\"}",
           write_file("broken.mlir", "#fmha.schedule<waves = banana>"));
  snprintf(json[1], sizeof json[1],
           "{\"dtype\":\"bf16\",\"head_dim\":64,\"score_mod\":\"%s\"}",
           write_file("empty.mlir", ""));
  for (int i = 0; i < 2; ++i) {
    char said[2][2048];
    fmhac_status status[2];
    for (int p = 0; p < 2; ++p) {
      fmhac_context *context = open_context(p, NULL, NULL);
      status[p] = compile(context, json[i]);
      snprintf(said[p], sizeof said[p], "%s", fmhac_last_error(context));
      // A refusal is an answer: the process lives.
      if (!p) {
        assert_int_equal(compile(context, k_plain), FMHAC_OK);
        assert_int_equal(processes(context), 1);
      }
      fmhac_context_destroy(context);
    }
    assert_int_equal(status[0], FMHAC_INVALID_INPUT);
    assert_int_equal(status[1], FMHAC_INVALID_INPUT);
    assert_true(said[0][0]);
    assert_string_equal(said[0], said[1]);
  }
}

//===- Sudden ends --------------------------------------------------------===//

/// What is said of a compiler that is this shell script.
static void ends_suddenly(const char *script, const char *part) {
  const char *program = write_file("compiler", script);
  fmhac_context *context = open_context(false, program, NULL);
  assert_int_equal(compile(context, k_plain), FMHAC_COMPILER_DIED);
  assert_says(context, part);
  // Not kept for the next order.
  assert_int_equal(compile(context, k_plain), FMHAC_COMPILER_DIED);
  assert_int_equal(processes(context), 2);
  fmhac_context_destroy(context);
}

static void test_how_it_ended_is_said(void **state) {
  (void)state;
  ends_suddenly("#!/bin/sh\nexit 3\n", "exit status 3");
  ends_suddenly("#!/bin/sh\nkill -SEGV $$\n", "signal 11 (Segmentation fault)");
  ends_suddenly("#!/bin/sh\necho 'LLVM ERROR: out of\nregisters' >&2\nexit 1\n",
                "exit status 1; it said: LLVM ERROR: out of registers");
  // It reads a part of the order, then sends what is no frame, a frame of more
  // than there may be, a frame of another kind of bytes, half a frame.
  // An earlier order's words are not this one's; without any, they are better
  // than none.
  ends_suddenly("#!/bin/sh\necho first >&2\nread -r order\nkill -ABRT $$\n",
                "signal 6 (Aborted); it said: first");
  ends_suddenly("#!/bin/sh\necho 'what is the matter?' >&0\nexec sleep 100\n",
                "it sent a malformed answer");
  ends_suddenly("#!/bin/sh\nprintf 'FMHM\\377\\377\\377\\377' >&0\n"
                "exec sleep 100\n",
                "it sent a malformed answer");
  ends_suddenly("#!/bin/sh\nprintf 'FMHM\\2\\0\\0\\0\\200\\200' >&0\n"
                "exec sleep 100\n",
                "it sent a malformed answer");
  ends_suddenly("#!/bin/sh\nprintf 'FMHM\\2\\0\\0\\0\\200' >&0\nexit 7\n",
                "exit status 7");
}

static void test_a_program_that_is_not_there(void **state) {
  (void)state;
  fmhac_context *context = open_context(false, "/no/such/compiler", NULL);
  assert_int_equal(compile(context, k_plain), FMHAC_IO_ERROR);
  assert_says(context, "/no/such/compiler (No such file or directory)");
  assert_says(context, "compile_in_process");
  fmhac_context_destroy(context);
  // What cannot be run, as it is no program.
  context = open_context(false,
                         write_file("compiler", "\x7f"
                                                "ELF?"),
                         NULL);
  assert_int_equal(compile(context, k_plain), FMHAC_IO_ERROR);
  assert_says(context, "Exec format error");
  fmhac_context_destroy(context);
}

/// The one child that this process has, by what the system says.
static pid_t only_child(void) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  int pid = 0, more = 0;
  int found = fscanf(file, "%d %d", &pid, &more);
  fclose(file);
  assert_int_equal(found, 1);
  return pid;
}

static void test_one_that_rested_may_be_gone(void **state) {
  (void)state;
  fmhac_context *context = open_context(false, NULL, NULL);
  assert_int_equal(compile(context, k_plain), FMHAC_OK);
  kill(only_child(), SIGKILL);
  assert_int_equal(compile(context, k_other), FMHAC_OK);
  assert_int_equal(processes(context), 2);
  fmhac_context_destroy(context);
  // Nothing is left behind.
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
  assert_int_equal(errno, ECHILD);
}

//===- Programs around it -------------------------------------------------===//

/// Runs `what` in a child process, for what a program does with itself.
static void in_child(void (*what)(void)) {
  pid_t child = fork();
  assert_true(child >= 0);
  if (!child) {
    what();
    fflush(NULL);
    _exit(0);
  }
  int how;
  assert_int_equal(waitpid(child, &how, 0), child);
  assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
}

/// Ends the child with a number that says where.
#define REQUIRE(number, condition)                                             \
  do {                                                                         \
    if (!(condition))                                                          \
      _exit(number);                                                           \
  } while (0)

static fmhac_status compile_quietly(fmhac_context *context, const char *json) {
  fmhac_config *config = NULL;
  fmhac_kernel *kernel = NULL;
  fmhac_status status = fmhac_config_create_json(context, json, &config);
  if (status == FMHAC_OK)
    status = fmhac_compile(context, config, &kernel);
  fmhac_kernel_destroy(kernel);
  fmhac_config_destroy(config);
  return status;
}

static void without_standard_descriptors(void) {
  close(STDIN_FILENO);
  close(STDOUT_FILENO);
  close(STDERR_FILENO);
  fmhac_context *context = NULL;
  REQUIRE(10, fmhac_context_create(NULL, &context) == FMHAC_OK);
  REQUIRE(11, compile_quietly(context, k_plain) == FMHAC_OK);
  fmhac_context_destroy(context);
}

static void with_children_that_nobody_waits_for(void) {
  signal(SIGCHLD, SIG_IGN);
  signal(SIGPIPE, SIG_DFL);
  fmhac_context *context = NULL;
  REQUIRE(20, fmhac_context_create(NULL, &context) == FMHAC_OK);
  REQUIRE(21, compile_quietly(context, k_plain) == FMHAC_OK);
  fmhac_context_destroy(context);
  const fmhac_context_options options = {
      .size = sizeof options,
      .compiler_program = write_file("compiler", "#!/bin/sh\nexit 3\n")};
  REQUIRE(22, fmhac_context_create(&options, &context) == FMHAC_OK);
  REQUIRE(23, compile_quietly(context, k_plain) == FMHAC_COMPILER_DIED);
  REQUIRE(24, strstr(fmhac_last_error(context), "took its exit status"));
  fmhac_context_destroy(context);
}

static void test_whatever_a_program_did_with_itself(void **state) {
  (void)state;
  in_child(without_standard_descriptors);
  in_child(with_children_that_nobody_waits_for);
}

/// The name of the kernel that a configuration gives, or "".
static const char *name_of(fmhac_context *context, const char *json) {
  static char name[256];
  fmhac_config *config = NULL;
  fmhac_kernel *kernel = NULL;
  name[0] = '\0';
  if (fmhac_config_create_json(context, json, &config) == FMHAC_OK &&
      fmhac_compile(context, config, &kernel) == FMHAC_OK)
    snprintf(name, sizeof name, "%s", fmhac_kernel_get_name(kernel));
  fmhac_kernel_destroy(kernel);
  fmhac_config_destroy(config);
  return name;
}

/// Both sides of a fork compile, different kernels at the same time, in the
/// context that they have in common.
static void test_both_sides_of_a_fork_get_their_own(void **state) {
  (void)state;
  enum { CHILDREN = 4 };
  static const char *const configs[CHILDREN + 1] = {
      "{\"dtype\":\"f16\",\"head_dim\":64}",
      "{\"dtype\":\"f16\",\"head_dim\":128,\"mask\":\"causal\"}",
      "{\"dtype\":\"bf16\",\"head_dim\":128,\"mask\":\"window:64,0\"}",
      "{\"dtype\":\"bf16\",\"head_dim\":64,\"lse\":true}",
      "{\"dtype\":\"f16\",\"head_dim\":64,\"mask\":\"causal\"}"};
  char expected[CHILDREN + 1][256];
  fmhac_context *alone = open_context(true, NULL, NULL);
  for (int i = 0; i <= CHILDREN; ++i)
    snprintf(expected[i], sizeof expected[i], "%s", name_of(alone, configs[i]));
  fmhac_context_destroy(alone);
  fmhac_context *context = open_context(false, NULL, NULL);
  assert_int_equal(compile(context, k_plain), FMHAC_OK); // one rests now
  pid_t children[CHILDREN];
  for (int i = 0; i < CHILDREN; ++i) {
    children[i] = fork();
    assert_true(children[i] >= 0);
    if (!children[i]) {
      REQUIRE(30, strcmp(name_of(context, configs[i]), expected[i]) == 0);
      // Jobs too: the threads of the parent are not here.
      fmhac_config *config;
      fmhac_job *job;
      fmhac_kernel *kernel;
      REQUIRE(31, fmhac_config_create_json(context, configs[i + 1], &config) ==
                      FMHAC_OK);
      REQUIRE(32, fmhac_compile_start(context, config, NULL, &job) == FMHAC_OK);
      REQUIRE(33, fmhac_job_wait(job, -1, &kernel) == FMHAC_OK);
      REQUIRE(34, strcmp(fmhac_kernel_get_name(kernel), expected[i + 1]) == 0);
      fmhac_kernel_destroy(kernel);
      fmhac_job_destroy(job);
      fmhac_config_destroy(config);
      fmhac_context_destroy(context);
      _exit(0);
    }
  }
  assert_string_equal(name_of(context, configs[CHILDREN]), expected[CHILDREN]);
  for (int i = 0; i < CHILDREN; ++i) {
    int how;
    assert_int_equal(waitpid(children[i], &how, 0), children[i]);
    assert_true(WIFEXITED(how));
    assert_int_equal(WEXITSTATUS(how), 0);
  }
  // The parent's own process did both of its orders.
  assert_int_equal(processes(context), 1);
  fmhac_context_destroy(context);
}

/// A child that is killed while it compiles leaves nothing in the parent's way.
static void test_a_child_killed_in_the_middle(void **state) {
  (void)state;
  fmhac_context *context = open_context(false, NULL, NULL);
  assert_int_equal(compile(context, k_plain), FMHAC_OK);
  for (useconds_t delay = 1000; delay < 200000; delay *= 3) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
      compile_quietly(context, k_other);
      for (;;)
        pause();
    }
    usleep(delay);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    char json[128];
    snprintf(json, sizeof json,
             "{\"dtype\":\"f16\",\"head_dim\":64,\"mask\":\"window:%d,0\"}",
             (int)delay);
    assert_non_null(strstr(name_of(context, json), "f16_d64"));
  }
  fmhac_context_destroy(context);
}

//===- Time ---------------------------------------------------------------===//

static void dawdle(void *user, fmhac_severity severity, const char *line) {
  (void)user, (void)severity, (void)line;
  usleep(1100000);
}

/// A compiler in this process is not interrupted, but goes no step further: the
/// first remark (of plan-lds) costs all its time here.
static void test_time_is_over_in_this_process(void **state) {
  (void)state;
  const fmhac_context_options options = {.size = sizeof options,
                                         .log = dawdle,
                                         .compile_in_process = true,
                                         .compile_timeout_seconds = 1};
  fmhac_context *context;
  assert_int_equal(fmhac_context_create(&options, &context), FMHAC_OK);
  assert_int_equal(compile(context, k_plain), FMHAC_COMPILE_TIMED_OUT);
  assert_says(context, "not done after 1 s, in pass ");
  assert_says(context, "FMHAC_COMPILE_TIMEOUT");
  fmhac_context_destroy(context);
}

/// A job that had no time left has finished: it is no job that is not done yet.
static void test_time_is_over_for_a_job(void **state) {
  (void)state;
  const fmhac_context_options options = {
      .size = sizeof options,
      .compiler_program = write_file("compiler", "#!/bin/sh\nexec sleep 600\n"),
      .compile_timeout_seconds = 1};
  fmhac_context *context;
  assert_int_equal(fmhac_context_create(&options, &context), FMHAC_OK);
  fmhac_config *config = config_of(context, k_plain);
  fmhac_job *job;
  fmhac_kernel *kernel;
  assert_int_equal(fmhac_compile_start(context, config, NULL, &job), FMHAC_OK);
  assert_int_equal(fmhac_job_wait(job, 0, &kernel), FMHAC_TIMED_OUT);
  assert_int_equal(fmhac_job_wait(job, -1, &kernel), FMHAC_COMPILE_TIMED_OUT);
  assert_says(context, "not done after 1 s");
  fmhac_job_destroy(job);
  fmhac_config_destroy(config);
  fmhac_context_destroy(context);
}

static void test_a_fork_leaves_the_process_to_its_owner(void **state) {
  (void)state;
  fmhac_context *context = open_context(false, NULL, NULL);
  assert_int_equal(compile(context, k_plain), FMHAC_OK);
  pid_t child = fork();
  assert_true(child >= 0);
  if (!child) {
    fmhac_context_destroy(context);
    _exit(0);
  }
  int how;
  assert_int_equal(waitpid(child, &how, 0), child);
  assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
  assert_int_equal(compile(context, k_other), FMHAC_OK);
  assert_int_equal(processes(context), 1);
  fmhac_context_destroy(context);
}

int main(int argc, char **argv) {
  if (!take_folder(argc, argv))
    return 2;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_both_give_the_same),
      cmocka_unit_test(test_both_refuse_with_the_same_words),
      cmocka_unit_test(test_how_it_ended_is_said),
      cmocka_unit_test(test_a_program_that_is_not_there),
      cmocka_unit_test(test_one_that_rested_may_be_gone),
      cmocka_unit_test(test_whatever_a_program_did_with_itself),
      cmocka_unit_test(test_time_is_over_in_this_process),
      cmocka_unit_test(test_time_is_over_for_a_job),
      cmocka_unit_test(test_a_fork_leaves_the_process_to_its_owner),
      cmocka_unit_test(test_both_sides_of_a_fork_get_their_own),
      cmocka_unit_test(test_a_child_killed_in_the_middle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
