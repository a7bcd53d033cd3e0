// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "build_ir.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include <xxhash.h>

#include "fmha_dialect_c.h"
#include "key_text.h"

static fmha_mask_kind mask_kind(fmhac_mask_kind kind) {
  static const fmha_mask_kind kinds[] = {
      [FMHAC_MASK_NONE] = FMHA_MASK_NONE,
      [FMHAC_MASK_CAUSAL] = FMHA_MASK_CAUSAL,
      [FMHAC_MASK_CAUSAL_TOP_LEFT] = FMHA_MASK_CAUSAL_TOP_LEFT,
      [FMHAC_MASK_WINDOW] = FMHA_MASK_WINDOW,
      [FMHAC_MASK_CHUNKED] = FMHA_MASK_CHUNKED};
  return kinds[kind];
}

/// Of kernels that take lists.
static const fmha_work_form work_forms[] = {[FMHAC_WORK_GRID] = FMHA_WORK_GRID,
                                            [FMHAC_WORK_LIST] = FMHA_WORK_LIST,
                                            [FMHAC_WORK_QUEUE] =
                                                FMHA_WORK_QUEUE,
                                            [FMHAC_WORK_AUTO] = FMHA_WORK_LIST,
                                            [FMHAC_WORK_RUNS] = FMHA_WORK_RUNS};

static const char *const mask_names[] = {[FMHAC_MASK_NONE] = "none",
                                         [FMHAC_MASK_CAUSAL] = "causal",
                                         [FMHAC_MASK_CAUSAL_TOP_LEFT] =
                                             "causal_top_left",
                                         [FMHAC_MASK_WINDOW] = "window",
                                         [FMHAC_MASK_CHUNKED] = "chunked"};

/// A 32-bit hash of the inputs of a kernel, without the build.
static bool hash_of(const fmhac_config_values *values, MlirAttribute schedule,
                    const char *score_mod_text, uint32_t *out_hash) {
  // How the schedule was found, and where files lie, is not in the code.
  char *canonical = fmhac_config_values_print_code(values);
  fmhac_str text = {0};
  fmhac_key_text_append(&text, "config", canonical);
  free(canonical);
  fmhac_str printed = {0};
  mlirAttributePrint(schedule, fmhac_append_string_ref, &printed);
  fmhac_key_text_append(&text, "schedule", printed.text);
  fmhac_key_text_append(&text, "score_mod", score_mod_text);
  bool ok = canonical && !printed.failed && !text.failed;
  if (ok)
    *out_hash = (uint32_t)XXH3_64bits(text.text, text.length);
  fmhac_str_deinit(&printed);
  fmhac_str_deinit(&text);
  return ok;
}

bool fmhac_build_kernel_name(const fmhac_config_values *values,
                             MlirAttribute schedule, const char *score_mod_text,
                             char name[FMHAC_KERNEL_NAME_BYTES]) {
  uint32_t hash;
  if (!hash_of(values, schedule, score_mod_text, &hash))
    return false;
  char head_dim[48];
  if (values->head_dim_qk == values->head_dim_v)
    snprintf(head_dim, sizeof head_dim, "d%lld",
             (long long)values->head_dim_qk);
  else
    snprintf(head_dim, sizeof head_dim, "d%lldx%lld",
             (long long)values->head_dim_qk, (long long)values->head_dim_v);
  char types[24]; // of Q; of K and V, where these differ
  snprintf(types, sizeof types, "%s", fmhac_dtype_name(values->dtype));
  const char *k = fmhac_operand_dtype_name(values->k_dtype, values->dtype);
  const char *v = fmhac_operand_dtype_name(values->v_dtype, values->dtype);
  if (strcmp(k, types) != 0 || strcmp(v, types) != 0)
    snprintf(types, sizeof types, "%s_%s%s%s", fmhac_dtype_name(values->dtype),
             k, strcmp(k, v) == 0 ? "" : "_", strcmp(k, v) == 0 ? "" : v);
  snprintf(name, FMHAC_KERNEL_NAME_BYTES, "attn_%s_%s_%s_%08" PRIx32, types,
           head_dim, mask_names[values->mask.kind], hash);
  return true;
}

bool fmhac_build_role_name(const fmhac_config_values *values, fmhac_role role,
                           char name[FMHAC_KERNEL_NAME_BYTES]) {
  char *canonical = fmhac_config_values_print_code(values);
  if (!canonical)
    return false;
  const uint32_t hash = (uint32_t)XXH3_64bits(canonical, strlen(canonical));
  free(canonical);
  snprintf(name, FMHAC_KERNEL_NAME_BYTES, "%s_%s_d%lld_%08" PRIx32,
           fmhac_role_name(role), fmhac_config_values_out_name(values),
           (long long)values->head_dim_v, hash);
  return true;
}

/// Element type of that name.
static MlirType element_type(MlirContext context, const char *name) {
  return strcmp(name, "bf16") == 0  ? mlirBF16TypeGet(context)
         : strcmp(name, "f16") == 0 ? mlirF16TypeGet(context)
         : strcmp(name, "fp8") == 0 ? mlirFloat8E4M3FNTypeGet(context)
                                    : mlirFloat8E5M2TypeGet(context);
}

static MlirType output_type(MlirContext context, fmhac_out_dtype dtype,
                            MlirType element) {
  return dtype == FMHAC_OUT_DTYPE_BF16  ? mlirBF16TypeGet(context)
         : dtype == FMHAC_OUT_DTYPE_F16 ? mlirF16TypeGet(context)
         : dtype == FMHAC_OUT_DTYPE_F32 ? mlirF32TypeGet(context)
         : dtype == FMHAC_OUT_DTYPE_FP8 ? mlirFloat8E4M3FNTypeGet(context)
         // 8 bits hold too little without a factor.
         : mlirTypeIsAFloat8E4M3FN(element) ? mlirBF16TypeGet(context)
                                            : element;
}

/// A factor of the tensor is one of heads that all have the same: code is
/// alike.
static fmha_factors factors_of(fmhac_granularity scale) {
  static const fmha_factors all[] = {
      [FMHAC_GRANULARITY_NONE] = FMHA_FACTORS_NONE,
      [FMHAC_GRANULARITY_TENSOR] = FMHA_FACTORS_HEAD,
      [FMHAC_GRANULARITY_HEAD] = FMHA_FACTORS_HEAD,
      [FMHAC_GRANULARITY_TOKEN] = FMHA_FACTORS_TOKEN,
      [FMHAC_GRANULARITY_BLOCK] = FMHA_FACTORS_BLOCK};
  return all[scale];
}

/// Keys of a window bound; those past every tensor are no bound.
static int64_t window_keys(int64_t keys) {
  enum { FARTHEST_KEY = 1 << 30 };
  return keys > FARTHEST_KEY ? -1 : keys;
}

static int64_t chunk_keys(int64_t keys) {
  enum { FARTHEST_KEY = 1 << 30 };
  return keys > FARTHEST_KEY ? FARTHEST_KEY : keys;
}

static fmhac_status internal_error(struct fmhac_session *session) {
  return fmhac_fail(session->context, FMHAC_INTERNAL,
                    "building the problem: expected a configuration that "
                    "verifies, found: %s",
                    fmhac_session_errors(session));
}

static MlirNamedAttribute named(MlirContext context, const char *name,
                                MlirAttribute value) {
  return mlirNamedAttributeGet(
      mlirIdentifierGet(context, mlirStringRefCreateFromCString(name)), value);
}

static MlirAttribute text_of(MlirContext context, const char *text) {
  return mlirStringAttrGet(context, mlirStringRefCreateFromCString(text));
}

/// The op of a role, with the attributes that all have and those of its own.
static MlirOperation create_op(MlirLocation location, const char *op,
                               MlirAttribute problem,
                               const fmhac_problem_kernel *kernel,
                               const MlirNamedAttribute *own, intptr_t count) {
  MlirContext context = mlirLocationGetContext(location);
  const MlirNamedAttribute attributes[] = {
      named(context, "sym_name", text_of(context, kernel->name)),
      named(context, "problem", problem)};
  MlirOperationState state =
      mlirOperationStateGet(mlirStringRefCreateFromCString(op), location);
  mlirOperationStateAddAttributes(
      &state, sizeof attributes / sizeof attributes[0], attributes);
  mlirOperationStateAddAttributes(&state, count, own);
  MlirRegion body = mlirRegionCreate();
  if (kernel->role != FMHAC_ROLE_ATTENTION)
    mlirOperationStateAddOwnedRegions(&state, 1, &body);
  else
    mlirRegionDestroy(body);
  return mlirOperationCreate(&state);
}

static MlirOperation create_attention(MlirLocation location,
                                      MlirAttribute problem,
                                      const fmhac_problem_kernel *kernel) {
  MlirContext context = mlirLocationGetContext(location);
  MlirNamedAttribute own[2];
  intptr_t count = 0;
  if (!mlirAttributeIsNull(kernel->schedule))
    own[count++] = named(context, "schedule", kernel->schedule);
  if (kernel->when[0])
    own[count++] = named(context, "when", text_of(context, kernel->when));
  return create_op(location, "fmha.attention", problem, kernel, own, count);
}

static MlirOperation create_combine(MlirLocation location,
                                    MlirAttribute problem,
                                    const fmhac_problem_kernel *kernel) {
  MlirContext context = mlirLocationGetContext(location);
  const MlirNamedAttribute source =
      named(context, "source",
            fmhaCombineSourceAttrGet(context, kernel->role == FMHAC_ROLE_MERGE
                                                  ? FMHA_COMBINE_RESULTS
                                                  : FMHA_COMBINE_PARTS));
  return create_op(location, "fmha.combine", problem, kernel, &source, 1);
}

/// Of a configuration without attention, what other roles work on: O, its rows,
/// LSE and sink. The rest is at its defaults, whatever it was.
static fmhac_config_values values_of(const fmhac_config_values *given) {
  if (given->role == FMHAC_ROLE_ATTENTION)
    return *given;
  fmhac_config_values values;
  fmhac_config_values_init(&values);
  values.role = given->role;
  values.out_dtype = given->out_dtype;
  values.dtype =
      given->out_dtype == FMHAC_OUT_DTYPE_FP8 ? FMHAC_DTYPE_FP8 : given->dtype;
  values.head_dim_qk = values.head_dim_v = given->head_dim_v;
  values.lse = given->lse;
  values.sink = given->sink;
  values.cu_seqlens_q = given->cu_seqlens_q;
  values.seqlens_q = given->seqlens_q;
  return values;
}

fmhac_status fmhac_build_problem(struct fmhac_session *session,
                                 const fmhac_config_values *given,
                                 const fmhac_problem_kernel *kernels,
                                 size_t count, MlirModule *out_module) {
  *out_module = (MlirModule){NULL};
  const fmhac_config_values own = values_of(given), *values = &own;
  fmhac_session_begin(session);
  MlirContext context = session->mlir;
  const char *const names[] = {
      fmhac_dtype_name(values->dtype),
      fmhac_operand_dtype_name(values->k_dtype, values->dtype),
      fmhac_operand_dtype_name(values->v_dtype, values->dtype)};
  enum { Q, K, V, OPERANDS };
  MlirType types[OPERANDS];
  for (int i = 0; i < OPERANDS; ++i)
    types[i] = element_type(context, names[i]);
  // The kernel divides by it in f32.
  const double least_softcap = 1e-6;
  if (values->softcap != 0 && values->softcap < least_softcap)
    return fmhac_fail(session->context, FMHAC_INVALID_INPUT,
                      "building the problem: key \"softcap\": expected 0 or at "
                      "least %g, found %g",
                      least_softcap, values->softcap);

  mlirDialectHandleLoadDialect(mlirGetDialectHandle__fmha__(), context);
  MlirLocation location = mlirLocationUnknownGet(context);
  fmha_problem_params params = {
      .q = types[Q],
      .k = types[K],
      .v = types[V],
      // Rounded to what meets V without a conversion.
      .p = values->quantize_q ? mlirFloat8E4M3FNTypeGet(context) : types[Q],
      .o = output_type(context, values->out_dtype, types[Q]),
      .head_dim_qk = values->head_dim_qk,
      .head_dim_v = values->head_dim_v,
      .mask = mask_kind(values->mask.kind),
      .window_left = window_keys(values->mask.window_left),
      .window_right = window_keys(values->mask.window_right),
      .chunk = chunk_keys(values->mask.chunk),
      .softcap = (float)values->softcap,
      .score_mod = values->score_mod[0] != 0,
      .alibi = values->alibi,
      .bias = values->bias,
      .sink = values->sink,
      .lse = values->lse,
      .varlen_q = values->cu_seqlens_q,
      .varlen_kv = values->cu_seqlens_kv,
      .lengths_q = values->seqlens_q,
      .lengths_kv = values->seqlens_kv,
      .q_scale = factors_of(values->q_scale),
      .k_scale = factors_of(values->k_scale),
      .v_scale = factors_of(values->v_scale),
      .scale_block = values->scale_block,
      .pages = !values->page_size   ? FMHA_PAGES_NONE
               : values->page_table ? FMHA_PAGES_TABLE
                                    : FMHA_PAGES_LIST,
      .page_size = values->page_size,
      .lengths_cached = values->kv_lengths == FMHAC_KV_LENGTHS_CACHED,
      .vectorised = values->kv_layout == FMHAC_KV_LAYOUT_VECTORISED,
      .rope_dim = values->rope_dim,
      .v_in_k = values->v_in_k,
      .work = work_forms[values->work],
      .parts = values->split_kv != FMHAC_SPLIT_KV_NONE,
  };
  const MlirAttribute problem = fmhaProblemAttrGetChecked(location, &params);
  params.work = FMHA_WORK_GRID;
  params.parts = false;
  const MlirAttribute of_grid = fmhaProblemAttrGetChecked(location, &params);
  if (mlirAttributeIsNull(problem) || mlirAttributeIsNull(of_grid))
    return internal_error(session);

  MlirModule module = mlirModuleCreateEmpty(location);
  for (size_t i = 0; i < count; ++i)
    mlirBlockAppendOwnedOperation(
        mlirModuleGetBody(module),
        kernels[i].role == FMHAC_ROLE_ATTENTION
            ? create_attention(location,
                               kernels[i].has_grid ? of_grid : problem,
                               &kernels[i])
            : create_combine(location, problem, &kernels[i]));
  if (!mlirOperationVerify(mlirModuleGetOperation(module))) {
    mlirModuleDestroy(module);
    return internal_error(session);
  }
  *out_module = module;
  return FMHAC_OK;
}
