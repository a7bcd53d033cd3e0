// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signals of a command that has something to keep: what the first and the
// second do to a process. Each process waits for the other: nothing depends on
// time.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "interrupt.h"

/// A process that watches, and tells of it through a pipe: 'r' when it is
/// ready. What it says of a signal, a line, goes through the same pipe.
static pid_t start(int *out_pipe) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    static interrupt i;
    dup2(ends[1], STDERR_FILENO);
    if (!interrupt_begin(&i, "i") || write(ends[1], "r", 1) != 1)
      _exit(1);
    for (;;)
      pause();
  }
  close(ends[1]);
  *out_pipe = ends[0];
  return child;
}

static char next(int from) {
  char c = 0;
  assert_int_equal(read(from, &c, 1), 1);
  return c;
}

static void test_second_signal_ends(void **state) {
  (void)state;
  const int numbers[][2] = {
      {SIGINT, SIGINT}, {SIGTERM, SIGINT}, {SIGINT, SIGTERM}};
  for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; ++n) {
    int from, status;
    pid_t child = start(&from);
    assert_int_equal(next(from), 'r');
    kill(child, numbers[n][0]);
    assert_int_equal(next(from), 'i'); // it goes on, and says so
    assert_int_equal(next(from), '\n');
    kill(child, numbers[n][1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), numbers[n][1]);
    close(from);
  }
}

static void test_signals_are_as_before(void **state) {
  (void)state;
  sigset_t before, after;
  static interrupt i;
  pthread_sigmask(SIG_BLOCK, NULL, &before);
  interrupt_end(&i); // of zeroes
  assert_true(interrupt_begin(&i, ""));
  pthread_sigmask(SIG_BLOCK, NULL, &after);
  assert_true(sigismember(&after, SIGINT) && sigismember(&after, SIGTERM));
  interrupt_end(&i);
  pthread_sigmask(SIG_BLOCK, NULL, &after);
  assert_int_equal(sigismember(&after, SIGINT), sigismember(&before, SIGINT));
  assert_int_equal(sigismember(&after, SIGTERM), sigismember(&before, SIGTERM));
  assert_false(atomic_load(&i.came));
}

/// As under nohup, and of jobs in the background of a script.
static void test_ignored_stays_ignored(void **state) {
  (void)state;
  static interrupt i;
  sigset_t now;
  signal(SIGINT, SIG_IGN);
  assert_true(interrupt_begin(&i, ""));
  pthread_sigmask(SIG_BLOCK, NULL, &now);
  assert_false(sigismember(&now, SIGINT));
  assert_true(sigismember(&now, SIGTERM));
  raise(SIGINT);
  interrupt_end(&i);
  assert_false(atomic_load(&i.came));
  signal(SIGINT, SIG_DFL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_second_signal_ends),
      cmocka_unit_test(test_signals_are_as_before),
      cmocka_unit_test(test_ignored_stays_ignored),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
