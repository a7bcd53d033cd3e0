// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the static checkers on all kernels of a code object.
#include "audit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disasm.h"
#include "fmhac_audit.h"
#include "grow.h"
#include "lines.h"
#include "need.h"
#include "operand_text.h"
#include "sized_struct.h"

enum {
  MOST_ENTRIES = 1000, ///< findings and notes that are kept
  LIST_BYTES = 12288,  ///< text of the refused instructions
  MESSAGE_BYTES = 1792,
};

/// A finding, or a note; a note has no `other` and no `counter`.
typedef struct entry {
  size_t kernel;
  uint64_t pc, other_pc;
  char *message, *instruction, *other_instruction; ///< owned
  const char *check, *counter;
  uint32_t wait;
  isa_source_location *places; ///< owned: of pc and other_pc; NULL for a note
} entry;

typedef struct entries {
  entry *list;
  size_t count, capacity;
} entries;

struct fmhac_emu_audit {
  uint32_t checks;
  char **kernels; ///< names
  size_t kernel_count;
  entries findings, notes, idle;
  fmhac_emu_audit_stats stats;
};

/// The current kernel.
typedef struct subject {
  fmhac_emu_audit *audit;
  const isa_object *object;
  isa_lines *lines; ///< NULL: the code object has no lines
  const isa_kernel *kernel;
  uint32_t entry_text; ///< byte offset of its entry in .text
  size_t index;
  const isa_program *program;
  const audit_flow *flow;
} subject;

//===-- Entries -----------------------------------------------------------===//

// False: out of memory. Entries beyond the limit are only counted. Takes
// ownership of the places.
static bool add(fmhac_emu_audit *a, entries *to, const entry *from,
                const char *message, const char *instruction,
                const char *other) {
  if (to->count == MOST_ENTRIES) {
    a->stats.dropped++;
    free(from->places);
    return true;
  }
  if (!FMHAC_GROW(to->list, to->count, to->capacity)) {
    free(from->places);
    return false;
  }
  entry *e = &to->list[to->count++];
  *e = *from;
  e->message = strdup(message);
  e->instruction = strdup(instruction);
  e->other_instruction = strdup(other);
  return e->message && e->instruction && e->other_instruction;
}

static void free_entries(entries *e) {
  for (size_t i = 0; i < e->count; i++) {
    free(e->list[i].message);
    free(e->list[i].instruction);
    free(e->list[i].other_instruction);
    free(e->list[i].places);
  }
  free(e->list);
}

static void find_location(const subject *s, uint32_t pc,
                          isa_source_location *out) {
  isa_lines_find(s->lines, s->object->text_address + pc, out);
}

static bool add_finding(const subject *s, const audit_finding *f) {
  const isa_insn *use = &s->program->insns[f->at];
  const isa_insn *other = &s->program->insns[f->other];
  uint32_t base = s->entry_text;
  char message[MESSAGE_BYTES];
  int n = snprintf(message, sizeof message, "kernel %.120s, ", s->kernel->name);
  audit_finding_text(s->flow, base, f, message + n, sizeof message - (size_t)n);
  bool wait = f->check == FMHAC_EMU_CHECK_WAIT,
       suspect = f->check == FMHAC_EMU_AUDIT_SUSPECT;
  isa_source_location *places = calloc(2, sizeof *places);
  if (!places)
    return false;
  char there[ISA_PC_TEXT_BYTES];
  find_location(s, use->pc, &places[0]);
  find_location(s, other->pc, &places[1]);
  isa_locations_text(&places[0], &places[1],
                     isa_pc_text(other->pc, base, there), message,
                     sizeof message);
  entry e = {.kernel = s->index,
             .pc = (uint64_t)use->pc - base,
             .other_pc = (uint64_t)other->pc - base,
             .check = wait      ? "wait"
                      : suspect ? "suspect"
                                : "hazard",
             .counter = wait      ? audit_counter(f->clock)
                        : suspect ? ""
                                  : "s_nop",
             .wait = wait      ? f->need
                     : suspect ? 0
                               : f->hazard.required - f->states,
             .places = places};
  return add(s->audit, &s->audit->findings, &e, message,
             isa_program_text(s->program, use),
             isa_program_text(s->program, other));
}

static bool add_note(const subject *s, const audit_note *n) {
  const isa_insn *insn = &s->program->insns[n->at];
  const char *instruction = isa_program_text(s->program, insn);
  uint32_t base = s->entry_text;
  char message[MESSAGE_BYTES], here[ISA_PC_TEXT_BYTES];
  snprintf(message, sizeof message, "kernel %.120s, pc %s, `%s`: %s",
           s->kernel->name, isa_pc_text(insn->pc, base, here), instruction,
           n->reason);
  entry e = {.kernel = s->index, .pc = (uint64_t)insn->pc - base};
  return add(s->audit, &s->audit->notes, &e, message, instruction, "");
}

static bool add_idle(const subject *s, uint32_t at) {
  const isa_insn *insn = &s->program->insns[at];
  const char *instruction = isa_program_text(s->program, insn);
  uint32_t base = s->entry_text;
  char message[MESSAGE_BYTES], here[ISA_PC_TEXT_BYTES];
  snprintf(message, sizeof message,
           "kernel %.120s, pc %s, `%s`: never waits: on no path are more "
           "operations outstanding",
           s->kernel->name, isa_pc_text(insn->pc, base, here), instruction);
  entry e = {.kernel = s->index, .pc = (uint64_t)insn->pc - base};
  return add(s->audit, &s->audit->idle, &e, message, instruction, "");
}

static bool add_refusal(const subject *s, const char *list) {
  size_t bytes = strlen(list) + 512;
  char *message = malloc(bytes);
  if (!message)
    return false;
  snprintf(message, bytes,
           "kernel %.120s: instructions that are not known (pc from the start "
           "of .text; the kernel begins at 0x%x), so that nothing of it is "
           "checked:%s",
           s->kernel->name, s->entry_text, list);
  entry e = {.kernel = s->index};
  bool ok = add(s->audit, &s->audit->notes, &e, message, "", "");
  free(message);
  return ok;
}

//===-- Kernels -----------------------------------------------------------===//

static int by_position(const void *a, const void *b) {
  const audit_finding *x = a, *y = b;
  if (x->at != y->at)
    return x->at < y->at ? -1 : 1;
  if (x->check != y->check)
    return x->check < y->check ? -1 : 1;
  if (x->clock != y->clock)
    return (int)x->clock - (int)y->clock;
  return x->other < y->other ? -1 : x->other > y->other;
}
static int by_note_position(const void *a, const void *b) {
  const audit_note *x = a, *y = b;
  return x->at != y->at ? (x->at < y->at ? -1 : 1)
                        : strcmp(x->reason, y->reason);
}

static fmhac_status check_flow(subject *s) {
  audit_result result = {0};
  bool ok = audit_flow_notes(s->flow, &result);
  if (ok && s->audit->checks & FMHAC_EMU_CHECK_WAIT)
    ok = audit_waits(s->flow, &result);
  if (ok && s->audit->checks & FMHAC_EMU_CHECK_HAZARD)
    ok = audit_hazards(s->flow, &result);
  if (ok && s->audit->checks & FMHAC_EMU_AUDIT_SUSPECT)
    ok = audit_suspects(s->flow, &result);
  s->audit->stats.instructions += s->flow->reached;
  s->audit->stats.blocks += s->flow->block_count;
  if (result.finding_count)
    qsort(result.findings, result.finding_count, sizeof *result.findings,
          by_position);
  if (result.note_count)
    qsort(result.notes, result.note_count, sizeof *result.notes,
          by_note_position);
  for (size_t i = 0; ok && i < result.finding_count; i++)
    ok = add_finding(s, &result.findings[i]);
  for (size_t i = 0; ok && i < result.note_count; i++)
    ok = add_note(s, &result.notes[i]);
  for (size_t i = 0; ok && i < result.idle_count; i++)
    ok = add_idle(s, result.idle[i]);
  audit_result_free(&result);
  return ok ? FMHAC_OK : FMHAC_OUT_OF_MEMORY;
}

// Checks the kernel in `program`, if that contains the whole kernel. A program
// with indirect jumps is the whole text section and serves all kernels;
// decoding takes most of the time.
static fmhac_status check_program(subject *s, const isa_program *program,
                                  bool *out_has_it) {
  uint32_t word = isa_kernel_first(s->object, s->kernel) / 4;
  *out_has_it = program && word < program->words && program->index[word];
  if (!*out_has_it)
    return FMHAC_OK;
  audit_flow flow;
  bool built = audit_flow_build(program, program->index[word] - 1, &flow);
  fmhac_status status = built ? FMHAC_OK : FMHAC_OUT_OF_MEMORY;
  *out_has_it = built && !flow.unknown;
  s->program = program;
  s->flow = &flow;
  if (*out_has_it)
    status = check_flow(s);
  s->flow = NULL;
  audit_flow_free(&flow);
  return status;
}

// `kept` is the program of an earlier kernel, or NULL; afterwards the program
// of this kernel.
static fmhac_status check_kernel(subject *s, isa_program **kept, char *list) {
  const isa_object *o = s->object;
  char **name = &s->audit->kernels[s->index];
  *name = strdup(s->kernel->name);
  if (!*name)
    return FMHAC_OUT_OF_MEMORY;
  bool done;
  fmhac_status status = check_program(s, *kept, &done);
  if (status != FMHAC_OK || done)
    return status;
  isa_program_destroy(*kept);
  *kept = NULL;
  status = isa_program_create(
      o->bytes + o->text.offset, (uint32_t)o->text.bytes,
      isa_kernel_first(s->object, s->kernel), list, LIST_BYTES, kept);
  if (status == FMHAC_UNSUPPORTED)
    return add_refusal(s, list) ? FMHAC_OK : FMHAC_OUT_OF_MEMORY;
  if (status == FMHAC_OK)
    status = check_program(s, *kept, &done);
  if (status == FMHAC_OK && !done && !add_refusal(s, " where it begins"))
    status = FMHAC_OUT_OF_MEMORY;
  return status;
}

static fmhac_status check_object(void *audit, const isa_object *o) {
  fmhac_emu_audit *a = audit;
  if (!a->checks)
    return FMHAC_OK;
  char *list = malloc(LIST_BYTES);
  isa_program *kept = NULL;
  isa_lines *lines = o->has_lines ? isa_lines_open(o->bytes, o->size) : NULL;
  a->kernels = calloc(o->kernel_count + 1, sizeof *a->kernels);
  fmhac_status status = list && a->kernels ? FMHAC_OK : FMHAC_OUT_OF_MEMORY;
  for (size_t i = 0; status == FMHAC_OK && i < o->kernel_count; i++) {
    if (!o->kernels[i].has_descriptor)
      continue;
    subject s = {.audit = a,
                 .object = o,
                 .lines = lines,
                 .kernel = &o->kernels[i],
                 .entry_text = isa_kernel_entry_text(o, &o->kernels[i]),
                 .index = a->kernel_count++};
    status = check_kernel(&s, &kept, list);
  }
  a->stats.kernels = a->kernel_count;
  isa_program_destroy(kept);
  isa_lines_close(lines);
  free(list);
  return status;
}

//===-- Public calls ------------------------------------------------------===//

fmhac_status fmhac_emu_audit_create(const void *code_object, size_t bytes,
                                    uint32_t checks, char *text,
                                    size_t text_bytes, fmhac_emu_audit **out) {
  char none[1];
  fmhac_status status = fmhac_begin_with_text(
      &text, &text_bytes, none, "auditing the code object", "out_audit", out,
      "code_object", code_object);
  if (status != FMHAC_OK)
    return status;
  const uint32_t known = FMHAC_EMU_AUDIT_IMPLEMENTED | FMHAC_EMU_AUDIT_SUSPECT;
  uint32_t missing = checks & ~known;
  if (missing) {
    snprintf(text, text_bytes,
             "auditing the code object: expected checks among 0x%x "
             "(FMHAC_EMU_AUDIT_IMPLEMENTED and FMHAC_EMU_AUDIT_SUSPECT), found "
             "0x%x besides",
             known, missing);
    return FMHAC_UNSUPPORTED;
  }
  fmhac_emu_audit *a = calloc(1, sizeof *a);
  if (!a) {
    snprintf(text, text_bytes, "auditing the code object: out of memory");
    return FMHAC_OUT_OF_MEMORY;
  }
  a->checks = checks;
  status =
      isa_object_work(code_object, bytes, "auditing the code object",
                      check_object, isa_disasm_explain, a, text, text_bytes);
  if (status != FMHAC_OK) {
    fmhac_emu_audit_destroy(a);
    return status;
  }
  *out = a;
  return FMHAC_OK;
}

void fmhac_emu_audit_destroy(fmhac_emu_audit *a) {
  if (!a)
    return;
  for (size_t i = 0; a->kernels && i < a->kernel_count; i++)
    free(a->kernels[i]);
  free(a->kernels);
  free_entries(&a->findings);
  free_entries(&a->notes);
  free_entries(&a->idle);
  free(a);
}

size_t fmhac_emu_audit_finding_count(const fmhac_emu_audit *a) {
  return a ? a->findings.count : 0;
}

fmhac_status fmhac_emu_audit_get_finding(const fmhac_emu_audit *a, size_t index,
                                         fmhac_emu_audit_finding *out) {
  if (!a || index >= a->findings.count)
    return FMHAC_INVALID_INPUT;
  const entry *e = &a->findings.list[index];
  const fmhac_emu_audit_finding finding = {
      .check = e->check,
      .kernel = a->kernels[e->kernel],
      .message = e->message,
      .pc = e->pc,
      .instruction = e->instruction,
      .other_pc = e->other_pc,
      .other_instruction = e->other_instruction,
      .counter = e->counter,
      .wait = e->wait,
      .location = isa_location_part(e->places[0].location),
      .other_location = isa_location_part(e->places[1].location),
      .step = isa_location_part(e->places[0].step),
      .other_step = isa_location_part(e->places[1].step)};
  return FMHAC_STRUCT_OUT(out, &finding, fmhac_emu_audit_finding, wait);
}

size_t fmhac_emu_audit_note_count(const fmhac_emu_audit *a) {
  return a ? a->notes.count : 0;
}

static fmhac_status get_note(const fmhac_emu_audit *a, const entries *from,
                             size_t index, fmhac_emu_audit_note *out) {
  if (index >= from->count)
    return FMHAC_INVALID_INPUT;
  const entry *e = &from->list[index];
  const fmhac_emu_audit_note note = {.kernel = a->kernels[e->kernel],
                                     .message = e->message,
                                     .pc = e->pc,
                                     .instruction = e->instruction};
  return FMHAC_STRUCT_OUT(out, &note, fmhac_emu_audit_note, instruction);
}

fmhac_status fmhac_emu_audit_get_note(const fmhac_emu_audit *a, size_t index,
                                      fmhac_emu_audit_note *out) {
  return a ? get_note(a, &a->notes, index, out) : FMHAC_INVALID_INPUT;
}

size_t fmhac_emu_audit_idle_count(const fmhac_emu_audit *a) {
  return a ? a->idle.count : 0;
}

fmhac_status fmhac_emu_audit_get_idle(const fmhac_emu_audit *a, size_t index,
                                      fmhac_emu_audit_note *out) {
  return a ? get_note(a, &a->idle, index, out) : FMHAC_INVALID_INPUT;
}

fmhac_status fmhac_emu_audit_get_stats(const fmhac_emu_audit *a,
                                       fmhac_emu_audit_stats *out) {
  return a ? FMHAC_STRUCT_OUT(out, &a->stats, fmhac_emu_audit_stats, dropped)
           : FMHAC_INVALID_INPUT;
}
