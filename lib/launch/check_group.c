// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check_group.h"

#include <inttypes.h>

#include "context.h"

/// Kernels drop a row that is past the last one by an offset of this and up to
/// 4095 more: what is there lies below it.
#define FIRST_PAST ((UINT64_C(1) << 32) - 4096)

fmhac_group_divisor fmhac_group_divisor_of(uint32_t group) {
  enum { ROW_BITS = 31 };
  uint32_t shift = 0;
  while ((UINT64_C(1) << shift) < group)
    ++shift;
  const uint64_t one = UINT64_C(1) << (ROW_BITS + shift);
  return (fmhac_group_divisor){(uint32_t)fmhac_ceil_divide(one, group), shift};
}

/// The part of a tensor that a work item uses: of each row the elements of all
/// heads of its group.
typedef struct group_rows {
  const char *name;
  uint64_t rows, row_stride, head_stride, row_bytes;
} group_rows;

/// Whether all of it lies below FIRST_PAST.
static bool lies_below_bound(const group_rows *s, uint32_t group) {
  uint64_t of_rows, of_heads, all;
  return !__builtin_mul_overflow(s->rows - 1, s->row_stride, &of_rows) &&
         !__builtin_mul_overflow(group - 1, s->head_stride, &of_heads) &&
         !__builtin_add_overflow(of_rows, of_heads, &all) &&
         !__builtin_add_overflow(all, s->row_bytes, &all) && all <= FIRST_PAST;
}

static fmhac_status check_offsets(const fmhac_kernel *kernel,
                                  const group_rows *s, uint32_t group) {
  if (lies_below_bound(s, group))
    return FMHAC_OK;
  return fmhac_fail(
      kernel->context, FMHAC_UNSUPPORTED,
      "tensor %s: %" PRIu64 " rows of stride %" PRIu64 " bytes, of %u heads "
      "of stride %" PRIu64 " bytes, pass the bound of %" PRIu64
      " bytes (32-bit offsets of a schedule with rows = group): try a layout "
      "in which the heads of a row lie next to each other, fewer rows, or a "
      "schedule with rows = head",
      s->name, s->rows, s->row_stride, group, s->head_stride, FIRST_PAST);
}

/// Kernels count rows up to the end of a tile, and a bit further.
static fmhac_status check_count(const fmhac_kernel *kernel,
                                const fmhac_entry *entry, uint32_t rows,
                                uint32_t group) {
  const uint64_t bound = INT32_MAX - 2 * (uint64_t)entry->tile_m;
  if (rows <= bound / group)
    return FMHAC_OK;
  return fmhac_fail(kernel->context, FMHAC_UNSUPPORTED,
                    "problem: seqlen_q %u of %u heads for each of K and V; a "
                    "kernel whose schedule has rows = group counts at most "
                    "%" PRIu64 " rows of all of them: at most %" PRIu64 " rows",
                    rows, group, bound, bound / group);
}

fmhac_status fmhac_check_group_rows(const fmhac_kernel *kernel,
                                    const fmhac_entry *entry,
                                    const fmhac_problem *most) {
  const uint32_t group = most->heads_q / most->heads_kv;
  const fmhac_row_bytes bytes = fmhac_kernel_row_bytes(kernel);
  const group_rows dense[] = {
      {"q", most->seqlen_q, group * bytes.q, bytes.q, bytes.q},
      {"o", most->seqlen_q, group * bytes.o, bytes.o, bytes.o}};
  fmhac_status status = check_count(kernel, entry, most->seqlen_q, group);
  for (size_t i = 0; i < sizeof dense / sizeof dense[0] && status == FMHAC_OK;
       ++i)
    status = check_offsets(kernel, &dense[i], group);
  return status;
}

fmhac_status fmhac_check_group_of_plan(const fmhac_kernel *kernel,
                                       const fmhac_entry *entry,
                                       const fmhac_problem *most,
                                       const fmhac_problem *problem) {
  const uint32_t expected = fmhac_entry_group(entry, most),
                 found = fmhac_entry_group(entry, problem);
  if (found == expected ||
      !(fmhac_entry_takes_lists(entry) || fmhac_entry_finds_runs(entry)))
    return FMHAC_OK;
  return fmhac_fail(
      kernel->context, FMHAC_INVALID_INPUT,
      "launch: expected %u heads for each of kv_heads, as the "
      "plan was made for, since its schedule has rows = group "
      "and its work items have as many; found heads %u and kv_heads "
      "%u: make a plan for these",
      expected, problem->heads_q, problem->heads_kv);
}

fmhac_status fmhac_check_group_launch(const fmhac_kernel *kernel,
                                      const fmhac_entry *entry,
                                      const fmhac_problem *most,
                                      const fmhac_tensors *t) {
  const uint32_t group = t->heads_q / t->heads_kv;
  const fmhac_row_bytes bytes = fmhac_kernel_row_bytes(kernel);
  const fmhac_factor_strides factors =
      fmhac_factor_strides_of(&kernel->config, t, FMHAC_FACTORS_OF_Q);
  const uint64_t blocks =
      factors.rows_a_factor
          ? fmhac_ceil_divide(t->seqlen_q, factors.rows_a_factor)
          : 1;
  const uint64_t of_keys =
      fmhac_round_up(t->seqlen_kv, entry->row_rounding) * sizeof(float);
  const group_rows used[] = {
      {"q", t->seqlen_q, t->q_strides.row_bytes, t->q_strides.head_bytes,
       bytes.q},
      {"o", t->seqlen_q, t->o_strides.row_bytes, t->o_strides.head_bytes,
       bytes.o},
      {"lse", t->lse ? t->seqlen_q : 1, sizeof(float),
       t->lse ? t->lse_head_stride_bytes : 0, sizeof(float)},
      {"bias", t->bias ? t->seqlen_q : 1,
       t->bias ? t->bias_strides.row_bytes : 0,
       t->bias ? t->bias_strides.head_bytes : 0, t->bias ? of_keys : 0},
      {"q_scales", t->q_scales ? blocks : 1,
       t->q_scales ? factors.block_bytes : 0,
       t->q_scales ? factors.head_bytes : 0, sizeof(float)}};
  const fmhac_problem problem = fmhac_problem_of_launch(t);
  fmhac_status status =
      fmhac_check_group_of_plan(kernel, entry, most, &problem);
  if (status == FMHAC_OK)
    status = check_count(kernel, entry, t->seqlen_q, group);
  for (size_t i = 0; i < sizeof used / sizeof used[0] && status == FMHAC_OK;
       ++i)
    status = check_offsets(kernel, &used[i], group);
  return status;
}
