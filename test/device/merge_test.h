// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the tests of fmhac_merge.h share.
#ifndef FMHAC_TEST_MERGE_TEST_H
#define FMHAC_TEST_MERGE_TEST_H

#include "attention_test.h"
#include "fmhac_merge.h"

static inline fmhac_merge *make_merge(const char *json) {
  fmhac_merge *merge;
  if (fmhac_merge_create_json(g_context, json, &merge) != FMHAC_OK)
    fail_msg("%s: %s", json, fmhac_last_error(g_context));
  return merge;
}

static inline void launch_merge(const fmhac_merge *merge,
                                const fmhac_merge_tensors *t) {
  if (fmhac_merge_launch(merge, g_device, t, NULL) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(g_context));
}

/// Opens what `uri` names, with all checks if it is the emulator. False if that
/// fails.
static inline bool open_all(const char *uri) {
  g_context = open_context();
  return g_context && fmhac_rt_device_open(uri, &g_device) == FMHAC_OK &&
         (strcmp(uri, "emu") != 0 || set_order(g_device, 0) == FMHAC_OK);
}
static inline void close_all(void) {
  fmhac_rt_device_close(g_device);
  fmhac_context_destroy(g_context);
}

#endif // FMHAC_TEST_MERGE_TEST_H
