// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From tensors to a launch. Preconditions are plan_check.c's; plan_json.c makes
// a plan in one call.
#include <inttypes.h>
#include <string.h>

#include "arg_groups.h"
#include "check_group.h"
#include "context.h"
#include "fmhac_inspect.h"
#include "fmhac_work.h"
#include "latent_tensors.h"
#include "lists.h"
#include "modules.h"
#include "plan.h"
#include "plan_check.h"
#include "plan_workspace.h"
#include "require.h"

enum { MOST_LAUNCHES = 2 + FMHAC_WORK_MOST_KERNELS };

struct fmhac_plan {
  const fmhac_kernel *kernel; ///< borrowed: the kernel outlives the plan
  fmhac_kernel *owned;        ///< the same, if the plan has a reference
  fmhac_problem max_problem;
  /// The kernels that a launch starts, in this order: perhaps a planner, then
  /// those of attention from `attention` on, then perhaps what combines their
  /// parts.
  fmhac_launcher launchers[MOST_LAUNCHES];
  size_t launch_count, attention;
  fmhac_division division; ///< of entries of the kernel; one is not divided
  fmhac_workspace_map workspace;
  // Reached by a pointer, so that launching a const plan may load a module.
  fmhac_modules *modules; ///< owned
};

fmhac_strides fmhac_strides_bshd(uint32_t heads, uint32_t seqlen,
                                 uint32_t head_dim, uint32_t element_bytes) {
  uint64_t head = (uint64_t)head_dim * element_bytes;
  uint64_t row = head * heads;
  return (fmhac_strides){
      .batch_bytes = row * seqlen, .head_bytes = head, .row_bytes = row};
}

fmhac_status fmhac_tensors_dense(const fmhac_plan *plan,
                                 const fmhac_problem *problem,
                                 fmhac_device_ptr q, fmhac_device_ptr k,
                                 fmhac_device_ptr v, fmhac_device_ptr o,
                                 fmhac_device_ptr lse,
                                 fmhac_tensors *out_tensors) {
  fmhac_context *context = plan ? plan->kernel->context : NULL;
  fmhac_problem p;
  fmhac_status status =
      FMHAC_REQUIRE(context, FMHAC_GIVEN(plan), FMHAC_GIVEN(problem),
                    FMHAC_GIVEN(out_tensors));
  if (status == FMHAC_OK)
    status = FMHAC_REQUIRE_IN(context, &p, fmhac_problem, seqlen_kv, problem);
  if (status != FMHAC_OK)
    return status;
  const fmhac_kernel *kernel = plan->kernel;
  const fmhac_config_values *c = &kernel->config;
  const fmhac_element_bytes bytes = fmhac_config_values_element_bytes(c);
  const uint32_t qk = (uint32_t)c->head_dim_qk, dv = (uint32_t)c->head_dim_v;
  const uint32_t rope = (uint32_t)c->rope_dim, dk = qk - rope;
  fmhac_tensors t = {
      .batch = p.batch,
      .heads_q = p.heads_q,
      .heads_kv = p.heads_kv,
      .seqlen_q = p.seqlen_q,
      .seqlen_kv = p.seqlen_kv,
      .q = q,
      .k = k,
      .v = v,
      .o = o,
      .lse = lse,
      .q_strides = fmhac_strides_bshd(p.heads_q, p.seqlen_q, qk, bytes.q),
      .k_strides = fmhac_strides_bshd(p.heads_kv, p.seqlen_kv, dk, bytes.k),
      .v_strides = fmhac_strides_bshd(p.heads_kv, p.seqlen_kv, dv, bytes.v),
      .o_strides = fmhac_strides_bshd(p.heads_q, p.seqlen_q, dv, bytes.o)};
  if (rope)
    t.k_rope_strides = fmhac_strides_bshd(1, p.seqlen_kv, rope, bytes.k);
  t.k_rope_strides.head_bytes = 0;
  if (c->v_in_k)
    t.v_strides = (fmhac_strides){0};
  // With packed sequences no size here is the total, and no stride is that of
  // batches.
  if (fmhac_kernel_needs(kernel, FMHAC_GROUP(VARLEN_Q)))
    t.q_strides.batch_bytes = t.o_strides.batch_bytes = 0;
  else if (lse)
    t.lse_head_stride_bytes = (uint64_t)p.seqlen_q * sizeof(float);
  t.lse_batch_stride_bytes = t.lse_head_stride_bytes * p.heads_q;
  if (fmhac_kernel_needs(kernel, FMHAC_GROUP(PAGED))) {
    t.k_page_stride_bytes = t.k_strides.row_bytes * (uint64_t)c->page_size;
    t.v_page_stride_bytes = t.v_strides.row_bytes * (uint64_t)c->page_size;
    t.k_rope_page_stride_bytes =
        t.k_rope_strides.row_bytes * (uint64_t)c->page_size;
    if (c->kv_layout == FMHAC_KV_LAYOUT_VECTORISED) {
      t.k_strides =
          (fmhac_strides){.head_bytes = (uint64_t)c->page_size * dk * bytes.k};
      t.k_rope_strides = (fmhac_strides){0};
      if (!c->v_in_k)
        t.v_strides = (fmhac_strides){.head_bytes = (uint64_t)c->page_size *
                                                    dv * bytes.v};
    }
  }
  if (fmhac_kernel_needs(kernel, FMHAC_GROUP(VARLEN_KV) | FMHAC_GROUP(PAGED)))
    t.k_strides.batch_bytes = t.v_strides.batch_bytes =
        t.k_rope_strides.batch_bytes = 0;
  return FMHAC_REQUIRE_OUT(context, out_tensors, fmhac_tensors, bias_strides,
                           &t);
}

//===- Plan ---------------------------------------------------------------===//

/// Adds the entry of a role that takes the plan's problem, if its grid does,
/// too.
static fmhac_status add_launch(fmhac_plan *plan, fmhac_role role) {
  fmhac_launcher *launcher = &plan->launchers[plan->launch_count++];
  uint32_t grid[3];
  fmhac_status status =
      fmhac_launcher_find(plan->kernel, role, &plan->max_problem, launcher);
  return status == FMHAC_OK
             ? fmhac_launcher_grid(plan->kernel->context, launcher,
                                   &plan->max_problem, grid)
             : status;
}

/// Attention for the plan's problem, in one form of work.
typedef struct form_size {
  uint64_t workgroups;
  uint64_t kv_tiles; ///< that these visit, if each row sees all keys
  uint64_t tiles;    ///< of rows that a sequence may have
} form_size;

static fmhac_status measure_form(const fmhac_plan *plan, bool takes_lists,
                                 form_size *out) {
  const fmhac_problem *most = &plan->max_problem;
  fmhac_launcher attention;
  uint32_t grid[3] = {0, 0, 0};
  fmhac_status status = fmhac_launcher_find_attention(plan->kernel, takes_lists,
                                                      most, &attention);
  if (status == FMHAC_OK)
    status = fmhac_launcher_grid(plan->kernel->context, &attention, most, grid);
  if (status != FMHAC_OK)
    return status;
  const fmhac_entry *entry = attention.entry;
  const uint32_t group = fmhac_entry_group(entry, most);
  const uint64_t rows =
      fmhac_ceil_divide((uint64_t)most->seqlen_q * group, entry->tile_m);
  // Of fewer rows, or keys, together than the sizes allow: a tile for each
  // sequence beyond them.
  uint64_t tiles = most->batch * rows;
  const uint64_t most_rows = (uint64_t)most->batch * most->seqlen_q;
  const uint64_t all_rows =
      (most->total_q < most_rows ? most->total_q : most_rows) * group;
  if (all_rows && all_rows / entry->tile_m + most->batch < tiles)
    tiles = all_rows / entry->tile_m + most->batch;
  const uint64_t of_keys =
      entry->tile_n ? fmhac_ceil_divide(most->seqlen_kv, entry->tile_n) : 0;
  uint64_t visits = tiles * of_keys;
  if (most->total_kv && entry->tile_n) {
    const uint64_t all = most->total_kv / entry->tile_n + most->batch;
    visits = all * rows < visits ? all * rows : visits;
  }
  *out = (form_size){.workgroups = (uint64_t)grid[0] * grid[1] * grid[2],
                     .kv_tiles = visits * (most->heads_q / group),
                     .tiles = rows};
  return FMHAC_OK;
}

/// Arrays of lengths, which sizes do not tell.
#define RAGGED                                                                 \
  (FMHAC_GROUP(VARLEN_Q) | FMHAC_GROUP(VARLEN_KV) | FMHAC_GROUP(LENGTHS_Q) |   \
   FMHAC_GROUP(LENGTHS_KV) | FMHAC_GROUP(PAGED))

/// Whether attention takes its work from lists. Of a kernel that has both
/// forms: if sequences have lengths of their own and may have more rows than a
/// tile, and the grid is so large that what lists save pays for the planner's
/// launch (work_policy.def, auto_*).
static fmhac_status choose_form(const fmhac_plan *plan, bool *out_takes_lists) {
  const fmhac_kernel *kernel = plan->kernel;
  bool has[2] = {false, false};
  for (size_t i = 0; i < kernel->entry_count; ++i)
    if (kernel->entries[i].role == FMHAC_ROLE_ATTENTION)
      has[fmhac_entry_takes_lists(&kernel->entries[i])] = true;
  *out_takes_lists = !has[false] && has[true];
  if (!has[false] || !has[true] || !fmhac_kernel_needs(kernel, RAGGED))
    return FMHAC_OK;
  const fmhac_work_rules rules = fmhac_work_rules_default();
  form_size lists, grid;
  fmhac_status status = measure_form(plan, true, &lists);
  if (status != FMHAC_OK)
    return status;
  // A grid may be too large for a launch.
  status = measure_form(plan, false, &grid);
  *out_takes_lists = status != FMHAC_OK ||
                     (lists.tiles > 1 &&
                      grid.workgroups > rules.auto_rounds * lists.workgroups &&
                      lists.kv_tiles > rules.auto_tiles * lists.workgroups);
  return FMHAC_OK;
}

/// Most rows of a sequence of a kernel of the division, of at most `rows`.
static uint32_t most_rows(const fmhac_plan *plan, size_t index, uint32_t rows) {
  const fmhac_divided *divided = &plan->division.kernels[index];
  const fmhac_entry *entry = &plan->kernel->entries[divided->entry];
  const uint32_t most = fmhac_divided_most_rows(
      divided, fmhac_entry_group(entry, &plan->max_problem));
  return most && most < rows ? most : rows;
}

/// Adds the kernels of attention: the one for the largest problem, and before
/// it those for sequences of fewer rows, if the planner makes lists of them.
/// One that was compiled before batches were divided does not.
static fmhac_status add_attention(fmhac_plan *plan, bool has_lists) {
  const fmhac_kernel *kernel = plan->kernel;
  const fmhac_problem *most = &plan->max_problem;
  fmhac_launcher chosen;
  plan->attention = plan->launch_count;
  fmhac_status status =
      fmhac_check_max_problem(kernel, most, has_lists, &chosen);
  if (status != FMHAC_OK)
    return status;
  const size_t entry = (size_t)(chosen.entry - kernel->entries);
  if (has_lists &&
      plan->launchers[0].entry->required_args & FMHAC_GROUP(LIST_SETS))
    fmhac_divide(&kernel->config, kernel->entries, kernel->entry_count, entry,
                 &plan->division);
  else
    plan->division =
        (fmhac_division){.kernels = {{.entry = entry}}, .count = 1};
  const size_t last = plan->division.count - 1;
  for (size_t i = 0; i < last && status == FMHAC_OK; ++i) {
    const fmhac_divided *divided = &plan->division.kernels[i];
    fmhac_launcher *launcher = &plan->launchers[plan->launch_count++];
    fmhac_problem own = *most;
    own.seqlen_q = most_rows(plan, i, most->seqlen_q);
    status = fmhac_launcher_of(kernel->context,
                               &kernel->entries[divided->entry], launcher);
    if (status == FMHAC_OK)
      status = fmhac_check_max_launcher(kernel, &own, launcher);
  }
  plan->launchers[plan->launch_count++] = chosen;
  return status;
}

/// What a kernel that finds its work needs.
static fmhac_status map_runs(fmhac_plan *plan) {
  uint32_t grid[3];
  const fmhac_status status = fmhac_launcher_grid(
      plan->kernel->context, &plan->launchers[plan->attention],
      &plan->max_problem, grid);
  if (status != FMHAC_OK)
    return status;
  const fmhac_walker walker = fmhac_plan_get_walker(plan, 0, grid[0]);
  return fmhac_workspace_map_runs(&plan->workspace, plan->kernel, &walker,
                                  &plan->max_problem);
}

/// There are lists for as many workgroups as the grid of each kernel of
/// attention has.
static fmhac_status map_workspace(fmhac_plan *plan) {
  const size_t count = plan->division.count;
  fmhac_walker walkers[FMHAC_WORK_MOST_KERNELS];
  fmhac_status status = FMHAC_OK;
  for (size_t i = 0; i < count && status == FMHAC_OK; ++i) {
    uint32_t grid[3];
    status = fmhac_launcher_grid(plan->kernel->context,
                                 &plan->launchers[plan->attention + i],
                                 &plan->max_problem, grid);
    walkers[i] = fmhac_plan_get_walker(plan, i, grid[0]);
  }
  return status == FMHAC_OK
             ? fmhac_workspace_map_init(&plan->workspace, plan->kernel, walkers,
                                        count, &plan->max_problem)
             : status;
}

/// The planner's kernel makes the lists, attention walks them, and what it
/// leaves in parts is combined.
static fmhac_status find_launches(fmhac_plan *plan) {
  const fmhac_kernel *kernel = plan->kernel;
  bool has_lists;
  fmhac_status status = choose_form(plan, &has_lists);
  if (status == FMHAC_OK && has_lists)
    status = add_launch(plan, FMHAC_ROLE_PLAN);
  if (status == FMHAC_OK)
    status = add_attention(plan, has_lists);
  if (status == FMHAC_OK && kernel->required_args_mask & ~FMHAC_KNOWN_GROUPS)
    status = fmhac_fail(kernel->context, FMHAC_UNSUPPORTED,
                        "plan: the kernel needs argument groups 0x%" PRIx64
                        ", a launch fills in only 0x%" PRIx64,
                        kernel->required_args_mask, FMHAC_KNOWN_GROUPS);
  if (status != FMHAC_OK)
    return status;
  const bool has_runs =
      fmhac_entry_finds_runs(fmhac_plan_get_attention(plan, 0));
  const bool has_parts =
      has_lists && fmhac_kernel_needs(kernel, FMHAC_GROUP(PARTS));
  if (status == FMHAC_OK && has_parts)
    status = add_launch(plan, FMHAC_ROLE_COMBINE);
  if (status == FMHAC_OK && has_lists)
    status = map_workspace(plan);
  else if (status == FMHAC_OK && has_runs)
    status = map_runs(plan);
  return status;
}

fmhac_status fmhac_plan_create(const fmhac_kernel *kernel,
                               const fmhac_problem *max_problem,
                               fmhac_plan **out_plan) {
  FMHAC_CLEAR(out_plan);
  fmhac_context *context = kernel ? kernel->context : NULL;
  fmhac_problem most;
  fmhac_status status =
      FMHAC_REQUIRE(context, FMHAC_GIVEN(kernel), FMHAC_GIVEN(max_problem),
                    FMHAC_GIVEN(out_plan));
  if (status == FMHAC_OK)
    status =
        FMHAC_REQUIRE_IN(context, &most, fmhac_problem, seqlen_kv, max_problem);
  if (status != FMHAC_OK)
    return status;
  const fmhac_allocator a = fmhac_allocator_of(context);
  fmhac_plan *plan = fmhac_allocate(a, sizeof *plan);
  fmhac_modules *modules = fmhac_modules_create(context);
  if (!plan || !modules) {
    fmhac_release(a, plan);
    fmhac_modules_destroy(context, modules);
    return fmhac_fail(context, FMHAC_OUT_OF_MEMORY, "plan: no memory for it");
  }
  plan->kernel = kernel;
  plan->max_problem = most;
  plan->modules = modules;
  status = find_launches(plan);
  if (status != FMHAC_OK) {
    fmhac_plan_destroy(plan);
    return status;
  }
  *out_plan = plan;
  return FMHAC_OK;
}

void fmhac_plan_destroy(fmhac_plan *plan) {
  if (!plan)
    return;
  const fmhac_allocator a = fmhac_allocator_of(plan->kernel->context);
  fmhac_kernel *owned = plan->owned;
  fmhac_modules_destroy(plan->kernel->context, plan->modules);
  fmhac_release(a, plan);
  fmhac_kernel_destroy(owned);
}

void fmhac_plan_take_kernel(fmhac_plan *plan, fmhac_kernel *kernel) {
  plan->owned = kernel;
}

size_t fmhac_plan_count_kernels(const fmhac_plan *plan) {
  return plan->division.count;
}

const fmhac_entry *fmhac_plan_get_attention(const fmhac_plan *plan,
                                            size_t index) {
  return plan->launchers[plan->attention + index].entry;
}

fmhac_walker fmhac_plan_get_walker(const fmhac_plan *plan, size_t index,
                                   uint32_t workgroups) {
  return (fmhac_walker){.entry = fmhac_plan_get_attention(plan, index),
                        .rows = plan->division.kernels[index].rows,
                        .workgroups = workgroups};
}

uint32_t fmhac_plan_get_part_stride(const fmhac_plan *plan) {
  return plan->workspace.part_stride;
}

const fmhac_problem *fmhac_plan_get_most(const fmhac_plan *plan) {
  return &plan->max_problem;
}

const fmhac_kernel *fmhac_plan_get_kernel(const fmhac_plan *plan) {
  return plan ? plan->kernel : NULL;
}

size_t fmhac_plan_workspace_bytes(const fmhac_plan *plan) {
  return plan ? (size_t)plan->workspace.bytes : 0;
}

size_t fmhac_plan_workspace_zero_bytes(const fmhac_plan *plan) {
  return plan ? (size_t)plan->workspace.zero_bytes : 0;
}

size_t fmhac_plan_launch_count(const fmhac_plan *plan) {
  return plan ? plan->launch_count : 0;
}

size_t fmhac_plan_get_entry(const fmhac_plan *plan, size_t index) {
  return plan && index < fmhac_plan_launch_count(plan)
             ? (size_t)(plan->launchers[index].entry - plan->kernel->entries)
             : 0;
}

/// Rows past the end of O are dropped because they lie past the extent: one row
/// needs a stride that puts the next there.
static uint64_t o_row_stride(const fmhac_kernel *kernel,
                             const fmhac_tensors *tensors) {
  bool packed = fmhac_kernel_needs(kernel, FMHAC_GROUP(VARLEN_Q));
  if (tensors->seqlen_q > 1 || (packed && tensors->batch > 1))
    return tensors->o_strides.row_bytes;
  return fmhac_round_up(fmhac_kernel_row_bytes(kernel).o,
                        FMHAC_ALIGNMENT_BYTES);
}

/// The groups that a launch fills in: of a kernel with lists not theirs, if the
/// plan takes none.
static uint64_t groups_of(const fmhac_plan *plan, uint64_t workspace) {
  const uint64_t of_lists = FMHAC_GROUP(WORK) | FMHAC_GROUP(QUEUE) |
                            FMHAC_GROUP(PLAN) | FMHAC_GROUP(PARTS) |
                            FMHAC_GROUP(COMBINE) | FMHAC_GROUP(TOTALS) |
                            FMHAC_GROUP(LIST_SETS);
  return (plan->kernel->required_args_mask &
          ~(plan->workspace.bytes ? 0 : of_lists)) |
         FMHAC_GROUP(CORE) | (workspace ? FMHAC_GROUP(WORKSPACE) : 0);
}

static void fill_arguments(const fmhac_plan *plan, const fmhac_tensors *tensors,
                           uint64_t workspace, fmhac_kernel_args *args) {
  const fmhac_kernel *kernel = plan->kernel;
  uint32_t group = tensors->heads_q / tensors->heads_kv;
  bool q_packed = fmhac_kernel_needs(kernel, FMHAC_GROUP(VARLEN_Q));
  bool kv_packed =
      fmhac_kernel_needs(kernel, FMHAC_GROUP(VARLEN_KV) | FMHAC_GROUP(PAGED));
  bool paged = fmhac_kernel_needs(kernel, FMHAC_GROUP(PAGED));
  // Fields that the kernel does not take are zero: the checks have verified the
  // addresses, and a stride without its tensor means nothing.
  bool lse = tensors->lse, alibi = tensors->alibi_slopes, bias = tensors->bias;
  bool rope = tensors->k_rope;
  *args = (fmhac_kernel_args){
      .field_mask = groups_of(plan, workspace),
      .q = tensors->q,
      .k = tensors->k,
      .v = tensors->v,
      .o = tensors->o,
      .batch = tensors->batch,
      .heads_q = tensors->heads_q,
      .heads_kv = tensors->heads_kv,
      .seqlen_q = tensors->seqlen_q,
      .seqlen_kv = tensors->seqlen_kv,
      .scale =
          fmhac_scale_of(tensors->scale, (uint32_t)kernel->config.head_dim_qk),
      .kv_head_reciprocal = fmhac_ceil_divide(UINT64_C(1) << 32, group),
      .q_batch_stride = q_packed ? 0 : tensors->q_strides.batch_bytes,
      .q_head_stride = tensors->q_strides.head_bytes,
      .q_row_stride = tensors->q_strides.row_bytes,
      .k_batch_stride = kv_packed ? 0 : tensors->k_strides.batch_bytes,
      .k_head_stride = tensors->k_strides.head_bytes,
      .k_row_stride = tensors->k_strides.row_bytes,
      .v_batch_stride = kv_packed ? 0 : tensors->v_strides.batch_bytes,
      .v_head_stride = tensors->v_strides.head_bytes,
      .v_row_stride = tensors->v_strides.row_bytes,
      .o_batch_stride = q_packed ? 0 : tensors->o_strides.batch_bytes,
      .o_head_stride = tensors->o_strides.head_bytes,
      .o_row_stride = o_row_stride(kernel, tensors),
      .lse = tensors->lse,
      .lse_batch_stride =
          lse && !q_packed ? tensors->lse_batch_stride_bytes : 0,
      .lse_head_stride = lse ? tensors->lse_head_stride_bytes : 0,
      .cu_seqlens_q = tensors->cu_seqlens_q,
      .cu_seqlens_kv = tensors->cu_seqlens_kv,
      .seqlens_q = tensors->seqlens_q,
      .seqlens_kv = tensors->seqlens_kv,
      .page_table =
          tensors->kv_indices ? tensors->kv_indices : tensors->page_table,
      .page_table_batch_stride =
          tensors->page_table ? tensors->page_table_batch_stride_bytes : 0,
      .k_page_stride = paged ? tensors->k_page_stride_bytes : 0,
      .v_page_stride = paged ? tensors->v_page_stride_bytes : 0,
      .kv_indptr = tensors->kv_indptr,
      .kv_last_page_len = tensors->kv_last_page_len,
      .sink = tensors->sink,
      .alibi_slopes = tensors->alibi_slopes,
      .alibi_batch_stride = alibi ? tensors->alibi_batch_stride_bytes : 0,
      .bias = tensors->bias,
      .bias_batch_stride = bias ? tensors->bias_strides.batch_bytes : 0,
      .bias_head_stride = bias ? tensors->bias_strides.head_bytes : 0,
      .bias_row_stride = bias ? tensors->bias_strides.row_bytes : 0,
      .workspace = workspace,
      .o_scale = tensors->o_scale,
      .k_rope = tensors->k_rope,
      .k_rope_batch_stride =
          rope && !kv_packed ? tensors->k_rope_strides.batch_bytes : 0,
      .k_rope_head_stride = rope ? tensors->k_rope_strides.head_bytes : 0,
      .k_rope_row_stride = rope ? tensors->k_rope_strides.row_bytes : 0,
      .k_rope_page_stride =
          rope && paged ? tensors->k_rope_page_stride_bytes : 0,
  };
  const fmhac_config_values *config = &kernel->config;
  const fmhac_factor_strides q = fmhac_factor_strides_of(config, tensors,
                                                         FMHAC_FACTORS_OF_Q),
                             k = fmhac_factor_strides_of(config, tensors,
                                                         FMHAC_FACTORS_OF_K),
                             v = fmhac_factor_strides_of(config, tensors,
                                                         FMHAC_FACTORS_OF_V);
  if (fmhac_kernel_needs(kernel, FMHAC_GROUP(HEAD_GROUP))) {
    const fmhac_group_divisor divisor = fmhac_group_divisor_of(group);
    args->group_size = group;
    args->group_multiplier = divisor.multiplier;
    args->group_shift = divisor.shift;
  }
  args->q_scale = tensors->q_scales;
  args->k_scale = tensors->k_scales;
  args->v_scale = tensors->v_scales;
  args->q_scale_batch_stride = q.batch_bytes;
  args->q_scale_head_stride = q.head_bytes;
  args->q_scale_block_stride = q.block_bytes;
  args->k_scale_batch_stride = k.batch_bytes;
  args->k_scale_head_stride = k.head_bytes;
  args->k_scale_block_stride = k.block_bytes;
  args->v_scale_batch_stride = v.batch_bytes;
  args->v_scale_head_stride = v.head_bytes;
  args->v_scale_block_stride = v.block_bytes;
}

/// A plan that has room in it needs the workspace, where a load of a record can
/// begin.
static fmhac_status check_workspace(const fmhac_plan *plan,
                                    uint64_t workspace) {
  if (!plan->workspace.bytes ||
      (workspace && workspace % FMHAC_WORKSPACE_ALIGNMENT_BYTES == 0))
    return FMHAC_OK;
  return fmhac_fail(plan->kernel->context,
                    workspace ? FMHAC_UNSUPPORTED : FMHAC_INVALID_INPUT,
                    "launch: expected a workspace of %" PRIu64
                    " bytes, at a multiple of %d, found the address 0x%" PRIx64,
                    plan->workspace.bytes, FMHAC_WORKSPACE_ALIGNMENT_BYTES,
                    workspace);
}

fmhac_status fmhac_plan_check(const fmhac_plan *plan,
                              const fmhac_tensors *tensors) {
  fmhac_status status = FMHAC_OK;
  for (size_t i = 0; i < plan->division.count && status == FMHAC_OK; ++i) {
    fmhac_tensors own = *tensors;
    own.seqlen_q = most_rows(plan, i, own.seqlen_q);
    status =
        fmhac_check_launch(plan->kernel, &plan->launchers[plan->attention + i],
                           &plan->max_problem, &own);
  }
  return status;
}

/// Tensors that passed the checks of a launch.
typedef struct checked_launch {
  fmhac_tensors tensors; ///< as large as this release knows
  fmhac_device_ptr workspace;
} checked_launch;

static fmhac_status check(const fmhac_plan *plan, const char *function,
                          const fmhac_tensors *tensors,
                          fmhac_device_ptr workspace, checked_launch *out) {
  const fmhac_kernel *kernel = plan->kernel;
  out->workspace = workspace;
  fmhac_status status = fmhac_require_in(
      kernel->context, function, &out->tensors, sizeof out->tensors,
      FMHAC_SIZE_THROUGH(fmhac_tensors, bias_strides), tensors,
      "fmhac_tensors");
  if (status == FMHAC_OK)
    status = fmhac_tensors_settle(kernel->context, &kernel->config, "launch",
                                  &out->tensors);
  if (status == FMHAC_OK)
    status = check_workspace(plan, workspace);
  return status == FMHAC_OK ? fmhac_plan_check(plan, &out->tensors) : status;
}

/// The set of lists, one of each kernel of attention, that a launch is about;
/// the first, if it is about all.
static size_t set_of(const fmhac_plan *plan, size_t index) {
  const size_t set = index - plan->attention;
  return index >= plan->attention && set < plan->division.count ? set : 0;
}

/// Packs launch `index`: `bytes` of the arguments into `kernarg`.
static fmhac_status pack(const fmhac_plan *plan, size_t index,
                         const checked_launch *checked, void *kernarg,
                         size_t bytes, fmhac_rt_launch *out_launch) {
  const fmhac_kernel *kernel = plan->kernel;
  const fmhac_launcher *launcher = &plan->launchers[index];
  *out_launch = (fmhac_rt_launch){.size = sizeof *out_launch};
  // Kernels count on the grid that follows from their arguments.
  const fmhac_tensors *t = &checked->tensors;
  const fmhac_problem problem = fmhac_problem_of_launch(t);
  fmhac_status status = fmhac_launcher_grid(kernel->context, launcher, &problem,
                                            out_launch->grid);
  if (status != FMHAC_OK)
    return status;
  // What combines has workgroups for the lists of each kernel of attention.
  if (launcher->entry->role == FMHAC_ROLE_COMBINE)
    out_launch->grid[1] = (uint32_t)plan->division.count;
  fmhac_kernel_args args;
  fill_arguments(plan, t, checked->workspace, &args);
  fmhac_workspace_map_arguments(&plan->workspace, set_of(plan, index),
                                checked->workspace, &args);
  memcpy(kernarg, &args, bytes);
  out_launch->kernel = launcher->entry->kernel;
  out_launch->block[0] = launcher->entry->block_threads;
  out_launch->block[1] = out_launch->block[2] = 1;
  out_launch->kernarg = kernarg;
  out_launch->kernarg_bytes = bytes;
  return FMHAC_OK;
}

/// Bytes of arguments that go into memory of the caller's.
static fmhac_status find_bytes(const fmhac_plan *plan, uint64_t workspace,
                               size_t capacity_bytes, size_t *out) {
  const fmhac_kernel *kernel = plan->kernel;
  *out = sizeof(fmhac_kernel_args);
  // A caller of an earlier release has a shorter struct. It may lack whatever
  // this launch does not fill in.
  if (capacity_bytes < *out)
    *out = fmhac_arg_groups_end(groups_of(plan, workspace));
  return capacity_bytes >= *out
             ? FMHAC_OK
             : fmhac_fail(kernel->context, FMHAC_INVALID_INPUT,
                          "launch: room for %zu bytes of kernel arguments, "
                          "expected at least %zu "
                          "(sizeof(fmhac_kernel_args) is %zu)",
                          capacity_bytes, *out, sizeof(fmhac_kernel_args));
}

fmhac_status fmhac_plan_pack(const fmhac_plan *plan, size_t index,
                             const fmhac_tensors *tensors,
                             fmhac_device_ptr workspace, void *kernarg,
                             size_t kernarg_capacity_bytes,
                             fmhac_rt_launch *out_launch) {
  fmhac_context *context = plan ? plan->kernel->context : NULL;
  fmhac_status status =
      FMHAC_REQUIRE(context, FMHAC_GIVEN(plan), FMHAC_GIVEN(tensors),
                    FMHAC_GIVEN(kernarg), FMHAC_GIVEN(out_launch));
  if (status == FMHAC_OK)
    status = FMHAC_REQUIRE_SIZE(context, out_launch, fmhac_rt_launch, stream);
  if (status != FMHAC_OK)
    return status;
  if (index >= fmhac_plan_launch_count(plan))
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "launch: expected an index below %zu, found %zu",
                      fmhac_plan_launch_count(plan), index);
  size_t bytes;
  checked_launch checked;
  fmhac_rt_launch launch;
  status = find_bytes(plan, workspace, kernarg_capacity_bytes, &bytes);
  if (status == FMHAC_OK)
    status = check(plan, __func__, tensors, workspace, &checked);
  if (status == FMHAC_OK)
    status = pack(plan, index, &checked, kernarg, bytes, &launch);
  return status == FMHAC_OK
             ? FMHAC_REQUIRE_OUT(context, out_launch, fmhac_rt_launch, stream,
                                 &launch)
             : status;
}

fmhac_status fmhac_plan_load(const fmhac_plan *plan, fmhac_rt_device *device) {
  fmhac_status status = FMHAC_REQUIRE(plan ? plan->kernel->context : NULL,
                                      FMHAC_GIVEN(plan), FMHAC_GIVEN(device));
  if (status != FMHAC_OK)
    return status;
  return fmhac_modules_load(plan->modules, plan->kernel,
                            fmhac_plan_get_attention(plan, 0), device);
}

/// Starts the launches [first, end) of a plan, none before all are packed.
static fmhac_status start(const fmhac_plan *plan, const char *function,
                          size_t first, size_t end, fmhac_rt_device *device,
                          const fmhac_tensors *tensors, void *workspace,
                          void *stream) {
  checked_launch checked;
  fmhac_kernel_args args[MOST_LAUNCHES];
  fmhac_rt_launch launches[MOST_LAUNCHES];
  fmhac_status status =
      check(plan, function, tensors, FMHAC_DEVICE_PTR(workspace), &checked);
  for (size_t i = first; i < end && status == FMHAC_OK; ++i)
    status = pack(plan, i, &checked, &args[i], sizeof args[i], &launches[i]);
  for (size_t i = first; i < end && status == FMHAC_OK; ++i) {
    launches[i].stream = stream;
    status =
        fmhac_modules_launch(plan->modules, plan->kernel,
                             plan->launchers[i].entry, device, &launches[i]);
  }
  return status;
}

fmhac_status fmhac_launch(const fmhac_plan *plan, fmhac_rt_device *device,
                          const fmhac_tensors *tensors, void *workspace,
                          void *stream) {
  fmhac_status status =
      FMHAC_REQUIRE(plan ? plan->kernel->context : NULL, FMHAC_GIVEN(plan),
                    FMHAC_GIVEN(device), FMHAC_GIVEN(tensors));
  return status == FMHAC_OK ? start(plan, __func__, 0, plan->launch_count,
                                    device, tensors, workspace, stream)
                            : status;
}

/// That a plan has lists of work, which some calls are about.
static fmhac_status require_lists(const fmhac_plan *plan) {
  return plan->workspace.kernels
             ? FMHAC_OK
             : fmhac_fail(plan->kernel->context, FMHAC_INVALID_INPUT,
                          "work: expected a plan with lists of work, found one "
                          "without, as \"work\" of the configuration says or, "
                          "if it is \"auto\", the plan chose: "
                          "fmhac_plan_work_places() has 0 "
                          "workgroups then; use fmhac_launch()");
}

fmhac_status fmhac_launch_planner(const fmhac_plan *plan,
                                  fmhac_rt_device *device,
                                  const fmhac_tensors *tensors, void *workspace,
                                  void *stream) {
  fmhac_status status =
      FMHAC_REQUIRE(plan ? plan->kernel->context : NULL, FMHAC_GIVEN(plan),
                    FMHAC_GIVEN(device), FMHAC_GIVEN(tensors));
  if (status == FMHAC_OK)
    status = require_lists(plan);
  return status == FMHAC_OK ? start(plan, __func__, 0, plan->attention, device,
                                    tensors, workspace, stream)
                            : status;
}

fmhac_status fmhac_launch_planned(const fmhac_plan *plan,
                                  fmhac_rt_device *device,
                                  const fmhac_tensors *tensors, void *workspace,
                                  void *stream) {
  fmhac_status status =
      FMHAC_REQUIRE(plan ? plan->kernel->context : NULL, FMHAC_GIVEN(plan),
                    FMHAC_GIVEN(device), FMHAC_GIVEN(tensors));
  if (status == FMHAC_OK)
    status = require_lists(plan);
  return status == FMHAC_OK
             ? start(plan, __func__, plan->attention, plan->launch_count,
                     device, tensors, workspace, stream)
             : status;
}

fmhac_status fmhac_plan_work_places(const fmhac_plan *plan,
                                    fmhac_work_places *out_places) {
  fmhac_context *context = plan ? plan->kernel->context : NULL;
  fmhac_status status =
      FMHAC_REQUIRE(context, FMHAC_GIVEN(plan), FMHAC_GIVEN(out_places));
  if (status == FMHAC_OK)
    status = FMHAC_REQUIRE_SIZE(context, out_places, fmhac_work_places,
                                combine_count_offset_bytes);
  if (status != FMHAC_OK)
    return status;
  const fmhac_workspace_map *map = &plan->workspace;
  fmhac_work_places places = {.size = 0};
  if (map->kernels) // of runs others have their places, too
    places =
        (fmhac_work_places){.workgroups = map->workgroups[0],
                            .indptr_offset_bytes = map->work_indptr,
                            .items_offset_bytes = map->work_items,
                            .combine_items_offset_bytes = map->combine_items,
                            .combine_count_offset_bytes = map->combine_count,
                            .queue_offset_bytes = map->work_counter,
                            .kernels = (uint32_t)map->kernels,
                            .kernel_stride_bytes = map->set_stride};
  memcpy(places.kernel_workgroups, map->workgroups,
         sizeof places.kernel_workgroups);
  return FMHAC_REQUIRE_OUT(context, out_places, fmhac_work_places,
                           combine_count_offset_bytes, &places);
}
