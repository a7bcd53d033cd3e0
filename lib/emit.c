// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What stands at a rung of the ladder, and how it comes to be.
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "fmhac_inspect.h"
#include "order.h"
#include "pipeline.h"
#include "query.h"
#include "require.h"

/// Runs an order whose configuration nobody has looked at yet.
static fmhac_status run(fmhac_context *context, fmhac_order order,
                        fmhac_product *product) {
  fmhac_support support = {.size = sizeof support};
  fmhac_sources sources = {0};
  order.support = &support;
  order.sources = &sources;
  fmhac_status status =
      fmhac_query_require(context, &order.config->values, &support);
  if (status == FMHAC_OK)
    status = fmhac_sources_read(context, order.config, &sources);
  if (status == FMHAC_OK)
    status = fmhac_order_run(context, &order, product);
  fmhac_sources_deinit(&sources);
  return status;
}

fmhac_status fmhac_emit(fmhac_context *context, const fmhac_config *config,
                        const char *rung, void **out_bytes,
                        size_t *out_size_bytes) {
  FMHAC_CLEAR(out_bytes);
  FMHAC_CLEAR(out_size_bytes);
  fmhac_status status = FMHAC_REQUIRE(
      context, FMHAC_GIVEN(context), FMHAC_OWNED(config), FMHAC_GIVEN(rung),
      FMHAC_GIVEN(out_bytes), FMHAC_GIVEN(out_size_bytes));
  if (status != FMHAC_OK)
    return status;
  fmhac_rung found;
  if (!fmhac_rung_find(rung, &found)) {
    fmhac_str names = {0};
    for (size_t i = 0; fmhac_rung_name(i); ++i)
      fmhac_str_appendf(&names, "%s%s", i ? ", " : "", fmhac_rung_name(i));
    status = fmhac_fail(context, FMHAC_INVALID_INPUT,
                        "emitting a rung: expected one of %s, found '%s'",
                        names.text ? names.text : "", rung);
    fmhac_str_deinit(&names);
    return status;
  }
  fmhac_product product = {0};
  status = run(
      context,
      (fmhac_order){.task = FMHAC_TASK_EMIT, .config = config, .rung = found},
      &product);
  *out_bytes = product.bytes;
  *out_size_bytes = product.size_bytes;
  return status;
}

fmhac_status fmhac_emit_after_all(
    fmhac_context *context, const fmhac_config *config,
    void (*sink)(void *user, const char *stage, const char *text), void *user) {
  fmhac_product product = {0};
  fmhac_status status = FMHAC_REQUIRE(context, FMHAC_GIVEN(context),
                                      FMHAC_OWNED(config), FMHAC_GIVEN(sink));
  if (status != FMHAC_OK)
    return status;
  return run(context,
             (fmhac_order){.task = FMHAC_TASK_PRINT_IR,
                           .config = config,
                           .rung = FMHAC_RUNG_ROCDL,
                           .print = sink,
                           .print_user = user},
             &product);
}

fmhac_status fmhac_emit_pipeline(fmhac_context *context,
                                 const fmhac_config *config, char **out_text) {
  FMHAC_CLEAR(out_text);
  fmhac_status status =
      FMHAC_REQUIRE(context, FMHAC_GIVEN(context), FMHAC_OWNED(config),
                    FMHAC_GIVEN(out_text));
  if (status != FMHAC_OK)
    return status;
  fmhac_support support = {.size = sizeof support};
  status = fmhac_query_require(context, &config->values, &support);
  if (status != FMHAC_OK)
    return status;
  fmhac_str options = {0};
  fmhac_query_selection(&config->values, &options);
  *out_text = options.failed
                  ? NULL
                  : fmhac_pipeline_print(options.text,
                                         !context->options.no_line_tables);
  fmhac_str_deinit(&options);
  return *out_text ? FMHAC_OK
                   : fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                                "printing the pipeline: out of memory");
}
