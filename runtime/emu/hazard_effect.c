// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An instruction that comes too soon after another meets the registers as they
// were before it: they are put back while it executes. A wide store whose data
// the next instruction overwrites sends some of it to memory once more.
//
// Sources: LLVM pull request 197267 saw on an MI350X that a
// buffer_store_dwordx4 stores the new value of dword 1 and the old one of dword
// 0, which the same instruction overwrote; that dwords 2 and 3 are as late as
// dword 1 is *assumed*. That a result which is not written yet reads as what
// was there before is *assumed*, too (hazard.def).
#include "hazard_effect.h"

#include <stdlib.h>

enum {
  FIRST_LATE_DWORD = 1, ///< of a store's data
  REGISTERS = 32,       ///< that one instruction writes, at most
  ALL_REGISTERS = EMU_HAZARD_SGPR + EMU_SGPRS + 16,
  PAST = EMU_HAZARD_REACH + 1, ///< instructions, with the one that executes
};

/// What a register held. Scalar ones use the first lane.
typedef struct saved {
  uint16_t reg; ///< as in emu_hazard_registers
  uint32_t value[EMU_LANES];
} saved;

/// An instruction that was issued less than EMU_HAZARD_REACH states ago.
typedef struct past {
  const emu_insn *insn;
  emu_hazard_traits traits;
  unsigned states; ///< since it was issued
  unsigned replaced_count;
  saved replaced[REGISTERS]; ///< its destinations, before it
  emu_access access;         ///< of a wide store
} past;

struct emu_effects {
  past ring[PAST];
  uint32_t count, newest;
  past *storing; ///< the store that executes, or NULL
  /// Registers that the instruction meets as they were, with what they are to
  /// hold after it.
  saved later[EMU_HAZARD_REACH * REGISTERS];
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
  bool vector = reg < EMU_HAZARD_SGPR;
  *out_bytes = vector ? sizeof w->v[0] : sizeof w->s[0];
  return vector ? w->v[reg] : &w->s[reg - EMU_HAZARD_SGPR];
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

static bool writes(const emu_hazard_traits *t, unsigned reg) {
  for (unsigned i = 0; i < t->write_count; i++)
    if (t->writes[i].first <= reg &&
        reg < (unsigned)t->writes[i].first + t->writes[i].count)
      return true;
  return false;
}

// Registers become what they were before those that `early` names, the nearest
// first; what a nearer instruction has written in time stays. Returns how many
// are in `later`.
static unsigned put_back(emu_wave *w, emu_effects *e, const bool *early) {
  uint8_t in_time[ALL_REGISTERS] = {0}, moved[ALL_REGISTERS] = {0};
  unsigned count = 0;
  for (unsigned i = 1; i < e->count; i++) {
    const past *p = recall(e, i);
    for (unsigned k = 0; k < p->replaced_count; k++) {
      unsigned reg = p->replaced[k].reg;
      if (!early[i] && !moved[reg])
        in_time[reg] = 1;
      if (!early[i] || in_time[reg])
        continue;
      if (!moved[reg])
        load(w, &e->later[count++], reg);
      moved[reg] = 1;
      restore(w, &p->replaced[k]);
    }
  }
  return count;
}

// The results arrive, but what the instruction has written itself stays.
static void arrive(emu_wave *w, emu_effects *e, unsigned count,
                   const emu_hazard_traits *t, uint64_t lanes) {
  for (unsigned i = 0; i < count; i++) {
    const saved *s = &e->later[i];
    if (!writes(t, s->reg)) {
      restore(w, s);
      continue;
    }
    if (s->reg >= EMU_HAZARD_SGPR)
      continue;
    for (int lane = 0; lane < EMU_LANES; lane++)
      if (!(lanes >> lane & 1))
        w->v[s->reg][lane] = s->value[lane];
  }
}

// Data that an instruction has overwritten goes to memory as it is now.
static void store_late(emu_wave *w, const past *store,
                       const emu_hazard_traits *by) {
  bool buffer = store->insn->family == EMU_BUF;
  const emu_operand *data = &store->insn->src[buffer ? 3 : 2];
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

// Takes the place of the oldest for an instruction that is about to execute.
static past *remember(emu_wave *w, emu_effects *e, const emu_insn *in,
                      const emu_hazard_traits *t) {
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

void emu_effects_execute(emu_wave *w, const emu_insn *in) {
  enum { STORES = EMU_HC(WIDE_STORE) | EMU_HC(WIDE_STORE_OFFSET) };
  emu_effects *e = w->effects;
  const emu_hazard_plan *plan = w->wg->launch->effects;
  const emu_hazard_traits *t = &plan->traits[in - plan->insns];
  past *own = remember(w, e, in, t);
  bool early[PAST] = {false}, late[PAST] = {false};
  emu_hazard_settled settled = 0;
  for (unsigned i = 1; i < e->count && t->consumes; i++) {
    const past *p = recall(e, i);
    emu_hazard h;
    if (p->states >= EMU_HAZARD_REACH)
      break;
    if (!emu_hazard_between(&p->traits, t, p->states, &settled, &h))
      continue;
    early[i] = emu_hazard_rows[h.rule].outcome == EMU_HAZARD_OUTCOME_OLD;
    late[i] = emu_hazard_rows[h.rule].outcome == EMU_HAZARD_OUTCOME_LATE;
  }
  uint64_t lanes = in->family == EMU_MFMA ? ~0ull : emu_exec(w);
  unsigned moved = put_back(w, e, early);
  e->storing = t->classes & STORES ? own : NULL;
  in->exec(w, in);
  arrive(w, e, moved, t, lanes);
  for (unsigned i = 1; i < e->count; i++) {
    past *p = recall(e, i);
    if (late[i])
      store_late(w, p, t);
    p->states += t->states;
  }
}
