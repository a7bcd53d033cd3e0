// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac-compiler: the compiler in a process of its own, started by libfmhac
// with a socket for its standard input.
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve.h"

/// Ends this process when its parent ends, also in the middle of LLVM's work.
static void *watch(void *unused) {
  struct pollfd one = {.fd = STDIN_FILENO, .events = POLLRDHUP};
  (void)unused;
  while (poll(&one, 1, -1) < 0 || !(one.revents & (POLLRDHUP | POLLHUP)))
    ;
  _exit(0);
}

int main(void) {
  enum { REST_SECONDS = 60, EXIT_USAGE = 2 };
  int type;
  socklen_t bytes = sizeof type;
  if (getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &type, &bytes) != 0) {
    fputs("fmhac-compiler: expected a socket for standard input: libfmhac "
          "starts this program, see fmhac(1) for the command\n",
          stderr);
    return EXIT_USAGE;
  }
  pthread_t thread; // without it the process ends when it next says something
  if (pthread_create(&thread, NULL, watch, NULL) == 0)
    pthread_detach(thread);
  return fmhac_compiler_serve(STDIN_FILENO, REST_SECONDS);
}
