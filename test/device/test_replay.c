// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One captured launch of a plan whose work is a list, replayed with other
// lengths: what an engine does at each step. Linked with the libamdhip64 of
// test/hip, which counts; results are held to the reference.
#include "allocations.h"
#include "fmhac.h"
#include "fmhac_reference.h"
#include "kernels_test.h"

enum { HQ = 4, HK = 2, D = 64, PAGE = 16, MODE_GLOBAL = 0 };
enum { Q_ROW = HQ * D, KV_ROW = HK * D, ELEMENT = 2 };

static fmhac_context *g_context;
static fmhac_rt_device *g_device;

static void check(fmhac_status status) {
  if (status != FMHAC_OK)
    fail_msg("%s; %s", fmhac_last_error(g_context),
             fmhac_rt_last_error(g_device));
}

static fmhac_device_ptr reserve(size_t bytes) {
  fmhac_device_ptr address;
  check(fmhac_rt_alloc(g_device, bytes, &address));
  check(fmhac_rt_fill(g_device, address, 0xff, bytes));
  return address;
}

/// bf16 of either sign, 0.5 to 2.
static void fill(uint16_t *list, size_t count, uint32_t seed) {
  for (size_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    list[i] = (uint16_t)(0x3f00 | (seed >> 16 & 0x80ff));
  }
}

static fmhac_device_ptr put_values(size_t count, uint32_t seed) {
  uint16_t *list = malloc(count * ELEMENT);
  assert_non_null(list);
  fill(list, count, seed);
  const fmhac_device_ptr address = reserve(count * ELEMENT);
  check(fmhac_rt_copy_in(g_device, address, list, count * ELEMENT));
  free(list);
  return address;
}

/// An engine: a plan for maxima, its workspace, and one launch in a graph.
typedef struct engine {
  fmhac_plan *plan;
  fmhac_tensors tensors;
  void *stream, *exec;
} engine;

/// Captures the launch of `json` for `most`. Tensors are dense; K and V lie in
/// `pages` pages. The caller has set what `t` has of lengths and pages.
static void capture(engine *e, const char *json, const fmhac_problem *most,
                    uint32_t pages, const fmhac_tensors *t) {
  check(fmhac_plan_create_json(g_context, json, most, &e->plan));
  const size_t q = (size_t)most->batch * most->seqlen_q * Q_ROW,
               k = (size_t)pages * PAGE * KV_ROW;
  e->tensors = *t;
  e->tensors.size = sizeof e->tensors;
  check(fmhac_tensors_dense(e->plan, most, put_values(q, 1), put_values(k, 2),
                            put_values(k, 3), reserve(q * ELEMENT), 0,
                            &e->tensors));
  e->tensors.pages = pages;
  e->tensors.seqlens_q = t->seqlens_q;
  e->tensors.seqlens_kv = t->seqlens_kv;
  e->tensors.page_table = t->page_table;
  e->tensors.page_table_batch_stride_bytes = t->page_table_batch_stride_bytes;
  void *workspace =
      (void *)(uintptr_t)reserve(fmhac_plan_workspace_bytes(e->plan));
  check(fmhac_plan_load(e->plan, g_device));
  check(fmhac_rt_stream_create(g_device, &e->stream));
  void *graph;
  assert_int_equal(hipStreamBeginCapture(e->stream, MODE_GLOBAL), 0);
  t_allocations = 0;
  t_armed = true;
  const fmhac_status status =
      fmhac_launch(e->plan, g_device, &e->tensors, workspace, e->stream);
  t_armed = false;
  check(status);
  assert_true(t_allocations == 0);
  assert_int_equal(hipStreamEndCapture(e->stream, &graph), 0);
  assert_int_equal(hipGraphInstantiate(&e->exec, graph, NULL, NULL, 0), 0);
  assert_int_equal(hipGraphDestroy(graph), 0);
}

static void finish(engine *e) {
  assert_int_equal(hipGraphExecDestroy(e->exec), 0);
  fmhac_plan_destroy(e->plan);
}

/// O is what the lengths say that the device has now.
static void expect_right(const engine *e, uint64_t rows, const char *what) {
  fmhac_comparison c = {.size = sizeof c};
  check(fmhac_compare_launch(e->plan, g_device, &e->tensors, NULL, &c));
  if (!c.pass)
    fail_msg("%s: %s", what, c.reason);
  assert_int_equal(c.rows, rows * HQ);
}

//===- Steps of an engine -------------------------------------------------===//

enum {
  BATCH = 4,
  STEPS = 100,
  MOST_KEYS = 256,
  WIDTH = MOST_KEYS / PAGE, ///< pages of a sequence
  PAGES = BATCH * WIDTH,
  MOST_ROWS = 20
};

/// What the host of an engine keeps; a step allocates nothing.
typedef struct host {
  int32_t rows[BATCH], keys[BATCH], table[BATCH][WIDTH];
  uint16_t row[KV_ROW];
} host;

/// A new token of each sequence, or four, and after some steps a prompt in the
/// place of one of them. Writes device memory alone.
static void write_step(const engine *e, host *h, int step) {
  const fmhac_tensors *t = &e->tensors;
  for (int b = 0; b < BATCH; ++b) {
    const bool begins = step == 0 || step == 25 * b;
    h->rows[b] = begins ? MOST_ROWS - b : step % 7 == b ? 4 : 1;
    h->keys[b] = (begins ? 0 : h->keys[b]) + h->rows[b];
    for (int32_t i = h->keys[b] - h->rows[b]; i < h->keys[b]; ++i) {
      const int32_t page = h->table[b][i / PAGE];
      const uint64_t at =
          ((uint64_t)page * PAGE + (uint64_t)(i % PAGE)) * KV_ROW * ELEMENT;
      fill(h->row, KV_ROW, (uint32_t)(step * 1000 + b * 100 + i));
      check(fmhac_rt_copy_in(g_device, t->k + at, h->row, KV_ROW * ELEMENT));
      check(fmhac_rt_copy_in(g_device, t->v + at, h->row, KV_ROW * ELEMENT));
    }
  }
  check(fmhac_rt_copy_in(g_device, t->seqlens_q, h->rows, sizeof h->rows));
  check(fmhac_rt_copy_in(g_device, t->seqlens_kv, h->keys, sizeof h->keys));
}

/// 100 steps with lengths that grow, by one captured graph: nothing is
/// allocated on the host or the device, and of fmhac nothing is called but
/// copies to the device, so nothing is planned. HIP is asked for graph launches
/// and copies alone.
static void run_steps(const char *json) {
  const fmhac_problem most = {.size = sizeof most,
                              .batch = BATCH,
                              .heads_q = HQ,
                              .heads_kv = HK,
                              .seqlen_q = MOST_ROWS,
                              .seqlen_kv = MOST_KEYS};
  host h = {.rows = {0}};
  for (int i = 0; i < PAGES; ++i)
    h.table[i % BATCH][i / BATCH] = i * 5 % PAGES;
  fmhac_tensors t = {.seqlens_q = reserve(sizeof h.rows),
                     .seqlens_kv = reserve(sizeof h.keys),
                     .page_table = reserve(sizeof h.table),
                     .page_table_batch_stride_bytes = sizeof h.table[0]};
  check(fmhac_rt_copy_in(g_device, t.page_table, h.table, sizeof h.table));
  engine e;
  capture(&e, json, &most, PAGES, &t);
  static const char *const none[] = {"hipMalloc",
                                     "hipFree",
                                     "hipModuleLaunchKernel",
                                     "hipModuleLoadData",
                                     "hipGraphInstantiate",
                                     "hipStreamCreateWithFlags",
                                     "hipMemsetAsync"};
  enum { NONE = sizeof none / sizeof none[0] };
  uint64_t before[NONE];
  int32_t longest = 0;
  for (int step = 0; step < STEPS; ++step) {
    for (int i = 0; i < NONE; ++i)
      before[i] = hipTestCalls(none[i]);
    const uint64_t replays = hipTestCalls("hipGraphLaunch");
    t_allocations = 0;
    t_armed = true;
    write_step(&e, &h, step);
    const int error = hipGraphLaunch(e.exec, e.stream);
    const fmhac_status status = fmhac_rt_stream_synchronize(g_device, e.stream);
    t_armed = false;
    assert_int_equal(error, 0);
    check(status);
    assert_true(t_allocations == 0);
    for (int i = 0; i < NONE; ++i)
      if (hipTestCalls(none[i]) != before[i])
        fail_msg("step %d calls %s", step, none[i]);
    assert_true(hipTestCalls("hipGraphLaunch") == replays + 1);
    uint64_t rows = 0;
    for (int b = 0; b < BATCH; ++b) {
      rows += (uint64_t)h.rows[b];
      longest = h.keys[b] > longest ? h.keys[b] : longest;
    }
    char what[20];
    snprintf(what, sizeof what, "step %d", step);
    if (step % 10 == 0 || step + 1 == STEPS)
      expect_right(&e, rows, what);
  }
  assert_true(longest > 150);
  finish(&e);
}

#define ENGINE                                                                 \
  "{\"head_dim\":64,\"mask\":\"causal\",\"page_size\":16,"                     \
  "\"page_table\":true,\"seqlens_q\":true,\"seqlens_kv\":true,"                \
  "\"split_kv\":\"auto\",\"work\":"

static void test_steps(void **state) {
  (void)state;
  if (in_part(0))
    run_steps(ENGINE "\"list\"}");
}

/// The counter of a queue begins anew in each replay.
static void test_steps_of_a_queue(void **state) {
  (void)state;
  if (in_part(1))
    run_steps(ENGINE "\"queue\"}");
}

//===- Mixed batches ------------------------------------------------------===//

/// Sequences of 1, 4 and 2,000 new rows side by side; and other batches of the
/// same launch.
static void run_mixed(const char *json) {
  enum { SEQUENCES = 3, LONG = 2000, OF_ONE = (LONG + PAGE - 1) / PAGE };
  const fmhac_problem most = {.size = sizeof most,
                              .batch = SEQUENCES,
                              .heads_q = HQ,
                              .heads_kv = HK,
                              .seqlen_q = LONG,
                              .seqlen_kv = LONG,
                              .total_q = LONG + 8,
                              .total_kv = 2 * LONG};
  static int32_t table[SEQUENCES][OF_ONE];
  for (int i = 0; i < SEQUENCES * OF_ONE; ++i)
    table[i % SEQUENCES][i / SEQUENCES] = i * 7 % (SEQUENCES * OF_ONE);
  fmhac_tensors t = {.seqlens_q = reserve(SEQUENCES * sizeof(int32_t)),
                     .seqlens_kv = reserve(SEQUENCES * sizeof(int32_t)),
                     .page_table = reserve(sizeof table),
                     .page_table_batch_stride_bytes = sizeof table[0]};
  check(fmhac_rt_copy_in(g_device, t.page_table, table, sizeof table));
  engine e;
  capture(&e, json, &most, SEQUENCES * OF_ONE, &t);
  static const struct {
    int32_t rows[SEQUENCES], keys[SEQUENCES];
  } steps[] = {{{1, 4, LONG}, {900, 70, LONG}},
               {{1, 1, 1}, {901, 71, LONG}},
               {{0, 300, 2}, {0, 371, 2}},
               {{LONG, 1, 4}, {LONG, 372, 6}},
               {{0, 0, 0}, {0, 0, 0}}};
  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; ++i) {
    check(fmhac_rt_copy_in(g_device, t.seqlens_q, steps[i].rows,
                           sizeof steps[i].rows));
    check(fmhac_rt_copy_in(g_device, t.seqlens_kv, steps[i].keys,
                           sizeof steps[i].keys));
    check(fmhac_rt_fill(g_device, e.tensors.o, 0xff,
                        (size_t)SEQUENCES * LONG * Q_ROW * ELEMENT));
    assert_int_equal(hipGraphLaunch(e.exec, e.stream), 0);
    check(fmhac_rt_stream_synchronize(g_device, e.stream));
    char what[20];
    snprintf(what, sizeof what, "batch %zu", i);
    uint64_t rows = 0;
    for (int b = 0; b < SEQUENCES; ++b)
      rows += (uint64_t)steps[i].rows[b];
    if (rows)
      expect_right(&e, rows, what);
  }
  finish(&e);
}

static void test_mixed(void **state) {
  (void)state;
  if (in_part(2))
    run_mixed(ENGINE "\"list\"}");
}

/// Two kernels, for up to 4 rows and for more: each batch is divided anew.
static void test_mixed_and_divided(void **state) {
  (void)state;
  if (in_part(3))
    run_mixed(ENGINE "\"list\",\"schedule\":\"generic if Sq <= 4; "
                     "generic_wide\"}");
  if (in_part(4))
    run_mixed(ENGINE "\"queue\",\"schedule\":\"generic if Sq <= 4; "
                     "generic_wide\"}");
}

static int set_up(void **state) {
  (void)state;
  g_context = open_context();
  return !g_context || fmhac_rt_device_open("hip", &g_device) != FMHAC_OK;
}
static int tear_down(void **state) {
  (void)state;
  fmhac_rt_device_close(g_device);
  fmhac_context_destroy(g_context);
  return hipTestHeld();
}

int main(void) {
  install();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_steps), cmocka_unit_test(test_steps_of_a_queue),
      cmocka_unit_test(test_mixed), cmocka_unit_test(test_mixed_and_divided)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
