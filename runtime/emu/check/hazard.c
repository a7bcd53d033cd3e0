// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hazard checker at run time. Whether instructions that follow each other
// in the code have enough wait states between them depends on the code alone
// and is decided before the launch. A run adds two facts: which instructions
// are executed, and which instructions a taken branch brings close to each
// other. So a run checks only instructions after which the code before them
// already violates a rule, and instructions near a taken branch that leads to a
// violation or that comes soon after another branch. Instructions under
// register indexing count with the registers that they name. Instructions that
// MODE.VSKIP skips are not checked, but count as issued. An instruction whose
// result overlaps a source that it still reads is a finding by itself.
#include "hazard.h"

#include <stdio.h>
#include <stdlib.h>

#include "findings.h"
#include "overlap.h"
#include "wait_states.h"

enum {
  CLOSE = 1u << 0,    ///< the code before it violates a rule
  LEADS = 1u << 1,    ///< a branch that violates a rule if it is taken
  OVERLAPS = 1u << 2, ///< its result overlaps a source (overlaps.def)
};

/// A walk back over instructions in the order in which they issue.
typedef struct walk {
  const emu_hazard_plan *plan;
  const isa_insn *insn; ///< the consumer
  unsigned states;      ///< wait states from the next producer on
  isa_hazard_settled settled;
  emu_wave *wave; ///< gets the findings; NULL: stop at the first
} walk;

static const isa_hazard_traits *traits(const emu_hazard_plan *plan,
                                       const isa_insn *in) {
  return &plan->traits[in - plan->insns];
}

static void report(const walk *k, const isa_insn *producer,
                   const isa_hazard *h) {
  const emu_launch *l = k->wave->wg->launch;
  char by[48] = "", text[1024];
  if (emu_report_again(k->wave, FMHAC_EMU_CHECK_HAZARD, k->insn, producer))
    return;
  unsigned passes = traits(k->plan, producer)->passes;
  const isa_hazard_row *row = &isa_hazard_rows[h->rule];
  if (passes && row->states[0] != row->states[3])
    snprintf(by, sizeof by, ", %u passes", passes);
  isa_hazard_text(h, k->states, isa_program_text(l->kernel->program, producer),
                  120, emu_pc_text(l, producer, (char[ISA_PC_TEXT_BYTES]){0}),
                  by, text, sizeof text);
  emu_report(k->wave, FMHAC_EMU_CHECK_HAZARD, k->insn, producer, "%s", text);
}

// Goes from `last` back to `first`. False if the walk is at its end.
static bool back(walk *k, const isa_insn *last, const isa_insn *first,
                 bool *found) {
  const isa_hazard_traits *consumer = traits(k->plan, k->insn);
  for (const isa_insn *in = last; in >= first; in--) {
    const isa_hazard_traits *producer = traits(k->plan, in);
    isa_hazard h;
    if (producer->reach &&
        isa_hazard_between(producer, consumer, k->states, &k->settled, &h)) {
      *found = true;
      if (!k->wave)
        return false;
      report(k, in, &h);
    }
    k->states += producer->states;
    if (k->states >= ISA_HAZARD_REACH)
      return false;
  }
  return true;
}

static bool falls_through(const isa_insn *in) {
  return in[1].pc == in->pc + in->size && in->kind != ISA_KIND_JUMP &&
         in->kind != ISA_KIND_INDIRECT && in->kind != ISA_KIND_END;
}

// First instruction of the straight code that ends at `at`, as far back as
// rules reach.
static const isa_insn *straight_before(const emu_hazard_plan *plan,
                                       const isa_insn *at) {
  const isa_insn *in = at;
  while (at - in < ISA_HAZARD_REACH && in > plan->insns &&
         falls_through(in - 1))
    in--;
  return in;
}

static bool close_to(const emu_hazard_plan *plan, const isa_insn *at) {
  walk k = {.plan = plan, .insn = at};
  bool found = false;
  if (traits(plan, at)->consumes)
    back(&k, at - 1, straight_before(plan, at), &found);
  return found;
}

// Whether the code before the branch is too close for the code at its target.
static bool leads(const emu_hazard_plan *plan, const isa_insn *branch,
                  const isa_insn *target, const isa_insn *end) {
  const isa_insn *first = straight_before(plan, branch);
  unsigned ahead = 0;
  for (const isa_insn *in = target; in < end && ahead < ISA_HAZARD_REACH;
       in++) {
    walk k = {.plan = plan, .insn = in};
    bool found = false;
    if (traits(plan, in)->consumes &&
        (in == target || back(&k, in - 1, target, &found)) && !found)
      back(&k, branch, first, &found);
    if (found)
      return true;
    ahead += traits(plan, in)->states;
    if (!falls_through(in))
      break;
  }
  return false;
}

emu_hazard_plan *emu_hazard_plan_create(const emu_kernel *kernel) {
  const isa_program *p = kernel->program;
  // One block of memory: the owner frees the plan with free().
  const size_t count = (size_t)p->count + 1;
  emu_hazard_plan *plan =
      calloc(1, sizeof *plan + count * sizeof(isa_hazard_traits) + count);
  if (!plan)
    return NULL;
  isa_hazard_traits *all = (isa_hazard_traits *)(void *)(plan + 1);
  uint8_t *flags = (uint8_t *)(all + count);
  *plan = (emu_hazard_plan){p->insns, flags, all};
  for (uint32_t i = 0; i < p->count; i++)
    isa_hazard_traits_of(&p->insns[i], &all[i]);
  const isa_insn *end = p->insns + p->count;
  for (uint32_t i = 0; i < p->count; i++) {
    const isa_insn *in = &p->insns[i];
    if (isa_overlap_of(in).row)
      flags[i] |= OVERLAPS;
    if (close_to(plan, in))
      flags[i] |= CLOSE;
    if (in->target < p->count && leads(plan, in, p->insns + in->target, end))
      flags[i] |= LEADS;
  }
  return plan;
}

static void report_overlap(emu_wave *w, const isa_insn *insn) {
  char text[512];
  const isa_overlap overlap = isa_overlap_of(insn);
  if (emu_report_again(w, FMHAC_EMU_CHECK_HAZARD, insn, insn))
    return;
  isa_overlap_text(&overlap, text, sizeof text);
  emu_report(w, FMHAC_EMU_CHECK_HAZARD, insn, insn, "%s", text);
}

void emu_check_hazard(emu_wave *w, const isa_insn *insn) {
  const emu_hazard_plan *plan = w->wg->launch->hazards;
  emu_trail *t = &w->trail;
  if (plan->flags[insn - plan->insns] & OVERLAPS)
    report_overlap(w, insn);
  if (t->lookback)
    t->lookback--;
  else if (!(plan->flags[insn - plan->insns] & CLOSE))
    return;
  if (!traits(plan, insn)->consumes)
    return;
  walk k = {.plan = plan, .insn = insn, .wave = w};
  bool found = false, more = back(&k, insn - 1, t->first, &found);
  for (unsigned i = 0; more && i < t->count; i++) {
    unsigned at = (t->newest + EMU_TRAIL_RUNS - i) % EMU_TRAIL_RUNS;
    more = back(&k, t->runs[at].last, t->runs[at].first, &found);
  }
}

void emu_hazard_jump(emu_wave *w, const isa_insn *from) {
  const emu_launch *l = w->wg->launch;
  const emu_hazard_plan *plan = l->hazards;
  const isa_program *p = l->kernel->program;
  emu_trail *t = &w->trail;
  bool known = from->target < p->count && w->ip == p->insns + from->target;
  bool far = from - t->first >= ISA_HAZARD_REACH - 1;
  t->newest = (t->newest + 1) % EMU_TRAIL_RUNS;
  t->runs[t->newest].first = t->first;
  t->runs[t->newest].last = from;
  if (t->count < EMU_TRAIL_RUNS)
    t->count++;
  t->first = w->ip;
  // Checked before the launch, if all the code within reach is in this run.
  bool clean = known && far && !(plan->flags[from - plan->insns] & LEADS);
  t->lookback = clean ? 0 : ISA_HAZARD_REACH;
}
