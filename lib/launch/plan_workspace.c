// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan_workspace.h"

#include "plan_check.h"
#include "plan_work.h"
#include "work_list.h"

/// Room for `count` records after what there is; where they begin.
static uint64_t reserve(fmhac_workspace_map *map, uint64_t count,
                        uint64_t bytes) {
  const uint64_t step = FMHAC_WORKSPACE_ALIGNMENT_BYTES, at = map->bytes;
  map->bytes += (count * bytes + step - 1) / step * step;
  return at;
}

fmhac_status fmhac_workspace_map_init(fmhac_workspace_map *map,
                                      const fmhac_kernel *kernel,
                                      const fmhac_entry *entry,
                                      const fmhac_problem *most,
                                      uint32_t workgroups) {
  *map = (fmhac_workspace_map){.workgroups = workgroups};
  fmhac_problem sizes = *most;
  // A planner that was compiled before there were totals does not keep to them.
  if (!fmhac_kernel_needs(kernel, FMHAC_GROUP(TOTALS)))
    sizes.total_q = sizes.total_kv = 0;
  map->total_q = sizes.total_q;
  map->total_kv = sizes.total_kv;
  fmhac_list_room room;
  fmhac_status status =
      fmhac_find_list_room(kernel, entry, &sizes, workgroups, &room);
  if (status != FMHAC_OK)
    return status;
  map->work_indptr = reserve(map, room.lists + 1, sizeof(int32_t));
  map->work_items = reserve(map, room.items, sizeof(fmhac_work_item));
  if (fmhac_kernel_needs(kernel, FMHAC_GROUP(QUEUE)))
    map->work_counter = reserve(map, 1, sizeof(fmhac_work_queue));
  map->combine_count = reserve(map, 1, sizeof(int32_t));
  map->combine_items =
      reserve(map, room.combine_items, sizeof(fmhac_combine_item));
  map->plan_scratch = reserve(map, room.scratch_bytes, 1);
  map->part_lse = reserve(map, room.part_rows, sizeof(float));
  map->part_o = reserve(map, room.part_rows,
                        (uint64_t)kernel->config.head_dim_v * sizeof(float));
  return FMHAC_OK;
}

void fmhac_workspace_map_arguments(const fmhac_workspace_map *map,
                                   uint64_t workspace,
                                   fmhac_kernel_args *args) {
  if (!map->bytes)
    return;
  args->work_indptr = workspace + map->work_indptr;
  args->work_items = workspace + map->work_items;
  args->combine_count = workspace + map->combine_count;
  args->combine_items = workspace + map->combine_items;
  args->plan_scratch = workspace + map->plan_scratch;
  args->part_lse = workspace + map->part_lse;
  args->part_o = workspace + map->part_o;
  args->workgroups = map->workgroups;
  args->total_q = map->total_q;
  args->total_kv = map->total_kv;
  if (map->work_counter)
    args->work_counter = workspace + map->work_counter;
}
