// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text or bytes of a rung, and how they are made.
#include <string.h>

#include "context.h"
#include "fmhac_inspect.h"
#include "kernel.h"
#include "pass_table.h"
#include "remote.h"
#include "require.h"

/// Runs an order whose configuration nobody has looked at yet.
static fmhac_status run(fmhac_context *context, fmhac_order order,
                        fmhac_product *product) {
  fmhac_choice choice = {0};
  fmhac_sources sources = {0};
  order.choice = &choice;
  order.sources = &sources;
  fmhac_status status = fmhac_sources_read(context, order.config, &sources);
  if (status == FMHAC_OK)
    status = fmhac_choose(context, order.config, &sources, &choice);
  if (status == FMHAC_OK)
    status = fmhac_order_run(context, &order, product);
  fmhac_choice_deinit(&choice);
  fmhac_sources_deinit(&sources);
  return status;
}

/// Finds one of the rungs from `first` to `last`; `doing` begins the message of
/// an error.
static fmhac_status find_rung(fmhac_context *context, const char *doing,
                              const char *name, fmhac_rung first,
                              fmhac_rung last, fmhac_rung *out_rung) {
  const char *names[FMHAC_RUNG_COUNT];
  size_t count = 0;
  fmhac_str list = {0};
  for (size_t i = first; i <= last; ++i) {
    names[count] = fmhac_rung_name(i);
    fmhac_str_appendf(&list, "%s%s", count ? ", " : "", names[count]);
    ++count;
  }
  fmhac_status status = FMHAC_OK;
  if (!fmhac_rung_find(name, out_rung) || *out_rung < first ||
      *out_rung > last) {
    const char *near = fmhac_nearest_spelling(name, names, count);
    status = fmhac_fail(context, FMHAC_INVALID_INPUT,
                        "%s: expected one of %s, found '%.60s'%s%s%s", doing,
                        list.text ? list.text : "", name,
                        near ? "; did you mean '" : "", near ? near : "",
                        near ? "'?" : "");
  }
  fmhac_str_deinit(&list);
  return status;
}

static fmhac_status emit(fmhac_context *context, fmhac_order order,
                         void **out_bytes, size_t *out_size_bytes) {
  fmhac_product product = {0};
  order.task = FMHAC_TASK_EMIT;
  fmhac_status status = run(context, order, &product);
  *out_bytes = product.bytes;
  *out_size_bytes = product.size_bytes;
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
  fmhac_order order = {.config = config};
  if (status == FMHAC_OK)
    status = find_rung(context, "emitting a rung", rung, FMHAC_RUNG_PROBLEM,
                       FMHAC_RUNG_HSACO, &order.rung);
  return status == FMHAC_OK ? emit(context, order, out_bytes, out_size_bytes)
                            : status;
}

/// An order that goes on from a text.
static fmhac_status go_on(fmhac_context *context, const fmhac_config *config,
                          const char *rung, const char *text, const char *name,
                          fmhac_order *out_order) {
  text = fmhac_skip_mark(text);
  *out_order = (fmhac_order){.config = config,
                             .from = {.name = name ? name : rung,
                                      .text = text,
                                      .length = strlen(text)}};
  return find_rung(context, "going on from a rung", rung, FMHAC_RUNG_PROBLEM,
                   FMHAC_RUNG_LLVM, &out_order->from.rung);
}

fmhac_status fmhac_emit_from(fmhac_context *context, const fmhac_config *config,
                             const char *from_rung, const char *text,
                             const char *name, const char *rung,
                             void **out_bytes, size_t *out_size_bytes) {
  FMHAC_CLEAR(out_bytes);
  FMHAC_CLEAR(out_size_bytes);
  fmhac_status status = FMHAC_REQUIRE(
      context, FMHAC_GIVEN(context), FMHAC_OWNED(config),
      FMHAC_GIVEN(from_rung), FMHAC_GIVEN(text), FMHAC_GIVEN(rung),
      FMHAC_GIVEN(out_bytes), FMHAC_GIVEN(out_size_bytes));
  fmhac_order order;
  if (status == FMHAC_OK)
    status = go_on(context, config, from_rung, text, name, &order);
  if (status == FMHAC_OK)
    status = find_rung(context, "emitting a rung", rung, order.from.rung,
                       FMHAC_RUNG_HSACO, &order.rung);
  return status == FMHAC_OK ? emit(context, order, out_bytes, out_size_bytes)
                            : status;
}

fmhac_status fmhac_compile_from(fmhac_context *context,
                                const fmhac_config *config, const char *rung,
                                const char *text, const char *name,
                                fmhac_kernel **out_kernel) {
  FMHAC_CLEAR(out_kernel);
  fmhac_status status = FMHAC_REQUIRE(
      context, FMHAC_GIVEN(context), FMHAC_OWNED(config), FMHAC_GIVEN(rung),
      FMHAC_GIVEN(text), FMHAC_GIVEN(out_kernel));
  fmhac_order order;
  if (status == FMHAC_OK)
    status = go_on(context, config, rung, text, name, &order);
  if (status != FMHAC_OK)
    return status;
  order.task = FMHAC_TASK_COMPILE;
  order.rung = FMHAC_RUNG_HSACO;
  fmhac_kernel *kernel = fmhac_kernel_create(context);
  if (!kernel)
    return fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                      "compiling: no memory for a kernel");
  fmhac_product product = {.kernel = kernel};
  status = run(context, order, &product);
  if (status != FMHAC_OK) {
    fmhac_kernel_destroy(kernel);
    return status;
  }
  kernel->config = config->values;
  kernel->is_from_text = true;
  atomic_fetch_add(&context->counters.compiles, 1);
  *out_kernel = kernel;
  return FMHAC_OK;
}

fmhac_status fmhac_emit_after_all(
    fmhac_context *context, const fmhac_config *config,
    void (*sink)(void *user, const char *pass, const char *text), void *user) {
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
  fmhac_choice choice;
  status = fmhac_choose(context, config, NULL, &choice);
  if (status == FMHAC_OK) {
    *out_text = fmhac_pipeline_print(choice.builtins.text,
                                     !context->options.no_line_tables);
    if (!*out_text)
      status = fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                          "printing the pipeline: out of memory");
  }
  fmhac_choice_deinit(&choice);
  return status;
}
