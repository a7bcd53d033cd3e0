// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench_data.h"

#include <stdlib.h>

#include "kernel_object.h"
#include "run_factors.h"
#include "run_features.h"
#include "schedule_facts.h"

static bool fail(const bench_data *b, const char *what,
                 char error[ERROR_BYTES]) {
  return ERROR_SET(error, "%s: %s: %s", b->device->uri, what,
                   fmhac_rt_last_error(b->device->device));
}

static bool map(const bench_data *b, const char *name, size_t bytes,
                uint64_t *out_address, char error[ERROR_BYTES]) {
  const fmhac_emu_buffer buffer = {.size = sizeof buffer,
                                   .name = name,
                                   .bytes = bytes,
                                   .contents =
                                       FMHAC_EMU_CONTENTS_UNINITIALISED};
  return fmhac_emu_map(b->device->device, &buffer, out_address) == FMHAC_OK ||
         fail(b, name, error);
}

static bool read_order(bench_data *b, const fmhac_plan *plan,
                       char error[ERROR_BYTES]) {
  const fmhac_kernel *kernel = fmhac_plan_get_kernel(plan);
  code_object object;
  if (!kernel_object_read(kernel, &object, error))
    return false;
  const fmhac_kernel_info entry = plan_entry(plan);
  b->keeps_places = schedule_keeps_places(object.note, entry.name);
  b->packs_heads = kernel_tile_of(object.note, entry.name).packs_heads;
  code_object_deinit(&object);
  return true;
}

bool bench_data_init(bench_data *b, run_data *data, run_device *device,
                     const fmhac_plan *plan, char error[ERROR_BYTES]) {
  const size_t workspace_bytes = fmhac_plan_workspace_bytes(plan);
  const attention *p = &data->problem;
  *b = (bench_data){.data = data, .device = device};
  b->has_q = calloc((size_t)p->batch * p->heads_q, sizeof *b->has_q);
  b->has_kv = calloc((size_t)p->batch * p->heads_kv, sizeof *b->has_kv);
  b->has_rope = calloc(p->batch, sizeof *b->has_rope);
  if (!b->has_q || !b->has_kv || !b->has_rope)
    return ERROR_SET(error, "no memory for the list of heads");
  if (!read_order(b, plan, error) || !run_features_fill(data, error) ||
      !run_factors_fill(data, error))
    return false;
  for (int i = 0; i < BUFFER_COUNT; ++i) {
    run_buffer *buffer = &data->buffers[i];
    if (buffer->bytes == 0)
      continue;
    if (!map(b, buffer->name, buffer->bytes, &buffer->address, error))
      return false;
    if (i >= TENSOR_COUNT &&
        fmhac_rt_copy_in(device->device, buffer->address, buffer->host,
                         buffer->bytes) != FMHAC_OK)
      return fail(b, buffer->name, error);
  }
  return workspace_bytes == 0 ||
         (map(b, "workspace", workspace_bytes, &device->workspace, error) &&
          run_device_clear_workspace(device, plan, error) == FMHAC_OK);
}

void bench_data_deinit(bench_data *b) {
  free(b->has_q);
  free(b->has_kv);
  free(b->has_rope);
  *b = (bench_data){0};
}

//===- Heads --------------------------------------------------------------===//

/// Data beyond this size is created again for each kernel.
static const size_t k_most_kept_bytes = (size_t)1 << 30;

void bench_kept_deinit(bench_kept *kept) {
  for (size_t i = 0; i < kept->count; ++i)
    free(kept->heads[i]);
  free(kept->heads);
  *kept = (bench_kept){0};
}

/// Where the rows of a head are kept; NULL: nowhere.
static void **place_of(const bench_data *b, int tensor, uint32_t batch,
                       uint32_t head) {
  const attention *p = &b->data->problem;
  bench_kept *kept = b->kept;
  if (!kept)
    return NULL;
  const size_t heads = (size_t)p->batch * p->heads_q;
  if (!kept->heads) {
    kept->heads = calloc(TENSOR_O * heads, sizeof *kept->heads);
    kept->count = kept->heads ? TENSOR_O * heads : 0;
  }
  // K and V have at most as many heads as Q.
  size_t at = (size_t)tensor * heads + (size_t)batch * p->heads_q + head;
  return at < kept->count ? &kept->heads[at] : NULL;
}

/// The rows of a head, one after the other: kept rows, or else new ones.
/// `*out_owned`: the caller frees them. NULL when memory is exhausted.
static char *head_rows(bench_data *b, int tensor, uint32_t batch, uint32_t head,
                       const run_sequence *s, bool *out_owned) {
  const run_data *data = b->data;
  const tensor_place *place = &data->tensors[tensor].place;
  const size_t bytes = s->rows * place->dim * element_bytes(place->type);
  void **kept = place_of(b, tensor, batch, head);
  *out_owned = false;
  if (kept && *kept)
    return *kept;
  char *rows = malloc(bytes);
  if (!rows)
    return NULL;
  const uint64_t first = run_data_first_index(data, tensor, *s);
  const input_request request = {.kind = data->input,
                                 .tensor = (input_tensor)tensor,
                                 .seed = (uint64_t)data->seed,
                                 .type = place->type,
                                 .sequence = batch,
                                 .first_index = first,
                                 .rows = (uint32_t)s->rows,
                                 .heads = (uint32_t)place->heads,
                                 .dim = (uint32_t)place->dim,
                                 .problem = &data->problem};
  input_fill_head(&request, head, rows);
  *out_owned = !kept || b->kept->bytes + bytes > k_most_kept_bytes;
  if (!*out_owned) {
    *kept = rows;
    b->kept->bytes += bytes;
  }
  return rows;
}

static bool make_head(bench_data *b, int tensor, uint32_t batch, uint32_t head,
                      char error[ERROR_BYTES]) {
  const run_data *data = b->data;
  const run_tensor *t = &data->tensors[tensor];
  const tensor_place *place = &t->place;
  const run_sequence s = run_data_sequence(data, tensor, batch);
  const size_t element = element_bytes(place->type);
  const size_t row_bytes = place->dim * element;
  const uint64_t run = tensor_place_run(place);
  if (s.rows == 0)
    return true;
  bool owned;
  char *rows = head_rows(b, tensor, batch, head, &s, &owned);
  if (!rows)
    return ERROR_SET(error, "no memory for the %zu bytes of a head of %s",
                     (size_t)s.rows * row_bytes, t->name);
  const uint64_t home = data->buffers[t->home].address;
  bool ok = true;
  for (uint64_t i = 0; ok && i < s.rows * place->dim; i += run) {
    const uint64_t at =
        run_data_at(data, tensor, batch, i / place->dim, head, i % place->dim);
    ok = fmhac_rt_copy_in(b->device->device, home + at * element,
                          rows + i * element, run * element) == FMHAC_OK;
  }
  if (owned)
    free(rows);
  return ok || fail(b, t->name, error);
}

/// Of k_rope the head that a head of K has, once.
static bool make_rope(bench_data *b, uint32_t batch, uint32_t head_kv,
                      char error[ERROR_BYTES]) {
  const uint32_t heads = b->data->rope_heads;
  if (!heads || (heads == 1 && b->has_rope[batch]))
    return true;
  b->has_rope[batch] = true;
  return make_head(b, TENSOR_K_ROPE, batch, heads == 1 ? 0 : head_kv, error);
}

static bool need_head(bench_data *b, uint32_t batch, uint32_t head,
                      char error[ERROR_BYTES]) {
  const attention *p = &b->data->problem;
  const uint32_t head_kv = head / (p->heads_q / p->heads_kv);
  bool *has_q = &b->has_q[(size_t)batch * p->heads_q + head];
  bool *has_kv = &b->has_kv[(size_t)batch * p->heads_kv + head_kv];
  if (!*has_q && !make_head(b, TENSOR_Q, batch, head, error))
    return false;
  *has_q = true;
  if (!*has_kv &&
      (!make_head(b, TENSOR_K, batch, head_kv, error) ||
       (!b->data->v_in_k && !make_head(b, TENSOR_V, batch, head_kv, error)) ||
       !make_rope(b, batch, head_kv, error)))
    return false;
  *has_kv = true;
  return true;
}

bool bench_data_need(bench_data *b, const uint32_t workgroup[3],
                     char error[ERROR_BYTES]) {
  const attention *p = &b->data->problem;
  const uint32_t of_workgroup = b->packs_heads ? p->heads_q / p->heads_kv : 1;
  for (uint32_t i = 0; b->keeps_places && i < of_workgroup; ++i)
    if (!need_head(b, workgroup[2], workgroup[1] * of_workgroup + i, error))
      return false;
  if (b->keeps_places)
    return true;
  for (uint32_t batch = 0; batch < p->batch; ++batch)
    for (uint32_t head = 0; head < p->heads_q; ++head)
      if (!need_head(b, batch, head, error))
        return false;
  return true;
}
