// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A shortest path of a finding: walks from the operation forward until it
// reaches the use with the age that was found.
#include <stdio.h>
#include <stdlib.h>

#include "audit.h"

enum { MOST_NODES = 1 << 20 };

/// A block that is entered with the operation outstanding at some age.
typedef struct node {
  uint32_t block, from; ///< `from`: previous node, or AUDIT_NOWHERE
  uint8_t age;
  bool taken; ///< entered by a taken branch
} node;

typedef struct search {
  const audit_flow *flow;
  const audit_finding *finding;
  node *nodes;
  uint32_t count, capacity;
  uint64_t *seen; ///< per block: one bit per age
} search;

static bool issues(isa_kind op, unsigned clock) {
  switch (op) {
  case ISA_KIND_VMEM:
    return clock == AUDIT_VM;
  case ISA_KIND_FLAT:
    return clock == AUDIT_VM_ANY || clock == AUDIT_LGKM_ANY;
  case ISA_KIND_LDS:
    return clock == AUDIT_LDS_IN;
  case ISA_KIND_SMEM:
    return clock == AUDIT_LGKM_ANY;
  default:
    return false;
  }
}

static bool writes_slot(const isa_insn *insn, unsigned slot) {
  for (unsigned i = 0; i < insn->ndst; i++) {
    const isa_operand *d = &insn->dst[i];
    if (d->kind != ISA_OPERAND_VGPR && d->kind != ISA_OPERAND_SGPR)
      continue;
    unsigned first =
        (d->kind == ISA_OPERAND_SGPR ? AUDIT_SGPR_SLOT : 0) + d->index;
    if (first <= slot && slot < first + d->regs)
      return true;
  }
  return false;
}

/// Result of a walk through a block.
typedef enum outcome { MET, GONE, THROUGH } outcome;

static outcome walk(const search *s, uint32_t from, uint32_t end,
                    uint32_t *age) {
  const audit_finding *f = s->finding;
  bool ordered = audit_in_order(f->clock), vm = f->clock <= AUDIT_VM_ANY;
  uint32_t limit = vm ? ISA_MAX_VM : ISA_MAX_LGKM;
  for (uint32_t i = from; i < end; i++) {
    const isa_insn *insn = &s->flow->program->insns[i];
    isa_kind op = (isa_kind)s->flow->program->insns[i].kind;
    if (i == f->at && *age == f->need)
      return MET;
    if (op == ISA_KIND_WAIT) {
      uint32_t n = vm ? ISA_WAIT_VM(insn->imm) : ISA_WAIT_LGKM(insn->imm);
      if (ordered ? n <= *age : n == 0)
        return GONE;
    }
    if (!issues(op, f->clock))
      continue;
    if (writes_slot(insn, f->slot) || (ordered && ++*age >= limit))
      return GONE;
  }
  return THROUGH;
}

static bool enter(search *s, uint32_t block, uint32_t from, uint32_t age,
                  bool taken) {
  if (block == AUDIT_NOWHERE || s->seen[block] >> age & 1)
    return true;
  if (s->count == s->capacity) {
    uint32_t n = s->capacity ? 2 * s->capacity : 64;
    node *more = n <= MOST_NODES ? realloc(s->nodes, n * sizeof *more) : NULL;
    if (!more)
      return false;
    s->nodes = more;
    s->capacity = n;
  }
  s->seen[block] |= 1ull << age;
  s->nodes[s->count++] = (node){block, from, (uint8_t)age, taken};
  return true;
}

static bool leave(search *s, uint32_t block, uint32_t from, uint32_t age) {
  const audit_block *b = &s->flow->blocks[block];
  return (b->next_unknown || enter(s, b->next, from, age, false)) &&
         enter(s, b->taken, from, age, true);
}

// The node whose block has the use; AUDIT_NOWHERE: before any branch, or not
// found.
static uint32_t find(search *s) {
  const audit_finding *f = s->finding;
  uint32_t block = s->flow->block_of[f->other], age = 0;
  outcome o = walk(s, f->other + 1, s->flow->blocks[block].end, &age);
  if (o != THROUGH || !leave(s, block, AUDIT_NOWHERE, age))
    return AUDIT_NOWHERE;
  for (uint32_t i = 0; i < s->count; i++) {
    const audit_block *b = &s->flow->blocks[s->nodes[i].block];
    age = s->nodes[i].age;
    o = walk(s, b->first, b->end, &age);
    if (o == MET)
      return i;
    if (o == THROUGH && !leave(s, s->nodes[i].block, i, age))
      break;
  }
  return AUDIT_NOWHERE;
}

void audit_find_path(const audit_flow *flow, const audit_finding *finding,
                     audit_path *path) {
  *path = (audit_path){0};
  search s = {.flow = flow, .finding = finding};
  s.seen = calloc(flow->block_count, sizeof *s.seen);
  uint32_t last = s.seen ? find(&s) : AUDIT_NOWHERE, skip = 0;
  for (uint32_t i = last; i != AUDIT_NOWHERE; i = s.nodes[i].from)
    path->count += s.nodes[i].taken;
  // The nodes go backwards, the path goes forwards.
  if (path->count > AUDIT_NAMED_BRANCHES)
    skip = path->count - AUDIT_NAMED_BRANCHES;
  uint32_t at = path->count - skip;
  for (uint32_t i = last; i != AUDIT_NOWHERE; i = s.nodes[i].from) {
    const node *n = &s.nodes[i];
    if (!n->taken || (skip && skip--))
      continue;
    path->from[--at] = n->from == AUDIT_NOWHERE ? flow->block_of[finding->other]
                                                : s.nodes[n->from].block;
    path->to[at] = n->block;
  }
  free(s.nodes);
  free(s.seen);
}
