// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lengths on the device that break every rule: a launch whose work is a list
// writes nothing beyond its workspace and its tensors, under every check of the
// emulator, and the next one with lengths as they should be is right. Maxima
// are those of the tensors, and totals of the plan fewer rows and keys than
// these have together.
#include "attention_test.h"
#include "fmhac_reference.h"

enum { B = 5, HQ = 4, HK = 2, SQ = 150, SK = 416, D = 64, PAGE = 16 };
enum { TOTAL_Q = 300, TOTAL_KV = 1200 };
enum { WIDTH = SK / PAGE, PAGES = B * WIDTH };

/// Arrays of lengths that a configuration may have, B + 1 i32 each.
typedef struct lengths {
  int32_t cu_q[B + 1], cu_kv[B + 1], rows[B + 1], keys[B + 1], indptr[B + 1],
      last[B + 1];
} lengths;

/// 5 sequences of 1, 150, 0, 4 and 80 rows, and 400, 150, 7, 416 and 100 keys.
static const lengths good = {
    {0, 1, 151, 151, 155, 235}, {0, 400, 550, 557, 973, 1073},
    {1, 150, 0, 4, 80, 0},      {400, 150, 7, 416, 100, 0},
    {0, 25, 35, 36, 62, 69},    {16, 6, 7, 16, 4, 0}};

#define MOST INT32_MAX
#define LEAST INT32_MIN
/// Packed sequences begin where a sequence of the most rows or keys that there
/// may be ends within its tensor: what lies beyond is the caller's.
static const lengths bad[] = {
    // Beyond the maxima, and together beyond the totals.
    {{0, 450, 600, 600, 450, 590},
     {0, 1664, 1000, 1664, 1660, 1664},
     {MOST, MOST, SQ + 1, SQ, 1 << 20, 0},
     {MOST, SK + 1, MOST, 1 << 24, SK, 0},
     {0, 104, 104, 104, 104, 130},
     {MOST, PAGE + 1, 400, PAGE, 1 << 20, 0}},
    // Below 0, and in any order.
    {{600, 0, 300, 200, 500, 600},
     {1664, 0, 1000, 3, 1600, 1664},
     {-1, LEAST, 80, 3, -80, 0},
     {LEAST, 300, -1, SK, 5, 0},
     {104, 60, 104, 3, 40, 0},
     {LEAST, -1, -1, 16, LEAST, 0}},
    // Within the maxima, and together beyond the totals.
    {{0, 150, 300, 450, 600, 600},
     {0, 416, 832, 1248, 1664, 1664},
     {SQ, SQ, SQ, SQ, SQ, 0},
     {SK, SK, SK, SK, SK, 0},
     {0, 26, 52, 78, 104, 130},
     {PAGE, PAGE, PAGE, PAGE, PAGE, 0}}};

static const struct {
  const char *name, *json;
} configs[] = {
    {"padded, pages, auto",
     "{\"head_dim\":64,\"mask\":\"causal\",\"page_size\":16,"
     "\"page_table\":true,\"seqlens_q\":true,\"seqlens_kv\":true,\"lse\":true,"
     "\"work\":\"list\",\"split_kv\":\"auto\"}"},
    {"packed, fixed",
     "{\"head_dim\":64,\"mask\":\"causal\",\"cu_seqlens_q\":true,"
     "\"cu_seqlens_kv\":true,\"lse\":true,\"work\":\"list\","
     "\"split_kv\":\"fixed\",\"split_chunk\":64,\"schedule\":\"generic\"}"},
    {"packed, lists of pages, fixed",
     "{\"head_dim\":64,\"cu_seqlens_q\":true,\"page_size\":16,"
     "\"kv_indptr\":true,\"kv_indices\":true,\"kv_last_page_len\":true,"
     "\"work\":\"list\",\"split_kv\":\"fixed\",\"split_chunk\":128}"},
    {"padded, window, none",
     "{\"head_dim\":64,\"mask\":\"window:100,0\",\"seqlens_q\":true,"
     "\"seqlens_kv\":true,\"work\":\"list\"}"},
    {"packed, a queue, fixed",
     "{\"head_dim\":64,\"mask\":\"causal\",\"cu_seqlens_q\":true,"
     "\"cu_seqlens_kv\":true,\"work\":\"queue\",\"split_kv\":\"fixed\","
     "\"split_chunk\":128}"},
    {"padded, cached, auto",
     "{\"head_dim\":64,\"mask\":\"causal\",\"page_size\":16,"
     "\"page_table\":true,\"seqlens_q\":true,\"seqlens_kv\":true,"
     "\"kv_lengths\":\"cached\",\"work\":\"list\",\"split_kv\":\"auto\"}"}};

typedef struct fixture {
  fmhac_plan *plan;
  fmhac_tensors tensors;
  fmhac_device_ptr workspace;
  fmhac_device_ptr arrays[6]; ///< in the order of `lengths`
} fixture;

static void check(fmhac_status status) {
  if (status != FMHAC_OK)
    fail_msg("%s; %s", fmhac_last_error(g_context),
             fmhac_rt_last_error(g_device));
}

static bool has(const char *json, const char *key) {
  char quoted[40];
  snprintf(quoted, sizeof quoted, "\"%s\"", key);
  return strstr(json, quoted);
}

/// Plan, tensors as large as the maxima ask for, workspace.
static void open_plan(fixture *f, const char *json) {
  const fmhac_problem most = {.size = sizeof most,
                              .batch = B,
                              .heads_q = HQ,
                              .heads_kv = HK,
                              .seqlen_q = SQ,
                              .seqlen_kv = SK,
                              .total_q = TOTAL_Q,
                              .total_kv = TOTAL_KV};
  f->plan = make_plan(json, &most);
  check(fmhac_rt_device_open("emu", &g_device));
  fmhac_emu_options options;
  fmhac_emu_options_init(&options);
  options.checks = FMHAC_EMU_CHECK_ALL;
  check(fmhac_emu_configure(g_device, &options));
  const size_t q = (size_t)B * SQ * HQ * D, k = (size_t)B * SK * HK * D;
  fmhac_tensors *t = &f->tensors;
  *t = (fmhac_tensors){.size = sizeof *t};
  check(fmhac_tensors_dense(
      f->plan, &most, put_values(q, 2, 1), put_values(k, 2, 2),
      put_values(k, 2, 3), reserve(2 * q, 0xff),
      has(json, "lse") ? reserve((size_t)B * HQ * SQ * 4, 0xff) : 0, t));
  int32_t numbers[PAGES];
  for (int i = 0; i < PAGES; ++i)
    numbers[i] = i * 7 % PAGES;
  const fmhac_device_ptr table = put(numbers, sizeof numbers);
  for (int i = 0; i < 6; ++i)
    f->arrays[i] = reserve((B + 1) * sizeof(int32_t), 0xff);
  const struct {
    const char *key;
    fmhac_device_ptr *to, from;
  } inputs[] = {{"cu_seqlens_q", &t->cu_seqlens_q, f->arrays[0]},
                {"cu_seqlens_kv", &t->cu_seqlens_kv, f->arrays[1]},
                {"seqlens_q", &t->seqlens_q, f->arrays[2]},
                {"seqlens_kv", &t->seqlens_kv, f->arrays[3]},
                {"kv_indptr", &t->kv_indptr, f->arrays[4]},
                {"kv_last_page_len", &t->kv_last_page_len, f->arrays[5]},
                {"kv_indices", &t->kv_indices, table},
                {"page_table", &t->page_table, table}};
  for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; ++i)
    if (has(json, inputs[i].key))
      *inputs[i].to = inputs[i].from;
  if (t->cu_seqlens_q && t->lse)
    t->lse_head_stride_bytes = (uint64_t)B * SQ * sizeof(float);
  if (t->page_table)
    t->page_table_batch_stride_bytes = WIDTH * sizeof(int32_t);
  if (has(json, "page_size"))
    t->pages = PAGES;
  f->workspace = reserve(fmhac_plan_workspace_bytes(f->plan), 0xff);
}

static void tell(const fixture *f, const lengths *l, bool is_cached) {
  const int32_t *const arrays[] = {l->cu_q, l->cu_kv,  l->rows,
                                   l->keys, l->indptr, l->last};
  for (int i = 0; i < 6; ++i)
    check(fmhac_rt_copy_in(g_device, f->arrays[i], arrays[i],
                           (B + 1) * sizeof(int32_t)));
  if (!is_cached || l != &good)
    return;
  int32_t before[B + 1] = {0};
  for (int i = 0; i < B; ++i)
    before[i] = l->keys[i] > l->rows[i] ? l->keys[i] - l->rows[i] : 0;
  check(fmhac_rt_copy_in(g_device, f->arrays[3], before, sizeof before));
}

static fmhac_status launch(const fixture *f) {
  return fmhac_launch(f->plan, g_device, &f->tensors,
                      (void *)(uintptr_t)f->workspace, NULL);
}

static void fail_findings(const char *name, size_t which) {
  for (size_t n = 0; n < fmhac_emu_finding_count(g_device) && n < 8; ++n) {
    fmhac_emu_finding finding = {.size = sizeof finding};
    check(fmhac_emu_get_finding(g_device, n, &finding));
    print_message("%s\n", finding.message);
  }
  fail_msg("%s, lengths %zu: %s", name, which, fmhac_last_error(g_context));
}

/// The launch with `good` lengths, whatever came before it.
static void expect_right(const fixture *f, const char *name, bool is_cached) {
  tell(f, &good, is_cached);
  check(
      fmhac_rt_fill(g_device, f->tensors.o, 0xff, (size_t)B * SQ * HQ * D * 2));
  check(launch(f));
  fmhac_comparison result = {.size = sizeof result};
  check(fmhac_compare_launch(f->plan, g_device, &f->tensors, NULL, &result));
  if (!result.pass)
    fail_msg("%s: %s", name, result.reason);
  assert_int_equal(result.rows, (1 + 150 + 4 + 80) * HQ);
}

static void test_lengths(void **state) {
  (void)state;
  for (size_t c = 0; c < sizeof configs / sizeof configs[0]; ++c) {
    if (!in_part(c))
      continue;
    fixture f;
    const bool is_cached = strstr(configs[c].json, "cached");
    open_plan(&f, configs[c].json);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
      tell(&f, &bad[i], is_cached);
      if (launch(&f) != FMHAC_OK)
        fail_findings(configs[c].name, i);
      expect_right(&f, configs[c].name, is_cached);
    }
    fmhac_plan_destroy(f.plan);
    fmhac_rt_device_close(g_device);
  }
}

/// What is left out has no row of O written, and what comes before it is right:
/// packed sequences of 150 and 151 rows, of which 300 are the most together.
static void test_left_out(void **state) {
  (void)state;
  fixture f;
  open_plan(&f, configs[1].json);
  lengths l = good;
  const int32_t rows[B + 1] = {0, 150, 160, 300, 301, 301};
  memcpy(l.cu_q, rows, sizeof rows);
  tell(&f, &l, false);
  check(launch(&f));
  static uint16_t o[B * SQ * HQ * D];
  check(fmhac_rt_copy_out(g_device, f.tensors.o, o, sizeof o));
  for (size_t i = 0; i < sizeof o / sizeof o[0]; ++i)
    assert_int_equal(o[i] == 0xffff, i >= (size_t)300 * HQ * D);
  fmhac_plan_destroy(f.plan);
  fmhac_rt_device_close(g_device);
}

static int set_up(void **state) {
  (void)state;
  g_context = open_context();
  return !g_context;
}
static int tear_down(void **state) {
  (void)state;
  fmhac_context_destroy(g_context);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_lengths),
                                     cmocka_unit_test(test_left_out)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
