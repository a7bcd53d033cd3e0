// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batches that a plan divides between kernels for few rows and for more: on the
// emulator under every check, against the reference, and bit by bit against
// each kernel alone on its sequences.
#include "attention_test.h"
#include "fmhac_emu.h"
#include "fmhac_reference.h"
#include "fmhac_work.h"

enum { HQ = 2, HK = 1, MOST_BATCH = 1000, PAGE = 16 };

/// A batch, and the sizes for which it is planned.
typedef struct batch {
  uint32_t count, rows_most, keys_most;
  int32_t rows[MOST_BATCH], keys[MOST_BATCH];
} batch;

/// Rows on both sides of the threshold, and none; keys that are none, few, and
/// many enough to be divided.
static const batch k_mixed = {
    .count = 10,
    .rows_most = 300,
    .keys_most = 900,
    .rows = {1, 300, 16, 0, 17, 2, 1, 16, 17, 100},
    .keys = {900, 300, 33, 40, 17, 0, 1, 700, 0, 900}};
static const batch k_few = {.count = 10,
                            .rows_most = 300,
                            .keys_most = 900,
                            .rows = {1, 2, 16, 0, 3, 2, 1, 16, 7, 15},
                            .keys = {900, 300, 33, 40, 17, 0, 1, 700, 5, 600}};
static const batch k_many = {
    .count = 10,
    .rows_most = 300,
    .keys_most = 900,
    .rows = {17, 18, 300, 40, 32, 33, 64, 65, 129, 255},
    .keys = {900, 300, 300, 40, 17, 0, 64, 700, 129, 255}};
static const batch k_none = {.count = 10, .rows_most = 300, .keys_most = 900};

/// 1,000 sequences of 1 to 24 rows, most of few.
static batch many_sequences(void) {
  batch b = {.count = MOST_BATCH, .rows_most = 24, .keys_most = 200};
  uint32_t seed = 5;
  for (uint32_t i = 0; i < b.count; ++i) {
    b.rows[i] = i % 8 ? 1 + (int32_t)(next(&seed) % 16)
                      : 17 + (int32_t)(next(&seed) % 8);
    b.keys[i] = (int32_t)(next(&seed) % 200);
  }
  return b;
}

//===- Configurations -----------------------------------------------------===//

/// A configuration whose schedule is `few` for up to 16 rows, and `many`.
typedef struct configuration {
  const char *few, *many, *keys; ///< `keys`: all others
  uint32_t head_dim, q_bytes, o_bytes;
  bool paged;
} configuration;

#define LENGTHS "\"lse\":true,\"seqlens_q\":true,\"seqlens_kv\":true"
#define PAGED ",\"page_size\":16,\"page_table\":true"
/// Rows of both heads of a group are those of one tile.
#define PACKED "./divided-few.mlir"
static const char k_packed[] =
    "fmha.schedule @few = @generic with <rows = group>\n";
#define FIXED ",\"split_kv\":\"fixed\",\"split_chunk\":128"
static const configuration k_configurations[] = {
    {"generic_wide_m64", "dualwave_1tile",
     "\"head_dim\":128,\"work\":\"list\"," LENGTHS, 128, 2, 2, false},
    {"generic", "generic_wide",
     "\"head_dim\":64,\"work\":\"list\",\"mask\":\"causal\"," LENGTHS, 64, 2, 2,
     false},
    {"generic", "generic_wide", "\"head_dim\":64,\"work\":\"queue\"," LENGTHS,
     64, 2, 2, false},
    {"generic", "generic_wide",
     "\"head_dim\":64,\"work\":\"list\",\"split_kv\":\"auto\"," LENGTHS, 64, 2,
     2, false},
    {"generic", "generic_wide",
     "\"head_dim\":64,\"work\":\"list\"," LENGTHS FIXED, 64, 2, 2, false},
    {"generic_wide_m64", "generic_wide",
     "\"head_dim\":64,\"work\":\"queue\",\"mask\":\"causal\"," LENGTHS FIXED,
     64, 2, 2, false},
    {"generic", "generic_wide",
     "\"head_dim\":64,\"work\":\"auto\",\"split_kv\":\"auto\"," LENGTHS PAGED,
     64, 2, 2, true},
    {PACKED, "generic_wide",
     "\"head_dim\":64,\"work\":\"list\",\"mask\":\"causal\","
     "\"split_kv\":\"auto\"," LENGTHS,
     64, 2, 2, false},
    {PACKED, "generic_wide",
     "\"head_dim\":64,\"work\":\"queue\"," LENGTHS FIXED PAGED, 64, 2, 2, true},
    {"generic_fp8_n32", "generic_fp8",
     "\"head_dim\":64,\"dtype\":\"fp8\",\"work\":\"list\"," LENGTHS FIXED, 64,
     1, 2, false}};
enum { CONFIGURATIONS = sizeof k_configurations / sizeof k_configurations[0] };

enum { TEXT_BYTES = 600 };

/// Both say up to 16 rows; the second of all heads of a group.
static const char *when_few(const configuration *c) {
  return strcmp(c->few, PACKED) == 0 ? "Sq * Hq <= 32 * Hk" : "Sq <= 16";
}

/// `few` or `many` alone if it is given, else both.
static void write_json(const configuration *c, const char *alone,
                       char out[TEXT_BYTES]) {
  const int length =
      alone ? snprintf(out, TEXT_BYTES, "{%s,\"schedule\":\"%s\"}", c->keys,
                       alone)
            : snprintf(out, TEXT_BYTES, "{%s,\"schedule\":\"%s if %s; %s\"}",
                       c->keys, c->few, when_few(c), c->many);
  assert_true(length > 0 && length < TEXT_BYTES);
}

static fmhac_problem most_of(const batch *b) {
  return (fmhac_problem){.size = sizeof(fmhac_problem),
                         .batch = b->count,
                         .heads_q = HQ,
                         .heads_kv = HK,
                         .seqlen_q = b->rows_most,
                         .seqlen_kv = b->keys_most};
}

static size_t o_bytes(const configuration *c, const batch *b) {
  return (size_t)b->count * b->rows_most * HQ * c->head_dim * c->o_bytes;
}
static size_t lse_bytes(const batch *b) {
  return (size_t)b->count * b->rows_most * HQ * sizeof(float);
}

//===- Launches -----------------------------------------------------------===//

static void *pointer(fmhac_device_ptr address) {
  return (void *)(uintptr_t)address;
}

static void check(fmhac_status status, const char *what) {
  if (status != FMHAC_OK)
    fail_msg("%s: %s; %s", what, fmhac_last_error(g_context),
             fmhac_rt_last_error(g_device));
}

/// Every check, and an order of waves and loads of its own.
static void configure(uint64_t seed) {
  static const fmhac_emu_sched scheds[] = {FMHAC_EMU_SCHED_ROUND_ROBIN,
                                           FMHAC_EMU_SCHED_UNTIL_BLOCKED,
                                           FMHAC_EMU_SCHED_RANDOM};
  fmhac_emu_options options;
  fmhac_emu_options_init(&options);
  options.checks = FMHAC_EMU_CHECK_ALL;
  options.sched = scheds[seed % 3];
  options.seed = seed;
  assert_int_equal(fmhac_emu_configure(g_device, &options), FMHAC_OK);
}

/// Tensors of a batch with its lengths; outputs hold 0x11.
static fmhac_tensors tensors_of(const fmhac_plan *plan, const configuration *c,
                                const batch *b) {
  fmhac_tensors t = FMHAC_TENSORS_INIT;
  const fmhac_problem problem = most_of(b);
  const uint32_t table_row = (b->keys_most + PAGE - 1) / PAGE;
  const size_t q = (size_t)b->count * b->rows_most * HQ * c->head_dim,
               k = c->paged
                       ? (size_t)b->count * table_row * PAGE * HK * c->head_dim
                       : (size_t)b->count * b->keys_most * HK * c->head_dim;
  check(fmhac_tensors_dense(
            plan, &problem, put_values(q, c->q_bytes, 1),
            put_values(k, c->q_bytes, 2), put_values(k, c->q_bytes, 3),
            reserve(o_bytes(c, b), 0x11), reserve(lse_bytes(b), 0x11), &t),
        "tensors");
  t.scale = 0.05f;
  t.seqlens_q = put(b->rows, b->count * sizeof b->rows[0]);
  t.seqlens_kv = put(b->keys, b->count * sizeof b->keys[0]);
  if (c->paged) {
    const uint32_t pages = b->count * table_row;
    int32_t *table = malloc(pages * sizeof *table);
    assert_non_null(table);
    for (uint32_t i = 0; i < pages; ++i)
      table[i] = (int32_t)((uint64_t)i * 7919 % pages);
    t.page_table = put(table, pages * sizeof *table);
    t.page_table_batch_stride_bytes = table_row * sizeof *table;
    t.pages = pages;
    free(table);
  }
  return t;
}

static fmhac_device_ptr workspace_of(const fmhac_plan *plan) {
  return reserve(fmhac_plan_workspace_bytes(plan), 0xee);
}

static void expect_right(const fmhac_plan *plan, const fmhac_tensors *t,
                         const char *what) {
  fmhac_comparison c = {.size = sizeof c};
  check(fmhac_compare_launch(plan, g_device, t, NULL, &c), what);
  if (!c.pass)
    fail_msg("%s: %s", what, c.reason);
}

static void expect_equal(fmhac_device_ptr a, fmhac_device_ptr b, size_t bytes,
                         const char *what) {
  unsigned char *x = malloc(bytes), *y = malloc(bytes);
  assert_non_null(x);
  assert_non_null(y);
  assert_int_equal(fmhac_rt_copy_out(g_device, a, x, bytes), FMHAC_OK);
  assert_int_equal(fmhac_rt_copy_out(g_device, b, y, bytes), FMHAC_OK);
  for (size_t i = 0; i < bytes; ++i)
    if (x[i] != y[i])
      fail_msg("%s: byte %zu of %zu differs", what, i, bytes);
  free(x);
  free(y);
}

/// Launches a plan of one kernel with the rows of sequences up to 16 rows, or
/// of the others; the outputs of `t` keep what else they hold.
static void launch_alone(const configuration *c, const batch *b, bool is_few,
                         const fmhac_tensors *t) {
  char json[TEXT_BYTES];
  write_json(c, is_few ? c->few : c->many, json);
  const fmhac_problem most = most_of(b);
  fmhac_plan *plan = make_plan(json, &most);
  batch own = *b;
  for (uint32_t i = 0; i < b->count; ++i)
    if ((b->rows[i] <= 16) != is_few)
      own.rows[i] = 0;
  fmhac_tensors tensors = *t;
  tensors.seqlens_q = put(own.rows, own.count * sizeof own.rows[0]);
  check(
      fmhac_launch(plan, g_device, &tensors, pointer(workspace_of(plan)), NULL),
      json);
  fmhac_plan_destroy(plan);
}

/// A planner, two kernels of attention, and what combines their parts.
static void expect_launches(const fmhac_plan *plan, const configuration *c) {
  const bool has_parts = strstr(c->keys, "split_kv");
  assert_int_equal(fmhac_plan_launch_count(plan), has_parts ? 4 : 3);
  fmhac_work_places places = {.size = sizeof places};
  assert_int_equal(fmhac_plan_work_places(plan, &places), FMHAC_OK);
  assert_int_equal(places.kernels, 2);
  assert_int_equal(places.workgroups, places.kernel_workgroups[0]);
  assert_true(places.kernel_workgroups[1] > 0);
  assert_true(places.kernel_stride_bytes > 0);
}

static void run(const configuration *c, const batch *b, uint64_t seed) {
  char json[TEXT_BYTES];
  write_json(c, NULL, json);
  configure(seed);
  const fmhac_problem most = most_of(b);
  fmhac_plan *plan = make_plan(json, &most);
  expect_launches(plan, c);
  const fmhac_tensors t = tensors_of(plan, c, b);
  check(fmhac_launch(plan, g_device, &t, pointer(workspace_of(plan)), NULL),
        json);
  assert_int_equal(fmhac_emu_finding_count(g_device), 0);
  bool has_rows = false;
  for (uint32_t i = 0; i < b->count; ++i)
    has_rows = has_rows || b->rows[i];
  if (has_rows)
    expect_right(plan, &t, json);
  // Outputs that no sequence has hold what they did.
  fmhac_tensors alone = t;
  alone.o = reserve(o_bytes(c, b), 0x11);
  alone.lse = reserve(lse_bytes(b), 0x11);
  launch_alone(c, b, true, &alone);
  launch_alone(c, b, false, &alone);
  expect_equal(t.o, alone.o, o_bytes(c, b), json);
  expect_equal(t.lse, alone.lse, lse_bytes(b), json);
  fmhac_plan_destroy(plan);
}

static void test_batches(void **state) {
  (void)state;
  const batch *const batches[] = {&k_mixed, &k_few, &k_many, &k_none};
  for (size_t i = 0; i < CONFIGURATIONS; ++i)
    for (size_t j = 0; j < sizeof batches / sizeof batches[0]; ++j)
      if (in_part(i) && (j == 0 || i % 3 == j % 3))
        run(&k_configurations[i], batches[j], 10 * i + j);
}

static void test_many_sequences(void **state) {
  (void)state;
  const batch b = many_sequences();
  if (in_part(5))
    run(&k_configurations[5], &b, 1);
  if (in_part(7))
    run(&k_configurations[7], &b, 2);
}

//===- Other lengths ------------------------------------------------------===//

/// One workspace and one set of tensors, as a captured launch has them, with
/// other lengths in the same memory each time.
static void test_other_lengths(void **state) {
  (void)state;
  const batch *const steps[] = {&k_mixed, &k_few,   &k_none,
                                &k_many,  &k_mixed, &k_few};
  configure(7);
  for (size_t i = 3; i < CONFIGURATIONS; ++i) {
    if (!in_part(i))
      continue;
    const configuration *c = &k_configurations[i];
    char json[TEXT_BYTES];
    write_json(c, NULL, json);
    const fmhac_problem most = most_of(&k_mixed);
    fmhac_plan *plan = make_plan(json, &most);
    const fmhac_tensors t = tensors_of(plan, c, &k_mixed);
    const fmhac_device_ptr workspace = workspace_of(plan);
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; ++s) {
      const batch *b = steps[s];
      const size_t bytes = b->count * sizeof b->rows[0];
      check(fmhac_rt_copy_in(g_device, t.seqlens_q, b->rows, bytes), json);
      check(fmhac_rt_copy_in(g_device, t.seqlens_kv, b->keys, bytes), json);
      check(fmhac_rt_fill(g_device, t.o, 0x11, o_bytes(c, b)), json);
      check(fmhac_rt_fill(g_device, t.lse, 0x11, lse_bytes(b)), json);
      check(fmhac_launch(plan, g_device, &t, pointer(workspace), NULL), json);
      if (b != &k_none)
        expect_right(plan, &t, json);
    }
    fmhac_plan_destroy(plan);
  }
}

/// Layers share a run of the planner.
static void test_layers(void **state) {
  (void)state;
  if (!in_part(4))
    return;
  configure(8);
  const configuration *c = &k_configurations[4];
  char json[TEXT_BYTES];
  write_json(c, NULL, json);
  const fmhac_problem most = most_of(&k_mixed);
  fmhac_plan *plan = make_plan(json, &most);
  const fmhac_device_ptr workspace = workspace_of(plan);
  const fmhac_tensors t = tensors_of(plan, c, &k_mixed);
  check(fmhac_launch_planner(plan, g_device, &t, pointer(workspace), NULL),
        json);
  for (int layer = 0; layer < 2; ++layer) {
    fmhac_tensors own = t;
    own.o = reserve(o_bytes(c, &k_mixed), 0x11);
    check(fmhac_launch_planned(plan, g_device, &own, pointer(workspace), NULL),
          json);
    expect_right(plan, &own, json);
  }
  fmhac_plan_destroy(plan);
}

//===- Lists of the host --------------------------------------------------===//

static void copy(fmhac_device_ptr to, const void *from, size_t bytes) {
  if (bytes)
    assert_int_equal(fmhac_rt_copy_in(g_device, to, from, bytes), FMHAC_OK);
}

/// Makes the lists of each kernel and puts them where launches look for them.
static void plan_on_host(const fmhac_plan *plan, const batch *b,
                         fmhac_device_ptr workspace) {
  fmhac_work_places places = {.size = sizeof places};
  assert_int_equal(fmhac_plan_work_places(plan, &places), FMHAC_OK);
  const fmhac_problem problem = most_of(b);
  for (uint32_t kernel = 0; kernel < places.kernels; ++kernel) {
    const uint32_t workgroups = places.kernel_workgroups[kernel];
    fmhac_work_room room = {.size = sizeof room};
    check(fmhac_plan_work_room(plan, workgroups, &room), "room");
    int32_t count = 0;
    const fmhac_work_lengths lengths = {
        .size = sizeof lengths, .seqlens_q = b->rows, .seqlens_kv = b->keys};
    const fmhac_work_lists lists = {
        .size = sizeof lists,
        .indptr = malloc((room.lists + 1) * sizeof(int32_t)),
        .items = malloc(room.items * sizeof(fmhac_work_item)),
        .combine_items =
            malloc(room.combine_items * sizeof(fmhac_combine_item) + 1),
        .combine_count = &count,
        .kernel = kernel};
    void *scratch = malloc(room.scratch_bytes);
    check(
        fmhac_plan_work(plan, &problem, workgroups, &lengths, &lists, scratch),
        "lists");
    const fmhac_device_ptr set =
        workspace + kernel * places.kernel_stride_bytes;
    copy(set + places.indptr_offset_bytes, lists.indptr,
         (room.lists + 1) * sizeof(int32_t));
    copy(set + places.items_offset_bytes, lists.items,
         (size_t)lists.indptr[room.lists] * sizeof(fmhac_work_item));
    copy(set + places.combine_count_offset_bytes, &count, sizeof count);
    copy(set + places.combine_items_offset_bytes, lists.combine_items,
         (size_t)count * sizeof(fmhac_combine_item));
    uint32_t used = (uint32_t)room.lists;
    while (used && lists.indptr[used - 1] == lists.indptr[used])
      --used;
    const fmhac_work_queue queue = {0, used, workgroups};
    if (places.queue_offset_bytes)
      copy(set + places.queue_offset_bytes, &queue, sizeof queue);
    free(lists.indptr);
    free(lists.items);
    free(lists.combine_items);
    free(scratch);
  }
}

static void test_lists_of_the_host(void **state) {
  (void)state;
  configure(9);
  for (size_t i = 1; i < 8; ++i) {
    if (!in_part(i))
      continue;
    const configuration *c = &k_configurations[i];
    char json[TEXT_BYTES];
    write_json(c, NULL, json);
    const fmhac_problem most = most_of(&k_mixed);
    fmhac_plan *plan = make_plan(json, &most);
    const fmhac_device_ptr workspace = workspace_of(plan);
    const fmhac_tensors t = tensors_of(plan, c, &k_mixed);
    plan_on_host(plan, &k_mixed, workspace);
    check(fmhac_launch_planned(plan, g_device, &t, pointer(workspace), NULL),
          json);
    expect_right(plan, &t, json);
    fmhac_tensors device = t;
    device.o = reserve(o_bytes(c, &k_mixed), 0x11);
    check(fmhac_launch(plan, g_device, &device, pointer(workspace_of(plan)),
                       NULL),
          json);
    expect_equal(t.o, device.o, o_bytes(c, &k_mixed), json);
    fmhac_plan_destroy(plan);
  }
}

//===- Plans --------------------------------------------------------------===//

/// A plan for few rows starts their kernel alone; so does a plan without
/// lengths of rows, whatever its maxima.
static void test_one_kernel_is_enough(void **state) {
  (void)state;
  fmhac_problem most = most_of(&k_mixed);
  char json[TEXT_BYTES];
  write_json(&k_configurations[2], NULL, json);
  most.seqlen_q = 16;
  fmhac_plan *plan = make_plan(json, &most);
  assert_int_equal(fmhac_plan_launch_count(plan), 2);
  fmhac_plan_destroy(plan);
  most.seqlen_q = 17;
  plan = make_plan(json, &most);
  assert_int_equal(fmhac_plan_launch_count(plan), 3);
  fmhac_plan_destroy(plan);
  most.seqlen_q = 300;
  plan = make_plan("{\"head_dim\":64,\"work\":\"list\",\"seqlens_kv\":true,"
                   "\"schedule\":\"generic if Sq <= 16; generic_wide\"}",
                   &most);
  assert_int_equal(fmhac_plan_launch_count(plan), 2);
  fmhac_plan_destroy(plan);
  // A condition on keys divides nothing: it is the plan's that counts.
  plan = make_plan("{\"head_dim\":64,\"work\":\"list\"," LENGTHS
                   ",\"schedule\":\"generic if Sk <= 256; generic_wide\"}",
                   &most);
  assert_int_equal(fmhac_plan_launch_count(plan), 2);
  fmhac_plan_destroy(plan);
}

/// The first kernel adds little to a workspace: its sequences have few rows.
static void test_workspace(void **state) {
  (void)state;
  fmhac_problem most = most_of(&k_mixed);
  most.batch = 64;
  most.seqlen_q = 2048;
  most.seqlen_kv = 8192;
  char json[TEXT_BYTES];
  const configuration *c = &k_configurations[4];
  size_t bytes[2];
  for (int alone = 0; alone < 2; ++alone) {
    write_json(c, alone ? c->many : NULL, json);
    fmhac_plan *plan = make_plan(json, &most);
    bytes[alone] = fmhac_plan_workspace_bytes(plan);
    fmhac_plan_destroy(plan);
  }
  assert_true(bytes[0] > bytes[1]);
  assert_true(bytes[0] - bytes[1] < bytes[1] / 50);
}

static void expect_refused(const char *json, fmhac_status expected,
                           const char *text) {
  const fmhac_problem most = most_of(&k_mixed);
  fmhac_plan *plan;
  assert_int_equal(fmhac_plan_create_json(g_context, json, &most, &plan),
                   expected);
  if (!strstr(fmhac_last_error(g_context), text))
    fail_msg("expected '%s' in '%s'", text, fmhac_last_error(g_context));
}

static void test_what_is_refused(void **state) {
  (void)state;
  // Bytes would depend on the plan's maxima.
  expect_refused("{\"head_dim\":64,\"work\":\"list\"," LENGTHS FIXED
                 ",\"schedule\":\"generic if Sk <= 256; generic_wide\"}",
                 FMHAC_UNSUPPORTED, "conditions \"Sq <= N\"");
  expect_refused("{\"head_dim\":64,\"work\":\"list\",\"seqlens_kv\":true" FIXED
                 ",\"schedule\":\"generic if Sq <= 16; generic_wide\"}",
                 FMHAC_UNSUPPORTED, "with cu_seqlens_q or seqlens_q");
  // A chunk is of whole tiles of each kernel.
  expect_refused("{\"head_dim\":64,\"work\":\"list\"," LENGTHS
                 ",\"split_kv\":\"fixed\",\"split_chunk\":96,\"schedule\":"
                 "\"generic if Sq <= 16; generic_wide\"}",
                 FMHAC_INVALID_INPUT, "expected split_chunk to be a multiple");
  char json[TEXT_BYTES];
  write_json(&k_configurations[1], NULL, json);
  const fmhac_problem most = most_of(&k_mixed);
  fmhac_plan *plan = make_plan(json, &most);
  const fmhac_work_lengths lengths = {.size = sizeof lengths,
                                      .seqlens_q = k_mixed.rows,
                                      .seqlens_kv = k_mixed.keys};
  static _Alignas(16) char scratch[16];
  int32_t none[1];
  fmhac_work_item item;
  fmhac_work_lists lists = {
      .size = sizeof lists, .indptr = none, .items = &item, .kernel = 2};
  assert_int_equal(fmhac_plan_work(plan, &most, 256, &lengths, &lists, scratch),
                   FMHAC_INVALID_INPUT);
  assert_non_null(strstr(fmhac_last_error(g_context),
                         "below the 2 kernels of attention of the plan"));
  // A caller of a release that had no such field.
  lists.kernel = 0;
  lists.size = offsetof(fmhac_work_lists, kernel);
  assert_int_equal(fmhac_plan_work(plan, &most, 256, &lengths, &lists, scratch),
                   FMHAC_INVALID_INPUT);
  assert_non_null(strstr(fmhac_last_error(g_context), "with the field kernel"));
  fmhac_plan_destroy(plan);
}

static int set_up(void **state) {
  (void)state;
  FILE *file = fopen(PACKED, "w");
  if (!file || fputs(k_packed, file) < 0 || fclose(file) != 0)
    return -1;
  g_context = open_context();
  return !g_context || fmhac_rt_device_open("emu", &g_device) != FMHAC_OK;
}
static int tear_down(void **state) {
  (void)state;
  fmhac_rt_device_close(g_device);
  fmhac_context_destroy(g_context);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_batches),
      cmocka_unit_test(test_many_sequences),
      cmocka_unit_test(test_other_lengths),
      cmocka_unit_test(test_layers),
      cmocka_unit_test(test_lists_of_the_host),
      cmocka_unit_test(test_one_kernel_is_enough),
      cmocka_unit_test(test_workspace),
      cmocka_unit_test(test_what_is_refused)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
