// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The planner as a kernel, for gfx950 alone: a workgroup makes the lists of one
// kernel of attention. The build makes LLVM IR of it, which the compiler links
// into code objects; it supplies the rules.
#include "fmhac_abi.h"
#include "work_few.h"

_Static_assert(PLAN_LANES == FMHAC_WORK_KERNEL_THREADS,
               "launches have as many work-items");

enum { RULES = sizeof(fmhac_work_rules) / sizeof(uint32_t) };

/// How many kernels of attention there are, and the fmhac_work_rules of each:
/// every word has 32 bits.
extern PLAN_FIXED const uint32_t fmhac_work_kernel_count[1];
extern PLAN_FIXED const uint32_t
    fmhac_work_kernel_rules[FMHAC_WORK_MOST_KERNELS * RULES];

/// The way for few sequences is over before the general one begins.
typedef union work_shared {
  plan_shared all;
  plan_few_shared few;
} work_shared;

static __attribute__((address_space(3), loader_uninitialized))
work_shared shared;

#define FAR(type, address) ((PLAN_FAR type *)(uintptr_t)(address))

/// For the general way alone: the few often have no need of it.
static inline void memory_take_scratch(plan_memory *m, const plan_problem *p,
                                       uint64_t scratch) {
  const plan_scratch_counts counts =
      plan_scratch_counts_of(&p->rules, &p->sizes);
  const plan_scratch at = plan_scratch_of(&counts);
  m->tile_begin = FAR(uint32_t, scratch + at.tile_begin);
  m->tiles = FAR(plan_tile, scratch + at.tiles);
  m->before = FAR(plan_before, scratch + at.before);
  m->bigs = FAR(plan_big, scratch + at.bigs);
  m->sorted = FAR(plan_big, scratch + at.sorted);
  m->unit_parts = FAR(uint32_t, scratch + at.unit_parts);
  m->places = FAR(uint32_t, scratch + at.places);
}

/// The lists of one kernel of attention. A function until the rules are known:
/// then there is a copy for each kernel, whose rules are constants.
__attribute__((noinline)) static void
fmhac_work_kernel_lists(PLAN_FIXED const fmhac_kernel_args *args,
                        PLAN_FIXED const fmhac_work_rules *from,
                        uint32_t kernel) {
  const fmhac_work_rules rules = *from;
  const uint64_t set = kernel ? kernel * args->list_set_stride : 0;
  const fmhac_work_sizes sizes = {
      .batch = args->batch,
      .heads_q = args->heads_q,
      .heads_kv = args->heads_kv,
      .seqlen_q = args->seqlen_q,
      .seqlen_kv = args->seqlen_kv,
      .workgroups = (uint32_t)(args->workgroups >> kernel * 16) & UINT16_MAX,
      .total_q = args->total_q,
      .total_kv = args->total_kv,
      .part_begin = kernel ? kernel * (uint32_t)args->part_set_stride : 0};
  const plan_lengths lengths = {
      .cu_seqlens_q = FAR(const int32_t, args->cu_seqlens_q),
      .cu_seqlens_kv = FAR(const int32_t, args->cu_seqlens_kv),
      .seqlens_q = FAR(const int32_t, args->seqlens_q),
      .seqlens_kv = FAR(const int32_t, args->seqlens_kv),
      .kv_indptr = FAR(const int32_t, args->kv_indptr),
      .kv_last_page_len = FAR(const int32_t, args->kv_last_page_len)};
  const plan_problem problem = plan_problem_of(&rules, &sizes, &lengths);
  const uint64_t scratch = args->plan_scratch + set;
  plan_memory memory = {
      .work_indptr = FAR(int32_t, args->work_indptr + set),
      .work_items = FAR(fmhac_work_item, args->work_items + set),
      .combine_items = FAR(fmhac_combine_item, args->combine_items + set),
      .combine_count = FAR(int32_t, args->combine_count + set)};
  if (plan_is_even(&problem)) {
    plan_deal_even(&problem, &memory, &shared.all);
  } else {
    plan_few_made made = {PLAN_FEW_OTHERS, 0, {0, 0}};
    if (plan_is_few(&problem))
      made =
          plan_deal_few(&problem, &memory, &shared.few, &shared.all, scratch);
    if (made.kind > PLAN_FEW_BIGS)
      return;
    memory_take_scratch(&memory, &problem, scratch);
    if (made.length && plan_lane() == 0)
      shared.all.length = made.length;
    if (made.kind == PLAN_FEW_BIGS) {
      plan_clear(&problem, &shared.all);
    } else {
      const plan_found found =
          plan_find_work(&problem, &memory, &shared.all, made.length > 0);
      made.work = plan_choose_work(&problem, &memory, &shared.all, &found);
    }
    plan_deal_parts(&problem, &memory, &shared.all, &made.work);
  }
  if (!rules.queue)
    return;
  const uint32_t lists = plan_count_lists(&problem, &shared.all);
  if (plan_lane() == 0)
    *FAR(fmhac_work_queue, args->work_counter + set) =
        (fmhac_work_queue){.lists = lists, .workgroups = sizes.workgroups};
}

__attribute__((amdgpu_kernel,
               amdgpu_flat_work_group_size(PLAN_LANES, PLAN_LANES))) void
fmhac_work_kernel(fmhac_kernel_args arguments) {
  (void)arguments; // it says how many bytes there are
  PLAN_FIXED const fmhac_kernel_args *const args =
      (PLAN_FIXED const fmhac_kernel_args *)
          __builtin_amdgcn_kernarg_segment_ptr();
  PLAN_FIXED const fmhac_work_rules *const rules =
      (PLAN_FIXED const fmhac_work_rules *)fmhac_work_kernel_rules;
  const uint32_t count = fmhac_work_kernel_count[0];
  const uint32_t kernel = count > 1 ? __builtin_amdgcn_workgroup_id_x() : 0;
  if (kernel == 0)
    fmhac_work_kernel_lists(args, &rules[0], 0);
  else if (count > 1 && kernel == 1)
    fmhac_work_kernel_lists(args, &rules[1], 1);
  else if (count > 2 && kernel == 2)
    fmhac_work_kernel_lists(args, &rules[2], 2);
  else if (count > 3 && kernel == 3)
    fmhac_work_kernel_lists(args, &rules[3], 3);
}
_Static_assert(FMHAC_WORK_MOST_KERNELS == 4, "as many calls");
