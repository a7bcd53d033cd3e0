// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many processors a process may use: files of cgroups in a folder of the
// test's, the affinity mask of this process, and how many threads a launch of
// the emulator has by default. test_processors FOLDER.
#include <dirent.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device_test.h"
#include "fmhac_emu.h"
#include "processors.h"

static const char *g_folder;

/// Writes `root`/`path`, with the folders that it lies in.
static void write_file(const char *root, const char *path, const char *text) {
  char name[512];
  snprintf(name, sizeof name, "%s/%s", root, path);
  for (char *at = name + strlen(root) + 1; (at = strchr(at, '/')); at++) {
    *at = 0;
    mkdir(name, 0700);
    *at = '/';
  }
  FILE *file = fopen(name, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

#define V2 "sys/fs/cgroup/"
#define V1 "sys/fs/cgroup/cpu/"
#define V1_TWO "sys/fs/cgroup/cpu,cpuacct/"

/// cgroups(7) and the kernel's "cgroup-v2" and "CFS Bandwidth Control" say what
/// the files mean; the numbers of processors are by hand.
static const struct {
  const char *what;
  uint32_t processors; ///< 0: no limit
  const char *groups;  ///< proc/self/cgroup; NULL: there is none
  struct {
    const char *path, *text;
  } files[4];
} k_cases[] = {
    {"no cgroups at all", 0, NULL, {{NULL, NULL}}},
    {"no controller", 0, "0::/user\n", {{NULL, NULL}}},
    {"no quota", 0, "0::/a\n", {{V2 "a/cpu.max", "max 100000\n"}}},
    {"2 whole ones", 2, "0::/a\n", {{V2 "a/cpu.max", "200000 100000\n"}}},
    {"1.5 count as 2", 2, "0::/a\n", {{V2 "a/cpu.max", "150000 100000\n"}}},
    {"0.1 count as 1", 1, "0::/a\n", {{V2 "a/cpu.max", "10000 100000\n"}}},
    {"another period", 3, "0::/a\n", {{V2 "a/cpu.max", "25000 10000\n"}}},
    {"the namespace's root", 4, "0::/\n", {{V2 "cpu.max", "400000 100000\n"}}},
    {"the least of all above",
     3,
     "0::/a/b/c\n",
     {{V2 "a/cpu.max", "300000 100000\n"},
      {V2 "a/b/cpu.max", "max 100000\n"},
      {V2 "a/b/c/cpu.max", "900000 100000\n"}}},
    {"a path of another namespace",
     5,
     "0::/docker/0123\n",
     {{V2 "cpu.max", "500000 100000\n"}}},
    {"outside of the namespace",
     6,
     "0::/../x\n",
     {{V2 "cpu.max", "600000 100000\n"}, {"sys/fs/x/cpu.max", "1 1\n"}}},
    {"version 1",
     2,
     "4:memory:/m\n3:cpu,cpuacct:/g\n1:name=systemd:/s\n",
     {{V1_TWO "g/cpu.cfs_quota_us", "110000\n"},
      {V1_TWO "g/cpu.cfs_period_us", "100000\n"}}},
    {"version 1 without a quota",
     0,
     "3:cpu:/g\n",
     {{V1 "g/cpu.cfs_quota_us", "-1\n"},
      {V1 "g/cpu.cfs_period_us", "100000\n"}}},
    {"version 1, of another controller",
     0,
     "3:cpuset,cpuacct:/g\n",
     {{V1 "g/cpu.cfs_quota_us", "100000\n"},
      {V1 "g/cpu.cfs_period_us", "100000\n"}}},
    {"both versions",
     7,
     "3:cpu:/g\n0::/u\n",
     {{V1 "g/cpu.cfs_quota_us", "900000\n"},
      {V1 "g/cpu.cfs_period_us", "100000\n"},
      {V2 "unified/u/cpu.max", "700000 100000\n"}}},
    {"nonsense",
     0,
     "\n0:\nx\n0::/a\n",
     {{V2 "a/cpu.max", "many of them\n"}, {V2 "cpu.max", "5\n"}}},
    {"a period of 0", 0, "0::/a\n", {{V2 "a/cpu.max", "100000 0\n"}}},
    {"more than there can be",
     0,
     "0::/a\n",
     {{V2 "a/cpu.max", "9223372036854775807 1\n"}}},
};

static void test_cgroups(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof k_cases / sizeof *k_cases; i++) {
    char root[] = "/tmp/fmhac-cgroups-XXXXXX", command[64];
    assert_non_null(mkdtemp(root));
    if (k_cases[i].groups)
      write_file(root, "proc/self/cgroup", k_cases[i].groups);
    for (int k = 0; k < 4 && k_cases[i].files[k].path; k++)
      write_file(root, k_cases[i].files[k].path, k_cases[i].files[k].text);
    const uint32_t found = fmhac_processors_of_cgroups(root);
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    assert_int_equal(system(command), 0);
    if (found != k_cases[i].processors)
      fail_msg("%s: expected %u, found %u", k_cases[i].what,
               k_cases[i].processors, found);
  }
}

static int count_threads(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/task");
  assert_non_null(folder);
  for (const struct dirent *e; (e = readdir(folder));)
    count += e->d_name[0] != '.';
  closedir(folder);
  return count;
}

/// The most threads that there were when a workgroup was done.
static void watch(void *most, uint64_t done, uint64_t all) {
  (void)done;
  (void)all;
  const int count = count_threads();
  if (count > *(int *)most)
    *(int *)most = count;
}

/// Threads of a launch of 64 workgroups.
static int threads_of_launch(uint32_t asked) {
  int most = 0;
  blob code = read_blob(g_folder, "linear.hsaco");
  fmhac_rt_device *d;
  fmhac_rt_module *module;
  fmhac_emu_options options;
  fmhac_device_ptr o;
  fmhac_emu_options_init(&options);
  options.threads = asked;
  options.progress = watch;
  options.progress_user = &most;
  assert_int_equal(fmhac_rt_device_open("emu", &d), FMHAC_OK);
  assert_int_equal(fmhac_emu_configure(d, &options), FMHAC_OK);
  assert_int_equal(fmhac_rt_module_load(d, code.bytes, code.size, &module),
                   FMHAC_OK);
  assert_int_equal(fmhac_rt_alloc(d, 64 * 4 * LANES, &o), FMHAC_OK);
  const linear_args args = {.o = o, .i = o, .a = 1, .b = 1};
  const fmhac_rt_launch l = launch_of(&args, sizeof args, 64, NULL);
  assert_int_equal(fmhac_rt_launch_kernel(d, module, &l), FMHAC_OK);
  fmhac_rt_device_close(d);
  free(code.bytes);
  return most;
}

static void test_affinity(void **state) {
  (void)state;
  cpu_set_t before, one;
  int first = 0;
  assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
  assert_true(fmhac_processors() >= 1);
  assert_true(fmhac_processors() <= (uint32_t)CPU_COUNT(&before));
  while (!CPU_ISSET(first, &before))
    first++;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
  const uint32_t found = fmhac_processors();
  const int others = count_threads() - 1; // a sanitizer's
  const int threads = threads_of_launch(0) - others;
  assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
  assert_int_equal(found, 1);
  assert_int_equal(threads, 1);
}

static void test_bound(void **state) {
  (void)state;
  fmhac_rt_device *d;
  fmhac_emu_options options;
  fmhac_emu_options_init(&options);
  assert_int_equal(fmhac_rt_device_open("emu", &d), FMHAC_OK);
  options.threads = FMHAC_EMU_MOST_THREADS;
  assert_int_equal(fmhac_emu_configure(d, &options), FMHAC_OK);
  options.threads++;
  assert_int_equal(fmhac_emu_configure(d, &options), FMHAC_INVALID_INPUT);
  assert_non_null(
      strstr(fmhac_rt_last_error(d), "257 threads, expected at most 256"));
  fmhac_rt_device_close(d);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  g_folder = argv[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cgroups),
      cmocka_unit_test(test_affinity),
      cmocka_unit_test(test_bound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
