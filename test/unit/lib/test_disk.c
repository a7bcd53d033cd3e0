// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cache on disk: entries that are there whole or not at all, locks that go
// with their holder, eviction of what has not been used for longest.
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "disk.h"

#define AT(folder) (&(fmhac_disk){.directory = (folder)})

static int make_folder(void **state) {
  char *folder = strdup("/tmp/fmhac-disk-XXXXXX");
  *state = mkdtemp(folder);
  return *state ? 0 : -1;
}

static int remove_folder(void **state) {
  char command[256];
  snprintf(command, sizeof command, "rm -rf '%s'", (char *)*state);
  int code = system(command);
  free(*state);
  return code;
}

static fmhac_cache_key key_of(const char *text) {
  return fmhac_cache_key_of((fmhac_span){text, strlen(text)});
}

static void expect(const char *folder, const fmhac_cache_key *key,
                   const char *text) {
  void *bytes;
  size_t size;
  assert_int_equal(fmhac_disk_read(AT(folder), key, &bytes, &size), 0);
  assert_int_equal(size, strlen(text));
  assert_memory_equal(bytes, text, size);
  free(bytes);
}

static int found(const char *folder, const fmhac_cache_key *key) {
  void *bytes;
  size_t size;
  int error = fmhac_disk_read(AT(folder), key, &bytes, &size);
  assert_true(!error || (!bytes && !size));
  free(bytes);
  return error;
}

static char *path_of(const char *folder, const fmhac_cache_key *key) {
  static char path[512];
  snprintf(path, sizeof path, "%s/v1/%.2s/%s.fmhac", folder, key->hash,
           key->hash);
  return path;
}

static void test_keys_differ_by_every_byte(void **state) {
  (void)state;
  fmhac_cache_key a = key_of("one"), b = key_of("onf"), c = key_of("one ");
  assert_int_equal(strlen(a.hash), 32);
  assert_string_not_equal(a.hash, b.hash);
  assert_string_not_equal(a.hash, c.hash);
  assert_true(a.lock_at != b.lock_at && a.lock_at < UINT64_C(1) << 62);
  assert_string_equal(a.hash, key_of("one").hash);
  // XXH3-128 of nothing, as xxhsum -H2 prints it.
  assert_string_equal(key_of("").hash, "99aa06d3014798d86001c324468d497f");
}

static void test_reads_what_was_written_last(void **state) {
  const char *folder = *state;
  fmhac_cache_key a = key_of("a"), b = key_of("b");
  assert_int_equal(found(folder, &a), ENOENT);
  assert_int_equal(fmhac_disk_write(AT(folder), &a, "first", 5), 0);
  assert_int_equal(fmhac_disk_write(AT(folder), &b, "", 0), 0);
  expect(folder, &a, "first");
  expect(folder, &b, "");
  assert_int_equal(fmhac_disk_write(AT(folder), &a, "second one", 10), 0);
  expect(folder, &a, "second one");
  struct stat status;
  assert_int_equal(stat(path_of(folder, &a), &status), 0);
  assert_int_equal(status.st_mode & 0777, 0600);
}

static void test_makes_the_folders_it_needs(void **state) {
  char folder[256];
  snprintf(folder, sizeof folder, "%s/deep/er", (char *)*state);
  fmhac_cache_key a = key_of("a");
  assert_int_equal(found(folder, &a), ENOENT);
  assert_int_equal(fmhac_disk_write(AT(folder), &a, "x", 1), 0);
  expect(folder, &a, "x");
}

static void test_says_what_is_in_the_way(void **state) {
  const char *folder = *state;
  char file[256];
  snprintf(file, sizeof file, "%s/v1", folder);
  fmhac_cache_key a = key_of("a");
  int lock;
  close(open(file, O_CREAT | O_WRONLY, 0600));
  assert_int_equal(fmhac_disk_write(AT(folder), &a, "x", 1), ENOTDIR);
  assert_int_equal(found(folder, &a), ENOTDIR);
  assert_int_equal(fmhac_disk_lock(AT(folder), &a, NULL, NULL, 60, &lock),
                   ENOTDIR);
  unlink(file);
  assert_int_equal(fmhac_disk_write(AT(folder), &a, "x", 1), 0);
  // Neither links nor folders nor pipes are followed or waited for.
  char *path = path_of(folder, &a);
  unlink(path);
  assert_int_equal(symlink("/etc/hostname", path), 0);
  assert_int_equal(found(folder, &a), ELOOP);
  unlink(path);
  assert_int_equal(mkfifo(path, 0600), 0);
  assert_int_equal(found(folder, &a), EINVAL);
  unlink(path);
  // A file that is too large is not read.
  int large = open(path, O_CREAT | O_WRONLY, 0600);
  assert_int_equal(ftruncate(large, (off_t)FMHAC_ARTEFACT_MAX_BYTES + 1), 0);
  close(large);
  assert_int_equal(found(folder, &a), EFBIG);
  static const char byte;
  assert_int_equal(
      fmhac_disk_write(AT(folder), &a, &byte, FMHAC_ARTEFACT_MAX_BYTES + 1),
      EFBIG);
  char long_name[5000];
  memset(long_name, 'x', sizeof long_name - 1);
  long_name[sizeof long_name - 1] = '\0';
  assert_int_equal(found(long_name, &a), ENAMETOOLONG);
}

//===- Locks --------------------------------------------------------------===//

/// A process that takes the lock of a key, says so, and holds it until killed.
static pid_t holder(const char *folder, const fmhac_cache_key *key) {
  int said[2];
  char byte;
  assert_int_equal(pipe(said), 0);
  pid_t child = fork();
  if (child == 0) {
    int lock;
    if (fmhac_disk_lock(AT(folder), key, NULL, NULL, 60, &lock) == 0 &&
        write(said[1], "x", 1) == 1)
      for (;;)
        pause();
    _exit(1);
  }
  close(said[1]);
  assert_int_equal(read(said[0], &byte, 1), 1);
  close(said[0]);
  return child;
}

/// Whether another process gets the lock within a moment.
static bool is_free(const char *folder, const fmhac_cache_key *key) {
  pid_t child = fork();
  if (child == 0) {
    int lock;
    alarm(1);
    _exit(fmhac_disk_lock(AT(folder), key, NULL, NULL, 60, &lock));
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void test_locks_hold_a_key_and_go_with_their_process(void **state) {
  const char *folder = *state;
  fmhac_cache_key a = key_of("a"), b = key_of("b");
  int lock;
  pid_t child = holder(folder, &a);
  assert_false(is_free(folder, &a));
  assert_true(is_free(folder, &b));
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  assert_int_equal(fmhac_disk_lock(AT(folder), &a, NULL, NULL, 60, &lock), 0);
  assert_false(is_free(folder, &a));
  fmhac_disk_unlock(lock);
  assert_true(is_free(folder, &a));
}

static bool after_three(void *user) {
  int *asked = user;
  return ++*asked == 3;
}

static void test_waiting_for_a_lock_can_be_called_off(void **state) {
  const char *folder = *state;
  fmhac_cache_key a = key_of("a");
  int lock, asked = 0;
  pid_t child = holder(folder, &a);
  assert_int_equal(
      fmhac_disk_lock(AT(folder), &a, after_three, &asked, 60, &lock),
      ECANCELED);
  assert_int_equal(asked, 3);
  assert_int_equal(lock, -1);
  // One that is stopped holds its lock: the time is over then.
  kill(child, SIGSTOP);
  assert_int_equal(fmhac_disk_lock(AT(folder), &a, NULL, NULL, 0, &lock),
                   ETIMEDOUT);
  assert_int_equal(lock, -1);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  assert_true(is_free(folder, &a));
}

/// A child that a program forks has its descriptors, and holds no lock by them.
static void test_a_forked_child_holds_nothing(void **state) {
  const char *folder = *state;
  fmhac_cache_key a = key_of("a");
  int lock;
  assert_int_equal(fmhac_disk_lock(AT(folder), &a, NULL, NULL, 60, &lock), 0);
  pid_t child = fork();
  if (child == 0)
    for (;;)
      pause();
  fmhac_disk_unlock(lock);
  assert_true(is_free(folder, &a));
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
}

//===- Killed writers -----------------------------------------------------===//

static bool count_one(void *user, const fmhac_disk_file *file) {
  (void)file;
  ++*(int *)user;
  return true;
}

static void test_killed_writers_leave_nothing_half(void **state) {
  const char *folder = *state;
  enum { BYTES = 4 << 20, ROUNDS = 40 };
  fmhac_cache_key a = key_of("a");
  char *text = malloc(BYTES);
  memset(text, 'x', BYTES);
  for (int round = 0; round < ROUNDS; ++round) {
    pid_t child = fork();
    if (child == 0) {
      for (;;)
        if (fmhac_disk_write(AT(folder), &a, text, BYTES) != 0)
          _exit(1);
    }
    struct timespec moment = {.tv_nsec = 500000 + round * 300000};
    nanosleep(&moment, NULL);
    kill(child, SIGKILL);
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    void *bytes;
    size_t size;
    int error = fmhac_disk_read(AT(folder), &a, &bytes, &size);
    assert_true(error == 0 || error == ENOENT);
    if (!error) {
      assert_int_equal(size, BYTES);
      assert_memory_equal(bytes, text, BYTES);
      free(bytes);
    }
  }
  fmhac_disk_usage usage;
  assert_int_equal(fmhac_disk_evict(AT(folder), UINT64_MAX, &usage), 0);
  // Nothing but the entry in its folder.
  char command[512];
  snprintf(command, sizeof command, "test $(ls -A '%s/v1/%.2s' | wc -l) -le 1",
           folder, a.hash);
  assert_int_equal(system(command), 0);
  free(text);
}

static void test_eviction_removes_what_a_killed_writer_left(void **state) {
  const char *folder = *state;
  fmhac_cache_key a = key_of("a");
  assert_int_equal(fmhac_disk_write(AT(folder), &a, "x", 1), 0);
  char held[512], left[512];
  snprintf(held, sizeof held, "%s/v1/%.2s/.new-held", folder, a.hash);
  snprintf(left, sizeof left, "%s/v1/%.2s/.new-left", folder, a.hash);
  close(open(left, O_CREAT | O_WRONLY, 0600));
  int file = open(held, O_CREAT | O_RDWR, 0600);
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
  assert_int_equal(fcntl(file, F_OFD_SETLK, &lock), 0);
  fmhac_disk_usage usage;
  assert_int_equal(fmhac_disk_evict(AT(folder), UINT64_MAX, &usage), 0);
  assert_int_equal(usage.entries, 1);
  assert_int_equal(access(left, F_OK), -1);
  assert_int_equal(access(held, F_OK), 0);
  close(file);
}

//===- Eviction -----------------------------------------------------------===//

static void test_evicts_what_was_not_used_for_longest(void **state) {
  const char *folder = *state;
  fmhac_cache_key keys[8];
  char names[8][2];
  fmhac_disk_usage usage;
  for (int i = 0; i < 8; ++i) {
    snprintf(names[i], sizeof names[i], "%d", i);
    keys[i] = key_of(names[i]);
    assert_int_equal(fmhac_disk_write(AT(folder), &keys[i], "0123456789", 10),
                     0);
    // Written in turn, two days ago and later.
    struct timespec times[2] = {{.tv_sec = time(NULL) - 172800 + 60 * i},
                                {.tv_sec = time(NULL) - 172800 + 60 * i}};
    assert_int_equal(utimensat(AT_FDCWD, path_of(folder, &keys[i]), times, 0),
                     0);
  }
  expect(folder, &keys[0], "0123456789"); // a use
  assert_int_equal(fmhac_disk_evict(AT(folder), 80, &usage), 0);
  assert_int_equal(usage.removed, 0);
  assert_int_equal(usage.bytes, 80);
  assert_int_equal(fmhac_disk_evict(AT(folder), 35, &usage), 0);
  assert_int_equal(usage.entries, 3);
  assert_int_equal(usage.bytes, 30);
  assert_int_equal(usage.removed, 5);
  assert_int_equal(usage.removed_bytes, 50);
  for (int i = 0; i < 8; ++i)
    assert_int_equal(found(folder, &keys[i]), i == 0 || i >= 6 ? 0 : ENOENT);
  int count = 0;
  assert_int_equal(fmhac_disk_visit(AT(folder), count_one, &count), 0);
  assert_int_equal(count, 3);
  assert_int_equal(fmhac_disk_evict(AT(folder), 0, &usage), 0);
  assert_int_equal(usage.entries, 0);
}

static void test_a_missing_folder_has_no_entries(void **state) {
  char folder[256];
  snprintf(folder, sizeof folder, "%s/none", (char *)*state);
  int count = 0;
  assert_int_equal(fmhac_disk_visit(AT(folder), count_one, &count), 0);
  assert_int_equal(count, 0);
  assert_int_equal(access(folder, F_OK), -1);
}

//===- Whose it is --------------------------------------------------------===//

/// Paths of what an entry passes through, from the directory to the file.
enum { DIRECTORY, VERSION, FOLDER, ENTRY, LOCK, PLACES };
typedef struct places {
  char path[PLACES][512];
} places;

static places places_of(const char *folder, const fmhac_cache_key *key) {
  places p;
  snprintf(p.path[DIRECTORY], sizeof p.path[0], "%s", folder);
  snprintf(p.path[VERSION], sizeof p.path[0], "%s/v1", folder);
  snprintf(p.path[FOLDER], sizeof p.path[0], "%s/v1/%.2s", folder, key->hash);
  snprintf(p.path[ENTRY], sizeof p.path[0], "%s", path_of(folder, key));
  snprintf(p.path[LOCK], sizeof p.path[0], "%s/v1/lock", folder);
  return p;
}

static int files_below(const char *folder) {
  char command[600];
  int count = -1;
  snprintf(command, sizeof command, "find '%s' -type f | wc -l", folder);
  FILE *answer = popen(command, "r");
  assert_non_null(answer);
  assert_int_equal(fscanf(answer, "%d", &count), 1);
  pclose(answer);
  return count;
}

/// What reading, locking and writing come to; `fault` is in what they say.
static void expect_errors(fmhac_disk *disk, const fmhac_cache_key *key,
                          int reading, int locking, int writing,
                          const char *fault) {
  void *bytes;
  size_t size;
  int lock;
  int error = fmhac_disk_read(disk, key, &bytes, &size);
  free(bytes);
  assert_int_equal(error, reading);
  if (error)
    assert_non_null(strstr(fmhac_disk_explain(disk, error), fault));
  error = fmhac_disk_lock(disk, key, NULL, NULL, 60, &lock);
  fmhac_disk_unlock(lock);
  assert_int_equal(error, locking);
  if (error)
    assert_non_null(strstr(fmhac_disk_explain(disk, error), fault));
  error = fmhac_disk_write(disk, key, "good", 4);
  assert_int_equal(error, writing);
  if (error)
    assert_non_null(strstr(fmhac_disk_explain(disk, error), fault));
}

/// One place after the other is made bad and good again.
static void expect_refusals(const char *folder, void (*spoil)(const char *path),
                            void (*mend)(const char *path), const char *fault) {
  fmhac_cache_key a = key_of("a");
  fmhac_disk disk = {.directory = folder};
  int lock;
  assert_int_equal(fmhac_disk_lock(&disk, &a, NULL, NULL, 60, &lock), 0);
  fmhac_disk_unlock(lock);
  for (int i = 0; i < PLACES; ++i) {
    assert_int_equal(fmhac_disk_write(&disk, &a, "good", 4), 0);
    const places p = places_of(folder, &a);
    const int files = files_below(folder);
    spoil(p.path[i]);
    expect_errors(&disk, &a, i == LOCK ? 0 : EPERM,
                  i == FOLDER || i == ENTRY ? 0 : EPERM, i < ENTRY ? EPERM : 0,
                  fault);
    assert_int_equal(files_below(folder), files);
    // One that was not the user's own was replaced by one that is.
    if (i == ENTRY)
      expect(folder, &a, "good");
    mend(p.path[i]);
    expect_errors(&disk, &a, 0, 0, 0, "");
  }
}

static void all_may_write(const char *path) {
  assert_int_equal(chmod(path, 01722), 0);
}

static void group_may_write(const char *path) {
  assert_int_equal(chmod(path, 0720), 0);
}

static void one_may_write(const char *path) {
  assert_int_equal(chmod(path, 0700), 0);
}

static void test_what_others_may_write_to_is_refused(void **state) {
  expect_refusals(*state, all_may_write, one_may_write, "mode 1722");
  expect_refusals(*state, group_may_write, one_may_write, "mode 0720");
}

enum { SOMEBODY = 65534 };

static void give_away(const char *path) {
  assert_int_equal(chown(path, SOMEBODY, (gid_t)-1), 0);
}

static void take_back(const char *path) {
  assert_int_equal(chown(path, geteuid(), (gid_t)-1), 0);
}

static void test_what_belongs_to_another_is_refused(void **state) {
  if (geteuid() != 0)
    skip(); // takes the right to give files away
  expect_refusals(*state, give_away, take_back,
                  "belongs to user 65534, expected user 0");
}

/// As somebody: what belongs to root is read where it is only read.
static void test_root_is_trusted_in_directories_to_read(void **state) {
  const char *folder = *state;
  fmhac_cache_key a = key_of("a");
  if (geteuid() != 0)
    skip();
  assert_int_equal(fmhac_disk_write(AT(folder), &a, "good", 4), 0);
  const places p = places_of(folder, &a);
  for (int i = 0; i <= ENTRY; ++i)
    assert_int_equal(chmod(p.path[i], 0755), 0);
  pid_t child = fork();
  if (child == 0) {
    fmhac_disk own = {.directory = folder},
               other = {.directory = folder, .read_only = true};
    void *bytes;
    size_t size;
    if (seteuid(SOMEBODY) != 0)
      _exit(2);
    bool ok = fmhac_disk_read(&own, &a, &bytes, &size) == EPERM &&
              own.folder_refused &&
              fmhac_disk_read(&other, &a, &bytes, &size) == 0 && size == 4;
    _exit(ok ? 0 : 1);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  // Of anybody else it is refused there too.
  give_away(p.path[FOLDER]);
  fmhac_disk other = {.directory = folder, .read_only = true};
  void *bytes;
  size_t size;
  assert_int_equal(fmhac_disk_read(&other, &a, &bytes, &size), EPERM);
}

/// The directory itself may be reached by a link; nothing in it may.
static void test_links_in_the_directory_are_not_followed(void **state) {
  const char *folder = *state;
  char link[256], real[256];
  fmhac_cache_key a = key_of("a");
  snprintf(link, sizeof link, "%s/link", folder);
  snprintf(real, sizeof real, "%s/real", folder);
  assert_int_equal(mkdir(real, 0700), 0);
  assert_int_equal(symlink("real", link), 0);
  assert_int_equal(fmhac_disk_write(AT(link), &a, "x", 1), 0);
  expect(real, &a, "x");
  static const int folders[] = {VERSION, FOLDER};
  for (size_t i = 0; i < sizeof folders / sizeof folders[0]; ++i) {
    const places p = places_of(real, &a);
    char aside[600];
    snprintf(aside, sizeof aside, "%s.aside", p.path[folders[i]]);
    assert_int_equal(rename(p.path[folders[i]], aside), 0);
    assert_int_equal(symlink(aside, p.path[folders[i]]), 0);
    assert_int_equal(found(real, &a), ENOTDIR);
    assert_int_equal(fmhac_disk_write(AT(real), &a, "x", 1), ENOTDIR);
    assert_int_equal(unlink(p.path[folders[i]]), 0);
    assert_int_equal(rename(aside, p.path[folders[i]]), 0);
  }
  const places p = places_of(real, &a);
  int lock;
  assert_int_equal(symlink("elsewhere", p.path[LOCK]), 0);
  assert_int_equal(fmhac_disk_lock(AT(real), &a, NULL, NULL, 60, &lock), ELOOP);
}

typedef struct seen {
  fmhac_disk *disk;
  int files, refused;
} seen;

static bool look(void *user, const fmhac_disk_file *file) {
  seen *s = user;
  void *bytes;
  size_t size;
  int error = fmhac_disk_read_file(s->disk, file, &bytes, &size);
  free(bytes);
  s->files++;
  s->refused += error == EPERM && strstr(s->disk->fault, "v1/");
  return true;
}

static void test_visits_show_what_is_refused(void **state) {
  const char *folder = *state;
  fmhac_cache_key a = key_of("a"), b = key_of("b"), c = key_of("c");
  fmhac_disk disk = {.directory = folder};
  assert_int_equal(fmhac_disk_write(&disk, &a, "x", 1), 0);
  assert_int_equal(fmhac_disk_write(&disk, &b, "x", 1), 0);
  assert_int_equal(fmhac_disk_write(&disk, &c, "x", 1), 0);
  const places p = places_of(folder, &a), q = places_of(folder, &b);
  all_may_write(p.path[FOLDER]);
  all_may_write(q.path[ENTRY]);
  seen s = {.disk = &disk};
  assert_int_equal(fmhac_disk_visit(&disk, look, &s), 0);
  assert_int_equal(s.files, 3);
  assert_int_equal(s.refused, 2);
  // Nothing is removed from a folder that is refused.
  fmhac_disk_usage usage;
  assert_int_equal(fmhac_disk_evict(&disk, 0, &usage), 0);
  assert_int_equal(usage.removed, 2);
  assert_int_equal(access(p.path[ENTRY], F_OK), 0);
  all_may_write(p.path[VERSION]);
  assert_int_equal(fmhac_disk_visit(&disk, look, &s), EPERM);
  assert_int_equal(fmhac_disk_evict(&disk, 0, &usage), EPERM);
}

int main(void) {
#define IN_FOLDER(test)                                                        \
  cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_keys_differ_by_every_byte),
      IN_FOLDER(test_reads_what_was_written_last),
      IN_FOLDER(test_makes_the_folders_it_needs),
      IN_FOLDER(test_says_what_is_in_the_way),
      IN_FOLDER(test_locks_hold_a_key_and_go_with_their_process),
      IN_FOLDER(test_waiting_for_a_lock_can_be_called_off),
      IN_FOLDER(test_a_forked_child_holds_nothing),
      IN_FOLDER(test_killed_writers_leave_nothing_half),
      IN_FOLDER(test_eviction_removes_what_a_killed_writer_left),
      IN_FOLDER(test_evicts_what_was_not_used_for_longest),
      IN_FOLDER(test_a_missing_folder_has_no_entries),
      IN_FOLDER(test_what_others_may_write_to_is_refused),
      IN_FOLDER(test_what_belongs_to_another_is_refused),
      IN_FOLDER(test_root_is_trusted_in_directories_to_read),
      IN_FOLDER(test_links_in_the_directory_are_not_followed),
      IN_FOLDER(test_visits_show_what_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
