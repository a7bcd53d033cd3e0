// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan_check.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "check_group.h"
#include "check_tensor.h"
#include "context.h"

enum {
  MAX_HEADS = 65535,  ///< kv_head_reciprocal is exact up to here
  MAX_GRID_YZ = 65535 ///< the least that HIP guarantees
};

/// Every byte offset inside one (batch, head) slice stays below this.
#define OFFSET_BOUND (UINT64_C(1) << 32)

/// One of Q, K, V, O and k_rope, for checks that are the same for all.
typedef struct tensor_view {
  const char *name;
  uint64_t address;
  fmhac_strides strides;
  uint32_t rows;       ///< of the longest sequence
  uint64_t row_bytes;  ///< of the elements of one row
  bool is_packed;      ///< sequences one after the other: no batch stride
  uint64_t page_bytes; ///< stride of pages; is_packed, too
  bool is_paged;
  bool of_q; ///< rows are those of Q
} tensor_view;

enum { TENSOR_Q, TENSOR_K, TENSOR_V, TENSOR_O, TENSOR_K_ROPE, TENSOR_COUNT };

fmhac_problem fmhac_problem_of_launch(const fmhac_tensors *tensors) {
  return (fmhac_problem){.size = sizeof(fmhac_problem),
                         .batch = tensors->batch,
                         .heads_q = tensors->heads_q,
                         .heads_kv = tensors->heads_kv,
                         .seqlen_q = tensors->seqlen_q,
                         .seqlen_kv = tensors->seqlen_kv};
}

fmhac_row_bytes fmhac_kernel_row_bytes(const fmhac_kernel *kernel) {
  const fmhac_config_values *c = &kernel->config;
  const fmhac_element_bytes bytes = fmhac_config_values_element_bytes(c);
  const uint64_t qk = (uint64_t)c->head_dim_qk, v = (uint64_t)c->head_dim_v;
  const uint64_t rope = (uint64_t)c->rope_dim;
  return (fmhac_row_bytes){.q = qk * bytes.q,
                           .k = (qk - rope) * bytes.k,
                           .v = v * bytes.v,
                           .o = v * bytes.o,
                           .k_rope = rope * bytes.k};
}

/// Those of a launch, in the order of their numbers. Returns how many there
/// are.
static int view_tensors(const fmhac_kernel *kernel,
                        const fmhac_tensors *tensors,
                        tensor_view views[TENSOR_COUNT]) {
  const fmhac_problem p = fmhac_problem_of_launch(tensors);
  const fmhac_row_bytes bytes = fmhac_kernel_row_bytes(kernel);
  bool q_packed = fmhac_kernel_needs(kernel, FMHAC_GROUP(VARLEN_Q));
  bool paged = fmhac_kernel_needs(kernel, FMHAC_GROUP(PAGED));
  bool kv_packed = paged || fmhac_kernel_needs(kernel, FMHAC_GROUP(VARLEN_KV));
  const fmhac_tensors *t = tensors;
  const tensor_view all[TENSOR_COUNT] = {
      {"q", t->q, t->q_strides, p.seqlen_q, bytes.q, q_packed, 0, false, true},
      {"k", t->k, t->k_strides, p.seqlen_kv, bytes.k, kv_packed,
       t->k_page_stride_bytes, paged, false},
      {"v", t->v, t->v_strides, p.seqlen_kv, bytes.v, kv_packed,
       t->v_page_stride_bytes, paged, false},
      {"o", t->o, t->o_strides, p.seqlen_q, bytes.o, q_packed, 0, false, true},
      {"k_rope", t->k_rope, t->k_rope_strides, p.seqlen_kv, bytes.k_rope,
       kv_packed, t->k_rope_page_stride_bytes, paged, false}};
  memcpy(views, all, sizeof all);
  return bytes.k_rope ? TENSOR_COUNT : TENSOR_K_ROPE;
}

//===- Sizes --------------------------------------------------------------===//

static const struct {
  const char *name;
  size_t offset;
} sizes[] = {{"batch", offsetof(fmhac_problem, batch)},
             {"heads", offsetof(fmhac_problem, heads_q)},
             {"kv_heads", offsetof(fmhac_problem, heads_kv)},
             {"seqlen_q", offsetof(fmhac_problem, seqlen_q)},
             {"seqlen_kv", offsetof(fmhac_problem, seqlen_kv)}};
enum { SIZE_COUNT = sizeof sizes / sizeof *sizes };

static uint32_t size_of(const fmhac_problem *problem, int i) {
  return *(const uint32_t *)(const void *)((const char *)problem +
                                           sizes[i].offset);
}

static fmhac_status check_problem(fmhac_context *context,
                                  const fmhac_problem *problem) {
  for (int i = 0; i < SIZE_COUNT; ++i)
    if (size_of(problem, i) == 0)
      return fmhac_fail(context, FMHAC_INVALID_INPUT,
                        "problem: %s is 0, expected at least 1", sizes[i].name);
  if (problem->heads_q % problem->heads_kv)
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "problem: heads %u is no multiple of kv_heads %u; each "
                      "K/V head serves heads/kv_heads heads of Q",
                      problem->heads_q, problem->heads_kv);
  if (problem->heads_q > MAX_HEADS)
    return fmhac_fail(context, FMHAC_UNSUPPORTED,
                      "problem: heads %u, a kernel takes at most %d",
                      problem->heads_q, MAX_HEADS);
  if (problem->batch > MAX_GRID_YZ)
    return fmhac_fail(context, FMHAC_UNSUPPORTED,
                      "problem: batch %u, a grid takes at most %d",
                      problem->batch, MAX_GRID_YZ);
  return FMHAC_OK;
}

//===- Q, K, V and O ------------------------------------------------------===//

/// Proves that offsets of the slice stay below 2^32: a kernel forms offsets of
/// rows up to the next multiple of its tile and of the bytes of a row; of V a
/// tile further, where pipelines find a tile without keys.
static fmhac_status check_offsets(fmhac_context *context,
                                  const fmhac_entry *entry, const char *name,
                                  uint32_t rows, uint64_t row_stride,
                                  uint64_t row_bytes) {
  uint64_t tile = entry->row_rounding;
  // Where V lies in K, the other columns of K go with it.
  uint64_t further =
      strcmp(name, "v") == 0 || strcmp(name, "k_rope") == 0 ? tile : 0;
  uint64_t rounded = fmhac_round_up(rows, tile) + further;
  uint64_t room = OFFSET_BOUND - 1 - row_bytes;
  if (row_stride == 0 || rounded <= room / row_stride)
    return FMHAC_OK;
  uint64_t most_rows = room / row_stride / tile * tile;
  if (most_rows <= further)
    return fmhac_fail(context, FMHAC_UNSUPPORTED,
                      "tensor %s: row stride %" PRIu64 " bytes; %" PRIu64
                      " rows of it "
                      "must stay below %" PRIu64 " bytes (32-bit offsets): at "
                      "most %" PRIu64 " bytes",
                      name, row_stride, tile + further, OFFSET_BOUND,
                      room / (tile + further) / FMHAC_ALIGNMENT_BYTES *
                          FMHAC_ALIGNMENT_BYTES);
  return fmhac_fail(context, FMHAC_UNSUPPORTED,
                    "tensor %s: %u rows of stride %" PRIu64 " bytes pass the "
                    "bound of %" PRIu64 " bytes (32-bit offsets): at most "
                    "%" PRIu64 " rows fit",
                    name, rows, row_stride, OFFSET_BOUND, most_rows - further);
}

static fmhac_status check_tensor(fmhac_context *context,
                                 const fmhac_entry *entry,
                                 const tensor_view *view) {
  if (!view->address)
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "tensor %s: the address is null", view->name);
  const struct {
    const char *what;
    uint64_t value;
  } multiples[] = {
      {"the address", view->address},
      {"the batch stride", view->is_packed ? 0 : view->strides.batch_bytes},
      {"the page stride", view->is_paged ? view->page_bytes : 0},
      {"the head stride", view->strides.head_bytes},
      {"the row stride", view->strides.row_bytes}};
  for (size_t i = 0; i < sizeof multiples / sizeof multiples[0]; ++i) {
    fmhac_status status =
        fmhac_check_multiple(context, view->name, multiples[i].what,
                             multiples[i].value, FMHAC_ALIGNMENT_BYTES);
    if (status != FMHAC_OK)
      return status;
  }
  return view->is_paged || (view->of_q && fmhac_entry_packs_heads(entry))
             ? FMHAC_OK
             : check_offsets(context, entry, view->name, view->rows,
                             view->strides.row_bytes, view->row_bytes);
}

static fmhac_status check_output(fmhac_context *context,
                                 const tensor_view *view,
                                 const fmhac_problem *problem) {
  // Packed sequences of one row each are rows of one tensor too.
  uint64_t rows = view->is_packed && problem->batch > view->rows
                      ? problem->batch
                      : view->rows;
  fmhac_status status =
      fmhac_check_overlap(context, view->name, "rows", rows,
                          view->strides.row_bytes, view->row_bytes);
  if (status == FMHAC_OK)
    status = fmhac_check_overlap(context, view->name, "heads", problem->heads_q,
                                 view->strides.head_bytes, view->row_bytes);
  if (status == FMHAC_OK && !view->is_packed)
    status = fmhac_check_overlap(context, view->name, "batches", problem->batch,
                                 view->strides.batch_bytes, view->row_bytes);
  return status;
}

/// Rows of Q, or keys, of all sequences together: without lengths on the device
/// they are known.
static fmhac_status check_total(const fmhac_kernel *kernel, const char *name,
                                uint64_t lengths, uint32_t batch,
                                const char *each_name, uint32_t each,
                                uint64_t most) {
  const uint64_t all = (uint64_t)batch * each;
  if (!most || all <= most || fmhac_kernel_needs(kernel, lengths))
    return FMHAC_OK;
  return fmhac_fail(kernel->context, FMHAC_INVALID_INPUT,
                    "launch: batch %u with %s %u has %" PRIu64
                    " together, the plan was made for a %s of at most %" PRIu64,
                    batch, each_name, each, all, name, most);
}

static fmhac_status check_within(const fmhac_kernel *kernel,
                                 const fmhac_problem *most,
                                 const fmhac_problem *problem) {
  fmhac_context *context = kernel->context;
  for (int i = 0; i < SIZE_COUNT; ++i)
    if (size_of(problem, i) > size_of(most, i))
      return fmhac_fail(context, FMHAC_INVALID_INPUT,
                        "launch: %s is %u, the plan was made for at most %u",
                        sizes[i].name, size_of(problem, i), size_of(most, i));
  const uint64_t lengths_q = FMHAC_GROUP(VARLEN_Q) | FMHAC_GROUP(LENGTHS_Q),
                 lengths_kv = FMHAC_GROUP(VARLEN_KV) | FMHAC_GROUP(LENGTHS_KV) |
                              FMHAC_GROUP(PAGE_LIST);
  fmhac_status status =
      check_total(kernel, "total_q", lengths_q, problem->batch, "seqlen_q",
                  problem->seqlen_q, most->total_q);
  return status == FMHAC_OK
             ? check_total(kernel, "total_kv", lengths_kv, problem->batch,
                           "seqlen_kv", problem->seqlen_kv, most->total_kv)
             : status;
}

//===- Features -----------------------------------------------------------===//

static fmhac_status check_lse(const fmhac_kernel *kernel,
                              const fmhac_tensors *tensors) {
  fmhac_context *context = kernel->context;
  const fmhac_problem problem = fmhac_problem_of_launch(tensors);
  fmhac_status status = fmhac_check_presence(
      kernel, "lse", FMHAC_GROUP(LSE), tensors->lse, FMHAC_ALIGNMENT_BYTES);
  if (status != FMHAC_OK || !tensors->lse)
    return status;
  bool packed = fmhac_kernel_needs(kernel, FMHAC_GROUP(VARLEN_Q));
  const fmhac_strides strides = {
      .batch_bytes = packed ? 0 : tensors->lse_batch_stride_bytes,
      .head_bytes = tensors->lse_head_stride_bytes};
  uint64_t row_bytes = (uint64_t)problem.seqlen_q * sizeof(float);
  status = fmhac_check_f32_strides(context, "lse", &strides);
  if (status == FMHAC_OK)
    status = fmhac_check_overlap(context, "lse", "heads", problem.heads_q,
                                 strides.head_bytes, row_bytes);
  if (status == FMHAC_OK && !packed)
    status = fmhac_check_overlap(context, "lse", "batches", problem.batch,
                                 strides.batch_bytes, row_bytes);
  return status;
}

/// Proves that offsets of a (batch, head) slice of the bias stay below 2^32:
/// rows and keys up to the next multiple of a tile.
static fmhac_status check_bias_offsets(fmhac_context *context,
                                       const fmhac_entry *entry,
                                       const fmhac_problem *problem,
                                       uint64_t row_stride) {
  uint64_t tile = entry->row_rounding;
  uint64_t rows = fmhac_round_up(problem->seqlen_q, tile);
  uint64_t key_bytes = fmhac_round_up(problem->seqlen_kv, tile) * sizeof(float);
  if (key_bytes >= OFFSET_BOUND)
    return fmhac_fail(context, FMHAC_UNSUPPORTED,
                      "tensor bias: %u keys pass the bound of %" PRIu64
                      " bytes (32-bit offsets): at most %" PRIu64 " keys fit",
                      problem->seqlen_kv, OFFSET_BOUND,
                      (OFFSET_BOUND - 1) / sizeof(float) / tile * tile);
  uint64_t most = (OFFSET_BOUND - 1 - key_bytes) / rows;
  if (row_stride <= most)
    return FMHAC_OK;
  return fmhac_fail(context, FMHAC_UNSUPPORTED,
                    "tensor bias: %u rows of stride %" PRIu64 " bytes and %u "
                    "keys pass the bound of %" PRIu64
                    " bytes (32-bit offsets): a row stride of at most %" PRIu64
                    " bytes fits",
                    problem->seqlen_q, row_stride, problem->seqlen_kv,
                    OFFSET_BOUND, most / sizeof(float) * sizeof(float));
}

static fmhac_status check_bias(const fmhac_kernel *kernel,
                               const fmhac_entry *entry,
                               const fmhac_tensors *tensors) {
  const fmhac_problem problem = fmhac_problem_of_launch(tensors);
  fmhac_status status = fmhac_check_presence(kernel, "bias", FMHAC_GROUP(BIAS),
                                             tensors->bias, sizeof(float));
  if (status == FMHAC_OK && tensors->bias)
    status = fmhac_check_f32_strides(kernel->context, "bias",
                                     &tensors->bias_strides);
  if (status == FMHAC_OK && tensors->bias)
    status = check_bias_offsets(kernel->context, entry, &problem,
                                tensors->bias_strides.row_bytes);
  return status;
}

//===- Pages --------------------------------------------------------------===//

/// Proves what kernels count on in K and V: pages have addresses of 64 bits, of
/// which the number and the stride are 32 each, and so are offsets within a
/// page and a tile.
static fmhac_status check_paged(const fmhac_kernel *kernel,
                                const fmhac_entry *entry,
                                const tensor_view *view) {
  fmhac_context *context = kernel->context;
  if (kernel->config.kv_layout == FMHAC_KV_LAYOUT_VECTORISED &&
      view->strides.row_bytes)
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "tensor %s: the row stride is %" PRIu64
                      ", expected 0: the kernel was compiled with kv_layout "
                      "vectorised, which says where the rows of a head of a "
                      "page lie",
                      view->name, view->strides.row_bytes);
  const uint64_t page = (uint64_t)kernel->config.page_size;
  const uint64_t rows = page > entry->tile_n ? page : entry->tile_n;
  const uint64_t most = OFFSET_BOUND / rows - FMHAC_ALIGNMENT_BYTES;
  if (view->strides.row_bytes > most)
    return fmhac_fail(context, FMHAC_UNSUPPORTED,
                      "tensor %s: rows of a page lie %" PRIu64
                      " bytes apart, at most %" PRIu64
                      " are possible (32-bit offsets); try smaller pages",
                      view->name, view->strides.row_bytes, most);
  if (view->page_bytes < OFFSET_BOUND)
    return FMHAC_OK;
  return fmhac_fail(context, FMHAC_UNSUPPORTED,
                    "tensor %s: pages lie %" PRIu64
                    " bytes apart, at most %" PRIu64 " are possible (32 bits)",
                    view->name, view->page_bytes,
                    OFFSET_BOUND - FMHAC_ALIGNMENT_BYTES);
}

/// Proves that offsets of a sequence's numbers in a table stay below 2^32, and
/// that keys up to AHEAD tiles past the last one have numbers of 31 bits.
static fmhac_status check_paged_keys(const fmhac_kernel *kernel,
                                     const fmhac_entry *entry, uint32_t keys) {
  enum { AHEAD = 8 }; // as far as a pipeline may look (kFarthest)
  const uint64_t page = (uint64_t)kernel->config.page_size;
  const uint64_t most_pages = OFFSET_BOUND / sizeof(int32_t) - 1;
  if (fmhac_ceil_divide(keys, page) > most_pages)
    return fmhac_fail(kernel->context, FMHAC_UNSUPPORTED,
                      "problem: seqlen_kv %" PRIu32 " in pages of %" PRIu64
                      " keys; a table holds at most %" PRIu64
                      " pages of a sequence",
                      keys, page, most_pages);
  const uint64_t tile = entry->row_rounding;
  const uint64_t most_keys = (INT32_MAX / tile - AHEAD) * tile;
  return keys <= most_keys
             ? FMHAC_OK
             : fmhac_fail(kernel->context, FMHAC_UNSUPPORTED,
                          "problem: seqlen_kv %" PRIu32
                          " in pages; a kernel counts at most %" PRIu64 " keys",
                          keys, most_keys);
}

static fmhac_status check_pages(const fmhac_kernel *kernel,
                                const fmhac_entry *entry,
                                const fmhac_tensors *tensors) {
  if (!fmhac_kernel_needs(kernel, FMHAC_GROUP(PAGED)))
    return FMHAC_OK;
  if (tensors->pages < 1 || tensors->pages > INT32_MAX)
    return fmhac_fail(kernel->context, FMHAC_INVALID_INPUT,
                      "launch: pages is %" PRIu64
                      ", expected the pages of K and V, from 1 to %" PRId32,
                      tensors->pages, INT32_MAX);
  tensor_view views[TENSOR_COUNT];
  const int count = view_tensors(kernel, tensors, views);
  fmhac_status status = check_paged(kernel, entry, &views[TENSOR_K]);
  if (status == FMHAC_OK)
    status = check_paged(kernel, entry, &views[TENSOR_V]);
  if (status == FMHAC_OK && count > TENSOR_K_ROPE)
    status = check_paged(kernel, entry, &views[TENSOR_K_ROPE]);
  return status == FMHAC_OK
             ? fmhac_check_multiple(
                   kernel->context, "page_table", "the batch stride",
                   tensors->page_table_batch_stride_bytes, sizeof(int32_t))
             : status;
}

/// Checks the strides of an operand's factors that the kernel uses, and that
/// every offset within a (batch, head) slice stays below 2^32.
static fmhac_status check_factors(const fmhac_kernel *kernel,
                                  const fmhac_entry *entry,
                                  const fmhac_problem *problem,
                                  const fmhac_tensors *tensors, int operand) {
  const fmhac_factor_strides strides =
      fmhac_factor_strides_of(&kernel->config, tensors, operand);
  const fmhac_strides bytes = {.batch_bytes = strides.batch_bytes,
                               .head_bytes = strides.head_bytes,
                               .row_bytes = strides.block_bytes};
  static const char *const names[FMHAC_FACTORED] = {"q_scales", "k_scales",
                                                    "v_scales"};
  fmhac_status status =
      fmhac_check_f32_strides(kernel->context, names[operand], &bytes);
  if (status != FMHAC_OK || !strides.rows_a_factor)
    return status;
  // Those of pages have addresses of 64 bits.
  if (strides.by_page && strides.block_bytes < OFFSET_BOUND)
    return FMHAC_OK;
  if (strides.by_page)
    return fmhac_fail(kernel->context, FMHAC_UNSUPPORTED,
                      "tensor %s: factors of pages %" PRIu64 " bytes apart, "
                      "expected less than %" PRIu64
                      " (a row stride of 32 bits)",
                      names[operand], strides.block_bytes, OFFSET_BOUND);
  const uint32_t rows =
      operand == FMHAC_FACTORS_OF_Q ? problem->seqlen_q : problem->seqlen_kv;
  const uint64_t rounded =
      fmhac_round_up(rows, entry->row_rounding) + (uint64_t)entry->row_rounding;
  const uint64_t blocks = rounded / strides.rows_a_factor + 1;
  const uint64_t most = (OFFSET_BOUND - 1 - sizeof(float)) / blocks;
  if (strides.block_bytes <= most)
    return FMHAC_OK;
  return fmhac_fail(kernel->context, FMHAC_UNSUPPORTED,
                    "tensor %s: %" PRIu64 " factors %" PRIu64 " bytes apart "
                    "pass the bound of %" PRIu64
                    " bytes (32-bit offsets): a row stride of at most %" PRIu64
                    " bytes fits",
                    names[operand], blocks, strides.block_bytes, OFFSET_BOUND,
                    most / sizeof(float) * sizeof(float));
}

/// The tensors that only some kernels take. LSE is written; the others are
/// read.
static fmhac_status check_features(const fmhac_kernel *kernel,
                                   const fmhac_entry *entry,
                                   const fmhac_tensors *tensors) {
  const struct {
    const char *name;
    uint64_t group, address;
  } inputs[] = {
      {"cu_seqlens_q", FMHAC_GROUP(VARLEN_Q), tensors->cu_seqlens_q},
      {"cu_seqlens_kv", FMHAC_GROUP(VARLEN_KV), tensors->cu_seqlens_kv},
      {"seqlens_q", FMHAC_GROUP(LENGTHS_Q), tensors->seqlens_q},
      {"seqlens_kv", FMHAC_GROUP(LENGTHS_KV), tensors->seqlens_kv},
      {"kv_indptr", FMHAC_GROUP(PAGE_LIST), tensors->kv_indptr},
      {"kv_indices", FMHAC_GROUP(PAGE_LIST), tensors->kv_indices},
      {"kv_last_page_len", FMHAC_GROUP(PAGE_LIST), tensors->kv_last_page_len},
      {"sink", FMHAC_GROUP(SINK), tensors->sink},
      {"alibi_slopes", FMHAC_GROUP(ALIBI), tensors->alibi_slopes},
      {"q_scales", FMHAC_GROUP(Q_SCALE), tensors->q_scales},
      {"k_scales", FMHAC_GROUP(K_SCALE), tensors->k_scales},
      {"v_scales", FMHAC_GROUP(V_SCALE), tensors->v_scales},
      {"o_scale", FMHAC_GROUP(O_SCALE), tensors->o_scale},
      {"k_rope", FMHAC_GROUP(K_ROPE), tensors->k_rope},
  };
  const fmhac_problem problem = fmhac_problem_of_launch(tensors);
  fmhac_status status = check_lse(kernel, tensors);
  // Lengths and factors are elements of four bytes.
  for (size_t i = 0; i < sizeof inputs / sizeof inputs[0] && status == FMHAC_OK;
       ++i)
    status = fmhac_check_presence(kernel, inputs[i].name, inputs[i].group,
                                  inputs[i].address, sizeof(float));
  const bool has_table = fmhac_kernel_needs(kernel, FMHAC_GROUP(PAGED)) &&
                         !fmhac_kernel_needs(kernel, FMHAC_GROUP(PAGE_LIST));
  if (status == FMHAC_OK)
    status = fmhac_check_wanted(kernel, "page_table", has_table,
                                tensors->page_table, sizeof(int32_t));
  if (status == FMHAC_OK)
    status = check_pages(kernel, entry, tensors);
  for (int i = 0; i < FMHAC_FACTORED && status == FMHAC_OK; ++i)
    status = check_factors(kernel, entry, &problem, tensors, i);
  if (status == FMHAC_OK && tensors->alibi_slopes)
    status = fmhac_check_multiple(
        kernel->context, "alibi_slopes", "the batch stride",
        tensors->alibi_batch_stride_bytes, sizeof(float));
  return status == FMHAC_OK ? check_bias(kernel, entry, tensors) : status;
}

//===- All ----------------------------------------------------------------===//

fmhac_status fmhac_check_max_launcher(const fmhac_kernel *kernel,
                                      const fmhac_problem *max_problem,
                                      const fmhac_launcher *launcher) {
  fmhac_context *context = kernel->context;
  uint32_t grid[3];
  fmhac_status status =
      fmhac_launcher_grid(context, launcher, max_problem, grid);
  const fmhac_row_bytes bytes = fmhac_kernel_row_bytes(kernel);
  const bool paged = fmhac_kernel_needs(kernel, FMHAC_GROUP(PAGED));
  const bool packs = fmhac_entry_packs_heads(launcher->entry);
  if (status == FMHAC_OK && packs)
    status = fmhac_check_group_rows(kernel, launcher->entry, max_problem);
  if (status == FMHAC_OK && paged)
    status = check_paged_keys(kernel, launcher->entry, max_problem->seqlen_kv);
  const struct {
    const char *name;
    uint32_t rows;
    uint64_t row_bytes;
    bool is_checked;
  } densest[] = {
      {"q", max_problem->seqlen_q, bytes.q, !packs},
      {"k", max_problem->seqlen_kv, bytes.k, !paged},
      {"v", max_problem->seqlen_kv, bytes.v, !paged},
      {"o", max_problem->seqlen_q, bytes.o, !packs},
      {"k_rope", max_problem->seqlen_kv, bytes.k_rope, !paged && bytes.k_rope}};
  for (size_t i = 0;
       i < sizeof densest / sizeof densest[0] && status == FMHAC_OK; ++i)
    if (densest[i].is_checked)
      status = check_offsets(context, launcher->entry, densest[i].name,
                             densest[i].rows, densest[i].row_bytes,
                             densest[i].row_bytes);
  // The densest bias is one row for all.
  if (status == FMHAC_OK && fmhac_kernel_needs(kernel, FMHAC_GROUP(BIAS)))
    status = check_bias_offsets(context, launcher->entry, max_problem, 0);
  return status;
}

fmhac_status fmhac_check_max_problem(const fmhac_kernel *kernel,
                                     const fmhac_problem *max_problem,
                                     bool takes_lists,
                                     fmhac_launcher *out_launcher) {
  fmhac_context *context = kernel->context;
  fmhac_status status = check_problem(context, max_problem);
  const int64_t promised = kernel->config.max_seqlen_q;
  if (status == FMHAC_OK && promised && max_problem->seqlen_q > promised)
    status = fmhac_fail(
        context, FMHAC_INVALID_INPUT,
        "problem: seqlen_q is %u, expected at most the %" PRId64
        " rows that max_seqlen_q of the kernel's configuration promises: plan "
        "for fewer rows, or compile with a larger max_seqlen_q",
        max_problem->seqlen_q, promised);
  if (status == FMHAC_OK)
    status = fmhac_launcher_find_attention(kernel, takes_lists, max_problem,
                                           out_launcher);
  return status == FMHAC_OK
             ? fmhac_check_max_launcher(kernel, max_problem, out_launcher)
             : status;
}

fmhac_status fmhac_check_launch(const fmhac_kernel *kernel,
                                const fmhac_launcher *launcher,
                                const fmhac_problem *most,
                                const fmhac_tensors *tensors) {
  fmhac_context *context = kernel->context;
  const fmhac_problem problem = fmhac_problem_of_launch(tensors);
  uint32_t grid[3];
  fmhac_status status = check_problem(context, &problem);
  if (status == FMHAC_OK)
    status = check_within(kernel, most, &problem);
  if (status == FMHAC_OK)
    status = fmhac_launcher_grid(context, launcher, &problem, grid);
  if (status != FMHAC_OK)
    return status;
  if (!isfinite(tensors->scale))
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "launch: scale is %g, expected a finite number",
                      (double)tensors->scale);
  if (fabsf(tensors->scale) > (float)FMHAC_MAX_SCALE)
    return fmhac_fail(context, FMHAC_UNSUPPORTED,
                      "launch: scale is %.9g, a kernel takes -%g to %g: larger "
                      "scores exceed the precision of f32",
                      (double)tensors->scale, FMHAC_MAX_SCALE, FMHAC_MAX_SCALE);
  tensor_view views[TENSOR_COUNT];
  const int count = view_tensors(kernel, tensors, views);
  for (int i = 0; i < count && status == FMHAC_OK; ++i)
    status = check_tensor(context, launcher->entry, &views[i]);
  if (status == FMHAC_OK)
    status = check_output(context, &views[TENSOR_O], &problem);
  if (status == FMHAC_OK && fmhac_entry_packs_heads(launcher->entry))
    status = fmhac_check_group_launch(kernel, launcher->entry, most, tensors);
  return status == FMHAC_OK ? check_features(kernel, launcher->entry, tensors)
                            : status;
}
