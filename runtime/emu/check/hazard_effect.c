// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An instruction that reads a result too early reads the previous value: the
// previous values are put back while it executes. If the next instruction
// overwrites the data of a wide store, the store writes some of the new data.
//
// Sources: LLVM pull request 197267 saw on an MI350X that a
// buffer_store_dwordx4 stores the new value of dword 1 and the old one of dword
// 0, which the same instruction overwrote; that dwords 2 and 3 are as late as
// dword 1 is *assumed*. That a register whose result is not written yet reads
// as its previous value is *assumed*, too (wait_states.def).
#include "hazard_effect.h"

#include <stdlib.h>
#include <string.h>

#include "hazard.h"
#include "wait_states.h"

enum {
  FIRST_LATE_DWORD = 1, ///< of a store's data
  REGISTERS = 32,       ///< that one instruction writes, at most
  ALL_REGISTERS = ISA_HAZARD_SGPR + ISA_SGPRS + 16,
  PAST = ISA_HAZARD_REACH + 1, ///< instructions, with the one that executes
};

/// Effects of too few wait states after an instruction; a set of bits.
enum {
  EARLY_VECTOR = 1u << 0, ///< vector registers have their previous values
  EARLY_SCALAR = 1u << 1, ///< scalar registers
  LATE_DATA = 1u << 2,    ///< it stores data that was overwritten
};

/// The previous value of a register. Scalar registers use the first lane.
typedef struct saved {
  uint16_t reg; ///< as in isa_hazard_registers
  uint32_t value[EMU_LANES];
} saved;

/// An instruction that was issued less than ISA_HAZARD_REACH states ago.
typedef struct past {
  const isa_insn *insn;
  isa_hazard_traits traits;
  unsigned states; ///< since it was issued
  unsigned replaced_count;
  saved replaced[REGISTERS]; ///< its destinations, before it
  emu_access access;         ///< of a wide store
} past;

struct emu_effects {
  past ring[PAST];
  uint32_t count, newest;
  past *storing; ///< the store that executes, or NULL
  /// Registers that hold previous values while the instruction executes, with
  /// the values that they get after it.
  saved later[ISA_HAZARD_REACH * REGISTERS];
};

emu_effects *emu_effects_create(uint32_t waves) {
  return calloc(waves, sizeof(emu_effects));
}
void emu_effects_destroy(emu_effects *effects) { free(effects); }
emu_effects *emu_effects_of(emu_effects *effects, uint32_t wave) {
  return effects + wave;
}
void emu_effects_start(emu_effects *e) {
  e->count = 0;
  e->storing = NULL;
}

// The instruction that executes (`i` 0), or one before it.
static past *recall(emu_effects *e, unsigned i) {
  return &e->ring[(e->newest + PAST - i) % PAST];
}

static uint32_t *register_at(emu_wave *w, unsigned reg, size_t *out_bytes) {
  bool vector = reg < ISA_HAZARD_SGPR;
  *out_bytes = vector ? sizeof w->v[0] : sizeof w->s[0];
  return vector ? w->v[reg] : &w->s[reg - ISA_HAZARD_SGPR];
}
static void load(emu_wave *w, saved *to, unsigned reg) {
  size_t bytes;
  to->reg = (uint16_t)reg;
  const uint32_t *from = register_at(w, reg, &bytes);
  memcpy(to->value, from, bytes);
}
static void restore(emu_wave *w, const saved *from) {
  size_t bytes;
  uint32_t *to = register_at(w, from->reg, &bytes);
  memcpy(to, from->value, bytes);
}

static bool writes(const isa_hazard_traits *t, unsigned reg) {
  for (unsigned i = 0; i < t->write_count; i++)
    if (t->writes[i].first <= reg &&
        reg < (unsigned)t->writes[i].first + t->writes[i].count)
      return true;
  return false;
}

static unsigned effect_of(const isa_hazard_row *row) {
  bool scalar = row->overlap >= ISA_OVERLAP_SGPR_READ;
  return row->outcome == ISA_HAZARD_OUTCOME_OLD
             ? (scalar ? EARLY_SCALAR : EARLY_VECTOR)
         : row->outcome == ISA_HAZARD_OUTCOME_LATE ? LATE_DATA
                                                   : 0;
}

// The effects of the missing states between the two, by all violated rules.
static unsigned effects_between(const past *p, const isa_hazard_traits *t,
                                isa_hazard_settled *settled) {
  const isa_hazard_settled before = *settled;
  isa_hazard h;
  unsigned found = 0;
  if (!isa_hazard_between(&p->traits, t, p->states, settled, &h))
    return 0;
  for (unsigned effect = EARLY_VECTOR; effect <= LATE_DATA; effect <<= 1) {
    isa_hazard_traits only = p->traits;
    isa_hazard_settled nearer = before;
    for (unsigned i = 0; i < ISA_HAZARD_RULES; i++)
      if (effect_of(&isa_hazard_rows[i]) != effect)
        only.produces &= ~(UINT64_C(1) << i);
    if (isa_hazard_between(&only, t, p->states, &nearer, &h))
      found |= effect;
  }
  return found;
}

static bool is_early(unsigned effects, unsigned reg) {
  return effects & (reg < ISA_HAZARD_SGPR ? EARLY_VECTOR : EARLY_SCALAR);
}

// Puts back the values from before the instructions whose results are read too
// early, as `effects` says, the nearest instruction first. A value that a
// nearer instruction has written in time stays. Returns the number of registers
// in `later`.
static unsigned put_back(emu_wave *w, emu_effects *e, const unsigned *effects) {
  uint8_t in_time[ALL_REGISTERS] = {0}, moved[ALL_REGISTERS] = {0};
  unsigned count = 0;
  for (unsigned i = 1; i < e->count; i++) {
    const past *p = recall(e, i);
    for (unsigned k = 0; k < p->traits.write_count; k++) {
      const isa_hazard_registers *r = &p->traits.writes[k];
      if (!is_early(effects[i], r->first))
        memset(in_time + r->first, 1, r->count);
    }
    for (unsigned k = 0; k < p->replaced_count; k++) {
      unsigned reg = p->replaced[k].reg;
      if (!is_early(effects[i], reg) || in_time[reg])
        continue;
      if (!moved[reg])
        load(w, &e->later[count++], reg);
      moved[reg] = 1;
      restore(w, &p->replaced[k]);
    }
  }
  return count;
}

// The lanes in `exec` of a vector register that the instruction writes. It
// neither reads nor writes other lanes.
static uint64_t written_lanes(const emu_wave *w, const isa_insn *in,
                              unsigned reg, uint64_t exec) {
  const uint64_t low_half = UINT64_C(0x00000000ffffffff);
  const uint64_t even_rows = UINT64_C(0x0000ffff0000ffff);
  bool first = reg == in->dst[0].index;
  if (in->family == ISA_MFMA)
    return ~UINT64_C(0);
  if (in->data_class == ISA_DATA_WRITE_LANE) {
    const isa_operand *o = &in->src[1];
    uint32_t lane = o->kind == ISA_OPERAND_SGPR    ? w->s[o->index]
                    : o->kind == ISA_OPERAND_CONST ? o->lanes[0]
                    : o->kind == ISA_OPERAND_SCC   ? w->scc
                                                   : 0;
    return UINT64_C(1) << (lane & (EMU_LANES - 1));
  }
  if (in->data_class == ISA_DATA_SWAP_PAIRS)
    return exec & (first ? ~low_half : low_half);
  if (in->data_class == ISA_DATA_SWAP_ROWS)
    return exec & (first ? ~even_rows : even_rows);
  return exec;
}

// The delayed results arrive. Registers that the instruction has written keep
// its values.
static void arrive(emu_wave *w, emu_effects *e, unsigned count,
                   const isa_hazard_traits *t, const isa_insn *in,
                   uint64_t exec) {
  // Vector registers first: a scalar one may say which lanes were written.
  for (unsigned i = 0; i < count; i++) {
    const saved *s = &e->later[i];
    if (s->reg >= ISA_HAZARD_SGPR)
      continue;
    uint64_t lanes = writes(t, s->reg) ? written_lanes(w, in, s->reg, exec) : 0;
    for (int lane = 0; lane < EMU_LANES; lane++)
      if (!(lanes >> lane & 1))
        w->v[s->reg][lane] = s->value[lane];
  }
  for (unsigned i = 0; i < count; i++)
    if (e->later[i].reg >= ISA_HAZARD_SGPR && !writes(t, e->later[i].reg))
      restore(w, &e->later[i]);
}

// An instruction that reads EXEC too early as an operand reads the previous
// value of the operand only: the lanes that it writes are those of the current
// EXEC.
static void keep_inactive(emu_wave *w, const past *own, uint64_t exec) {
  for (unsigned k = 0; k < own->replaced_count; k++) {
    const saved *s = &own->replaced[k];
    for (int lane = 0; lane < EMU_LANES && s->reg < ISA_HAZARD_SGPR; lane++)
      if (!(exec >> lane & 1))
        w->v[s->reg][lane] = s->value[lane];
  }
}

// Store data that an instruction has overwritten goes to memory with its new
// value.
static void store_late(emu_wave *w, const past *store,
                       const isa_hazard_traits *by) {
  bool buffer = store->insn->family == ISA_BUF;
  const isa_operand *data = &store->insn->src[buffer ? 3 : 2];
  const emu_access *a = &store->access;
  for (unsigned k = FIRST_LATE_DWORD; k < data->regs; k++) {
    if (!writes(by, data->index + k))
      continue;
    const uint32_t *now = w->v[data->index + k];
    for (int lane = 0; lane < EMU_LANES; lane++) {
      bool partly = a->partial && a->part[lane];
      if (!a->host[lane] || (partly && !(a->part[lane] >> k & 1)))
        continue;
      memcpy(partly ? a->dword[lane][k] : a->host[lane] + 4 * k, &now[lane],
             sizeof now[lane]);
    }
  }
}

// Reuses the oldest entry for an instruction that is about to execute.
static past *remember(emu_wave *w, emu_effects *e, const isa_insn *in,
                      const isa_hazard_traits *t) {
  e->newest = (e->newest + 1) % PAST;
  if (e->count < PAST)
    e->count++;
  past *p = recall(e, 0);
  p->insn = in;
  p->traits = *t;
  p->states = 0;
  p->replaced_count = 0;
  memset(p->access.host, 0, sizeof p->access.host);
  for (unsigned i = 0; i < t->write_count && t->reach; i++)
    for (unsigned k = 0; k < t->writes[i].count; k++)
      if (p->replaced_count < REGISTERS)
        load(w, &p->replaced[p->replaced_count++], t->writes[i].first + k);
  return p;
}

void emu_effects_note_store(emu_wave *w, const emu_access *access) {
  if (w->effects->storing)
    w->effects->storing->access = *access;
}

void emu_effects_pass(emu_wave *w, const isa_insn *in) {
  emu_effects *e = w->effects;
  const emu_hazard_plan *plan = w->wg->launch->effects;
  for (unsigned i = 0; i < e->count; i++)
    recall(e, i)->states += plan->traits[in - plan->insns].states;
}

void emu_effects_execute(emu_wave *w, const isa_insn *in) {
  enum {
    STORES = ISA_HAZARD_CLASS(WIDE_STORE) | ISA_HAZARD_CLASS(WIDE_STORE_OFFSET)
  };
  emu_effects *e = w->effects;
  const emu_hazard_plan *plan = w->wg->launch->effects;
  const isa_hazard_traits *t = &plan->traits[in - plan->insns];
  const past *own = remember(w, e, in, t);
  unsigned effects[PAST] = {0};
  isa_hazard_settled settled = 0;
  for (unsigned i = 1; i < e->count && t->consumes; i++) {
    const past *p = recall(e, i);
    if (p->states >= ISA_HAZARD_REACH)
      break;
    effects[i] = effects_between(p, t, &settled);
  }
  const uint64_t exec = emu_exec(w);
  unsigned moved = put_back(w, e, effects);
  e->storing = t->classes & STORES ? recall(e, 0) : NULL;
  w->wg->launch->handlers[in->row](w, in);
  if (emu_exec(w) != exec && !writes(t, ISA_HAZARD_SGPR + ISA_SGPR_EXEC) &&
      t->classes & ISA_HAZARD_CLASS(VALU))
    keep_inactive(w, own, exec);
  arrive(w, e, moved, t, in, exec);
  for (unsigned i = 1; i < e->count; i++) {
    past *p = recall(e, i);
    if (effects[i] & LATE_DATA)
      store_late(w, p, t);
    p->states += t->states;
  }
}
