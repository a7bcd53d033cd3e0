// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(char error[ERROR_BYTES], const char *what, const char *path,
                 const char *why) {
  snprintf(error, ERROR_BYTES, "cannot %s %.200s: %s", what, path, why);
  return false;
}

/// What a device may give before it counts as one that does not end.
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
  // Files are replaced by renaming, so the directory must take a new one.
  const char *slash = strrchr(path, '/');
  char *directory = !slash          ? strdup(".")
                    : slash == path ? strdup("/")
                                    : strndup(path, (size_t)(slash - path));
  if (!directory)
    return fail(error, "write", path, "out of memory");
  bool ok = stat(directory, &found) == 0;
  if (!ok)
    fail(error, "write", path, "its directory does not exist; make it first");
  else if (!S_ISDIR(found.st_mode) || access(directory, W_OK | X_OK) != 0)
    ok = fail(error, "write", path,
              S_ISDIR(found.st_mode) ? "its directory is not writable"
                                     : "what should be its directory is none");
  free(directory);
  return ok;
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

  char *temporary = NULL;
  bool ok = false;
  int fd = -1;
  if (asprintf(&temporary, "%s.XXXXXX", path) < 0) {
    temporary = NULL;
    fail(error, "write", path, "out of memory");
    goto cleanup;
  }
  fd = mkstemp(temporary);
  if (fd < 0) {
    fail(error, "create a file beside", path, strerror(errno));
    goto cleanup;
  }
  // mkstemp makes files of its owner only; a result is an ordinary file.
  mode_t mask = umask(0);
  umask(mask);
  mode_t mode = exists ? found.st_mode & 0777 : 0666 & ~mask;
  ok = write_all(fd, bytes, size) && fchmod(fd, mode) == 0;
  ok = close(fd) == 0 && ok;
  ok = ok && rename(temporary, path) == 0;
  if (!ok) {
    fail(error, "write", path, strerror(errno));
    unlink(temporary);
  }

cleanup:
  free(temporary);
  return ok;
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
