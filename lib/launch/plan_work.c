// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists of work for a plan, on the host. lists.h makes them; here is what it
// expects of its caller.
#include <inttypes.h>

#include "check_group.h"
#include "context.h"
#include "division.h"
#include "fmhac_inspect.h"
#include "fmhac_work.h"
#include "kernel.h"
#include "lists.h"
#include "plan.h"
#include "plan_work.h"
#include "require.h"
#include "work_keys.h"
#include "work_rules.h"

enum { SCRATCH_ALIGNMENT = 16 };

/// The rules of the plan's kernel, and the sizes of a problem.
typedef struct order_of_work {
  fmhac_context *context;
  fmhac_work_rules rules;
  fmhac_work_sizes sizes;
} order_of_work;

static fmhac_status make_order(const fmhac_kernel *kernel,
                               const fmhac_walker *walker,
                               const fmhac_problem *problem,
                               order_of_work *out) {
  const fmhac_entry *entry = walker->entry;
  const uint32_t workgroups = walker->workgroups;
  out->context = kernel->context;
  if (!entry->tile_m || !entry->tile_n)
    return fmhac_fail(out->context, FMHAC_INTERNAL,
                      "work: expected entry %s to have tiles of rows and keys, "
                      "found %u and %u",
                      entry->kernel, entry->tile_m, entry->tile_n);
  const fmhac_work_tile tile = {entry->tile_m, entry->tile_n,
                                fmhac_entry_packs_heads(entry)};
  out->rules = fmhac_work_rules_of(&kernel->config, &tile);
  out->rules.rows = walker->rows;
  out->sizes = (fmhac_work_sizes){.batch = problem->batch,
                                  .heads_q = problem->heads_q,
                                  .heads_kv = problem->heads_kv,
                                  .seqlen_q = problem->seqlen_q,
                                  .seqlen_kv = problem->seqlen_kv,
                                  .workgroups = workgroups,
                                  .total_q = problem->total_q,
                                  .total_kv = problem->total_kv};
  if (workgroups < 1 || workgroups > FMHAC_WORK_MOST_WORKGROUPS)
    return fmhac_fail(out->context, FMHAC_INVALID_INPUT,
                      "work: expected from 1 to %d workgroups, found %u",
                      FMHAC_WORK_MOST_WORKGROUPS, workgroups);
  if (out->rules.split == FMHAC_WORK_SPLIT_FIXED &&
      (!out->rules.split_keys || out->rules.split_keys % entry->tile_n))
    return fmhac_fail(out->context, FMHAC_INVALID_INPUT,
                      "work: expected split_chunk to be a multiple of the %u "
                      "keys of a tile of kernel %s, found %u",
                      entry->tile_n, entry->kernel, out->rules.split_keys);
  return FMHAC_OK;
}

fmhac_status fmhac_find_list_room(const fmhac_kernel *kernel,
                                  const fmhac_walker *walker,
                                  const fmhac_problem *most,
                                  fmhac_list_room *out) {
  order_of_work order;
  fmhac_status status = make_order(kernel, walker, most, &order);
  if (status != FMHAC_OK)
    return status;
  *out = fmhac_list_room_of(&order.rules, &order.sizes);
  const struct {
    const char *what;
    uint64_t count;
  } counts[] = {{"items", out->items},
                {"items of the combination", out->combine_items},
                {"rows of parts", out->part_rows}};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i)
    if (counts[i].count > INT32_MAX)
      return fmhac_fail(
          order.context, FMHAC_UNSUPPORTED,
          "work: B = %u, Sq = %u, Sk = %u and Hq = %u may need %" PRIu64
          " %s, a list holds at most %d; plan for a smaller batch%s",
          most->batch, most->seqlen_q, most->seqlen_kv, most->heads_q,
          counts[i].count, counts[i].what, INT32_MAX,
          order.rules.split == FMHAC_WORK_SPLIT_FIXED
              ? ", with a larger split_chunk, or with total_q and total_kv"
              : ", or with total_q and total_kv");
  return FMHAC_OK;
}

fmhac_status fmhac_find_run_room(const fmhac_kernel *kernel,
                                 const fmhac_walker *walker,
                                 const fmhac_problem *most,
                                 fmhac_list_room *out) {
  order_of_work order;
  fmhac_status status = make_order(kernel, walker, most, &order);
  if (status != FMHAC_OK)
    return status;
  *out = fmhac_run_room_of(&order.rules, &order.sizes);
  return out->items <= INT32_MAX
             ? FMHAC_OK
             : fmhac_fail(order.context, FMHAC_UNSUPPORTED,
                          "work: with work = runs all heads and sequences may "
                          "have fewer than 2^24 tiles of %u keys for each tile "
                          "of %u rows together; B = %u, Sq = %u, Sk = %u and "
                          "Hq = %u may have more; plan for a smaller batch, or "
                          "compile with work = list",
                          walker->entry->tile_n, walker->entry->tile_m,
                          most->batch, most->seqlen_q, most->seqlen_kv,
                          most->heads_q);
}

fmhac_status fmhac_find_rooms(const fmhac_kernel *kernel,
                              const fmhac_walker *walkers, size_t count,
                              const fmhac_problem *most, fmhac_list_room *out,
                              uint32_t *out_part_stride) {
  uint64_t stride = 0, last = 0;
  *out = (fmhac_list_room){.items = 0};
  for (size_t i = 0; i < count; ++i) {
    fmhac_list_room room;
    const fmhac_status status =
        fmhac_find_list_room(kernel, &walkers[i], most, &room);
    if (status != FMHAC_OK)
      return status;
    fmhac_list_room_raise(out, &room);
    last = room.part_rows;
    if (i + 1 < count && last > stride)
      stride = last;
  }
  // Each of them is below 2^31.
  out->part_rows = stride * (count - 1) + last;
  *out_part_stride = (uint32_t)stride;
  return out->part_rows <= INT32_MAX
             ? FMHAC_OK
             : fmhac_fail(kernel->context, FMHAC_UNSUPPORTED,
                          "work: the %zu kernels between which batches are "
                          "divided may need %" PRIu64 " rows of parts, their "
                          "lists hold at most %d; plan for a smaller batch, or "
                          "with total_q and total_kv",
                          count, out->part_rows, INT32_MAX);
}

/// Of lists, or of what a kernel finds itself.
static fmhac_status find_room(const fmhac_kernel *kernel,
                              const fmhac_walker *walker,
                              const fmhac_problem *most, fmhac_list_room *out) {
  return fmhac_entry_finds_runs(walker->entry)
             ? fmhac_find_run_room(kernel, walker, most, out)
             : fmhac_find_list_room(kernel, walker, most, out);
}

/// The room that lists of any kernel of the plan need, in so many workgroups.
/// Parts of all kernels lie one after the other.
static fmhac_status find_most_room(const fmhac_plan *plan, uint32_t workgroups,
                                   fmhac_list_room *out) {
  const fmhac_kernel *kernel = fmhac_plan_get_kernel(plan);
  const size_t count = fmhac_plan_count_kernels(plan);
  fmhac_status status = FMHAC_OK;
  *out = (fmhac_list_room){.items = 0};
  for (size_t i = 0; i < count && status == FMHAC_OK; ++i) {
    const fmhac_walker walker = fmhac_plan_get_walker(plan, i, workgroups);
    fmhac_list_room room;
    status = find_room(kernel, &walker, fmhac_plan_get_most(plan), &room);
    if (status == FMHAC_OK)
      fmhac_list_room_raise(out, &room);
  }
  out->part_rows += (count - 1) * (uint64_t)fmhac_plan_get_part_stride(plan);
  return status;
}

fmhac_status fmhac_plan_work_room(const fmhac_plan *plan, uint32_t workgroups,
                                  fmhac_work_room *out_room) {
  const fmhac_kernel *kernel = plan ? fmhac_plan_get_kernel(plan) : NULL;
  fmhac_context *context = kernel ? kernel->context : NULL;
  fmhac_status status =
      FMHAC_REQUIRE(context, FMHAC_GIVEN(plan), FMHAC_GIVEN(out_room));
  if (status == FMHAC_OK)
    status =
        FMHAC_REQUIRE_SIZE(context, out_room, fmhac_work_room, scratch_bytes);
  fmhac_list_room room;
  if (status == FMHAC_OK)
    status = find_most_room(plan, workgroups, &room);
  if (status != FMHAC_OK)
    return status;
  const fmhac_work_room result = {.items = room.items,
                                  .combine_items = room.combine_items,
                                  .part_rows = room.part_rows,
                                  .scratch_bytes = room.scratch_bytes,
                                  .lists = room.lists};
  return FMHAC_REQUIRE_OUT(context, out_room, fmhac_work_room, scratch_bytes,
                           &result);
}

//===- Checks -------------------------------------------------------------===//

static fmhac_status check_problem(const fmhac_plan *plan,
                                  const fmhac_entry *attention,
                                  const fmhac_problem *problem) {
  const fmhac_kernel *kernel = fmhac_plan_get_kernel(plan);
  const fmhac_problem *most = fmhac_plan_get_most(plan);
  const struct {
    const char *name;
    uint32_t found, most;
  } sizes[] = {{"batch", problem->batch, most->batch},
               {"heads_q", problem->heads_q, most->heads_q},
               {"heads_kv", problem->heads_kv, most->heads_kv},
               {"seqlen_q", problem->seqlen_q, most->seqlen_q},
               {"seqlen_kv", problem->seqlen_kv, most->seqlen_kv}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
    if (sizes[i].found < 1 || sizes[i].found > sizes[i].most)
      return fmhac_fail(
          kernel->context, FMHAC_INVALID_INPUT,
          "work: expected %s from 1 to the %u of the plan, found %u",
          sizes[i].name, sizes[i].most, sizes[i].found);
  if (problem->heads_q % problem->heads_kv)
    return fmhac_fail(kernel->context, FMHAC_INVALID_INPUT,
                      "work: expected heads_q to be a multiple of heads_kv, "
                      "found %u and %u",
                      problem->heads_q, problem->heads_kv);
  return fmhac_check_group_of_plan(kernel, attention, most, problem);
}

static fmhac_status fail_length(fmhac_context *context, const char *array,
                                uint32_t b, int64_t found, uint32_t most) {
  return fmhac_fail(
      context, FMHAC_INVALID_INPUT,
      "work: %s: expected sequence %u to have from 0 to the %u of "
      "the plan, found %" PRId64,
      array, b, most, found);
}

/// Lengths that are differences of neighbours, or entries themselves.
static fmhac_status check_lengths(fmhac_context *context, const char *name,
                                  const int32_t *array, bool is_sum,
                                  uint32_t batch, uint32_t most) {
  for (uint32_t b = 0; b < batch; ++b) {
    const int64_t found =
        is_sum ? (int64_t)array[b + 1] - array[b] : (int64_t)array[b];
    if (found < 0 || found > most)
      return fail_length(context, name, b, found, most);
  }
  return FMHAC_OK;
}

/// The keys of lists of pages, and of lengths that leave out the rows.
static fmhac_status check_keys(const order_of_work *order,
                               const fmhac_work_lengths *l, uint32_t most) {
  const fmhac_work_rules *r = &order->rules;
  for (uint32_t b = 0; b < order->sizes.batch; ++b) {
    if (r->lengths & FMHAC_WORK_PAGE_LIST) {
      const int64_t pages = (int64_t)l->kv_indptr[b + 1] - l->kv_indptr[b];
      const int64_t last = l->kv_last_page_len[b];
      const int64_t keys =
          pages > 0 ? (pages - 1) * r->page_size + last : pages;
      if (keys < 0 || keys > most)
        return fail_length(order->context, "kv_indptr, kv_last_page_len", b,
                           keys, most);
      if (last < 0 || last > (int64_t)r->page_size)
        return fail_length(order->context, "kv_last_page_len", b, last,
                           r->page_size);
    } else if (r->lengths & FMHAC_WORK_CACHED_KV) {
      const int64_t rows = r->lengths & FMHAC_WORK_CU_Q
                               ? l->cu_seqlens_q[b + 1] - l->cu_seqlens_q[b]
                           : r->lengths & FMHAC_WORK_LENGTHS_Q
                               ? l->seqlens_q[b]
                               : (int64_t)order->sizes.seqlen_q;
      const int64_t keys = rows + l->seqlens_kv[b];
      if (keys > most)
        return fail_length(order->context, "seqlens_kv and rows", b, keys,
                           most);
    }
  }
  return FMHAC_OK;
}

static fmhac_status check_arrays(const order_of_work *order,
                                 const fmhac_work_lengths *l,
                                 const fmhac_problem *most) {
  const uint32_t rows = most->seqlen_q, keys = most->seqlen_kv;
  const struct {
    const char *name;
    const int32_t *array;
    uint32_t bits;
    bool is_length, is_sum;
    uint32_t most;
  } arrays[] = {
      {"cu_seqlens_q", l->cu_seqlens_q, FMHAC_WORK_CU_Q, true, true, rows},
      {"cu_seqlens_kv", l->cu_seqlens_kv, FMHAC_WORK_CU_KV, true, true, keys},
      {"seqlens_q", l->seqlens_q, FMHAC_WORK_LENGTHS_Q, true, false, rows},
      {"seqlens_kv", l->seqlens_kv, FMHAC_WORK_LENGTHS_KV, true, false, keys},
      {"kv_indptr", l->kv_indptr, FMHAC_WORK_PAGE_LIST, false, true, 0},
      {"kv_last_page_len", l->kv_last_page_len, FMHAC_WORK_PAGE_LIST, false,
       false, 0}};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
    if (!(order->rules.lengths & arrays[i].bits))
      continue;
    if (!arrays[i].array)
      return fmhac_fail(
          order->context, FMHAC_INVALID_INPUT,
          "work: expected lengths.%s, which the configuration has, "
          "found a null pointer",
          arrays[i].name);
    fmhac_status status = FMHAC_OK;
    if (arrays[i].is_length)
      status =
          check_lengths(order->context, arrays[i].name, arrays[i].array,
                        arrays[i].is_sum, order->sizes.batch, arrays[i].most);
    if (status != FMHAC_OK)
      return status;
  }
  return check_keys(order, l, keys);
}

/// Rows, and keys, of all sequences together, whose lengths have been checked.
static fmhac_status check_totals(const order_of_work *order,
                                 const fmhac_work_lengths *l) {
  const fmhac_work_sizes *s = &order->sizes;
  if (!s->total_q && !s->total_kv)
    return FMHAC_OK;
  const plan_lengths from = {l->cu_seqlens_q, l->cu_seqlens_kv,
                             l->seqlens_q,    l->seqlens_kv,
                             l->kv_indptr,    l->kv_last_page_len};
  const plan_problem problem = plan_problem_of(&order->rules, s, &from);
  uint64_t rows = 0, keys = 0;
  for (uint32_t b = 0; b < s->batch; ++b) {
    const plan_sequence own = plan_sequence_of(&problem, b);
    rows += own.rows;
    keys += own.keys;
  }
  const struct {
    const char *what, *name;
    uint64_t found, most;
  } totals[] = {{"rows of Q", "total_q", rows, s->total_q},
                {"keys", "total_kv", keys, s->total_kv}};
  for (size_t i = 0; i < sizeof totals / sizeof totals[0]; ++i)
    if (totals[i].most && totals[i].found > totals[i].most)
      return fmhac_fail(order->context, FMHAC_INVALID_INPUT,
                        "work: expected sequences of at most %" PRIu64
                        " %s together, the %s of the plan, found %" PRIu64,
                        totals[i].most, totals[i].what, totals[i].name,
                        totals[i].found);
  return FMHAC_OK;
}

static fmhac_status check_lists(const order_of_work *order,
                                const fmhac_list_room *room,
                                const fmhac_work_lists *lists) {
  const bool has_parts = order->rules.split != FMHAC_WORK_SPLIT_NONE;
  const struct {
    const char *name;
    const void *list;
    bool needed;
  } all[] = {{"indptr", lists->indptr, true},
             {"items", lists->items, true},
             {"combine_items", lists->combine_items, room->combine_items > 0},
             {"combine_count", lists->combine_count, has_parts}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
    if (all[i].needed && !all[i].list)
      return fmhac_fail(
          order->context, FMHAC_INVALID_INPUT,
          "work: expected memory for lists.%s, found a null pointer",
          all[i].name);
  return FMHAC_OK;
}

/// The kernel that lists are for. A caller of an earlier release knows of one.
static fmhac_status find_walker(const fmhac_plan *plan, size_t given_bytes,
                                uint32_t index, uint32_t workgroups,
                                fmhac_walker *out) {
  fmhac_context *context = fmhac_plan_get_kernel(plan)->context;
  const size_t count = fmhac_plan_count_kernels(plan);
  if (count > 1 && given_bytes < FMHAC_SIZE_THROUGH(fmhac_work_lists, kernel))
    return fmhac_fail(
        context, FMHAC_INVALID_INPUT,
        "work: the plan divides batches among %zu kernels, each with lists "
        "of its own: expected fmhac_work_lists with the field kernel, found "
        "%zu "
        "bytes; compile with this release's fmhac_work.h, or name one schedule",
        count, given_bytes);
  if (index >= count)
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "work: expected lists.kernel below the %zu kernels of "
                      "attention of the plan, found %u",
                      count, index);
  *out = fmhac_plan_get_walker(plan, index, workgroups);
  return FMHAC_OK;
}

fmhac_status fmhac_plan_work(const fmhac_plan *plan,
                             const fmhac_problem *problem, uint32_t workgroups,
                             const fmhac_work_lengths *lengths,
                             const fmhac_work_lists *lists, void *scratch) {
  const fmhac_kernel *kernel = plan ? fmhac_plan_get_kernel(plan) : NULL;
  fmhac_context *context = kernel ? kernel->context : NULL;
  fmhac_status status = FMHAC_REQUIRE(
      context, FMHAC_GIVEN(plan), FMHAC_GIVEN(problem), FMHAC_GIVEN(lengths),
      FMHAC_GIVEN(lists), FMHAC_GIVEN(scratch));
  if (status == FMHAC_OK && (uintptr_t)scratch % SCRATCH_ALIGNMENT)
    status = fmhac_fail(context, FMHAC_INVALID_INPUT,
                        "work: expected scratch at a multiple of %d bytes, "
                        "found the address 0x%" PRIxPTR,
                        SCRATCH_ALIGNMENT, (uintptr_t)scratch);
  fmhac_problem p;
  fmhac_work_lengths l;
  fmhac_work_lists to;
  if (status == FMHAC_OK)
    status = FMHAC_REQUIRE_IN(context, &p, fmhac_problem, seqlen_kv, problem);
  if (status == FMHAC_OK)
    status = FMHAC_REQUIRE_IN(context, &l, fmhac_work_lengths, kv_last_page_len,
                              lengths);
  if (status == FMHAC_OK)
    status =
        FMHAC_REQUIRE_IN(context, &to, fmhac_work_lists, combine_count, lists);
  fmhac_walker walker;
  if (status == FMHAC_OK)
    status = find_walker(plan, lists->size, to.kernel, workgroups, &walker);
  fmhac_list_room room;
  if (status == FMHAC_OK)
    status = find_room(kernel, &walker, fmhac_plan_get_most(plan), &room);
  if (status == FMHAC_OK)
    status = check_problem(plan, walker.entry, &p);
  if (status != FMHAC_OK)
    return status;
  // Lengths may reach the plan's maxima, whatever the problem says beside them.
  const fmhac_problem *most = fmhac_plan_get_most(plan);
  order_of_work order;
  status = make_order(kernel, &walker, &p, &order);
  if (status != FMHAC_OK)
    return status;
  if (order.rules.lengths & (FMHAC_WORK_CU_Q | FMHAC_WORK_LENGTHS_Q))
    order.sizes.seqlen_q = most->seqlen_q;
  if (order.rules.lengths &
      (FMHAC_WORK_CU_KV | FMHAC_WORK_LENGTHS_KV | FMHAC_WORK_PAGE_LIST))
    order.sizes.seqlen_kv = most->seqlen_kv;
  order.sizes.total_q = most->total_q;
  order.sizes.total_kv = most->total_kv;
  order.sizes.part_begin = to.kernel * fmhac_plan_get_part_stride(plan);
  status = check_arrays(&order, &l, most);
  if (status == FMHAC_OK)
    status = check_totals(&order, &l);
  if (status == FMHAC_OK)
    status = check_lists(&order, &room, &to);
  if (status != FMHAC_OK)
    return status;
  const fmhac_list_lengths from = {l.cu_seqlens_q, l.cu_seqlens_kv,
                                   l.seqlens_q,    l.seqlens_kv,
                                   l.kv_indptr,    l.kv_last_page_len};
  const fmhac_lists into = {to.indptr, to.items, to.combine_items,
                            to.combine_count};
  if (fmhac_entry_finds_runs(walker.entry))
    fmhac_runs_fill(&order.rules, &order.sizes, &from, &into);
  else
    fmhac_lists_fill(&order.rules, &order.sizes, &from, &into, scratch);
  return FMHAC_OK;
}
