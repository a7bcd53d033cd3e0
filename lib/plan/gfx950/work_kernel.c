// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The planner as a kernel of one workgroup, for gfx950 alone. The build makes
// LLVM IR of it, which the compiler links into code objects; it supplies the
// rules.
#include "fmhac_abi.h"
#include "work_deal.h"

_Static_assert(PLAN_LANES == FMHAC_WORK_KERNEL_THREADS,
               "launches have as many work-items");

enum { RULES = sizeof(fmhac_work_rules) / sizeof(uint32_t) };

/// fmhac_work_rules: each of its words has 32 bits.
extern PLAN_FIXED const uint32_t fmhac_work_kernel_rules[RULES];

static __attribute__((address_space(3), loader_uninitialized))
plan_shared shared;

#define FAR(type, address) ((PLAN_FAR type *)(uintptr_t)(address))

__attribute__((amdgpu_kernel,
               amdgpu_flat_work_group_size(PLAN_LANES, PLAN_LANES))) void
fmhac_work_kernel(fmhac_kernel_args args) {
  const fmhac_work_rules rules =
      *(PLAN_FIXED const fmhac_work_rules *)fmhac_work_kernel_rules;
  const fmhac_work_sizes sizes = {.batch = args.batch,
                                  .heads_q = args.heads_q,
                                  .heads_kv = args.heads_kv,
                                  .seqlen_q = args.seqlen_q,
                                  .seqlen_kv = args.seqlen_kv,
                                  .workgroups = (uint32_t)args.workgroups,
                                  .total_q = args.total_q,
                                  .total_kv = args.total_kv};
  const plan_lengths lengths = {
      .cu_seqlens_q = FAR(const int32_t, args.cu_seqlens_q),
      .cu_seqlens_kv = FAR(const int32_t, args.cu_seqlens_kv),
      .seqlens_q = FAR(const int32_t, args.seqlens_q),
      .seqlens_kv = FAR(const int32_t, args.seqlens_kv),
      .kv_indptr = FAR(const int32_t, args.kv_indptr),
      .kv_last_page_len = FAR(const int32_t, args.kv_last_page_len)};
  const plan_problem problem = plan_problem_of(&rules, &sizes, &lengths);
  const plan_scratch_counts counts = plan_scratch_counts_of(&rules, &sizes);
  const plan_scratch at = plan_scratch_of(&counts);
  const uint64_t scratch = args.plan_scratch;
  const plan_memory memory = {
      .work_indptr = FAR(int32_t, args.work_indptr),
      .work_items = FAR(fmhac_work_item, args.work_items),
      .combine_items = FAR(fmhac_combine_item, args.combine_items),
      .combine_count = FAR(int32_t, args.combine_count),
      .tile_begin = FAR(uint32_t, scratch + at.tile_begin),
      .tiles = FAR(plan_tile, scratch + at.tiles),
      .before = FAR(plan_before, scratch + at.before),
      .bigs = FAR(plan_big, scratch + at.bigs),
      .sorted = FAR(plan_big, scratch + at.sorted),
      .unit_parts = FAR(uint32_t, scratch + at.unit_parts),
      .places = FAR(uint32_t, scratch + at.places)};
  const plan_found found = plan_find_work(&problem, &memory, &shared);
  plan_deal_work(&problem, &memory, &shared, &found);
  if (!rules.queue)
    return;
  const uint32_t lists = plan_count_lists(&problem, &shared);
  if (plan_lane() == 0)
    *FAR(fmhac_work_queue, args.work_counter) =
        (fmhac_work_queue){.lists = lists, .workgroups = sizes.workgroups};
}
