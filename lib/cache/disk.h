// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The cache on disk: DIRECTORY/v1/HH/HASH.fmhac, an artefact a file, and
/// DIRECTORY/v1/lock.
///
/// An entry appears completely or not at all, and a checksum proves that it is
/// whole (artefact.h), so readers take no lock. A process that is about to
/// compile holds the lock of the key, a byte of the lock file. The operating
/// system releases the lock when the process ends, so nobody waits for a dead
/// process, and the existence of a file means nothing. Files that another user
/// wrote, or could have written, are not read, and nothing is written to their
/// directory (place.h): EPERM.
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

/// The key of an artefact.
typedef struct fmhac_cache_key {
  fmhac_span text; ///< everything that the code depends on
  char hash[FMHAC_HASH_BYTES];
  uint64_t lock_at; ///< its byte of the lock file
} fmhac_cache_key;

/// Fills in hash and lock of a text. The text is borrowed.
fmhac_cache_key fmhac_cache_key_of(fmhac_span text);

/// The text of an error of these functions: the fault of a refusal, else the
/// text of the operating system.
const char *fmhac_disk_explain(const fmhac_disk *disk, int error);

/// Reads the file of a key without checking its contents; the caller frees with
/// free(). Records the approximate time of last use. Errors: ENOENT, EFBIG,
/// ENOMEM, and errors of reading.
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

/// Reads a file that is being visited, without recording a use. Errors: the
/// same, and EINVAL if it is no regular file.
int fmhac_disk_read_file(fmhac_disk *disk, const fmhac_disk_file *file,
                         void **out_bytes, size_t *out_size);

/// Whether a path ends like the path of a key's entry.
bool fmhac_disk_is_place(const char *path, fmhac_span key);

/// Waits for the lock of a key, until `stop`, which may be NULL, returns true
/// (ECANCELED) or `seconds` are over (ETIMEDOUT: the holder may be stopped).
/// Give `*out_lock` to fmhac_disk_unlock().
int fmhac_disk_lock(fmhac_disk *disk, const fmhac_cache_key *key,
                    bool (*stop)(void *user), void *user, unsigned seconds,
                    int *out_lock);
void fmhac_disk_unlock(int lock);

/// Writes a file, which replaces an existing one.
int fmhac_disk_write(fmhac_disk *disk, const fmhac_cache_key *key,
                     const void *bytes, size_t size);

/// Calls `visit` with every entry; stops when it returns false. A missing
/// directory is no error and has no entries.
int fmhac_disk_visit(fmhac_disk *disk,
                     bool (*visit)(void *user, const fmhac_disk_file *file),
                     void *user);

typedef struct fmhac_disk_usage {
  uint64_t entries, bytes; ///< that are left
  uint64_t removed, removed_bytes;
} fmhac_disk_usage;

/// Removes the least recently used entries until the others have at most
/// `limit_bytes`, and the temporary files of killed processes. EAGAIN: another
/// process is pruning.
int fmhac_disk_evict(fmhac_disk *disk, uint64_t limit_bytes,
                     fmhac_disk_usage *out_usage);

#endif // FMHAC_LIB_DISK_H
