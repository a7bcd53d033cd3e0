// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// vmcnt and lgkmcnt as hardware keeps them, and the completion of operations.
// CDNA3 ISA 4.4 (s_waitcnt): vector memory operations return in order; LDS
// operations return in order among themselves; scalar loads return in any
// order, so that only lgkmcnt(0) covers them. Flat operations count in both
// counters and need zero in both, because the two memories differ in latency
// (10.2.2). Vector stores need no wait before their data registers are reused,
// because the data is read at issue.
#include "queues.h"

#include <stdio.h>

static void complete(emu_wave *w, emu_pending *p) {
  if (p->completed)
    return;
  p->completed = true;
  w->outstanding_data--;
  uint64_t exec = p->exec;
  switch (p->kind) {
  case EMU_PENDING_VGPR:
  case EMU_PENDING_DS_READ:
    for (unsigned r = 0; r < p->regs && !p->data_in_registers; r++) {
      uint32_t *d = w->v[p->reg + r];
      uint32_t mask = p->keep_half ? p->mask[r] : ~0u;
      if (exec == ~0ull && mask == ~0u) {
        memcpy(d, p->data[r], sizeof p->data[r]);
        continue;
      }
      for (int i = 0; i < EMU_LANES; i++)
        if (exec >> i & 1)
          d[i] = (d[i] & ~mask) | (p->data[r][i] & mask);
    }
    break;
  case EMU_PENDING_LDS_DMA: {
    const uint8_t *from = (const uint8_t *)p->data;
    uint64_t end = (uint64_t)p->lds_base + (uint64_t)EMU_LANES * p->lds_bytes;
    if (exec == ~0ull && p->lds_step == p->lds_bytes &&
        end <= w->wg->launch->lds_bytes) {
      memcpy(w->wg->lds + p->lds_base, from, (size_t)EMU_LANES * p->lds_bytes);
      break;
    }
    for (unsigned i = 0; i < EMU_LANES; i++) {
      uint64_t at = (uint64_t)p->lds_base + (uint64_t)i * p->lds_step;
      if ((exec >> i & 1) && at + p->lds_bytes <= w->wg->launch->lds_bytes)
        memcpy(w->wg->lds + at, from + i * p->lds_bytes, p->lds_bytes);
    }
    break;
  }
  case EMU_PENDING_SGPR:
    memcpy(&w->s[p->reg], p->data[0], 4u * p->regs);
    break;
  default:
    break;
  }
}

static void mark(emu_wave *w, const emu_pending *p) {
  uint64_t *bits = p->kind == EMU_PENDING_SGPR ? w->pend_s : w->pend_v;
  if (!p->regs)
    return;
  unsigned at = p->reg % 64; // at most 32 registers: two words
  uint64_t mask = (1ull << p->regs) - 1;
  bits[p->reg / 64] |= mask << at;
  if (at + p->regs > 64)
    bits[p->reg / 64 + 1] |= mask >> (64 - at);
  w->pending_any = true;
}

static void mark_all(emu_wave *w) {
  memset(w->pend_v, 0, sizeof w->pend_v);
  memset(w->pend_s, 0, sizeof w->pend_s);
  w->pending_any = false;
  w->pending_masks_stale = false;
  if (!w->wg->launch->check_wait)
    return;
  for (unsigned i = 0; i < w->vm.count; i++)
    mark(w, &w->vm.ring[w->vm.order[i]]);
  for (unsigned i = 0; i < w->lgkm.count; i++)
    mark(w, &w->lgkm.ring[w->lgkm.order[i]]);
}

static emu_pending *take(emu_wave *w, emu_queue *q, const isa_insn *insn) {
  unsigned slot = (unsigned)__builtin_ctzll(~q->used);
  q->used |= 1ull << slot;
  q->order[q->count++] = (uint8_t)slot;
  emu_pending *p = &q->ring[slot];
  p->insn = insn;
  p->exec = emu_exec(w);
  p->serial = w->serial++;
  p->kind = EMU_PENDING_NONE;
  p->completed = false;
  p->flat = false;
  p->keep_half = false;
  p->data_in_registers = false;
  p->regs = 0;
  p->reg = 0;
  return p;
}

// Completes entry `i` and takes it out of the queue.
static void retire(emu_wave *w, emu_queue *q, unsigned i) {
  emu_pending *p = &q->ring[q->order[i]];
  complete(w, p);
  if (p->kind == EMU_PENDING_LDS_DMA)
    w->vm_dma--;
  if (p->kind == EMU_PENDING_SGPR || p->flat)
    w->lgkm_smem -= q == &w->lgkm;
  w->pending_masks_stale |= p->regs != 0;
  q->used &= ~(1ull << q->order[i]);
  memmove(q->order + i, q->order + i + 1, q->count - i - 1);
  q->count--;
}

emu_pending *emu_begin_vm(emu_wave *w, const isa_insn *insn) {
  if (w->vm.count >= ISA_MAX_VM) { // the counter is full: issue stalls
    retire(w, &w->vm, 0);
    mark_all(w);
  }
  return take(w, &w->vm, insn);
}

emu_pending *emu_begin_lgkm(emu_wave *w, const isa_insn *insn) {
  if (w->lgkm.count >= ISA_MAX_LGKM) {
    retire(w, &w->lgkm, 0);
    mark_all(w);
  }
  return take(w, &w->lgkm, insn);
}

// Completes the operation now, after a number of instructions, or at its wait.
static void complete_after(emu_wave *w, emu_pending *p, uint32_t latency) {
  if (latency == 0 || p->kind == EMU_PENDING_NONE) {
    complete(w, p);
    return;
  }
  p->due = latency == EMU_UNTIL_WAIT ? UINT64_MAX : w->executed + 1 + latency;
  if (p->due < w->next_due)
    w->next_due = p->due;
}

void emu_complete_due(emu_wave *w) {
  emu_queue *queues[2] = {&w->vm, &w->lgkm};
  w->next_due = UINT64_MAX;
  for (int k = 0; k < 2; k++)
    for (unsigned i = 0; i < queues[k]->count; i++) {
      emu_pending *p = &queues[k]->ring[queues[k]->order[i]];
      if (p->completed)
        continue;
      if (p->due <= w->executed)
        complete(w, p);
      else if (p->due < w->next_due)
        w->next_due = p->due;
    }
}

void emu_commit_vm(emu_wave *w, emu_pending *p) {
  w->outstanding_data++;
  if (p->kind == EMU_PENDING_LDS_DMA)
    w->vm_dma++;
  const emu_launch *l = w->wg->launch;
  complete_after(
      w, p, p->kind == EMU_PENDING_LDS_DMA ? l->dma_latency : l->vm_latency);
  if (p->regs && w->wg->launch->check_wait)
    mark(w, p);
}

void emu_commit_lgkm(emu_wave *w, emu_pending *p) {
  w->outstanding_data++;
  if (p->kind == EMU_PENDING_SGPR || p->flat)
    w->lgkm_smem++;
  const emu_launch *l = w->wg->launch;
  complete_after(
      w, p, p->kind == EMU_PENDING_SGPR ? l->smem_latency : l->lds_latency);
  if (p->regs && w->wg->launch->check_wait)
    mark(w, p);
}

// A wait until `left` operations are outstanding: all operations that complete
// in order have completed but for the `left` youngest; the others have
// completed only if `left` is 0. The oldest is retired first: if two operations
// write one register, the younger one wins.
static void certify(emu_wave *w, emu_queue *q, uint32_t left) {
  if (q->count <= left)
    return;
  uint32_t in_order = 0;
  for (unsigned i = 0; i < q->count; i++)
    in_order += emu_is_ordered(&q->ring[q->order[i]]);
  for (unsigned i = 0; i < q->count && (left == 0 || in_order > left);) {
    bool is_ordered = emu_is_ordered(&q->ring[q->order[i]]);
    if (left && !is_ordered) {
      i++;
      continue;
    }
    in_order -= is_ordered;
    retire(w, q, i);
  }
}

void emu_wait(emu_wave *w, uint32_t vm, uint32_t lgkm) {
  certify(w, &w->vm, vm);
  certify(w, &w->lgkm, lgkm);
  if (w->pending_masks_stale)
    mark_all(w);
}

void emu_drain(emu_wave *w) { emu_wait(w, 0, 0); }

void emu_complete_some(emu_wave *w) {
  if (emu_random(&w->rng) & 7)
    return;
  emu_queue *q = emu_random(&w->rng) & 1 ? &w->vm : &w->lgkm;
  for (unsigned i = 0; i < q->count; i++) {
    emu_pending *p = &q->ring[q->order[i]];
    if (p->completed)
      continue;
    complete(w, p);
    return;
  }
}

// A register out of range is v0 if it is read, and is not written (CDNA4 ISA
// 3.6.1).
void emu_index_registers(const emu_wave *w, unsigned modes, isa_insn *in) {
  for (unsigned i = 0; i < in->nsrc && i < 3; i++) {
    isa_operand *o = &in->src[i];
    if (!(modes >> i & 1) || o->kind != ISA_OPERAND_VGPR)
      continue;
    int at = emu_gpr_indexed(w, o->index, o->regs);
    o->index = at < 0 ? 0 : (uint16_t)at;
  }
  isa_operand *o = &in->dst[0];
  if (!(modes & 8) || !in->ndst || o->kind != ISA_OPERAND_VGPR)
    return;
  int at = emu_gpr_indexed(w, o->index, o->regs);
  o->index = at < 0 ? 0 : (uint16_t)at;
  o->kind = at < 0 ? ISA_OPERAND_NONE : ISA_OPERAND_VGPR;
}
