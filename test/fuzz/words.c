// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Encodings: "AMD Instinct MI300 Instruction Set Architecture", chapter 13
// (Microcode Formats); the same on gfx950.
#include "words.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                               unsigned seed);

/// A format: the bits that say so, and where its opcode lies.
typedef struct format {
  uint32_t prefix;
  uint8_t opcode_shift, opcode_bits;
  uint8_t words;
} format;

static const format formats[] = {
    {0x80000000, 23, 6, 1},  // SOP2
    {0xb0000000, 23, 5, 1},  // SOPK
    {0xbe800000, 8, 8, 1},   // SOP1
    {0xbf000000, 16, 7, 1},  // SOPC
    {0xbf800000, 16, 7, 1},  // SOPP
    {0xc0000000, 18, 8, 2},  // SMEM
    {0x00000000, 25, 6, 1},  // VOP2
    {0x7e000000, 9, 8, 1},   // VOP1
    {0x7c000000, 17, 8, 1},  // VOPC
    {0xd0000000, 16, 10, 2}, // VOP3
    {0xd3800000, 16, 7, 2},  // VOP3P
    {0xd3c00000, 16, 6, 2},  // VOP3P-MAI
    {0xd3ac0000, 0, 0, 4},   // MFMA with scales
    {0xd8000000, 17, 8, 2},  // DS
    {0xdc000000, 18, 7, 2},  // FLAT
    {0xdc008000, 18, 7, 2},  // GLOBAL
    {0xdc004000, 18, 7, 2},  // SCRATCH
    {0xe0000000, 18, 7, 2},  // MUBUF
    {0xe8000000, 15, 4, 2},  // MTBUF
    {0x000000f9, 25, 6, 2},  // VOP2 SDWA
    {0x000000fa, 25, 6, 2},  // VOP2 DPP
    {0x7e0000f9, 9, 8, 2},   // VOP1 SDWA
    {0x7e0000fa, 9, 8, 2},   // VOP1 DPP
    {0x7c0000f9, 17, 8, 2},  // VOPC SDWA
};

static uint32_t draw(uint32_t *state) {
  *state ^= *state << 13; // xorshift32
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

/// A word whose fields are mostly small: low registers, few modifiers.
static uint32_t draw_fields(uint32_t *state) {
  uint32_t word = draw(state);
  switch (draw(state) % 4) {
  case 0:
    return word;
  case 1:
    return word & 0x0f0f0f0f;
  case 2:
    return word & 0x1f0f070f;
  default:
    return word & draw(state) & draw(state);
  }
}

static size_t draw_instruction(uint32_t *state, uint32_t words[4]) {
  const format *f = &formats[draw(state) % (sizeof formats / sizeof *formats)];
  uint32_t opcode_mask = ((1u << f->opcode_bits) - 1) << f->opcode_shift;
  // SDWA and DPP are said by the lowest byte, the others by the highest bits.
  uint32_t fields = f->prefix & 255 ? 0x01fffe00
                    : f->prefix     ? (1u << __builtin_ctz(f->prefix)) - 1
                                    : 0x01ffffff;
  words[0] = f->prefix | (draw(state) << f->opcode_shift & opcode_mask) |
             (draw_fields(state) & fields & ~opcode_mask);
  for (unsigned i = 1; i < f->words; ++i)
    words[i] = draw_fields(state);
  if (f->prefix == 0xd3ac0000) { // the matrix instruction after its scales
    words[2] = 0xd3ad0000 | (draw(state) & 0x0001071f);
    words[3] = 0x00020100 | draw_fields(state);
  }
  return f->words;
}

/// Makes room for `count` words at word `at`, or replaces as many.
static size_t put(uint8_t *code, size_t words, size_t max_words, size_t at,
                  const uint32_t *from, size_t count, bool insert) {
  if (insert && words + count <= max_words) {
    memmove(code + 4 * (at + count), code + 4 * at, 4 * (words - at));
    words += count;
  }
  if (at + count > max_words)
    count = max_words - at;
  memcpy(code + 4 * at, from, 4 * count);
  return at + count > words ? at + count : words;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                               unsigned seed) {
  uint32_t state = seed * 2654435761u + 1;
  size_t header = fuzz_words_header_bytes;
  uint32_t kind = draw(&state) % 10;
  if (size < header + 4 || max_size < header + 16 || kind == 0)
    return LLVMFuzzerMutate(data, size, max_size);
  if (kind == 1 && header) {
    LLVMFuzzerMutate(data, header, header);
    return size;
  }
  uint8_t *code = data + header;
  size_t words = (size - header) / 4, max_words = (max_size - header) / 4;
  size_t at = draw(&state) % words;
  uint32_t word[4];
  switch (kind) {
  case 2: { // drop a few words
    size_t count = 1 + draw(&state) % 4;
    count = count > words - at ? words - at : count;
    if (count < words) {
      memmove(code + 4 * at, code + 4 * (at + count), 4 * (words - at - count));
      words -= count;
    }
    break;
  }
  case 3: { // copy some to another place
    size_t from = draw(&state) % words, count = 1 + draw(&state) % 4;
    count = count > words - from ? words - from : count;
    memcpy(word, code + 4 * from, 4 * count);
    words = put(code, words, max_words, at, word, count, draw(&state) & 1);
    break;
  }
  case 4: // a few bits
    memcpy(word, code + 4 * at, 4);
    word[0] ^= 1u << draw(&state) % 32;
    if (draw(&state) & 1)
      word[0] ^= 1u << draw(&state) % 32;
    memcpy(code + 4 * at, word, 4);
    break;
  case 5: // the fields of a second word
    word[0] = draw_fields(&state);
    memcpy(code + 4 * at, word, 4);
    break;
  default: { // an instruction
    size_t count = draw_instruction(&state, word);
    words = put(code, words, max_words, at, word, count, draw(&state) % 3 > 0);
  }
  }
  return header + 4 * words;
}
