// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build_ir.h"
#include "fmha_passes_c.h"
#include "fmhac_abi.h"
#include "fmhac_schedule.h"
#include "kernel.h"
#include "launch_when.h"
#include "rung_text.h"
#include "schedule_text.h"
#include "work.h"
#include "work_plan.h"

//===- Loading ------------------------------------------------------------===//

static fmhac_status name_schedule(struct fmhac_session *session,
                                  MlirStringRef name, fmhac_kernel_part *part) {
  char *room = part->entry.schedule;
  if (name.length >= sizeof part->entry.schedule)
    return fmhac_fail(session->context, FMHAC_INVALID_INPUT,
                      "%s: expected a schedule's name of at most %zu bytes, "
                      "found %zu: '%.40s…'",
                      part->label, sizeof part->entry.schedule - 1, name.length,
                      name.data);
  memcpy(room, name.data, name.length);
  room[name.length] = '\0';
  return FMHAC_OK;
}

/// Reads the attribute of a schedule: the launch geometry comes from it.
static fmhac_status load(struct fmhac_session *session,
                         const fmhac_order *order, fmhac_kernel_part *part) {
  fmhac_context *context = session->context;
  fmhac_session_begin(session);
  fmha_schedule_file file;
  if (!fmhaScheduleFileParse(
          session->mlir, mlirStringRefCreate(part->text, part->text_bytes),
          mlirStringRefCreateFromCString(part->label), &file)) {
    fmhac_str why = {0};
    fmhac_schedule_explain(part->label, part->text,
                           fmhac_session_errors(session), &why);
    fmhac_status status = fmhac_fail(
        context, part->is_users ? FMHAC_INVALID_INPUT : FMHAC_INTERNAL, "%s",
        why.text ? why.text : "");
    fmhac_str_deinit(&why);
    return status;
  }
  part->loaded = file.schedule;
  fmhac_status status = name_schedule(session, file.name, part);
  if (status != FMHAC_OK)
    return status;
  if (part->is_users)
    part->carried = part->loaded;
  if (!fmhac_build_kernel_name(&order->config->values, part->loaded,
                               order->sources->score_mod.text,
                               part->entry.kernel))
    return fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                      "compiling: no memory for the kernel's name");
  return fmhaScheduleAttrGetGeometry(part->loaded, &part->geometry)
             ? FMHAC_OK
             : fmhac_fail(context, FMHAC_INTERNAL,
                          "reading the geometry of schedule '%s' failed",
                          part->label);
}

/// A name is made of what makes the code. Of two kernels of one schedule and
/// form, which are for different problems, and of planners the second has its
/// number after it.
static void distinguish_names(fmhac_kernels *kernels) {
  for (size_t i = 1; i < kernels->count; ++i) {
    char *name = kernels->parts[i].entry.kernel;
    for (size_t j = 0; j < i; ++j)
      if (strcmp(name, kernels->parts[j].entry.kernel) == 0) {
        const size_t length = strlen(name);
        snprintf(name + length, FMHAC_KERNEL_NAME_BYTES - length, "_%zu",
                 i + 1);
        break;
      }
  }
}

static bool attends(const fmhac_kernel_part *part) {
  return part->entry.role == FMHAC_ROLE_ATTENTION;
}

/// Whether the work of a kernel of attention comes from the grid.
static bool has_grid(fmhac_work work, const fmhac_kernel_part *part) {
  return attends(part) && !part->takes_lists && work != FMHAC_WORK_RUNS;
}

/// Kernels that passes make of an op. Those of planners, the last ones, are
/// linked.
static size_t ops_of(const fmhac_kernels *kernels) {
  size_t count = kernels->count;
  while (kernels->parts[count - 1].entry.role == FMHAC_ROLE_PLAN)
    --count;
  return count;
}

/// Whether the kernel of a sequence depends on its own rows alone.
static bool chooses_by_rows(const fmhac_config_values *values,
                            const fmhac_kernels *kernels) {
  fmhac_row_bound bound;
  bool by_rows = kernels->count == 1 || fmhac_config_has_row_lengths(values);
  for (size_t i = 0; i + 1 < kernels->count; ++i)
    by_rows =
        by_rows && fmhac_when_bounds_rows(kernels->parts[i].entry.when, &bound);
  return by_rows;
}

/// Parts of a fixed length are of whole tiles, and the bytes of a sequence do
/// not depend on others.
static fmhac_status check_chunks(struct fmhac_session *session,
                                 const fmhac_config_values *values,
                                 const fmhac_kernels *kernels) {
  if (!attends(&kernels->parts[0]) || values->split_kv != FMHAC_SPLIT_KV_FIXED)
    return FMHAC_OK;
  if (!chooses_by_rows(values, kernels))
    return fmhac_fail(
        session->context, FMHAC_UNSUPPORTED,
        "compiling: split_kv = fixed: expected one schedule, or, with "
        "cu_seqlens_q or seqlens_q, others before it with conditions \"Sq <= "
        "N\" or \"Sq * Hq <= N * Hk\", as results would depend on the batch, "
        "found %zu schedules",
        kernels->count);
  for (size_t i = 0; i < kernels->count; ++i) {
    const fmhac_kernel_part *part = &kernels->parts[i];
    const int64_t keys = part->geometry.tile_n;
    if (values->split_chunk == 0 || values->split_chunk % keys)
      return fmhac_fail(session->context, FMHAC_INVALID_INPUT,
                        "compiling: expected split_chunk to be a multiple of "
                        "%lld, the keys of a tile of schedule %s, found %lld",
                        (long long)keys, part->entry.schedule,
                        (long long)values->split_chunk);
  }
  return FMHAC_OK;
}

/// The kernels of a configuration of attention with so many schedules.
static size_t count_kernels(const fmhac_config_values *values,
                            size_t schedules) {
  const size_t forms = fmhac_config_has_both_forms(values) ? 2 : 1;
  const size_t planners = fmhac_config_takes_lists(values);
  const size_t combines = values->split_kv != FMHAC_SPLIT_KV_NONE;
  return (forms + planners) * schedules + combines;
}

static fmhac_status check_room(struct fmhac_session *session,
                               const fmhac_config_values *values,
                               size_t schedules) {
  const size_t found = count_kernels(values, schedules);
  size_t most = schedules;
  while (most > 1 && count_kernels(values, most) > FMHAC_MOST_ENTRIES)
    --most;
  return found <= FMHAC_MOST_ENTRIES
             ? FMHAC_OK
             : fmhac_fail(
                   session->context, FMHAC_UNSUPPORTED,
                   "compiling: %zu schedules are %zu kernels with those "
                   "for lists and their planners, expected at most %d in "
                   "a code object: name at most %zu schedules%s",
                   schedules, found, FMHAC_MOST_ENTRIES, most,
                   fmhac_config_has_both_forms(values) ? ", or work = list"
                                                       : "");
}

/// Adds each kernel of attention once more, in the other form of work, where
/// the plan chooses. Parts of keys are listed in any case.
static void add_forms(const fmhac_config_values *values, fmhac_kernels *out) {
  const bool has_both = fmhac_config_has_both_forms(values);
  const size_t count = out->count;
  for (size_t i = 0; i < count && attends(&out->parts[i]); ++i) {
    out->parts[i].takes_lists = fmhac_config_takes_lists(values) && !has_both;
    if (!has_both)
      continue;
    fmhac_kernel_part *listed = &out->parts[out->count++];
    *listed = out->parts[i];
    listed->takes_lists = true;
    char *name = listed->entry.kernel;
    const size_t length = strlen(name);
    snprintf(name + length, FMHAC_KERNEL_NAME_BYTES - length, "_list");
  }
}

/// Adds a kernel that has no schedule.
static fmhac_status add_role(struct fmhac_session *session,
                             const fmhac_order *order, fmhac_role role,
                             fmhac_kernels *out) {
  fmhac_kernel_part *part = &out->parts[out->count++];
  part->label = fmhac_role_name(role);
  part->entry.role = role;
  return fmhac_build_role_name(&order->config->values, role, part->entry.kernel)
             ? FMHAC_OK
             : fmhac_fail(session->context, FMHAC_OUT_OF_MEMORY,
                          "compiling: no memory for the kernel's name");
}

/// Adds a planner for each kernel that takes lists: they are of its tiles.
static fmhac_status add_planners(struct fmhac_session *session,
                                 const fmhac_order *order, fmhac_kernels *out) {
  const size_t count = out->count;
  fmhac_status status = FMHAC_OK;
  for (size_t i = 0; i < count && status == FMHAC_OK; ++i) {
    if (!out->parts[i].takes_lists)
      continue;
    status = add_role(session, order, FMHAC_ROLE_PLAN, out);
    if (status == FMHAC_OK)
      out->parts[out->count - 1].lists_of = i;
  }
  return status;
}

fmhac_status fmhac_kernels_load(struct fmhac_session *session,
                                const fmhac_order *order, const char *instead,
                                fmhac_kernels *out) {
  const fmhac_choice *choice = order->choice;
  const fmhac_config_values *values = &order->config->values;
  *out = (fmhac_kernels){.count = instead ? 1 : choice->count};
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__fmha__(), session->mlir);
  fmhac_status status = values->role == FMHAC_ROLE_ATTENTION
                            ? check_room(session, values, out->count)
                            : FMHAC_OK;
  for (size_t i = 0; i < out->count && status == FMHAC_OK; ++i) {
    fmhac_kernel_part *part = &out->parts[i];
    const fmhac_chosen *chosen = &choice->entries[i];
    part->label = instead ? instead : chosen->name;
    part->is_users = !instead && chosen->is_file;
    part->text = instead ? fmhac_schedule_text(instead) : chosen->text;
    part->text_bytes = instead ? strlen(part->text) : chosen->text_bytes;
    if (!instead)
      memcpy(part->entry.when, chosen->when, sizeof part->entry.when);
    status = load(session, order, part);
  }
  if (status == FMHAC_OK)
    status = check_chunks(session, values, out);
  if (status == FMHAC_OK)
    add_forms(values, out);
  fmhac_role roles[FMHAC_ROLES];
  const size_t count = fmhac_kernel_roles(values, roles);
  for (size_t i = 0; i < count && status == FMHAC_OK; ++i)
    if (roles[i] == FMHAC_ROLE_PLAN)
      status = add_planners(session, order, out);
    else if (roles[i] != FMHAC_ROLE_ATTENTION)
      status = add_role(session, order, roles[i], out);
  distinguish_names(out);
  return status;
}

//===- Problems -----------------------------------------------------------===//

static fmhac_status build(struct fmhac_session *session,
                          const fmhac_order *order,
                          const fmhac_kernels *kernels,
                          MlirModule *out_module) {
  fmhac_problem_kernel problems[FMHAC_MOST_ENTRIES];
  const size_t count = ops_of(kernels);
  for (size_t i = 0; i < count; ++i)
    problems[i] = (fmhac_problem_kernel){
        kernels->parts[i].entry.kernel, kernels->parts[i].entry.role,
        kernels->parts[i].entry.when, kernels->parts[i].carried,
        has_grid(order->config->values.work, &kernels->parts[i])};
  return fmhac_build_problem(session, &order->config->values, problems, count,
                             out_module);
}

static fmhac_status take_text(struct fmhac_session *session,
                              const fmhac_order *order, fmhac_kernels *kernels,
                              MlirModule *out_module) {
  MlirModule asked;
  fmhac_status status = build(session, order, kernels, &asked);
  if (status != FMHAC_OK)
    return status;
  // Attributes are the context's and outlive the module.
  fmhac_rung_expectation expected = {.count = ops_of(kernels)};
  MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(asked));
  for (size_t i = 0; i < expected.count; ++i) {
    expected.kernels[i] = kernels->parts[i].entry.kernel;
    expected.problems[i] = mlirOperationGetAttributeByName(
        op, mlirStringRefCreateFromCString("problem"));
    op = mlirOperationGetNextInBlock(op);
  }
  mlirModuleDestroy(asked);
  MlirAttribute schedules[FMHAC_MOST_ENTRIES];
  status = fmhac_rung_text_parse(session, &order->from, &expected, out_module,
                                 schedules);
  for (size_t i = 0; i < expected.count && status == FMHAC_OK; ++i) {
    fmhac_kernel_part *part = &kernels->parts[i];
    if (!attends(part) || mlirAttributeIsNull(schedules[i]) ||
        mlirAttributeEqual(schedules[i], part->loaded))
      continue;
    part->carried = schedules[i];
    if (!fmhaScheduleAttrGetGeometry(schedules[i], &part->geometry))
      status = fmhac_fail(session->context, FMHAC_INVALID_INPUT,
                          "%s: expected a #fmha.schedule, found another "
                          "attribute",
                          order->from.name);
  }
  return status;
}

fmhac_status fmhac_kernels_make_module(struct fmhac_session *session,
                                       const fmhac_order *order, bool from_text,
                                       fmhac_kernels *kernels,
                                       MlirModule *out_module) {
  return from_text ? take_text(session, order, kernels, out_module)
                   : build(session, order, kernels, out_module);
}

//===- Entries ------------------------------------------------------------===//

static int64_t padded(int64_t size, int64_t step) {
  return (size + step - 1) / step * step;
}

/// FLOP of a workgroup's matrix instructions for one tile of keys: QK sums over
/// Dqk, its k at a time, PV makes its m columns of Dv at a time.
static uint64_t matrix_flops(const fmhac_config_values *v,
                             const fmha_schedule_geometry *g) {
  return 2 * (uint64_t)g->tile_m * (uint64_t)g->tile_n *
         (uint64_t)(padded(v->head_dim_qk, g->qk_k) +
                    padded(v->head_dim_v, g->pv_m));
}

/// Whether the text was short enough.
static bool copy_text(MlirStringRef from, char to[FMHAC_LAUNCH_TEXT_BYTES]) {
  if (from.length >= FMHAC_LAUNCH_TEXT_BYTES)
    return false;
  memcpy(to, from.data, from.length);
  to[from.length] = '\0';
  return true;
}

static bool read_launch(MlirOperation op, fmhac_entry *entry) {
  enum { SIDES = 3 };
  fmha_launch_info launch;
  if (!fmhaLaunchOf(op, &launch) || launch.block > UINT32_MAX ||
      !copy_text(launch.when, entry->when))
    return false;
  entry->block_threads = (uint32_t)launch.block;
  for (int i = 0; i < SIDES; ++i)
    if (!copy_text(launch.grid[i], entry->grid[i]))
      return false;
  return true;
}

/// Whether the grid is what ids of workgroups count: tiles of rows, heads and
/// batches, or with rows of several heads in a tile heads of K and V. Of
/// expressions that are equal for a few sizes without a common factor. An
/// edited text may have another.
static bool is_grid_of(const fmhac_entry *entry,
                       const fmha_schedule_geometry *g) {
  // Whatever the number, lists and runs say who does what.
  const uint64_t others =
      UINT64_C(1) << FMHAC_ARGS_WORK_BIT | UINT64_C(1) << FMHAC_ARGS_RUNS_BIT;
  if (entry->required_args & others)
    return true;
  static const int64_t sizes[] = {1, 97, 4001};
  enum { SIDES = 3 };
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    const int64_t n = sizes[i], rows = 11 * n, heads = 6 * n, batch = 5 * n;
    const int64_t group = g->packs_heads ? 3 : 1;
    const int64_t values[FMHAC_LAUNCH_NAMES] = {
        [FMHAC_LAUNCH_SQ] = rows,  [FMHAC_LAUNCH_SK] = 13 * n,
        [FMHAC_LAUNCH_B] = batch,  [FMHAC_LAUNCH_HQ] = heads,
        [FMHAC_LAUNCH_HK] = 2 * n, [FMHAC_LAUNCH_CUS] = 7,
        [FMHAC_LAUNCH_SPLITS] = 1};
    const int64_t expected[SIDES] = {(rows * group + g->tile_m - 1) / g->tile_m,
                                     heads / group, batch};
    for (int side = 0; side < SIDES; ++side) {
      fmhac_launch_expr expr;
      size_t offset;
      int64_t found;
      if (!fmhac_launch_expr_parse(entry->grid[side], false, &expr, &offset) ||
          !fmhac_launch_expr_evaluate(&expr, values, &found) ||
          found != expected[side])
        return false;
    }
  }
  return true;
}

/// Fills the entry of a kernel whose launch `op` has.
static bool read_entry(const fmhac_order *order, MlirOperation op,
                       fmhac_kernel_part *part) {
  fmha_schedule_geometry *g = &part->geometry;
  fmhac_entry *entry = &part->entry;
  if (mlirOperationIsNull(op) || !read_launch(op, entry))
    return false;
  fmhac_config_values values = order->config->values;
  if (has_grid(values.work, part))
    values.work = FMHAC_WORK_GRID;
  entry->required_args = fmhac_role_groups(&values, entry->role);
  if (!attends(part)) {
    enum { WAVE_LANES = 64 };
    g->waves = entry->block_threads / WAVE_LANES;
    g->waves_per_simd = FMHA_COMBINE_WAVES_PER_SIMD;
    // Rows past the last are looked at by nobody.
    entry->tile_m = entry->row_rounding = 1;
    return true;
  }
  if (g->packs_heads)
    entry->required_args |= UINT64_C(1) << FMHAC_ARGS_HEAD_GROUP_BIT;
  entry->tile_m = (uint32_t)g->tile_m;
  entry->tile_n = (uint32_t)g->tile_n;
  entry->row_rounding =
      entry->tile_m > entry->tile_n ? entry->tile_m : entry->tile_n;
  entry->matrix_flops = matrix_flops(&order->config->values, g);
  snprintf(entry->scale, sizeof entry->scale, "%s", g->scale);
  snprintf(entry->order, sizeof entry->order, "%s", g->grid);
  return true;
}

/// Fills the entry of a planner's kernel, a workgroup for each kernel that it
/// makes lists of, for the problems of the last one.
static void fill_planner(const fmhac_order *order, const fmhac_kernels *kernels,
                         fmhac_kernel_part *part) {
  enum { WAVE_LANES = 64, SIMDS = 4 };
  fmhac_entry *entry = &part->entry;
  const fmhac_kernel_part *listed = &kernels->parts[part->lists_of];
  fmhac_division division;
  fmhac_kernels_divide(kernels, &order->config->values, part->lists_of,
                       &division);
  entry->block_threads = FMHAC_WORK_KERNEL_THREADS;
  memcpy(entry->when, listed->entry.when, sizeof entry->when);
  for (size_t i = 0; i < sizeof entry->grid / sizeof entry->grid[0]; ++i)
    snprintf(entry->grid[i], sizeof entry->grid[i], "%zu",
             i ? (size_t)1 : division.count);
  entry->required_args = fmhac_role_groups(&order->config->values, entry->role);
  entry->tile_m = entry->row_rounding = 1;
  part->geometry.waves = FMHAC_WORK_KERNEL_THREADS / WAVE_LANES;
  part->geometry.waves_per_simd = part->geometry.waves / SIMDS;
}

fmhac_status fmhac_kernels_read_launches(struct fmhac_session *session,
                                         const fmhac_order *order,
                                         MlirModule module,
                                         fmhac_kernels *kernels) {
  fmhac_session_begin(session);
  const MlirSymbolTable symbols =
      mlirSymbolTableCreate(mlirModuleGetOperation(module));
  size_t read = 0;
  while (read < ops_of(kernels)) {
    fmhac_kernel_part *part = &kernels->parts[read];
    const MlirOperation op = mlirSymbolTableLookup(
        symbols, mlirStringRefCreateFromCString(part->entry.kernel));
    if (!read_entry(order, op, part))
      break;
    ++read;
  }
  while (read >= ops_of(kernels) && read < kernels->count) {
    fmhac_kernel_part *planner = &kernels->parts[read++];
    fill_planner(order, kernels, planner);
  }
  mlirSymbolTableDestroy(symbols);
  for (size_t i = 0; i < read; ++i) {
    const fmhac_kernel_part *part = &kernels->parts[i];
    const fmhac_entry *entry = &part->entry;
    const bool packs = part->geometry.packs_heads;
    if (attends(part) && !is_grid_of(entry, &part->geometry))
      return fmhac_fail(session->context, FMHAC_INVALID_INPUT,
                        "%s: expected the grid of kernel @%s to be ceil(%s / "
                        "%lld), %s, B, found %s, %s, %s",
                        order->from.name ? order->from.name : "compiling",
                        entry->kernel, packs ? "Sq * ceil(Hq / Hk)" : "Sq",
                        (long long)part->geometry.tile_m, packs ? "Hk" : "Hq",
                        entry->grid[0], entry->grid[1], entry->grid[2]);
  }
  // An edited text may have lost one: no plan would take the entries after it.
  for (size_t i = 0; read == kernels->count && i + 1 < read; ++i)
    if (attends(&kernels->parts[i + 1]) &&
        kernels->parts[i].takes_lists == kernels->parts[i + 1].takes_lists &&
        !kernels->parts[i].entry.when[0])
      return fmhac_fail(session->context, FMHAC_INVALID_INPUT,
                        "%s: expected kernel @%s to have a condition, as each "
                        "but the last, found none",
                        order->from.name ? order->from.name : "compiling",
                        kernels->parts[i].entry.kernel);
  if (read == kernels->count)
    return FMHAC_OK;
  const char *errors = fmhac_session_errors(session);
  return fmhac_fail(session->context, FMHAC_INVALID_INPUT,
                    "%s: expected kernel @%s to have a launch, its grid, block "
                    "and condition, found none%s%s",
                    order->from.name ? order->from.name : "compiling",
                    kernels->parts[read].entry.kernel, *errors ? ": " : "",
                    errors);
}
