// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans of kernels with several entries: which one is launched, and with how
// many workgroups. Expected values are computed by hand.
#include "fmhac_inspect.h"
#include "fmhac_work.h"
#include "plan_fixture.h"
#include "work_list.h"

/// Creates a plan of the fixture's kernel, whose first `count` entries are
/// these.
static fmhac_status plan_again(fixture *f, const fmhac_entry *entries,
                               size_t count, const fmhac_problem *most) {
  fmhac_plan_destroy(f->plan);
  fmhac_kernel_set_entries(f->kernel, entries, count);
  return fmhac_plan_create(f->kernel, most, &f->plan);
}

/// An entry like the plan_entry one.
static fmhac_entry entry_of(const char *name, const char *when) {
  fmhac_entry e = plan_entry;
  strcpy(e.kernel, name);
  strcpy(e.when, when);
  return e;
}

/// A plan takes the first entry whose condition holds for its largest problem.
static void test_entry_by_size(void **state) {
  fixture *f = *state;
  const fmhac_entry few_keys[] = {entry_of("short", "Sk <= 256"),
                                  entry_of("long", "")};
  const fmhac_entry both[] = {
      entry_of("one", "257 <= Sk and B * Hq <= 8"),
      entry_of("two", "Sq <= 1 and Hk <= 1"),
      entry_of("three", "splits <= 1 and 257 <= CUs"), // CUs are 256
      entry_of("four", "1 <= Sk"),
      entry_of("five", ""),
  };
  static const struct {
    bool of_both;
    fmhac_problem most;
    size_t entry;
    const char *kernel;
  } rows[] = {
      {false, {sizeof(fmhac_problem), 1, 2, 1, 5, 1, 0, 0}, 0, "short"},
      {false, {sizeof(fmhac_problem), 9, 8, 1, 5000, 255, 0, 0}, 0, "short"},
      {false, {sizeof(fmhac_problem), 1, 2, 1, 5, 256, 0, 0}, 0, "short"},
      {false, {sizeof(fmhac_problem), 1, 2, 1, 5, 257, 0, 0}, 1, "long"},
      {false, {sizeof(fmhac_problem), 1, 2, 1, 256, 5000, 0, 0}, 1, "long"},
      {true, {sizeof(fmhac_problem), 2, 4, 1, 1, 257, 0, 0}, 0, "one"},
      {true, {sizeof(fmhac_problem), 3, 3, 1, 1, 257, 0, 0}, 1, "two"},
      {true, {sizeof(fmhac_problem), 2, 4, 1, 1, 256, 0, 0}, 1, "two"},
      {true, {sizeof(fmhac_problem), 2, 4, 2, 1, 256, 0, 0}, 3, "four"},
      {true, {sizeof(fmhac_problem), 2, 4, 1, 2, 256, 0, 0}, 3, "four"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    assert_int_equal(plan_again(f, rows[i].of_both ? both : few_keys,
                                rows[i].of_both ? 5 : 2, &rows[i].most),
                     FMHAC_OK);
    if (fmhac_plan_get_entry(f->plan, 0) != rows[i].entry)
      fail_msg("row %zu: expected entry %zu, found %zu", i, rows[i].entry,
               fmhac_plan_get_entry(f->plan, 0));
    assert_int_equal(fmhac_plan_launch_count(f->plan), 1);
    // Past the launches there is nothing.
    assert_int_equal(fmhac_plan_get_entry(f->plan, 1), 0);
    fmhac_kernel_args args;
    fmhac_rt_launch launch = {.size = sizeof launch};
    f->tensors.seqlen_kv = f->tensors.seqlen_q = f->tensors.batch = 1;
    f->tensors.heads_q = rows[i].most.heads_kv;
    f->tensors.heads_kv = rows[i].most.heads_kv;
    assert_int_equal(plan_pack(f, &args, &launch), FMHAC_OK);
    assert_string_equal(launch.kernel, rows[i].kernel);
  }
}

/// The plan's entry serves every problem up to its largest: a launch of fewer
/// keys keeps it.
static void test_entry_is_the_plans(void **state) {
  fixture *f = *state;
  const fmhac_entry entries[] = {entry_of("short", "Sk <= 64"),
                                 entry_of("long", "")};
  const fmhac_problem most = {sizeof most, B, HQ, HK, SQ, SK, 0, 0};
  assert_int_equal(plan_again(f, entries, 2, &most), FMHAC_OK);
  fmhac_rt_device device = {0};
  assert_int_equal(fmhac_launch(f->plan, &device, &f->tensors, NULL, NULL),
                   FMHAC_OK);
  assert_string_equal(device.last.kernel, "long");
  f->tensors.seqlen_kv = 64;
  assert_int_equal(fmhac_launch(f->plan, &device, &f->tensors, NULL, NULL),
                   FMHAC_OK);
  assert_string_equal(device.last.kernel, "long");
  assert_int_equal(device.loads, 1);
  // What a launch needs is the entry's: its block, its rounding of rows.
  fmhac_entry other[] = {entries[0], entries[1]};
  other[1].block_threads = 128;
  other[1].row_rounding = 1024;
  assert_int_equal(plan_again(f, other, 2, &most), FMHAC_OK);
  fmhac_kernel_args args;
  fmhac_rt_launch launch = {.size = sizeof launch};
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_OK);
  assert_int_equal(launch.block[0], 128);
  // 1024 rows of 2^22 bytes are 2^32; 512 rows are not.
  f->tensors.q_strides.row_bytes = 1 << 22;
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_UNSUPPORTED);
  assert_contains(fmhac_last_error(f->context), "tensor q: row stride 4194304");
  assert_contains(fmhac_last_error(f->context), "1024 rows of it");
  other[1].row_rounding = 512;
  assert_int_equal(plan_again(f, other, 2, &most), FMHAC_OK);
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_OK);
}

/// The same kernel for lists, which runs in one workgroup a compute unit, and a
/// planner for it.
static fmhac_entry list_of(fmhac_entry e) {
  strcat(e.kernel, "-list");
  strcpy(e.grid[0], "CUs");
  strcpy(e.grid[1], "1");
  strcpy(e.grid[2], "1");
  e.required_args |= UINT64_C(1) << FMHAC_ARGS_WORK_BIT;
  return e;
}
static fmhac_entry planner_of(fmhac_entry e) {
  e = list_of(e);
  strcat(e.kernel, "-plan");
  strcpy(e.grid[0], "1");
  e.role = FMHAC_ROLE_PLAN;
  e.required_args |= UINT64_C(1) << FMHAC_ARGS_PLAN_BIT;
  return e;
}

/// Totals make a workspace smaller if the planner keeps to them: one that was
/// compiled before there were totals does not ask for them.
static void test_workspace_by_totals(void **state) {
  fixture *f = *state;
  fmhac_problem most = {.size = sizeof most,
                        .batch = 1000,
                        .heads_q = HQ,
                        .heads_kv = HK,
                        .seqlen_q = 2000,
                        .seqlen_kv = 300};
  fmhac_entry list = list_of(entry_of("long", ""));
  fmhac_entry plan = planner_of(entry_of("long", ""));
  list.tile_n = plan.tile_n = 64;
  list.required_args |= UINT64_C(1) << FMHAC_ARGS_VARLEN_Q_BIT;
  plan.required_args |= UINT64_C(1) << FMHAC_ARGS_VARLEN_Q_BIT;
  size_t bytes[2][2];
  for (int knows = 0; knows < 2; ++knows)
    for (int given = 0; given < 2; ++given) {
      const uint64_t totals = UINT64_C(1) << FMHAC_ARGS_TOTALS_BIT;
      plan.required_args =
          knows ? plan.required_args | totals : plan.required_args & ~totals;
      most.total_q = given ? 3000 : 0;
      assert_int_equal(
          plan_again(f, (const fmhac_entry[]){list, plan}, 2, &most), FMHAC_OK);
      bytes[knows][given] = fmhac_plan_workspace_bytes(f->plan);
      fmhac_kernel_args args;
      fmhac_rt_launch launch = {.size = sizeof launch};
      f->tensors.cu_seqlens_q = 0x6000000;
      if (fmhac_plan_pack(f->plan, 0, &f->tensors, 0x7000000, &args,
                          sizeof args, &launch) != FMHAC_OK)
        fail_msg("%s", fmhac_last_error(f->context));
      assert_true(args.total_q == (knows && given ? 3000 : 0));
      assert_true(args.total_kv == 0);
    }
  assert_true(bytes[0][0] == bytes[0][1] && bytes[0][0] == bytes[1][0]);
  // 8000 tiles of rows, or fewer than 1012: 3000 rows, and 255 more of each.
  assert_true(bytes[1][1] + (size_t)(8000 - 1012) * sizeof(fmhac_work_item) <
              bytes[0][0]);
}

/// Of a kernel with both forms, a plan takes lists where sequences have lengths
/// of their own, and more rows than a tile, 256, and the grid has more than
/// twice as many workgroups as compute units, 256, with more than 512 tiles of
/// 64 keys each. The schedule does not depend on the form.
static void test_form_by_problem(void **state) {
  fixture *f = *state;
  static const struct {
    bool has_lengths;
    uint32_t rows;
    struct {
      uint32_t batch, heads, keys;
    } of;
    uint64_t total_q;
    const char *attention; ///< its symbol
  } rows[] = {
      // 65 sequences of two tiles, four heads: 520 workgroups.
      {true, 257, {65, 4, 64 * 253}, 0, "long-list"},
      {true, 257, {65, 4, 64 * 252}, 0, "long"},
      {true, 257, {64, 4, 64 * 300}, 0, "long"},
      {true, 256, {130, 4, 64 * 600}, 0, "long"},
      {true, 257, {9000, 4, 256}, 0, "short-list"},
      {true, 256, {64, 4, 256}, 0, "short"},
      {false, 257, {65, 4, 64 * 300}, 0, "long"},
      {false, 257, {640, 4, 200}, 0, "short"},
      // Fewer rows together: four tiles, and one more for each sequence.
      {true, 257, {65, 4, 64 * 300}, 1024, "long"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    fmhac_entry few = entry_of("short", "Sk <= 256"),
                many = entry_of("long", "");
    if (rows[i].has_lengths) {
      few.required_args |= UINT64_C(1) << FMHAC_ARGS_LENGTHS_KV_BIT;
      many.required_args |= UINT64_C(1) << FMHAC_ARGS_LENGTHS_KV_BIT;
    }
    few.tile_n = many.tile_n = 64;
    const fmhac_problem most = {.size = sizeof most,
                                .batch = rows[i].of.batch,
                                .heads_q = rows[i].of.heads,
                                .heads_kv = 2,
                                .seqlen_q = rows[i].rows,
                                .seqlen_kv = rows[i].of.keys,
                                .total_q = rows[i].total_q};
    const fmhac_entry entries[] = {few,
                                   many,
                                   list_of(few),
                                   list_of(many),
                                   planner_of(few),
                                   planner_of(many)};
    assert_int_equal(plan_again(f, entries, 6, &most), FMHAC_OK);
    const bool has_lists = strstr(rows[i].attention, "-list") != NULL;
    const size_t launches = fmhac_plan_launch_count(f->plan);
    assert_int_equal(launches, has_lists ? 2 : 1);
    const size_t attention = fmhac_plan_get_entry(f->plan, launches - 1);
    assert_string_equal(entries[attention].kernel, rows[i].attention);
    // The planner of the same tiles.
    if (has_lists)
      assert_int_equal(fmhac_plan_get_entry(f->plan, 0), attention + 2);
    assert_int_equal(fmhac_plan_workspace_bytes(f->plan) > 0, has_lists);
    // What only lists need is not asked for without them.
    fmhac_kernel_args args;
    fmhac_rt_launch launch = {.size = sizeof launch};
    f->tensors.seqlen_kv = f->tensors.seqlen_q = f->tensors.batch = 1;
    f->tensors.heads_q = f->tensors.heads_kv = 1;
    f->tensors.seqlens_kv = rows[i].has_lengths ? 0x6000000 : 0;
    if (has_lists)
      continue;
    assert_int_equal(plan_pack(f, &args, &launch), FMHAC_OK);
    assert_int_equal(args.field_mask, few.required_args);
  }
}

static void test_no_entry(void **state) {
  fixture *f = *state;
  const fmhac_entry entries[] = {entry_of("short", "Sk <= 256"),
                                 entry_of("few", "B * Hq <= 4 and 2 <= B")};
  fmhac_problem most = {sizeof most, 1, 4, 2, 8, 257, 0, 0};
  assert_int_equal(plan_again(f, entries, 2, &most), FMHAC_UNSUPPORTED);
  assert_null(f->plan);
  assert_string_equal(fmhac_last_error(f->context),
                      "plan: no entry of the kernel takes a problem of Sq = 8, "
                      "Sk = 257, B = 1, Hq = 4, Hk = 2: expected Sk <= 256, or "
                      "B * Hq <= 4 and 2 <= B");
  most.batch = 2;
  most.heads_q = 2;
  assert_int_equal(plan_again(f, entries, 2, &most), FMHAC_OK);
  assert_int_equal(fmhac_plan_get_entry(f->plan, 0), 1);
}

/// Grids as expressions, with values computed by hand; 256 compute units, as
/// an MI355X has.
static void test_grid(void **state) {
  fixture *f = *state;
  static const struct {
    const char *grid[3];
    uint32_t expected[3];
  } rows[] = {
      // Sq 300, Sk 77, B 2, Hq 6, Hk 2.
      {{"Sq", "Sk", "B"}, {300, 77, 2}},
      {{"Hq", "Hk", "1"}, {6, 2, 1}},
      {{"ceil(Sq / 128)", "Hk", "B"}, {3, 2, 2}},
      {{"ceil(Sq / 128) * Hq", "splits", "B"}, {18, 1, 2}},
      {{"min(CUs, B * Hq * ceil(Sq / 64))", "1", "1"}, {60, 1, 1}},
      {{"min(CUs, B * Hq * ceil(Sq / 8))", "1", "1"}, {256, 1, 1}},
      {{"CUs * 2", "max(Hq - 9, 1)", "ceil(B / 2)"}, {512, 1, 1}},
      {{"max(Sk, Hq * 13)", "2 + 3 * 4", "(2 + 3) * 4"}, {78, 14, 20}},
  };
  const fmhac_problem most = {sizeof most, B, HQ, HK, SQ, SK, 0, 0};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    fmhac_entry e = plan_entry;
    for (int side = 0; side < 3; ++side)
      strcpy(e.grid[side], rows[i].grid[side]);
    assert_int_equal(plan_again(f, &e, 1, &most), FMHAC_OK);
    fmhac_kernel_args args;
    fmhac_rt_launch launch = {.size = sizeof launch};
    assert_int_equal(plan_pack(f, &args, &launch), FMHAC_OK);
    for (int side = 0; side < 3; ++side)
      if (launch.grid[side] != rows[i].expected[side])
        fail_msg("%s: expected %u, found %u", rows[i].grid[side],
                 rows[i].expected[side], launch.grid[side]);
  }
  // The sizes are those of the launch, not of the plan.
  fmhac_entry e = plan_entry;
  strcpy(e.grid[1], "Sk - 70");
  assert_int_equal(plan_again(f, &e, 1, &most), FMHAC_OK);
  fmhac_kernel_args args;
  fmhac_rt_launch launch = {.size = sizeof launch};
  f->tensors.seqlen_kv = 75;
  f->tensors.seqlen_q = 256;
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_OK);
  assert_int_equal(launch.grid[0], 1);
  assert_int_equal(launch.grid[1], 5);
  f->tensors.seqlen_kv = 70;
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_UNSUPPORTED);
  assert_string_equal(
      fmhac_last_error(f->context),
      "problem: expected the grid of entry attn, (ceil(Sq / 256), Sk - 70, B), "
      "to have from 1 to 2^32 - 1 workgroups in x and to 65535 in y and z for "
      "Sq = 256, Sk = 70, B = 2, Hq = 6, Hk = 2; it has not");
}

/// Sides that no grid has: none, negative, too many, no value.
static void test_grid_without_a_size(void **state) {
  fixture *f = *state;
  static const struct {
    int side;
    const char *text, *taken; ///< taken: the nearest one that a device has
  } rows[] = {
      {0, "0", "1"},
      {0, "Sk - 78", "Sk - 76"},
      {0, "4294967296", NULL},
      {0, "9223372036854775807 + Sq", NULL},
      {0, "ceil(Sq / (B - 2))", "ceil(Sq / (B - 1))"},
      {1, "65536", "65535"},
      {1, "0 * Hq", "1 * Hq"},
      {2, "65536", "65535"},
      {2, "1 - B", "3 - B"},
  };
  const fmhac_problem most = {sizeof most, B, HQ, HK, 1, SK, 0, 0};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    for (int taken = 0; taken < 2; ++taken) {
      fmhac_entry e = plan_entry;
      for (int side = 0; side < 3; ++side)
        strcpy(e.grid[side], "1");
      const char *text = taken ? rows[i].taken : rows[i].text;
      if (!text)
        continue;
      strcpy(e.grid[rows[i].side], text);
      const fmhac_status status = plan_again(f, &e, 1, &most);
      if (status != (taken ? FMHAC_OK : FMHAC_UNSUPPORTED))
        fail_msg("%s: status %d, %s", text, status,
                 fmhac_last_error(f->context));
      if (!taken)
        assert_contains(fmhac_last_error(f->context), text);
    }
}

/// Nobody but the compiler writes launches: what cannot be read is its fault.
static void test_malformed_launches(void **state) {
  fixture *f = *state;
  static const char *const sides[] = {"", "Sq Sk", "ceil(Sq, 2)", "x",
                                      "Sq <= 2"};
  static const char *const whens[] = {"Sk", "Sk <", "Sk <= 256 or B <= 1", " "};
  const fmhac_problem most = {sizeof most, B, HQ, HK, SQ, SK, 0, 0};
  for (size_t i = 0; i < sizeof sides / sizeof *sides; ++i)
    for (int side = 0; side < 3; ++side) {
      fmhac_entry e = plan_entry;
      strcpy(e.grid[side], sides[i]);
      assert_int_equal(plan_again(f, &e, 1, &most), FMHAC_INTERNAL);
      assert_null(f->plan);
      assert_contains(fmhac_last_error(f->context),
                      "plan: entry attn of its kernel has no launch geometry");
      assert_contains(fmhac_last_error(f->context), sides[i]);
    }
  for (size_t i = 0; i < sizeof whens / sizeof *whens; ++i) {
    const fmhac_entry entries[] = {entry_of("one", "Sk <= 1"),
                                   entry_of("two", whens[i]),
                                   entry_of("three", "")};
    assert_int_equal(plan_again(f, entries, 3, &most), FMHAC_INTERNAL);
    assert_contains(fmhac_last_error(f->context), "entry two");
    // The entry before it takes what it takes.
    const fmhac_problem small = {sizeof small, B, HQ, HK, SQ, 1, 0, 0};
    assert_int_equal(plan_again(f, entries, 3, &small), FMHAC_OK);
  }
}

/// A plan launches attention: other roles stand beside it, without a condition.
static void test_roles(void **state) {
  fixture *f = *state;
  fmhac_entry entries[] = {entry_of("combine", ""),
                           entry_of("short", "Sk <= 1"), entry_of("merge", ""),
                           entry_of("long", "")};
  entries[0].role = FMHAC_ROLE_COMBINE;
  entries[2].role = FMHAC_ROLE_MERGE;
  const fmhac_problem most = {sizeof most, B, HQ, HK, SQ, SK, 0, 0};
  assert_int_equal(plan_again(f, entries, 4, &most), FMHAC_OK);
  assert_int_equal(fmhac_plan_get_entry(f->plan, 0), 3);
  const fmhac_problem small = {sizeof small, B, HQ, HK, SQ, 1, 0, 0};
  assert_int_equal(plan_again(f, entries, 4, &small), FMHAC_OK);
  assert_int_equal(fmhac_plan_get_entry(f->plan, 0), 1);
  // Conditions of attention only are told.
  assert_int_equal(plan_again(f, entries, 3, &most), FMHAC_UNSUPPORTED);
  assert_contains(fmhac_last_error(f->context), "expected Sk <= 1");
  assert_null(strstr(fmhac_last_error(f->context), ", or"));
  assert_int_equal(plan_again(f, entries, 1, &most), FMHAC_INVALID_INPUT);
  assert_contains(fmhac_last_error(f->context),
                  "an entry of the role attention, found only the role "
                  "combine");
}

/// What the kernels of a configuration read, by their roles.
static void test_groups_of_roles(void **state) {
  (void)state;
#define BIT(name) (UINT64_C(1) << FMHAC_ARGS_##name##_BIT)
  fmhac_config_values v;
  fmhac_config_values_init(&v);
  v.sink = v.lse = v.bias = v.seqlens_kv = v.cu_seqlens_q = true;
  v.out_dtype = FMHAC_OUT_DTYPE_FP8;
  fmhac_role roles[FMHAC_ROLES];
  assert_int_equal(fmhac_kernel_roles(&v, roles), 1);
  assert_int_equal(roles[0], FMHAC_ROLE_ATTENTION);
  const uint64_t own = BIT(CORE) | BIT(SINK) | BIT(LSE) | BIT(BIAS) |
                       BIT(LENGTHS_KV) | BIT(VARLEN_Q) | BIT(O_SCALE);
  assert_true(fmhac_kernel_groups(&v) == own);
  // Divided keys need a kernel that combines, in the same code object.
  v.split_kv = FMHAC_SPLIT_KV_AUTO;
  assert_int_equal(fmhac_kernel_roles(&v, roles), 2);
  assert_int_equal(roles[0], FMHAC_ROLE_ATTENTION);
  assert_int_equal(roles[1], FMHAC_ROLE_COMBINE);
  assert_true(fmhac_role_groups(&v, FMHAC_ROLE_ATTENTION) ==
              (own | BIT(PARTS)));
  assert_true(fmhac_role_groups(&v, FMHAC_ROLE_COMBINE) ==
              (BIT(CORE) | BIT(SINK) | BIT(LSE) | BIT(VARLEN_Q) | BIT(O_SCALE) |
               BIT(PARTS) | BIT(COMBINE) | BIT(LIST_SETS)));
  assert_true(fmhac_kernel_groups(&v) ==
              (own | BIT(PARTS) | BIT(COMBINE) | BIT(LIST_SETS)));
  // A list needs one that makes it.
  v.work = FMHAC_WORK_LIST;
  assert_int_equal(fmhac_kernel_roles(&v, roles), 3);
  assert_int_equal(roles[2], FMHAC_ROLE_PLAN);
  assert_true(fmhac_role_groups(&v, FMHAC_ROLE_ATTENTION) ==
              (own | BIT(PARTS) | BIT(WORK)));
  assert_true(fmhac_role_groups(&v, FMHAC_ROLE_PLAN) ==
              (BIT(CORE) | BIT(LENGTHS_KV) | BIT(VARLEN_Q) | BIT(WORK) |
               BIT(COMBINE) | BIT(PLAN) | BIT(TOTALS) | BIT(LIST_SETS)));
  // A kernel with runs needs none, and combines its parts itself.
  v.work = FMHAC_WORK_RUNS;
  assert_int_equal(fmhac_kernel_roles(&v, roles), 1);
  assert_true(fmhac_kernel_groups(&v) ==
              (own | BIT(PARTS) | BIT(RUNS) | BIT(JOIN)));
  v.split_kv = FMHAC_SPLIT_KV_NONE;
  assert_true(fmhac_kernel_groups(&v) == (own | BIT(RUNS)));
  v.work = FMHAC_WORK_LIST;
  v.role = FMHAC_ROLE_MERGE;
  assert_int_equal(fmhac_kernel_roles(&v, roles), 1);
  assert_int_equal(roles[0], FMHAC_ROLE_MERGE);
  v.lse = false; // it has LSE whatever the configuration says
  assert_true(fmhac_kernel_groups(&v) ==
              (BIT(CORE) | BIT(LSE) | BIT(VARLEN_Q) | BIT(MERGE)));
#undef BIT
}

/// A plan of a kernel with runs is one launch, also with divided keys.
static void test_runs(void **state) {
  fixture *f = *state;
#define BIT(name) (UINT64_C(1) << FMHAC_ARGS_##name##_BIT)
  enum { WORKGROUPS = 512, TILE_M = 256, TILE_N = 64 };
  fmhac_entry entries[] = {entry_of("attention", "")};
  entries[0].tile_n = TILE_N;
  entries[0].required_args |= BIT(RUNS);
  strcpy(entries[0].grid[0], "CUs * 2");
  strcpy(entries[0].grid[1], "1");
  strcpy(entries[0].grid[2], "1");
  f->kernel->config.work = FMHAC_WORK_RUNS;
  const fmhac_problem most = {sizeof most, B, HQ, HK, SQ, SK, 0, 0};
  assert_int_equal(plan_again(f, entries, 1, &most), FMHAC_OK);
  assert_int_equal(fmhac_plan_launch_count(f->plan), 1);
  assert_int_equal(fmhac_plan_workspace_bytes(f->plan), 0);
  assert_int_equal(fmhac_plan_workspace_zero_bytes(f->plan), 0);
  fmhac_kernel_args args;
  fmhac_rt_launch launch = {.size = sizeof launch};
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_OK);
  assert_int_equal(launch.grid[0], WORKGROUPS);
  assert_int_equal(args.run_workgroups, WORKGROUPS);
  assert_true(args.field_mask & BIT(RUNS));
  // The workspace has two parts for each run, and a counter for each of these,
  // which comes first.
  f->kernel->config.split_kv = FMHAC_SPLIT_KV_AUTO;
  entries[0].required_args |= BIT(PARTS) | BIT(JOIN);
  assert_int_equal(plan_again(f, entries, 1, &most), FMHAC_OK);
  assert_int_equal(fmhac_plan_launch_count(f->plan), 1);
  const uint64_t tiles = 2 * WORKGROUPS, zero_bytes = tiles * sizeof(uint32_t);
  assert_true(fmhac_plan_workspace_zero_bytes(f->plan) == zero_bytes);
  assert_true(fmhac_plan_workspace_bytes(f->plan) ==
              zero_bytes + tiles * TILE_M * (D + 1) * sizeof(float));
  // There are no lists.
  fmhac_work_places places = {.size = sizeof places};
  assert_int_equal(fmhac_plan_work_places(f->plan, &places), FMHAC_OK);
  assert_int_equal(places.workgroups, 0);
  assert_int_equal(places.kernels, 0);
  assert_true(places.combine_items_offset_bytes == 0);
  fmhac_rt_device *device = (fmhac_rt_device *)&places; // nobody asks it
  assert_int_equal(
      fmhac_launch_planner(f->plan, device, &f->tensors, (void *)4096, NULL),
      FMHAC_INVALID_INPUT);
  assert_contains(fmhac_last_error(f->context), "a plan with lists of work");
  // A line of 2^24 tiles.
  const fmhac_problem large = {sizeof large, 200, HQ, HK, SQ, 1 << 20, 0, 0};
  assert_int_equal(plan_again(f, entries, 1, &large), FMHAC_UNSUPPORTED);
  assert_contains(fmhac_last_error(f->context),
                  "fewer than 2^24 tiles of 64 keys for each tile of 256 rows");
#undef BIT
}

/// A user writes conditions: one without a value is the user's to repair.
static void test_conditions_without_value(void **state) {
  fixture *f = *state;
  static const char *const whens[] = {"Sk <= ceil(1 / 0)",
                                      "Sk * 9223372036854775807 <= 3"};
  const fmhac_problem most = {sizeof most, B, HQ, HK, SQ, SK, 0, 0};
  for (size_t i = 0; i < sizeof whens / sizeof *whens; ++i) {
    const fmhac_entry entries[] = {entry_of("one", whens[i]),
                                   entry_of("two", "")};
    assert_int_equal(plan_again(f, entries, 2, &most), FMHAC_INVALID_INPUT);
    assert_null(f->plan);
    assert_contains(fmhac_last_error(f->context), whens[i]);
    assert_contains(fmhac_last_error(f->context), "to have a value");
  }
}

#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, plan_set_up, plan_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_entry_by_size),
      TEST(test_entry_is_the_plans),
      TEST(test_workspace_by_totals),
      TEST(test_form_by_problem),
      TEST(test_no_entry),
      TEST(test_grid),
      TEST(test_grid_without_a_size),
      TEST(test_malformed_launches),
      TEST(test_roles),
      cmocka_unit_test(test_groups_of_roles),
      TEST(test_runs),
      TEST(test_conditions_without_value),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
