// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists of work that several launches share (fmhac_work.h): made once by the
// planner's kernel or by the host, and walked by launches with other tensors.
#include "attention_test.h"
#include "fmhac_reference.h"
#include "fmhac_work.h"

enum { B = 3, HQ = 4, HK = 2, SQ = 70, SK = 300, D = 64, LAYERS = 2 };

static bool g_is_emulator;

static const fmhac_problem k_most = {sizeof k_most, B, HQ, HK, SQ, SK, 0, 0};
static const int32_t k_rows[B] = {SQ, 0, 1}, k_keys[B] = {SK, 17, 200};
static const size_t k_o_bytes = (size_t)B * SQ * HQ * D * 2,
                    k_lse_bytes = (size_t)B * HQ * SQ * sizeof(float);

static const char *const k_lists[] = {
    "{\"head_dim\": 64, \"lse\": true, \"work\": \"list\"}",
    // Kernels for few keys and for others, each with a planner.
    "{\"head_dim\": 64, \"lse\": true, \"work\": \"list\", \"schedule\": "
    "\"generic if Sk <= 299; generic_wide\", \"split_kv\": \"auto\"}",
    "{\"head_dim\": 64, \"lse\": true, \"work\": \"list\", \"schedule\": "
    "\"generic if Sk <= 300; generic_wide\", \"seqlens_kv\": true}",
    "{\"head_dim\": 64, \"lse\": true, \"work\": \"list\", \"mask\": "
    "\"causal\", \"seqlens_q\": true, \"seqlens_kv\": true}",
    "{\"head_dim\": 64, \"lse\": true, \"work\": \"list\", \"split_kv\": "
    "\"auto\", \"seqlens_q\": true, \"seqlens_kv\": true}",
    "{\"head_dim\": 64, \"lse\": true, \"work\": \"list\", \"split_kv\": "
    "\"fixed\", \"split_chunk\": 128, \"seqlens_kv\": true}"};
enum { LISTS = sizeof k_lists / sizeof k_lists[0] };

/// The workspace of a plan, full of numbers that are no list.
static fmhac_device_ptr workspace_of(const fmhac_plan *plan) {
  return reserve(fmhac_plan_workspace_bytes(plan), 0xee);
}

static void *pointer(fmhac_device_ptr address) {
  return (void *)(uintptr_t)address;
}

/// Tensors of a layer, with lengths where the configuration has them.
static fmhac_tensors tensors_of(const fmhac_plan *plan, const char *json,
                                uint32_t layer) {
  fmhac_tensors t = FMHAC_TENSORS_INIT;
  const uint32_t seed = 10 * layer;
  assert_int_equal(
      fmhac_tensors_dense(
          plan, &k_most, put_values((size_t)B * SQ * HQ * D, 2, seed + 1),
          put_values((size_t)B * SK * HK * D, 2, seed + 2),
          put_values((size_t)B * SK * HK * D, 2, seed + 3),
          reserve(k_o_bytes, 0x11), reserve(k_lse_bytes, 0x11), &t),
      FMHAC_OK);
  t.scale = 0.05f;
  if (strstr(json, "seqlens_q"))
    t.seqlens_q = put(k_rows, sizeof k_rows);
  if (strstr(json, "seqlens_kv"))
    t.seqlens_kv = put(k_keys, sizeof k_keys);
  return t;
}

static void expect_right(const fmhac_plan *plan, const fmhac_tensors *t) {
  fmhac_comparison c = {.size = sizeof c};
  if (fmhac_compare_launch(plan, g_device, t, NULL, &c) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(g_context));
  if (!c.pass)
    fail_msg("%s", c.reason);
}

static void expect_equal(fmhac_device_ptr a, fmhac_device_ptr b, size_t bytes) {
  unsigned char *x = malloc(bytes), *y = malloc(bytes);
  assert_non_null(x);
  assert_non_null(y);
  assert_int_equal(fmhac_rt_copy_out(g_device, a, x, bytes), FMHAC_OK);
  assert_int_equal(fmhac_rt_copy_out(g_device, b, y, bytes), FMHAC_OK);
  assert_memory_equal(x, y, bytes);
  free(x);
  free(y);
}

/// Launches `t` whole, in a workspace of its own; the outputs are new.
static fmhac_tensors launch_alone(const fmhac_plan *plan,
                                  const fmhac_tensors *t) {
  fmhac_tensors own = *t;
  own.o = reserve(k_o_bytes, 0x11);
  own.lse = reserve(k_lse_bytes, 0x11);
  if (fmhac_launch(plan, g_device, &own, pointer(workspace_of(plan)), NULL) !=
      FMHAC_OK)
    fail_msg("%s", fmhac_last_error(g_context));
  return own;
}

static void launch_planned(const fmhac_plan *plan, const fmhac_tensors *t,
                           fmhac_device_ptr workspace) {
  if (fmhac_launch_planned(plan, g_device, t, pointer(workspace), NULL) !=
      FMHAC_OK)
    fail_msg("%s", fmhac_last_error(g_context));
}

/// Layers with one list each have the bytes of launches with a list of their
/// own.
static void test_layers(void **state) {
  (void)state;
  for (size_t i = 0; i < LISTS; ++i) {
    if (!in_part(i))
      continue;
    fmhac_plan *plan = make_plan(k_lists[i], &k_most);
    const fmhac_device_ptr workspace = workspace_of(plan);
    fmhac_tensors t[LAYERS];
    for (uint32_t layer = 0; layer < LAYERS; ++layer)
      t[layer] = tensors_of(plan, k_lists[i], layer);
    if (fmhac_launch_planner(plan, g_device, &t[0], pointer(workspace), NULL) !=
        FMHAC_OK)
      fail_msg("%s", fmhac_last_error(g_context));
    for (uint32_t layer = 0; layer < LAYERS; ++layer) {
      launch_planned(plan, &t[layer], workspace);
      expect_right(plan, &t[layer]);
      const fmhac_tensors alone = launch_alone(plan, &t[layer]);
      expect_equal(t[layer].o, alone.o, k_o_bytes);
      expect_equal(t[layer].lse, alone.lse, k_lse_bytes);
    }
    fmhac_plan_destroy(plan);
  }
}

static void copy(fmhac_device_ptr to, const void *from, size_t bytes) {
  assert_int_equal(fmhac_rt_copy_in(g_device, to, from, bytes), FMHAC_OK);
}

/// Makes lists of the whole batch for a kernel of the plan on the host, and
/// puts them where its launch looks for them.
static void plan_kernel_on_host(const fmhac_plan *plan,
                                const fmhac_work_places *where, uint32_t kernel,
                                fmhac_device_ptr workspace) {
  fmhac_work_places places = *where;
  fmhac_work_room room = {.size = sizeof room};
  workspace += kernel * places.kernel_stride_bytes;
  places.workgroups = places.kernel_workgroups[kernel];
  assert_true(places.workgroups > 0);
  assert_int_equal(fmhac_plan_work_room(plan, places.workgroups, &room),
                   FMHAC_OK);
  const size_t items_bytes = room.items * sizeof(fmhac_work_item),
               combine_bytes = room.combine_items * sizeof(fmhac_combine_item),
               indptr_bytes = (places.workgroups + 1) * sizeof(int32_t);
  int32_t count = 0;
  const fmhac_work_lengths lengths = {
      .size = sizeof lengths, .seqlens_q = k_rows, .seqlens_kv = k_keys};
  const fmhac_work_lists lists = {.size = sizeof lists,
                                  .indptr = malloc(indptr_bytes),
                                  .items = malloc(items_bytes),
                                  .combine_items = malloc(combine_bytes + 1),
                                  .combine_count = &count,
                                  .kernel = kernel};
  void *scratch = malloc(room.scratch_bytes);
  if (fmhac_plan_work(plan, &k_most, places.workgroups, &lengths, &lists,
                      scratch) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(g_context));
  copy(workspace + places.indptr_offset_bytes, lists.indptr, indptr_bytes);
  copy(workspace + places.items_offset_bytes, lists.items,
       (size_t)lists.indptr[places.workgroups] * sizeof(fmhac_work_item));
  copy(workspace + places.combine_count_offset_bytes, &count, sizeof count);
  if (count)
    copy(workspace + places.combine_items_offset_bytes, lists.combine_items,
         (size_t)count * sizeof(fmhac_combine_item));
  free(lists.indptr);
  free(lists.items);
  free(lists.combine_items);
  free(scratch);
}

/// The same for each kernel.
static void plan_on_host(const fmhac_plan *plan, fmhac_device_ptr workspace) {
  fmhac_work_places places = {.size = sizeof places};
  assert_int_equal(fmhac_plan_work_places(plan, &places), FMHAC_OK);
  assert_true(places.kernels > 0);
  for (uint32_t kernel = 0; kernel < places.kernels; ++kernel)
    plan_kernel_on_host(plan, &places, kernel, workspace);
}

static void test_lists_of_the_host(void **state) {
  (void)state;
  for (size_t i = 0; i < LISTS; ++i) {
    if (!in_part(i))
      continue;
    fmhac_plan *plan = make_plan(k_lists[i], &k_most);
    const fmhac_device_ptr workspace = workspace_of(plan);
    const fmhac_tensors t = tensors_of(plan, k_lists[i], 0);
    plan_on_host(plan, workspace);
    launch_planned(plan, &t, workspace);
    expect_right(plan, &t);
    const fmhac_tensors alone = launch_alone(plan, &t);
    expect_equal(t.o, alone.o, k_o_bytes);
    expect_equal(t.lse, alone.lse, k_lse_bytes);
    fmhac_plan_destroy(plan);
  }
}

/// Attention does what the lists in the workspace say: nothing, if they are
/// empty.
static void test_empty_lists(void **state) {
  (void)state;
  fmhac_plan *plan = make_plan(k_lists[LISTS - 2], &k_most);
  const fmhac_device_ptr workspace =
      reserve(fmhac_plan_workspace_bytes(plan), 0);
  const fmhac_tensors t = tensors_of(plan, k_lists[LISTS - 2], 0);
  launch_planned(plan, &t, workspace);
  expect_equal(t.o, reserve(k_o_bytes, 0x11), k_o_bytes);
  expect_equal(t.lse, reserve(k_lse_bytes, 0x11), k_lse_bytes);
  fmhac_plan_destroy(plan);
}

//===- One workspace ------------------------------------------------------===//

static fmhac_device_ptr larger_workspace(const fmhac_plan *a,
                                         const fmhac_plan *b) {
  const size_t x = fmhac_plan_workspace_bytes(a),
               y = fmhac_plan_workspace_bytes(b);
  return reserve(x > y ? x : y, 0xee);
}

/// Plans of different kinds take turns with one workspace, as large as the
/// larger one needs: a launch finds nothing there that it could mistake.
static void test_workspace_in_turns(void **state) {
  (void)state;
  enum { A = LISTS - 2, OTHER = LISTS - 1, TURNS = 3 };
  fmhac_plan *plans[] = {make_plan(k_lists[A], &k_most),
                         make_plan(k_lists[OTHER], &k_most)};
  const fmhac_tensors t[] = {tensors_of(plans[0], k_lists[A], 0),
                             tensors_of(plans[1], k_lists[OTHER], 1)};
  const fmhac_device_ptr workspace = larger_workspace(plans[0], plans[1]);
  for (int turn = 0; turn < TURNS; ++turn)
    for (int i = 0; i < 2; ++i) {
      assert_int_equal(fmhac_rt_fill(g_device, t[i].o, 0x11, k_o_bytes),
                       FMHAC_OK);
      if (fmhac_launch(plans[i], g_device, &t[i], pointer(workspace), NULL) !=
          FMHAC_OK)
        fail_msg("%s", fmhac_last_error(g_context));
      const fmhac_tensors alone = launch_alone(plans[i], &t[i]);
      expect_equal(t[i].o, alone.o, k_o_bytes);
      expect_equal(t[i].lse, alone.lse, k_lse_bytes);
    }
  fmhac_plan_destroy(plans[0]);
  fmhac_plan_destroy(plans[1]);
}

/// Launches on two streams; with `is_ordered` the second waits for the first.
/// Returns the status of the second.
static fmhac_status launch_on_two(const fmhac_plan *plan,
                                  const fmhac_tensors t[2],
                                  const fmhac_device_ptr workspaces[2],
                                  bool is_ordered) {
  void *streams[2];
  fmhac_rt_event *event;
  assert_int_equal(fmhac_rt_synchronize(g_device), FMHAC_OK);
  for (int i = 0; i < 2; ++i)
    assert_int_equal(fmhac_rt_stream_create(g_device, &streams[i]), FMHAC_OK);
  assert_int_equal(fmhac_rt_event_create(g_device, &event), FMHAC_OK);
  assert_int_equal(
      fmhac_launch(plan, g_device, &t[0], pointer(workspaces[0]), streams[0]),
      FMHAC_OK);
  if (is_ordered) {
    assert_int_equal(fmhac_rt_event_record(g_device, event, streams[0]),
                     FMHAC_OK);
    assert_int_equal(fmhac_rt_stream_wait_event(g_device, streams[1], event),
                     FMHAC_OK);
  }
  const fmhac_status status =
      fmhac_launch(plan, g_device, &t[1], pointer(workspaces[1]), streams[1]);
  assert_int_equal(fmhac_rt_event_destroy(g_device, event), FMHAC_OK);
  for (int i = 0; i < 2; ++i)
    assert_int_equal(fmhac_rt_stream_destroy(g_device, streams[i]), FMHAC_OK);
  return status;
}

/// Two launches at the same time need a workspace each: the emulator sees that
/// they do not have it.
static void test_workspace_at_the_same_time(void **state) {
  (void)state;
  enum { A = LISTS - 2 };
  fmhac_emu_options options;
  fmhac_emu_options_init(&options);
  options.checks = FMHAC_EMU_CHECK_ALL;
  if (!g_is_emulator)
    skip(); // a device without checks
  assert_int_equal(fmhac_emu_configure(g_device, &options), FMHAC_OK);
  fmhac_plan *plan = make_plan(k_lists[A], &k_most);
  const fmhac_tensors t[] = {tensors_of(plan, k_lists[A], 0),
                             tensors_of(plan, k_lists[A], 1)};
  const fmhac_device_ptr own[] = {workspace_of(plan), workspace_of(plan)};
  const fmhac_device_ptr shared[] = {own[0], own[0]};
  assert_int_equal(launch_on_two(plan, t, own, false), FMHAC_OK);
  assert_int_equal(launch_on_two(plan, t, shared, true), FMHAC_OK);
  assert_int_equal(launch_on_two(plan, t, shared, false), FMHAC_CHECK_FAILED);
  if (!strstr(fmhac_last_error(g_context), "stream"))
    fail_msg("%s", fmhac_last_error(g_context));
  fmhac_plan_destroy(plan);
}

static void expect_refusal(fmhac_status status, const char *text) {
  assert_int_equal(status, FMHAC_INVALID_INPUT);
  if (!strstr(fmhac_last_error(g_context), text))
    fail_msg("expected '%s' in '%s'", text, fmhac_last_error(g_context));
}

static void test_refusals(void **state) {
  (void)state;
  fmhac_plan *grid = make_plan("{\"head_dim\": 64, \"lse\": true}", &k_most);
  const fmhac_tensors t = tensors_of(grid, "", 0);
  fmhac_work_places places = {.size = sizeof places, .workgroups = 7};
  assert_int_equal(fmhac_plan_work_places(grid, &places), FMHAC_OK);
  assert_int_equal(places.workgroups, 0);
  expect_refusal(fmhac_launch_planner(grid, g_device, &t, NULL, NULL),
                 "expected a plan with lists of work");
  expect_refusal(fmhac_launch_planned(grid, g_device, &t, NULL, NULL),
                 "expected a plan with lists of work");
  fmhac_plan_destroy(grid);
  fmhac_plan *plan = make_plan(k_lists[0], &k_most);
  expect_refusal(fmhac_launch_planner(plan, g_device, &t, NULL, NULL),
                 "expected a workspace of");
  expect_refusal(fmhac_launch_planned(plan, g_device, &t, NULL, NULL),
                 "expected a workspace of");
  fmhac_tensors larger = t;
  larger.batch = B + 1;
  expect_refusal(fmhac_launch_planned(plan, g_device, &larger,
                                      pointer(workspace_of(plan)), NULL),
                 "batch");
  fmhac_plan_destroy(plan);
}

int main(int argc, char **argv) {
  g_context = open_context();
  if (argc != 2 || !g_context ||
      fmhac_rt_device_open(argv[1], &g_device) != FMHAC_OK)
    return 1;
  g_is_emulator = strcmp(argv[1], "emu") == 0;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_layers),
      cmocka_unit_test(test_lists_of_the_host),
      cmocka_unit_test(test_empty_lists),
      cmocka_unit_test(test_workspace_in_turns),
      cmocka_unit_test(test_workspace_at_the_same_time),
      cmocka_unit_test(test_refusals)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  fmhac_rt_device_close(g_device);
  fmhac_context_destroy(g_context);
  return failed;
}
