// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A compiled kernel as the cache keeps it: a file with a checksum and the
/// inputs of the compilation.
///
/// 40 bytes: "FMHACART", format (u32, little-endian), 0 (u32), bytes of the
/// payload (u64), XXH3-128 of the payload (canonical, big-endian). The payload
/// is a msgpack map: key (text, the inputs of the compilation), code (bin), log
/// (text), entries (an array of maps: fmhac_entry_pack() and lds_bytes).
#ifndef FMHAC_LIB_ARTEFACT_H
#define FMHAC_LIB_ARTEFACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "entry.h"

#define FMHAC_ARTEFACT_FORMAT 3u
/// No artefact is larger: kernels have some ten kilobytes.
#define FMHAC_ARTEFACT_MAX_BYTES ((size_t)64 << 20)

/// Text that ends where its length says.
typedef struct fmhac_span {
  const char *text;
  size_t bytes;
} fmhac_span;

/// A string of C with the same bytes; the caller frees with free(). NULL when
/// memory is exhausted.
char *fmhac_span_copy(fmhac_span span);

/// The contents; texts and bytes are borrowed.
typedef struct fmhac_artefact {
  fmhac_span key;
  fmhac_span code;
  fmhac_span log; ///< messages of the compiler, one a line
  fmhac_entry entries[FMHAC_MOST_ENTRIES];
  size_t entry_count; ///< at least one
} fmhac_artefact;

/// The bytes of the file; the caller frees with free(). NULL when memory is
/// exhausted.
void *fmhac_artefact_write(const fmhac_artefact *artefact, size_t *out_bytes);

/// Reads a file; `out` borrows from `bytes`. False, with a constant as the
/// reason, if the bytes are not exactly those that fmhac_artefact_write()
/// wrote.
bool fmhac_artefact_read(const void *bytes, size_t size, fmhac_artefact *out,
                         const char **out_reason);

#endif // FMHAC_LIB_ARTEFACT_H
