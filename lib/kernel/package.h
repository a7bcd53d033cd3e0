// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The note that every code object of fmhac carries: the inputs of the
/// compilation and the facts that a launch needs. A launch needs nothing else.
///
/// ELF note, section ".note.fmhac", owner "fmhac", type 1; the description is a
/// msgpack map:
///   config        canonical JSON of the configuration
///   score_mod_text the user's function of scores; "" if there is none
///   pipeline      the printed pipeline
///   from          the rung whose text it was made from, by somebody who may
///                 have edited it; only then
///   versions      fmhac_version_text()
///   abi_version   FMHAC_ABI_VERSION
///   arg_groups    the groups of arguments that its kernels require, with their
///                 fields (arg_groups.h)
///   entries       its kernels, in the order in which a plan asks whether one
///                 is for a problem: maps of the fields of fmhac_entry, and
///                 schedule_text, the schedule as an attribute
///   digest        XXH3-128, hexadecimal, of the whole code object with '0' for
///                 these 32 digits; the last bytes of the description
/// The digest is zero until the code object is linked and sealed.
#ifndef FMHAC_LIB_PACKAGE_H
#define FMHAC_LIB_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "entry.h"

#define FMHAC_NOTE_OWNER "fmhac"
#define FMHAC_NOTE_TYPE 1u
#define FMHAC_DIGEST_DIGITS 32

typedef struct fmhac_note_fields {
  const char *config;
  const char *score_mod_text;
  const char *pipeline;
  const char *from; ///< rung of the text that it was made from; or NULL
  const fmhac_entry *entries;
  const char *const *schedule_texts; ///< of the entries
  size_t entry_count;
} fmhac_note_fields;

/// The bytes of the note section. The caller frees with free(); null when
/// memory is exhausted.
void *fmhac_package_note(const fmhac_note_fields *fields, size_t *out_bytes);

/// Where the description of fmhac's note lies in a code object.
typedef struct fmhac_note_place {
  size_t offset; ///< in the file
  size_t bytes;
} fmhac_note_place;

/// False if `code` is no code object of gfx950 with a note of fmhac. Takes any
/// bytes.
bool fmhac_package_find_note(const void *code, size_t code_bytes,
                             fmhac_note_place *out_place);

/// Fills in the digest, which only a linked code object has. False if it has no
/// note of fmhac_package_note().
bool fmhac_package_seal(void *code, size_t code_bytes);

/// The digest of a code object whose note ends at `note_end`, at least
/// FMHAC_DIGEST_DIGITS into the file; not terminated. False when memory is
/// exhausted.
bool fmhac_package_digest(const void *code, size_t code_bytes, size_t note_end,
                          char out_digits[FMHAC_DIGEST_DIGITS]);

#endif // FMHAC_LIB_PACKAGE_H
