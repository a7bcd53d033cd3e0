// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(char error[ERROR_BYTES], const char *what, const char *path,
                 const char *why) {
  return ERROR_SET(error, "cannot %s %.200s: %s", what, path, why);
}

/// The most bytes of a device; a longer one counts as endless.
enum { DEVICE_BYTES = 1 << 26 };

static bool is_device(FILE *file) {
  struct stat found;
  return fstat(fileno(file), &found) == 0 && S_ISCHR(found.st_mode);
}

bool file_read(const char *path, void **out_bytes, size_t *out_size,
               char error[ERROR_BYTES]) {
  *out_bytes = NULL;
  *out_size = 0;
  bool is_stdin = strcmp(path, "-") == 0;
  FILE *file = is_stdin ? stdin : fopen(path, "rb");
  if (!file)
    return fail(error, "read", path, strerror(errno));
  bool ok = false, endless = false, device = is_device(file);
  size_t size = 0, capacity = 1 << 16;
  char *bytes = malloc(capacity);
  while (bytes && !endless) {
    // One byte stays free for the terminator.
    size_t got = fread(bytes + size, 1, capacity - 1 - size, file);
    size += got;
    endless = device && size > DEVICE_BYTES;
    if (got == 0)
      break;
    if (capacity - 1 - size > 0)
      continue;
    char *larger = realloc(bytes, capacity * 2);
    if (!larger) {
      free(bytes);
      bytes = NULL;
      break;
    }
    bytes = larger;
    capacity *= 2;
  }
  if (!bytes) {
    fail(error, "read", path, "out of memory");
  } else if (endless) {
    fail(error, "read", path,
         "it is a device that does not end; expected a file");
  } else if (ferror(file)) {
    fail(error, "read", path, strerror(errno));
  } else {
    bytes[size] = '\0';
    *out_bytes = bytes;
    *out_size = size;
    bytes = NULL;
    ok = true;
  }
  free(bytes);
  if (!is_stdin)
    fclose(file);
  return ok;
}

/// The file that `path` names: a symbolic link is followed as open() follows
/// it, also one without a target. malloc'ed; NULL with errno on failure.
static char *resolve(const char *path) {
  enum { MOST_LINKS = 40, LINK_BYTES = 4096 }; // Linux: ELOOP beyond 40
  char *now = strdup(path);
  for (int links = 0; now; ++links) {
    char target[LINK_BYTES];
    const ssize_t length = readlink(now, target, sizeof target - 1);
    if (length < 0) // no link: EINVAL; nothing there: ENOENT; others show later
      return now;
    target[length] = '\0';
    const char *slash = strrchr(now, '/');
    char *next = NULL;
    if (links == MOST_LINKS)
      errno = ELOOP;
    else if (asprintf(&next, "%.*s%s",
                      target[0] == '/' || !slash ? 0 : (int)(slash + 1 - now),
                      now, target) < 0)
      next = NULL;
    const int cause = errno;
    free(now);
    errno = cause;
    now = next;
  }
  return NULL;
}

/// The directory of a resolved path, malloc'ed.
static char *directory_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return !slash          ? strdup(".")
         : slash == path ? strdup("/")
                         : strndup(path, (size_t)(slash - path));
}

/// Whether the directory of a resolved path takes a new file: files are
/// replaced by renaming.
static bool can_create(const char *path, const char *resolved,
                       char error[ERROR_BYTES]) {
  struct stat found;
  char *directory = directory_of(resolved);
  if (!directory)
    return fail(error, "write", path, "out of memory");
  bool ok = stat(directory, &found) == 0;
  if (!ok)
    fail(error, "write", path, "its directory does not exist; make it first");
  else if (!S_ISDIR(found.st_mode) || access(directory, W_OK | X_OK) != 0)
    ok = fail(error, "write", path,
              S_ISDIR(found.st_mode) ? "its directory is not writable"
                                     : "its parent is no directory");
  free(directory);
  return ok;
}

bool file_can_write(const char *path, char error[ERROR_BYTES]) {
  if (strcmp(path, "-") == 0)
    return true;
  if (!*path)
    return fail(error, "write", "''", "the file name is empty");
  struct stat found;
  if (stat(path, &found) == 0) {
    if (S_ISDIR(found.st_mode))
      return fail(error, "write", path, "it is a directory; name a file");
    if (!S_ISREG(found.st_mode))
      return true;
  } else if (errno != ENOENT) {
    return fail(error, "write", path, strerror(errno));
  }
  char *resolved = resolve(path);
  if (!resolved)
    return fail(error, "write", path, strerror(errno));
  const bool ok = can_create(path, resolved, error);
  free(resolved);
  return ok;
}

bool file_is_regular(const char *path) {
  struct stat found;
  return stat(path, &found) != 0 || S_ISREG(found.st_mode);
}

static bool write_all(int fd, const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t written = write(fd, bytes, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return false;
    bytes += written;
    size -= (size_t)written;
  }
  return true;
}

/// Writes to a descriptor that is not to be replaced by renaming.
static bool write_in_place(const char *path, const void *bytes, size_t size,
                           char error[ERROR_BYTES]) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return fail(error, "open", path, strerror(errno));
  bool ok = write_all(fd, bytes, size);
  if (!ok)
    fail(error, "write", path, strerror(errno));
  close(fd);
  return ok;
}

/// Makes a new file in the directory of a resolved path, with the permissions
/// that the process's umask leaves: asking for the umask would change it for
/// all threads. -1 with errno on failure.
static int create_beside(const char *resolved, char **out_name) {
  enum { MOST_TRIES = 100 };
  char *directory = directory_of(resolved);
  int fd = -1;
  *out_name = NULL;
  errno = ENOMEM;
  for (int i = 0; directory && fd < 0 && i < MOST_TRIES; ++i) {
    uint64_t random;
    free(*out_name);
    *out_name = NULL;
    if (getrandom(&random, sizeof random, 0) != sizeof random ||
        asprintf(out_name, "%s/.fmhac-%016" PRIx64, directory, random) < 0) {
      *out_name = NULL;
      break;
    }
    fd = open(*out_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno != EEXIST)
      break;
  }
  const int cause = errno;
  free(directory);
  errno = cause;
  return fd;
}

/// Replaces the file at a resolved path; 0 or errno.
static int replace(const char *resolved, const void *bytes, size_t size) {
  struct stat found;
  const bool exists = stat(resolved, &found) == 0;
  char *temporary;
  int cause = 0;
  const int fd = create_beside(resolved, &temporary);
  if (fd < 0) {
    cause = errno;
  } else {
    bool ok = write_all(fd, bytes, size) &&
              (!exists || fchmod(fd, found.st_mode & 0777) == 0);
    cause = ok ? 0 : errno;
    if (close(fd) != 0 && !cause)
      cause = errno;
    if (!cause && rename(temporary, resolved) != 0)
      cause = errno;
    if (cause)
      unlink(temporary);
  }
  free(temporary);
  return cause;
}

bool file_write(const char *path, const void *bytes, size_t size,
                char error[ERROR_BYTES]) {
  if (strcmp(path, "-") == 0) {
    fwrite(bytes, 1, size, stdout); // failures show in streams_close()
    return true;
  }
  struct stat found;
  bool exists = stat(path, &found) == 0;
  if (exists && S_ISDIR(found.st_mode))
    return fail(error, "write", path, "it is a directory; name a file");
  if (exists && !S_ISREG(found.st_mode))
    return write_in_place(path, bytes, size, error);
  char *resolved = resolve(path);
  const int cause = resolved ? replace(resolved, bytes, size) : errno;
  free(resolved);
  return !cause || fail(error, "write", path, strerror(cause));
}

bool directory_create(const char *path, char error[ERROR_BYTES]) {
  char *copy = strdup(path);
  if (!copy)
    return fail(error, "make", path, "out of memory");
  for (char *p = copy + 1; *copy && *p; ++p)
    if (*p == '/') {
      *p = '\0';
      mkdir(copy, 0777); // a parent that cannot be made shows below
      *p = '/';
    }
  free(copy);
  if (mkdir(path, 0777) == 0)
    return true;
  int cause = errno;
  struct stat found;
  if (cause == EEXIST && stat(path, &found) == 0 && S_ISDIR(found.st_mode))
    return true;
  return fail(error, "make the directory", path,
              cause == EEXIST ? "a file has that name" : strerror(cause));
}

char *path_join(const char *directory, const char *name) {
  char *path = NULL;
  return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}
