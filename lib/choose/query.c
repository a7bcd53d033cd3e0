// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac_query() and fmhac_query_schedule(): what fmhac_compile() would do.
#include <stdio.h>

#include "choose.h"
#include "context.h"
#include "fmhac_schedule.h"
#include "require.h"
#include "support.h"

fmhac_status fmhac_query_schedule(fmhac_context *context,
                                  const fmhac_config *config, size_t entry,
                                  fmhac_schedule_choice *out_choice) {
  fmhac_status status =
      FMHAC_REQUIRE(context, FMHAC_GIVEN(context), FMHAC_OWNED(config),
                    FMHAC_GIVEN(out_choice));
  if (status == FMHAC_OK)
    status =
        FMHAC_REQUIRE_SIZE(context, out_choice, fmhac_schedule_choice, when);
  if (status != FMHAC_OK)
    return status;
  fmhac_choice choice;
  status = fmhac_choose(context, config, NULL, &choice);
  if (status == FMHAC_OK && entry >= choice.count)
    status = fmhac_fail(context, FMHAC_INVALID_INPUT,
                        "choosing a schedule: expected an entry below %zu, "
                        "found %zu",
                        choice.count, entry);
  if (status == FMHAC_OK)
    status = FMHAC_REQUIRE_OUT(context, out_choice, fmhac_schedule_choice, when,
                               &choice.entries[entry].reason);
  fmhac_choice_deinit(&choice);
  return status;
}

/// An unsupported configuration has an answer, too.
static fmhac_status query(fmhac_context *context, const fmhac_config *config,
                          fmhac_support *out) {
  fmhac_status status = fmhac_support_find(context, &config->values,
                                           &config->schedules, out, NULL);
  if (status != FMHAC_OK || !out->supported)
    return status;
  fmhac_choice choice;
  status = fmhac_choose(context, config, NULL, &choice);
  if (status == FMHAC_OK) {
    snprintf(out->schedule, sizeof out->schedule, "%s", choice.list.text);
    out->entry_count = choice.count;
  }
  fmhac_choice_deinit(&choice);
  return status;
}

fmhac_status fmhac_query(fmhac_context *context, const fmhac_config *config,
                         fmhac_support *out_support) {
  fmhac_status status =
      FMHAC_REQUIRE(context, FMHAC_GIVEN(context), FMHAC_OWNED(config),
                    FMHAC_GIVEN(out_support));
  if (status == FMHAC_OK)
    status =
        FMHAC_REQUIRE_SIZE(context, out_support, fmhac_support, entry_count);
  if (status != FMHAC_OK)
    return status;
  fmhac_support known;
  status = query(context, config, &known);
  const fmhac_status given = FMHAC_REQUIRE_OUT(
      context, out_support, fmhac_support, entry_count, &known);
  return status == FMHAC_OK ? given : status;
}
