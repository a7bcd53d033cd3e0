// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A command that is resident: one process loads it and its libraries once, and
// forks a child for each request. A request is a connection to a socket:
//
//   client  a resident_request, with RESIDENT_FDS descriptors beside it; then
//   `bytes`
//           bytes: the arguments and the environment, each ended by a 0
//   server  the wait status of the child, an int, when it has ended
//
// A connection that closes early ends the child.
#ifndef FMHAC_TEST_RESIDENT_H
#define FMHAC_TEST_RESIDENT_H

#include <stdint.h>
#include <sys/resource.h>

/// Standard input, output, error, and the working directory.
enum { RESIDENT_FDS = 4, RESIDENT_LIMITS = 5 };

/// Those that a test may set for what it starts.
static const int resident_limits[RESIDENT_LIMITS] = {
    RLIMIT_AS, RLIMIT_FSIZE, RLIMIT_CORE, RLIMIT_CPU, RLIMIT_NOFILE};

typedef struct {
  uint32_t arguments, variables, bytes;
  uint32_t closed; ///< bit i: standard stream i was closed
  struct rlimit limits[RESIDENT_LIMITS];
} resident_request;

#endif
