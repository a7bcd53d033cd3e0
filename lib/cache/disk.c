// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

// Changes where entries change their place; what is in them has a version of
// its own.
#define LAYOUT "v1"
#define SUFFIX ".fmhac"
#define TEMPORARY ".new-"
enum {
  DIRECTORIES = 256,
  FRESH_SECONDS = 3600, ///< uses within that of the last kept one are not kept
};
/// The byte of the lock file that eviction holds: no key has it.
static const off_t eviction_at = (off_t)1 << 62;

fmhac_cache_key fmhac_cache_key_of(fmhac_span text) {
  XXH128_hash_t hash = XXH3_128bits(text.text, text.bytes);
  fmhac_cache_key key = {.text = text, .lock_at = hash.low64 >> 2};
  snprintf(key.hash, sizeof key.hash, "%016" PRIx64 "%016" PRIx64,
           (uint64_t)hash.high64, (uint64_t)hash.low64);
  return key;
}

//===- Paths --------------------------------------------------------------===//

typedef struct path {
  char text[PATH_MAX];
} path;

static bool format(path *out, const char *form, ...)
    __attribute__((format(printf, 2, 3)));
static bool format(path *out, const char *form, ...) {
  va_list args;
  va_start(args, form);
  int n = vsnprintf(out->text, sizeof out->text, form, args);
  va_end(args);
  return n >= 0 && (size_t)n < sizeof out->text;
}

static int entry_path(const char *directory, const fmhac_cache_key *key,
                      path *out) {
  return format(out, "%s/" LAYOUT "/%.2s/%s" SUFFIX, directory, key->hash,
                key->hash)
             ? 0
             : ENAMETOOLONG;
}

/// Creates a directory and those that it lies in, for the user alone.
static int make_directories(const char *directory) {
  path p;
  if (!format(&p, "%s", directory))
    return ENAMETOOLONG;
  for (char *c = p.text + 1;; ++c) {
    if (*c && *c != '/')
      continue;
    char end = *c;
    *c = '\0';
    if (mkdir(p.text, 0700) != 0 && errno != EEXIST)
      return errno;
    *c = end;
    if (!end)
      return 0;
  }
}

//===- Reading ------------------------------------------------------------===//

static int read_all(int file, void *bytes, size_t size) {
  size_t done = 0;
  while (done < size) {
    ssize_t n = read(file, (char *)bytes + done, size - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n < 0 ? errno : EIO; // grew shorter
    done += (size_t)n;
  }
  return 0;
}

static int read_file(const char *name, bool keep_use, void **out_bytes,
                     size_t *out_size) {
  *out_bytes = NULL;
  *out_size = 0;
  int error = 0;
  int file = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0)
    return errno;
  struct stat status;
  void *bytes = NULL;
  if (fstat(file, &status) != 0)
    error = errno;
  else if (!S_ISREG(status.st_mode))
    error = EINVAL;
  else if ((uint64_t)status.st_size > FMHAC_ARTEFACT_MAX_BYTES)
    error = EFBIG;
  else if (!(bytes = malloc((size_t)status.st_size + 1)))
    error = ENOMEM;
  else
    error = read_all(file, bytes, (size_t)status.st_size);
  // That it cannot be kept, on a disk that is read only, does not matter.
  if (!error && keep_use && time(NULL) - status.st_mtime > FRESH_SECONDS)
    (void)futimens(file, NULL);
  close(file);
  if (error) {
    free(bytes);
    return error;
  }
  *out_bytes = bytes;
  *out_size = (size_t)status.st_size;
  return 0;
}

int fmhac_disk_read_path(const char *file, void **out_bytes, size_t *out_size) {
  return read_file(file, false, out_bytes, out_size);
}

int fmhac_disk_read(const char *directory, const fmhac_cache_key *key,
                    void **out_bytes, size_t *out_size) {
  path p;
  int error = entry_path(directory, key, &p);
  if (!error)
    return read_file(p.text, true, out_bytes, out_size);
  *out_bytes = NULL;
  *out_size = 0;
  return error;
}

bool fmhac_disk_is_place(const char *file, fmhac_span text) {
  const fmhac_cache_key key = fmhac_cache_key_of(text);
  path p;
  size_t n = strlen(file);
  if (!format(&p, "/%.2s/%s" SUFFIX, key.hash, key.hash))
    return false;
  size_t m = strlen(p.text);
  return n > m && strcmp(file + n - m, p.text) == 0;
}

//===- Locks --------------------------------------------------------------===//

// Locks of open file descriptions: of threads too, and gone with the last of
// the process's.
static int open_lock_file(const char *directory, int *out_file) {
  path p;
  *out_file = -1;
  if (!format(&p, "%s/" LAYOUT, directory))
    return ENAMETOOLONG;
  int error = make_directories(p.text);
  if (error)
    return error;
  if (!format(&p, "%s/" LAYOUT "/lock", directory))
    return ENAMETOOLONG;
  *out_file = open(p.text, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  return *out_file < 0 ? errno : 0;
}

/// EAGAIN: somebody else holds it.
static int try_lock(int file, off_t at) {
  struct flock lock = {
      .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = at, .l_len = 1};
  if (fcntl(file, F_OFD_SETLK, &lock) == 0)
    return 0;
  return errno == EACCES ? EAGAIN : errno;
}

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// The system's own wait for a lock cannot be called off.
int fmhac_disk_lock(const char *directory, const fmhac_cache_key *key,
                    bool (*stop)(void *user), void *user, unsigned seconds,
                    int *out_lock) {
  enum { FIRST_NANOSECONDS = 1000000, LAST_NANOSECONDS = 16000000 };
  const double end = seconds_now() + seconds;
  int file;
  int error = open_lock_file(directory, &file);
  *out_lock = -1;
  if (error)
    return error;
  for (long pause = FIRST_NANOSECONDS;; pause *= 2) {
    error = try_lock(file, (off_t)key->lock_at);
    if (error == EAGAIN && stop && stop(user))
      error = ECANCELED;
    else if (error == EAGAIN && seconds_now() >= end)
      error = ETIMEDOUT;
    if (error != EAGAIN)
      break;
    if (pause > LAST_NANOSECONDS)
      pause = LAST_NANOSECONDS;
    nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
  }
  if (error)
    close(file);
  else
    *out_lock = file;
  return error;
}

void fmhac_disk_unlock(int lock) {
  if (lock < 0)
    return;
  // Not left to close(): a child that the program forked meanwhile has the
  // descriptor too.
  struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
  fcntl(lock, F_OFD_SETLK, &all);
  close(lock);
}

//===- Writing ------------------------------------------------------------===//

static int write_all(int file, const void *bytes, size_t size) {
  size_t done = 0;
  while (done < size) {
    ssize_t n = write(file, (const char *)bytes + done, size - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n < 0 ? errno : EIO;
    done += (size_t)n;
  }
  return 0;
}

/// A file without a name is gone with the process that is writing it.
static int write_unnamed(const char *folder, const char *to, const void *bytes,
                         size_t size) {
  int file = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (file < 0)
    return errno;
  char self[64];
  snprintf(self, sizeof self, "/proc/self/fd/%d", file);
  int error = write_all(file, bytes, size);
  for (int tries = 0; !error && tries < 16; ++tries) {
    if (linkat(AT_FDCWD, self, AT_FDCWD, to, AT_SYMLINK_FOLLOW) == 0)
      break;
    error = errno;
    // What is there is no good, or is the same.
    if (error == EEXIST && (unlink(to) == 0 || errno == ENOENT))
      error = 0;
  }
  close(file);
  return error;
}

/// Where there are no such files: one that is locked while it is written, so
/// that eviction knows those that nobody writes.
static int write_renamed(const char *folder, const char *to, const void *bytes,
                         size_t size) {
  path p;
  if (!format(&p, "%s/" TEMPORARY "XXXXXX", folder))
    return ENAMETOOLONG;
  int file = mkostemp(p.text, O_CLOEXEC);
  if (file < 0)
    return errno;
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
  (void)fcntl(file, F_OFD_SETLK, &lock);
  int error = write_all(file, bytes, size);
  if (!error && rename(p.text, to) != 0)
    error = errno;
  if (error)
    unlink(p.text);
  close(file);
  return error;
}

int fmhac_disk_write(const char *directory, const fmhac_cache_key *key,
                     const void *bytes, size_t size) {
  path to, folder;
  if (size > FMHAC_ARTEFACT_MAX_BYTES)
    return EFBIG;
  int error = entry_path(directory, key, &to);
  if (!error && !format(&folder, "%s/" LAYOUT "/%.2s", directory, key->hash))
    error = ENAMETOOLONG;
  if (!error)
    error = make_directories(folder.text);
  if (error)
    return error;
  error = write_unnamed(folder.text, to.text, bytes, size);
  // File systems and kernels without O_TMPFILE, and containers without /proc.
  if (error == EOPNOTSUPP || error == EISDIR || error == EINVAL ||
      error == ENOENT)
    error = write_renamed(folder.text, to.text, bytes, size);
  return error;
}

//===- All entries --------------------------------------------------------===//

static bool has_suffix(const char *name, const char *suffix) {
  size_t n = strlen(name), m = strlen(suffix);
  return n > m && strcmp(name + n - m, suffix) == 0;
}

/// Calls `visit` for the files of a folder that are entries, or those that are
/// not whole yet.
static int visit_folder(const char *folder, bool temporary,
                        bool (*visit)(void *user, const char *path,
                                      const struct stat *file),
                        void *user, bool *go_on) {
  DIR *list = opendir(folder);
  if (!list)
    return errno == ENOENT ? 0 : errno;
  const struct dirent *each;
  while (*go_on && (each = readdir(list))) {
    path p;
    struct stat status;
    bool is_temporary =
        strncmp(each->d_name, TEMPORARY, sizeof TEMPORARY - 1) == 0;
    if (temporary ? !is_temporary : !has_suffix(each->d_name, SUFFIX))
      continue;
    if (!format(&p, "%s/%s", folder, each->d_name) ||
        lstat(p.text, &status) != 0 || !S_ISREG(status.st_mode))
      continue; // gone meanwhile, or nothing of ours
    *go_on = visit(user, p.text, &status);
  }
  closedir(list);
  return 0;
}

static int visit_all(const char *directory, bool temporary,
                     bool (*visit)(void *user, const char *path,
                                   const struct stat *file),
                     void *user) {
  bool go_on = true;
  int error = 0;
  for (int i = 0; i < DIRECTORIES && go_on && !error; ++i) {
    path folder;
    error = format(&folder, "%s/" LAYOUT "/%02x", directory, (unsigned)i)
                ? visit_folder(folder.text, temporary, visit, user, &go_on)
                : ENAMETOOLONG;
  }
  return error;
}

int fmhac_disk_visit(const char *directory,
                     bool (*visit)(void *user, const char *path,
                                   const struct stat *file),
                     void *user) {
  return visit_all(directory, false, visit, user);
}

//===- Eviction -----------------------------------------------------------===//

typedef struct entry {
  char *path; ///< owned
  uint64_t bytes;
  struct timespec used;
} entry;

typedef struct entries {
  entry *list;
  size_t count, capacity;
  uint64_t bytes;
  bool failed;
} entries;

static bool collect(void *user, const char *file, const struct stat *status) {
  entries *all = user;
  if (all->count == all->capacity) {
    size_t n = all->capacity ? 2 * all->capacity : 64;
    entry *list = realloc(all->list, n * sizeof *list);
    all->failed |= !list;
    if (!list)
      return false;
    all->list = list;
    all->capacity = n;
  }
  entry *e = &all->list[all->count];
  *e = (entry){strdup(file), (uint64_t)status->st_size, status->st_mtim};
  all->failed |= !e->path;
  if (!e->path)
    return false;
  all->count++;
  all->bytes += e->bytes;
  return true;
}

static int by_use(const void *a, const void *b) {
  const entry *x = a, *y = b;
  if (x->used.tv_sec != y->used.tv_sec)
    return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
  if (x->used.tv_nsec != y->used.tv_nsec)
    return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
  return strcmp(x->path, y->path);
}

/// Removes a temporary file whose writer is gone.
static bool remove_abandoned(void *user, const char *file,
                             const struct stat *status) {
  (void)user;
  (void)status;
  int opened = open(file, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
  if (opened >= 0 && fcntl(opened, F_OFD_SETLK, &lock) == 0)
    unlink(file);
  if (opened >= 0)
    close(opened);
  return true;
}

int fmhac_disk_evict(const char *directory, uint64_t limit_bytes,
                     fmhac_disk_usage *out_usage) {
  *out_usage = (fmhac_disk_usage){0};
  int lock;
  int error = open_lock_file(directory, &lock);
  if (!error && (error = try_lock(lock, eviction_at))) {
    close(lock);
    lock = -1;
  }
  if (error)
    return error;
  entries all = {0};
  error = visit_all(directory, true, remove_abandoned, NULL);
  if (!error)
    error = visit_all(directory, false, collect, &all);
  if (!error && all.failed)
    error = ENOMEM;
  if (!error && all.count)
    qsort(all.list, all.count, sizeof *all.list, by_use);
  fmhac_disk_usage usage = {.entries = all.count, .bytes = all.bytes};
  for (size_t i = 0; !error && i < all.count && usage.bytes > limit_bytes;
       ++i) {
    const entry *e = &all.list[i];
    if (unlink(e->path) != 0 && errno != ENOENT)
      continue;
    usage.entries--;
    usage.bytes -= e->bytes;
    usage.removed++;
    usage.removed_bytes += e->bytes;
  }
  for (size_t i = 0; i < all.count; ++i)
    free(all.list[i].path);
  free(all.list);
  fmhac_disk_unlock(lock);
  if (!error)
    *out_usage = usage;
  return error;
}
