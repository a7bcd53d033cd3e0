// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of CDNA4 instructions (cdna4.def) against LLVM's disassembler, which
// is asked about every opcode of every encoding of gfx950, each with many
// operand fields: no mnemonic, encoding or form may be missing on either side.
// And the instruction table (isa.def) against the list.
//
//   isa_test_cdna4 --print   writes what cdna4.def should hold, to be merged
//                            with the reasons that it holds already
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cdna4.h"
#include "decode.h"
#include "fmhac_disasm.h"

enum { MAX_FOUND = 4096, NAME_BYTES = 64, FILLS = 64 };

/// A mnemonic as found, and the word that gave it.
typedef struct found {
  char mnemonic[NAME_BYTES];
  isa_cdna4_encoding encoding;
  unsigned forms; ///< ISA_CDNA4_*
  uint32_t word;
} found;

typedef struct sweep {
  fmhac_disasm *disasm;
  isa_decoder *decoder; ///< if set, what LLVM accepts is decoded too
  unsigned refused;
  found found[MAX_FOUND];
  size_t count;
  uint64_t random;
} sweep;

static uint64_t next_random(sweep *s) {
  // splitmix64, public domain (Vigna)
  uint64_t z = (s->random += 0x9e3779b97f4a7c15u);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

// "AMD Instinct MI300 (CDNA3) ISA", chapter 13, microcode formats: the bits
// that name the encoding. The same on CDNA4.
static isa_cdna4_encoding encoding_of(uint32_t word) {
  if (word >> 31 == 0)
    return (word >> 25 & 63) == 63   ? ISA_CDNA4_VOP1
           : (word >> 25 & 63) == 62 ? ISA_CDNA4_VOPC
                                     : ISA_CDNA4_VOP2;
  switch (word >> 23) {
  case 0x17f:
    return ISA_CDNA4_SOPP;
  case 0x17e:
    return ISA_CDNA4_SOPC;
  case 0x17d:
    return ISA_CDNA4_SOP1;
  case 0x1a7:
    return ISA_CDNA4_VOP3P;
  default:
    break;
  }
  if (word >> 28 == 11)
    return ISA_CDNA4_SOPK;
  if (word >> 30 == 2)
    return ISA_CDNA4_SOP2;
  static const isa_cdna4_encoding segments[4] = {
      ISA_CDNA4_FLAT, ISA_CDNA4_SCRATCH, ISA_CDNA4_GLOBAL, ISA_CDNA4_ENCODINGS};
  switch (word >> 26) {
  case 0x30:
    return ISA_CDNA4_SMEM;
  case 0x34:
    return ISA_CDNA4_VOP3;
  case 0x36:
    return ISA_CDNA4_DS;
  case 0x37:
    return segments[word >> 14 & 3];
  case 0x38:
    return ISA_CDNA4_MUBUF;
  case 0x3a:
    return ISA_CDNA4_MTBUF;
  default:
    return ISA_CDNA4_ENCODINGS;
  }
}

// Mnemonics of several encodings belong to the smallest: v_add_f32 is VOP2 with
// a 64-bit form. Matrix instructions are a family of their own inside VOP3P.
static isa_cdna4_encoding family_of(const char *mnemonic,
                                    isa_cdna4_encoding encoding) {
  static const char *const matrix[] = {"v_mfma_", "v_smfmac_", "v_accvgpr_"};
  for (size_t i = 0; encoding == ISA_CDNA4_VOP3P && i < 3; i++)
    if (strncmp(mnemonic, matrix[i], strlen(matrix[i])) == 0)
      return ISA_CDNA4_MAI;
  return encoding;
}

static void note(sweep *s, char *text, uint32_t word) {
  char *name = text + strspn(text, " \t");
  name[strcspn(name, " \t\n")] = 0;
  assert_true(strlen(name) < NAME_BYTES);
  isa_cdna4_encoding encoding = encoding_of(word);
  if (encoding == ISA_CDNA4_ENCODINGS)
    fail_msg("%s (0x%08x): an encoding that this test does not know", name,
             word);
  unsigned form = isa_cdna4_strip(name);
  encoding = family_of(name, encoding);
  for (size_t i = s->count; i-- > 0;)
    if (strcmp(s->found[i].mnemonic, name) == 0) {
      found *f = &s->found[i];
      f->forms |= form;
      // VOP3 is the larger encoding of VOP1, VOP2 and VOPC.
      if (f->encoding == ISA_CDNA4_VOP3 && encoding != ISA_CDNA4_VOP3) {
        f->encoding = encoding;
        f->word = word;
      }
      return;
    }
  assert_true(s->count < MAX_FOUND);
  found *f = &s->found[s->count++];
  snprintf(f->mnemonic, sizeof f->mnemonic, "%s", name);
  f->encoding = encoding;
  f->forms = form;
  f->word = word;
}

// An instruction that the emulator has must decode in every form and with every
// modifier that LLVM accepts, but for those that mean nothing.
static void decode(sweep *s, const uint32_t words[4]) {
  static const char *const refusals[] = {
      "not implemented",
      "no use in a compute kernel",
      // Reserved scalar operands (CDNA4 ISA, table 65), which LLVM prints.
      "null",
      "src_flat_scratch_base",
      "src_lds_direct",
      "operand \"s[", // runs that end after s101, v255, a255
      "operand \"v[",
      "operand \"a[",
      "not an instruction of gfx950 (bad operands)",
  };
  char text[ISA_TEXT_BYTES], why[ISA_TEXT_BYTES];
  uint8_t bytes[16];
  isa_insn in;
  memcpy(bytes, words, sizeof bytes);
  if (isa_decode(s->decoder, bytes, sizeof bytes, 0, &in, text, why))
    return;
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
    if (strstr(why, refusals[i]))
      return;
  // The field of a scalar destination has room for numbers that are sources
  // only (SCC, VCCZ, the apertures), and LLVM prints them there.
  const char *destination = strchr(text, ' ');
  if (destination && strncmp(destination, " src_", 5) == 0 &&
      strstr(why, "a destination that is no register"))
    return;
  if (s->refused++ < 40)
    print_error("%s (0x%08x 0x%08x): %s\n", text, words[0], words[1], why);
}

static void ask(sweep *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  const uint32_t words[4] = {a, b, c, d};
  char text[256];
  // "/*Invalid": LLVM's mark of operands that no assembler would accept.
  if (!fmhac_disasm_one(s->disasm, words, sizeof words, 0, text, sizeof text) ||
      strstr(text, "/*Invalid"))
    return;
  if (s->decoder)
    decode(s, words);
  else
    note(s, text, a);
}

// An opcode with its fields filled in many ways: all zero, single bits, sparse
// and dense random bits. `fixed` are the bits that must stay.
static void ask_opcode(sweep *s, uint32_t word, uint32_t fixed) {
  static const uint32_t seconds[] = {0, 0x04020100u, 0x00020100u, 0x00000101u};
  for (size_t k = 0; k < sizeof seconds / sizeof *seconds; k++) {
    ask(s, word, seconds[k], 0, 0);
    for (int bit = 0; bit < 32; bit++)
      if (!(fixed >> bit & 1))
        ask(s, word | 1u << bit, seconds[k], 0, 0);
  }
  for (int i = 0; i < FILLS; i++) {
    uint64_t x = next_random(s), y = next_random(s), z = next_random(s);
    uint32_t a = (uint32_t)x, b = (uint32_t)(x >> 32);
    if (i & 1)
      a &= (uint32_t)y & (uint32_t)z;
    if (i & 2)
      b &= (uint32_t)(y >> 32) & (uint32_t)(z >> 32);
    if (i & 4)
      b &= 0x00ffffffu;
    ask(s, word | (a & ~fixed), b, (uint32_t)y, (uint32_t)z);
  }
}

static void ask_range(sweep *s, uint32_t word, int shift, int bits,
                      uint32_t fixed) {
  for (uint32_t op = 0; op < 1u << bits; op++)
    ask_opcode(s, word | op << shift, fixed | ((1u << bits) - 1) << shift);
}

static void ask_all(sweep *s) {
  ask_range(s, 0x80000000u, 23, 7, 0xff800000u); // SOP2, SOPK and their kin
  ask_range(s, 0xb0000000u, 23, 5, 0xff800000u); // SOPK
  ask_range(s, 0xbe800000u, 8, 8, 0xff80ff00u);  // SOP1
  ask_range(s, 0xbf000000u, 16, 7, 0xffff0000u); // SOPC
  ask_range(s, 0xbf800000u, 16, 7, 0xffff0000u); // SOPP
  ask_range(s, 0xc0000000u, 18, 8, 0xfffc0000u); // SMEM
  // src0: a scalar, a vector register, SDWA, DPP, a constant, a literal
  static const uint32_t sources[] = {0, 0x100, 0xf9, 0xfa, 0x80, 0xff};
  for (size_t k = 0; k < sizeof sources / sizeof *sources; k++) {
    ask_range(s, sources[k], 25, 6, 0xfe0001ffu);               // VOP2
    ask_range(s, 0x7e000000u | sources[k], 9, 8, 0xfe01ffffu);  // VOP1
    ask_range(s, 0x7c000000u | sources[k], 17, 8, 0xfffe01ffu); // VOPC
  }
  ask_range(s, 0xd0000000u, 16, 10, 0xffff0000u); // VOP3, VOP3P
  ask_range(s, 0xd8000000u, 17, 8, 0xfffe0000u);  // DS
  for (uint32_t segment = 0; segment < 4; segment++)
    ask_range(s, 0xdc000000u | segment << 14, 18, 7, 0xfffcc000u); // FLAT
  ask_range(s, 0xe0000000u, 18, 7, 0xfffc0000u);                   // MUBUF
  ask_range(s, 0xe8000000u, 15, 4, 0xfc078000u);                   // MTBUF
  ask_range(s, 0xc400u, 16, 10, 0xffff0000u);    // exports of other chips
  ask_range(s, 0xd400u, 16, 10, 0xffff0000u);    // interpolation
  ask_range(s, 0xf0000000u, 18, 8, 0xfffc0000u); // images
  // Scales and the matrix operation they belong to: two VOP3P words together.
  for (uint32_t scale = 0; scale < 128; scale++)
    for (uint32_t op = 0; op < 128; op++)
      ask(s, 0xd3800000u | scale << 16, 0x00020100u, 0xd3800800u | op << 16,
          0x04020100u);
}

static int by_encoding(const void *a, const void *b) {
  const found *x = a, *y = b;
  if (x->encoding != y->encoding)
    return x->encoding < y->encoding ? -1 : 1;
  return x->word < y->word ? -1 : x->word > y->word ? 1 : 0;
}

static sweep *run_sweep(void) {
  sweep *s = calloc(1, sizeof *s);
  assert_non_null(s);
  assert_int_equal(fmhac_disasm_create(&s->disasm), FMHAC_OK);
  ask_all(s);
  fmhac_disasm_destroy(s->disasm);
  qsort(s->found, s->count, sizeof *s->found, by_encoding);
  return s;
}

static const isa_cdna4_row *row_of(const char *mnemonic) {
  int i = isa_cdna4_find(mnemonic);
  return i < 0 ? NULL : &isa_cdna4_rows[i];
}

static void test_list_is_what_llvm_accepts(void **state) {
  (void)state;
  sweep *s = run_sweep();
  unsigned wrong = 0;
  for (size_t i = 0; i < s->count; i++) {
    const found *f = &s->found[i];
    const isa_cdna4_row *row = row_of(f->mnemonic);
    char forms[64];
    isa_cdna4_forms_text(f->forms, forms, sizeof forms);
    if (row && row->encoding == f->encoding && strcmp(row->forms, forms) == 0)
      continue;
    wrong++;
    print_error("LLVM: %s %s \"%s\" (0x%08x); cdna4.def: %s \"%s\"\n",
                f->mnemonic, isa_cdna4_encoding_names[f->encoding], forms,
                f->word,
                row ? isa_cdna4_encoding_names[row->encoding] : "no row",
                row ? row->forms : "");
  }
  for (unsigned i = 0; i < isa_cdna4_row_count; i++) {
    bool seen = false;
    for (size_t k = 0; k < s->count && !seen; k++)
      seen = strcmp(s->found[k].mnemonic, isa_cdna4_rows[i].mnemonic) == 0;
    if (!seen) {
      wrong++;
      print_error("cdna4.def has %s, which LLVM does not know\n",
                  isa_cdna4_rows[i].mnemonic);
    }
  }
  assert_int_equal(s->count, isa_cdna4_row_count);
  free(s);
  assert_int_equal(wrong, 0);
}

static void test_every_form_decodes(void **state) {
  (void)state;
  sweep *s = calloc(1, sizeof *s);
  assert_non_null(s);
  assert_int_equal(fmhac_disasm_create(&s->disasm), FMHAC_OK);
  assert_int_equal(isa_decoder_create(&s->decoder), FMHAC_OK);
  ask_all(s);
  unsigned refused = s->refused;
  fmhac_disasm_destroy(s->disasm);
  isa_decoder_destroy(s->decoder);
  free(s);
  assert_int_equal(refused, 0);
}

static void test_table_is_in_list(void **state) {
  (void)state;
  unsigned wrong = 0;
  for (unsigned i = 0; i < isa_row_count; i++) {
    const isa_cdna4_row *row = row_of(isa_rows[i].mnemonic);
    if (!row || row->refusal) {
      wrong++;
      print_error("isa.def has %s, which cdna4.def %s\n", isa_rows[i].mnemonic,
                  row ? "refuses" : "has not");
    }
  }
  assert_int_equal(wrong, 0);
}

// What is assumed stands after the document.
static void test_assumptions_are_named(void **state) {
  (void)state;
  unsigned wrong = 0;
  for (unsigned i = 0; i < isa_row_count; i++)
    if (strcmp(isa_rows[i].status, "doc") != 0 &&
        !strstr(isa_rows[i].source, "; ")) {
      wrong++;
      print_error("%s: assumed, but its source \"%s\" does not say what\n",
                  isa_rows[i].mnemonic, isa_rows[i].source);
    }
  assert_int_equal(wrong, 0);
}

static void test_no_row_twice(void **state) {
  (void)state;
  for (unsigned i = 0; i < isa_cdna4_row_count; i++)
    assert_int_equal(isa_cdna4_find(isa_cdna4_rows[i].mnemonic), i);
  for (unsigned i = 0; i < isa_row_count; i++)
    for (unsigned k = 0; k < i; k++)
      if (strcmp(isa_rows[i].mnemonic, isa_rows[k].mnemonic) == 0)
        fail_msg("isa.def has two rows of %s", isa_rows[i].mnemonic);
}

static void test_find_takes_every_form(void **state) {
  (void)state;
  static const char *const forms[] = {"v_add_f32", "v_add_f32_e32",
                                      "v_add_f32_e64", "v_add_f32_sdwa",
                                      "v_add_f32_dpp"};
  int expected = isa_cdna4_find("v_add_f32");
  assert_true(expected >= 0);
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "%s", forms[i]);
    isa_cdna4_strip(name);
    assert_int_equal(isa_cdna4_find(name), expected);
  }
  assert_int_equal(isa_cdna4_find("v_add_f33"), -1);
}

static int print_rows(void) {
  sweep *s = run_sweep();
  for (size_t i = 0; i < s->count; i++) {
    const found *f = &s->found[i];
    const isa_cdna4_row *row = row_of(f->mnemonic);
    char forms[64];
    isa_cdna4_forms_text(f->forms, forms, sizeof forms);
    if (i == 0 || f->encoding != s->found[i - 1].encoding)
      printf("\n// %s\n", isa_cdna4_encoding_names[f->encoding]);
    if (row && row->refusal)
      printf("CDNA4_REFUSED(%s, %s, \"%s\",\n              \"%s\")\n",
             f->mnemonic, isa_cdna4_encoding_names[f->encoding], forms,
             row->refusal);
    else
      printf("CDNA4(%s, %s, \"%s\")\n", f->mnemonic,
             isa_cdna4_encoding_names[f->encoding], forms);
  }
  free(s);
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "--print") == 0)
    return print_rows();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_list_is_what_llvm_accepts),
      cmocka_unit_test(test_every_form_decodes),
      cmocka_unit_test(test_table_is_in_list),
      cmocka_unit_test(test_assumptions_are_named),
      cmocka_unit_test(test_no_row_twice),
      cmocka_unit_test(test_find_takes_every_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
