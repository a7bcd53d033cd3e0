// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The public calls of configurations: values (config.h), and the schedule that
// the user's table has for them.
#include <stdlib.h>

#include "choose.h"
#include "context.h"
#include "float_environment.h"
#include "require.h"
#include "schedule_list.h"

static fmhac_status create(fmhac_context *context, const char *json,
                           fmhac_config **out_config) {
  const fmhac_allocator a = fmhac_allocator_of(context);
  fmhac_config *config = fmhac_allocate(a, sizeof *config);
  if (!config)
    return fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                      "configuration: no memory for %zu bytes", sizeof *config);
  config->context = context;
  char *canonical = NULL;
  fmhac_status status =
      fmhac_config_values_parse(context, json, &config->values);
  if (status == FMHAC_OK)
    status = fmhac_choose_by_users_table(context, config);
  if (status == FMHAC_OK)
    status = fmhac_schedule_list_get(context, config->values.schedule,
                                     &config->schedules);
  if (status != FMHAC_OK)
    goto cleanup;
  canonical = fmhac_config_values_print(&config->values);
  config->canonical = canonical ? fmhac_duplicate_text(a, canonical) : NULL;
  if (!config->canonical) {
    status = fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                        "configuration: no memory for the canonical form");
    goto cleanup;
  }
  *out_config = config;
  config = NULL;

cleanup:
  free(canonical);
  fmhac_config_destroy(config);
  return status;
}

fmhac_status fmhac_config_create_json(fmhac_context *context, const char *json,
                                      fmhac_config **out_config) {
  FMHAC_CLEAR(out_config);
  fmhac_status status =
      FMHAC_REQUIRE(context, FMHAC_GIVEN(context), FMHAC_GIVEN(json),
                    FMHAC_GIVEN(out_config));
  if (status != FMHAC_OK)
    return status;
  // strtod() and printf() round as the caller does, and the same text must
  // always be the same configuration.
  fenv_t caller;
  fmhac_float_begin(&caller);
  status = create(context, json, out_config);
  fmhac_float_end(&caller);
  return status;
}

void fmhac_config_destroy(fmhac_config *config) {
  if (!config)
    return;
  const fmhac_allocator a = fmhac_allocator_of(config->context);
  fmhac_release(a, config->canonical);
  fmhac_release(a, config);
}

const char *fmhac_config_get_canonical(const fmhac_config *config) {
  return config ? config->canonical : "";
}
