// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Where the entries of a cache directory lie, and whose they are. What is in
/// an entry runs on the user's GPU with the user's rights, and its digest says
/// that it is whole, not who wrote it. So the directory, the two levels of
/// folders in it and every file must belong to the user (or, where the
/// directory is only read, to root) and be writable by nobody else. Each is
/// opened from the one before and looked at when it is open: nobody can put
/// another in its place between the look and the use.
///
/// A sticky directory that others may write to, such as /tmp, is refused like
/// any other that they may write to: a directory in it does. Folders that the
/// directory itself lies in are not looked at: whatever they lead to is.
///
/// Functions that return an int give 0 or an errno; EPERM with a text in
/// `fault` is a refusal for that reason.
#ifndef FMHAC_LIB_PLACE_H
#define FMHAC_LIB_PLACE_H

#include <stdbool.h>
#include <sys/stat.h>

// Changes where entries change their place; what is in them has a version of
// its own.
#define FMHAC_PLACE_LAYOUT "v1"
enum { FMHAC_PLACE_FAULT_BYTES = 640 };

/// A cache directory, as one call looks at it.
typedef struct fmhac_disk {
  const char *directory; ///< borrowed; a symbolic link is followed
  bool read_only;        ///< what belongs to root counts as the user's own
  bool folder_refused;   ///< not only a file: nothing is to be written either
  char fault[FMHAC_PLACE_FAULT_BYTES]; ///< of the last refusal; "": none
} fmhac_disk;

/// Looks at what is open as DIRECTORY/`name`: EPERM and a fault, or 0.
int fmhac_place_check(fmhac_disk *disk, int opened, const char *name,
                      struct stat *out_status);

/// Opens DIRECTORY/v1, made with all it lies in if `create`; the caller closes.
int fmhac_place_open(fmhac_disk *disk, bool create, int *out_folder);
/// Opens the folder of entries `name` of what fmhac_place_open() opened; the
/// caller closes. With EPERM for a fault it is open too.
int fmhac_place_open_folder(fmhac_disk *disk, int version, const char *name,
                            bool create, int *out_folder);

/// Opens a file of an open folder, `shown` in messages; the caller closes.
/// EINVAL: no regular file.
int fmhac_place_open_file(fmhac_disk *disk, int folder, const char *name,
                          const char *shown, int flags, struct stat *out_status,
                          int *out_file);

#endif // FMHAC_LIB_PLACE_H
