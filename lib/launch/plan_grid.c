// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan_grid.h"

#include <inttypes.h>

#include "context.h"
#include "fmhac_abi.h"
#include "launch_when.h"
#include "str.h"
#include "work_items.h"

enum { SIDES = 3 };

static fmhac_status fail_launch(fmhac_context *context,
                                const fmhac_entry *entry) {
  return fmhac_fail(context, FMHAC_INTERNAL,
                    "plan: entry %s of its kernel has no launch geometry: "
                    "when '%s', grid '%s', '%s', '%s'",
                    entry->kernel, entry->when, entry->grid[0], entry->grid[1],
                    entry->grid[2]);
}

static fmhac_status is_for(fmhac_context *context, const fmhac_entry *entry,
                           const fmhac_problem *problem, bool *out_is) {
  const int64_t sizes[FMHAC_LAUNCH_NAMES] = FMHAC_LAUNCH_SIZES(problem);
  const fmhac_when answer = fmhac_when_ask(entry->when, sizes);
  *out_is = answer == FMHAC_WHEN_HOLDS;
  if (answer == FMHAC_WHEN_IS_MALFORMED)
    return fail_launch(context, entry);
  if (answer == FMHAC_WHEN_HAS_NO_VALUE)
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "plan: expected the condition '%s' of entry %s to have a "
                      "value, found " FMHAC_WHEN_NO_VALUE
                      ", for Sq = %u, Sk = %u, B = %u, Hq = %u, Hk = %u",
                      entry->when, entry->kernel, problem->seqlen_q,
                      problem->seqlen_kv, problem->batch, problem->heads_q,
                      problem->heads_kv);
  return FMHAC_OK;
}

static bool read_sides(fmhac_launcher *launcher) {
  size_t offset;
  for (int i = 0; i < SIDES; ++i)
    if (!fmhac_launch_expr_parse(launcher->entry->grid[i], false,
                                 &launcher->sides[i], &offset))
      return false;
  return true;
}

fmhac_status fmhac_launcher_of(fmhac_context *context, const fmhac_entry *entry,
                               fmhac_launcher *out) {
  out->entry = entry;
  return read_sides(out) ? FMHAC_OK : fail_launch(context, entry);
}

uint32_t fmhac_entry_group(const fmhac_entry *entry,
                           const fmhac_problem *problem) {
  return fmhac_entry_packs_heads(entry) ? problem->heads_q / problem->heads_kv
                                        : 1;
}

/// What is looked for; roles but attention have one form.
typedef struct wanted {
  fmhac_role role;
  bool takes_lists;
} wanted;

static bool is_wanted(const fmhac_entry *entry, wanted w) {
  return entry->role == w.role &&
         (w.role != FMHAC_ROLE_ATTENTION ||
          fmhac_entry_takes_lists(entry) == w.takes_lists);
}

/// "Sk <= 256, or B <= 4".
static void list_conditions(const fmhac_kernel *kernel, wanted w,
                            fmhac_str *out) {
  for (size_t i = 0; i < kernel->entry_count; ++i)
    if (is_wanted(&kernel->entries[i], w))
      fmhac_str_appendf(out, "%s%s", out->length ? ", or " : "",
                        kernel->entries[i].when);
}

static fmhac_status find(const fmhac_kernel *kernel, wanted w,
                         const fmhac_problem *problem, fmhac_launcher *out) {
  fmhac_context *context = kernel->context;
  bool has_role = false;
  for (size_t i = 0; i < kernel->entry_count; ++i) {
    bool is;
    out->entry = &kernel->entries[i];
    if (!is_wanted(out->entry, w))
      continue;
    has_role = true;
    fmhac_status status = is_for(context, out->entry, problem, &is);
    if (status != FMHAC_OK)
      return status;
    if (!read_sides(out))
      return fail_launch(context, out->entry);
    if (is)
      return FMHAC_OK;
  }
  if (!has_role)
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "plan: expected a kernel with an entry of the role %s, "
                      "found only the role %s",
                      fmhac_role_name(w.role),
                      fmhac_role_name(kernel->entries[0].role));
  fmhac_str conditions = {0};
  list_conditions(kernel, w, &conditions);
  fmhac_status status = fmhac_fail(
      context, FMHAC_UNSUPPORTED,
      "plan: no entry of the kernel takes a problem of Sq = %u, Sk = %u, B = "
      "%u, Hq = %u, Hk = %u: expected %s",
      problem->seqlen_q, problem->seqlen_kv, problem->batch, problem->heads_q,
      problem->heads_kv, conditions.text ? conditions.text : "");
  fmhac_str_deinit(&conditions);
  return status;
}

fmhac_status fmhac_launcher_find_attention(const fmhac_kernel *kernel,
                                           bool takes_lists,
                                           const fmhac_problem *problem,
                                           fmhac_launcher *out) {
  return find(kernel, (wanted){FMHAC_ROLE_ATTENTION, takes_lists}, problem,
              out);
}

fmhac_status fmhac_launcher_find(const fmhac_kernel *kernel, fmhac_role role,
                                 const fmhac_problem *problem,
                                 fmhac_launcher *out) {
  return find(kernel, (wanted){role, false}, problem, out);
}

//===- Grid ---------------------------------------------------------------===//

/// Work-items of a grid dimension stay below this.
#define GRID_BOUND (UINT64_C(1) << 31)
/// Workgroups in y and in z: the least that HIP guarantees.
enum { MOST_YZ = 65535 };

/// Work-items of a launch.
typedef struct extent {
  uint64_t in_x, all;
} extent;

/// False: some side has no value from 1 to 2^32 - 1, or too many in y or z.
static bool measure(const fmhac_launcher *launcher,
                    const fmhac_problem *problem, uint32_t out_grid[3],
                    extent *out) {
  const int64_t sizes[FMHAC_LAUNCH_NAMES] = FMHAC_LAUNCH_SIZES(problem);
  for (int i = 0; i < SIDES; ++i) {
    int64_t side;
    if (!fmhac_launch_expr_evaluate(&launcher->sides[i], sizes, &side) ||
        side < 1 || side > (i ? MOST_YZ : UINT32_MAX))
      return false;
    out_grid[i] = (uint32_t)side;
  }
  // 32 bits times 10 bits, and 32 bits more.
  out->in_x = (uint64_t)out_grid[0] * launcher->entry->block_threads;
  out->all = out->in_x < GRID_BOUND ? out->in_x * out_grid[1] * out_grid[2] : 0;
  return true;
}

static bool fits(const fmhac_launcher *launcher, const fmhac_problem *problem) {
  uint32_t grid[SIDES];
  extent e;
  return measure(launcher, problem, grid, &e) && e.in_x < GRID_BOUND &&
         e.all <= FMHAC_MOST_WORK_ITEMS;
}

/// The largest value of `size`, which is one of `problem`, that fits; 0: none.
static uint32_t largest(const fmhac_launcher *launcher, fmhac_problem *problem,
                        uint32_t *size) {
  uint32_t low = 0, high = *size;
  while (low < high) {
    *size = high - (high - low) / 2;
    if (fits(launcher, problem))
      low = *size;
    else
      high = *size - 1;
  }
  return low;
}

static fmhac_status refuse(fmhac_context *context,
                           const fmhac_launcher *launcher,
                           const fmhac_problem *problem, const extent *e) {
  fmhac_problem part = *problem;
  if (e->in_x >= GRID_BOUND) {
    // The heads that share one of K and V may have rows of one tile.
    part.heads_q = problem->heads_q / problem->heads_kv;
    part.batch = part.heads_kv = 1;
    return fmhac_fail(context, FMHAC_UNSUPPORTED,
                      "problem: seqlen_q %u needs %" PRIu64
                      " work-items in x, a grid holds fewer than %" PRIu64
                      ": at most %u rows",
                      problem->seqlen_q, e->in_x, GRID_BOUND,
                      largest(launcher, &part, &part.seqlen_q));
  }
  uint32_t most = largest(launcher, &part, &part.batch);
  const char *what = "batch", *with = "";
  if (!most) {
    part.batch = 1;
    most = largest(launcher, &part, &part.heads_q);
    what = "heads";
    with = " and batch 1";
  }
  return fmhac_fail(context, FMHAC_UNSUPPORTED,
                    "problem: batch %u, heads %u and seqlen_q %u need %" PRIu64
                    " work-items, at most %" PRIu64
                    " of a launch are known to run right: "
                    "launch parts, with %s at most %u%s",
                    problem->batch, problem->heads_q, problem->seqlen_q, e->all,
                    FMHAC_MOST_WORK_ITEMS, what, most, with);
}

fmhac_status fmhac_launcher_grid(fmhac_context *context,
                                 const fmhac_launcher *launcher,
                                 const fmhac_problem *problem,
                                 uint32_t out_grid[3]) {
  extent e;
  const fmhac_entry *entry = launcher->entry;
  if (!measure(launcher, problem, out_grid, &e))
    return fmhac_fail(
        context, FMHAC_UNSUPPORTED,
        "problem: expected the grid of entry %s, (%s, %s, %s), to have from 1 "
        "to 2^32 - 1 workgroups in x and to %d in y and z for Sq = %u, Sk = "
        "%u, B = %u, Hq = %u, Hk = %u; it has not",
        entry->kernel, entry->grid[0], entry->grid[1], entry->grid[2], MOST_YZ,
        problem->seqlen_q, problem->seqlen_kv, problem->batch, problem->heads_q,
        problem->heads_kv);
  return e.in_x < GRID_BOUND && e.all <= FMHAC_MOST_WORK_ITEMS
             ? FMHAC_OK
             : refuse(context, launcher, problem, &e);
}
