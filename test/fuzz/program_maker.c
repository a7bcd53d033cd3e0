// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program_maker.h"

#include <stdbool.h>
#include <string.h>

#include "decode.h"
#include "fuzz.h"

enum { DECODER_USES = 256 };

/// Constants that the decoder has met stay in it: now and then a new one.
static isa_decoder *get_decoder(void) {
  static isa_decoder *decoder;
  static unsigned uses;
  if (uses++ % DECODER_USES == 0) {
    isa_decoder_destroy(decoder);
    if (isa_decoder_create(&decoder) != FMHAC_OK)
      abort();
  }
  return decoder;
}

static bool is_direct_branch(uint32_t word) {
  uint32_t sopp = word >> 16 & 0x7f;
  if (word >> 23 == 0x17f) // SOPP: s_branch, s_cbranch_*
    return sopp == 2 || (sopp >= 4 && sopp <= 9) || (sopp >= 23 && sopp <= 26);
  // SOPK: s_cbranch_i_fork, s_call_b64.
  return word >> 23 == (0x160 | 16) || word >> 23 == (0x160 | 21);
}

size_t fuzz_append_known(const uint8_t *data, size_t size, uint8_t *out) {
  isa_decoder *decoder = get_decoder();
  size_t used = 0, branches[FUZZ_MAX_CODE_BYTES / 4], branch_count = 0;
  size_t starts[FUZZ_MAX_CODE_BYTES / 4], start_count = 0;
  for (size_t at = 0; at + 4 <= size;) {
    isa_insn in;
    char text[ISA_TEXT_BYTES], why[ISA_TEXT_BYTES];
    if (!isa_decode(decoder, data + at, size - at, 0, &in, text, why)) {
      at += 4;
      continue;
    }
    uint32_t word;
    memcpy(&word, data + at, 4);
    if (is_direct_branch(word))
      branches[branch_count++] = used;
    starts[start_count++] = used;
    memcpy(out + used, data + at, in.size);
    used += in.size;
    at += in.size;
  }
  for (size_t i = 0; i < branch_count; ++i) {
    uint8_t *at = out + branches[i];
    uint16_t field;
    memcpy(&field, at, 2);
    ptrdiff_t words =
        ((ptrdiff_t)starts[field % start_count] - (ptrdiff_t)branches[i] - 4) /
        4;
    field = (uint16_t)(int16_t)words;
    memcpy(at, &field, 2);
  }
  return used;
}
