// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench_runs.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>

#include "fmhac_work.h"

/// Records in memory of the host.
typedef struct records {
  int32_t *indptr, count;
  fmhac_work_item *items;
  fmhac_combine_item *combine_items;
} records;

static fmhac_status fail(fmhac_status status, const char *why,
                         char error[ERROR_BYTES]) {
  (void)ERROR_SET(error, "%s", why);
  return status;
}

static fmhac_status find(const bench_plan_run *run, uint32_t workgroups,
                         records *r, char error[ERROR_BYTES]) {
  const run_buffer *buffers = run->data->buffers;
  fmhac_work_room room = {.size = sizeof room};
  fmhac_status status = fmhac_plan_work_room(run->plan, workgroups, &room);
  if (status != FMHAC_OK)
    return fail(status, fmhac_last_error(run->context), error);
  r->indptr = malloc((room.lists + 1) * sizeof *r->indptr);
  r->items = malloc((room.items + 1) * sizeof *r->items);
  r->combine_items =
      malloc((room.combine_items + 1) * sizeof *r->combine_items);
  if (!r->indptr || !r->items || !r->combine_items)
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
                                  .combine_items = r->combine_items,
                                  .combine_count = &r->count};
  alignas(max_align_t) char scratch[sizeof(max_align_t)];
  status = fmhac_plan_work(run->plan, &problem, workgroups, &lengths, &lists,
                           scratch);
  return status == FMHAC_OK
             ? status
             : fail(status, fmhac_last_error(run->context), error);
}

static void deinit(records *r) {
  free(r->indptr);
  free(r->items);
  free(r->combine_items);
}

fmhac_status bench_runs_count(const bench_plan_run *run,
                              const fmhac_kernel_args *args, uint32_t *out,
                              char error[ERROR_BYTES]) {
  records r = {0};
  const fmhac_status status = find(run, args->run_workgroups, &r, error);
  *out = 0;
  for (uint32_t w = 0; status == FMHAC_OK && w < args->run_workgroups; ++w)
    *out += r.indptr[w] < r.indptr[w + 1];
  deinit(&r);
  return status;
}

fmhac_status bench_runs_leave(const bench_plan_run *run,
                              const fmhac_kernel_args *args,
                              char error[ERROR_BYTES]) {
  records r = {0};
  fmhac_rt_device *d = run->device->device;
  fmhac_status status = find(run, args->run_workgroups, &r, error);
  if (status == FMHAC_OK) {
    status = fmhac_rt_copy_in(d, args->combine_count, &r.count, sizeof r.count);
    if (status == FMHAC_OK && r.count)
      status = fmhac_rt_copy_in(d, args->combine_items, r.combine_items,
                                (size_t)r.count * sizeof *r.combine_items);
    if (status != FMHAC_OK)
      fail(status, fmhac_rt_last_error(d), error);
  }
  deinit(&r);
  return status;
}
