// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the tests of compilations have in common: a folder to write in, the
/// first argument of the program.
#ifndef FMHAC_JIT_TEST_H
#define FMHAC_JIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <sys/stat.h>

static const char *folder;

/// Takes the folder from the command line and makes it. False: there is none.
static inline bool take_folder(int argc, char **argv) {
  if (argc != 2)
    return false;
  folder = argv[1];
  return mkdir(folder, 0777) == 0 || errno == EEXIST;
}

/// The path of a file in the folder with that text, which may be run; valid
/// until the next.
static inline const char *write_file(const char *name, const char *content) {
  static char path[4096];
  assert_true(snprintf(path, sizeof path, "%s/%s", folder, name) <
              (int)sizeof path);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(content, file) >= 0);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(chmod(path, 0755), 0);
  return path;
}

#endif // FMHAC_JIT_TEST_H
