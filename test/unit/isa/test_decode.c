// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every row of the instruction table is an instruction of gfx950 that decodes:
// all opcodes of all encodings are tried with plain operands, and each row must
// turn up. Formats: "CDNA3 ISA", chapter 13.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operand_text.h"
#include "program.h"
#include "wave.h"

typedef struct sweep {
  isa_decoder *decoder;
  uint8_t *seen; ///< by row
  unsigned refused;
} sweep;

// Decodes one encoding; a row that is known by name must decode.
static void try_words(sweep *s, uint32_t w0, uint32_t w1, uint32_t w2,
                      uint32_t w3) {
  uint32_t words[4] = {w0, w1, w2, w3};
  uint8_t bytes[16];
  char text[ISA_TEXT_BYTES], why[ISA_TEXT_BYTES];
  isa_insn in;
  memcpy(bytes, words, sizeof bytes);
  if (isa_decode(s->decoder, bytes, sizeof bytes, 0, &in, text, why)) {
    s->seen[in.row] = 1;
    assert_non_null(emu_handlers()[in.row]);
  } else if (!strstr(why, "not implemented") &&
             !strstr(why, "no use in a compute") &&
             strncmp(why, "not an instruction of gfx950", 28) != 0 &&
             strcmp(why, "global data share") != 0) {
    if (s->refused++ < 20)
      print_message("%s: %s\n", text, why);
  }
}

static void scalar_formats(sweep *s) {
  const uint32_t literal = 0x12345678;
  for (uint32_t op = 0; op < 128; op++) {
    try_words(s, 2u << 30 | op << 23 | 4 << 16 | 12 << 8 | 8, literal, 0, 0);
    try_words(s, 0xbf000000u | op << 16 | 12 << 8 | 8, literal, 0, 0);
    try_words(s, 0xbf800000u | op << 16 | 1, literal, 0, 0);
    try_words(s, 0xbf800000u | op << 16, literal, 0, 0);
  }
  for (uint32_t op = 0; op < 32; op++)
    try_words(s, 0xb0000000u | op << 23 | 4 << 16 | 0x1801, literal, 0, 0);
  for (uint32_t op = 0; op < 256; op++) {
    try_words(s, 0xbe800000u | 4 << 16 | op << 8 | 8, literal, 0, 0);
    try_words(s, 0xc0000000u | op << 18 | 1 << 17 | 8 << 6 | 4, 16, 0, 0);
    try_words(s, 0xc0000000u | op << 18 | 8 << 6, 0, 0, 0);
    try_words(s, 0xc0000000u | op << 18, 0, 0, 0);
  }
}

static void vector_formats(sweep *s) {
  const uint32_t v = 256, literal = 0x3f800001;
  for (uint32_t op = 0; op < 256; op++) {
    try_words(s, 0x7e000000u | 4 << 17 | op << 9 | (v + 8), literal, 0, 0);
    try_words(s, 0x7e000000u | op << 9, literal, 0, 0);
    try_words(s, 0x7c000000u | op << 17 | 12 << 9 | (v + 8), literal, 0, 0);
  }
  for (uint32_t op = 0; op < 62; op++)
    try_words(s, op << 25 | 4 << 17 | 12 << 9 | (v + 8), literal, 0, 0);
  uint32_t sources = (v + 16) << 18 | (v + 12) << 9 | (v + 8);
  uint32_t mask_third = 20u << 18 | (v + 12) << 9 | (v + 8);
  uint32_t scalar_second = 10u << 9 | (v + 8), scalar_both = 10u << 9 | 12;
  uint32_t two = (v + 12) << 9 | (v + 8);
  uint32_t wide = (v + 32) << 18 | (v + 16) << 9 | (v + 8);
  for (uint32_t op = 0; op < 1024; op++) {
    uint32_t w0 = 0xd0000000u | op << 16 | 4;
    try_words(s, w0, sources, 0, 0);
    try_words(s, w0, mask_third, 0, 0);
    try_words(s, w0, scalar_second, 0, 0);
    try_words(s, w0, scalar_both, 0, 0);
    try_words(s, w0, two, 0, 0);
    try_words(s, w0 | 20u << 8, sources, 0, 0); // VOP3B: SDST in 14:8
  }
  for (uint32_t op = 0; op < 128; op++) {
    uint32_t w0 = 0xd3800000u | op << 16 | 3u << 14 | 4;
    try_words(s, w0, sources | 3u << 27, 0, 0);
    try_words(s, w0, two | 3u << 27, 0, 0);
    try_words(s, w0 & ~(3u << 14), wide, 0, 0); // MFMA
    try_words(s, w0 & ~(3u << 14), wide & ~0x1ffu, 0, 0);
    // Scaled MFMA: a prefix with the scales, then the operation.
    try_words(s, 0xd3ac0000u, 0x18000000u | (v + 60) << 9 | (v + 61),
              0xd3800800u | op << 16 | 4, wide);
  }
}

static void memory_formats(sweep *s) {
  for (uint32_t op = 0; op < 256; op++) {
    try_words(s, 0xd8000000u | op << 17 | 8, 8u << 24 | 20 << 16 | 16 << 8 | 4,
              0, 0);
    try_words(s, 0xd8000000u | op << 17 | 8, 8u << 24 | 4, 0, 0);
    try_words(s, 0xd8000000u | op << 17 | 8, 20 << 16 | 16 << 8 | 4, 0, 0);
    try_words(s, 0xd8000000u | op << 17 | 8, 16 << 8 | 4, 0, 0);
    try_words(s, 0xd8000000u | op << 17, 0, 0, 0);
  }
  for (uint32_t op = 0; op < 128; op++) {
    uint32_t w1 = 20u << 24 | 2 << 16 | 8 << 8 | 4;
    try_words(s, 0xe0000000u | op << 18 | 1 << 12 | 16, w1, 0, 0);
    try_words(s, 0xe0000000u | op << 18 | 1 << 12 | 1 << 16, w1, 0, 0);
    try_words(s, 0xe0000000u | op << 18, 0, 0, 0); // cache operations
    if (op < 16)                                   // MTBUF
      try_words(s, 0xe8000000u | 4 << 19 | op << 15 | 1 << 12 | 16, w1, 0, 0);
    for (uint32_t segment = 0; segment < 3; segment++) {
      uint32_t w0 = 0xdc000000u | op << 18 | segment << 14;
      uint32_t saddr = segment ? 0x7f : 0; // off; flat has none
      try_words(s, w0, 8u << 24 | saddr << 16 | 16 << 8 | 4, 0, 0);
      try_words(s, w0, 8u << 24 | saddr << 16 | 4, 0, 0);
      try_words(s, w0, saddr << 16 | 16 << 8 | 4, 0, 0);
      try_words(s, w0, saddr << 16 | 4, 0, 0);
    }
  }
}

static void every_row(void **state) {
  (void)state;
  sweep s = {0};
  assert_int_equal(isa_decoder_create(&s.decoder), FMHAC_OK);
  s.seen = calloc(isa_row_count, 1);
  assert_non_null(s.seen);
  scalar_formats(&s);
  vector_formats(&s);
  memory_formats(&s);
  unsigned missing = 0;
  for (unsigned i = 0; i < isa_row_count; i++)
    if (!s.seen[i]) {
      print_message("never decoded: %s\n", isa_rows[i].mnemonic);
      missing++;
    }
  assert_int_equal(missing, 0);
  assert_int_equal(s.refused, 0);
  free(s.seen);
  isa_decoder_destroy(s.decoder);
}

static void rows_are_sound(void **state) {
  (void)state;
  isa_decoder *d;
  assert_int_equal(isa_decoder_create(&d), FMHAC_OK);
  for (unsigned i = 0; i < isa_row_count; i++) {
    const isa_row *r = &isa_rows[i];
    assert_int_equal(isa_row_find(d, r->mnemonic), (int)i); // stands once
    assert_true(!strcmp(r->status, "doc") || !strcmp(r->status, "assumed"));
  }
  assert_int_equal(isa_row_find(d, "v_no_such_thing"), -1);
  isa_decoder_destroy(d);
}

static void tokens(void **state) {
  (void)state;
  isa_token t;
  assert_true(isa_token_parse("v[4:7]", &t));
  assert_int_equal(t.kind, ISA_TOKEN_REG);
  assert_int_equal(t.index, 4);
  assert_int_equal(t.regs, 4);
  assert_true(isa_token_parse("a255", &t));
  assert_int_equal(t.index, 511);
  assert_true(isa_token_parse("-|v3|", &t));
  assert_true(t.neg && t.abs);
  assert_true(isa_token_parse("sext(v3)", &t));
  assert_true(t.sext);
  assert_true(isa_token_parse("-16", &t));
  assert_int_equal(t.kind, ISA_TOKEN_INT);
  assert_int_equal((int64_t)t.number, -16);
  assert_true(isa_token_parse("-4.0", &t));
  assert_int_equal(t.kind, ISA_TOKEN_FLOAT);
  assert_true(t.value == -4.0);
  assert_true(isa_token_parse("0xdeadbeef", &t));
  assert_int_equal(t.kind, ISA_TOKEN_LITERAL);
  assert_true(isa_token_parse("vcc_hi", &t));
  assert_int_equal(t.index, ISA_SGPR_VCC + 1);
  assert_false(isa_token_parse("", &t));
  assert_false(isa_token_parse("v256", &t));
  assert_false(isa_token_parse("v[7:4]", &t));
  assert_false(isa_token_parse("s102x", &t));
}

// An entry that is not in the code is listed like what cannot be decoded.
static void entry_outside(void **state) {
  (void)state;
  static const uint8_t endpgm[4] = {0x00, 0x00, 0x81, 0xbf}; // s_endpgm
  static const struct {
    uint32_t bytes, entry;
    fmhac_status status;
  } table[] = {{4, 0, FMHAC_OK},
               {0, 0, FMHAC_UNSUPPORTED},
               {3, 0, FMHAC_UNSUPPORTED},
               {4, 4, FMHAC_UNSUPPORTED},
               {4, UINT32_MAX, FMHAC_UNSUPPORTED}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    char text[256];
    isa_program *program;
    assert_int_equal(isa_program_create(endpgm, table[i].bytes, table[i].entry,
                                        text, sizeof text, &program),
                     table[i].status);
    assert_true((program != NULL) == (table[i].status == FMHAC_OK));
    if (!program)
      assert_non_null(strstr(text, "outside the code"));
    isa_program_destroy(program);
  }
}

// A field of scalar destinations has room for what is none: 253 is SCC, 128 the
// constant 0 ("CDNA3 ISA", 13.1, scalar operands). LLVM prints both.
static void destinations(void **state) {
  (void)state;
  isa_decoder *d;
  assert_int_equal(isa_decoder_create(&d), FMHAC_OK);
  // v_cmp_lt_f32_e64 s[0:1], v0, v1
  uint8_t compare[8] = {0x00, 0x00, 0x41, 0xd0, 0x00, 0x03, 0x02, 0x00};
  static const uint8_t fields[] = {0, 253, 128};
  for (size_t i = 0; i < sizeof fields; i++) {
    char text[ISA_TEXT_BYTES], why[ISA_TEXT_BYTES];
    isa_insn in;
    compare[0] = fields[i];
    assert_true(isa_decode(d, compare, sizeof compare, 0, &in, text, why) ==
                (i == 0));
    assert_true(i == 0 || why[0]);
  }
  isa_decoder_destroy(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(destinations), cmocka_unit_test(entry_outside),
      cmocka_unit_test(tokens),       cmocka_unit_test(rows_are_sound),
      cmocka_unit_test(every_row),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
