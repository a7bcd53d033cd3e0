// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds and decodes the instructions of a kernel by following its control flow.
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disasm.h"
#include "grow.h"

/// Instructions that are refused for the same reason; one example is shown.
typedef struct refusal {
  uint32_t pc, count;
  uint32_t words[2];
  char text[ISA_TEXT_BYTES], why[ISA_TEXT_BYTES];
} refusal;

typedef struct builder {
  const uint8_t *code;
  uint32_t bytes;
  isa_decoder *decoder;
  isa_insn *insns; ///< in order of discovery
  char *texts;
  uint32_t count, capacity;
  uint32_t *index; ///< word → position + 1
  /// Word → its distance from the start of the instruction that contains it, in
  /// words; 0: it is not inside one.
  uint8_t *inside;
  uint32_t *work; ///< entry points still to be followed
  size_t work_count, work_capacity;
  refusal *refusals;
  size_t refusal_count, refusal_capacity;
  bool indirect, memory;
  isa_visit_fn visit; ///< or NULL
  void *user;
} builder;

// Branches to the address of the next instruction + SIMM16 × 4.
static bool is_direct_branch(const isa_insn *in) {
  switch ((isa_kind)in->kind) {
  case ISA_KIND_JUMP:
  case ISA_KIND_SPLIT:
  case ISA_KIND_CALL:
  case ISA_KIND_SPLIT_TARGET:
    return true;
  default:
    return false;
  }
}

// The instruction for unknown bytes: it ends a program like its end.
static void set_unknown(isa_insn *in) {
  in->row = (uint16_t)isa_row_count;
  in->family = ISA_SOP;
  in->kind = ISA_KIND_END;
}

static void push(builder *b, uint32_t pc) {
  if (!FMHAC_GROW(b->work, b->work_count, b->work_capacity)) {
    b->memory = true;
    return;
  }
  b->work[b->work_count++] = pc;
}

static bool same_refusal(const refusal *r, const char *text, const char *why) {
  size_t n = strcspn(text, " \t");
  return strcspn(r->text, " \t") == n && strncmp(r->text, text, n) == 0 &&
         strcmp(r->why, why) == 0;
}

// The example of each reason is the first in the code.
static void show_refusal(const builder *b, refusal *r, uint32_t pc,
                         const char *text, const char *why) {
  r->pc = pc;
  memcpy(r->words, b->code + pc, b->bytes - pc >= 8 ? 8 : 4);
  snprintf(r->text, sizeof r->text, "%s", text);
  snprintf(r->why, sizeof r->why, "%s", why);
}

static void note_refusal(builder *b, uint32_t pc, const char *text,
                         const char *why) {
  for (uint32_t i = 0; i < b->refusal_count; i++)
    if (same_refusal(&b->refusals[i], text, why)) {
      b->refusals[i].count++;
      if (pc < b->refusals[i].pc)
        show_refusal(b, &b->refusals[i], pc, text, why);
      return;
    }
  if (!FMHAC_GROW(b->refusals, b->refusal_count, b->refusal_capacity)) {
    b->memory = true;
    return;
  }
  refusal *r = &b->refusals[b->refusal_count++];
  *r = (refusal){.count = 1};
  show_refusal(b, r, pc, text, why);
}

static int by_first_pc(const void *a, const void *b) {
  uint32_t x = ((const refusal *)a)->pc, y = ((const refusal *)b)->pc;
  return x < y ? -1 : x > y;
}

// One line per reason; if they do not fit, the last line says how many are left
// out.
static void print_refusals(builder *b, char *text, size_t bytes) {
  enum { LAST_LINE_BYTES = 32 };
  qsort(b->refusals, b->refusal_count, sizeof *b->refusals, by_first_pc);
  size_t used = 0;
  for (uint32_t i = 0; i < b->refusal_count; i++) {
    const refusal *r = &b->refusals[i];
    char line[2 * ISA_TEXT_BYTES + 64], times[32] = "";
    if (r->count > 1)
      snprintf(times, sizeof times, "; %u times", r->count);
    int n = snprintf(line, sizeof line, "\n  pc 0x%x: %s (0x%08x 0x%08x): %s%s",
                     r->pc, r->text, r->words[0], r->words[1], r->why, times);
    if (used + (size_t)n + LAST_LINE_BYTES > bytes) {
      snprintf(text + used, bytes - used, "\n  and %zu more",
               b->refusal_count - i);
      return;
    }
    memcpy(text + used, line, (size_t)n + 1);
    used += (size_t)n;
  }
}

// Whether the instruction at `pc` shares bytes with an instruction that is
// decoded already; `why` then says with which one. Execution continues at the
// next entry of the list, so that entry must also be the next address.
static bool overlaps(const builder *b, uint32_t pc, uint32_t size, char *why) {
  if (b->inside[pc / 4]) {
    snprintf(why, ISA_TEXT_BYTES,
             "begins inside the instruction at pc 0x%x: instructions that "
             "overlap cannot be run",
             pc - 4u * b->inside[pc / 4]);
    return true;
  }
  for (uint32_t at = pc + 4; at < pc + size; at += 4)
    if (b->index[at / 4]) {
      snprintf(why, ISA_TEXT_BYTES,
               "another instruction begins inside it, at pc 0x%x: instructions "
               "that overlap cannot be run",
               at);
      return true;
    }
  return false;
}

// Decodes from `pc` until control cannot reach the next instruction.
static void follow(builder *b, uint32_t pc, bool strict) {
  while (pc + 4 <= b->bytes && !b->index[pc / 4]) {
    if (b->inside[pc / 4] && !strict)
      return; // it faults if reached
    if (b->count + 1 >= b->capacity) {
      uint32_t n = b->capacity ? 2 * b->capacity : 2048;
      isa_insn *p = realloc(b->insns, n * sizeof *p);
      if (p)
        b->insns = p;
      char *t = realloc(b->texts, (size_t)n * ISA_TEXT_BYTES);
      if (t)
        b->texts = t;
      if (!p || !t) {
        b->memory = true;
        return;
      }
      b->capacity = n;
    }
    isa_insn *in = &b->insns[b->count];
    char *text = b->texts + (size_t)b->count * ISA_TEXT_BYTES;
    char why[ISA_TEXT_BYTES];
    bool known =
        isa_decode(b->decoder, b->code + pc, b->bytes - pc, pc, in, text, why);
    b->index[pc / 4] = ++b->count;
    bool overlapping = overlaps(b, pc, in->size, why);
    if (overlapping)
      in->size = 4;
    for (uint32_t k = 1; k < in->size / 4u; k++)
      b->inside[pc / 4 + k] = (uint8_t)k;
    uint32_t next = pc + in->size;
    if (known)
      isa_classify(in);
    bool branch = known && is_direct_branch(in);
    uint32_t to = next + 4u * (uint32_t)(int32_t)(int16_t)in->imm;
    bool leaves = branch && to >= b->bytes;
    if (known && leaves)
      snprintf(why, ISA_TEXT_BYTES, "branches out of the code");
    bool refused = !known || overlapping || leaves;
    if (b->visit && (!refused || strict))
      b->visit(b->user, pc, refused ? NULL : in, text, why);
    if (refused && strict)
      note_refusal(b, pc, text, why);
    if (overlapping || !known) {
      set_unknown(in);
      pc = next;
      if (strict && (overlapping || strncmp(text, "(unknown", 8) == 0))
        return; // data or garbage: decoding on would be noise
      continue;
    }
    if (branch && !leaves && strict)
      push(b, to);
    b->indirect |= in->kind == ISA_KIND_INDIRECT ||
                   in->kind == ISA_KIND_CALL_INDIRECT ||
                   in->kind == ISA_KIND_SPLIT_INDIRECT;
    if (in->kind == ISA_KIND_JUMP || in->kind == ISA_KIND_END ||
        in->kind == ISA_KIND_INDIRECT)
      return;
    pc = next;
  }
}

static int by_pc(const void *a, const void *b) {
  uint32_t x = ((const isa_insn *)a)->pc, y = ((const isa_insn *)b)->pc;
  return x < y ? -1 : x > y;
}

static fmhac_status finish(builder *b, isa_program **out) {
  isa_program *p = calloc(1, sizeof *p);
  if (!p)
    return FMHAC_OUT_OF_MEMORY;
  p->words = b->bytes / 4;
  p->index = b->index;
  p->insns = b->insns;
  p->texts = malloc((size_t)(b->count + 1) * ISA_TEXT_BYTES);
  if (!p->texts) {
    free(p);
    return FMHAC_OUT_OF_MEMORY;
  }
  p->count = b->count;
  p->decoder = b->decoder;
  qsort(p->insns, p->count, sizeof *p->insns, by_pc);
  for (uint32_t i = 0; i < p->count; i++) {
    uint32_t *at = &p->index[p->insns[i].pc / 4];
    memcpy(p->texts + (size_t)i * ISA_TEXT_BYTES,
           b->texts + (size_t)(*at - 1) * ISA_TEXT_BYTES, ISA_TEXT_BYTES);
    *at = i + 1;
  }
  isa_insn *end = &p->insns[p->count];
  memset(end, 0, sizeof *end);
  set_unknown(end);
  end->size = 4;
  end->pc = p->count ? end[-1].pc + end[-1].size : 0;
  snprintf(p->texts + (size_t)p->count * ISA_TEXT_BYTES, ISA_TEXT_BYTES,
           "(end of code)");
  for (uint32_t i = 0; i < p->count; i++) {
    isa_insn *in = &p->insns[i];
    in->target = p->count;
    if (in->family != ISA_SOP || !isa_program_knows(in))
      continue;
    uint32_t to = in->pc + in->size + 4u * (uint32_t)(int32_t)(int16_t)in->imm;
    if (is_direct_branch(in) && to < b->bytes && p->index[to / 4])
      in->target = p->index[to / 4] - 1;
  }
  free(b->texts);
  free(b->work);
  *out = p;
  return FMHAC_OK;
}

// Decodes all code that can be reached from the entries on the work list.
static void follow_all(builder *b) {
  while (b->work_count && !b->memory)
    follow(b, b->work[--b->work_count], true);
  // Indirect jumps may reach the rest; unknown parts fault if reached. The rest
  // is decoded in order and branches are not followed, because data in it may
  // look like branches to anywhere.
  if (b->indirect)
    for (uint32_t pc = 0; pc + 4 <= b->bytes && !b->memory; pc += 4)
      follow(b, pc, false);
}

fmhac_status isa_program_visit(const uint8_t *code, uint32_t bytes,
                               const uint32_t *entries, size_t entry_count,
                               isa_visit_fn visit, void *user) {
  builder b = {.code = code, .bytes = bytes, .visit = visit, .user = user};
  fmhac_status status = isa_decoder_create(&b.decoder);
  if (status != FMHAC_OK)
    return status;
  b.index = calloc(bytes / 4 + 2, sizeof *b.index);
  b.inside = calloc(bytes / 4 + 5, sizeof *b.inside);
  b.memory = !b.index || !b.inside;
  for (size_t i = 0; i < entry_count && !b.memory; i++)
    push(&b, entries[i]);
  follow_all(&b);
  free(b.index);
  free(b.insns);
  free(b.texts);
  free(b.work);
  free(b.inside);
  free(b.refusals);
  isa_decoder_destroy(b.decoder);
  return b.memory ? FMHAC_OUT_OF_MEMORY : FMHAC_OK;
}

fmhac_status isa_program_create(const uint8_t *code, uint32_t bytes,
                                uint32_t entry, char *text, size_t text_bytes,
                                isa_program **out) {
  *out = NULL;
  builder b = {.code = code, .bytes = bytes};
  text[0] = 0;
  if (entry >= bytes || bytes - entry < 4) {
    snprintf(text, text_bytes,
             "\n  pc 0x%x: the entry lies outside the code, which has %u bytes",
             entry, bytes);
    return FMHAC_UNSUPPORTED;
  }
  fmhac_status status = isa_decoder_create(&b.decoder);
  if (status != FMHAC_OK) {
    snprintf(text, text_bytes, "%s", isa_disasm_explain(status));
    return status;
  }
  b.index = calloc(bytes / 4 + 2, sizeof *b.index);
  b.inside = calloc(bytes / 4 + 5, sizeof *b.inside);
  if (!b.index || !b.inside)
    b.memory = true;
  else
    push(&b, entry);
  follow_all(&b);
  if (b.memory)
    status = FMHAC_OUT_OF_MEMORY;
  else if (b.refusal_count)
    status = FMHAC_UNSUPPORTED;
  else
    status = finish(&b, out);
  if (status != FMHAC_OK) {
    if (status == FMHAC_OUT_OF_MEMORY)
      snprintf(text, text_bytes, "out of memory while decoding %u bytes",
               bytes);
    else
      print_refusals(&b, text, text_bytes);
    free(b.index);
    free(b.insns);
    free(b.texts);
    free(b.work);
    isa_decoder_destroy(b.decoder);
  }
  free(b.inside);
  free(b.refusals);
  return status;
}

bool isa_program_knows(const isa_insn *insn) {
  return insn->row < isa_row_count;
}

void isa_program_destroy(isa_program *p) {
  if (!p)
    return;
  isa_decoder_destroy(p->decoder);
  free(p->insns);
  free(p->index);
  free(p->texts);
  free(p);
}
