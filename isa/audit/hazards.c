// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Missing wait states: walks from every instruction backwards along all paths,
// up to the reach of the rules of wait_states.def. Instructions under register
// indexing count with the registers that they name. Results that overlap
// sources (overlaps.def) are findings of the instruction alone.
#include <stdlib.h>

#include "audit.h"
#include "fmhac_audit.h"

enum { MOST_STEPS = 512, MOST_HITS = 64 };

/// Predecessors of each block: those of block b are from[first[b]] up to
/// from[first[b + 1]].
typedef struct leads {
  uint32_t *first, *from;
  bool *taken; ///< parallel to `from`
} leads;

/// A block of a backward walk, which is walked from its end.
typedef struct step {
  uint32_t block, after; ///< `after`: previous step, or AUDIT_NOWHERE
  isa_hazard_settled settled;
  uint8_t states;
  bool taken; ///< left by a taken branch
} step;

typedef struct hit {
  uint32_t producer, step;
  isa_hazard hazard;
  uint8_t states;
} hit;

typedef struct search {
  const audit_flow *flow;
  const isa_hazard_traits *traits;
  leads leads;
  uint32_t consumer;
  step steps[MOST_STEPS];
  uint32_t step_count;
  hit hits[MOST_HITS];
  uint32_t hit_count;
  bool incomplete; ///< more paths or hits than the arrays can hold
} search;

static void free_leads(leads *l) {
  free(l->first);
  free(l->from);
  free(l->taken);
}

static bool find_leads(const audit_flow *f, leads *l) {
  uint32_t n = f->block_count;
  l->first = calloc(n + 2, sizeof *l->first);
  l->from = malloc((2 * n + 1) * sizeof *l->from);
  l->taken = malloc((2 * n + 1) * sizeof *l->taken);
  if (!l->first || !l->from || !l->taken)
    return false;
  // Counts are two entries further on, so that filling in moves them to theirs.
  for (int fill = 0; fill < 2; fill++) {
    for (uint32_t b = 0; b < n; b++) {
      const audit_block *block = &f->blocks[b];
      uint32_t to[2] = {block->next_unknown ? AUDIT_NOWHERE : block->next,
                        block->taken};
      for (int i = 0; i < 2; i++) {
        if (to[i] == AUDIT_NOWHERE)
          continue;
        if (!fill) {
          l->first[to[i] + 2]++;
          continue;
        }
        uint32_t at = l->first[to[i] + 1]++;
        l->from[at] = b;
        l->taken[at] = i == 1;
      }
    }
    for (uint32_t b = 2; !fill && b <= n + 1; b++)
      l->first[b] += l->first[b - 1];
  }
  return true;
}

// For each producer the path with the fewest states counts.
static void note_hit(search *s, uint32_t producer, uint32_t at, unsigned states,
                     const isa_hazard *hazard) {
  hit *h = NULL;
  for (uint32_t i = 0; i < s->hit_count; i++)
    if (s->hits[i].producer == producer)
      h = &s->hits[i];
  if (h && h->states <= states)
    return;
  if (!h && s->hit_count == MOST_HITS) {
    s->incomplete = true;
    return;
  }
  if (!h)
    h = &s->hits[s->hit_count++];
  *h = (hit){producer, at, *hazard, (uint8_t)states};
}

static void enter(search *s, step next) {
  for (uint32_t i = 0; i < s->step_count; i++)
    if (s->steps[i].block == next.block && s->steps[i].states == next.states &&
        s->steps[i].settled == next.settled)
      return;
  if (s->step_count == MOST_STEPS)
    s->incomplete = true;
  else
    s->steps[s->step_count++] = next;
}

// Walks from position `end` back to the start of the block, then to its
// predecessors. `at` is the step, AUDIT_NOWHERE in the consumer's own block.
static void back(search *s, uint32_t at, uint32_t block, uint32_t end,
                 unsigned states, isa_hazard_settled settled) {
  const isa_hazard_traits *consumer = &s->traits[s->consumer];
  uint32_t first = s->flow->blocks[block].first;
  for (uint32_t i = end; i-- > first;) {
    const isa_hazard_traits *producer = &s->traits[i];
    isa_hazard h;
    if (producer->reach &&
        isa_hazard_between(producer, consumer, states, &settled, &h))
      note_hit(s, i, at, states, &h);
    states += producer->states;
    if (states >= ISA_HAZARD_REACH)
      return;
  }
  for (uint32_t k = s->leads.first[block]; k < s->leads.first[block + 1]; k++) {
    // The states of the branch are counted with its block.
    step next = {.block = s->leads.from[k],
                 .after = at,
                 .settled = settled,
                 .states = (uint8_t)states,
                 .taken = s->leads.taken[k]};
    enter(s, next);
  }
}

// The steps go backwards; the path of the finding goes forwards.
static void trace(const search *s, uint32_t at, audit_path *path) {
  *path = (audit_path){0};
  for (; at != AUDIT_NOWHERE; at = s->steps[at].after) {
    const step *k = &s->steps[at];
    if (!k->taken)
      continue;
    if (path->count < AUDIT_NAMED_BRANCHES) {
      path->from[path->count] = k->block;
      path->to[path->count] = k->after == AUDIT_NOWHERE
                                  ? s->flow->block_of[s->consumer]
                                  : s->steps[k->after].block;
    }
    path->count++;
  }
}

static void look_back(search *s, uint32_t consumer, audit_result *result) {
  uint32_t block = s->flow->block_of[consumer];
  s->consumer = consumer;
  s->step_count = s->hit_count = 0;
  s->incomplete = false;
  back(s, AUDIT_NOWHERE, block, consumer, 0, 0);
  for (uint32_t i = 0; i < s->step_count; i++) {
    step k = s->steps[i];
    back(s, i, k.block, s->flow->blocks[k.block].end, k.states, k.settled);
  }
  if (s->incomplete)
    audit_add_note(result, consumer,
                   "too many paths lead here to look for missing wait states "
                   "on all");
  for (uint32_t i = 0; i < s->hit_count; i++) {
    const hit *h = &s->hits[i];
    audit_finding f = {
        .check = FMHAC_EMU_CHECK_HAZARD,
        .at = consumer,
        .other = h->producer,
        .hazard = h->hazard,
        .states = h->states,
    };
    trace(s, h->step, &f.path);
    audit_add_finding(result, f);
  }
}

bool audit_hazards(const audit_flow *f, audit_result *result) {
  const isa_program *p = f->program;
  isa_hazard_traits *traits = calloc(p->count + 1, sizeof *traits);
  search *s = calloc(1, sizeof *s);
  bool ok = traits && s && find_leads(f, &s->leads);
  for (uint32_t i = 0; ok && i < p->count; i++)
    if (f->block_of[i] != AUDIT_NOWHERE)
      isa_hazard_traits_of(&p->insns[i], &traits[i]);
  for (uint32_t i = 0; ok && i < p->count; i++) {
    if (f->block_of[i] == AUDIT_NOWHERE)
      continue;
    s->flow = f;
    s->traits = traits;
    if (f->program->insns[i].kind == ISA_KIND_INDEX_ON)
      audit_add_note(result, i,
                     "wait states between registers that M0 selects are not "
                     "looked for");
    const isa_overlap overlap = isa_overlap_of(&p->insns[i]);
    if (overlap.row)
      audit_add_finding(result, (audit_finding){.check = FMHAC_EMU_CHECK_HAZARD,
                                                .at = i,
                                                .other = i,
                                                .overlap = overlap});
    if (traits[i].consumes)
      look_back(s, i, result);
  }
  if (s)
    free_leads(&s->leads);
  free(s);
  free(traits);
  return ok && !result->memory;
}
