// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench_runs.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>

#include "fmhac_work.h"
#include "work_find.h"

/// A counter above its bound wraps to 0 where it is asked first. So the last of
/// n workgroups finds n - 2, and nobody is the last.
enum { NOBODY_IS_LAST = 1 << 30 };

static fmhac_status fail(fmhac_status status, const char *why,
                         char error[ERROR_BYTES]) {
  (void)ERROR_SET(error, "%s", why);
  return status;
}

fmhac_status bench_runs_find(const bench_plan_run *run, uint32_t workgroups,
                             bench_runs *r, char error[ERROR_BYTES]) {
  const run_buffer *buffers = run->data->buffers;
  fmhac_work_room room = {.size = sizeof room};
  *r = (bench_runs){.workgroups = workgroups};
  fmhac_status status = fmhac_plan_work_room(run->plan, workgroups, &room);
  if (status != FMHAC_OK)
    return fail(status, fmhac_last_error(run->context), error);
  r->indptr = malloc((room.lists + 1) * sizeof *r->indptr);
  r->items = malloc((room.items + 1) * sizeof *r->items);
  r->units = malloc((room.combine_items + 1) * sizeof *r->units);
  if (!r->indptr || !r->items || !r->units)
    return fail(FMHAC_OUT_OF_MEMORY, "no memory for the records of runs",
                error);
  const fmhac_problem problem = run_data_problem(run->data);
  const fmhac_work_lengths lengths = {
      .size = sizeof lengths,
      .cu_seqlens_q = buffers[BUFFER_CU_SEQLENS_Q].host,
      .cu_seqlens_kv = buffers[BUFFER_CU_SEQLENS_KV].host,
      .seqlens_q = buffers[BUFFER_SEQLENS_Q].host,
      .seqlens_kv = buffers[BUFFER_SEQLENS_KV].host,
      .kv_indptr = buffers[BUFFER_KV_INDPTR].host,
      .kv_last_page_len = buffers[BUFFER_KV_LAST_PAGE_LEN].host};
  const fmhac_work_lists lists = {.size = sizeof lists,
                                  .indptr = r->indptr,
                                  .items = r->items,
                                  .combine_items = r->units,
                                  .combine_count = &r->unit_count};
  alignas(max_align_t) char scratch[sizeof(max_align_t)];
  status = fmhac_plan_work(run->plan, &problem, workgroups, &lengths, &lists,
                           scratch);
  return status == FMHAC_OK
             ? status
             : fail(status, fmhac_last_error(run->context), error);
}

void bench_runs_deinit(bench_runs *r) {
  free(r->indptr);
  free(r->items);
  free(r->units);
  *r = (bench_runs){0};
}

uint32_t bench_runs_busy(const bench_runs *r) {
  uint32_t busy = 0;
  for (uint32_t w = 0; w < r->workgroups; ++w)
    busy += r->indptr[w] < r->indptr[w + 1];
  return busy;
}

static uint32_t least(uint32_t x, uint32_t y) { return x < y ? x : y; }

static bool is_divided(const fmhac_combine_item *unit) {
  return unit->row_end > unit->row_begin;
}

bool bench_runs_widest(const bench_runs *r, bench_joined *out) {
  *out = (bench_joined){0};
  for (int32_t i = 0; i < r->unit_count; ++i) {
    out->units += is_divided(&r->units[i]);
    if (is_divided(&r->units[i]) && r->units[i].chunks > out->unit.chunks)
      out->unit = r->units[i];
  }
  // Whoever has its first part.
  for (uint32_t w = 0; out->units && w < r->workgroups; ++w)
    for (int32_t i = r->indptr[w]; i < r->indptr[w + 1]; ++i)
      if (r->items[i].part == out->unit.part)
        out->workgroup = w;
  const uint32_t parts = (uint32_t)out->unit.chunks;
  out->meeting = least(parts, FMHAC_PARTS_AT_ONCE);
  return out->units > 0;
}

fmhac_status bench_runs_count_as(const bench_plan_run *run,
                                 const fmhac_kernel_args *args,
                                 const bench_joined *last,
                                 char error[ERROR_BYTES]) {
  const uint32_t count = 2 * args->run_workgroups;
  uint32_t *counters = malloc(count * sizeof *counters);
  if (!counters)
    return fail(FMHAC_OUT_OF_MEMORY, "no memory for counters", error);
  for (uint32_t i = 0; i < count; ++i)
    counters[i] = NOBODY_IS_LAST;
  // The first part is the first of each group that it is in.
  const uint32_t parts = last ? (uint32_t)last->unit.chunks : 0;
  const uint32_t tile =
      last ? (uint32_t)last->unit.part / args->run_part_rows : 0;
  for (uint32_t bits = 0, level = 0; 1u << bits < parts;
       bits += FMHAC_PARTS_AT_ONCE_BITS, ++level) {
    const uint32_t members = (parts + (1u << bits) - 1) >> bits;
    counters[tile + level] = least(members, FMHAC_PARTS_AT_ONCE) - 1;
  }
  fmhac_rt_device *d = run->device->device;
  const fmhac_status status = fmhac_rt_copy_in(d, args->join_counters, counters,
                                               count * sizeof *counters);
  free(counters);
  return status == FMHAC_OK ? status
                            : fail(status, fmhac_rt_last_error(d), error);
}
