// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The place and the ownership of the entries of a cache directory. The code in
/// an entry runs on the user's GPU with the user's rights; its digest proves
/// that it is whole, not who wrote it. So the directory, the two levels of
/// folders in it and every file must belong to the user (or, where the
/// directory is only read, to root) and be writable by nobody else. Each is
/// opened relative to the one before and checked when it is open, so that
/// nobody can replace it between check and use.
///
/// A sticky directory that others may write to, such as /tmp, is refused like
/// any other writable one; a directory inside it is accepted. The parents of
/// the directory are not checked: the directory that they lead to is.
///
/// Functions that return an int give 0 or an errno; EPERM with a text in
/// `fault` is a refusal for that reason.
#ifndef FMHAC_LIB_PLACE_H
#define FMHAC_LIB_PLACE_H

#include <stdbool.h>
#include <sys/stat.h>

// Changes when the place of entries changes; their format has its own version.
#define FMHAC_PLACE_LAYOUT "v1"
enum { FMHAC_PLACE_FAULT_BYTES = 640 };

/// A cache directory, as one call looks at it.
typedef struct fmhac_disk {
  const char *directory; ///< borrowed; a symbolic link is followed
  bool read_only;        ///< files of root count as the user's own
  bool folder_refused;   ///< not only a file: nothing is to be written either
  char fault[FMHAC_PLACE_FAULT_BYTES]; ///< of the last refusal; "": none
} fmhac_disk;

/// Opens DIRECTORY/v1, made with all it lies in if `create`; the caller closes.
int fmhac_place_open(fmhac_disk *disk, bool create, int *out_folder);
/// Opens the folder of entries `name` in the directory that fmhac_place_open()
/// opened; the caller closes it. It is open also after EPERM for a fault.
int fmhac_place_open_folder(fmhac_disk *disk, int version, const char *name,
                            bool create, int *out_folder);

/// Opens a file of an open folder, `shown` in messages; the caller closes.
/// EINVAL: no regular file.
int fmhac_place_open_file(fmhac_disk *disk, int folder, const char *name,
                          const char *shown, int flags, struct stat *out_status,
                          int *out_file);

#endif // FMHAC_LIB_PLACE_H
