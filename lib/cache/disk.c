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
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "grow.h"

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

//===- Names --------------------------------------------------------------===//

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

/// Where the entry of a key lies: VERSION/HH/HASH.fmhac.
typedef struct entry_name {
  char folder[3];
  char file[FMHAC_HASH_BYTES + sizeof SUFFIX];
  char shown[FMHAC_HASH_BYTES + 16]; ///< from the cache directory on
} entry_name;

static entry_name name_of(const fmhac_cache_key *key) {
  entry_name n;
  snprintf(n.folder, sizeof n.folder, "%.2s", key->hash);
  snprintf(n.file, sizeof n.file, "%s" SUFFIX, key->hash);
  snprintf(n.shown, sizeof n.shown, FMHAC_PLACE_LAYOUT "/%s/%s", n.folder,
           n.file);
  return n;
}

/// Opens the folder that the entry of a key lies in; the caller closes.
static int open_folder_of(fmhac_disk *disk, const entry_name *name, bool create,
                          int *out_folder) {
  int version;
  *out_folder = -1;
  int error = fmhac_place_open(disk, create, &version);
  if (error)
    return error;
  error =
      fmhac_place_open_folder(disk, version, name->folder, create, out_folder);
  close(version);
  if (error && *out_folder >= 0) {
    close(*out_folder);
    *out_folder = -1;
  }
  return error;
}

const char *fmhac_disk_explain(const fmhac_disk *disk, int error) {
  return error == EPERM && disk->fault[0] ? disk->fault : strerror(error);
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

static int read_file(fmhac_disk *disk, int folder, const char *name,
                     const char *shown, bool keep_use, void **out_bytes,
                     size_t *out_size) {
  struct stat status;
  void *bytes = NULL;
  int file;
  int error = fmhac_place_open_file(disk, folder, name, shown, O_RDONLY,
                                    &status, &file);
  if (error)
    return error;
  if ((uint64_t)status.st_size > FMHAC_ARTEFACT_MAX_BYTES)
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

int fmhac_disk_read_file(fmhac_disk *disk, const fmhac_disk_file *file,
                         void **out_bytes, size_t *out_size) {
  *out_bytes = NULL;
  *out_size = 0;
  if (file->refused)
    return EPERM;
  disk->fault[0] = '\0';
  return read_file(disk, file->folder, file->name,
                   file->path + strlen(disk->directory) + 1, false, out_bytes,
                   out_size);
}

int fmhac_disk_read(fmhac_disk *disk, const fmhac_cache_key *key,
                    void **out_bytes, size_t *out_size) {
  const entry_name name = name_of(key);
  int folder;
  *out_bytes = NULL;
  *out_size = 0;
  int error = open_folder_of(disk, &name, false, &folder);
  if (error)
    return error;
  error =
      read_file(disk, folder, name.file, name.shown, true, out_bytes, out_size);
  close(folder);
  return error;
}

static bool has_suffix(const char *name, const char *suffix) {
  size_t n = strlen(name), m = strlen(suffix);
  return n > m && strcmp(name + n - m, suffix) == 0;
}

bool fmhac_disk_is_place(const char *file, fmhac_span text) {
  const fmhac_cache_key key = fmhac_cache_key_of(text);
  path p;
  return format(&p, "/%.2s/%s" SUFFIX, key.hash, key.hash) &&
         has_suffix(file, p.text);
}

//===- Locks --------------------------------------------------------------===//

// Locks belong to open file descriptions: they exclude threads, too, and end
// when the last descriptor is closed.
/// Opens the lock file in an open DIRECTORY/v1.
static int open_lock_file(fmhac_disk *disk, int version, int *out_file) {
  struct stat status;
  return fmhac_place_open_file(disk, version, "lock",
                               FMHAC_PLACE_LAYOUT "/lock", O_RDWR | O_CREAT,
                               &status, out_file);
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

// The system's own wait for a lock cannot be cancelled.
int fmhac_disk_lock(fmhac_disk *disk, const fmhac_cache_key *key,
                    bool (*stop)(void *user), void *user, unsigned seconds,
                    int *out_lock) {
  enum { FIRST_NANOSECONDS = 1000000, LAST_NANOSECONDS = 16000000 };
  const double end = seconds_now() + seconds;
  int version, file = -1;
  int error = fmhac_place_open(disk, true, &version);
  *out_lock = -1;
  if (error)
    return error;
  error = open_lock_file(disk, version, &file);
  close(version);
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

/// A file without a name disappears with the process that writes it.
static int write_unnamed(int folder, const char *to, const void *bytes,
                         size_t size) {
  int file = openat(folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (file < 0)
    return errno;
  char self[64];
  snprintf(self, sizeof self, "/proc/self/fd/%d", file);
  int error = write_all(file, bytes, size);
  for (int tries = 0; !error && tries < 16; ++tries) {
    if (linkat(AT_FDCWD, self, folder, to, AT_SYMLINK_FOLLOW) == 0)
      break;
    error = errno;
    // The existing file is faulty, or is the same.
    if (error == EEXIST && (unlinkat(folder, to, 0) == 0 || errno == ENOENT))
      error = 0;
  }
  close(file);
  return error;
}

/// Opens a temporary file with a name that no other has.
static int open_temporary(int folder, char *name, size_t name_bytes,
                          int *out_file) {
  for (int tries = 0; tries < 16; ++tries) {
    uint64_t number;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
      return EIO;
    snprintf(name, name_bytes, TEMPORARY "%016" PRIx64, number);
    *out_file =
        openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (*out_file >= 0)
      return 0;
    if (errno != EEXIST)
      return errno;
  }
  return EEXIST;
}

/// On file systems without such files: a named file that is locked while it is
/// written, so that eviction recognises abandoned ones.
static int write_renamed(int folder, const char *to, const void *bytes,
                         size_t size) {
  char name[64];
  int file;
  int error = open_temporary(folder, name, sizeof name, &file);
  if (error)
    return error;
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
  (void)fcntl(file, F_OFD_SETLK, &lock);
  error = write_all(file, bytes, size);
  if (!error && renameat(folder, name, folder, to) != 0)
    error = errno;
  if (error)
    unlinkat(folder, name, 0);
  close(file);
  return error;
}

int fmhac_disk_write(fmhac_disk *disk, const fmhac_cache_key *key,
                     const void *bytes, size_t size) {
  const entry_name name = name_of(key);
  int folder;
  if (size > FMHAC_ARTEFACT_MAX_BYTES)
    return EFBIG;
  int error = open_folder_of(disk, &name, true, &folder);
  if (error)
    return error;
  error = write_unnamed(folder, name.file, bytes, size);
  // File systems and kernels without O_TMPFILE, and containers without /proc.
  if (error == EOPNOTSUPP || error == EISDIR || error == EINVAL ||
      error == ENOENT)
    error = write_renamed(folder, name.file, bytes, size);
  close(folder);
  return error;
}

//===- All entries --------------------------------------------------------===//

typedef bool visit_file(void *user, const fmhac_disk_file *file);

/// Calls `visit` for the files of an open folder of entries, which it closes,
/// that are entries, or those that are not whole yet.
static int visit_files(const fmhac_disk *disk, const char *folder_name,
                       int folder, bool refused, bool temporary,
                       visit_file *visit, void *user, bool *go_on) {
  // A directory opened for traversal only cannot be listed.
  const int readable = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = readable < 0 ? NULL : fdopendir(readable);
  const int error = list ? 0 : errno;
  const struct dirent *each;
  while (list && *go_on && (each = readdir(list))) {
    path p;
    struct stat status;
    bool is_temporary =
        strncmp(each->d_name, TEMPORARY, sizeof TEMPORARY - 1) == 0;
    if (temporary ? !is_temporary : !has_suffix(each->d_name, SUFFIX))
      continue;
    if (!format(&p, "%s/" FMHAC_PLACE_LAYOUT "/%s/%s", disk->directory,
                folder_name, each->d_name) ||
        fstatat(folder, each->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(status.st_mode))
      continue; // gone meanwhile, or nothing of ours
    const fmhac_disk_file file = {p.text, folder, each->d_name, &status,
                                  refused};
    *go_on = visit(user, &file);
  }
  if (list)
    closedir(list);
  else if (readable >= 0)
    close(readable);
  close(folder);
  return error;
}

/// All folders of an open DIRECTORY/v1. Those that are refused are visited if
/// `refused`, else left out.
static int visit_all(fmhac_disk *disk, int version, bool refused,
                     bool temporary, visit_file *visit, void *user) {
  bool go_on = true;
  int error = 0;
  for (int i = 0; i < DIRECTORIES && go_on && !error; ++i) {
    char name[8];
    int folder;
    snprintf(name, sizeof name, "%02x", (unsigned)i);
    error = fmhac_place_open_folder(disk, version, name, false, &folder);
    if (folder >= 0 && (!error || refused))
      error = visit_files(disk, name, folder, error == EPERM, temporary, visit,
                          user, &go_on);
    else if (folder >= 0)
      close(folder);
    if (error == ENOENT || (error == EPERM && folder >= 0))
      error = 0;
  }
  return error;
}

int fmhac_disk_visit(fmhac_disk *disk,
                     bool (*visit)(void *user, const fmhac_disk_file *file),
                     void *user) {
  int version;
  int error = fmhac_place_open(disk, false, &version);
  if (error)
    return error == ENOENT ? 0 : error;
  error = visit_all(disk, version, true, false, visit, user);
  close(version);
  return error;
}

//===- Eviction -----------------------------------------------------------===//

typedef struct entry {
  char *name; ///< owned; from DIRECTORY/v1 on
  uint64_t bytes;
  struct timespec used;
} entry;

typedef struct entries {
  entry *list;
  size_t count, capacity;
  uint64_t bytes;
  bool failed;
} entries;

/// HH/HASH.fmhac of a file that was visited.
static const char *name_in_version(const char *file) {
  const char *name = strrchr(file, '/');
  while (name[-1] != '/')
    --name;
  return name;
}

static bool collect(void *user, const fmhac_disk_file *file) {
  entries *all = user;
  all->failed |= !FMHAC_GROW(all->list, all->count, all->capacity);
  if (all->failed)
    return false;
  entry *e = &all->list[all->count];
  *e = (entry){strdup(name_in_version(file->path)),
               (uint64_t)file->status->st_size, file->status->st_mtim};
  all->failed |= !e->name;
  if (!e->name)
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
  return strcmp(x->name, y->name);
}

/// Removes a temporary file whose writer is gone.
static bool remove_abandoned(void *user, const fmhac_disk_file *file) {
  struct stat status;
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
  int opened;
  if (fmhac_place_open_file(user, file->folder, file->name, file->name, O_RDWR,
                            &status, &opened) != 0)
    return true;
  if (fcntl(opened, F_OFD_SETLK, &lock) == 0)
    unlinkat(file->folder, file->name, 0);
  close(opened);
  return true;
}

/// The entries that remain after the oldest are removed.
static fmhac_disk_usage remove_oldest(int version, const entries *all,
                                      uint64_t limit_bytes) {
  fmhac_disk_usage usage = {.entries = all->count, .bytes = all->bytes};
  for (size_t i = 0; i < all->count && usage.bytes > limit_bytes; ++i) {
    const entry *e = &all->list[i];
    if (unlinkat(version, e->name, 0) != 0 && errno != ENOENT)
      continue;
    usage.entries--;
    usage.bytes -= e->bytes;
    usage.removed++;
    usage.removed_bytes += e->bytes;
  }
  return usage;
}

static int evict(fmhac_disk *disk, int version, uint64_t limit_bytes,
                 fmhac_disk_usage *out_usage) {
  entries all = {0};
  int error = visit_all(disk, version, false, true, remove_abandoned, disk);
  if (!error)
    error = visit_all(disk, version, false, false, collect, &all);
  if (!error && all.failed)
    error = ENOMEM;
  if (!error && all.count)
    qsort(all.list, all.count, sizeof *all.list, by_use);
  if (!error)
    *out_usage = remove_oldest(version, &all, limit_bytes);
  for (size_t i = 0; i < all.count; ++i)
    free(all.list[i].name);
  free(all.list);
  return error;
}

int fmhac_disk_evict(fmhac_disk *disk, uint64_t limit_bytes,
                     fmhac_disk_usage *out_usage) {
  *out_usage = (fmhac_disk_usage){0};
  int version, lock = -1;
  int error = fmhac_place_open(disk, true, &version);
  if (error)
    return error;
  error = open_lock_file(disk, version, &lock);
  if (!error)
    error = try_lock(lock, eviction_at);
  if (!error)
    error = evict(disk, version, limit_bytes, out_usage);
  fmhac_disk_unlock(lock);
  close(version);
  return error;
}
