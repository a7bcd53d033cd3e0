// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Missing waits: computes the states of all blocks by a fixed point, then
// checks every use against the state before it.
#include <stdlib.h>

#include "audit.h"
#include "fmhac_audit.h"

//===-- Uses --------------------------------------------------------------===//

/// For each counter, the use that needs the lowest count: that wait covers the
/// other uses as well.
typedef struct worst {
  bool found[2];
  audit_finding finding[2];
} worst;

static void look(const audit_state *s, unsigned clock, unsigned slot,
                 bool overwrites, worst *w) {
  if (!audit_owned(s, clock, slot))
    return;
  unsigned counter = clock > AUDIT_VM_ANY;
  uint32_t need = audit_need(s, clock, slot);
  if (w->found[counter] && w->finding[counter].need <= need)
    return;
  w->found[counter] = true;
  w->finding[counter] = (audit_finding){
      .other = s->owner[clock][slot].insn,
      .clock = (uint8_t)clock,
      .overwrites = overwrites,
      .slot = (uint16_t)slot,
      .need = need,
  };
}

// Operations of one order may write the same register: the younger one wins. A
// flat operation is in that order as soon as its other counter, which is
// checked as well, covers the part from the other memory (same_order() in
// check/wait.c).
static bool keeps_order(isa_kind op, unsigned clock) {
  if (op == ISA_KIND_VMEM)
    return clock == AUDIT_VM || clock == AUDIT_VM_ANY;
  return op == ISA_KIND_LDS &&
         (clock == AUDIT_LDS_IN || clock == AUDIT_LGKM_ANY);
}

static void look_at_range(const audit_state *s, unsigned first, unsigned end,
                          worst *w) {
  for (unsigned slot = first; slot < end; slot++)
    for (unsigned c = 0; c < AUDIT_CLOCKS; c++)
      look(s, c, slot, false, w);
}

static bool slots_of(const isa_operand *o, unsigned *first, unsigned *end) {
  if (o->kind != ISA_OPERAND_VGPR && o->kind != ISA_OPERAND_SGPR)
    return false;
  unsigned limit = o->kind == ISA_OPERAND_SGPR ? AUDIT_SLOTS : AUDIT_SGPR_SLOT;
  *first = (o->kind == ISA_OPERAND_SGPR ? AUDIT_SGPR_SLOT : 0) + o->index;
  *end = *first + o->regs < limit ? *first + o->regs : limit;
  return *first < limit;
}

static bool may_touch(const audit_state *s, const isa_insn *insn) {
  uint64_t any = 0;
  for (unsigned c = 0; c < AUDIT_CLOCKS; c++) {
    for (unsigned k = 0; k < AUDIT_SGPR_SLOT / 64; k++)
      any |= s->held[c][k] & insn->touches_v[k];
    for (unsigned k = AUDIT_SGPR_SLOT / 64; k < AUDIT_WORDS; k++)
      any |= s->held[c][k] & insn->touches_s[k - AUDIT_SGPR_SLOT / 64];
  }
  return any != 0;
}

// Whether VGPR indexing may change the register of the operand.
static bool is_indexed(const audit_state *s, const isa_insn *insn,
                       unsigned mode) {
  return s->index_on && insn->family == ISA_VALU &&
         !(insn->flags & ISA_FLAG_NAMED_REGS) && (s->indexed >> mode & 1);
}

static void check(audit_state *s, const isa_insn *insn, isa_kind op,
                  uint32_t at, audit_result *result) {
  if (!may_touch(s, insn))
    return;
  worst w = {0};
  unsigned first, end;
  for (unsigned i = 0; i < insn->nsrc; i++)
    if (slots_of(&insn->src[i], &first, &end) &&
        !(insn->src[i].kind == ISA_OPERAND_VGPR && i < 3 &&
          is_indexed(s, insn, i)))
      look_at_range(s, first, end, &w);
  if (insn->flags & ISA_FLAG_VCC_READ)
    look_at_range(s, AUDIT_SGPR_SLOT + ISA_SGPR_VCC,
                  AUDIT_SGPR_SLOT + ISA_SGPR_VCC + 2, &w);
  for (unsigned i = 0; i < insn->ndst; i++) {
    const isa_operand *d = &insn->dst[i];
    if (!slots_of(d, &first, &end) ||
        (d->kind == ISA_OPERAND_VGPR && i == 0 && is_indexed(s, insn, 3)))
      continue;
    for (unsigned slot = first; slot < end; slot++)
      for (unsigned c = 0; c < AUDIT_CLOCKS; c++)
        if (!keeps_order(op, c))
          look(s, c, slot, true, &w);
  }
  for (unsigned counter = 0; counter < 2; counter++) {
    if (!w.found[counter])
      continue;
    w.finding[counter].check = FMHAC_EMU_CHECK_WAIT;
    w.finding[counter].at = at;
    audit_add_finding(result, w.finding[counter]);
    // From here on the wait is assumed, so that each finding is one missing
    // wait.
    uint32_t need = w.finding[counter].need;
    uint8_t most_vm = s->most_vm, most_lgkm = s->most_lgkm;
    audit_wait(s, counter ? ISA_MAX_VM : need, counter ? need : ISA_MAX_LGKM);
    s->most_vm = most_vm; // the code lacks it: the next wait is not idle
    s->most_lgkm = most_lgkm;
  }
}

//===-- Incomplete analysis -----------------------------------------------===//

static void note(audit_state *s, const isa_insn *insn, isa_kind op, uint32_t at,
                 audit_result *result) {
  switch (op) {
  case ISA_KIND_SGPR_INDEXED:
    if (audit_any_owned(s, true))
      audit_add_note(result, at,
                     "uses a scalar register that M0 selects while scalar "
                     "loads are outstanding");
    return;
  default:
    break;
  }
  if (!s->index_on || insn->family != ISA_VALU ||
      (insn->flags & ISA_FLAG_NAMED_REGS))
    return;
  bool any = insn->ndst && insn->dst[0].kind == ISA_OPERAND_VGPR &&
             is_indexed(s, insn, 3);
  for (unsigned i = 0; i < insn->nsrc && i < 3; i++)
    any |= insn->src[i].kind == ISA_OPERAND_VGPR && is_indexed(s, insn, i);
  if (any && audit_any_owned(s, false))
    audit_add_note(result, at,
                   "uses a vector register that M0 selects while loads into "
                   "vector registers are outstanding");
}

//===-- Fixed point -------------------------------------------------------===//

static void walk(const audit_flow *f, const audit_block *block, audit_state *s,
                 audit_result *result) {
  for (uint32_t i = block->first; i < block->end; i++) {
    const isa_insn *insn = &f->program->insns[i];
    isa_kind op = (isa_kind)f->program->insns[i].kind;
    if (result) {
      if (op == ISA_KIND_WAIT &&
          audit_is_idle(s, ISA_WAIT_VM(insn->imm), ISA_WAIT_LGKM(insn->imm)))
        audit_add_idle(result, i);
      note(s, insn, op, i, result);
      check(s, insn, op, i, result);
    }
    audit_step(s, insn, op, i);
  }
}

static bool solve(const audit_flow *f, audit_saved *in, audit_state *s,
                  uint8_t *dirty) {
  bool again = f->block_count != 0;
  audit_state_init(s, true);
  if (again) {
    bool changed;
    dirty[f->order[0]] = 1;
    if (!audit_state_join(s, &in[f->order[0]], &changed))
      return false;
  }
  while (again) {
    again = false;
    for (uint32_t k = 0; k < f->block_count; k++) {
      uint32_t b = f->order[k];
      if (!dirty[b])
        continue;
      dirty[b] = 0;
      audit_state_load(s, &in[b]);
      walk(f, &f->blocks[b], s, NULL);
      // A call: first the callee, then the return with an unknown state.
      uint32_t to[2] = {f->blocks[b].taken, f->blocks[b].next};
      for (int i = 0; i < 2; i++) {
        bool changed = false;
        if (to[i] == AUDIT_NOWHERE)
          continue;
        if (i == 1 && f->blocks[b].next_unknown)
          audit_state_init(s, false);
        if (!audit_state_join(s, &in[to[i]], &changed))
          return false;
        dirty[to[i]] |= changed;
        again |= changed;
      }
    }
  }
  return true;
}

bool audit_waits(const audit_flow *f, audit_result *result) {
  audit_saved *in = calloc(f->block_count + 1, sizeof *in);
  uint8_t *dirty = calloc(f->block_count + 1, 1);
  audit_state *s = malloc(sizeof *s);
  bool ok = in && dirty && s && solve(f, in, s, dirty);
  for (uint32_t b = 0; ok && b < f->block_count; b++)
    if (in[b].reached) {
      audit_state_load(s, &in[b]);
      walk(f, &f->blocks[b], s, result);
    }
  for (uint32_t b = 0; in && b < f->block_count; b++)
    free(in[b].list);
  free(in);
  free(dirty);
  free(s);
  return ok && !result->memory;
}
