// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac_compare_launch(): tensors of a device, copied to the host, and the
// oracle's verdict on them.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "factors.h"
#include "fmhac_inspect.h"
#include "kernel.h"
#include "latent_tensors.h"
#include "plan.h"
#include "plan_check.h"
#include "reference_problem.h"
#include "require.h"

enum { COPIES = 24 };

/// Copies of device memory; owned.
typedef struct copies {
  fmhac_context *context;
  fmhac_rt_device *device;
  void *list[COPIES];
  size_t count;
} copies;

/// Puts the address of a copy of `bytes` in the place of the device's. A tensor
/// that is not there stays 0.
static fmhac_status fetch(copies *c, const char *name, uint64_t bytes,
                          fmhac_device_ptr *address) {
  if (!*address)
    return FMHAC_OK;
  if (bytes == UINT64_MAX)
    return fmhac_fail(c->context, FMHAC_INVALID_INPUT,
                      "comparing a launch: tensor %s: its strides reach beyond "
                      "2^64 bytes",
                      name);
  void *copy = malloc(bytes ? bytes : 1);
  if (!copy)
    return fmhac_fail(c->context, FMHAC_OUT_OF_MEMORY,
                      "comparing a launch: no memory for the %" PRIu64
                      " bytes of %s",
                      bytes, name);
  c->list[c->count++] = copy;
  fmhac_status status = fmhac_rt_copy_out(c->device, *address, copy, bytes);
  if (status != FMHAC_OK)
    return fmhac_fail(c->context, status, "comparing a launch: copying %s: %s",
                      name, fmhac_rt_last_error(c->device));
  *address = FMHAC_DEVICE_PTR(copy);
  return FMHAC_OK;
}

/// Adds a product; UINT64_MAX if the sum is no less.
static uint64_t add_steps(uint64_t sum, uint64_t steps, uint64_t stride) {
  uint64_t bytes;
  return __builtin_mul_overflow(steps, stride, &bytes) ||
                 __builtin_add_overflow(sum, bytes, &sum)
             ? UINT64_MAX
             : sum;
}

/// From the first byte of a tensor to the last; UINT64_MAX if they lie further
/// apart than an address can say: launches bound the strides of rows only.
static uint64_t extent(const fmhac_strides *s, uint64_t batches, uint64_t rows,
                       uint64_t heads, uint64_t row_bytes) {
  if (!batches || !rows || !heads)
    return 0;
  uint64_t bytes = add_steps(row_bytes, batches - 1, s->batch_bytes);
  bytes = add_steps(bytes, rows - 1, s->row_bytes);
  return add_steps(bytes, heads - 1, s->head_bytes);
}

/// Rows of all sequences where they are packed, else of one batch.
static fmhac_status rows_of(const copies *c, const fmhac_tensors *host,
                            const char *name, fmhac_device_ptr cu_seqlens,
                            uint32_t seqlen, uint64_t *out_rows) {
  *out_rows = seqlen;
  if (!cu_seqlens)
    return FMHAC_OK;
  const int32_t *starts = (const int32_t *)(uintptr_t)cu_seqlens;
  const int32_t total = starts[host->batch];
  if (total < 0 || (uint64_t)total > (uint64_t)host->batch * seqlen)
    return fmhac_fail(c->context, FMHAC_INVALID_INPUT,
                      "comparing a launch: %s ends with %" PRId32
                      ", expected at most %" PRIu32 " sequences of %" PRIu32
                      " rows",
                      name, total, host->batch, seqlen);
  *out_rows = (uint64_t)total;
  return FMHAC_OK;
}

static fmhac_status fetch_lists(copies *c, fmhac_tensors *t) {
  const uint64_t f32 = sizeof(float), i32 = sizeof(int32_t);
  const uint64_t B = t->batch, H = t->heads_q;
  const struct {
    const char *name;
    uint64_t bytes;
    fmhac_device_ptr *address;
  } all[] = {
      {"cu_seqlens_q", (B + 1) * i32, &t->cu_seqlens_q},
      {"cu_seqlens_kv", (B + 1) * i32, &t->cu_seqlens_kv},
      {"seqlens_q", B * i32, &t->seqlens_q},
      {"seqlens_kv", B * i32, &t->seqlens_kv},
      {"sink", H * f32, &t->sink},
      {"alibi_slopes", add_steps(H * f32, B - 1, t->alibi_batch_stride_bytes),
       &t->alibi_slopes},
      {"bias", extent(&t->bias_strides, B, t->seqlen_q, H, t->seqlen_kv * f32),
       &t->bias},
      {"o_scale", f32, &t->o_scale}};
  fmhac_status status = FMHAC_OK;
  for (size_t i = 0; i < sizeof all / sizeof all[0] && status == FMHAC_OK; ++i)
    status = fetch(c, all[i].name, all[i].bytes, all[i].address);
  return status;
}

/// What lists on the host say of the rows and keys of sequences.
static attention lengths_of(const fmhac_config_values *v,
                            const fmhac_tensors *t) {
  return (attention){
      .batch = t->batch,
      .seqlen_q = t->seqlen_q,
      .seqlen_kv = t->seqlen_kv,
      .cu_seqlens_q = (const int32_t *)(uintptr_t)t->cu_seqlens_q,
      .seqlens_q = (const int32_t *)(uintptr_t)t->seqlens_q,
      .seqlens_kv = (const int32_t *)(uintptr_t)t->seqlens_kv,
      .lengths_cached = v->kv_lengths == FMHAC_KV_LENGTHS_CACHED,
      .pages = {.rows = (uint32_t)v->page_size,
                .batch_stride =
                    t->page_table_batch_stride_bytes / sizeof(int32_t),
                .starts = (const int32_t *)(uintptr_t)t->kv_indptr,
                .last_rows = (const int32_t *)(uintptr_t)t->kv_last_page_len}};
}

/// Keys of a sequence; none where its lengths contradict themselves, which is
/// the reference's to refuse.
static uint64_t keys_of(const attention *p, uint32_t batch) {
  if (p->seqlens_kv && p->seqlens_kv[batch] < 0)
    return 0;
  const uint64_t keys = attention_keys(p, batch);
  return keys <= p->seqlen_kv ? keys : 0;
}

/// Copies of the numbers in use of a table: rows of it may end with the last of
/// them.
static fmhac_status fetch_table(copies *c, const attention *p,
                                fmhac_tensors *t) {
  const uint64_t row = attention_pages_of(&p->pages, t->seqlen_kv);
  int32_t *copy = calloc(t->batch, row * sizeof *copy);
  if (!copy)
    return fmhac_fail(c->context, FMHAC_OUT_OF_MEMORY,
                      "comparing a launch: no memory for the %" PRIu64
                      " numbers of page_table",
                      t->batch * row);
  c->list[c->count++] = copy;
  for (uint32_t b = 0; b < t->batch; ++b) {
    const uint64_t count = attention_pages_of(&p->pages, keys_of(p, b));
    if (!count)
      continue;
    fmhac_status status = fmhac_rt_copy_out(
        c->device, t->page_table + b * t->page_table_batch_stride_bytes,
        copy + b * row, count * sizeof *copy);
    if (status != FMHAC_OK)
      return fmhac_fail(c->context, status,
                        "comparing a launch: copying page_table: %s",
                        fmhac_rt_last_error(c->device));
  }
  t->page_table = FMHAC_DEVICE_PTR(copy);
  t->page_table_batch_stride_bytes = row * sizeof *copy;
  return FMHAC_OK;
}

/// Copies of the numbers of a list, which may be a part of a longer one.
static fmhac_status fetch_list(copies *c, const attention *p,
                               fmhac_tensors *t) {
  int32_t *starts = (int32_t *)(uintptr_t)t->kv_indptr;
  char text[400];
  if (!attention_list_check(&p->pages, t->batch, INT32_MAX, "kv_indptr",
                            "kv_last_page_len", text, sizeof text))
    return fmhac_fail(c->context, FMHAC_INVALID_INPUT, "comparing a launch: %s",
                      text);
  const int32_t first = starts[0];
  const uint64_t count = (uint64_t)starts[t->batch] - (uint64_t)first;
  t->kv_indices += (uint64_t)first * sizeof first;
  for (uint32_t b = 0; b <= t->batch; ++b)
    starts[b] -= first;
  return fetch(c, "kv_indices", count * sizeof first, &t->kv_indices);
}

static int by_number(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/// The pages that sequences have, each once and by number; owned by `c`.
typedef struct used_pages {
  int32_t *numbers;
  uint64_t count;
} used_pages;

/// Finds the pages in use, and numbers them anew, from 0: copies have no
/// others. A number of no page is the reference's to refuse: with one of them
/// all numbers stay as they are, and nothing counts as used.
static fmhac_status renumber(copies *c, const attention *p, int32_t *numbers,
                             uint64_t pages, used_pages *out) {
  uint64_t count = 0;
  for (uint32_t b = 0; b < p->batch; ++b)
    count += attention_pages_of(&p->pages, keys_of(p, b));
  int32_t **places = malloc((count + 1) * sizeof *places);
  int32_t *used = malloc((count + 1) * sizeof *used);
  if (places)
    c->list[c->count++] = places;
  if (used)
    c->list[c->count++] = used;
  if (!places || !used)
    return fmhac_fail(c->context, FMHAC_OUT_OF_MEMORY,
                      "comparing a launch: no memory for the numbers of "
                      "%" PRIu64 " pages",
                      count);
  *out = (used_pages){.numbers = used};
  count = 0;
  for (uint32_t b = 0; b < p->batch; ++b) {
    const uint64_t own = attention_pages_of(&p->pages, keys_of(p, b));
    for (uint64_t i = 0; i < own; ++i, ++count) {
      places[count] = numbers + attention_page_place(&p->pages, b, i);
      used[count] = *places[count];
    }
  }
  qsort(used, count, sizeof *used, by_number);
  if (count && (used[0] < 0 || (uint64_t)used[count - 1] >= pages))
    return FMHAC_OK;
  for (uint64_t i = 0; i < count; ++i)
    if (!i || used[i] != used[i - 1])
      used[out->count++] = used[i];
  for (uint64_t i = 0; i < count; ++i) {
    const int32_t *found =
        bsearch(places[i], used, out->count, sizeof *used, by_number);
    *places[i] = (int32_t)(found - used);
  }
  return FMHAC_OK;
}

/// Copies the tables and lengths of K and V in pages, and finds the pages in
/// use.
static fmhac_status fetch_tables(copies *c, const fmhac_config_values *v,
                                 fmhac_tensors *t, used_pages *out_used) {
  fmhac_status status =
      fetch(c, "kv_indptr", (t->batch + UINT64_C(1)) * sizeof(int32_t),
            &t->kv_indptr);
  if (status == FMHAC_OK)
    status = fetch(c, "kv_last_page_len", t->batch * sizeof(int32_t),
                   &t->kv_last_page_len);
  if (status != FMHAC_OK)
    return status;
  attention p = lengths_of(v, t);
  status = t->kv_indptr ? fetch_list(c, &p, t) : fetch_table(c, &p, t);
  if (status != FMHAC_OK)
    return status;
  p = lengths_of(v, t);
  return renumber(
      c, &p,
      (int32_t *)(uintptr_t)(t->kv_indptr ? t->kv_indices : t->page_table),
      t->pages, out_used);
}

/// K or V in pages, or their factors.
typedef struct cache {
  const char *name;
  fmhac_device_ptr *address;
  fmhac_strides *strides;
  uint64_t *page_stride;
  uint64_t rows, heads, row_bytes; ///< of a page
} cache;

/// Copies the pages in use, one after the other: as they are, or row by row
/// where most of what lies between a page's first byte and its last is not its
/// own.
static fmhac_status fetch_cache(copies *c, const used_pages *used,
                                const cache *k) {
  const fmhac_strides from = *k->strides;
  const uint64_t whole = extent(&from, 1, k->rows, k->heads, k->row_bytes);
  const uint64_t dense = k->rows * k->heads * k->row_bytes;
  const bool by_row = whole / 2 > dense;
  const uint64_t bytes = by_row ? dense : whole;
  // Strides of a page are multiples of those of its elements.
  const uint64_t stride = fmhac_round_up(bytes, FMHAC_ALIGNMENT_BYTES);
  char *copy = used->count <= SIZE_MAX / stride
                   ? malloc(used->count * stride + 1)
                   : NULL;
  if (!copy)
    return fmhac_fail(c->context, FMHAC_OUT_OF_MEMORY,
                      "comparing a launch: no memory for %" PRIu64
                      " pages of %" PRIu64 " bytes of %s",
                      used->count, stride, k->name);
  c->list[c->count++] = copy;
  const uint64_t rows = by_row ? k->rows : 1, heads = by_row ? k->heads : 1;
  for (uint64_t i = 0; i < used->count * rows * heads; ++i) {
    const uint64_t page = i / (rows * heads), row = i / heads % rows;
    const uint64_t head = i % heads;
    // As the kernel counts, modulo 2^64.
    const uint64_t at = (uint64_t)used->numbers[page] * *k->page_stride +
                        row * from.row_bytes + head * from.head_bytes;
    const fmhac_status status = fmhac_rt_copy_out(
        c->device, *k->address + at,
        copy + page * stride + (row * heads + head) * k->row_bytes,
        by_row ? k->row_bytes : bytes);
    if (status != FMHAC_OK)
      return fmhac_fail(
          c->context, status,
          "comparing a launch: copying page %" PRId32 " of %s: %s",
          used->numbers[page], k->name, fmhac_rt_last_error(c->device));
  }
  if (by_row)
    *k->strides =
        (fmhac_strides){.head_bytes = k->row_bytes,
                        .row_bytes = k->rows > 1 ? k->heads * k->row_bytes : 0};
  *k->address = FMHAC_DEVICE_PTR(copy);
  *k->page_stride = stride;
  return FMHAC_OK;
}

/// Turns K and V in pages, and their tables, into copies on the host.
static fmhac_status fetch_paged(copies *c, const fmhac_config_values *v,
                                const fmhac_row_bytes *bytes,
                                fmhac_tensors *t) {
  used_pages used = {0};
  // All rows of a head are one where pieces of them lie on end.
  const uint64_t size = (uint64_t)v->page_size;
  const uint64_t together =
      v->kv_layout == FMHAC_KV_LAYOUT_VECTORISED ? size : 1;
  const cache caches[] = {
      {"k", &t->k, &t->k_strides, &t->k_page_stride_bytes, size / together,
       t->heads_kv, together * bytes->k},
      {"v", &t->v, &t->v_strides, &t->v_page_stride_bytes, size / together,
       t->heads_kv, together * bytes->v},
      {"k_scales", &t->k_scales, &t->k_scales_strides,
       &t->k_scales_strides.row_bytes, 1, t->heads_kv, sizeof(float)},
      {"v_scales", &t->v_scales, &t->v_scales_strides,
       &t->v_scales_strides.row_bytes, 1, t->heads_kv, sizeof(float)},
      {"k_rope", &t->k_rope, &t->k_rope_strides, &t->k_rope_page_stride_bytes,
       size / together, t->heads_kv, together * bytes->k_rope}};
  const bool is_there[] = {
      true, true, fmhac_factor_strides_of(v, t, FMHAC_FACTORS_OF_K).by_page,
      fmhac_factor_strides_of(v, t, FMHAC_FACTORS_OF_V).by_page,
      bytes->k_rope != 0};
  fmhac_status status = fetch_tables(c, v, t, &used);
  for (size_t i = 0; i < sizeof caches / sizeof caches[0] && status == FMHAC_OK;
       ++i)
    if (is_there[i])
      status = fetch_cache(c, &used, &caches[i]);
  if (status == FMHAC_OK && used.count)
    t->pages = used.count;
  return status;
}

/// From the first byte of an operand's factors to the last. `batches` and
/// `rows` are those of its rows.
static uint64_t factors_extent(fmhac_granularity scale, int64_t block_rows,
                               const fmhac_strides *s, uint64_t batches,
                               uint64_t rows, uint64_t heads) {
  const uint64_t f32 = sizeof(float);
  switch (scale) {
  case FMHAC_GRANULARITY_HEAD:
    return extent(s, batches, 1, heads, f32);
  case FMHAC_GRANULARITY_TOKEN:
    return extent(s, batches, rows, heads, f32);
  case FMHAC_GRANULARITY_BLOCK:
    return extent(s, batches,
                  (rows + (uint64_t)block_rows - 1) / (uint64_t)block_rows,
                  heads, f32);
  case FMHAC_GRANULARITY_NONE:
  case FMHAC_GRANULARITY_TENSOR:
    break;
  }
  return f32;
}

static fmhac_status fetch_factors(copies *c, const fmhac_config_values *v,
                                  uint64_t q_rows, uint64_t kv_rows,
                                  fmhac_tensors *t) {
  const struct {
    const char *name;
    fmhac_granularity scale;
    fmhac_device_ptr *address, packed;
    const fmhac_strides *strides;
    uint64_t packed_rows, seqlen, heads;
  } all[] = {{"q_scales", v->q_scale, &t->q_scales, t->cu_seqlens_q,
              &t->q_scales_strides, q_rows, t->seqlen_q, t->heads_q},
             {"k_scales", v->k_scale, &t->k_scales, t->cu_seqlens_kv,
              &t->k_scales_strides, kv_rows, t->seqlen_kv, t->heads_kv},
             {"v_scales", v->v_scale, &t->v_scales, t->cu_seqlens_kv,
              &t->v_scales_strides, kv_rows, t->seqlen_kv, t->heads_kv}};
  fmhac_status status = FMHAC_OK;
  for (size_t i = 0; i < sizeof all / sizeof all[0] && status == FMHAC_OK;
       ++i) {
    if (fmhac_factor_strides_of(v, t, (int)i).by_page)
      continue; // which came with the pages
    // Only factors by token are packed as the rows are.
    const bool packed =
        all[i].packed && all[i].scale == FMHAC_GRANULARITY_TOKEN;
    status = fetch(c, all[i].name,
                   factors_extent(all[i].scale, v->scale_block, all[i].strides,
                                  packed ? 1 : t->batch,
                                  packed ? all[i].packed_rows : all[i].seqlen,
                                  all[i].heads),
                   all[i].address);
  }
  return status;
}

/// Turns the device's tensors into copies on the host.
static fmhac_status fetch_all(copies *c, const fmhac_kernel *kernel,
                              fmhac_tensors *t) {
  const fmhac_row_bytes bytes = fmhac_kernel_row_bytes(kernel);
  uint64_t q_rows, kv_rows;
  fmhac_status status = fetch_lists(c, t);
  if (status == FMHAC_OK)
    status =
        rows_of(c, t, "cu_seqlens_q", t->cu_seqlens_q, t->seqlen_q, &q_rows);
  if (status == FMHAC_OK)
    status = rows_of(c, t, "cu_seqlens_kv", t->cu_seqlens_kv, t->seqlen_kv,
                     &kv_rows);
  if (status == FMHAC_OK)
    status = fetch_factors(c, &kernel->config, q_rows, kv_rows, t);
  if (status != FMHAC_OK)
    return status;
  const bool paged = kernel->config.page_size;
  if (paged)
    status = fetch_paged(c, &kernel->config, &bytes, t);
  const uint64_t q_batches = t->cu_seqlens_q ? 1 : t->batch;
  const uint64_t kv_batches = t->cu_seqlens_kv ? 1 : t->batch;
  const fmhac_strides lse = {.batch_bytes = t->lse_batch_stride_bytes,
                             .head_bytes = t->lse_head_stride_bytes,
                             .row_bytes = sizeof(float)};
  const struct {
    const char *name;
    uint64_t bytes;
    fmhac_device_ptr *address;
    bool is_copied;
  } all[] = {
      {"q", extent(&t->q_strides, q_batches, q_rows, t->heads_q, bytes.q),
       &t->q, false},
      {"k", extent(&t->k_strides, kv_batches, kv_rows, t->heads_kv, bytes.k),
       &t->k, paged},
      {"v", extent(&t->v_strides, kv_batches, kv_rows, t->heads_kv, bytes.v),
       &t->v, paged},
      {"k_rope",
       extent(&t->k_rope_strides, kv_batches, kv_rows, t->heads_kv,
              bytes.k_rope),
       &t->k_rope, paged || !bytes.k_rope},
      {"o", extent(&t->o_strides, q_batches, q_rows, t->heads_q, bytes.o),
       &t->o, false},
      {"lse", extent(&lse, q_batches, q_rows, t->heads_q, sizeof(float)),
       &t->lse, false}};
  for (size_t i = 0; i < sizeof all / sizeof all[0] && status == FMHAC_OK; ++i)
    status = all[i].is_copied
                 ? FMHAC_OK
                 : fetch(c, all[i].name, all[i].bytes, all[i].address);
  return status;
}

//===- Comparison ---------------------------------------------------------===//

/// Rows in use without gaps: the results, and both references; owned.
typedef struct side {
  char *found;
  double *values;
  double *floors[ATTENTION_FLOORS]; ///< NULL: none
} side;

static bool make(side *s, uint64_t count, uint64_t element, size_t floors) {
  *s = (side){.found = malloc(count * element + 1),
              .values = malloc(count * sizeof(double) + 1)};
  bool ok = s->found && s->values;
  for (size_t i = 0; i < floors; ++i) {
    s->floors[i] = malloc(count * sizeof(double) + 1);
    ok = ok && s->floors[i];
  }
  return ok;
}

static void release(side *s) {
  for (size_t i = 0; i < ATTENTION_FLOORS; ++i)
    free(s->floors[i]);
  free(s->found);
  free(s->values);
}

/// Rows in use of `from`, in the order of reference_compute(): of O batch, row,
/// head, of LSE batch, head, row.
static void gather(const attention *p, const attention_view *view,
                   const void *from, bool by_head, uint64_t row_bytes,
                   uint64_t element, char *to) {
  for (uint32_t b = 0; b < p->batch; ++b) {
    const uint64_t first = p->cu_seqlens_q ? (uint64_t)p->cu_seqlens_q[b] : 0;
    const uint64_t batch = p->cu_seqlens_q ? 0 : b;
    const uint64_t rows = attention_rows(p, b), heads = p->heads_q;
    for (uint64_t n = 0; n < rows * heads; ++n, to += row_bytes) {
      const uint64_t row = by_head ? n % rows : n / heads;
      const uint64_t head = by_head ? n / rows : n % heads;
      memcpy(to,
             (const char *)from +
                 (batch * view->batch_stride +
                  (first + row) * view->row_stride + head * view->head_stride) *
                     element,
             row_bytes);
    }
  }
}

static void fill_comparison(const comparison *o, const comparison *lse,
                            uint64_t rows, fmhac_comparison *out) {
  *out = (fmhac_comparison){.size = sizeof *out,
                            .pass = o->pass && (!lse || lse->pass),
                            .max_abs_err = o->max_abs_err,
                            .tolerance = o->tolerance,
                            .rel_rms_err = o->rel_rms_err,
                            .rms_bound = o->rms_bound,
                            .cosine = o->cosine,
                            .cosine_bound = o->cosine_bound,
                            .lse_max_abs_err = lse ? lse->max_abs_err : 0,
                            .lse_tolerance = lse ? lse->tolerance : 0,
                            .rows = rows};
  if (!o->pass)
    snprintf(out->reason, sizeof out->reason, "O: %s", o->reason);
  else if (!out->pass)
    snprintf(out->reason, sizeof out->reason, "LSE: %s", lse->reason);
}

/// Whether some kernel of the plan rounds Q.
static bool rounds_q(const fmhac_plan *plan) {
  bool rounds = false;
  for (size_t i = 0; i < fmhac_plan_count_kernels(plan); ++i)
    rounds = rounds || fmhac_kernel_rounds_q(fmhac_plan_get_kernel(plan),
                                             fmhac_plan_get_attention(plan, i));
  return rounds;
}

/// Computes and judges. The tensors of `p` and `host` are on the host.
static fmhac_status judge(const fmhac_plan *plan, attention *p,
                          const fmhac_tensors *host, unsigned threads,
                          fmhac_comparison *out) {
  const bool has_lse = host->lse != 0;
  const uint64_t o_count = attention_o_count(p);
  const uint64_t lse_count = has_lse ? attention_lse_count(p) : 0;
  const uint64_t element = element_bytes(p->out_type);
  side o = {0}, lse = {0};
  comparison verdict, lse_verdict;
  double largest;
  // Those of LSE are by factors of Q's rows only.
  bool ok = make(&o, o_count, element, attention_floors_of_o(p)) &&
            make(&lse, lse_count, sizeof(float), p->quantize_q + 1u);
  if (ok) {
    gather(p, &p->o, (const void *)(uintptr_t)host->o, false,
           p->head_dim_v * element, element, o.found);
    if (has_lse)
      gather(p, &p->lse, (const void *)(uintptr_t)host->lse, true,
             sizeof(float), sizeof(float), lse.found);
    // Results without gaps, too.
    p->o = p->lse = (attention_view){0};
    ok = reference_compute(p, threads, o.values, has_lse ? lse.values : NULL,
                           o.floors[0], o.floors[1],
                           has_lse ? lse.floors[0] : NULL, &largest);
    attention other = *p;
    other.power_of_2_scores = p->quantize_q;
    other.v_factors_apart = attention_has_apart_floors(p);
    if (ok && o.floors[2])
      ok = reference_compute(&other, threads, NULL, NULL, o.floors[2],
                             o.floors[3], lse.floors[1], NULL);
  }
  if (ok) {
    compare_o(p, o.found, o.values, (const double *const *)o.floors,
              o_count / p->head_dim_v, &verdict);
    if (has_lse)
      compare_lse((const float *)(const void *)lse.found, lse.values,
                  lse.floors[0], lse.floors[1], lse_count,
                  p->quantize_q || rounds_q(plan), largest, &lse_verdict);
    fill_comparison(&verdict, has_lse ? &lse_verdict : NULL,
                    o_count / p->head_dim_v, out);
  }
  release(&o);
  release(&lse);
  return ok ? FMHAC_OK
            : fmhac_fail(fmhac_plan_get_kernel(plan)->context,
                         FMHAC_OUT_OF_MEMORY,
                         "comparing a launch: no memory for %" PRIu64
                         " elements in double precision",
                         o_count);
}

fmhac_status fmhac_compare_launch(const fmhac_plan *plan,
                                  fmhac_rt_device *device,
                                  const fmhac_tensors *tensors,
                                  const fmhac_reference_options *options,
                                  fmhac_comparison *out_comparison) {
  const fmhac_kernel *kernel = fmhac_plan_get_kernel(plan);
  fmhac_context *context = kernel ? kernel->context : NULL;
  fmhac_tensors host;
  fmhac_reference_options with = {.size = sizeof with};
  fmhac_comparison verdict;
  fmhac_status status =
      FMHAC_REQUIRE(context, FMHAC_GIVEN(plan), FMHAC_GIVEN(device),
                    FMHAC_GIVEN(tensors), FMHAC_GIVEN(out_comparison));
  if (status == FMHAC_OK)
    status =
        FMHAC_REQUIRE_SIZE(context, out_comparison, fmhac_comparison, reason);
  if (status == FMHAC_OK)
    status =
        FMHAC_REQUIRE_IN(context, &host, fmhac_tensors, bias_strides, tensors);
  if (status == FMHAC_OK && options)
    status = FMHAC_REQUIRE_IN(context, &with, fmhac_reference_options,
                              score_mod_user, options);
  if (status == FMHAC_OK)
    status = fmhac_tensors_settle(context, &kernel->config,
                                  "comparing a launch", &host);
  if (status == FMHAC_OK)
    status = fmhac_plan_check(plan, &host);
  if (status != FMHAC_OK)
    return status;
  copies c = {.context = context, .device = device};
  const fmhac_config config = {.context = context, .values = kernel->config};
  attention p;
  status = fetch_all(&c, kernel, &host);
  if (status == FMHAC_OK)
    status = fmhac_reference_problem(&config, &host, &with, host.lse != 0, &p);
  if (status == FMHAC_OK)
    status = judge(plan, &p, &host, with.threads, &verdict);
  for (size_t i = 0; i < c.count; ++i)
    free(c.list[i]);
  return status == FMHAC_OK
             ? FMHAC_REQUIRE_OUT(context, out_comparison, fmhac_comparison,
                                 reason, &verdict)
             : status;
}
