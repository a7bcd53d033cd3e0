// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work from a queue on a HIP stream: a captured launch replays with other
// lengths, and layers share a run of the planner, since each launch leaves the
// queue as it found it. Linked with the libamdhip64 of test/hip.
#include "attention_test.h"
#include "fmhac_reference.h"
#include "fmhac_work.h"
#include "hip_test.h"

// More units than workgroups of attention that run at the same time.
enum { B = 400, HQ = 2, HK = 1, SQ = 3, SK = 70, D = 64, MODE_GLOBAL = 0 };

static const fmhac_problem k_most = {.size = sizeof k_most,
                                     .batch = B,
                                     .heads_q = HQ,
                                     .heads_kv = HK,
                                     .seqlen_q = SQ,
                                     .seqlen_kv = SK};
static const char k_json[] =
    "{\"head_dim\": 64, \"lse\": true, \"mask\": \"causal\", \"work\": "
    "\"queue\", \"seqlens_q\": true, \"seqlens_kv\": true}";
static const size_t k_o_bytes = (size_t)B * SQ * HQ * D * 2,
                    k_lse_bytes = (size_t)B * HQ * SQ * sizeof(float);

/// Sequences of any lengths, some of none.
static void put_lengths(const fmhac_tensors *t, uint32_t seed) {
  int32_t rows[B], keys[B];
  for (int b = 0; b < B; ++b) {
    rows[b] = (int32_t)(next(&seed) >> 8) % (SQ + 1);
    keys[b] = (int32_t)(next(&seed) >> 8) % (SK + 1);
  }
  assert_int_equal(fmhac_rt_copy_in(g_device, t->seqlens_q, rows, sizeof rows),
                   FMHAC_OK);
  assert_int_equal(fmhac_rt_copy_in(g_device, t->seqlens_kv, keys, sizeof keys),
                   FMHAC_OK);
}

static fmhac_tensors tensors_of(const fmhac_plan *plan, uint32_t seed) {
  fmhac_tensors t = FMHAC_TENSORS_INIT;
  assert_int_equal(
      fmhac_tensors_dense(
          plan, &k_most, put_values((size_t)B * SQ * HQ * D, 2, seed),
          put_values((size_t)B * SK * HK * D, 2, seed + 1),
          put_values((size_t)B * SK * HK * D, 2, seed + 2),
          reserve(k_o_bytes, 0x11), reserve(k_lse_bytes, 0x11), &t),
      FMHAC_OK);
  t.scale = 0.05f;
  t.seqlens_q = reserve(B * sizeof(int32_t), 0);
  t.seqlens_kv = reserve(B * sizeof(int32_t), 0);
  return t;
}

static void launched(fmhac_status status) {
  if (status != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(g_context));
}

/// What no row of this launch is.
static void spoil(const fmhac_tensors *t) {
  assert_int_equal(fmhac_rt_fill(g_device, t->o, 0x11, k_o_bytes), FMHAC_OK);
  assert_int_equal(fmhac_rt_fill(g_device, t->lse, 0x11, k_lse_bytes),
                   FMHAC_OK);
}

static void expect_right(const fmhac_plan *plan, const fmhac_tensors *t,
                         int step) {
  fmhac_comparison c = {.size = sizeof c};
  launched(fmhac_compare_launch(plan, g_device, t, NULL, &c));
  if (!c.pass)
    fail_msg("step %d: %s", step, c.reason);
}

/// Nobody has asked for a list, and there are more than workgroups.
static void expect_queue(const fmhac_plan *plan, fmhac_device_ptr workspace) {
  fmhac_work_places places = {.size = sizeof places};
  fmhac_work_queue queue;
  assert_int_equal(fmhac_plan_work_places(plan, &places), FMHAC_OK);
  assert_true(places.queue_offset_bytes > 0);
  assert_int_equal(fmhac_rt_copy_out(g_device,
                                     workspace + places.queue_offset_bytes,
                                     &queue, sizeof queue),
                   FMHAC_OK);
  assert_int_equal(queue.asked, 0);
  assert_int_equal(queue.workgroups, places.workgroups);
  assert_true(queue.lists > queue.workgroups);
}

/// The workspace holds anything before the first launch.
static void test_captured_launch(void **state) {
  (void)state;
  fmhac_plan *plan = make_plan(k_json, &k_most);
  const fmhac_device_ptr room = reserve(fmhac_plan_workspace_bytes(plan), 0xee);
  void *workspace = (void *)(uintptr_t)room;
  const fmhac_tensors t = tensors_of(plan, 1);
  void *stream, *graph, *exec;
  assert_int_equal(fmhac_rt_stream_create(g_device, &stream), FMHAC_OK);
  launched(fmhac_plan_load(plan, g_device));
  assert_int_equal(hipStreamBeginCapture(stream, MODE_GLOBAL), 0);
  launched(fmhac_launch(plan, g_device, &t, workspace, stream));
  assert_int_equal(hipStreamEndCapture(stream, &graph), 0);
  assert_int_equal(hipGraphInstantiate(&exec, graph, NULL, NULL, 0), 0);
  assert_int_equal(hipGraphDestroy(graph), 0);
  for (int step = 0; step < 4; ++step) {
    put_lengths(&t, 100 + (uint32_t)step);
    spoil(&t);
    assert_int_equal(hipGraphLaunch(exec, stream), 0);
    assert_int_equal(fmhac_rt_synchronize(g_device), FMHAC_OK);
    expect_right(plan, &t, step);
    expect_queue(plan, room);
  }
  assert_int_equal(hipGraphExecDestroy(exec), 0);
  fmhac_plan_destroy(plan);
}

static void test_layers(void **state) {
  (void)state;
  fmhac_plan *plan = make_plan(k_json, &k_most);
  const fmhac_device_ptr room = reserve(fmhac_plan_workspace_bytes(plan), 0xee);
  void *workspace = (void *)(uintptr_t)room;
  fmhac_tensors t = tensors_of(plan, 5);
  put_lengths(&t, 7);
  launched(fmhac_launch_planner(plan, g_device, &t, workspace, NULL));
  expect_queue(plan, room);
  for (int layer = 0; layer < 3; ++layer) {
    t.q = put_values((size_t)B * SQ * HQ * D, 2, 10 + (uint32_t)layer);
    spoil(&t);
    launched(fmhac_launch_planned(plan, g_device, &t, workspace, NULL));
    expect_right(plan, &t, layer);
    expect_queue(plan, room);
  }
  fmhac_plan_destroy(plan);
}

/// Lists of the host, which come with a queue that it wrote.
static void test_lists_of_the_host(void **state) {
  (void)state;
  fmhac_plan *plan = make_plan("{\"head_dim\": 64, \"lse\": true, \"mask\": "
                               "\"causal\", \"work\": \"queue\"}",
                               &k_most);
  const fmhac_device_ptr room = reserve(fmhac_plan_workspace_bytes(plan), 0xee);
  fmhac_tensors t = tensors_of(plan, 9);
  t.seqlens_q = t.seqlens_kv = 0;
  fmhac_work_places places = {.size = sizeof places};
  fmhac_work_room sizes = {.size = sizeof sizes};
  assert_int_equal(fmhac_plan_work_places(plan, &places), FMHAC_OK);
  assert_int_equal(fmhac_plan_work_room(plan, places.workgroups, &sizes),
                   FMHAC_OK);
  assert_int_equal(sizes.lists, 2048);
  const fmhac_work_lengths lengths = {.size = sizeof lengths};
  const fmhac_work_lists lists = {
      .size = sizeof lists,
      .indptr = malloc((sizes.lists + 1) * sizeof(int32_t)),
      .items = malloc(sizes.items * sizeof(fmhac_work_item))};
  void *scratch = malloc(sizes.scratch_bytes);
  launched(fmhac_plan_work(plan, &k_most, places.workgroups, &lengths, &lists,
                           scratch));
  const fmhac_work_queue queue = {.lists = (uint32_t)sizes.lists,
                                  .workgroups = places.workgroups};
  const struct {
    uint64_t offset;
    const void *from;
    size_t bytes;
  } copies[] = {{places.indptr_offset_bytes, lists.indptr,
                 (sizes.lists + 1) * sizeof(int32_t)},
                {places.items_offset_bytes, lists.items,
                 (size_t)lists.indptr[sizes.lists] * sizeof(fmhac_work_item)},
                {places.queue_offset_bytes, &queue, sizeof queue}};
  for (size_t i = 0; i < sizeof copies / sizeof copies[0]; ++i)
    assert_int_equal(fmhac_rt_copy_in(g_device, room + copies[i].offset,
                                      copies[i].from, copies[i].bytes),
                     FMHAC_OK);
  for (int launch = 0; launch < 2; ++launch) {
    spoil(&t);
    launched(fmhac_launch_planned(plan, g_device, &t, (void *)(uintptr_t)room,
                                  NULL));
    expect_right(plan, &t, launch);
    expect_queue(plan, room);
  }
  free(lists.indptr);
  free(lists.items);
  free(scratch);
  fmhac_plan_destroy(plan);
}

/// A plan of lists has no queue.
static void test_none(void **state) {
  (void)state;
  fmhac_plan *plan = make_plan(
      "{\"head_dim\": 64, \"lse\": true, \"work\": \"list\"}", &k_most);
  fmhac_work_places places = {.size = sizeof places, .queue_offset_bytes = 7};
  assert_int_equal(fmhac_plan_work_places(plan, &places), FMHAC_OK);
  assert_int_equal(places.queue_offset_bytes, 0);
  fmhac_plan_destroy(plan);
}

int main(void) {
  g_context = open_context();
  if (!g_context || fmhac_rt_device_open("hip", &g_device) != FMHAC_OK)
    return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_captured_launch), cmocka_unit_test(test_layers),
      cmocka_unit_test(test_lists_of_the_host), cmocka_unit_test(test_none)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  fmhac_rt_device_close(g_device);
  fmhac_context_destroy(g_context);
  return failed;
}
