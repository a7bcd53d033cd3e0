// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The control flow graph of a kernel, by its direct branches.
#include <stdlib.h>

#include "audit.h"

static bool ends_block(isa_kind op) {
  return op >= ISA_KIND_END && op <= ISA_KIND_JOIN;
}
// Whether control reaches the next instruction, directly or after a call.
static bool goes_on(isa_kind op) {
  return op != ISA_KIND_END && op != ISA_KIND_JUMP && op != ISA_KIND_INDIRECT;
}
static bool jumps(isa_kind op, const isa_insn *insn, uint32_t count) {
  return (op == ISA_KIND_JUMP || op == ISA_KIND_SPLIT || op == ISA_KIND_CALL ||
          op == ISA_KIND_SPLIT_TARGET) &&
         insn->target < count;
}

/// Positions that are still to be followed.
typedef struct stack {
  uint32_t *list;
  uint32_t count;
} stack;

// Marks reached instructions in `block_of`, and starts of blocks in `leads`.
static void reach(audit_flow *f, uint32_t entry, uint8_t *leads, stack *s) {
  const isa_program *p = f->program;
  leads[entry] = 1;
  s->list[s->count++] = entry;
  while (s->count) {
    for (uint32_t i = s->list[--s->count];
         i < p->count && f->block_of[i] == AUDIT_NOWHERE; i++) {
      f->block_of[i] = 0;
      f->reached++;
      f->unknown |= !isa_program_knows(&p->insns[i]);
      isa_kind op = (isa_kind)p->insns[i].kind;
      if (jumps(op, &p->insns[i], p->count)) {
        leads[p->insns[i].target] = 1;
        if (f->block_of[p->insns[i].target] == AUDIT_NOWHERE)
          s->list[s->count++] = p->insns[i].target;
      }
      if (ends_block(op) && i + 1 < p->count)
        leads[i + 1] = 1;
      if (!goes_on(op))
        break;
    }
  }
}

static void cut(audit_flow *f, const uint8_t *leads) {
  const isa_program *p = f->program;
  bool open = false;
  for (uint32_t i = 0; i < p->count; i++) {
    if (f->block_of[i] == AUDIT_NOWHERE) {
      open = false;
      continue;
    }
    if (!open || leads[i]) {
      f->blocks[f->block_count++] = (audit_block){
          .first = i, .next = AUDIT_NOWHERE, .taken = AUDIT_NOWHERE};
      open = true;
    }
    f->block_of[i] = f->block_count - 1;
    f->blocks[f->block_count - 1].end = i + 1;
  }
}

static void link_blocks(audit_flow *f) {
  const isa_program *p = f->program;
  for (uint32_t b = 0; b < f->block_count; b++) {
    audit_block *block = &f->blocks[b];
    uint32_t last = block->end - 1;
    isa_kind op = (isa_kind)p->insns[last].kind;
    if (goes_on(op) && last + 1 < p->count)
      block->next = f->block_of[last + 1];
    if (jumps(op, &p->insns[last], p->count))
      block->taken = f->block_of[p->insns[last].target];
    block->next_unknown = op == ISA_KIND_CALL || op == ISA_KIND_CALL_INDIRECT;
  }
}

// Reverse postorder: a block comes after its predecessors, backward branches
// apart. The fixed point then takes few rounds.
static void arrange(audit_flow *f, uint32_t entry, uint8_t *step, stack *s) {
  uint32_t at = f->block_count;
  s->count = 0;
  s->list[s->count++] = entry;
  step[entry] = 1;
  while (s->count) {
    uint32_t b = s->list[s->count - 1], to = AUDIT_NOWHERE;
    if (step[b] == 1)
      to = f->blocks[b].taken;
    else if (step[b] == 2)
      to = f->blocks[b].next;
    if (step[b]++ < 3) {
      if (to != AUDIT_NOWHERE && !step[to]) {
        step[to] = 1;
        s->list[s->count++] = to;
      }
      continue;
    }
    s->count--;
    f->order[--at] = b;
  }
}

bool audit_flow_build(const isa_program *program, uint32_t entry,
                      audit_flow *out) {
  uint32_t n = program->count;
  *out = (audit_flow){.program = program};
  // Each branch adds at most one entry to the stack.
  stack s = {.list = malloc((n + 1) * sizeof *s.list)};
  uint8_t *leads = calloc(n + 1, 1), *step = NULL;
  out->block_of = malloc((n + 1) * sizeof *out->block_of);
  bool ok = s.list && leads && out->block_of;
  if (ok) {
    for (uint32_t i = 0; i <= n; i++)
      out->block_of[i] = AUDIT_NOWHERE;
    if (entry < n)
      reach(out, entry, leads, &s);
    uint32_t most = 0;
    for (uint32_t i = 0; i < n; i++)
      most += leads[i];
    // Unreached code may be between reached instructions.
    most += out->reached < n ? n - out->reached : 0;
    out->blocks = calloc(most + 1, sizeof *out->blocks);
    out->order = malloc((most + 1) * sizeof *out->order);
    step = calloc(most + 1, 1);
    ok = out->blocks && out->order && step;
  }
  if (ok && out->reached) {
    cut(out, leads);
    link_blocks(out);
    arrange(out, out->block_of[entry], step, &s);
  }
  free(s.list);
  free(leads);
  free(step);
  return ok;
}

void audit_flow_free(audit_flow *f) {
  free(f->block_of);
  free(f->blocks);
  free(f->order);
  *f = (audit_flow){0};
}

//===-- Incomplete analysis -----------------------------------------------===//

static bool is_mode_write(const isa_insn *insn) {
  // hwreg MODE (1), bits 27 GPR_IDX_EN and 28 VSKIP (CDNA4 ISA 3.6, 3.7).
  unsigned at = insn->imm >> 6 & 31, size = (insn->imm >> 11 & 31) + 1;
  return (insn->imm & 63) == 1 && at <= 28 && at + size > 27;
}

// Why the analysis is incomplete after the instruction, or NULL.
static const char *why_uncertain(const isa_insn *insn, isa_kind op) {
  switch (op) {
  case ISA_KIND_CALL:
    return "a call: the operations that are outstanding after it are "
           "unknown; none is assumed";
  case ISA_KIND_INDIRECT:
    return "jumps to an address in registers: the code at the target is "
           "not followed";
  case ISA_KIND_CALL_INDIRECT:
    return "calls an address in registers: the code at the target is not "
           "followed, and no operation is assumed to be outstanding after "
           "it";
  case ISA_KIND_SPLIT_TARGET:
  case ISA_KIND_SPLIT_INDIRECT:
  case ISA_KIND_JOIN:
    return "returns to a fork: the operations that are outstanding then "
           "are not followed";
  case ISA_KIND_SKIP:
    return "vector instructions may be skipped from here on: the counts "
           "after it are unknown";
  case ISA_KIND_SETREG:
    if (is_mode_write(insn))
      return "writes GPR_IDX_EN or VSKIP of MODE: the registers of "
             "instructions after it are unknown";
  default:
    break;
  }
  return NULL;
}

bool audit_flow_notes(const audit_flow *f, audit_result *result) {
  for (uint32_t at = 0; at < f->program->count; at++) {
    if (f->block_of[at] == AUDIT_NOWHERE)
      continue;
    const char *reason = why_uncertain(&f->program->insns[at],
                                       (isa_kind)f->program->insns[at].kind);
    if (reason)
      audit_add_note(result, at, reason);
  }
  return !result->memory;
}
