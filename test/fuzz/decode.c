// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Target: any bytes as the section .text. Every word is decoded where it lies,
// and what can be reached from the first as the program of a kernel; nothing is
// executed. Decoded instructions keep within the register files: the handlers
// rely on it.
#include "program.h"

#include <string.h>

#include "fuzz.h"
#include "wave.h"
#include "words.h"

const size_t fuzz_words_header_bytes = 0;

enum { LONGEST_INSTRUCTION_BYTES = 20, LIST_BYTES = 4096 };

static void check_operand(const isa_operand *o, const char *text) {
  unsigned last = o->regs ? o->index + o->regs - 1u : o->index;
  switch (o->kind) {
  case ISA_OPERAND_VGPR:
    FUZZ_CHECK(last < ISA_VGPRS && o->index / 256 == last / 256,
               "%s: registers %u to %u", text, o->index, last);
    break;
  case ISA_OPERAND_SGPR:
    FUZZ_CHECK(last < ISA_SGPRS, "%s: registers %u to %u", text, o->index,
               last);
    break;
  case ISA_OPERAND_CONST:
    FUZZ_CHECK(o->lanes, "%s: a constant of nothing", text);
    break;
  default:
    break;
  }
}

#define KIND(kind) (1u << ISA_OPERAND_##kind)
#define SCALAR (KIND(SGPR) | KIND(CONST) | KIND(SCC) | KIND(VCCZ) | KIND(EXECZ))
#define ANY (KIND(VGPR) | SCALAR)

/// Kinds of operand that the handlers of each family can take: destinations and
/// up to four sources, the last of which stands for all that follow.
static const struct {
  unsigned dst, src[4];
} families[] = {
    [ISA_SOP] = {KIND(SGPR), {SCALAR, SCALAR, SCALAR, SCALAR}},
    [ISA_SMEM] = {KIND(SGPR), {SCALAR, SCALAR, SCALAR, SCALAR}},
    [ISA_VALU] = {KIND(VGPR) | KIND(SGPR), {ANY, ANY, ANY, ANY}},
    [ISA_MFMA] = {KIND(VGPR),
                  {KIND(VGPR), KIND(VGPR), KIND(VGPR) | KIND(CONST), ANY}},
    [ISA_DS] = {KIND(VGPR), {KIND(VGPR), KIND(VGPR), KIND(VGPR), KIND(VGPR)}},
    [ISA_BUF] = {KIND(VGPR),
                 {KIND(VGPR) | KIND(OFF), KIND(SGPR), SCALAR, KIND(VGPR)}},
    [ISA_FLAT] = {KIND(VGPR),
                  {KIND(VGPR) | KIND(OFF), KIND(SGPR) | KIND(OFF), KIND(VGPR),
                   KIND(VGPR)}},
};

static void check_kinds(const isa_insn *in, const char *text) {
  for (unsigned i = 0; i < in->ndst; ++i)
    FUZZ_CHECK(families[in->family].dst >> in->dst[i].kind & 1,
               "%s: destination %u is of kind %u", text, i, in->dst[i].kind);
  for (unsigned i = 0; i < in->nsrc; ++i) {
    const isa_operand *o = &in->src[i];
    FUZZ_CHECK(families[in->family].src[i < 3 ? i : 3] >> o->kind & 1,
               "%s: source %u is of kind %u", text, i, o->kind);
    // Only registers are more than two.
    FUZZ_CHECK(in->family != ISA_VALU || o->type != ISA_TYPE_VEC ||
                   o->kind == ISA_OPERAND_VGPR,
               "%s: source %u is of kind %u", text, i, o->kind);
  }
}

static void check_insn(const isa_insn *in, const char *text) {
  FUZZ_CHECK(in->row < isa_row_count && emu_handlers()[in->row], "%s", text);
  FUZZ_CHECK(in->size >= 4 && in->size <= LONGEST_INSTRUCTION_BYTES &&
                 in->size % 4 == 0,
             "%s: %u bytes", text, in->size);
  FUZZ_CHECK(in->ndst <= ISA_MAX_DST && in->nsrc <= ISA_MAX_SRC,
             "%s: %u destinations, %u sources", text, in->ndst, in->nsrc);
  for (unsigned i = 0; i < in->ndst; ++i)
    check_operand(&in->dst[i], text);
  for (unsigned i = 0; i < in->nsrc; ++i)
    check_operand(&in->src[i], text);
  check_kinds(in, text);
}

static void decode_words(const uint8_t *code, uint32_t bytes) {
  isa_decoder *decoder;
  if (isa_decoder_create(&decoder) != FMHAC_OK)
    abort();
  for (uint32_t pc = 0; pc < bytes; pc += 4) {
    isa_insn in;
    char text[ISA_TEXT_BYTES], why[ISA_TEXT_BYTES];
    bool known = isa_decode(decoder, code + pc, bytes - pc, pc, &in, text, why);
    FUZZ_CHECK(memchr(text, 0, sizeof text) && memchr(why, 0, sizeof why),
               "a text without an end");
    if (known) {
      FUZZ_CHECK(in.size <= bytes - pc, "%s: ends after the code", text);
      check_insn(&in, text);
    } else {
      FUZZ_CHECK(why[0], "%s: refused without a reason", text);
    }
  }
  isa_decoder_destroy(decoder);
}

static void decode_program(const uint8_t *code, uint32_t bytes) {
  // Exactly as long as said, so that a sanitizer sees its end.
  char *list = malloc(LIST_BYTES);
  if (!list)
    abort();
  isa_program *program;
  fmhac_status status =
      isa_program_create(code, bytes, 0, list, LIST_BYTES, &program);
  FUZZ_CHECK(status == FMHAC_OK || status == FMHAC_UNSUPPORTED, "status %d",
             (int)status);
  FUZZ_CHECK(memchr(list, 0, LIST_BYTES), "the list has no end");
  FUZZ_CHECK((status == FMHAC_OK) == (program != NULL), "status %d",
             (int)status);
  FUZZ_CHECK(program || list[0], "no reason is given");
  for (uint32_t i = 0; program && i < program->count; ++i) {
    const isa_insn *in = &program->insns[i];
    FUZZ_CHECK(in->target <= program->count, "%s: goes to instruction %u of %u",
               isa_program_text(program, in), in->target, program->count);
    FUZZ_CHECK(in[1].pc >= in->pc + in->size,
               "%s: overlaps the instruction after it",
               isa_program_text(program, in));
  }
  isa_program_destroy(program);
  free(list);
}

static void count(void *user, uint32_t pc, const isa_insn *insn,
                  const char *text, const char *why) {
  (void)pc;
  FUZZ_CHECK(insn || why[0], "%s: refused without a reason", text);
  ++*(uint32_t *)user;
}

static void visit(const uint8_t *code, uint32_t bytes) {
  const uint32_t entries[] = {0, bytes / 8 * 4};
  uint32_t visited = 0;
  fmhac_status status =
      isa_program_visit(code, bytes, entries, 2, count, &visited);
  FUZZ_CHECK(status == FMHAC_OK, "status %d", (int)status);
  FUZZ_CHECK(visited <= bytes / 4, "%u instructions in %u bytes", visited,
             bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  decode_words(data, (uint32_t)size);
  // The loader cuts the section to whole words.
  uint32_t bytes = (uint32_t)size & ~3u;
  decode_program(data, bytes);
  visit(data, bytes);
  return 0;
}
