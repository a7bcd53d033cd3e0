// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Target: the whole bytes of a code object as a source of line tables. Damaged
// debug information means that nothing is known, and never more than that.
#include <libelf.h>
#include <string.h>

#include "fuzz.h"
#include "lines.h"

enum { ADDRESSES = 24, STRIDE_BYTES = 8 };

static void look_up(isa_lines *lines, uint64_t address) {
  isa_source_location place;
  memset(&place, 0xff, sizeof place);
  isa_lines_find(lines, address, &place);
  FUZZ_CHECK(memchr(place.location, 0, sizeof place.location), "no end");
  FUZZ_CHECK(memchr(place.step, 0, sizeof place.step), "no end");
  for (const char *c = place.location; *c; ++c)
    FUZZ_CHECK(*c >= ' ' && *c <= '~', "byte %d", *c);
  FUZZ_CHECK(place.location[0] || !place.step[0], "%s", place.step);
  char text[600] = "finding";
  isa_locations_text(&place, &place, "0x10", text, sizeof text);
  FUZZ_CHECK(strncmp(text, "finding", 7) == 0 && strlen(text) < sizeof text,
             "'%.*s'", (int)sizeof text, text);
  char small[16] = "finding";
  isa_locations_text(&place, &place, "0x10", small, sizeof small);
  FUZZ_CHECK(memchr(small, 0, sizeof small), "no end");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  void *copy = malloc(size ? size : 1);
  if (!copy)
    abort();
  memcpy(copy, data, size);
  // The emulator has asked libelf for its version by then.
  elf_version(EV_CURRENT);
  isa_lines *lines = isa_lines_open(copy, size);
  if (lines) {
    // Where the linker puts the code of the seeds.
    for (uint64_t i = 0; i < ADDRESSES; ++i)
      look_up(lines, 0x300 + i * STRIDE_BYTES);
    look_up(lines, 0);
    look_up(lines, UINT64_MAX);
  }
  isa_lines_close(lines);
  free(copy);
  return 0;
}
