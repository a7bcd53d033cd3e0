// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which HIP runtime the loader takes: of those that the process has, of ROCm's
// folders. test_loader FOLDER, that of the libamdhip64 of test/hip. A runtime
// stays loaded, so each case is a process of its own; and this program's
// dlopen() finds nothing by name alone, whatever is installed.
#include <dlfcn.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "hip_loader.h"

static const char *g_libraries;

__attribute__((visibility("default"))) void *dlopen(const char *name,
                                                    int flags) {
  if (name && strncmp(name, "libamdhip64", 11) == 0 && !(flags & RTLD_NOLOAD))
    name = "/nonexistent/libamdhip64.so";
  void *symbol = dlsym(RTLD_NEXT, "dlopen");
  void *(*real)(const char *, int);
  memcpy(&real, &symbol, sizeof real);
  return real(name, flags);
}

static int count_object(struct dl_phdr_info *info, size_t bytes, void *data) {
  (void)bytes;
  *(int *)data += strstr(info->dlpi_name, "amdhip64") != NULL;
  return 0;
}

/// A case: what the process has loaded (below FOLDER, with its suffix), what
/// ROCm's folder holds, and what the loader takes.
typedef struct loader_case {
  const char *loaded[2];
  struct {
    const char *path, *links_to; ///< below FOLDER
  } files[5];
  const char *taken;     ///< how its path ends; NULL: none
  const char *reason[3]; ///< in the text if none is
  int objects;           ///< libamdhip64 loaded afterwards
} loader_case;

static void make_folders(char *path) {
  for (char *at = path + 1; (at = strchr(at, '/')); at++) {
    *at = 0;
    mkdir(path, 0700);
    *at = '/';
  }
}

/// In a process of its own: 0, or writes to stderr what is wrong.
static int run_case(const loader_case *c, const char *rocm) {
  char path[1024], target[1024], text[4096] = "";
  for (size_t i = 0; i < 2 && c->loaded[i]; i++) {
    snprintf(path, sizeof path, "%s%s", g_libraries, c->loaded[i]);
    if (!dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
  }
  for (size_t i = 0; i < 5 && c->files[i].path; i++) {
    snprintf(path, sizeof path, "%s/%s", rocm, c->files[i].path);
    snprintf(target, sizeof target, "%s%s", g_libraries, c->files[i].links_to);
    make_folders(path);
    if (symlink(target, path) != 0) {
      perror(path);
      return 1;
    }
  }
  hip_api api;
  int objects = 0;
  bool ok = hip_api_load(&api, rocm, text, sizeof text);
  dl_iterate_phdr(count_object, &objects);
  size_t n = ok ? strlen(api.path) : 0;
  size_t m = c->taken ? strlen(c->taken) : 0;
  if (ok != (m > 0) || n < m || (ok && strcmp(api.path + n - m, c->taken))) {
    fprintf(stderr, "expected %s, found %s\n", c->taken ? c->taken : "none",
            ok ? api.path : text);
    return 1;
  }
  for (size_t i = 0; i < 3 && c->reason[i]; i++)
    if (!strstr(text, c->reason[i])) {
      fprintf(stderr, "expected \"%s\" in \"%s\"\n", c->reason[i], text);
      return 1;
    }
  if (objects != c->objects) {
    fprintf(stderr, "expected %d libamdhip64, found %d\n", c->objects, objects);
    return 1;
  }
  return 0;
}

static void check_case(const loader_case *c) {
  char rocm[] = "/tmp/fmhac-loader-XXXXXX", command[64];
  assert_non_null(mkdtemp(rocm));
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0)
    _exit(run_case(c, rocm));
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  snprintf(command, sizeof command, "rm -rf '%s'", rocm);
  assert_int_equal(system(command), 0);
  assert_int_equal(status, 0);
}

#define NEWER "-8/libamdhip64.so.8"
#define CURRENT "/libamdhip64.so.7"
#define LATER "-11/libamdhip64.so.11"
#define TIMELESS "-timeless/libamdhip64.so.7"
#define BROKEN "-broken/libamdhip64.so.7"

/// The process's own, whatever its version, though there are newer ones.
static void test_loaded(void **state) {
  (void)state;
  const loader_case newer = {.loaded = {NEWER},
                             .files = {{"lib/libamdhip64.so.7", CURRENT}},
                             .taken = NEWER,
                             .objects = 1};
  const loader_case later = {
      .loaded = {LATER},
      .files = {{"core-10.0/lib/libamdhip64.so.8", NEWER}},
      .taken = LATER,
      .objects = 1};
  const loader_case current = {
      .loaded = {CURRENT},
      .files = {{"core-10.0/lib/libamdhip64.so.8", NEWER}},
      .taken = CURRENT,
      .objects = 1};
  check_case(&newer);
  check_case(&later);
  check_case(&current);
}

/// One that cannot serve: no second is loaded beside it, but one that is there
/// serves.
static void test_loaded_unusable(void **state) {
  (void)state;
  const loader_case alone = {
      .loaded = {BROKEN},
      .files = {{"core-10.0/lib/libamdhip64.so.8", NEWER}},
      .reason = {"the process has loaded this one", BROKEN,
                 "has no symbol hipMalloc"},
      .objects = 1};
  const loader_case timeless = {
      .loaded = {TIMELESS},
      .reason = {TIMELESS, "has no symbol hipEventElapsedTime"},
      .objects = 1};
  const loader_case two = {
      .loaded = {BROKEN, LATER}, .taken = LATER, .objects = 2};
  check_case(&alone);
  check_case(&timeless);
  check_case(&two);
}

/// ROCm's folders: versions as numbers, newest first; HIP 8 before 7.
static void test_folders(void **state) {
  (void)state;
  const loader_case newest = {
      .files = {{"core-9.9/lib/libamdhip64.so.8", NEWER},
                {"core-10.2/lib/libamdhip64.so.7", CURRENT},
                {"core-10.0.1/lib/libamdhip64.so.8", NEWER},
                {"core/lib/libamdhip64.so.8", NEWER},
                {"lib/libamdhip64.so.8", NEWER}},
      .taken = "/core-10.2/lib/libamdhip64.so.7",
      .objects = 1};
  const loader_case both = {
      .files = {{"core-10.0/lib/libamdhip64.so.7", CURRENT},
                {"core-10.0/lib/libamdhip64.so.8", NEWER}},
      .taken = "/core-10.0/lib/libamdhip64.so.8",
      .objects = 1};
  const loader_case lib = {.files = {{"core-10.0/lib/other.so", NEWER},
                                     {"lib/libamdhip64.so.7", CURRENT},
                                     {"lib/libamdhip64.so", NEWER}},
                           .taken = "/lib/libamdhip64.so.7",
                           .objects = 1};
  const loader_case link = {.files = {{"lib/libamdhip64.so", LATER}},
                            .taken = "/lib/libamdhip64.so",
                            .objects = 1};
  // One that lacks something is passed over.
  const loader_case broken = {
      .files = {{"core-10.2/lib/libamdhip64.so.8", BROKEN},
                {"core-10.0/lib/libamdhip64.so.8", NEWER}},
      .taken = "/core-10.0/lib/libamdhip64.so.8",
      .objects = 2};
  const loader_case none = {
      .files = {{"core-10.2/lib/libamdhip64.so.8", BROKEN}},
      .reason = {"none of these loads: libamdhip64.so.8,",
                 "/core-10.2/lib/libamdhip64.so.8 (loaded, but has no symbol "
                 "hipMalloc)",
                 "/lib/libamdhip64.so.7,"},
      .objects = 1};
  check_case(&newest);
  check_case(&both);
  check_case(&lib);
  check_case(&link);
  check_case(&broken);
  check_case(&none);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  g_libraries = argv[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_loaded),
      cmocka_unit_test(test_loaded_unusable),
      cmocka_unit_test(test_folders),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
