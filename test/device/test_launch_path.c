// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac_launch() on HIP streams: what it calls and allocates, captures,
// threads. Linked with the libamdhip64 of test/hip, which counts. Results are
// those of the emulator's own device, whose numbers the end-to-end tests hold
// to a reference.
#include <pthread.h>

#include "allocations.h"
#include "fmhac.h"
#include "fmhac_merge.h"
#include "fmhac_reference.h"

//===- One problem --------------------------------------------------------===//

enum { HEADS = 2, ROWS = 70, KEYS = 150, DIM = 64 };
enum {
  Q_BYTES = HEADS * ROWS * DIM * 2,
  K_BYTES = HEADS * KEYS * DIM * 2,
  MODE_GLOBAL = 0,
  MODE_THREAD_LOCAL = 1
};

static fmhac_context *g_context;
static fmhac_kernel *g_kernel;
static fmhac_problem g_problem = {.size = sizeof g_problem,
                                  .batch = 1,
                                  .heads_q = HEADS,
                                  .heads_kv = HEADS,
                                  .seqlen_q = ROWS,
                                  .seqlen_kv = KEYS};

/// bf16 values between -2 and 2.
static void fill_values(uint16_t *values, size_t number, uint32_t seed) {
  uint32_t x = seed * 2654435761u + 12345;
  for (size_t i = 0; i < number; i++) {
    x = x * 1664525u + 1013904223u;
    float value = (float)(int32_t)x * 0x1p-30f;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    values[i] = (uint16_t)(bits >> 16);
  }
}

/// Tensors on a device.
typedef struct problem {
  fmhac_rt_device *device;
  fmhac_tensors tensors;
} problem;

static void upload_q(const problem *p, uint32_t seed) {
  static _Thread_local uint16_t values[Q_BYTES / 2];
  fill_values(values, Q_BYTES / 2, seed);
  assert_int_equal(fmhac_rt_copy_in(p->device, p->tensors.q, values, Q_BYTES),
                   FMHAC_OK);
}

static problem make_problem(fmhac_rt_device *device, uint32_t seed) {
  static uint16_t values[K_BYTES / 2];
  problem p = {.device = device};
  fmhac_tensors *t = &p.tensors;
  *t = (fmhac_tensors){.size = sizeof *t,
                       .batch = g_problem.batch,
                       .heads_q = g_problem.heads_q,
                       .heads_kv = g_problem.heads_kv,
                       .seqlen_q = g_problem.seqlen_q,
                       .seqlen_kv = g_problem.seqlen_kv,
                       .scale = 0.125f};
  assert_int_equal(fmhac_rt_alloc(device, Q_BYTES, &t->q), FMHAC_OK);
  assert_int_equal(fmhac_rt_alloc(device, K_BYTES, &t->k), FMHAC_OK);
  assert_int_equal(fmhac_rt_alloc(device, K_BYTES, &t->v), FMHAC_OK);
  assert_int_equal(fmhac_rt_alloc(device, Q_BYTES, &t->o), FMHAC_OK);
  t->q_strides = t->o_strides = fmhac_strides_bshd(HEADS, ROWS, DIM, 2);
  t->k_strides = t->v_strides = fmhac_strides_bshd(HEADS, KEYS, DIM, 2);
  upload_q(&p, seed);
  fill_values(values, K_BYTES / 2, seed + 1000);
  assert_int_equal(fmhac_rt_copy_in(device, t->k, values, K_BYTES), FMHAC_OK);
  fill_values(values, K_BYTES / 2, seed + 2000);
  assert_int_equal(fmhac_rt_copy_in(device, t->v, values, K_BYTES), FMHAC_OK);
  return p;
}

static void clear_o(const problem *p) {
  static const unsigned char nothing[Q_BYTES];
  assert_int_equal(fmhac_rt_copy_in(p->device, p->tensors.o, nothing, Q_BYTES),
                   FMHAC_OK);
}

static fmhac_plan *make_plan(void) {
  fmhac_plan *plan;
  assert_int_equal(fmhac_plan_create(g_kernel, &g_problem, &plan), FMHAC_OK);
  assert_int_equal(fmhac_plan_workspace_bytes(plan), 0);
  return plan;
}

static void assert_launched(fmhac_status status) {
  if (status != FMHAC_OK)
    fail_msg("status %d: %s", (int)status, fmhac_last_error(g_context));
}

/// What the emulator's own device computes: Q of `q_seed`, K and V of `seed`.
static void expect(uint32_t q_seed, uint32_t seed, unsigned char out[Q_BYTES]) {
  fmhac_rt_device *emu;
  assert_int_equal(fmhac_rt_device_open("emu", &emu), FMHAC_OK);
  fmhac_plan *plan = make_plan();
  problem p = make_problem(emu, seed);
  upload_q(&p, q_seed);
  assert_launched(fmhac_launch(plan, emu, &p.tensors, NULL, NULL));
  assert_int_equal(fmhac_rt_copy_out(emu, p.tensors.o, out, Q_BYTES), FMHAC_OK);
  fmhac_plan_destroy(plan);
  fmhac_rt_device_close(emu);
}

static void assert_result(const problem *p, uint32_t q_seed, uint32_t seed) {
  static unsigned char found[Q_BYTES], right[Q_BYTES];
  expect(q_seed, seed, right);
  assert_int_equal(fmhac_rt_copy_out(p->device, p->tensors.o, found, Q_BYTES),
                   FMHAC_OK);
  assert_memory_equal(found, right, Q_BYTES);
}

typedef struct fixture {
  fmhac_rt_device *device;
  fmhac_plan *plan;
  problem problem;
  void *stream;
} fixture;

static int set_up(void **state) {
  static fixture f;
  assert_int_equal(fmhac_rt_device_open("hip", &f.device), FMHAC_OK);
  f.plan = make_plan();
  f.problem = make_problem(f.device, 7);
  clear_o(&f.problem);
  assert_int_equal(fmhac_rt_stream_create(f.device, &f.stream), FMHAC_OK);
  *state = &f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  fmhac_plan_destroy(f->plan);
  fmhac_rt_device_close(f->device);
  return hipTestHeld();
}

/// fmhac_launch() that allocates nothing, and of HIP asks for the current
/// device and launches; nothing else.
static void launch_watched(fixture *f, void *stream) {
  uint64_t all = hipTestCalls(NULL);
  uint64_t current = hipTestCalls("hipGetDevice");
  uint64_t launches = hipTestCalls("hipModuleLaunchKernel");
  t_allocations = 0;
  t_armed = true;
  fmhac_status status =
      fmhac_launch(f->plan, f->device, &f->problem.tensors, NULL, stream);
  t_armed = false;
  assert_launched(status);
  assert_true(t_allocations == 0);
  assert_true(hipTestCalls("hipModuleLaunchKernel") == launches + 1);
  assert_true(hipTestCalls("hipGetDevice") == current + 1);
  assert_true(hipTestCalls(NULL) == all + 2);
}

//===- Tests --------------------------------------------------------------===//

/// That the count below means something.
static void test_allocations_are_counted(void **state) {
  (void)state;
  t_allocations = 0;
  t_armed = true;
  void *volatile p = malloc(10);
  free(p);
  t_armed = false;
  assert_true(t_allocations == 2);
  // In the library, too: a failure keeps its text.
  fmhac_rt_device *d;
  assert_int_equal(fmhac_rt_device_open("hip", &d), FMHAC_OK);
  t_allocations = 0;
  t_armed = true;
  fmhac_status status = fmhac_rt_free(d, 1);
  t_armed = false;
  assert_int_equal(status, FMHAC_INVALID_INPUT);
  assert_true(t_allocations > 0);
  fmhac_rt_device_close(d);
}

static void test_loaded_launch(void **state) {
  fixture *f = *state;
  assert_launched(fmhac_plan_load(f->plan, f->device));
  uint64_t loads = hipTestCalls("hipModuleLoadData");
  assert_launched(fmhac_plan_load(f->plan, f->device));
  launch_watched(f, f->stream);
  launch_watched(f, NULL);
  launch_watched(f, f->stream);
  assert_true(hipTestCalls("hipModuleLoadData") == loads);
  assert_result(&f->problem, 7, 7);
}

/// It also works without, at the price that fmhac.h tells.
static void test_cold_launch(void **state) {
  fixture *f = *state;
  uint64_t loads = hipTestCalls("hipModuleLoadData");
  assert_launched(
      fmhac_launch(f->plan, f->device, &f->problem.tensors, NULL, f->stream));
  assert_true(hipTestCalls("hipModuleLoadData") == loads + 1);
  launch_watched(f, f->stream);
  assert_result(&f->problem, 7, 7);
}

static void capture_and_replay(fixture *f, int mode) {
  void *graph, *exec;
  bool capturing = false;
  assert_launched(fmhac_plan_load(f->plan, f->device));
  assert_int_equal(hipStreamBeginCapture(f->stream, mode), 0);
  assert_int_equal(
      fmhac_rt_stream_is_capturing(f->device, f->stream, &capturing), FMHAC_OK);
  assert_true(capturing);
  launch_watched(f, f->stream);
  assert_int_equal(hipStreamEndCapture(f->stream, &graph), 0);
  assert_int_equal(hipGraphInstantiate(&exec, graph, NULL, NULL, 0), 0);
  assert_int_equal(hipGraphDestroy(graph), 0);
  // Nothing ran so far.
  unsigned char o[Q_BYTES];
  assert_int_equal(
      fmhac_rt_copy_out(f->device, f->problem.tensors.o, o, Q_BYTES), FMHAC_OK);
  for (size_t i = 0; i < Q_BYTES; i++)
    assert_int_equal(o[i], 0);
  // Each replay takes the inputs that are there.
  for (uint32_t q_seed = 7; q_seed < 10; q_seed++) {
    upload_q(&f->problem, q_seed);
    assert_int_equal(hipGraphLaunch(exec, f->stream), 0);
    assert_result(&f->problem, q_seed, 7);
  }
  assert_int_equal(hipGraphExecDestroy(exec), 0);
}

static void test_capture(void **state) {
  capture_and_replay(*state, MODE_GLOBAL);
}

static void test_capture_thread_local(void **state) {
  capture_and_replay(*state, MODE_THREAD_LOCAL);
}

//===- Merging ------------------------------------------------------------===//

/// fmhac_merge_launch() that allocates nothing, as launch_watched().
static void merge_watched(fixture *f, const fmhac_merge *merge,
                          const fmhac_merge_tensors *tensors) {
  const uint64_t all = hipTestCalls(NULL);
  t_allocations = 0;
  t_armed = true;
  fmhac_status status =
      fmhac_merge_launch(merge, f->device, tensors, f->stream);
  t_armed = false;
  if (status != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(g_context));
  assert_true(t_allocations == 0);
  assert_true(hipTestCalls(NULL) == all + 2);
}

enum { LSE_COUNT = HEADS * ROWS, LSE_BYTES = LSE_COUNT * sizeof(float) };

/// Memory for two results; numbers come later.
static fmhac_merge_tensors make_results(fmhac_rt_device *device) {
  const fmhac_strides strides =
      fmhac_strides_bshd(HEADS, ROWS, DIM, sizeof(uint16_t));
  fmhac_merge_tensors t = {.size = sizeof t,
                           .batch = 1,
                           .heads_q = HEADS,
                           .seqlen_q = ROWS,
                           .o_strides = strides,
                           .other_o_strides = strides,
                           .lse_batch_stride_bytes = LSE_BYTES,
                           .lse_head_stride_bytes = ROWS * sizeof(float),
                           .other_lse_batch_stride_bytes = LSE_BYTES,
                           .other_lse_head_stride_bytes = ROWS * sizeof(float)};
  assert_int_equal(fmhac_rt_alloc(device, Q_BYTES, &t.o), FMHAC_OK);
  assert_int_equal(fmhac_rt_alloc(device, Q_BYTES, &t.other_o), FMHAC_OK);
  assert_int_equal(fmhac_rt_alloc(device, LSE_BYTES, &t.lse), FMHAC_OK);
  assert_int_equal(fmhac_rt_alloc(device, LSE_BYTES, &t.other_lse), FMHAC_OK);
  return t;
}

static void free_results(fmhac_rt_device *device,
                         const fmhac_merge_tensors *t) {
  const fmhac_device_ptr taken[] = {t->o, t->other_o, t->lse, t->other_lse};
  for (size_t i = 0; i < sizeof taken / sizeof taken[0]; ++i)
    assert_int_equal(fmhac_rt_free(device, taken[i]), FMHAC_OK);
}

/// Of each row one result has no keys.
static float lse_of(int row, bool is_other, uint32_t seed) {
  return (row % 2 == 0) == is_other ? (float)(seed + (uint32_t)row)
                                    : -1.0f / 0.0f;
}

static void put_results(fmhac_rt_device *device, const fmhac_merge_tensors *t,
                        uint32_t seed) {
  static uint16_t values[Q_BYTES / 2];
  float lse[LSE_COUNT];
  for (int is_other = 0; is_other < 2; ++is_other) {
    fill_values(values, Q_BYTES / 2, seed + (is_other ? 10 : 0));
    for (int i = 0; i < LSE_COUNT; ++i)
      lse[i] = lse_of(i, is_other, seed);
    assert_int_equal(
        fmhac_rt_copy_in(device, is_other ? t->other_o : t->o, values, Q_BYTES),
        FMHAC_OK);
    assert_int_equal(fmhac_rt_copy_in(device, is_other ? t->other_lse : t->lse,
                                      lse, LSE_BYTES),
                     FMHAC_OK);
  }
}

/// Merged once: the digits of the result that has keys.
static void assert_merged(fmhac_rt_device *device, const fmhac_merge_tensors *t,
                          uint32_t seed) {
  static uint16_t values[2][Q_BYTES / 2], found[Q_BYTES / 2];
  float lse[LSE_COUNT];
  fill_values(values[0], Q_BYTES / 2, seed);
  fill_values(values[1], Q_BYTES / 2, seed + 10);
  assert_int_equal(fmhac_rt_copy_out(device, t->o, found, Q_BYTES), FMHAC_OK);
  assert_int_equal(fmhac_rt_copy_out(device, t->lse, lse, LSE_BYTES), FMHAC_OK);
  for (int i = 0; i < LSE_COUNT; ++i) {
    // LSE is [Hq, Sq], O [Sq, Hq, D].
    const int at = (i % ROWS * HEADS + i / ROWS) * DIM, from = i % 2 == 0;
    assert_memory_equal(&found[at], &values[from][at], DIM * 2);
    assert_true(lse[i] == lse_of(i, from, seed));
  }
}

static fmhac_merge *make_merge(void) {
  fmhac_merge *merge;
  if (fmhac_merge_create_json(g_context, "{\"head_dim\": 64}", &merge) !=
      FMHAC_OK)
    fail_msg("%s", fmhac_last_error(g_context));
  return merge;
}

/// A captured merge takes the results that are there when it is replayed.
static void test_capture_of_merge(void **state) {
  fixture *f = *state;
  fmhac_merge *merge = make_merge();
  const fmhac_merge_tensors t = make_results(f->device);
  void *graph, *exec;
  assert_int_equal(hipStreamBeginCapture(f->stream, MODE_GLOBAL), 0);
  assert_int_equal(fmhac_merge_launch(merge, f->device, &t, f->stream),
                   FMHAC_INVALID_INPUT);
  assert_non_null(strstr(fmhac_last_error(g_context),
                         "call fmhac_merge_load() before the capture begins"));
  assert_int_equal(hipStreamEndCapture(f->stream, &graph), 0);
  assert_int_equal(hipGraphDestroy(graph), 0);
  assert_int_equal(fmhac_merge_load(merge, f->device), FMHAC_OK);
  assert_int_equal(hipStreamBeginCapture(f->stream, MODE_GLOBAL), 0);
  merge_watched(f, merge, &t);
  assert_int_equal(hipStreamEndCapture(f->stream, &graph), 0);
  assert_int_equal(hipGraphInstantiate(&exec, graph, NULL, NULL, 0), 0);
  assert_int_equal(hipGraphDestroy(graph), 0);
  for (uint32_t seed = 1; seed < 3; ++seed) {
    put_results(f->device, &t, seed);
    assert_int_equal(hipGraphLaunch(exec, f->stream), 0);
    assert_merged(f->device, &t, seed);
  }
  assert_int_equal(hipGraphExecDestroy(exec), 0);
  free_results(f->device, &t);
  fmhac_merge_destroy(merge);
}

//===- Factors ------------------------------------------------------------===//

enum { O_COUNT = HEADS * ROWS * DIM };

/// O in bf16 after a replay with these factors of Q, K and V.
static void replay_with(fixture *f, void *exec, float q, float k, float v,
                        uint16_t o[O_COUNT]) {
  const fmhac_tensors *t = &f->problem.tensors;
  assert_int_equal(fmhac_rt_copy_in(f->device, t->q_scales, &q, sizeof q),
                   FMHAC_OK);
  assert_int_equal(fmhac_rt_copy_in(f->device, t->k_scales, &k, sizeof k),
                   FMHAC_OK);
  assert_int_equal(fmhac_rt_copy_in(f->device, t->v_scales, &v, sizeof v),
                   FMHAC_OK);
  clear_o(&f->problem);
  assert_int_equal(hipGraphLaunch(exec, f->stream), 0);
  assert_int_equal(fmhac_rt_copy_out(f->device, t->o, o, O_COUNT * sizeof *o),
                   FMHAC_OK);
}

/// Factors are read when the kernel runs: a captured launch takes those that
/// are there. Powers of two change no digit but the exponent's.
static void test_capture_of_factors(void **state) {
  fixture *f = *state;
  fmhac_plan_destroy(f->plan);
  assert_launched(fmhac_plan_create_json(
      g_context,
      "{\"dtype\":\"fp8\",\"head_dim\":64,\"q_scale\":\"tensor\","
      "\"k_scale\":\"tensor\",\"v_scale\":\"tensor\",\"q_scales\":true,"
      "\"k_scales\":true,\"v_scales\":true}",
      &g_problem, &f->plan));
  fmhac_tensors *t = &f->problem.tensors;
  t->q_strides = fmhac_strides_bshd(HEADS, ROWS, DIM, 1);
  t->k_strides = t->v_strides = fmhac_strides_bshd(HEADS, KEYS, DIM, 1);
  static unsigned char bytes[K_BYTES];
  for (size_t i = 0; i < sizeof bytes; ++i)
    bytes[i] = (unsigned char)((i * 37 + i / 64 * 11) & 0xbf); // at most 1.875
  assert_int_equal(fmhac_rt_copy_in(f->device, t->q, bytes, Q_BYTES), FMHAC_OK);
  assert_int_equal(fmhac_rt_copy_in(f->device, t->k, bytes, K_BYTES), FMHAC_OK);
  assert_int_equal(fmhac_rt_copy_in(f->device, t->v, bytes, K_BYTES), FMHAC_OK);
  fmhac_device_ptr *const factors[] = {&t->q_scales, &t->k_scales,
                                       &t->v_scales};
  for (int i = 0; i < 3; ++i)
    assert_int_equal(fmhac_rt_alloc(f->device, sizeof(float), factors[i]),
                     FMHAC_OK);
  assert_launched(fmhac_plan_load(f->plan, f->device));
  void *graph, *exec;
  assert_int_equal(hipStreamBeginCapture(f->stream, MODE_GLOBAL), 0);
  launch_watched(f, f->stream);
  assert_int_equal(hipStreamEndCapture(f->stream, &graph), 0);
  assert_int_equal(hipGraphInstantiate(&exec, graph, NULL, NULL, 0), 0);
  assert_int_equal(hipGraphDestroy(graph), 0);
  static uint16_t one[O_COUNT], found[O_COUNT], sharper[O_COUNT];
  replay_with(f, exec, 1, 1, 1, one);
  // The factors of Q and K meet in the scale of the scores.
  replay_with(f, exec, 4, 0.25f, 1, found);
  assert_memory_equal(found, one, sizeof one);
  replay_with(f, exec, 4, 1, 1, sharper);
  assert_memory_not_equal(sharper, one, sizeof one);
  replay_with(f, exec, -2, -2, 1, found);
  assert_memory_equal(found, sharper, sizeof one);
  // V's multiplies O.
  replay_with(f, exec, 1, 1, -4, found);
  size_t compared = 0;
  for (int i = 0; i < O_COUNT; ++i) {
    const int exponent = one[i] >> 7 & 0xff;
    assert_int_equal(found[i] & 0x8000, ~one[i] & 0x8000);
    if (exponent == 0)
      continue;
    ++compared;
    assert_int_equal(found[i] & 0x7fff, (one[i] & 0x7fff) + (2 << 7));
  }
  assert_true(compared > O_COUNT / 2);
  assert_int_equal(hipGraphExecDestroy(exec), 0);
}

/// Numbers of pages and lengths are read when the kernel runs: a captured
/// launch takes those that are there, by the reference's judgement.
static void test_capture_of_pages(void **state) {
  fixture *f = *state;
  enum { PAGE = 16, PAGES = KEYS / PAGE, MOST = 8 };
  fmhac_plan_destroy(f->plan);
  assert_launched(fmhac_plan_create_json(
      g_context,
      "{\"head_dim\":64,\"page_size\":16,\"page_table\":true,"
      "\"seqlens_kv\":true}",
      &g_problem, &f->plan));
  fmhac_tensors *t = &f->problem.tensors;
  t->k_page_stride_bytes = t->v_page_stride_bytes = PAGE * HEADS * DIM * 2;
  t->pages = PAGES;
  assert_int_equal(
      fmhac_rt_alloc(f->device, MOST * sizeof(int32_t), &t->page_table),
      FMHAC_OK);
  assert_int_equal(fmhac_rt_alloc(f->device, sizeof(int32_t), &t->seqlens_kv),
                   FMHAC_OK);
  t->page_table_batch_stride_bytes = MOST * sizeof(int32_t);
  assert_launched(fmhac_plan_load(f->plan, f->device));
  void *graph, *exec;
  assert_int_equal(hipStreamBeginCapture(f->stream, MODE_GLOBAL), 0);
  launch_watched(f, f->stream);
  assert_int_equal(hipStreamEndCapture(f->stream, &graph), 0);
  assert_int_equal(hipGraphInstantiate(&exec, graph, NULL, NULL, 0), 0);
  assert_int_equal(hipGraphDestroy(graph), 0);
  // Of one page, of all that a table holds, the same in another order, none.
  static const struct {
    int32_t keys, numbers[MOST];
  } steps[] = {{5, {8, -1, -1, -1, -1, -1, -1, -1}},
               {120, {8, 3, 0, 7, 1, 6, 2, 5}},
               {120, {5, 2, 6, 1, 7, 0, 3, 8}},
               {0, {-1, -1, -1, -1, -1, -1, -1, -1}},
               {33, {4, 4, 0, -1, -1, -1, -1, -1}}};
  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; ++i) {
    assert_int_equal(fmhac_rt_copy_in(f->device, t->page_table,
                                      steps[i].numbers,
                                      sizeof steps[i].numbers),
                     FMHAC_OK);
    assert_int_equal(fmhac_rt_copy_in(f->device, t->seqlens_kv, &steps[i].keys,
                                      sizeof steps[i].keys),
                     FMHAC_OK);
    // NaN, which no row of any step is.
    assert_int_equal(fmhac_rt_fill(f->device, t->o, 0xff, Q_BYTES), FMHAC_OK);
    assert_int_equal(hipGraphLaunch(exec, f->stream), 0);
    assert_int_equal(fmhac_rt_synchronize(f->device), FMHAC_OK);
    fmhac_comparison c = {.size = sizeof c};
    assert_launched(fmhac_compare_launch(f->plan, f->device, t, NULL, &c));
    if (!c.pass || c.rows != HEADS * ROWS)
      fail_msg("step %zu: %s", i, c.reason);
  }
  assert_int_equal(hipGraphExecDestroy(exec), 0);
}

/// A launch that would have to load is refused, and the capture goes on.
static void test_capture_without_load(void **state) {
  fixture *f = *state;
  void *graph, *exec;
  assert_int_equal(hipStreamBeginCapture(f->stream, MODE_GLOBAL), 0);
  uint64_t loads = hipTestCalls("hipModuleLoadData");
  assert_int_equal(
      fmhac_launch(f->plan, f->device, &f->problem.tensors, NULL, f->stream),
      FMHAC_INVALID_INPUT);
  if (!strstr(fmhac_last_error(g_context),
              "call fmhac_plan_load() before the capture begins"))
    fail_msg("%s", fmhac_last_error(g_context));
  assert_true(hipTestCalls("hipModuleLoadData") == loads);
  assert_int_equal(hipStreamEndCapture(f->stream, &graph), 0);
  assert_int_equal(hipGraphInstantiate(&exec, graph, NULL, NULL, 0), 0);
  assert_int_equal(hipGraphLaunch(exec, f->stream), 0); // of nothing
  assert_int_equal(hipGraphExecDestroy(exec), 0);
  assert_int_equal(hipGraphDestroy(graph), 0);
  assert_launched(fmhac_plan_load(f->plan, f->device));
  launch_watched(f, f->stream);
  assert_result(&f->problem, 7, 7);
}

/// What allocates or waits ends a capture, as HIP has it; the text says that.
static void test_what_a_capture_forbids(void **state) {
  fixture *f = *state;
  fmhac_rt_device *d = f->device;
  for (int i = 0; i < 4; i++) {
    void *graph = f;
    uint64_t address;
    assert_int_equal(hipStreamBeginCapture(f->stream, MODE_GLOBAL), 0);
    fmhac_status status =
        i == 0   ? fmhac_rt_alloc(d, 16, &address)
        : i == 1 ? fmhac_rt_synchronize(d)
        : i == 2 ? fmhac_rt_stream_synchronize(d, f->stream)
                 : fmhac_rt_copy_in(d, f->problem.tensors.o, &i, sizeof i);
    assert_int_equal(status, FMHAC_INVALID_INPUT);
    if (!strstr(fmhac_rt_last_error(d), "HIP error 900"))
      fail_msg("%d: %s", i, fmhac_rt_last_error(d));
    assert_int_equal(hipStreamEndCapture(f->stream, &graph), 901);
    assert_null(graph);
  }
  assert_launched(
      fmhac_launch(f->plan, d, &f->problem.tensors, NULL, f->stream));
  assert_result(&f->problem, 7, 7);
}

static void test_failed_launch(void **state) {
  fixture *f = *state;
  assert_launched(fmhac_plan_load(f->plan, f->device));
  assert_true(hipTestFail("hipModuleLaunchKernel=719@1"));
  assert_int_equal(
      fmhac_launch(f->plan, f->device, &f->problem.tensors, NULL, f->stream),
      FMHAC_LAUNCH_FAILED);
  if (!strstr(fmhac_last_error(g_context),
              "hipModuleLaunchKernel failed: HIP error 719"))
    fail_msg("%s", fmhac_last_error(g_context));
  launch_watched(f, f->stream);
  assert_result(&f->problem, 7, 7);
}

//===- Threads ------------------------------------------------------------===//

enum { THREADS = 8, LAUNCHES = 5 };

typedef struct worker {
  const fixture *f;
  problem problem;
  void *stream;
  pthread_barrier_t *start;
  fmhac_status status;
  char why[256];
} worker;

static void *work(void *argument) {
  worker *w = argument;
  pthread_barrier_wait(w->start);
  for (int i = 0; i < LAUNCHES && w->status == FMHAC_OK; i++)
    w->status = fmhac_launch(w->f->plan, w->f->device, &w->problem.tensors,
                             NULL, w->stream);
  if (w->status == FMHAC_OK)
    w->status = fmhac_rt_stream_synchronize(w->f->device, w->stream);
  snprintf(w->why, sizeof w->why, "%.200s", fmhac_last_error(g_context));
  // Each has its own failure.
  fmhac_tensors bad = w->problem.tensors;
  bad.q += 1; // no multiple of 16
  if (w->status == FMHAC_OK &&
      fmhac_launch(w->f->plan, w->f->device, &bad, NULL, w->stream) == FMHAC_OK)
    w->status = FMHAC_INTERNAL;
  return NULL;
}

/// All launch one plan for the first time: it is loaded once.
static void test_threads(void **state) {
  fixture *f = *state;
  static worker workers[THREADS];
  pthread_t threads[THREADS];
  pthread_barrier_t start;
  pthread_barrier_init(&start, NULL, THREADS);
  uint64_t loads = hipTestCalls("hipModuleLoadData");
  for (uint32_t t = 0; t < THREADS; t++) {
    workers[t] = (worker){
        .f = f, .problem = make_problem(f->device, 20 + t), .start = &start};
    assert_int_equal(fmhac_rt_stream_create(f->device, &workers[t].stream),
                     FMHAC_OK);
  }
  for (uint32_t t = 0; t < THREADS; t++)
    assert_int_equal(pthread_create(&threads[t], NULL, work, &workers[t]), 0);
  for (uint32_t t = 0; t < THREADS; t++)
    pthread_join(threads[t], NULL);
  pthread_barrier_destroy(&start);
  for (uint32_t t = 0; t < THREADS; t++) {
    if (workers[t].status != FMHAC_OK)
      fail_msg("thread %u: status %d: %s", t, (int)workers[t].status,
               workers[t].why);
    assert_result(&workers[t].problem, 20 + t, 20 + t);
  }
  assert_true(hipTestCalls("hipModuleLoadData") == loads + 1);
}

typedef struct merge_worker {
  const fmhac_merge *merge;
  fmhac_rt_device *device;
  fmhac_merge_tensors results;
  void *stream;
  pthread_barrier_t *start;
  fmhac_status status;
} merge_worker;

static void *merge_work(void *argument) {
  merge_worker *w = argument;
  pthread_barrier_wait(w->start);
  w->status = fmhac_merge_launch(w->merge, w->device, &w->results, w->stream);
  if (w->status == FMHAC_OK)
    w->status = fmhac_rt_stream_synchronize(w->device, w->stream);
  return NULL;
}

/// The same of one merge, which unloads what it has loaded.
static void test_threads_of_merge(void **state) {
  fixture *f = *state;
  static merge_worker workers[THREADS];
  pthread_t threads[THREADS];
  pthread_barrier_t start;
  pthread_barrier_init(&start, NULL, THREADS);
  fmhac_merge *merge = make_merge();
  const uint64_t loads = hipTestCalls("hipModuleLoadData");
  const uint64_t unloads = hipTestCalls("hipModuleUnload");
  for (uint32_t t = 0; t < THREADS; t++) {
    workers[t] = (merge_worker){.merge = merge,
                                .device = f->device,
                                .results = make_results(f->device),
                                .start = &start};
    put_results(f->device, &workers[t].results, t);
    assert_int_equal(fmhac_rt_stream_create(f->device, &workers[t].stream),
                     FMHAC_OK);
  }
  for (uint32_t t = 0; t < THREADS; t++)
    assert_int_equal(pthread_create(&threads[t], NULL, merge_work, &workers[t]),
                     0);
  for (uint32_t t = 0; t < THREADS; t++)
    pthread_join(threads[t], NULL);
  pthread_barrier_destroy(&start);
  for (uint32_t t = 0; t < THREADS; t++) {
    assert_int_equal(workers[t].status, FMHAC_OK);
    assert_merged(f->device, &workers[t].results, t);
    free_results(f->device, &workers[t].results);
  }
  assert_int_equal(fmhac_merge_load(merge, f->device), FMHAC_OK);
  assert_true(hipTestCalls("hipModuleLoadData") == loads + 1);
  assert_true(hipTestCalls("hipModuleUnload") == unloads);
  fmhac_merge_destroy(merge);
  assert_true(hipTestCalls("hipModuleUnload") == unloads + 1);
}

static void compile(void) {
  const fmhac_context_options options = {.size = sizeof options,
                                         .compile_in_process = true};
  fmhac_config *config;
  assert_int_equal(fmhac_context_create(&options, &g_context), FMHAC_OK);
  assert_launched(fmhac_config_create_json(
      g_context, "{\"dtype\":\"bf16\",\"head_dim\":64,\"mask\":\"causal\"}",
      &config));
  assert_launched(fmhac_compile(g_context, config, &g_kernel));
  fmhac_config_destroy(config);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  install();
  compile();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_allocations_are_counted),
      TEST(test_loaded_launch),
      TEST(test_cold_launch),
      TEST(test_capture),
      TEST(test_capture_thread_local),
      TEST(test_capture_of_merge),
      TEST(test_capture_of_factors),
      TEST(test_capture_of_pages),
      TEST(test_capture_without_load),
      TEST(test_what_a_capture_forbids),
      TEST(test_failed_launch),
      TEST(test_threads),
      TEST(test_threads_of_merge),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  fmhac_kernel_destroy(g_kernel);
  fmhac_context_destroy(g_context);
  return failed;
}
