// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "captured.h"

#include <string.h>

#include "fmhac_disasm.h"
#include "fuzz.h"
#include "json_check.h"

/// Decodes one character and goes on after it. False if there is none, it is
/// written in more bytes than it needs, or means half of a pair.
static bool take_character(const unsigned char **at) {
  unsigned first = *(*at)++;
  if (first < 0x80)
    return true;
  unsigned more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
  if (first < 0xc0 || first > 0xf7)
    return false;
  uint32_t point = first & (0x3fu >> more);
  for (unsigned i = 0; i < more; ++i) {
    if ((**at & 0xc0) != 0x80)
      return false;
    point = point << 6 | (*(*at)++ & 0x3f);
  }
  static const uint32_t least[4] = {0, 0x80, 0x800, 0x10000};
  return point >= least[more] && point <= 0x10ffff &&
         (point < 0xd800 || point > 0xdfff);
}

/// LLVM brings the C++ library, which keeps the `stdout` of the moment at which
/// it is loaded: that must not be one that is closed again.
static void load_llvm(void) {
  fmhac_disasm *disasm;
  if (fmhac_disasm_create(&disasm) != FMHAC_OK)
    abort();
  fmhac_disasm_destroy(disasm);
}

int fuzz_captured(int (*run)(int, char **), int argc, char **argv,
                  char **out_text) {
  load_llvm();
  FILE *before = stdout;
  size_t bytes = 0;
  *out_text = NULL;
  stdout = open_memstream(out_text, &bytes);
  if (!stdout)
    abort();
  int code = run(argc, argv);
  fclose(stdout);
  stdout = before;
  FUZZ_CHECK(strlen(*out_text) == bytes, "a byte 0 on stdout");
  return code;
}

void fuzz_check_json(const char *text) {
  fmhac_json_error error;
  FUZZ_CHECK(fmhac_json_check(text, &error),
             "%zu:%zu: expected %s, found %s in %s", error.line, error.column,
             error.expected, error.found, text);
  FUZZ_CHECK(text[0] == '{', "no object: %s", text);
  for (const unsigned char *at = (const unsigned char *)text; *at;)
    FUZZ_CHECK(take_character(&at), "not UTF-8: %s", text);
}
