// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What fmhac compile would say of a code object that it made: a compiler that
// leaves waits out cannot be had otherwise.
#include <stdio.h>
#include <stdlib.h>

#include "audit.h"
#include "files.h"

int main(int argc, char **argv) {
  char error[ERROR_BYTES];
  void *bytes;
  size_t size;
  if (argc != 2 || !file_read(argv[1], &bytes, &size, error))
    return EXIT_USAGE;
  const report r = {.command = "compile", .json = true};
  cJSON *result = cJSON_CreateObject();
  double seconds = -1;
  int code = audit_output(&r, bytes, size, result, &seconds);
  free(bytes);
  if (code == EXIT_DONE)
    report_json(result);
  else
    cJSON_Delete(result);
  return seconds < 0 ? EXIT_USAGE : code;
}
