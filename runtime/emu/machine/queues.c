// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// vmcnt and lgkmcnt as hardware keeps them, when data lands, and the wait
// checker. CDNA3 ISA 4.4 (s_waitcnt): vector memory operations return in order;
// LDS operations return in order among themselves; scalar loads return in any
// order, so that only lgkmcnt(0) certifies them; flat operations count in both
// and are certified by both, at zero only, because the two memories differ in
// latency (10.2.2). Vector stores need no wait before their data registers are
// reused (the data is read at issue).
#include <stdio.h>

#include "module.h"

// Scalar stores are of no kind, but in no order either.
static bool ordered(const emu_pending *p) {
  return p->kind != EMU_P_SGPR && !p->flat && p->insn->family != EMU_SMEM;
}

static void land(emu_wave *w, emu_pending *p) {
  if (p->landed)
    return;
  p->landed = true;
  w->unlanded--;
  uint64_t exec = p->exec;
  switch (p->kind) {
  case EMU_P_VGPR:
  case EMU_P_DS_READ:
    for (unsigned r = 0; r < p->regs && !p->in_place; r++) {
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
  case EMU_P_LDS_DMA: {
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
  case EMU_P_SGPR:
    memcpy(&w->s[p->reg], p->data[0], 4u * p->regs);
    break;
  default:
    break;
  }
}

static void mark(emu_wave *w, const emu_pending *p) {
  uint64_t *bits = p->kind == EMU_P_SGPR ? w->pend_s : w->pend_v;
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
  w->remark = false;
  if (!w->wg->launch->check_wait)
    return;
  for (unsigned i = 0; i < w->vm.count; i++)
    mark(w, &w->vm.ring[w->vm.order[i]]);
  for (unsigned i = 0; i < w->lgkm.count; i++)
    mark(w, &w->lgkm.ring[w->lgkm.order[i]]);
}

static emu_pending *take(emu_wave *w, emu_queue *q, const emu_insn *insn) {
  unsigned slot = (unsigned)__builtin_ctzll(~q->used);
  q->used |= 1ull << slot;
  q->order[q->count++] = (uint8_t)slot;
  emu_pending *p = &q->ring[slot];
  p->insn = insn;
  p->exec = emu_exec(w);
  p->serial = w->serial++;
  p->kind = EMU_P_NONE;
  p->landed = false;
  p->flat = false;
  p->keep_half = false;
  p->in_place = false;
  p->regs = 0;
  p->reg = 0;
  return p;
}

// Takes entry `i` out of the queue; its data lands.
static void retire(emu_wave *w, emu_queue *q, unsigned i) {
  emu_pending *p = &q->ring[q->order[i]];
  land(w, p);
  if (p->kind == EMU_P_LDS_DMA)
    w->vm_dma--;
  if (p->kind == EMU_P_SGPR || p->flat)
    w->lgkm_smem -= q == &w->lgkm;
  w->remark |= p->regs != 0;
  q->used &= ~(1ull << q->order[i]);
  memmove(q->order + i, q->order + i + 1, q->count - i - 1);
  q->count--;
}

emu_pending *emu_begin_vm(emu_wave *w, const emu_insn *insn) {
  if (w->vm.count >= EMU_MAX_VM) { // the counter is full: issue stalls
    retire(w, &w->vm, 0);
    mark_all(w);
  }
  return take(w, &w->vm, insn);
}

emu_pending *emu_begin_lgkm(emu_wave *w, const emu_insn *insn) {
  if (w->lgkm.count >= EMU_MAX_LGKM) {
    retire(w, &w->lgkm, 0);
    mark_all(w);
  }
  return take(w, &w->lgkm, insn);
}

// Now, after a number of instructions, or not before its wait.
static void land_after(emu_wave *w, emu_pending *p, uint32_t latency) {
  if (latency == 0 || p->kind == EMU_P_NONE) {
    land(w, p);
    return;
  }
  p->due = latency == EMU_UNTIL_WAIT ? UINT64_MAX : w->executed + 1 + latency;
  if (p->due < w->next_due)
    w->next_due = p->due;
}

void emu_land_due(emu_wave *w) {
  emu_queue *queues[2] = {&w->vm, &w->lgkm};
  w->next_due = UINT64_MAX;
  for (int k = 0; k < 2; k++)
    for (unsigned i = 0; i < queues[k]->count; i++) {
      emu_pending *p = &queues[k]->ring[queues[k]->order[i]];
      if (p->landed)
        continue;
      if (p->due <= w->executed)
        land(w, p);
      else if (p->due < w->next_due)
        w->next_due = p->due;
    }
}

void emu_commit_vm(emu_wave *w, emu_pending *p) {
  w->unlanded++;
  if (p->kind == EMU_P_LDS_DMA)
    w->vm_dma++;
  const emu_launch *l = w->wg->launch;
  land_after(w, p, p->kind == EMU_P_LDS_DMA ? l->dma_latency : l->vm_latency);
  if (p->regs && w->wg->launch->check_wait)
    mark(w, p);
}

void emu_commit_lgkm(emu_wave *w, emu_pending *p) {
  w->unlanded++;
  if (p->kind == EMU_P_SGPR || p->flat)
    w->lgkm_smem++;
  const emu_launch *l = w->wg->launch;
  land_after(w, p, p->kind == EMU_P_SGPR ? l->smem_latency : l->lds_latency);
  if (p->regs && w->wg->launch->check_wait)
    mark(w, p);
}

// Down to `left` outstanding: certain are then all but the `left` youngest of
// those in order, and the others at zero only. Oldest first: of two that write
// one register the younger stands.
static void certify(emu_wave *w, emu_queue *q, uint32_t left) {
  if (q->count <= left)
    return;
  uint32_t in_order = 0;
  for (unsigned i = 0; i < q->count; i++)
    in_order += ordered(&q->ring[q->order[i]]);
  for (unsigned i = 0; i < q->count && (left == 0 || in_order > left);) {
    bool is_ordered = ordered(&q->ring[q->order[i]]);
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
  if (w->remark)
    mark_all(w);
}

void emu_drain(emu_wave *w) { emu_wait(w, 0, 0); }

void emu_land_some(emu_wave *w) {
  if (emu_random(&w->rng) & 7)
    return;
  emu_queue *q = emu_random(&w->rng) & 1 ? &w->vm : &w->lgkm;
  for (unsigned i = 0; i < q->count; i++) {
    emu_pending *p = &q->ring[q->order[i]];
    if (p->landed)
      continue;
    land(w, p);
    return;
  }
}

//===-- wait checker
//-------------------------------------------------------===//

// Whether one of `count` ≤ 64 bits from `first` on is set.
static inline bool overlap(const uint64_t *bits, unsigned first,
                           unsigned count) {
  if (!count)
    return false;
  unsigned at = first % 64, end = at + count;
  uint64_t low = bits[first / 64] >> at;
  if (end <= 64)
    return low << (64 - count) != 0;
  return low || bits[first / 64 + 1] << (128 - end);
}

static bool owns(const emu_pending *p, bool scalar, unsigned first,
                 unsigned count) {
  return p->regs && (p->kind == EMU_P_SGPR) == scalar &&
         p->reg < first + count && first < (unsigned)p->reg + p->regs;
}

void emu_register_text(char *text, size_t bytes, bool scalar, unsigned first) {
  if (!scalar)
    snprintf(text, bytes, "%c%u", first >= 256 ? 'a' : 'v', first & 255);
  else if (first == EMU_S_VCC || first == EMU_S_VCC + 1)
    snprintf(text, bytes, "vcc");
  else if (first == EMU_S_M0)
    snprintf(text, bytes, "m0");
  else
    snprintf(text, bytes, "s%u", first);
}

static void report_wait(emu_wave *w, const emu_insn *insn, const emu_queue *q,
                        unsigned at, const char *use, const char *what) {
  const emu_pending *p = &q->ring[q->order[at]];
  unsigned later = 0;
  bool vm = q == &w->vm;
  for (unsigned i = at + 1; i < q->count; i++)
    later += ordered(&q->ring[q->order[i]]);
  if (!ordered(p))
    later = 0;
  const emu_program *program = w->wg->launch->kernel->program;
  emu_report(w, FMHAC_EMU_CHECK_WAIT, insn, p->insn,
             "%s %s before the result of `%s` at pc %s is certain; %s "
             "stands at %u, an s_waitcnt %s(%u) between them would do%s",
             use, what, emu_program_text(program, p->insn),
             emu_pc_text(w->wg->launch, p->insn, (char[EMU_PC_TEXT]){0}),
             vm ? "vmcnt" : "lgkmcnt", q->count, vm ? "vmcnt" : "lgkmcnt",
             later,
             p->flat              ? " (a flat access needs vmcnt and lgkmcnt)"
             : !vm && !ordered(p) ? " (scalar loads return in any order)"
                                  : "");
}

// The first outstanding operation that will write one of these registers is
// reported; true if there is one.
static bool report_range(emu_wave *w, const emu_insn *insn, bool scalar,
                         unsigned first, unsigned count, const char *use) {
  emu_queue *queues[2] = {&w->vm, &w->lgkm};
  for (int k = 0; k < 2; k++)
    for (unsigned i = 0; i < queues[k]->count; i++) {
      const emu_pending *p = &queues[k]->ring[queues[k]->order[i]];
      if (!owns(p, scalar, first, count))
        continue;
      char name[16];
      emu_register_text(name, sizeof name, scalar,
                        p->reg > first ? p->reg : first);
      report_wait(w, insn, queues[k], i, use, name);
      return true;
    }
  return false;
}

static inline bool check_range(emu_wave *w, const emu_insn *insn, bool scalar,
                               unsigned first, unsigned count,
                               const char *use) {
  return overlap(scalar ? w->pend_s : w->pend_v, first, count) &&
         report_range(w, insn, scalar, first, count, use);
}
static inline bool check_operand(emu_wave *w, const emu_insn *insn,
                                 const emu_operand *o, const char *use) {
  if (o->kind == EMU_K_VGPR)
    return check_range(w, insn, false, o->index, o->regs, use);
  if (o->kind == EMU_K_SGPR)
    return check_range(w, insn, true, o->index, o->regs, use);
  return false;
}

// Two loads of the same counter that return in order may write the same
// register: the younger one wins on hardware too. A flat load is one of them as
// soon as its other counter certifies the part from the other memory.
static bool same_order(const emu_wave *w, const emu_insn *insn,
                       const emu_operand *o) {
  const char *counters = emu_isa_rows[insn->row].counters;
  bool vm = strcmp(counters, "vm") == 0, ds = insn->family == EMU_DS;
  if ((!vm && !ds) || o->kind != EMU_K_VGPR)
    return false;
  const emu_queue *other = vm ? &w->lgkm : &w->vm;
  for (unsigned i = 0; i < other->count; i++)
    if (owns(&other->ring[other->order[i]], false, o->index, o->regs))
      return false;
  return true;
}

static void touch(emu_insn *insn, const emu_operand *o) {
  uint64_t *bits = o->kind == EMU_K_VGPR   ? insn->touches_v
                   : o->kind == EMU_K_SGPR ? insn->touches_s
                                           : NULL;
  unsigned limit = o->kind == EMU_K_VGPR ? EMU_VGPRS : EMU_SGPRS;
  for (unsigned r = o->index; bits && r < o->index + (unsigned)o->regs; r++)
    if (r < limit)
      bits[r / 64] |= 1ull << r % 64;
}
void emu_mark_touched(emu_insn *insn) {
  for (unsigned i = 0; i < insn->nsrc; i++)
    touch(insn, &insn->src[i]);
  for (unsigned i = 0; i < insn->ndst; i++)
    touch(insn, &insn->dst[i]);
  if (insn->flags & EMU_F_VCC_READ)
    insn->touches_s[EMU_S_VCC / 64] |= 3ull << EMU_S_VCC % 64;
}

static inline bool touches_pending(const emu_wave *w, const emu_insn *insn) {
  uint64_t both =
      (insn->touches_s[0] & w->pend_s[0]) | (insn->touches_s[1] & w->pend_s[1]);
  for (int i = 0; i < 8; i++)
    both |= insn->touches_v[i] & w->pend_v[i];
  return both != 0;
}

// What leaves the register file is v0 if read, nothing if written (CDNA4 ISA
// 3.6.1).
void emu_index_registers(const emu_wave *w, unsigned modes, emu_insn *in) {
  for (unsigned i = 0; i < in->nsrc && i < 3; i++) {
    emu_operand *o = &in->src[i];
    if (!(modes >> i & 1) || o->kind != EMU_K_VGPR)
      continue;
    int at = emu_gpr_indexed(w, o->index, o->regs);
    o->index = at < 0 ? 0 : (uint16_t)at;
  }
  emu_operand *o = &in->dst[0];
  if (!(modes & 8) || !in->ndst || o->kind != EMU_K_VGPR)
    return;
  int at = emu_gpr_indexed(w, o->index, o->regs);
  o->index = at < 0 ? 0 : (uint16_t)at;
  o->kind = at < 0 ? EMU_K_NONE : EMU_K_VGPR;
}

static void check_operands(emu_wave *w, const emu_insn *insn,
                           const emu_operand *src, const emu_operand *dst) {
  // One finding an instruction: what it reads comes before what it writes.
  for (unsigned i = 0; i < insn->nsrc; i++)
    if (check_operand(w, insn, &src[i], "reads"))
      return;
  if (insn->flags & EMU_F_VCC_READ &&
      check_range(w, insn, true, EMU_S_VCC, 2, "reads"))
    return;
  for (unsigned i = 0; i < insn->ndst; i++)
    if (!same_order(w, insn, &dst[i]) &&
        check_operand(w, insn, &dst[i], "overwrites"))
      return;
}

void emu_check_pending(emu_wave *w, const emu_insn *insn) {
  unsigned modes = emu_gpr_idx(w, insn);
  if (modes) {
    emu_insn indexed = *insn;
    emu_index_registers(w, modes, &indexed);
    check_operands(w, insn, indexed.src, indexed.dst);
    return;
  }
  if (touches_pending(w, insn))
    check_operands(w, insn, insn->src, insn->dst);
}

void emu_check_dma_overlap(emu_wave *w, const emu_insn *insn,
                           const uint32_t *address, uint32_t bytes,
                           uint64_t exec, const char *verb) {
  uint32_t lo = ~0u, hi = 0;
  if (exec == ~0ull)
    for (int i = 0; i < EMU_LANES; i++) {
      lo = address[i] < lo ? address[i] : lo;
      hi = address[i] > hi ? address[i] : hi;
    }
  else
    for (int i = 0; i < EMU_LANES; i++)
      if (exec >> i & 1) {
        lo = address[i] < lo ? address[i] : lo;
        hi = address[i] > hi ? address[i] : hi;
      }
  if (lo > hi)
    return;
  for (unsigned k = 0; k < w->vm.count; k++) {
    const emu_pending *p = &w->vm.ring[w->vm.order[k]];
    if (p->kind != EMU_P_LDS_DMA || (uint64_t)hi + bytes <= p->lds_base ||
        lo >= (uint64_t)p->lds_base + 64u * p->lds_step)
      continue;
    for (int i = 0; i < EMU_LANES; i++) {
      if (!(exec >> i & 1))
        continue;
      for (uint32_t b = 0; b < bytes; b++) {
        uint32_t at = address[i] + b - p->lds_base;
        if (at >= 64u * p->lds_step || at % p->lds_step >= p->lds_bytes ||
            !(p->exec >> at / p->lds_step & 1))
          continue;
        char what[96];
        snprintf(what, sizeof what, "LDS bytes at 0x%x (lane %d)",
                 address[i] + b, i);
        report_wait(w, insn, &w->vm, k, verb, what);
        return;
      }
    }
  }
}
