// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds and decodes the instructions of a kernel by following its control flow.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "wave.h"

typedef struct builder {
  const uint8_t *code;
  uint32_t bytes;
  emu_decoder *decoder;
  emu_insn *insns; ///< in order of discovery
  char *texts;
  uint32_t count, capacity;
  uint32_t *index; ///< word → position + 1
  uint32_t *work;  ///< entry points not followed yet
  uint32_t work_count, work_capacity;
  char *list; ///< unknown instructions, a line each
  size_t list_bytes, list_used;
  uint32_t unknown;
  bool indirect, memory;
} builder;

// The handler after the last instruction, and of what only an indirect jump
// could reach and nobody knows.
static void run_off(emu_wave *w, const emu_insn *in) {
  emu_fault(w, in, "the program ran into bytes that are no known instruction");
}

static bool starts_with(const builder *b, const emu_insn *in, const char *p) {
  (void)b;
  return strncmp(emu_isa_rows[in->row].mnemonic, p, strlen(p)) == 0;
}
static bool is(const emu_insn *in, const char *name) {
  return strcmp(emu_isa_rows[in->row].mnemonic, name) == 0;
}

static void push(builder *b, uint32_t pc) {
  if (b->work_count == b->work_capacity) {
    uint32_t n = b->work_capacity ? 2 * b->work_capacity : 256;
    uint32_t *p = realloc(b->work, n * sizeof *p);
    if (!p) {
      b->memory = true;
      return;
    }
    b->work = p;
    b->work_capacity = n;
  }
  b->work[b->work_count++] = pc;
}

static void note_unknown(builder *b, uint32_t pc, const char *text,
                         const char *why) {
  b->unknown++;
  uint32_t words[2] = {0, 0};
  memcpy(words, b->code + pc, b->bytes - pc >= 8 ? 8 : 4);
  if (b->list_used + 1 < b->list_bytes) {
    int n = snprintf(b->list + b->list_used, b->list_bytes - b->list_used,
                     "\n  pc 0x%x: %s (0x%08x 0x%08x): %s", pc, text, words[0],
                     words[1], why);
    if (n > 0)
      b->list_used += (size_t)n;
  }
}

// Decodes from `pc` until the flow cannot go on to the next instruction.
static void follow(builder *b, uint32_t pc, bool strict) {
  while (pc + 4 <= b->bytes && !b->index[pc / 4]) {
    if (b->count + 1 >= b->capacity) {
      uint32_t n = b->capacity ? 2 * b->capacity : 2048;
      emu_insn *p = realloc(b->insns, n * sizeof *p);
      if (p)
        b->insns = p;
      char *t = realloc(b->texts, (size_t)n * EMU_TEXT_BYTES);
      if (t)
        b->texts = t;
      if (!p || !t) {
        b->memory = true;
        return;
      }
      b->capacity = n;
    }
    emu_insn *in = &b->insns[b->count];
    char *text = b->texts + (size_t)b->count * EMU_TEXT_BYTES;
    char why[EMU_TEXT_BYTES];
    bool known =
        emu_decode(b->decoder, b->code + pc, b->bytes - pc, pc, in, text, why);
    b->index[pc / 4] = ++b->count;
    if (!known) {
      in->exec = run_off;
      if (strict)
        note_unknown(b, pc, text, why);
      pc += in->size;
      if (strict && strncmp(text, "(unknown", 8) == 0)
        return; // data or garbage: what follows would be noise
      continue;
    }
    uint32_t next = pc + in->size;
    if (starts_with(b, in, "s_branch") || starts_with(b, in, "s_cbranch") ||
        is(in, "s_call_b64")) {
      // Target = address of the next instruction + SIMM16 × 4.
      uint32_t to = next + 4u * (uint32_t)(int32_t)(int16_t)in->imm;
      if (to < b->bytes)
        push(b, to);
      else
        note_unknown(b, pc, text, "branches out of the code");
    }
    if (is(in, "s_setpc_b64") || is(in, "s_swappc_b64"))
      b->indirect = true;
    if (is(in, "s_branch") || is(in, "s_endpgm") || is(in, "s_setpc_b64"))
      return;
    pc = next;
  }
  if (pc + 4 > b->bytes && strict)
    b->indirect = b->indirect; // falls off the end: the sentinel faults
}

static int by_pc(const void *a, const void *b) {
  uint32_t x = ((const emu_insn *)a)->pc, y = ((const emu_insn *)b)->pc;
  return x < y ? -1 : x > y;
}

static fmhac_status finish(builder *b, emu_program **out) {
  emu_program *p = calloc(1, sizeof *p);
  if (!p)
    return FMHAC_OUT_OF_MEMORY;
  p->words = b->bytes / 4;
  p->index = b->index;
  p->insns = b->insns;
  p->texts = malloc((size_t)(b->count + 1) * EMU_TEXT_BYTES);
  if (!p->texts) {
    free(p);
    return FMHAC_OUT_OF_MEMORY;
  }
  p->count = b->count;
  p->decoder = b->decoder;
  qsort(p->insns, p->count, sizeof *p->insns, by_pc);
  for (uint32_t i = 0; i < p->count; i++) {
    uint32_t *at = &p->index[p->insns[i].pc / 4];
    memcpy(p->texts + (size_t)i * EMU_TEXT_BYTES,
           b->texts + (size_t)(*at - 1) * EMU_TEXT_BYTES, EMU_TEXT_BYTES);
    *at = i + 1;
  }
  emu_insn *end = &p->insns[p->count];
  memset(end, 0, sizeof *end);
  end->exec = run_off;
  end->size = 4;
  end->pc = p->count ? end[-1].pc + end[-1].size : 0;
  snprintf(p->texts + (size_t)p->count * EMU_TEXT_BYTES, EMU_TEXT_BYTES,
           "(end of code)");
  for (uint32_t i = 0; i < p->count; i++) {
    emu_insn *in = &p->insns[i];
    in->target = p->count;
    if (in->family != EMU_SOP || in->exec == run_off)
      continue;
    uint32_t to = in->pc + in->size + 4u * (uint32_t)(int32_t)(int16_t)in->imm;
    if ((starts_with(b, in, "s_branch") || starts_with(b, in, "s_cbranch") ||
         is(in, "s_call_b64")) &&
        to < b->bytes && p->index[to / 4])
      in->target = p->index[to / 4] - 1;
  }
  free(b->texts);
  free(b->work);
  *out = p;
  return FMHAC_OK;
}

fmhac_status emu_program_create(const uint8_t *code, uint32_t bytes,
                                uint32_t entry, char *text, size_t text_bytes,
                                emu_program **out) {
  *out = NULL;
  builder b = {
      .code = code, .bytes = bytes, .list = text, .list_bytes = text_bytes};
  text[0] = 0;
  fmhac_status status = emu_decoder_create(&b.decoder);
  if (status != FMHAC_OK) {
    snprintf(text, text_bytes, "LLVM's disassembler has no gfx950");
    return status;
  }
  b.index = calloc(bytes / 4 + 2, sizeof *b.index);
  if (!b.index)
    b.memory = true;
  else
    push(&b, entry);
  while (b.work_count && !b.memory)
    follow(&b, b.work[--b.work_count], true);
  if (b.indirect) // the rest may be called; unknown parts fault if reached
    for (uint32_t pc = 0; pc + 4 <= bytes && !b.memory; pc += 4) {
      if (!b.index[pc / 4])
        follow(&b, pc, false);
      while (b.work_count && !b.memory)
        follow(&b, b.work[--b.work_count], false);
      if (b.index[pc / 4])
        pc += b.insns[b.index[pc / 4] - 1].size - 4u;
    }
  if (b.memory)
    status = FMHAC_OUT_OF_MEMORY;
  else if (b.unknown)
    status = FMHAC_UNSUPPORTED;
  else
    status = finish(&b, out);
  if (status != FMHAC_OK) {
    if (status == FMHAC_OUT_OF_MEMORY)
      snprintf(text, text_bytes, "out of memory while decoding %u bytes",
               bytes);
    free(b.index);
    free(b.insns);
    free(b.texts);
    free(b.work);
    emu_decoder_destroy(b.decoder);
  }
  return status;
}

void emu_program_destroy(emu_program *p) {
  if (!p)
    return;
  emu_decoder_destroy(p->decoder);
  free(p->insns);
  free(p->index);
  free(p->texts);
  free(p);
}
