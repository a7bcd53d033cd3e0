// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that find their work (work = runs): their parts lie where
// fmhac_plan_work() says, and nowhere else; their counters are zeros after a
// launch; and their results are right, and the same in every launch.
#include "attention_test.h"
#include "fmhac_abi.h"
#include "fmhac_reference.h"
#include "fmhac_work.h"

enum { B = 70, HQ = 4, HK = 2, SQ = 3, SK = 1500, D = 64 };

static const fmhac_problem k_most = {sizeof k_most, B, HQ, HK, SQ, SK, 0, 0};
static int32_t g_rows[B], g_keys[B];

static const char *const k_configs[] = {
    "{\"head_dim\": 64, \"lse\": true, \"work\": \"runs\", \"split_kv\": "
    "\"auto\", \"schedule\": \"decode\"}",
    "{\"head_dim\": 64, \"lse\": true, \"work\": \"runs\", \"split_kv\": "
    "\"auto\", \"schedule\": \"decode\", \"mask\": \"causal\", \"seqlens_q\": "
    "true, \"seqlens_kv\": true}",
    "{\"head_dim\": 64, \"lse\": true, \"work\": \"runs\", \"split_kv\": "
    "\"auto\", \"schedule\": \"generic\", \"mask\": \"window:900,2\", "
    "\"seqlens_kv\": true}"};
enum { CONFIGS = sizeof k_configs / sizeof k_configs[0] };

/// Marks rows of parts that a launch whose kernel has `args` writes, as the
/// host says: those of each unit that is divided.
static void mark_parts(const fmhac_plan *plan, const fmhac_kernel_args *args,
                       bool *rows, size_t count) {
  fmhac_work_room room = {.size = sizeof room};
  assert_int_equal(fmhac_plan_work_room(plan, args->run_workgroups, &room),
                   FMHAC_OK);
  int32_t units = 0;
  const fmhac_work_lengths lengths = {
      .size = sizeof lengths, .seqlens_q = g_rows, .seqlens_kv = g_keys};
  const fmhac_work_lists lists = {
      .size = sizeof lists,
      .indptr = malloc((room.lists + 1) * sizeof(int32_t)),
      .items = malloc(room.items * sizeof(fmhac_work_item)),
      .combine_items = malloc(room.combine_items * sizeof(fmhac_combine_item)),
      .combine_count = &units};
  void *scratch = malloc(16);
  assert_true(lists.indptr && lists.items && lists.combine_items && scratch);
  if (fmhac_plan_work(plan, &k_most, args->run_workgroups, &lengths, &lists,
                      scratch) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(g_context));
  assert_true(units > 0 && (uint64_t)units <= room.combine_items);
  for (int32_t u = 0; u < units; ++u) {
    const fmhac_combine_item *i = &lists.combine_items[u];
    for (int32_t c = 0; i->row_end > i->row_begin && c < i->chunks; ++c)
      for (int32_t r = 0; r < i->row_end - i->row_begin; ++r) {
        const size_t row =
            (size_t)i->part + (size_t)c * args->run_part_rows + (size_t)r;
        assert_true(row < count);
        assert_false(rows[row]); // of one part alone
        rows[row] = true;
      }
  }
  free(lists.indptr);
  free(lists.items);
  free(lists.combine_items);
  free(scratch);
}

/// In a workspace that had bytes of FILL before the launch.
enum { FILL = 0xee };
static void expect_parts(const fmhac_plan *plan,
                         const fmhac_kernel_args *args) {
  const size_t count = 2 * (size_t)args->run_workgroups * args->run_part_rows;
  bool *rows = calloc(count, sizeof *rows);
  uint32_t *lses = malloc(count * sizeof *lses), none;
  assert_true(rows && lses);
  mark_parts(plan, args, rows, count);
  memset(&none, FILL, sizeof none);
  assert_int_equal(
      fmhac_rt_copy_out(g_device, args->part_lse, lses, count * sizeof *lses),
      FMHAC_OK);
  size_t written = 0;
  for (size_t i = 0; i < count; ++i) {
    if ((lses[i] != none) != rows[i])
      fail_msg("row %zu of parts: expected %s", i, rows[i] ? "LSE" : "nothing");
    written += rows[i];
  }
  print_message("%zu rows of parts\n", written);
  assert_true(written > 0);
  free(rows);
  free(lses);
}

static void expect_zeros(fmhac_device_ptr from, size_t bytes) {
  unsigned char *own = malloc(bytes);
  assert_non_null(own);
  assert_int_equal(fmhac_rt_copy_out(g_device, from, own, bytes), FMHAC_OK);
  for (size_t i = 0; i < bytes; ++i)
    assert_int_equal(own[i], 0);
  free(own);
}

static void expect_right(const fmhac_plan *plan, const fmhac_tensors *t) {
  fmhac_comparison c = {.size = sizeof c};
  if (fmhac_compare_launch(plan, g_device, t, NULL, &c) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(g_context));
  if (!c.pass)
    fail_msg("%s", c.reason);
}

static void test_runs(void **state) {
  (void)state;
  enum { O_BYTES = B * SQ * HQ * D * 2 };
  static unsigned char before[O_BYTES], after[O_BYTES];
  for (size_t i = 0; i < CONFIGS; ++i) {
    if (!in_part(i))
      continue;
    fmhac_plan *plan = make_plan(k_configs[i], &k_most);
    assert_int_equal(fmhac_plan_launch_count(plan), 1);
    fmhac_tensors t = FMHAC_TENSORS_INIT;
    const fmhac_device_ptr o = reserve(O_BYTES, 0x11);
    assert_int_equal(
        fmhac_tensors_dense(
            plan, &k_most, put_values((size_t)B * SQ * HQ * D, 2, 1),
            put_values((size_t)B * SK * HK * D, 2, 2),
            put_values((size_t)B * SK * HK * D, 2, 3), o,
            reserve((size_t)B * HQ * SQ * sizeof(float), 0x11), &t),
        FMHAC_OK);
    t.scale = 0.05f;
    if (strstr(k_configs[i], "seqlens_q"))
      t.seqlens_q = put(g_rows, sizeof g_rows);
    if (strstr(k_configs[i], "seqlens_kv"))
      t.seqlens_kv = put(g_keys, sizeof g_keys);
    const fmhac_device_ptr workspace =
        reserve(fmhac_plan_workspace_bytes(plan), FILL);
    const size_t zero_bytes = fmhac_plan_workspace_zero_bytes(plan);
    void *const room = (void *)(uintptr_t)workspace;
    fmhac_kernel_args args;
    fmhac_rt_launch launch = {.size = sizeof launch};
    assert_int_equal(
        fmhac_plan_pack(plan, 0, &t, workspace, &args, sizeof args, &launch),
        FMHAC_OK);
    // A run has two tiles of parts, and each tile has a counter.
    assert_int_equal(zero_bytes, 2 * args.run_workgroups * sizeof(uint32_t));
    // Counters that nobody has set end the launch, too; it means nothing.
    assert_int_equal(fmhac_launch(plan, g_device, &t, room, NULL), FMHAC_OK);
    assert_int_equal(fmhac_rt_fill(g_device, workspace, FILL,
                                   fmhac_plan_workspace_bytes(plan)),
                     FMHAC_OK);
    assert_int_equal(fmhac_rt_fill(g_device, workspace, 0, zero_bytes),
                     FMHAC_OK);
    if (fmhac_launch(plan, g_device, &t, room, NULL) != FMHAC_OK)
      fail_msg("%s", fmhac_last_error(g_context));
    expect_parts(plan, &args);
    expect_zeros(workspace, zero_bytes);
    expect_right(plan, &t);
    // Again, in what the first one left.
    assert_int_equal(fmhac_rt_copy_out(g_device, o, before, O_BYTES), FMHAC_OK);
    assert_int_equal(fmhac_rt_fill(g_device, o, 0x11, O_BYTES), FMHAC_OK);
    if (fmhac_launch(plan, g_device, &t, room, NULL) != FMHAC_OK)
      fail_msg("%s", fmhac_last_error(g_context));
    assert_int_equal(fmhac_rt_copy_out(g_device, o, after, O_BYTES), FMHAC_OK);
    assert_memory_equal(before, after, O_BYTES);
    fmhac_plan_destroy(plan);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_runs)};
  uint32_t random = 1;
  for (int b = 0; b < B; ++b) {
    g_rows[b] = (int32_t)(next(&random) % (SQ + 1));
    g_keys[b] = (int32_t)(next(&random) % (SK + 1));
  }
  g_context = open_context();
  if (!g_context || fmhac_rt_device_open("emu", &g_device) != FMHAC_OK)
    return 1;
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  fmhac_rt_device_close(g_device);
  fmhac_context_destroy(g_context);
  return failed;
}
