// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// v_mfma_f32_*_f8f6f4 and v_mfma_scale_*: registers, passes and wait states of
// every pair of formats, and results that overlap sources. Encodings: llvm-mc
// ("cbsz" in bits 10:8, "blgp" in bits 63:61). Passes: CDNA4 ISA, table of
// VOP3P-MAI opcodes; states: its table 38.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "decode.h"
#include "overlap.h"
#include "wait_states.h"

/// Formats as cbsz and blgp encode them: fp8, bf8, fp6, bf6, fp4.
enum { FORMATS = 5 };
static const unsigned k_bits[FORMATS] = {8, 8, 6, 6, 4};

typedef struct shape {
  const char *name;
  uint32_t opcode;      ///< first word, D v[0:]
  unsigned d;           ///< registers of D
  unsigned quick, slow; ///< passes without and with an operand of 8 bits
  unsigned after_quick, after_slow; ///< states until D may be read
} shape;
static const shape k_shapes[] = {
    {"f32_16x16x128_f8f6f4", 0xd3ad0000, 4, 4, 8, 8, 12},
    {"f32_32x32x64_f8f6f4", 0xd3ae0000, 16, 8, 16, 12, 20},
};

typedef struct code {
  isa_insn insn;
  isa_hazard_traits traits;
  char text[ISA_TEXT_BYTES];
} code;

static code decode(isa_decoder *d, const uint32_t words[4]) {
  code c;
  char why[ISA_TEXT_BYTES];
  if (!isa_decode(d, (const uint8_t *)words, 4 * sizeof *words, 0, &c.insn,
                  c.text, why))
    fail_msg("%08x %08x: %s", words[0], words[1], why);
  isa_hazard_traits_of(&c.insn, &c.traits);
  return c;
}

/// D = v[d:], A = v[a:], B = v[80:], C = v[c:], scales v100 and v101.
static code matrix(isa_decoder *d, const shape *s, bool scaled, unsigned cbsz,
                   unsigned blgp, unsigned dst, unsigned a, unsigned c) {
  enum { B = 80, SCALE_A = 100, SCALE_B = 101, VECTOR = 256 };
  enum { SCALED = 1 << 11 }; // ABID[0]
  uint32_t low = s->opcode | cbsz << 8 | dst;
  uint32_t high =
      blgp << 29 | (VECTOR + c) << 18 | (VECTOR + B) << 9 | (VECTOR + a);
  uint32_t plain[4] = {low, high, 0, 0};
  uint32_t with[4] = {0xd3ac0000, (VECTOR + SCALE_B) << 9 | (VECTOR + SCALE_A),
                      low | SCALED, high};
  return decode(d, scaled ? with : plain);
}

static isa_decoder *decoder(void) {
  isa_decoder *d = NULL;
  assert_int_equal(isa_decoder_create(&d), 0);
  return d;
}

static void formats(void **state) {
  (void)state;
  isa_decoder *d = decoder();
  const uint32_t read_words[4] = {0x7e500303, 0, 0, 0};
  code reader = decode(d, read_words);
  assert_string_equal(reader.text, "v_mov_b32_e32 v40, v3");
  for (int i = 0; i < 4 * FORMATS * FORMATS; i++) {
    const shape *s = &k_shapes[i & 1];
    bool scaled = i >> 1 & 1;
    unsigned x = (unsigned)(i >> 2) % FORMATS, y = (unsigned)(i >> 2) / FORMATS;
    code m = matrix(d, s, scaled, x, y, 0, 64, 0);
    char wanted[64];
    snprintf(wanted, sizeof wanted, "v_mfma_%s%s v[0:%u], v[64:%u], v[80:%u], ",
             scaled ? "scale_" : "", s->name, s->d - 1, 63 + k_bits[x],
             79 + k_bits[y]);
    if (strncmp(m.text, wanted, strlen(wanted)) != 0)
      fail_msg("%s, expected %s", m.text, wanted);
    bool slow = k_bits[x] == 8 || k_bits[y] == 8;
    assert_int_equal(m.traits.passes, slow ? s->slow : s->quick);
    assert_int_equal(m.insn.src[0].regs, k_bits[x]);
    assert_int_equal(m.insn.src[1].regs, k_bits[y]);
    isa_hazard h;
    unsigned states = slow ? s->after_slow : s->after_quick;
    assert_true(
        isa_hazard_between(&m.traits, &reader.traits, states - 1, NULL, &h));
    assert_int_equal(h.rule, ISA_HAZARD_XDL_READ);
    assert_int_equal(h.required, states);
    assert_false(
        isa_hazard_between(&m.traits, &reader.traits, states, NULL, &h));
  }
  isa_decoder_destroy(d);
}

// C is exactly D of the instruction before. Table 38 calls it the same only if
// the passes are equal, LLVM pull request 218363 only if its opcodes are, which
// hold the number of bits.
static void chains(void **state) {
  (void)state;
  isa_decoder *d = decoder();
  for (int i = 0; i < 2 * FORMATS * FORMATS; i++) {
    const shape *s = &k_shapes[i & 1];
    unsigned x = (unsigned)(i >> 1) % FORMATS, y = (unsigned)(i >> 1) / FORMATS;
    code first = matrix(d, s, false, x, 0, 0, 64, 0);
    code second = matrix(d, s, false, y, 0, 0, 64, 0);
    code scaled = matrix(d, s, true, x, 0, 0, 64, 0);
    isa_hazard h;
    bool other = k_bits[x] != k_bits[y];
    unsigned states = s->slow + 2; // B has 8 bits
    assert_int_equal(
        isa_hazard_between(&first.traits, &second.traits, 0, NULL, &h), other);
    if (other) {
      assert_int_equal(h.rule, ISA_HAZARD_XDL_C_OTHER);
      assert_int_equal(h.required, states);
    }
    assert_true(isa_hazard_between(&first.traits, &scaled.traits, states - 1,
                                   NULL, &h));
    assert_int_equal(h.rule, ISA_HAZARD_XDL_C_OTHER);
    assert_false(
        isa_hazard_between(&first.traits, &scaled.traits, states, NULL, &h));
  }
  isa_decoder_destroy(d);
}

/// Registers of D, A and C, and what D overlaps that it must not.
static const struct {
  unsigned shape, cbsz, d, a, c;
  int operand; ///< -1: nothing
  unsigned first, count;
} k_overlaps[] = {
    {1, 0, 0, 64, 16, -1, 0, 0},  // apart
    {1, 0, 0, 64, 0, -1, 0, 0},   // D is C
    {1, 0, 48, 64, 48, -1, 0, 0}, // A begins where D ends
    {1, 0, 8, 0, 8, -1, 0, 0},    // D begins where A ends
    {1, 0, 50, 64, 50, 0, 64, 2}, // A begins within D
    {1, 0, 4, 0, 4, 0, 4, 4},     // D begins within A
    {1, 4, 4, 0, 4, -1, 0, 0},    // 4 bits make a shorter A
    {1, 0, 66, 64, 66, 0, 66, 6}, // A begins before D
    {1, 0, 76, 64, 76, 1, 80, 8}, // B within D
    {1, 0, 0, 64, 4, 2, 4, 12},   // a part of C
    {1, 0, 16, 64, 2, 2, 16, 2},  // the other way round
    {0, 0, 64, 64, 66, -1, 0, 0}, // 4 registers may lie anywhere
};

static void overlaps(void **state) {
  (void)state;
  isa_decoder *d = decoder();
  for (unsigned i = 0; i < 2 * (sizeof k_overlaps / sizeof *k_overlaps); i++) {
    bool scaled = i & 1;
    code m = matrix(d, &k_shapes[k_overlaps[i / 2].shape], scaled,
                    k_overlaps[i / 2].cbsz, 0, k_overlaps[i / 2].d,
                    k_overlaps[i / 2].a, k_overlaps[i / 2].c);
    isa_overlap o = isa_overlap_of(&m.insn);
    int operand = o.row ? o.operand : -1;
    if (operand != k_overlaps[i / 2].operand)
      fail_msg("%s: operand %d", m.text, operand);
    assert_int_equal(o.first, k_overlaps[i / 2].first);
    assert_int_equal(o.count, k_overlaps[i / 2].count);
  }
  // The scales are v100 and v101.
  code m = matrix(d, &k_shapes[1], true, 0, 0, 100, 64, 0);
  isa_overlap o = isa_overlap_of(&m.insn);
  assert_non_null(o.row);
  assert_int_equal(o.operand, 3);
  char text[512];
  isa_overlap_text(&o, text, sizeof text);
  assert_non_null(strstr(
      text, "overlapping operands: writes v100 while it still reads it as "
            "source 3; put the result elsewhere (LLVM"));
  m = matrix(d, &k_shapes[1], false, 0, 0, 100, 64, 100);
  assert_null(isa_overlap_of(&m.insn).row);
  isa_decoder_destroy(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(formats),
                                     cmocka_unit_test(chains),
                                     cmocka_unit_test(overlaps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
