// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From addresses to lines and inlined functions. The tree of entries is not
// walked by dwarf_getscopes(), because the file decides how deep that recurses.
// Source: DWARF 5, 2.17 (addresses of entries), 3.3.8 (inlined calls), 6.2
// (line tables).
#include "lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMESPACES = 16 }; ///< nested

struct isa_lines {
  Elf *elf;
  Dwarf *dwarf;
};

isa_lines *isa_lines_open(void *file, size_t bytes) {
  isa_lines *lines = calloc(1, sizeof *lines);
  if (!lines)
    return NULL;
  lines->elf = elf_memory(file, bytes);
  if (lines->elf)
    lines->dwarf = dwarf_begin_elf(lines->elf, DWARF_C_READ, NULL);
  // Information in another file is ignored: the emulator opens no file that a
  // code object names.
  const char *name;
  const void *id;
  if (lines->dwarf &&
      dwelf_dwarf_gnu_debugaltlink(lines->dwarf, &name, &id) == 0)
    return lines;
  isa_lines_close(lines);
  return NULL;
}

void isa_lines_close(isa_lines *lines) {
  if (!lines)
    return;
  if (lines->dwarf)
    dwarf_end(lines->dwarf);
  if (lines->elf)
    elf_end(lines->elf);
  free(lines);
}

/// The unit that has code at `address`. It does not need .debug_aranges, which
/// LLVM does not write.
static bool find_unit(Dwarf *dwarf, uint64_t address, Dwarf_Die *out_unit) {
  Dwarf_CU *unit = NULL;
  uint8_t type;
  while (dwarf_get_units(dwarf, unit, &unit, NULL, &type, out_unit, NULL) == 0)
    if ((type == DW_UT_compile || type == DW_UT_partial) &&
        dwarf_haspc(out_unit, address) == 1)
      return true;
  return false;
}

/// Whether the code of an entry, including the entries below it, has `address`.
static bool has_code(Dwarf_Die *entry, uint64_t address) {
  switch (dwarf_tag(entry)) {
  case DW_TAG_subprogram:
  case DW_TAG_inlined_subroutine:
  case DW_TAG_lexical_block:
    return dwarf_haspc(entry, address) == 1;
  default:
    return false;
  }
}

/// The name of the innermost inlined function at `address`.
static void find_inlined(Dwarf_Die *unit, uint64_t address, char *name,
                         size_t bytes) {
  Dwarf_Die entry, outer[MOST_NAMESPACES];
  Dwarf_Off last = 0;
  int depth = 0;
  int step = dwarf_child(unit, &entry);
  while (step >= 0) {
    if (step > 0) { // the last of its parent
      if (depth == 0)
        return;
      step = dwarf_siblingof(&outer[--depth], &entry);
      continue;
    }
    // The next entry has a higher offset; in a damaged tree it may not, and the
    // walk would not end.
    if (dwarf_dieoffset(&entry) <= last)
      return;
    last = dwarf_dieoffset(&entry);
    if (has_code(&entry, address)) {
      if (dwarf_tag(&entry) == DW_TAG_inlined_subroutine) {
        const char *inlined = dwarf_diename(&entry);
        snprintf(name, bytes, "%s", inlined ? inlined : "");
      }
      depth = 0; // functions do not overlap: no other entry has it
      step = dwarf_child(&entry, &entry);
    } else if (dwarf_tag(&entry) == DW_TAG_namespace &&
               depth < MOST_NAMESPACES) {
      outer[depth++] = entry;
      step = dwarf_child(&entry, &entry);
    } else {
      step = dwarf_siblingof(&entry, &entry);
    }
  }
}

/// Keeps the end of a long path, which says more than its beginning.
static void write_location(const char *file, int line, char *text,
                           size_t bytes) {
  char number[16];
  size_t room =
      bytes - 1 - (size_t)snprintf(number, sizeof number, ":%d", line);
  size_t length = strlen(file);
  snprintf(text, bytes, "%s%s", file + (length > room ? length - room : 0),
           number);
}

/// Makes text from a file safe for terminals and JSON.
static void make_printable(char *text) {
  for (; *text; text++)
    if (*text < ' ' || *text > '~')
      *text = '?';
}

void isa_lines_find(isa_lines *lines, uint64_t address,
                    isa_source_location *out) {
  *out = (isa_source_location){0};
  Dwarf_Die unit;
  if (!lines || !find_unit(lines->dwarf, address, &unit))
    return;
  Dwarf_Line *row = dwarf_getsrc_die(&unit, address);
  const char *file = row ? dwarf_linesrc(row, NULL, NULL) : NULL;
  int line = 0;
  // Line 0: no line of the source is it (DWARF 5, 6.2.2).
  if (!file || dwarf_lineno(row, &line) != 0 || line <= 0)
    return;
  // libdw puts a slash after an empty directory.
  const char *name = dwarf_diename(&unit);
  if (name && file[0] == '/' && strcmp(file + 1, name) == 0)
    file = name;
  write_location(file, line, out->location, sizeof out->location);
  find_inlined(&unit, address, out->step, sizeof out->step);
  make_printable(out->location);
  make_printable(out->step);
  Dwarf_Attribute producer;
  const char *by =
      dwarf_formstring(dwarf_attr(&unit, DW_AT_producer, &producer));
  out->is_ours = by && strcmp(by, "fmhac") == 0;
}

static size_t location_text(const isa_source_location *place, char *text,
                            size_t bytes) {
  const char *step = place->step[0]   ? place->step
                     : place->is_ours ? "no step"
                                      : "";
  return (size_t)snprintf(text, bytes, "%s%s%s%s", place->location,
                          step[0] ? " (" : "", step, step[0] ? ")" : "");
}

void isa_locations_text(const isa_source_location *place,
                        const isa_source_location *other, const char *other_pc,
                        char *text, size_t bytes) {
  size_t used = strlen(text);
  bool known = place->location[0];
  if (known && used < bytes) {
    used += (size_t)snprintf(text + used, bytes - used, "; from ");
    if (used < bytes)
      used += location_text(place, text + used, bytes - used);
  }
  if (!other || !other->location[0] || used >= bytes)
    return;
  used += (size_t)snprintf(text + used, bytes - used, "%spc %s from ",
                           known ? ", " : "; ", other_pc);
  if (used < bytes)
    location_text(other, text + used, bytes - used);
}
