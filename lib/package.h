// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The note that every code object of fmhac carries: what it was made from.
///
/// ELF note, section ".note.fmhac", owner "fmhac", type 1; the description is a
/// msgpack map:
///   config        canonical JSON of the configuration
///   schedule      name of the schedule
///   schedule_text the schedule as an attribute
///   score_mod_text the user's function of scores; "" if there is none
///   pipeline      the printed pipeline
///   versions      fmhac_version_text()
///   abi_version   FMHAC_ABI_VERSION
///   abi_hash      XXH3-128, hexadecimal, of the argument block's layout
#ifndef FMHAC_LIB_PACKAGE_H
#define FMHAC_LIB_PACKAGE_H

#include <stddef.h>

#include "fmhac_status.h"

#define FMHAC_NOTE_OWNER "fmhac"
#define FMHAC_NOTE_TYPE 1u
#define FMHAC_ABI_HASH_BYTES 33 ///< 32 digits and the terminator

typedef struct fmhac_note_fields {
  const char *config;
  const char *schedule;
  const char *schedule_text;
  const char *score_mod_text;
  const char *pipeline;
} fmhac_note_fields;

/// Hash of names, types and offsets of the kernel-argument block.
void fmhac_package_abi_hash(char hash[FMHAC_ABI_HASH_BYTES]);

/// The bytes of the note section. The caller frees with free(); null when
/// memory is exhausted.
void *fmhac_package_note(const fmhac_note_fields *fields, size_t *out_bytes);

#endif // FMHAC_LIB_PACKAGE_H
