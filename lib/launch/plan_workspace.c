// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan_workspace.h"

#include "plan_check.h"
#include "work_list.h"

/// Room for `count` records after what there is; where they begin.
static uint64_t reserve(fmhac_workspace_map *map, uint64_t count,
                        uint64_t bytes) {
  const uint64_t step = FMHAC_WORKSPACE_ALIGNMENT_BYTES, at = map->bytes;
  map->bytes += (count * bytes + step - 1) / step * step;
  return at;
}

static void reserve_parts(fmhac_workspace_map *map, const fmhac_kernel *kernel,
                          uint64_t rows) {
  map->part_lse = reserve(map, rows, sizeof(float));
  map->part_o =
      reserve(map, rows, (uint64_t)kernel->config.head_dim_v * sizeof(float));
}

fmhac_status fmhac_workspace_map_init(fmhac_workspace_map *map,
                                      const fmhac_kernel *kernel,
                                      const fmhac_walker *walkers, size_t count,
                                      const fmhac_problem *most) {
  *map = (fmhac_workspace_map){.kernels = count};
  fmhac_problem sizes = *most;
  // A planner that was compiled before there were totals does not keep to them.
  if (!fmhac_kernel_needs(kernel, FMHAC_GROUP(TOTALS)))
    sizes.total_q = sizes.total_kv = 0;
  map->total_q = sizes.total_q;
  map->total_kv = sizes.total_kv;
  fmhac_list_room room;
  fmhac_status status = fmhac_find_rooms(kernel, walkers, count, &sizes, &room,
                                         &map->part_stride);
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
  map->set_stride = map->bytes;
  map->bytes *= count;
  for (size_t i = 0; i < count; ++i)
    map->workgroups[i] = walkers[i].workgroups;
  reserve_parts(map, kernel, room.part_rows);
  return FMHAC_OK;
}

fmhac_status fmhac_workspace_map_runs(fmhac_workspace_map *map,
                                      const fmhac_kernel *kernel,
                                      const fmhac_walker *walker,
                                      const fmhac_problem *most) {
  *map = (fmhac_workspace_map){.run_workgroups = walker->workgroups,
                               .run_part_rows = walker->entry->tile_m};
  fmhac_list_room room;
  fmhac_status status = fmhac_find_run_room(kernel, walker, most, &room);
  if (status != FMHAC_OK || !room.part_rows)
    return status;
  // At the start, for whoever sets it to zeros. A counter for each tile of
  // parts.
  map->join_counters =
      reserve(map, 2 * (uint64_t)walker->workgroups, sizeof(uint32_t));
  map->zero_bytes = map->bytes;
  reserve_parts(map, kernel, room.part_rows);
  return FMHAC_OK;
}

void fmhac_workspace_map_arguments(const fmhac_workspace_map *map, size_t index,
                                   uint64_t workspace,
                                   fmhac_kernel_args *args) {
  enum { WORKGROUPS_BITS = 16 };
  args->run_workgroups = map->run_workgroups;
  args->run_part_rows = map->run_part_rows;
  if (!map->bytes)
    return;
  args->part_lse = workspace + map->part_lse;
  args->part_o = workspace + map->part_o;
  if (!map->kernels) { // runs, without lists
    args->join_counters = workspace + map->join_counters;
    return;
  }
  const uint64_t set = workspace + index * map->set_stride;
  args->combine_count = set + map->combine_count;
  args->combine_items = set + map->combine_items;
  args->work_indptr = set + map->work_indptr;
  args->work_items = set + map->work_items;
  args->plan_scratch = set + map->plan_scratch;
  for (size_t i = 0; i < map->kernels; ++i)
    args->workgroups |= (uint64_t)map->workgroups[i] << WORKGROUPS_BITS * i;
  args->list_set_stride = map->set_stride;
  args->part_set_stride = map->part_stride;
  args->total_q = map->total_q;
  args->total_kv = map->total_kv;
  if (map->work_counter)
    args->work_counter = set + map->work_counter;
}
