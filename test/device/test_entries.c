// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The default configuration has a kernel for few keys and one for many: each
// plan launches its own, from a compiler, from the cache and from a code object
// alone, and the results are right. test_entries DEVICE FOLDER, where the cache
// is; DEVICE hip is the libamdhip64 of test/hip, which says what was started.
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device_test.h"
#include "fmhac_abi.h"
#include "fmhac_inspect.h"
#include "fmhac_reference.h"
#include "hip_test.h"

static const char *g_uri, *g_folder;

// Neither rows nor keys fill tiles.
enum { B = 2, HQ = 2, HK = 1, SQ = 300, D = 128 };
static const char config_json[] =
    "{\"dtype\": \"bf16\", \"head_dim\": 128, \"mask\": \"causal\", "
    "\"lse\": true}";

typedef struct launched {
  fmhac_context *context;
  const fmhac_kernel *kernel;
  fmhac_rt_device *device;
} launched;

static fmhac_device_ptr reserve(fmhac_rt_device *device, size_t bytes) {
  fmhac_device_ptr address;
  assert_int_equal(fmhac_rt_alloc(device, bytes, &address), FMHAC_OK);
  // What no kernel writes is NaN.
  assert_int_equal(fmhac_rt_fill(device, address, 0xff, bytes), FMHAC_OK);
  return address;
}

/// Elements of either sign, 0.5 to 2.
static fmhac_device_ptr values(fmhac_rt_device *device, size_t count,
                               uint32_t seed) {
  uint16_t *list = malloc(count * sizeof *list);
  assert_non_null(list);
  for (size_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    list[i] = (uint16_t)(0x3f00 | (seed >> 16 & 0x80ff));
  }
  const fmhac_device_ptr address = reserve(device, 2 * count);
  assert_int_equal(fmhac_rt_copy_in(device, address, list, 2 * count),
                   FMHAC_OK);
  free(list);
  return address;
}

static fmhac_tensors tensors_of(const fmhac_plan *plan, fmhac_rt_device *device,
                                uint32_t keys) {
  const fmhac_problem size = {sizeof size, B, HQ, HK, SQ, keys, 0, 0};
  const size_t q = (size_t)B * SQ * HQ * D, k = (size_t)B * keys * HK * D;
  fmhac_tensors t = FMHAC_TENSORS_INIT;
  assert_int_equal(fmhac_tensors_dense(
                       plan, &size, values(device, q, 1), values(device, k, 2),
                       values(device, k, 3), reserve(device, 2 * q),
                       reserve(device, (size_t)B * HQ * SQ * 4), &t),
                   FMHAC_OK);
  return t;
}

/// What the device was told to start.
static void assert_started(const fmhac_kernel_info *entry, uint32_t tiles) {
  unsigned grid[3], block[3];
  assert_string_equal(hipTestLaunched(grid, block), entry->name);
  assert_int_equal(grid[0], tiles);
  assert_int_equal(grid[1], HQ);
  assert_int_equal(grid[2], B);
  assert_int_equal(block[0], entry->block_threads);
  assert_int_equal(block[1], 1);
  assert_int_equal(block[2], 1);
}

/// A plan for up to `most` keys launches entry `expected` for `keys` of them,
/// and the results are those of the definition.
static void launch(const launched *l, uint32_t most, uint32_t keys,
                   size_t expected) {
  const fmhac_problem size = {sizeof size, B, HQ, HK, SQ, most, 0, 0};
  fmhac_plan *plan;
  fmhac_kernel_info entry = {.size = sizeof entry};
  if (fmhac_plan_create(l->kernel, &size, &plan) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(l->context));
  assert_int_equal(fmhac_plan_get_entry(plan, 0), expected);
  assert_int_equal(fmhac_kernel_get_info(l->kernel, expected, &entry),
                   FMHAC_OK);
  const fmhac_tensors t = tensors_of(plan, l->device, keys);
  fmhac_kernel_args args;
  fmhac_rt_launch packed = {.size = sizeof packed};
  assert_int_equal(fmhac_plan_pack(plan, 0, &t, 0, &args, sizeof args, &packed),
                   FMHAC_OK);
  assert_string_equal(packed.kernel, entry.name);
  // 300 rows in tiles of 128, and of 256.
  assert_int_equal(entry.tile_rows, expected ? 256 : 128);
  assert_int_equal(packed.grid[0], expected ? 2 : 3);
  if (fmhac_launch(plan, l->device, &t, NULL, NULL) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(l->context));
  fmhac_comparison c = {.size = sizeof c};
  if (fmhac_compare_launch(plan, l->device, &t, NULL, &c) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(l->context));
  if (!c.pass)
    fail_msg("%u of %u keys: %s", keys, most, c.reason);
  assert_int_equal(c.rows, B * HQ * SQ);
  assert_true(c.tolerance > 0 && c.tolerance < 0.1);
  if (strcmp(g_uri, "hip") == 0)
    assert_started(&entry, expected ? 2 : 3);
  fmhac_plan_destroy(plan);
}

/// Both sides of the border, and fewer keys than the plans have.
static void launch_all(fmhac_context *context, const fmhac_kernel *kernel) {
  static const char *const schedules[] = {"generic", "dualwave_1tile"};
  static const char *const whens[] = {"Sk <= 256", ""};
  launched l = {.context = context, .kernel = kernel};
  assert_int_equal(fmhac_rt_device_open(g_uri, &l.device), FMHAC_OK);
  assert_int_equal(fmhac_kernel_entry_count(kernel), 2);
  for (size_t i = 0; i < 2; ++i) {
    fmhac_kernel_info entry = {.size = sizeof entry};
    assert_int_equal(fmhac_kernel_get_info(kernel, i, &entry), FMHAC_OK);
    assert_string_equal(entry.schedule, schedules[i]);
    assert_string_equal(entry.when, whens[i]);
  }
  launch(&l, 256, 256, 0);
  launch(&l, 256, 33, 0);
  launch(&l, 257, 257, 1);
  launch(&l, 257, 33, 1);
  fmhac_rt_device_close(l.device);
}

static fmhac_kernel *compile(fmhac_context *context) {
  fmhac_config *config;
  fmhac_kernel *kernel = NULL;
  if (fmhac_config_create_json(context, config_json, &config) != FMHAC_OK ||
      fmhac_compile(context, config, &kernel) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(context));
  fmhac_config_destroy(config);
  return kernel;
}

/// The statistics of a kernel have both entries; `at` is after what was found.
static void assert_statistics(const fmhac_kernel *kernel) {
  static const char *const parts[] = {
      "\"entries\":[{\"kernel\":\"attn_",
      "\"schedule\":\"generic\"",
      "\"when\":\"Sk <= 256\"",
      "\"grid\":[\"ceil(Sq / 128)\",\"Hq\",\"B\"]",
      "\"tile_rows\":128",
      "\"block_threads\":256",
      "},{\"kernel\":\"attn_",
      "\"schedule\":\"dualwave_1tile\"",
      "\"when\":\"\"",
      "\"grid\":[\"ceil(Sq / 256)\",\"Hq\",\"B\"]",
      "\"tile_rows\":256",
      "\"block_threads\":512"};
  char text[4096];
  size_t bytes;
  assert_int_equal(
      fmhac_kernel_get_text(kernel, "statistics", text, sizeof text, &bytes),
      FMHAC_OK);
  const char *at = text;
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
    at = strstr(at, parts[i]);
    if (!at)
      fail_msg("no %s in %s", parts[i], text);
  }
}

static int remove_one(const char *path, const struct stat *status, int kind,
                      struct FTW *walk) {
  (void)status;
  (void)kind;
  (void)walk;
  return remove(path);
}

/// As compiled, as the cache keeps it, and as a program carries it.
static void test_both_entries(void **state) {
  (void)state;
  nftw(g_folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
  assert_int_equal(mkdir(g_folder, 0700), 0);
  const fmhac_context_options options = {.size = sizeof options,
                                         .cache_directory = g_folder};
  for (int round = 0; round < 2; ++round) {
    fmhac_context *context;
    fmhac_stats stats = {.size = sizeof stats};
    assert_int_equal(fmhac_context_create(&options, &context), FMHAC_OK);
    fmhac_kernel *kernel = compile(context);
    assert_int_equal(fmhac_context_get_stats(context, &stats), FMHAC_OK);
    assert_int_equal(stats.compiles, round == 0);
    assert_int_equal(stats.disk_hits, round == 1);
    assert_statistics(kernel);
    launch_all(context, kernel);
    fmhac_kernel_destroy(kernel);
    fmhac_context_destroy(context);
  }
  fmhac_context *context;
  assert_int_equal(fmhac_context_create(&options, &context), FMHAC_OK);
  fmhac_kernel *kernel = compile(context), *carried;
  const void *code;
  size_t bytes;
  assert_int_equal(fmhac_kernel_get_code(kernel, &code, &bytes), FMHAC_OK);
  if (fmhac_kernel_create_from_code(context, code, bytes, &carried) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(context));
  launch_all(context, carried);
  fmhac_kernel_destroy(carried);
  fmhac_kernel_destroy(kernel);
  fmhac_context_destroy(context);
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  g_uri = argv[1];
  g_folder = argv[2];
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_both_entries)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
