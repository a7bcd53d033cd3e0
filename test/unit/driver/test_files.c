// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that are written: permissions, symbolic links, what stays behind.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "files.h"

static int umask_calls;

/// In place of the C library's: the umask is the whole process's, and threads
/// of the library make files of the cache meanwhile.
mode_t umask(mode_t mask) {
  (void)mask;
  umask_calls++;
  return 022;
}

static int enter(void **state) {
  char *folder = strdup("/tmp/fmhac-files-XXXXXX");
  *state = folder;
  return folder && mkdtemp(folder) ? chdir(folder) : -1;
}

static int leave(void **state) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", (char *)*state);
  free(*state);
  return chdir("/") == 0 ? system(command) : -1;
}

static void put(const char *path, const char *text) {
  char error[ERROR_BYTES] = "";
  assert_true(file_can_write(path, error));
  if (!file_write(path, text, strlen(text), error))
    fail_msg("%s", error);
}

static void assert_text(const char *path, const char *expected) {
  char text[64] = "";
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  assert_string_equal(text, expected);
}

static bool is_link(const char *path) {
  struct stat found;
  assert_int_equal(lstat(path, &found), 0);
  return S_ISLNK(found.st_mode);
}

static void test_umask(void **state) {
  (void)state;
  put("new", "1");
  put("new", "2");
  assert_text("new", "2");
  assert_int_equal(umask_calls, 0);
}

/// Of a file that is replaced the permissions stay.
static void test_permissions(void **state) {
  (void)state;
  put("mine", "1");
  assert_int_equal(chmod("mine", 0640), 0);
  put("mine", "2");
  struct stat found;
  assert_int_equal(stat("mine", &found), 0);
  assert_int_equal(found.st_mode & 0777, 0640);
}

/// As cc and cp: what the link leads to is written, from whatever folder.
static void test_links(void **state) {
  (void)state;
  assert_int_equal(mkdir("a", 0777), 0);
  assert_int_equal(mkdir("b", 0777), 0);
  put("a/old", "old");
  assert_int_equal(symlink("../a/old", "b/link"), 0);
  assert_int_equal(symlink("b/link", "chain"), 0);
  put("chain", "1");
  assert_true(is_link("chain") && is_link("b/link"));
  assert_text("a/old", "1");
  // To nothing yet.
  assert_int_equal(symlink("a/new", "dangling"), 0);
  put("dangling", "2");
  assert_true(is_link("dangling"));
  assert_text("a/new", "2");
  // An absolute one.
  char folder[256], target[300];
  assert_non_null(getcwd(folder, sizeof folder));
  snprintf(target, sizeof target, "%s/a/far", folder);
  assert_int_equal(symlink(target, "b/absolute"), 0);
  put("b/absolute", "3");
  assert_text("a/far", "3");
}

static void test_links_to_nowhere(void **state) {
  (void)state;
  char error[ERROR_BYTES] = "";
  assert_int_equal(symlink("none/file", "lost"), 0);
  assert_false(file_can_write("lost", error));
  assert_non_null(strstr(error, "its directory does not exist"));
  assert_false(file_write("lost", "x", 1, error));
  assert_non_null(strstr(error, "No such file"));
  assert_int_equal(symlink("y", "x"), 0);
  assert_int_equal(symlink("x", "y"), 0);
  assert_false(file_can_write("x", error));
  assert_non_null(strstr(error, "symbolic links"));
  assert_false(file_write("x", "x", 1, error));
}

/// A name as long as names may be leaves no room for a suffix.
static void test_longest_name(void **state) {
  (void)state;
  char name[256];
  memset(name, 'n', 255);
  name[255] = 0;
  put(name, "1");
  assert_text(name, "1");
}

static void test_nothing_stays(void **state) {
  (void)state;
  put("one", "1");
  assert_int_equal(symlink("one", "two"), 0);
  put("two", "2");
  assert_int_equal(system("test \"$(ls -A | tr '\\n' ' ')\" = 'one two '"), 0);
}

#define IN_FOLDER(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_FOLDER(test_umask),        IN_FOLDER(test_permissions),
      IN_FOLDER(test_links),        IN_FOLDER(test_links_to_nowhere),
      IN_FOLDER(test_longest_name), IN_FOLDER(test_nothing_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
