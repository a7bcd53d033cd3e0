// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a wave of attention finds the items of its workgroup's run (work_runs.h),
// for gfx950 alone. The build makes LLVM IR of it, which the compiler puts into
// kernels; it supplies the rules. All values are the same in all lanes.
#define PLAN_FAR __attribute__((address_space(4)))
#include "work_find.h"
#include "fmhac_abi.h"
#include "work_list.h"
#include "work_runs.h"

enum { RULES = sizeof(fmhac_work_rules) / sizeof(uint32_t) };

/// The fmhac_work_rules of the kernel: every word has 32 bits.
extern PLAN_FIXED const uint32_t fmhac_work_find_rules[RULES];

/// What is found goes to a private array, which LLVM makes registers of: of a
/// vector it would keep all in vector registers if one number is there.
typedef __attribute__((address_space(5))) uint32_t *words;

static inline PLAN_FIXED const fmhac_kernel_args *arguments(void) {
  return (PLAN_FIXED const fmhac_kernel_args *)
      __builtin_amdgcn_kernarg_segment_ptr();
}

static inline plan_problem find_problem(void) {
  PLAN_FIXED const fmhac_kernel_args *args = arguments();
  const fmhac_work_rules rules =
      *(PLAN_FIXED const fmhac_work_rules *)fmhac_work_find_rules;
  const fmhac_work_sizes sizes = {.batch = args->batch,
                                  .heads_q = args->heads_q,
                                  .heads_kv = args->heads_kv,
                                  .seqlen_q = args->seqlen_q,
                                  .seqlen_kv = args->seqlen_kv,
                                  .workgroups = args->run_workgroups};
#define FIXED(field) (PLAN_FAR const int32_t *)(uintptr_t)args->field
  const plan_lengths lengths = {.cu_seqlens_q = FIXED(cu_seqlens_q),
                                .cu_seqlens_kv = FIXED(cu_seqlens_kv),
                                .seqlens_q = FIXED(seqlens_q),
                                .seqlens_kv = FIXED(seqlens_kv),
                                .kv_indptr = FIXED(kv_indptr),
                                .kv_last_page_len = FIXED(kv_last_page_len)};
#undef FIXED
  plan_problem problem = plan_problem_of(&rules, &sizes, &lengths);
  // An argument has it: a division takes twenty instructions.
  if (rules.packs_heads)
    problem.group = plan_divisor_of(args->group_size);
  return problem;
}

/// The next item of a run.
static inline void take(const plan_problem *p, plan_run *run, words out) {
  const plan_item item = plan_next_item(p, run);
  out[FMHAC_FIND_BATCH] = UINT32_MAX;
  if (!item.is_there)
    return;
  const fmhac_work_item record = plan_item_record(p, run, &item);
  out[FMHAC_FIND_BATCH] = (uint32_t)record.batch;
  out[FMHAC_FIND_ROW_BEGIN] = (uint32_t)record.row_begin;
  out[FMHAC_FIND_HEAD] = run->head;
  out[FMHAC_FIND_KEY_BEGIN] = (uint32_t)record.key_begin;
  out[FMHAC_FIND_KEY_END] = (uint32_t)record.key_end;
  out[FMHAC_FIND_PART] = (uint32_t)record.part;
  out[FMHAC_FIND_UNIT] = run->unit;
  out[FMHAC_FIND_START] = run->start;
  out[FMHAC_FIND_PARTS] = item.begin            ? FMHAC_FIND_PARTS_LATER
                          : plan_is_part(&item) ? FMHAC_FIND_PARTS_FIRST
                                                : FMHAC_FIND_PARTS_ALL;
  plan_pass_item(&item, run);
  out[FMHAC_FIND_NEXT] = run->start;
  out[FMHAC_FIND_END] = run->end;
  out[FMHAC_FIND_COST] = run->line.cost;
  out[FMHAC_FIND_UNITS] = run->line.units;
  out[FMHAC_FIND_RUN] = run->number;
}

/// The first item of the workgroup.
void fmhac_work_find_first(words out) {
  const plan_problem problem = find_problem();
  plan_run run = plan_find_run(&problem, __builtin_amdgcn_workgroup_id_x());
  take(&problem, &run, out);
}

/// The one after it. Mostly there is none.
void fmhac_work_find_next(words out, uint32_t batch, uint32_t row_begin,
                          uint32_t head, uint32_t unit, uint32_t start,
                          uint32_t next, uint32_t end, uint32_t cost,
                          uint32_t units, uint32_t parts, uint32_t number) {
  // Both functions take the same words; the unit's parts need these.
  (void)start, (void)parts;
  if (next >= end) {
    out[FMHAC_FIND_BATCH] = UINT32_MAX;
    return;
  }
  plan_run run = {batch, row_begin, head + 1, unit + 1,     next,
                  end,   0,         number,   {cost, units}};
  const plan_problem problem = find_problem();
  take(&problem, &run, out);
}

/// Of an item that is a part of its unit: the unit's parts.
void fmhac_work_find_parts(words out, uint32_t batch, uint32_t row_begin,
                           uint32_t head, uint32_t unit, uint32_t start,
                           uint32_t next, uint32_t end, uint32_t cost,
                           uint32_t units, uint32_t parts, uint32_t number) {
  (void)next;
  const plan_run run = {batch, row_begin, head,   unit,         start,
                        end,   0,         number, {cost, units}};
  const plan_problem problem = find_problem();
  const plan_unit whole = plan_unit_of(&problem, batch, row_begin);
  const plan_sharers sharers =
      plan_sharers_of(&problem, &run, &whole, parts == FMHAC_FIND_PARTS_FIRST);
  out[FMHAC_PARTS_COUNT] = sharers.count;
  out[FMHAC_PARTS_OWN] = number - sharers.first;
  out[FMHAC_PARTS_TILE] = plan_first_tile(&problem, &run, sharers.first);
  out[FMHAC_PARTS_ROWS] = whole.rows;
  // The unit begins at `start` of the line.
  const plan_cuts cuts = plan_cuts_of(&problem, &run.line);
  out[FMHAC_PARTS_IS_LATER] = plan_cut_at(&cuts, number) < start;
}
