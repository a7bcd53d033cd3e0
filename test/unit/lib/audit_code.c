// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a compilation makes of a code object: a compiler that leaves waits out
// cannot be had otherwise. Prints the status and the text.
#include <stdio.h>
#include <stdlib.h>

#include "audit.h"

static void print_line(void *user, fmhac_severity severity, const char *text) {
  (void)user;
  (void)severity;
  fprintf(stderr, "log: %s\n", text);
}

int main(int argc, char **argv) {
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (!file)
    return EXIT_FAILURE;
  static unsigned char bytes[1 << 20];
  const size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  const fmhac_context_options options = {.size = sizeof options,
                                         .log = print_line};
  fmhac_context *context = NULL;
  if (fmhac_context_create(&options, &context) != FMHAC_OK)
    return EXIT_FAILURE;
  const fmhac_status status = fmhac_audit_code(context, bytes, size);
  printf("%d\n", (int)status);
  if (status != FMHAC_OK)
    fprintf(stderr, "%s\n", fmhac_last_error(context));
  fmhac_context_destroy(context);
  return EXIT_SUCCESS;
}
