// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Source locations of instructions, from the debug information of the code
/// object: DWARF, through libdw. Missing or damaged information is no error;
/// the location is then unknown.
#ifndef FMHAC_ISA_LINES_H
#define FMHAC_ISA_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Texts are ASCII; other characters of a name become question marks.
typedef struct isa_source_location {
  char location[192]; ///< "FILE:LINE"; "" if it is not known
  char step[64];      ///< innermost inlined function; "" if none
  bool is_ours;       ///< fmhac compiled it: `step` is a step
} isa_source_location;
/// `location` or `step`; NULL if it is not known.
static inline const char *isa_location_part(const char *part) {
  return part[0] ? part : NULL;
}

typedef struct isa_lines isa_lines;

/// Opens the debug information of an ELF file, whose bytes must stay valid
/// until it is closed. NULL if no debug information can be read, or memory is
/// out.
isa_lines *isa_lines_open(void *file, size_t bytes);
/// NULL is allowed.
void isa_lines_close(isa_lines *lines);

/// The source location of the instruction at a link-time address. `lines` may
/// be NULL.
void isa_lines_find(isa_lines *lines, uint64_t address,
                    isa_source_location *out_place);

/// Appends to the text of a finding the location of its instruction and, if
/// `other` is not NULL, that of the instruction at `other_pc`. Unknown
/// locations are left out.
void isa_locations_text(const isa_source_location *place,
                        const isa_source_location *other, const char *other_pc,
                        char *text, size_t bytes);

#endif // FMHAC_ISA_LINES_H
