// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The function behind the hazard checker, as a static checker uses it: pairs of
// decoded instructions, states between them, paths with several producers.
// Encodings: llvm-mc. Numbers: CDNA4 ISA, tables 11 and 38.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "decode.h"
#include "wait_states.h"

typedef struct code {
  isa_insn insn;
  isa_hazard_traits traits;
} code;

// Decodes up to two words; the text must be what is expected.
static code decode(isa_decoder *d, uint32_t w0, uint32_t w1,
                   const char *expected) {
  code c;
  uint32_t words[4] = {w0, w1, 0, 0};
  char text[ISA_TEXT_BYTES], why[ISA_TEXT_BYTES];
  assert_true(isa_decode(d, (const uint8_t *)words, sizeof words, 0, &c.insn,
                         text, why));
  assert_string_equal(text, expected);
  isa_hazard_traits_of(&c.insn, &c.traits);
  return c;
}

static isa_decoder *decoder(void) {
  isa_decoder *d = NULL;
  assert_int_equal(isa_decoder_create(&d), 0);
  return d;
}

static void table_is_sound(void **state) {
  (void)state;
  for (unsigned i = 0; i < ISA_HAZARD_RULES; i++) {
    const isa_hazard_row *row = &isa_hazard_rows[i];
    assert_true(row->producer && row->consumer);
    // Every rule is known to one of the two.
    assert_false(strcmp(row->llvm, "-") == 0 && strcmp(row->isa, "-") == 0);
    for (unsigned k = 0; k < 4; k++)
      assert_true(row->states[k] <= ISA_HAZARD_REACH);
    for (unsigned k = 0; k < i; k++)
      assert_string_not_equal(row->name, isa_hazard_rows[k].name);
  }
}

static void states_and_passes(void **state) {
  (void)state;
  isa_decoder *d = decoder();
  code nop = decode(d, 0xbf800007, 0, "s_nop 7");
  assert_int_equal(nop.traits.states, 8);
  assert_int_equal(nop.traits.reach, 0);
  assert_true(nop.traits.consumes == 0);
  // 32x32x64 with fp8 operands takes 16 passes, with fp4 ones 8.
  code fp8 = decode(d, 0xd3ae0000, 0x04022910,
                    "v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[16:23], v[20:27], "
                    "v[0:15]");
  assert_int_equal(fp8.traits.passes, 16);
  assert_int_equal(fp8.traits.reach, 20);
  code fp4 = decode(d, 0xd3ae0400, 0x84022910,
                    "v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[16:19], v[20:23], "
                    "v[0:15] cbsz:4 blgp:4");
  assert_int_equal(fp4.traits.passes, 8);
  assert_int_equal(fp4.traits.reach, 12);
  isa_decoder_destroy(d);
}

static void one_pair(void **state) {
  (void)state;
  isa_decoder *d = decoder();
  code mfma = decode(d, 0xd3b50000, 0x02022910,
                     "v_mfma_f32_16x16x32_bf16 v[0:3], v[16:19], v[20:23], 0");
  code reader = decode(d, 0x7e500303, 0, "v_mov_b32_e32 v40, v3");
  isa_hazard h;
  for (unsigned n = 0; n < 24; n++) {
    bool found = isa_hazard_between(&mfma.traits, &reader.traits, n, NULL, &h);
    assert_int_equal(found, n < 8);
    if (!found)
      continue;
    assert_int_equal(h.rule, ISA_HAZARD_XDL_READ);
    assert_int_equal(h.required, 8);
    char text[256], expected[256];
    isa_hazard_text(&h, n, "v_mfma", 5, "0x10", ", 4 passes", text,
                    sizeof text);
    snprintf(expected, sizeof expected,
             "missing wait states: reads v3 %u wait state%s after `v_mfm` (pc "
             "0x10) wrote it; 8 are required (%s, 4 passes); add s_nop %u in "
             "between",
             n, n == 1 ? "" : "s", isa_hazard_rows[h.rule].name, 7 - n);
    assert_string_equal(text, expected);
  }
  // Not the other way round.
  assert_false(isa_hazard_between(&reader.traits, &mfma.traits, 0, NULL, &h));
  isa_decoder_destroy(d);
}

static void nearest_settles(void **state) {
  (void)state;
  isa_decoder *d = decoder();
  code wide = decode(d, 0xd3ae0000, 0x02022910,
                     "v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[16:23], v[20:27], "
                     "0");
  code quick = decode(d, 0xd3b50000, 0x02022910,
                      "v_mfma_f32_16x16x32_bf16 v[0:3], v[16:19], v[20:23], 0");
  code both = decode(d, 0x7e500303, 0, "v_mov_b32_e32 v40, v3");
  code outer = decode(d, 0x7e500304, 0, "v_mov_b32_e32 v40, v4");
  isa_hazard h;
  // wide, quick, 8 others, then the reader: far enough from quick, which came
  // after wide and wrote v3 last.
  isa_hazard_settled settled = 0;
  assert_false(
      isa_hazard_between(&quick.traits, &both.traits, 8, &settled, &h));
  assert_false(isa_hazard_between(&wide.traits, &both.traits, 9, &settled, &h));
  // Only wide writes v4.
  settled = 0;
  assert_false(
      isa_hazard_between(&quick.traits, &outer.traits, 8, &settled, &h));
  assert_true(isa_hazard_between(&wide.traits, &outer.traits, 9, &settled, &h));
  assert_int_equal(h.required, 20);
  // By itself the pair is too close.
  assert_true(isa_hazard_between(&wide.traits, &both.traits, 9, NULL, &h));
  isa_decoder_destroy(d);
}

static void the_most_wins(void **state) {
  (void)state;
  isa_decoder *d = decoder();
  // A transcendental result (1) into a matrix instruction (2).
  code exp = decode(d, 0x7e204101, 0, "v_exp_f32_e32 v16, v1");
  code mfma = decode(d, 0xd3b50000, 0x02022910,
                     "v_mfma_f32_16x16x32_bf16 v[0:3], v[16:19], v[20:23], 0");
  isa_hazard h;
  assert_true(isa_hazard_between(&exp.traits, &mfma.traits, 0, NULL, &h));
  assert_int_equal(h.rule, ISA_HAZARD_VALU_MFMA);
  assert_int_equal(h.required, 2);
  isa_decoder_destroy(d);
}

// Results forward as C within one opcode: LLVM pull request 218363.
static void other_opcode(void **state) {
  (void)state;
  isa_decoder *d = decoder();
  code first = decode(d, 0xd3b50000, 0x02022910,
                      "v_mfma_f32_16x16x32_bf16 v[0:3], v[16:19], v[20:23], 0");
  code same =
      decode(d, 0xd3b50000, 0x04022910,
             "v_mfma_f32_16x16x32_bf16 v[0:3], v[16:19], v[20:23], v[0:3]");
  code other =
      decode(d, 0xd3d40000, 0x04022910,
             "v_mfma_f32_16x16x32_f16 v[0:3], v[16:19], v[20:23], v[0:3]");
  isa_hazard h;
  assert_false(isa_hazard_between(&first.traits, &same.traits, 0, NULL, &h));
  assert_true(isa_hazard_between(&first.traits, &other.traits, 5, NULL, &h));
  assert_int_equal(h.rule, ISA_HAZARD_XDL_C_OTHER);
  assert_int_equal(h.required, 6); // 4 passes
  assert_false(isa_hazard_between(&first.traits, &other.traits, 6, NULL, &h));
  isa_decoder_destroy(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(table_is_sound), cmocka_unit_test(states_and_passes),
      cmocka_unit_test(one_pair),       cmocka_unit_test(nearest_settles),
      cmocka_unit_test(the_most_wins),  cmocka_unit_test(other_opcode)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
