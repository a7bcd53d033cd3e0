// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "work.h"

#include <inttypes.h>

#include "context.h"

fmhac_status fmhac_check_work(fmhac_context *context,
                              const fmhac_config_values *values) {
  const bool is_fixed = values->split_kv == FMHAC_SPLIT_KV_FIXED;
  if (is_fixed == (values->split_chunk != 0))
    return FMHAC_OK;
  return is_fixed
             ? fmhac_fail(context, FMHAC_INVALID_INPUT,
                          "configuration: \"split_kv\" is \"fixed\": expected "
                          "\"split_chunk\", the keys of a chunk, beside it, "
                          "found none")
             : fmhac_fail(context, FMHAC_INVALID_INPUT,
                          "configuration: \"split_chunk\" is %" PRId64
                          ": expected \"split_kv\": \"fixed\" beside it, which "
                          "divides keys into chunks of that length",
                          values->split_chunk);
}

const char *fmhac_work_refusal(const fmhac_config_values *values) {
  if (values->split_kv != FMHAC_SPLIT_KV_NONE &&
      values->work == FMHAC_WORK_GRID)
    return "a workgroup of the grid has all keys of its rows: expected work = "
           "list, queue, auto or runs with split_kv";
  if (values->split_kv == FMHAC_SPLIT_KV_FIXED &&
      values->work == FMHAC_WORK_RUNS)
    return "runs end where workgroups have equal shares: expected work = list, "
           "queue or auto with split_kv = fixed";
  return NULL;
}
