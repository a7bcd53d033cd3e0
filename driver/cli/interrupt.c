// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interrupt.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "streams.h"

/// The signal gets its default action.
static void die_of(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  signal(number, SIG_DFL);
  raise(number); // of this thread: pending until it is let through
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void *wait_for_signals(void *user) {
  interrupt *i = user;
  struct pollfd files[2] = {{.fd = i->end, .events = POLLIN},
                            {.events = POLLIN}};
  files[1].fd = signalfd(-1, &i->watched, SFD_CLOEXEC);
  for (;;) {
    struct signalfd_siginfo one;
    if (poll(files, 2, -1) < 0 && errno == EINTR)
      continue;
    if (files[0].revents || files[1].fd < 0)
      break;
    if (read(files[1].fd, &one, sizeof one) != (ssize_t)sizeof one)
      break;
    if (atomic_exchange(&i->came, true))
      die_of((int)one.ssi_signo);
    else
      fprintx(stderr, "%s\n", i->said);
  }
  if (files[1].fd >= 0)
    close(files[1].fd);
  return NULL;
}

bool interrupt_begin(interrupt *i, const char *said) {
  static const int numbers[] = {SIGINT, SIGTERM};
  i->said = said;
  i->running = false;
  atomic_init(&i->came, false);
  sigemptyset(&i->watched);
  for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; ++n) {
    struct sigaction now;
    if (sigaction(numbers[n], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
      sigaddset(&i->watched, numbers[n]);
  }
  i->end = eventfd(0, EFD_CLOEXEC);
  if (i->end < 0)
    return false;
  pthread_sigmask(SIG_BLOCK, &i->watched, &i->before);
  i->running = pthread_create(&i->thread, NULL, wait_for_signals, i) == 0;
  if (i->running)
    return true;
  pthread_sigmask(SIG_SETMASK, &i->before, NULL);
  close(i->end);
  return false;
}

void interrupt_end(interrupt *i) {
  if (!i->running)
    return;
  i->running = false;
  // The counter of an eventfd takes any number.
  const uint64_t one = 1;
  if (write(i->end, &one, sizeof one) == (ssize_t)sizeof one)
    pthread_join(i->thread, NULL);
  close(i->end);
  pthread_sigmask(SIG_SETMASK, &i->before, NULL);
}
