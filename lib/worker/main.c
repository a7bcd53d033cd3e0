// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac-compiler: the compiler in a process of its own, started by libfmhac
// with a socket for its standard input.
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve.h"

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
  return fmhac_compiler_serve(STDIN_FILENO, REST_SECONDS);
}
