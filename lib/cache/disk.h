// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The cache on disk: DIRECTORY/v1/HH/HASH.fmhac, an artefact a file, and
/// DIRECTORY/v1/lock.
///
/// An entry appears whole or not at all, and what is read proves itself
/// (artefact.h): readers take no lock. Who is about to compile holds the lock
/// of the key, a byte of the lock file, which the kernel releases with the
/// process: nobody waits for a process that is gone, and no file is a sign of
/// anything but its contents. What another user wrote, or could have, is not
/// read, and nothing is written beside it (place.h): EPERM.
///
/// Functions that return an int give 0 or an errno.
#ifndef FMHAC_LIB_DISK_H
#define FMHAC_LIB_DISK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "artefact.h"
#include "place.h"

#define FMHAC_HASH_BYTES 33 ///< 32 hexadecimal digits and the terminator

/// What an artefact is looked up by.
typedef struct fmhac_cache_key {
  fmhac_span text; ///< everything that the code depends on
  char hash[FMHAC_HASH_BYTES];
  uint64_t lock_at; ///< its byte of the lock file
} fmhac_cache_key;

/// Fills in hash and lock of a text, which is borrowed.
fmhac_cache_key fmhac_cache_key_of(fmhac_span text);

/// What an error of one of these functions says: the fault of a refusal, else
/// what the system says of it.
const char *fmhac_disk_explain(const fmhac_disk *disk, int error);

/// Reads the file of a key, whatever it holds; the caller frees with free().
/// Keeps when it was last used, about. Errors: ENOENT, EFBIG, ENOMEM, and what
/// reading gives.
int fmhac_disk_read(fmhac_disk *disk, const fmhac_cache_key *key,
                    void **out_bytes, size_t *out_size);

/// A file of the cache directory, during a visit.
typedef struct fmhac_disk_file {
  const char *path; ///< for people
  int folder;       ///< that it lies in, open
  const char *name; ///< in the folder
  const struct stat *status;
  bool refused; ///< its folder is; why is in the fault of the disk
} fmhac_disk_file;

/// Reads a file that is being visited, without keeping that. Errors: the same,
/// and EINVAL for what is no file.
int fmhac_disk_read_file(fmhac_disk *disk, const fmhac_disk_file *file,
                         void **out_bytes, size_t *out_size);

/// Whether a path ends as that of the entry of a key does.
bool fmhac_disk_is_place(const char *path, fmhac_span key);

/// Waits for the lock of a key, until `stop`, which may be NULL, answers true
/// (ECANCELED) or `seconds` are over (ETIMEDOUT: who holds it may be stopped);
/// `*out_lock` is due to fmhac_disk_unlock().
int fmhac_disk_lock(fmhac_disk *disk, const fmhac_cache_key *key,
                    bool (*stop)(void *user), void *user, unsigned seconds,
                    int *out_lock);
void fmhac_disk_unlock(int lock);

/// Puts a file in the place of whatever is there.
int fmhac_disk_write(fmhac_disk *disk, const fmhac_cache_key *key,
                     const void *bytes, size_t size);

/// Calls `visit` with every entry; stops where it answers false. No directory
/// is no error: there are no entries.
int fmhac_disk_visit(fmhac_disk *disk,
                     bool (*visit)(void *user, const fmhac_disk_file *file),
                     void *user);

typedef struct fmhac_disk_usage {
  uint64_t entries, bytes; ///< that are left
  uint64_t removed, removed_bytes;
} fmhac_disk_usage;

/// Removes the entries that have not been used for longest until the others
/// have no more than `limit_bytes`, and what processes that were killed left
/// behind. EAGAIN: another process is at it.
int fmhac_disk_evict(fmhac_disk *disk, uint64_t limit_bytes,
                     fmhac_disk_usage *out_usage);

#endif // FMHAC_LIB_DISK_H
