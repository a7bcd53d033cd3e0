// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations that may be outstanding at a point of a program. s_waitcnt
// vmcnt(n) covers an operation iff, on every path, at least n operations of the
// same order were issued after it. So the least number of later operations, the
// age, matters. Only the youngest owner of a register is kept, because a wait
// that covers it covers the older ones.
#include <stdlib.h>
#include <string.h>

#include "audit.h"

// A full counter stalls the issue until the oldest operation has completed
// (queues.c). For operations in any order this proves nothing.
static const uint32_t most_outstanding[AUDIT_CLOCKS] = {
    [AUDIT_VM] = ISA_MAX_VM, [AUDIT_LDS_IN] = ISA_MAX_LGKM};

enum { FIRST_STAMP = 256 }; // ages fit below it

void audit_state_init(audit_state *s, bool known) {
  memset(s, 0, sizeof *s);
  s->most_vm = known ? 0 : ISA_MAX_VM;
  s->most_lgkm = known ? 0 : ISA_MAX_LGKM;
  for (unsigned c = 0; c < AUDIT_CLOCKS; c++)
    s->now[c] = s->floor[c] = FIRST_STAMP;
}

static void certify(audit_state *s, unsigned clock, uint32_t left) {
  uint32_t stamp = s->now[clock] - left;
  if (s->floor[clock] < stamp)
    s->floor[clock] = stamp;
}

bool audit_is_idle(const audit_state *s, uint32_t vm, uint32_t lgkm) {
  return s->most_vm <= vm && s->most_lgkm <= lgkm;
}

void audit_wait(audit_state *s, uint32_t vm, uint32_t lgkm) {
  s->most_vm = s->most_vm < vm ? s->most_vm : (uint8_t)vm;
  s->most_lgkm = s->most_lgkm < lgkm ? s->most_lgkm : (uint8_t)lgkm;
  certify(s, AUDIT_VM, vm);
  certify(s, AUDIT_LDS_IN, lgkm);
  if (vm == 0)
    certify(s, AUDIT_VM_ANY, 0);
  if (lgkm == 0)
    certify(s, AUDIT_LGKM_ANY, 0);
}

static void issue(audit_state *s, unsigned clock) {
  s->now[clock]++;
  if (most_outstanding[clock])
    certify(s, clock, most_outstanding[clock]);
}

static void own(audit_state *s, unsigned clock, unsigned slot, uint32_t at) {
  s->held[clock][slot / 64] |= 1ull << slot % 64;
  s->owner[clock][slot] = (audit_owner){s->now[clock], at};
}

static void own_destination(audit_state *s, isa_kind op, const isa_operand *d,
                            uint32_t at) {
  if (d->kind != ISA_OPERAND_VGPR && d->kind != ISA_OPERAND_SGPR)
    return;
  bool scalar = d->kind == ISA_OPERAND_SGPR;
  unsigned base = scalar ? AUDIT_SGPR_SLOT : 0;
  unsigned limit = scalar ? AUDIT_SLOTS : AUDIT_SGPR_SLOT;
  for (unsigned r = base + d->index; r < base + d->index + d->regs; r++) {
    if (r >= limit)
      return;
    switch (op) {
    case ISA_KIND_VMEM:
      // In order after a flat load as soon as LDS has no part in that load.
      s->held[AUDIT_VM_ANY][r / 64] &= ~(1ull << r % 64);
      own(s, AUDIT_VM, r, at);
      break;
    case ISA_KIND_LDS:
      s->held[AUDIT_LGKM_ANY][r / 64] &= ~(1ull << r % 64);
      own(s, AUDIT_LDS_IN, r, at);
      break;
    case ISA_KIND_FLAT:
      own(s, AUDIT_VM_ANY, r, at);
      own(s, AUDIT_LGKM_ANY, r, at);
      break;
    default:
      own(s, AUDIT_LGKM_ANY, r, at);
      break;
    }
  }
}

static bool writes_m0(const isa_insn *insn) {
  for (unsigned i = 0; i < insn->ndst; i++) {
    const isa_operand *d = &insn->dst[i];
    if (d->kind == ISA_OPERAND_SGPR && d->index <= ISA_SGPR_M0 &&
        ISA_SGPR_M0 < d->index + d->regs)
      return true;
  }
  return false;
}

static void count(audit_state *s, bool vm, bool lgkm) {
  s->most_vm += vm && s->most_vm < ISA_MAX_VM;
  s->most_lgkm += lgkm && s->most_lgkm < ISA_MAX_LGKM;
}

void audit_step(audit_state *s, const isa_insn *insn, isa_kind op,
                uint32_t at) {
  count(s, op == ISA_KIND_VMEM || op == ISA_KIND_FLAT || op == ISA_KIND_UNSURE,
        op == ISA_KIND_LDS || op == ISA_KIND_SMEM || op == ISA_KIND_FLAT ||
            op == ISA_KIND_UNSURE);
  switch (op) {
  case ISA_KIND_VMEM:
    issue(s, AUDIT_VM);
    break;
  case ISA_KIND_FLAT:
    issue(s, AUDIT_VM_ANY);
    issue(s, AUDIT_LGKM_ANY);
    break;
  case ISA_KIND_LDS:
    issue(s, AUDIT_LDS_IN);
    break;
  case ISA_KIND_SMEM:
    issue(s, AUDIT_LGKM_ANY);
    break;
  case ISA_KIND_WAIT:
    audit_wait(s, ISA_WAIT_VM(insn->imm), ISA_WAIT_LGKM(insn->imm));
    return;
  case ISA_KIND_INDEX_ON:
    s->index_on = true;
    s->indexed = insn->imm & 15;
    return;
  case ISA_KIND_INDEX_OFF:
    s->index_on = false;
    s->indexed = 0;
    return;
  case ISA_KIND_INDEX_MODE:
    if (s->index_on)
      s->indexed = insn->imm & 15;
    return;
  default:
    if (s->index_on && writes_m0(insn))
      s->indexed = 15; // M0[15:12] may be anything
    return;
  }
  for (unsigned i = 0; i < insn->ndst; i++)
    own_destination(s, op, &insn->dst[i], at);
}

// Clears the bits of slots whose owners have completed.
static void prune(audit_state *s, unsigned clock) {
  for (unsigned k = 0; k < AUDIT_WORDS; k++)
    for (uint64_t bits = s->held[clock][k]; bits; bits &= bits - 1) {
      unsigned slot = 64 * k + (unsigned)__builtin_ctzll(bits);
      if (s->owner[clock][slot].stamp <= s->floor[clock])
        s->held[clock][k] &= ~(1ull << slot % 64);
    }
}

bool audit_any_owned(audit_state *s, bool scalar) {
  unsigned first = scalar ? AUDIT_SGPR_SLOT / 64 : 0;
  unsigned end = scalar ? AUDIT_WORDS : AUDIT_SGPR_SLOT / 64;
  uint64_t any = 0;
  for (unsigned c = 0; c < AUDIT_CLOCKS; c++) {
    prune(s, c);
    for (unsigned k = first; k < end; k++)
      any |= s->held[c][k];
  }
  return any != 0;
}

void audit_state_load(audit_state *s, const audit_saved *saved) {
  memset(s->held, 0, sizeof s->held);
  for (unsigned c = 0; c < AUDIT_CLOCKS; c++) {
    s->now[c] = FIRST_STAMP;
    s->floor[c] = 0;
  }
  for (uint32_t i = 0; i < saved->count; i++) {
    const audit_saved_owner *o = &saved->list[i];
    s->held[o->clock][o->slot / 64] |= 1ull << o->slot % 64;
    s->owner[o->clock][o->slot] = (audit_owner){FIRST_STAMP - o->age, o->insn};
  }
  s->indexed = saved->indexed;
  s->most_vm = saved->most_vm;
  s->most_lgkm = saved->most_lgkm;
  s->index_on = saved->index_on;
}

static uint32_t list_state(const audit_state *s, audit_saved_owner *list) {
  uint32_t n = 0;
  for (unsigned c = 0; c < AUDIT_CLOCKS; c++)
    for (unsigned k = 0; k < AUDIT_WORDS; k++)
      for (uint64_t bits = s->held[c][k]; bits; bits &= bits - 1) {
        unsigned slot = 64 * k + (unsigned)__builtin_ctzll(bits);
        if (audit_owned(s, c, slot))
          list[n++] = (audit_saved_owner){
              .slot = (uint16_t)slot,
              .clock = (uint8_t)c,
              .age = (uint8_t)audit_need(s, c, slot),
              .insn = s->owner[c][slot].insn,
          };
      }
  return n;
}

static int by_place(const audit_saved_owner *a, const audit_saved_owner *b) {
  return a->clock != b->clock ? (int)a->clock - b->clock
                              : (int)a->slot - b->slot;
}
// For equal ages, the first in the code: the result does not depend on the
// order in which blocks are visited.
static bool younger(const audit_saved_owner *a, const audit_saved_owner *b) {
  return a->age != b->age ? a->age < b->age : a->insn < b->insn;
}

bool audit_state_join(const audit_state *s, audit_saved *saved,
                      bool *out_changed) {
  audit_saved_owner fresh[AUDIT_CLOCKS * AUDIT_SLOTS];
  uint32_t n = list_state(s, fresh), i = 0, k = 0, count = 0;
  bool changed = !saved->reached || (s->index_on && !saved->index_on) ||
                 (s->indexed & ~saved->indexed) ||
                 s->most_vm > saved->most_vm || s->most_lgkm > saved->most_lgkm;
  saved->reached = true;
  saved->index_on |= s->index_on;
  saved->indexed |= s->indexed;
  if (saved->most_vm < s->most_vm)
    saved->most_vm = s->most_vm;
  if (saved->most_lgkm < s->most_lgkm)
    saved->most_lgkm = s->most_lgkm;
  *out_changed = changed;
  if (n + saved->count == 0)
    return true;
  audit_saved_owner *list = malloc((n + saved->count) * sizeof *list);
  if (!list)
    return false;
  while (i < n || k < saved->count) {
    int order = i == n              ? 1
                : k == saved->count ? -1
                                    : by_place(&fresh[i], &saved->list[k]);
    if (order > 0) {
      list[count++] = saved->list[k++];
      continue;
    }
    bool better = order < 0 || younger(&fresh[i], &saved->list[k]);
    list[count++] = better ? fresh[i] : saved->list[k];
    changed |= better;
    i++;
    k += order == 0;
  }
  free(saved->list);
  saved->list = list;
  saved->count = count;
  *out_changed = changed;
  return true;
}
