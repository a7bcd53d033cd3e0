// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_tensors.h"

#include <stdlib.h>
#include <string.h>

/// Adds an axis; memory that was exhausted shows as an axis without a name.
static void add_axis(fmhac_emu_tensor *t, const char *name, uint64_t extent,
                     uint64_t stride_elements) {
  t->axis[t->axes] = strdup(name);
  t->shape[t->axes] = extent;
  t->strides_bytes[t->axes] = stride_elements * t->element_bytes;
  t->axes++;
}

static void begin(launch_tensor *out, int buffer, const char *name,
                  uint64_t element_bytes) {
  *out = (launch_tensor){.buffer = (size_t)buffer};
  out->tensor.size = sizeof out->tensor;
  out->tensor.name = strdup(name);
  out->tensor.element_bytes = (uint32_t)element_bytes;
}

static bool set_ragged(fmhac_emu_tensor *t, uint32_t axis,
                       fmhac_emu_ragged kind, const int32_t *rows,
                       uint32_t count) {
  uint64_t *copy = malloc((count + 1) * sizeof *copy);
  if (!copy)
    return false;
  for (uint32_t i = 0; i < count; ++i)
    copy[i] = (uint64_t)rows[i];
  t->ragged = kind;
  t->ragged_axis = axis;
  t->ragged_rows = copy;
  t->ragged_count = count;
  return true;
}

/// Q, K, V, O [B,S,H,D], LSE [B,H,S]; without B where sequences are packed, by
/// page instead where K and V lie in pages.
static bool describe(const run_data *data, int tensor, launch_tensor *out) {
  const run_tensor *from = &data->tensors[tensor];
  const tensor_place *p = &from->place;
  const attention *a = &data->problem;
  bool is_kv = run_data_is_kv(tensor);
  const int32_t *starts = is_kv ? a->cu_seqlens_kv : a->cu_seqlens_q;
  const bool in_pages = is_kv && data->page_count;
  const int32_t *lengths = in_pages ? NULL
                           : is_kv  ? a->seqlens_kv
                                    : a->seqlens_q;
  fmhac_emu_tensor *t = &out->tensor;
  begin(out, from->home, from->name, element_bytes(p->type));
  t->base = p->offset * t->element_bytes;
  // Outputs that overlap are the library's to refuse.
  uint64_t extent;
  t->is_output = (tensor == TENSOR_O || tensor == TENSOR_LSE) &&
                 tensor_place_extent(p, &extent) &&
                 extent - p->offset >= p->batches * p->rows * p->heads * p->dim;
  if (!starts)
    add_axis(t, in_pages ? "p" : "b", p->batches, p->batch_stride);
  if (tensor == TENSOR_LSE)
    add_axis(t, "h", p->heads, p->head_stride);
  uint32_t rows = t->axes;
  if (p->piece) {
    add_axis(t, "h", p->heads, p->head_stride);
    add_axis(t, p->by_row ? "s/x" : "d/x",
             (p->by_row ? p->rows : p->dim) / p->piece,
             (p->by_row ? p->dim : p->rows) * p->piece);
    add_axis(t, p->by_row ? "d" : "s", p->by_row ? p->dim : p->rows, p->piece);
    add_axis(t, p->by_row ? "s%x" : "d%x", p->piece, 1);
    return true; // rows of a page have no lengths
  }
  add_axis(t, "s", p->rows, p->row_stride);
  if (tensor != TENSOR_LSE) {
    add_axis(t, "h", p->heads, p->head_stride);
    add_axis(t, "d", p->dim, 1);
  }
  return starts ? set_ragged(t, rows, FMHAC_EMU_RAGGED_STARTS, starts,
                             a->batch + 1)
         : lengths
             ? set_ragged(t, rows, FMHAC_EMU_RAGGED_LENGTHS, lengths, a->batch)
             : true;
}

static void describe_bias(const run_data *data, launch_tensor *out) {
  const attention *a = &data->problem;
  const attention_bias *b = &a->bias;
  begin(out, BUFFER_BIAS, "bias", sizeof *b->base);
  add_axis(&out->tensor, "b", b->batch_stride ? a->batch : 1, b->batch_stride);
  add_axis(&out->tensor, "h", b->head_stride ? a->heads_q : 1, b->head_stride);
  add_axis(&out->tensor, "i", b->row_stride ? a->seqlen_q : 1, b->row_stride);
  add_axis(&out->tensor, "j", a->seqlen_kv, 1);
}

/// Factors of Q, K or V [B, S, H], without the axes that they do not have.
static void describe_factors(const run_data *data, int operand,
                             launch_tensor *out) {
  const attention *a = &data->problem;
  const attention_factors *all[] = {&a->q_factors, &a->k_factors,
                                    &a->v_factors};
  const attention_factors *f = all[operand];
  const run_buffer *b = &data->buffers[BUFFER_Q_SCALES + operand];
  const uint64_t heads =
      f->head_stride ? data->tensors[operand].place.heads : 1;
  const uint64_t batches = f->batch_stride ? a->batch : 1;
  begin(out, BUFFER_Q_SCALES + operand, b->name, sizeof *f->base);
  if (f->batch_stride)
    add_axis(&out->tensor, "b", batches, f->batch_stride);
  add_axis(&out->tensor, "s", b->bytes / sizeof *f->base / heads / batches,
           f->row_stride ? f->row_stride : 1);
  if (f->head_stride)
    add_axis(&out->tensor, "h", heads, f->head_stride);
}

/// Lists of f32 or i32.
static void describe_list(const run_data *data, int buffer,
                          launch_tensor *out) {
  const run_buffer *b = &data->buffers[buffer];
  bool of_heads = buffer == BUFFER_SINK || buffer == BUFFER_ALIBI_SLOPES;
  begin(out, buffer, b->name, 4);
  const uint64_t count = b->bytes / 4;
  const uint64_t row = data->problem.pages.batch_stride;
  if (buffer == BUFFER_PAGE_TABLE && row) {
    add_axis(&out->tensor, "b", count / row, row);
    add_axis(&out->tensor, "p", row, 1);
    return;
  }
  add_axis(&out->tensor,
           of_heads                      ? "h"
           : buffer == BUFFER_KV_INDICES ? "p"
                                         : "b",
           count, 1);
}

static bool is_whole(const launch_tensor *tensor) {
  const fmhac_emu_tensor *t = &tensor->tensor;
  bool whole = t->name != NULL;
  for (uint32_t i = 0; i < t->axes; ++i)
    whole &= t->axis[i] != NULL;
  return whole;
}

size_t run_tensors(const run_data *data, launch_tensor out[RUN_TENSORS]) {
  size_t count = 0;
  bool ok = true;
  for (int i = 0; i < BUFFER_COUNT; ++i) {
    bool is_tensor = i < TENSOR_COUNT;
    int home = is_tensor ? data->tensors[i].home : i;
    if (data->buffers[home].bytes == 0 ||
        (is_tensor && !run_data_is_own(data, i)))
      continue;
    launch_tensor *t = &out[count++];
    if (is_tensor)
      ok &= describe(data, i, t);
    else if (i == BUFFER_BIAS)
      describe_bias(data, t);
    else if (i >= BUFFER_Q_SCALES && i <= BUFFER_V_SCALES)
      describe_factors(data, i - BUFFER_Q_SCALES, t);
    else
      describe_list(data, i, t);
    ok &= is_whole(t);
  }
  if (ok)
    return count;
  run_tensors_deinit(out, count);
  return 0;
}

void run_tensors_deinit(launch_tensor tensors[RUN_TENSORS], size_t count) {
  for (size_t i = 0; i < count; ++i)
    launch_tensor_deinit(&tensors[i]);
}
