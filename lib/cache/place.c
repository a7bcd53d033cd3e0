// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/// Checks the open file DIRECTORY/`name`: EPERM and a fault, or 0.
static int check(fmhac_disk *disk, int opened, const char *name,
                 struct stat *out_status) {
  if (fstat(opened, out_status) != 0)
    return errno;
  const uid_t user = geteuid(), owner = out_status->st_uid;
  const char *slash = name[0] ? "/" : "";
  if (owner != user && !(disk->read_only && owner == 0)) {
    snprintf(disk->fault, sizeof disk->fault,
             "%.400s%s%.100s belongs to user %u, expected user %u%s",
             disk->directory, slash, name, (unsigned)owner, (unsigned)user,
             disk->read_only && user ? " or 0" : "");
    return EPERM;
  }
  if (out_status->st_mode & (S_IWGRP | S_IWOTH)) {
    snprintf(disk->fault, sizeof disk->fault,
             "others than its owner may write to %.400s%s%.100s, which has "
             "mode %04o; chmod go-w takes that away",
             disk->directory, slash, name,
             (unsigned)out_status->st_mode & 07777);
    return EPERM;
  }
  return 0;
}

/// Creates a directory and those that it lies in, for the user alone.
static int make_directories(const char *directory) {
  char path[PATH_MAX];
  const size_t length = strlen(directory);
  if (length >= sizeof path)
    return ENAMETOOLONG;
  memcpy(path, directory, length + 1);
  for (char *c = path + 1;; ++c) {
    if (*c && *c != '/')
      continue;
    char end = *c;
    *c = '\0';
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
      return errno;
    *c = end;
    if (!end)
      return 0;
  }
}

// O_PATH: to pass through it takes no right to read.
static int open_folder(fmhac_disk *disk, int in, const char *at,
                       const char *name, int flags, int *out_folder) {
  struct stat status;
  *out_folder = openat(in, at, O_PATH | O_DIRECTORY | O_CLOEXEC | flags);
  if (*out_folder < 0)
    return errno;
  int error = check(disk, *out_folder, name, &status);
  disk->folder_refused |= error == EPERM;
  return error;
}

int fmhac_place_open(fmhac_disk *disk, bool create, int *out_folder) {
  static const char name[] = FMHAC_PLACE_LAYOUT;
  int directory = -1;
  *out_folder = -1;
  disk->fault[0] = '\0';
  int error = create ? make_directories(disk->directory) : 0;
  if (!error)
    error = open_folder(disk, AT_FDCWD, disk->directory, "", 0, &directory);
  if (!error && create && mkdirat(directory, name, 0700) != 0 &&
      errno != EEXIST)
    error = errno;
  if (!error)
    error = open_folder(disk, directory, name, name, O_NOFOLLOW, out_folder);
  if (directory >= 0)
    close(directory);
  if (error && *out_folder >= 0) {
    close(*out_folder);
    *out_folder = -1;
  }
  return error;
}

int fmhac_place_open_folder(fmhac_disk *disk, int version, const char *name,
                            bool create, int *out_folder) {
  char shown[64];
  snprintf(shown, sizeof shown, FMHAC_PLACE_LAYOUT "/%.40s", name);
  *out_folder = -1;
  if (create && mkdirat(version, name, 0700) != 0 && errno != EEXIST)
    return errno;
  return open_folder(disk, version, name, shown, O_NOFOLLOW, out_folder);
}

int fmhac_place_open_file(fmhac_disk *disk, int folder, const char *name,
                          const char *shown, int flags, struct stat *out_status,
                          int *out_file) {
  // O_NONBLOCK: a pipe in its place is not waited for.
  *out_file =
      openat(folder, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (*out_file < 0)
    return errno;
  int error = check(disk, *out_file, shown, out_status);
  if (!error && !S_ISREG(out_status->st_mode))
    error = EINVAL;
  if (error) {
    close(*out_file);
    *out_file = -1;
  }
  return error;
}
