// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that find their work (work = runs): what they leave to be combined is
// what fmhac_plan_work() says of them, bit by bit, and their results are right.
#include "attention_test.h"
#include "fmhac_abi.h"
#include "fmhac_reference.h"
#include "fmhac_work.h"

enum { B = 70, HQ = 4, HK = 2, SQ = 3, SK = 700, D = 64 };

static const fmhac_problem k_most = {sizeof k_most, B, HQ, HK, SQ, SK, 0, 0};
static int32_t g_rows[B], g_keys[B];

static const char *const k_configs[] = {
    "{\"head_dim\": 64, \"lse\": true, \"work\": \"runs\", \"split_kv\": "
    "\"auto\", \"schedule\": \"decode\"}",
    "{\"head_dim\": 64, \"lse\": true, \"work\": \"runs\", \"split_kv\": "
    "\"auto\", \"schedule\": \"decode\", \"mask\": \"causal\", \"seqlens_q\": "
    "true, \"seqlens_kv\": true}",
    "{\"head_dim\": 64, \"lse\": true, \"work\": \"runs\", \"split_kv\": "
    "\"auto\", \"schedule\": \"generic\", \"mask\": \"window:300,2\", "
    "\"seqlens_kv\": true}"};
enum { CONFIGS = sizeof k_configs / sizeof k_configs[0] };

/// What the host says of a launch whose first kernel has `args`.
static void expect_records(const fmhac_plan *plan,
                           const fmhac_kernel_args *args) {
  fmhac_work_room room = {.size = sizeof room};
  assert_int_equal(fmhac_plan_work_room(plan, args->run_workgroups, &room),
                   FMHAC_OK);
  int32_t count = 0, found = -1;
  const fmhac_work_lengths lengths = {
      .size = sizeof lengths, .seqlens_q = g_rows, .seqlens_kv = g_keys};
  const size_t bytes = room.combine_items * sizeof(fmhac_combine_item);
  const fmhac_work_lists lists = {
      .size = sizeof lists,
      .indptr = malloc((room.lists + 1) * sizeof(int32_t)),
      .items = malloc(room.items * sizeof(fmhac_work_item)),
      .combine_items = malloc(bytes),
      .combine_count = &count};
  fmhac_combine_item *own = malloc(bytes);
  void *scratch = malloc(16);
  assert_true(lists.indptr && lists.items && lists.combine_items && own &&
              scratch);
  if (fmhac_plan_work(plan, &k_most, args->run_workgroups, &lengths, &lists,
                      scratch) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(g_context));
  assert_int_equal(
      fmhac_rt_copy_out(g_device, args->combine_count, &found, sizeof found),
      FMHAC_OK);
  assert_int_equal(found, count);
  assert_true(count > 0 && (uint64_t)count <= room.combine_items);
  const size_t used = (size_t)count * sizeof *own;
  assert_int_equal(fmhac_rt_copy_out(g_device, args->combine_items, own, used),
                   FMHAC_OK);
  assert_memory_equal(own, lists.combine_items, used);
  free(lists.indptr);
  free(lists.items);
  free(lists.combine_items);
  free(own);
  free(scratch);
}

static void test_records(void **state) {
  (void)state;
  for (size_t i = 0; i < CONFIGS; ++i) {
    if (!in_part(i))
      continue;
    fmhac_plan *plan = make_plan(k_configs[i], &k_most);
    assert_int_equal(fmhac_plan_launch_count(plan), 2);
    fmhac_tensors t = FMHAC_TENSORS_INIT;
    assert_int_equal(
        fmhac_tensors_dense(
            plan, &k_most, put_values((size_t)B * SQ * HQ * D, 2, 1),
            put_values((size_t)B * SK * HK * D, 2, 2),
            put_values((size_t)B * SK * HK * D, 2, 3),
            reserve((size_t)B * SQ * HQ * D * 2, 0x11),
            reserve((size_t)B * HQ * SQ * sizeof(float), 0x11), &t),
        FMHAC_OK);
    t.scale = 0.05f;
    if (strstr(k_configs[i], "seqlens_q"))
      t.seqlens_q = put(g_rows, sizeof g_rows);
    if (strstr(k_configs[i], "seqlens_kv"))
      t.seqlens_kv = put(g_keys, sizeof g_keys);
    const fmhac_device_ptr workspace =
        reserve(fmhac_plan_workspace_bytes(plan), 0xee);
    if (fmhac_launch(plan, g_device, &t, (void *)(uintptr_t)workspace, NULL) !=
        FMHAC_OK)
      fail_msg("%s", fmhac_last_error(g_context));
    fmhac_kernel_args args;
    fmhac_rt_launch launch = {.size = sizeof launch};
    assert_int_equal(
        fmhac_plan_pack(plan, 0, &t, workspace, &args, sizeof args, &launch),
        FMHAC_OK);
    expect_records(plan, &args);
    fmhac_comparison c = {.size = sizeof c};
    if (fmhac_compare_launch(plan, g_device, &t, NULL, &c) != FMHAC_OK)
      fail_msg("%s", fmhac_last_error(g_context));
    if (!c.pass)
      fail_msg("%s", c.reason);
    fmhac_plan_destroy(plan);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_records)};
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
