// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A test of the data of a run, in a directory of its own with files "a.npy" to
/// "d.npy", "q.npy", "k.npy", "v.npy".
#ifndef FMHAC_RUN_FIXTURE_H
#define FMHAC_RUN_FIXTURE_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run_arrays.h"

typedef struct fixture {
  char directory[32];
  fmhac_context *context;
  fmhac_config *config;
  cJSON *options;
  run_data data;
} fixture;

static inline int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  strcpy(f->directory, "run_test_XXXXXX");
  *state = f;
  return !mkdtemp(f->directory) || chdir(f->directory) != 0 ||
         fmhac_context_create(NULL, &f->context) != FMHAC_OK;
}

static inline void close_run(fixture *f) {
  run_data_deinit(&f->data);
  fmhac_config_destroy(f->config);
  cJSON_Delete(f->options);
  f->config = NULL;
  f->options = NULL;
}

static inline int tear_down(void **state) {
  fixture *f = *state;
  close_run(f);
  fmhac_context_destroy(f->context);
  static const char *const names[] = {"a.npy", "b.npy", "c.npy", "d.npy",
                                      "q.npy", "k.npy", "v.npy"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    unlink(names[i]);
  int failed = chdir("..") != 0 || rmdir(f->directory) != 0;
  free(f);
  return failed;
}

#endif // FMHAC_RUN_FIXTURE_H
