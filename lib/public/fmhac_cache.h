// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The directory in which a context keeps the kernels that it compiles: lists
/// its entries and removes some.
#ifndef FMHAC_CACHE_H
#define FMHAC_CACHE_H

#include "fmhac.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One file of the cache directory. Strings are borrowed during the call of
/// `visit`.
typedef struct fmhac_cache_entry {
  size_t size;          ///< sizeof(fmhac_cache_entry), set by the library
  const char *path;     ///< of the file
  uint64_t bytes;       ///< of the file
  int64_t used_seconds; ///< last use, about, since 1970
  const char *fault;    ///< why it counts as missing; NULL: it is whole
  bool is_current;      ///< compiled by this very build
  const char *kernel; ///< its name, or names with "; " between them; "" with a
                      ///< fault, as the two below
  const char *schedule; ///< that it was compiled with, in the words of the key
  /// Canonical configuration, which names the schedule that took the place of a
  /// table's where that does not fit with the function of scores.
  const char *config;
} fmhac_cache_entry;

/// The directory that this context keeps kernels in, or NULL; borrowed.
FMHAC_API const char *fmhac_cache_get_directory(const fmhac_context *context);
/// Most bytes that it may hold.
FMHAC_API uint64_t fmhac_cache_get_limit_bytes(const fmhac_context *context);

/// Calls `visit` with every entry of the cache directory, faulty ones included,
/// in no order; stops when `visit` returns false. If this build is not known,
/// no entry is current, and the log gets a warning that says why.
/// Errors: INVALID_INPUT (the context has no cache directory), IO_ERROR (also a
/// directory that is not the user's own), OUT_OF_MEMORY.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_cache_visit(
    fmhac_context *context,
    bool (*visit)(void *user, const fmhac_cache_entry *entry), void *user);

/// The result of removing entries.
typedef struct fmhac_cache_usage {
  size_t size;             ///< sizeof(fmhac_cache_usage), set by the caller
  uint64_t entries, bytes; ///< that are left
  uint64_t removed, removed_bytes;
} fmhac_cache_usage;

/// Removes the least recently used entries until at most `limit_bytes` are
/// left; 0 removes all entries. Kernels that are in use stay as they are.
/// Errors: INVALID_INPUT (no cache directory), IO_ERROR (another process is
/// pruning, or a directory cannot be read).
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_cache_prune(
    fmhac_context *context, uint64_t limit_bytes, fmhac_cache_usage *out_usage);

/// Removes the entries with a fault, and those of other builds if `others`.
/// Errors: as fmhac_cache_prune(); with `others` nothing is removed if this
/// build is not known: UNSUPPORTED (no build ids), or the error of loading the
/// compiler.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_cache_clean(
    fmhac_context *context, bool others, fmhac_cache_usage *out_usage);

#ifdef __cplusplus
}
#endif
#endif // FMHAC_CACHE_H
