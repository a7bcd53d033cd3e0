// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sub-commands whose names are kept: they say what serves instead today.
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "report.h"

static const struct {
  const char *name, *would, *instead;
} reserved[] = {
    {"tune", "searches schedules",
     "`fmhac list` names the schedules, --schedule takes one"},
};

int cmd_reserved(int argc, char **argv) {
  report r = {.command = argv[0]};
  bool help = false;
  if (argc == 2 && strcmp(argv[1], "--list-flags") == 0) {
    printf("\t\t\n--help\t\tprint what serves instead\n");
    return EXIT_DONE;
  }
  for (int i = 1; i < argc; ++i) {
    r.json |= strcmp(argv[i], "--json") == 0;
    help |= strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0;
  }
  for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; ++i) {
    if (strcmp(argv[0], reserved[i].name) != 0)
      continue;
    if (help) {
      printf("usage: fmhac %s\n\n%s %s: not built yet. %s.\n", reserved[i].name,
             reserved[i].name, reserved[i].would, reserved[i].instead);
      return EXIT_DONE;
    }
    return report_error(&r, EXIT_UNSUPPORTED,
                        "not built yet (it %s); available: %s",
                        reserved[i].would, reserved[i].instead);
  }
  return EXIT_INTERNAL;
}
