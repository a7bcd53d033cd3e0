// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Does what each sanitizer must report: a build whose sanitizers are silent
// would pass every other test as well.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void leak(void) {
  // Volatile, so that neither the call nor the store is optimised away.
  void *volatile block = malloc(24);
  block = NULL;
  (void)block;
}

static int overflow(int argc) {
  char *bytes = malloc((size_t)argc);
  if (!bytes)
    return 0;
  int past = bytes[argc];
  free(bytes);
  return past;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  int result = 0;
  if (strcmp(what, "leak") == 0)
    leak();
  else if (strcmp(what, "overflow") == 0)
    result = overflow(argc);
  else if (strcmp(what, "undefined") == 0)
    result = INT_MAX - 1 + argc;
  printf("%d\n", result);
  return 0;
}
