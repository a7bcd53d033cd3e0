// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Where an instruction comes from, as the debug information of its code object
/// says: DWARF, through libdw. What is not there, or damaged, is not known;
/// that is no error.
#ifndef FMHAC_ISA_LINES_H
#define FMHAC_ISA_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// In ASCII: what else a name has is a question mark.
typedef struct isa_source_location {
  char location[192]; ///< "FILE:LINE"; "" if it is not known
  char step[64];      ///< innermost function that was inlined; "" if none was
  bool is_ours;       ///< fmhac compiled it: `step` is one
} isa_source_location;
/// One of the two, NULL if it is not known.
static inline const char *isa_location_part(const char *part) {
  return part[0] ? part : NULL;
}

typedef struct isa_lines isa_lines;

/// The debug information of an ELF file, which must stay as long. NULL if it
/// has none that can be read, or memory is out.
isa_lines *isa_lines_open(void *file, size_t bytes);
/// NULL is allowed.
void isa_lines_close(isa_lines *lines);

/// The place of the instruction at a link-time address. `lines` may be NULL.
void isa_lines_find(isa_lines *lines, uint64_t address,
                    isa_source_location *out_place);

/// Appends to the text of a finding: where its instruction comes from, and, if
/// `other` is not NULL, the one at `other_pc`. What is not known is not said.
void isa_locations_text(const isa_source_location *place,
                        const isa_source_location *other, const char *other_pc,
                        char *text, size_t bytes);

#endif // FMHAC_ISA_LINES_H
