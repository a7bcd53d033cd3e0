// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts about a kernel, written to a buffer of the caller.
#include <cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "descriptor.h"
#include "fmhac_inspect.h"
#include "kernel.h"
#include "remote.h"
#include "require.h"
#include "schedule_list.h"

/// A text in the making; `bytes` is owned.
typedef struct answer {
  void *bytes;
  size_t size_bytes; ///< with its terminator if it is a text
} answer;

static fmhac_status no_memory(const fmhac_kernel *kernel) {
  return fmhac_fail(kernel->context, FMHAC_OUT_OF_MEMORY,
                    "telling of a kernel: out of memory");
}

/// Answers with a text that it takes; NULL: there was no memory for it.
static fmhac_status take_text(const fmhac_kernel *kernel, char *text,
                              answer *out) {
  if (!text)
    return no_memory(kernel);
  *out = (answer){text, strlen(text) + 1};
  return FMHAC_OK;
}

static fmhac_status write_log(const fmhac_kernel *kernel, answer *out) {
  return take_text(kernel, strdup(kernel->log ? kernel->log : ""), out);
}

static fmhac_status write_config(const fmhac_kernel *kernel, answer *out) {
  return take_text(kernel, fmhac_config_values_print(&kernel->config), out);
}

/// Adds an entry; false when memory is exhausted.
static bool add_entry(cJSON *list, const fmhac_entry *entry,
                      const fmhac_descriptor *d) {
  const struct {
    const char *key;
    double value;
  } numbers[] = {
      {"lds_bytes", d->lds_bytes},  {"vgprs", d->vgprs},
      {"spills", d->spills},        {"scratch_bytes", d->scratch_bytes},
      {"tile_rows", entry->tile_m}, {"block_threads", entry->block_threads}};
  const char *const grid[] = {entry->grid[0], entry->grid[1], entry->grid[2]};
  cJSON *object = cJSON_CreateObject();
  cJSON *sides = cJSON_CreateStringArray(grid, 3);
  bool ok =
      cJSON_AddItemToArray(list, object) &&
      cJSON_AddStringToObject(object, "kernel", entry->kernel) &&
      cJSON_AddStringToObject(object, "role", fmhac_role_name(entry->role)) &&
      cJSON_AddStringToObject(object, "schedule", entry->schedule) &&
      cJSON_AddStringToObject(object, "when", entry->when);
  if (!ok || !cJSON_AddItemToObject(object, "grid", sides)) {
    cJSON_Delete(sides);
    ok = false;
  }
  for (size_t i = 0; ok && i < sizeof numbers / sizeof numbers[0]; ++i)
    ok = cJSON_AddNumberToObject(object, numbers[i].key, numbers[i].value);
  return ok;
}

static fmhac_status write_statistics(const fmhac_kernel *kernel, answer *out) {
  cJSON *object = cJSON_CreateObject();
  bool ok = cJSON_AddNumberToObject(object, "code_object_bytes",
                                    (double)kernel->code_bytes);
  cJSON *list = ok ? cJSON_AddArrayToObject(object, "entries") : NULL;
  fmhac_status status = FMHAC_OK;
  for (size_t i = 0; list && i < kernel->entry_count; ++i) {
    fmhac_descriptor d;
    status =
        fmhac_descriptor_read(kernel->context, kernel->code, kernel->code_bytes,
                              kernel->entries[i].kernel, &d);
    if (status != FMHAC_OK || !add_entry(list, &kernel->entries[i], &d))
      list = NULL;
  }
  char *printed = list ? cJSON_PrintUnformatted(object) : NULL;
  char *text = printed ? strdup(printed) : NULL;
  cJSON_free(printed);
  cJSON_Delete(object);
  return status == FMHAC_OK ? take_text(kernel, text, out) : status;
}

static fmhac_status write_code(const fmhac_kernel *kernel, answer *out) {
  void *copy = malloc(kernel->code_bytes ? kernel->code_bytes : 1);
  if (!copy)
    return no_memory(kernel);
  memcpy(copy, kernel->code, kernel->code_bytes);
  *out = (answer){copy, kernel->code_bytes};
  return FMHAC_OK;
}

/// Whether the files that the configuration names are known: not of a kernel
/// that came as a code object.
static bool knows_sources(const fmhac_kernel *kernel,
                          const fmhac_schedule_list *list) {
  const fmhac_config_values *v = &kernel->config;
  bool known = true;
  for (size_t i = 0; known && i < list->count; ++i)
    known = !fmhac_schedule_is_path(list->items[i].name) ||
            kernel->schedule_texts[i];
  return known && (!v->score_mod[0] || kernel->score_mod_text);
}

/// A string that borrows a text; NULL stays none.
static fmhac_str borrow(char *text) {
  return (fmhac_str){.text = text, .length = text ? strlen(text) : 0};
}

/// Compiles the same once more, up to a rung.
static fmhac_status write_rung(const fmhac_kernel *kernel, const char *name,
                               fmhac_rung rung, answer *out) {
  fmhac_context *context = kernel->context;
  if (rung == FMHAC_RUNG_HSACO)
    return write_code(kernel, out);
  if (kernel->is_from_text)
    return fmhac_fail(context, FMHAC_UNSUPPORTED,
                      "printing rung %s of %s: it was compiled from the text "
                      "of a rung, and its code object does not hold that text; "
                      "print your own copy, or compile the configuration",
                      name, kernel->entries[0].kernel);
  fmhac_config config = {.context = context, .values = kernel->config};
  fmhac_status status = fmhac_schedule_list_get(
      context, kernel->config.schedule, &config.schedules);
  if (status != FMHAC_OK)
    return status;
  if (!knows_sources(kernel, &config.schedules))
    return fmhac_fail(context, FMHAC_UNSUPPORTED,
                      "printing rung %s of %s: it came as a code object, which "
                      "does not hold the files that its configuration names; "
                      "compile the configuration",
                      name, kernel->entries[0].kernel);
  // There is a kernel: if a schedule does not fit with the user's function, a
  // table chose them all, and the kernel has the one that takes their place.
  config.row_count = fmhac_schedule_list_count_named(&config.schedules);
  config.canonical = fmhac_config_values_print(&kernel->config);
  fmhac_sources sources = {.score_mod = borrow(kernel->score_mod_text)};
  for (size_t i = 0; i < FMHAC_MOST_ENTRIES; ++i)
    sources.schedules[i] = borrow(kernel->schedule_texts[i]);
  fmhac_choice choice = {0};
  const fmhac_order order = {.task = FMHAC_TASK_EMIT,
                             .config = &config,
                             .choice = &choice,
                             .sources = &sources,
                             .rung = rung};
  fmhac_product product = {0};
  status = config.canonical ? fmhac_choose(context, &config, &sources, &choice)
                            : no_memory(kernel);
  if (status == FMHAC_OK)
    status = fmhac_order_run(context, &order, &product);
  fmhac_choice_deinit(&choice);
  free(config.canonical);
  if (status != FMHAC_OK || rung == FMHAC_RUNG_OBJ) {
    *out = (answer){product.bytes, product.size_bytes};
    return status;
  }
  // A text of the compiler has no terminator among its bytes.
  char *text = realloc(product.bytes, product.size_bytes + 1);
  if (!text) {
    free(product.bytes);
    return no_memory(kernel);
  }
  text[product.size_bytes] = '\0';
  *out = (answer){text, product.size_bytes + 1};
  return FMHAC_OK;
}

static fmhac_status write_text(const fmhac_kernel *kernel, const char *what,
                               answer *out) {
  static const struct {
    const char *name;
    fmhac_status (*write_text)(const fmhac_kernel *kernel, answer *out);
  } texts[] = {{"log", write_log},
               {"statistics", write_statistics},
               {"config", write_config}};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i)
    if (strcmp(what, texts[i].name) == 0)
      return texts[i].write_text(kernel, out);
  fmhac_rung rung;
  if (fmhac_rung_find(what, &rung))
    return write_rung(kernel, what, rung, out);
  return fmhac_fail(kernel->context, FMHAC_INVALID_INPUT,
                    "telling of a kernel: expected log, statistics, config or "
                    "a rung (fmhac_rung_name()), found '%s'",
                    what);
}

/// The answer of the last call, or a new one; the caller has the lock.
static fmhac_status remember(const fmhac_kernel *kernel, const char *what) {
  fmhac_kernel_memo *memo = kernel->memo;
  if (memo->what && strcmp(memo->what, what) == 0)
    return FMHAC_OK;
  answer said = {0};
  fmhac_status status = write_text(kernel, what, &said);
  const fmhac_allocator a = fmhac_allocator_of(kernel->context);
  char *name = NULL;
  void *bytes = NULL;
  if (status == FMHAC_OK) {
    name = fmhac_duplicate_text(a, what);
    bytes = fmhac_duplicate(a, said.bytes, said.size_bytes);
    if (!name || !bytes) {
      fmhac_release(a, name);
      fmhac_release(a, bytes);
      status = no_memory(kernel);
    }
  }
  free(said.bytes);
  if (status != FMHAC_OK)
    return status;
  fmhac_release(a, memo->what);
  fmhac_release(a, memo->bytes);
  memo->what = name;
  memo->bytes = bytes;
  memo->size_bytes = said.size_bytes;
  return FMHAC_OK;
}

fmhac_status fmhac_kernel_get_text(const fmhac_kernel *kernel, const char *what,
                                   void *buffer, size_t buffer_bytes,
                                   size_t *out_bytes) {
  FMHAC_CLEAR(out_bytes);
  fmhac_status status =
      FMHAC_REQUIRE(kernel ? kernel->context : NULL, FMHAC_GIVEN(kernel),
                    FMHAC_GIVEN(what), FMHAC_GIVEN(out_bytes));
  if (status != FMHAC_OK)
    return status;
  fmhac_kernel_memo *memo = kernel->memo;
  if (pthread_mutex_lock(&memo->lock) != 0)
    return fmhac_fail(kernel->context, FMHAC_INVALID_INPUT, FMHAC_CALLED_BACK);
  status = remember(kernel, what);
  const size_t size = memo->size_bytes;
  if (status == FMHAC_OK) {
    *out_bytes = size;
    if (buffer && buffer_bytes >= size)
      memcpy(buffer, memo->bytes, size);
    else if (buffer)
      status = fmhac_fail(kernel->context, FMHAC_INVALID_INPUT,
                          "telling of a kernel: '%s' has %zu bytes, the buffer "
                          "%zu",
                          what, size, buffer_bytes);
  }
  pthread_mutex_unlock(&memo->lock);
  return status;
}
