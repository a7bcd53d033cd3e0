// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The wait checker. The registers that an outstanding operation will write are
// marked when it is issued (machine/queues.c). An instruction that touches a
// marked register is checked against the queues.
#include "wait.h"

#include <stdio.h>

#include "findings.h"
#include "queues.h"

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
  return p->regs && (p->kind == EMU_PENDING_SGPR) == scalar &&
         p->reg < first + count && first < (unsigned)p->reg + p->regs;
}

static void report_wait(emu_wave *w, const isa_insn *insn, const emu_queue *q,
                        unsigned at, const char *use, const char *what) {
  const emu_pending *p = &q->ring[q->order[at]];
  unsigned later = 0;
  bool vm = q == &w->vm;
  for (unsigned i = at + 1; i < q->count; i++)
    later += emu_is_ordered(&q->ring[q->order[i]]);
  if (!emu_is_ordered(p))
    later = 0;
  const isa_program *program = w->wg->launch->kernel->program;
  emu_report(w, FMHAC_EMU_CHECK_WAIT, insn, p->insn,
             "missing wait: %s %s before `%s` (pc %s) has completed. %s is %u "
             "here; add s_waitcnt %s(%u) in between%s",
             use, what, isa_program_text(program, p->insn),
             emu_pc_text(w->wg->launch, p->insn, (char[ISA_PC_TEXT_BYTES]){0}),
             vm ? "vmcnt" : "lgkmcnt", q->count, vm ? "vmcnt" : "lgkmcnt",
             later,
             p->flat ? " (a flat access needs vmcnt and lgkmcnt)"
             : !vm && !emu_is_ordered(p) ? " (scalar loads return in any order)"
                                         : "");
}

// Reports the first outstanding operation that will write one of `count`
// registers from `first` on. False: no operation will.
static bool report_range(emu_wave *w, const isa_insn *insn, bool scalar,
                         unsigned first, unsigned count, const char *use) {
  emu_queue *queues[2] = {&w->vm, &w->lgkm};
  for (int k = 0; k < 2; k++)
    for (unsigned i = 0; i < queues[k]->count; i++) {
      const emu_pending *p = &queues[k]->ring[queues[k]->order[i]];
      if (!owns(p, scalar, first, count))
        continue;
      char name[16];
      isa_register_text(name, sizeof name, scalar,
                        p->reg > first ? p->reg : first);
      report_wait(w, insn, queues[k], i, use, name);
      return true;
    }
  return false;
}

static inline bool check_range(emu_wave *w, const isa_insn *insn, bool scalar,
                               unsigned first, unsigned count,
                               const char *use) {
  return overlap(scalar ? w->pend_s : w->pend_v, first, count) &&
         report_range(w, insn, scalar, first, count, use);
}
static inline bool check_operand(emu_wave *w, const isa_insn *insn,
                                 const isa_operand *o, const char *use) {
  if (o->kind == ISA_OPERAND_VGPR)
    return check_range(w, insn, false, o->index, o->regs, use);
  if (o->kind == ISA_OPERAND_SGPR)
    return check_range(w, insn, true, o->index, o->regs, use);
  return false;
}

// Two loads of the same counter that return in order may write the same
// register: the younger one wins on hardware, too. A flat load is in that order
// as soon as its other counter covers the part from the other memory.
static bool same_order(const emu_wave *w, const isa_insn *insn,
                       const isa_operand *o) {
  bool vm = isa_rows[insn->row].counters == ISA_COUNTS_VM;
  bool ds = insn->family == ISA_DS;
  if ((!vm && !ds) || o->kind != ISA_OPERAND_VGPR)
    return false;
  const emu_queue *other = vm ? &w->lgkm : &w->vm;
  for (unsigned i = 0; i < other->count; i++)
    if (owns(&other->ring[other->order[i]], false, o->index, o->regs))
      return false;
  return true;
}

static inline bool touches_pending(const emu_wave *w, const isa_insn *insn) {
  uint64_t both =
      (insn->touches_s[0] & w->pend_s[0]) | (insn->touches_s[1] & w->pend_s[1]);
  for (int i = 0; i < 8; i++)
    both |= insn->touches_v[i] & w->pend_v[i];
  return both != 0;
}

static void check_operands(emu_wave *w, const isa_insn *insn,
                           const isa_operand *src, const isa_operand *dst) {
  // One finding per instruction: sources are checked before destinations.
  for (unsigned i = 0; i < insn->nsrc; i++)
    if (check_operand(w, insn, &src[i], "reads"))
      return;
  if (insn->flags & ISA_FLAG_VCC_READ &&
      check_range(w, insn, true, ISA_SGPR_VCC, 2, "reads"))
    return;
  for (unsigned i = 0; i < insn->ndst; i++)
    if (!same_order(w, insn, &dst[i]) &&
        check_operand(w, insn, &dst[i], "overwrites"))
      return;
}

void emu_check_pending(emu_wave *w, const isa_insn *insn) {
  unsigned modes = emu_gpr_idx(w, insn);
  if (modes) {
    isa_insn indexed = *insn;
    emu_index_registers(w, modes, &indexed);
    check_operands(w, insn, indexed.src, indexed.dst);
    return;
  }
  if (touches_pending(w, insn))
    check_operands(w, insn, insn->src, insn->dst);
}

void emu_check_dma_overlap(emu_wave *w, const isa_insn *insn,
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
    if (p->kind != EMU_PENDING_LDS_DMA || (uint64_t)hi + bytes <= p->lds_base ||
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
