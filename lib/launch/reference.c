// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac_reference(): a caller's tensors, checked, for the oracle. The oracle
// takes numbers of the configuration and the spelling of the mask, which it
// reads itself.
#include "fmhac_reference.h"

#include <inttypes.h>
#include <math.h>

#include "config.h"
#include "context.h"
#include "factors.h"
#include "latent_tensors.h"
#include "operands.h"
#include "reference.h"
#include "reference_problem.h"
#include "require.h"

//===- Problem ------------------------------------------------------------===//

static element_type element_of(fmhac_operand_dtype own, fmhac_dtype dtype) {
  static const element_type all[] = {[FMHAC_OPERAND_DTYPE_BF16] = ELEMENT_BF16,
                                     [FMHAC_OPERAND_DTYPE_F16] = ELEMENT_F16,
                                     [FMHAC_OPERAND_DTYPE_FP8] = ELEMENT_FP8,
                                     [FMHAC_OPERAND_DTYPE_BF8] = ELEMENT_BF8};
  return all[own == FMHAC_OPERAND_DTYPE_SAME ? (int)dtype + 1 : (int)own];
}

/// The types of Q, K, V and O; false if the first three do not go together.
static bool read_types(const fmhac_config_values *v, attention *p) {
  static const element_type out[] = {[FMHAC_OUT_DTYPE_BF16] = ELEMENT_BF16,
                                     [FMHAC_OUT_DTYPE_F16] = ELEMENT_F16,
                                     [FMHAC_OUT_DTYPE_F32] = ELEMENT_F32,
                                     [FMHAC_OUT_DTYPE_FP8] = ELEMENT_FP8};
  p->q_type = element_of(v->q_dtype, v->dtype);
  p->k_type = element_of(v->k_dtype, v->dtype);
  p->v_type = element_of(v->v_dtype, v->dtype);
  p->out_type = v->out_dtype != FMHAC_OUT_DTYPE_SAME ? out[v->out_dtype]
                : p->q_type == ELEMENT_FP8           ? ELEMENT_BF16
                                                     : p->q_type;
  const bool alike = p->k_type == p->q_type && p->v_type == p->q_type;
  const bool dequantised = !element_is_8_bit(p->q_type) &&
                           element_is_8_bit(p->k_type) &&
                           element_is_8_bit(p->v_type);
  return alike || dequantised;
}

static fmhac_status read_config(const fmhac_config *config,
                                const fmhac_reference_options *options,
                                attention *p) {
  const fmhac_config_values *v = &config->values;
  if (!read_types(v, p))
    return fmhac_fail(config->context, FMHAC_UNSUPPORTED,
                      "reference: Q %s, K %s, V %s; expected one type, or a Q "
                      "of 16 bits with K and V of 8",
                      element_name(p->q_type), element_name(p->k_type),
                      element_name(p->v_type));
  fmhac_status status = fmhac_check_operands(config->context, v);
  if (status != FMHAC_OK)
    return status;
  p->quantize_q = v->quantize_q;
  char mask[128];
  fmhac_mask_print(&v->mask, mask, sizeof mask);
  if (!attention_mask_parse(mask, &p->mask))
    return fmhac_fail(config->context, FMHAC_UNSUPPORTED,
                      "reference: mask %s is not known", mask);
  if (v->score_mod[0] && !options->score_mod)
    return fmhac_fail(config->context, FMHAC_UNSUPPORTED,
                      "reference: the configuration has score_mod %.200s, "
                      "which is not evaluated here; give the same function as "
                      "fmhac_reference_options.score_mod",
                      v->score_mod);
  p->head_dim_qk = (uint32_t)v->head_dim_qk;
  p->head_dim_v = (uint32_t)v->head_dim_v;
  p->rope_dim = (uint32_t)v->rope_dim;
  p->softcap = v->softcap;
  p->score_mod = v->score_mod[0] ? options->score_mod : NULL;
  p->score_mod_user = options->score_mod_user;
  return FMHAC_OK;
}

static fmhac_status read_sizes(fmhac_context *context, const fmhac_tensors *t,
                               attention *p) {
  const uint32_t all[] = {t->batch, t->heads_q, t->heads_kv, t->seqlen_q,
                          t->seqlen_kv};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
    if (!all[i])
      return fmhac_fail(context, FMHAC_INVALID_INPUT,
                        "reference: B %" PRIu32 ", Hq %" PRIu32 ", Hk %" PRIu32
                        ", Sq %" PRIu32 ", Sk %" PRIu32
                        ": expected at least 1 of each",
                        all[0], all[1], all[2], all[3], all[4]);
  if (t->heads_q % t->heads_kv)
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "reference: heads %" PRIu32
                      " is no multiple of kv_heads %" PRIu32,
                      t->heads_q, t->heads_kv);
  if (!isfinite(t->scale))
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "reference: scale is %g, expected a finite number",
                      (double)t->scale);
  p->batch = t->batch;
  p->heads_q = t->heads_q;
  p->heads_kv = t->heads_kv;
  p->seqlen_q = t->seqlen_q;
  p->seqlen_kv = t->seqlen_kv;
  p->scale = fmhac_scale_of(t->scale, p->head_dim_qk);
  return FMHAC_OK;
}

//===- Tensors ------------------------------------------------------------===//

/// Strides in elements. Those of an output may not overlap.
static fmhac_status view(fmhac_context *context, const char *name,
                         uint64_t address, const fmhac_strides *strides,
                         element_type type, attention_view *out) {
  const uint64_t bytes = element_bytes(type);
  if (address % bytes || strides->batch_bytes % bytes ||
      strides->head_bytes % bytes || strides->row_bytes % bytes)
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "reference: tensor %s: address 0x%" PRIx64
                      ", strides %" PRIu64 ", %" PRIu64 ", %" PRIu64
                      ": expected multiples of the %" PRIu64
                      " bytes of an element",
                      name, address, strides->batch_bytes, strides->row_bytes,
                      strides->head_bytes, bytes);
  *out = (attention_view){.base = (const void *)(uintptr_t)address,
                          .batch_stride = strides->batch_bytes / bytes,
                          .row_stride = strides->row_bytes / bytes,
                          .head_stride = strides->head_bytes / bytes};
  return FMHAC_OK;
}

static fmhac_status check_apart(fmhac_context *context, const char *name,
                                const char *what, uint64_t count,
                                uint64_t stride, uint64_t least) {
  if (count <= 1 || stride >= least)
    return FMHAC_OK;
  return fmhac_fail(context, FMHAC_INVALID_INPUT,
                    "reference: tensor %s: %s lie %" PRIu64
                    " elements apart, expected at least the %" PRIu64
                    " of a row: its %s overlap",
                    name, what, stride, least, what);
}

/// Where results go.
static fmhac_status view_outputs(fmhac_context *context, const fmhac_tensors *t,
                                 bool wants_lse, attention *p) {
  fmhac_status status =
      view(context, "o", 0, &t->o_strides, p->out_type, &p->o);
  const bool packed = p->cu_seqlens_q;
  const uint64_t batches = packed ? 1 : p->batch;
  const uint64_t rows =
      packed ? (uint64_t)p->cu_seqlens_q[p->batch] : p->seqlen_q;
  if (status == FMHAC_OK)
    status =
        check_apart(context, "o", "rows", rows, p->o.row_stride, p->head_dim_v);
  if (status == FMHAC_OK)
    status = check_apart(context, "o", "heads", p->heads_q, p->o.head_stride,
                         p->head_dim_v);
  if (status == FMHAC_OK)
    status = check_apart(context, "o", "batches", batches, p->o.batch_stride,
                         p->head_dim_v);
  // One row has no stride to count, and a view needs one.
  if (!p->o.row_stride)
    p->o.row_stride = 1;
  if (status != FMHAC_OK || !wants_lse)
    return status;
  const fmhac_strides strides = {.batch_bytes = t->lse_batch_stride_bytes,
                                 .head_bytes = t->lse_head_stride_bytes,
                                 .row_bytes = sizeof(float)};
  status = view(context, "lse", 0, &strides, ELEMENT_F32, &p->lse);
  if (status == FMHAC_OK)
    status = check_apart(context, "lse", "heads", p->heads_q,
                         p->lse.head_stride, rows);
  if (status == FMHAC_OK)
    status = check_apart(context, "lse", "batches", batches,
                         p->lse.batch_stride, rows);
  return status;
}

/// A tensor is there exactly if the configuration takes it.
static fmhac_status take(const fmhac_config *config, const char *name,
                         bool wanted, uint64_t address, const void **out) {
  *out = (const void *)(uintptr_t)address;
  if (wanted == (address != 0) && address % sizeof(float) == 0)
    return FMHAC_OK;
  return fmhac_fail(config->context, FMHAC_INVALID_INPUT,
                    "reference: tensor %s: %s", name,
                    !wanted   ? "an address is given, the configuration takes "
                                "none"
                    : address ? "the address is no multiple of 4 bytes"
                              : "the address is null, the configuration takes "
                                "one");
}

static fmhac_status check_starts(fmhac_context *context, const char *name,
                                 const int32_t *starts, uint32_t batch,
                                 uint32_t most) {
  bool right = !starts || starts[0] == 0;
  for (uint32_t b = 0; starts && right && b < batch; ++b)
    right = starts[b + 1] >= starts[b] &&
            (uint32_t)(starts[b + 1] - starts[b]) <= most;
  return right ? FMHAC_OK
               : fmhac_fail(context, FMHAC_INVALID_INPUT,
                            "reference: %s: expected 0, then numbers that do "
                            "not decrease, no two further apart than %" PRIu32
                            " rows",
                            name, most);
}

static fmhac_status check_lengths(fmhac_context *context, const char *name,
                                  const int32_t *lengths, uint32_t batch,
                                  uint32_t most) {
  for (uint32_t b = 0; lengths && b < batch; ++b)
    if (lengths[b] < 0 || (uint32_t)lengths[b] > most)
      return fmhac_fail(context, FMHAC_INVALID_INPUT,
                        "reference: %s: element %" PRIu32 " is %" PRId32
                        ", expected 0 to %" PRIu32,
                        name, b, lengths[b], most);
  return FMHAC_OK;
}

/// Pages and lengths of the sequences of a list.
static fmhac_status check_list(fmhac_context *context, const attention *p) {
  char text[400];
  return attention_list_check(&p->pages, p->batch, INT32_MAX, "kv_indptr",
                              "kv_last_page_len", text, sizeof text)
             ? FMHAC_OK
             : fmhac_fail(context, FMHAC_INVALID_INPUT, "reference: %s", text);
}

/// Keys of sequences, whatever says how many there are.
static fmhac_status check_keys(fmhac_context *context, const attention *p) {
  for (uint32_t b = 0; b < p->batch; ++b)
    if (attention_keys(p, b) > p->seqlen_kv)
      return fmhac_fail(context, FMHAC_INVALID_INPUT,
                        "reference: sequence %" PRIu32 " has %" PRIu32
                        " keys, expected at most seqlen_kv, %" PRIu32,
                        b, attention_keys(p, b), p->seqlen_kv);
  return FMHAC_OK;
}

/// Lengths and the numbers of pages that they reach.
static fmhac_status check_pages(fmhac_context *context, const fmhac_tensors *t,
                                const attention *p) {
  const attention_pages *pages = &p->pages;
  if (t->page_table_batch_stride_bytes % sizeof(int32_t))
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "reference: page_table: batch stride %" PRIu64
                      "; expected a multiple of 4 bytes",
                      t->page_table_batch_stride_bytes);
  fmhac_status status = pages->starts ? check_list(context, p) : FMHAC_OK;
  if (status == FMHAC_OK) // a table has numbers for so many keys
    status = check_keys(context, p);
  for (uint32_t b = 0; b < p->batch && status == FMHAC_OK; ++b) {
    const uint32_t keys = attention_keys(p, b);
    for (uint64_t i = 0; i < attention_pages_of(pages, keys); ++i) {
      const int32_t number = attention_page(pages, b, i);
      if (number < 0 || (uint64_t)number >= t->pages)
        return fmhac_fail(context, FMHAC_INVALID_INPUT,
                          "reference: %s: page %" PRIu64 " of sequence %" PRIu32
                          " is %" PRId32 ", expected 0 to %" PRIu64
                          ", as K and V have %" PRIu64 " pages",
                          pages->starts ? "kv_indices" : "page_table", i, b,
                          number, t->pages - 1, t->pages);
    }
  }
  return status;
}

static fmhac_status read_lists(const fmhac_config *config,
                               const fmhac_tensors *t, attention *p) {
  const fmhac_config_values *v = &config->values;
  const void *sink, *slopes, *bias, *lists[4], *table, *indptr, *indices, *last;
  const struct {
    const char *name;
    bool wanted;
    uint64_t address;
    const void **to;
  } all[] = {
      {"cu_seqlens_q", v->cu_seqlens_q, t->cu_seqlens_q, &lists[0]},
      {"cu_seqlens_kv", v->cu_seqlens_kv, t->cu_seqlens_kv, &lists[1]},
      {"seqlens_q", v->seqlens_q, t->seqlens_q, &lists[2]},
      {"seqlens_kv", v->seqlens_kv, t->seqlens_kv, &lists[3]},
      {"page_table", v->page_table, t->page_table, &table},
      {"kv_indptr", v->kv_indptr, t->kv_indptr, &indptr},
      {"kv_indices", v->kv_indices, t->kv_indices, &indices},
      {"kv_last_page_len", v->kv_last_page_len, t->kv_last_page_len, &last},
      {"sink", v->sink, t->sink, &sink},
      {"alibi_slopes", v->alibi, t->alibi_slopes, &slopes},
      {"bias", v->bias, t->bias, &bias}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
    fmhac_status status =
        take(config, all[i].name, all[i].wanted, all[i].address, all[i].to);
    if (status != FMHAC_OK)
      return status;
  }
  p->cu_seqlens_q = lists[0];
  p->cu_seqlens_kv = lists[1];
  p->seqlens_q = lists[2];
  p->seqlens_kv = lists[3];
  p->lengths_cached = v->kv_lengths == FMHAC_KV_LENGTHS_CACHED;
  p->pages = (attention_pages){
      .rows = (uint32_t)v->page_size,
      .numbers = table ? table : indices,
      .batch_stride = t->page_table_batch_stride_bytes / sizeof(int32_t),
      .starts = indptr,
      .last_rows = last};
  p->sink = sink;
  p->alibi_slopes = slopes;
  p->alibi_batch_stride = t->alibi_batch_stride_bytes / sizeof(float);
  p->bias = (attention_bias){
      .base = bias,
      .batch_stride = t->bias_strides.batch_bytes / sizeof(float),
      .head_stride = t->bias_strides.head_bytes / sizeof(float),
      .row_stride = t->bias_strides.row_bytes / sizeof(float)};
  fmhac_context *context = config->context;
  fmhac_status status = check_starts(context, "cu_seqlens_q", p->cu_seqlens_q,
                                     p->batch, p->seqlen_q);
  if (status == FMHAC_OK)
    status = check_starts(context, "cu_seqlens_kv", p->cu_seqlens_kv, p->batch,
                          p->seqlen_kv);
  if (status == FMHAC_OK)
    status = check_lengths(context, "seqlens_q", p->seqlens_q, p->batch,
                           p->seqlen_q);
  if (status == FMHAC_OK)
    status = check_lengths(context, "seqlens_kv", p->seqlens_kv, p->batch,
                           p->seqlen_kv);
  if (status == FMHAC_OK && p->pages.rows)
    status = check_pages(context, t, p);
  return status == FMHAC_OK ? check_keys(context, p) : status;
}

/// Heads of vectorised pages are made of pieces, which strides do not place.
static fmhac_status divide_pages(fmhac_context *context, bool v_in_k,
                                 attention *p) {
  if (p->k.row_stride || p->v.row_stride || p->k_rope.row_stride)
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "reference: tensor %s: expected a row stride of 0 with "
                      "\"kv_layout\" vectorised, which says where rows lie",
                      p->k.row_stride   ? "k"
                      : p->v.row_stride ? "v"
                                        : "k_rope");
  p->k.piece = (uint32_t)(ATTENTION_PIECE_BYTES / element_bytes(p->k_type));
  p->v.piece = (uint32_t)(ATTENTION_PIECE_BYTES / element_bytes(p->v_type));
  p->v.by_row = !v_in_k;
  p->k_rope.piece = p->k.piece;
  return FMHAC_OK;
}

static fmhac_status read_inputs(fmhac_context *context, const fmhac_tensors *t,
                                attention *p) {
  fmhac_strides k = t->k_strides, v = t->v_strides, rope = t->k_rope_strides;
  if (p->pages.rows) {
    rope.batch_bytes = t->k_rope_page_stride_bytes;
    k.batch_bytes = t->k_page_stride_bytes;
    v.batch_bytes = t->v_page_stride_bytes;
  }
  const struct {
    const char *name;
    uint64_t address;
    const fmhac_strides *strides;
    element_type type;
    attention_view *view;
  } all[] = {{"q", t->q, &t->q_strides, p->q_type, &p->q},
             {"k", t->k, &k, p->k_type, &p->k},
             {"v", t->v, &v, p->v_type, &p->v},
             {"k_rope", t->k_rope, &rope, p->k_type, &p->k_rope}};
  const size_t count = sizeof all / sizeof all[0] - (p->rope_dim ? 0 : 1);
  fmhac_status status = FMHAC_OK;
  if (t->k_rope && !p->rope_dim)
    status = fmhac_fail(context, FMHAC_INVALID_INPUT,
                        "reference: tensor k_rope: an address is given, the "
                        "configuration takes none");
  for (size_t i = 0; i < count && status == FMHAC_OK; ++i)
    status = all[i].address
                 ? view(context, all[i].name, all[i].address, all[i].strides,
                        all[i].type, all[i].view)
                 : fmhac_fail(context, FMHAC_INVALID_INPUT,
                              "reference: tensor %s: the address is null",
                              all[i].name);
  return status;
}

//===- Factors ------------------------------------------------------------===//

/// Those of one operand; `starts` are of its sequences, if they are packed, and
/// `pages` has those that K and V lie in.
static fmhac_status read_factors(const fmhac_config *config,
                                 const fmhac_tensors *t, int operand,
                                 const int32_t *starts,
                                 const attention_pages *pages,
                                 attention_factors *out) {
  const struct {
    const char *name;
    fmhac_granularity scale;
    uint64_t address;
  } all[FMHAC_FACTORED] = {{"q_scales", config->values.q_scale, t->q_scales},
                           {"k_scales", config->values.k_scale, t->k_scales},
                           {"v_scales", config->values.v_scale, t->v_scales}};
  const fmhac_granularity scale = all[operand].scale;
  const char *name = all[operand].name;
  const void *base;
  fmhac_status status = take(config, name, scale != FMHAC_GRANULARITY_NONE,
                             all[operand].address, &base);
  if (status != FMHAC_OK || !base)
    return status;
  const fmhac_factor_strides bytes =
      fmhac_factor_strides_of(&config->values, t, operand);
  const fmhac_strides strides = {.batch_bytes = bytes.batch_bytes,
                                 .head_bytes = bytes.head_bytes,
                                 .row_bytes = bytes.block_bytes};
  attention_view elements = {0};
  status = view(config->context, name, all[operand].address, &strides,
                ELEMENT_F32, &elements);
  if (status != FMHAC_OK)
    return status;
  *out = (attention_factors){.base = base,
                             .batch_stride = elements.batch_stride,
                             .row_stride = elements.row_stride,
                             .head_stride = elements.head_stride,
                             .rows_a_factor = bytes.rows_a_factor,
                             .pages = bytes.by_page ? pages : NULL,
                             // Factors by token lie as the rows do: those of a
                             // sequence after those of the one before it.
                             .starts = scale == FMHAC_GRANULARITY_TOKEN ? starts
                                                                        : NULL};
  return FMHAC_OK;
}

static fmhac_status read_all_factors(const fmhac_config *config,
                                     const fmhac_tensors *t, attention *p) {
  fmhac_context *context = config->context;
  const fmhac_config_values *v = &config->values;
  const char *unsupported = fmhac_unsupported_factors(v);
  if (unsupported)
    return fmhac_fail(
        context, FMHAC_UNSUPPORTED,
        "reference: %s: factors %s of K and V; expected %s", unsupported,
        v->page_size ? "by token in pages" : "by block, packed,",
        v->page_size ? "tensor, head or block" : "tensor, head or token");
  fmhac_status status = read_factors(config, t, FMHAC_FACTORS_OF_Q,
                                     p->cu_seqlens_q, NULL, &p->q_factors);
  if (status == FMHAC_OK)
    status = read_factors(config, t, FMHAC_FACTORS_OF_K, p->cu_seqlens_kv,
                          &p->pages, &p->k_factors);
  if (status == FMHAC_OK)
    status = read_factors(config, t, FMHAC_FACTORS_OF_V, p->cu_seqlens_kv,
                          &p->pages, &p->v_factors);
  const void *o_scale;
  if (status == FMHAC_OK)
    status = take(config, "o_scale", p->out_type == ELEMENT_FP8, t->o_scale,
                  &o_scale);
  if (status != FMHAC_OK || !o_scale)
    return status;
  const float divisor = *(const float *)o_scale;
  if (!(divisor > 0) || !isfinite(divisor))
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "reference: o_scale is %g, expected a finite number "
                      "above 0",
                      (double)divisor);
  p->o_scale = divisor;
  return FMHAC_OK;
}

//===- The call -----------------------------------------------------------===//

/// The structs of the caller, of whatever release.
static fmhac_status read_structs(fmhac_context *context,
                                 const fmhac_tensors *host,
                                 const fmhac_reference_options *options,
                                 const fmhac_reference_results *results,
                                 fmhac_tensors *out_tensors,
                                 fmhac_reference_options *out_options,
                                 fmhac_reference_results *out_results) {
  char text[256];
  const fmhac_reference_options usual = {.size = sizeof usual};
  fmhac_status status =
      fmhac_struct_in(out_tensors, sizeof *out_tensors,
                      FMHAC_SIZE_THROUGH(fmhac_tensors, bias_strides), host,
                      "fmhac_tensors", text, sizeof text);
  if (status == FMHAC_OK)
    status = fmhac_struct_in(
        out_options, sizeof *out_options,
        FMHAC_SIZE_THROUGH(fmhac_reference_options, score_mod_user),
        options ? options : &usual, "fmhac_reference_options", text,
        sizeof text);
  if (status == FMHAC_OK)
    status = fmhac_struct_in(
        out_results, sizeof *out_results,
        FMHAC_SIZE_THROUGH(fmhac_reference_results, largest_score), results,
        "fmhac_reference_results", text, sizeof text);
  return status == FMHAC_OK
             ? status
             : fmhac_fail(context, status, "reference: %s", text);
}

fmhac_status fmhac_reference_problem(const fmhac_config *config,
                                     const fmhac_tensors *host,
                                     const fmhac_reference_options *options,
                                     bool wants_lse, attention *out_problem) {
  attention *p = out_problem;
  *p = (attention){0};
  fmhac_status status = read_config(config, options, p);
  if (status == FMHAC_OK)
    status = read_sizes(config->context, host, p);
  if (status == FMHAC_OK)
    status = read_lists(config, host, p);
  if (status == FMHAC_OK)
    status = read_inputs(config->context, host, p);
  if (status == FMHAC_OK &&
      config->values.kv_layout == FMHAC_KV_LAYOUT_VECTORISED)
    status = divide_pages(config->context, config->values.v_in_k, p);
  if (status == FMHAC_OK)
    status = read_all_factors(config, host, p);
  if (status == FMHAC_OK)
    status = view_outputs(config->context, host, wants_lse, p);
  return status;
}

fmhac_status fmhac_reference(const fmhac_config *config,
                             const fmhac_tensors *host,
                             const fmhac_reference_options *options,
                             fmhac_reference_results *results) {
  fmhac_context *context = config ? config->context : NULL;
  fmhac_tensors t;
  fmhac_reference_options o;
  fmhac_reference_results r;
  attention p;
  fmhac_status status = FMHAC_REQUIRE(context, FMHAC_GIVEN(config),
                                      FMHAC_GIVEN(host), FMHAC_GIVEN(results));
  if (status == FMHAC_OK)
    status = read_structs(context, host, options, results, &t, &o, &r);
  if (status == FMHAC_OK)
    status = fmhac_tensors_settle(context, &config->values, "reference", &t);
  if (status == FMHAC_OK)
    status = fmhac_reference_problem(
        config, &t, &o, r.lse || r.rounded_lse || r.scaled_rounded_lse, &p);
  if (status != FMHAC_OK)
    return status;
  bool ok = reference_compute(&p, o.threads, r.o, r.lse, r.rounded_o,
                              r.other_rounded_o, r.rounded_lse,
                              &results->largest_score);
  if (ok && (r.scaled_rounded_o || r.other_scaled_rounded_o ||
             r.scaled_rounded_lse)) {
    p.power_of_2_scores = true;
    ok =
        reference_compute(&p, o.threads, NULL, NULL, r.scaled_rounded_o,
                          r.other_scaled_rounded_o, r.scaled_rounded_lse, NULL);
    p.power_of_2_scores = false;
  }
  if (ok && (r.apart_rounded_o || r.other_apart_rounded_o)) {
    p.v_factors_apart = attention_has_apart_floors(&p);
    ok = reference_compute(&p, o.threads, NULL, NULL, r.apart_rounded_o,
                           r.other_apart_rounded_o, NULL, NULL);
  }
  if (!ok)
    return fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                      "reference: no memory for %" PRIu32
                      " keys of a head in double precision",
                      p.seqlen_kv);
  return FMHAC_OK;
}
