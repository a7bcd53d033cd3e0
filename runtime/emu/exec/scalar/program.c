// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Program control: branches, calls, barriers, waits, mode. CDNA3 ISA 12.5, 4.4.
#include "floatop.h"
#include "module.h"
#include "race.h"

static void jump(emu_wave *w, const isa_insn *in) {
  w->ip = w->wg->launch->kernel->program->insns + in->target;
}
#define BRANCH(name, condition)                                                \
  EMU_HANDLER(name) {                                                          \
    if (condition)                                                             \
      jump(w, in);                                                             \
  }
BRANCH(s_branch, true)
BRANCH(s_cbranch_scc0, !w->scc)
BRANCH(s_cbranch_scc1, w->scc)
BRANCH(s_cbranch_vccz, !emu_vcc(w))
BRANCH(s_cbranch_vccnz, emu_vcc(w))
BRANCH(s_cbranch_execz, !emu_exec(w))
BRANCH(s_cbranch_execnz, emu_exec(w))

EMU_HANDLER(run_off) {
  emu_fault(w, in, "the program ran into bytes that are no known instruction");
}

// Device address of the instruction after `in`.
static uint64_t next_address(const emu_wave *w, const isa_insn *in) {
  const emu_module *m = w->wg->launch->module;
  return m->base + m->object.text_address + in->pc + in->size;
}
static void jump_to(emu_wave *w, const isa_insn *in, uint64_t address) {
  const emu_module *m = w->wg->launch->module;
  const isa_program *p = w->wg->launch->kernel->program;
  uint64_t offset = address - (m->base + m->object.text_address);
  if (offset / 4 >= p->words || (offset & 3) || !p->index[offset / 4]) {
    emu_fault(w, in, "jumps to 0x%llx, which is no instruction of this kernel",
              (unsigned long long)address);
    return;
  }
  w->ip = p->insns + (p->index[offset / 4] - 1);
}
EMU_HANDLER(s_getpc_b64) { emu_put64(w, &in->dst[0], next_address(w, in)); }
EMU_HANDLER(s_setpc_b64) { jump_to(w, in, emu_s64(w, &in->src[0])); }
EMU_HANDLER(s_swappc_b64) {
  uint64_t to = emu_s64(w, &in->src[0]);
  emu_put64(w, &in->dst[0], next_address(w, in));
  jump_to(w, in, to);
}
EMU_HANDLER(s_call_b64) {
  emu_put64(w, &in->dst[0], next_address(w, in));
  jump(w, in);
}

// A fork runs the smaller part of the lanes first. It pushes the other lanes
// and their address at s[4 * CSP]; s_cbranch_join pops them. CDNA4 ISA,
// S_CBRANCH_*_FORK.
static void fork_lanes(emu_wave *w, const isa_insn *in, uint64_t target) {
  uint64_t exec = emu_exec(w), pass = emu_s64(w, &in->src[0]) & exec;
  uint64_t fail = exec & ~pass, next = next_address(w, in);
  if (pass == exec || fail == exec) {
    if (pass == exec)
      jump_to(w, in, target);
    return;
  }
  bool fail_first = __builtin_popcountll(fail) < __builtin_popcountll(pass);
  if (w->csp == 7) {
    emu_fault(w, in, "forks for the eighth time; the stack has 7 entries");
    return;
  }
  emu_set64(&w->s[4 * w->csp], fail_first ? pass : fail);
  emu_set64(&w->s[4 * w->csp + 2], fail_first ? target : next);
  w->csp++;
  emu_set64(&w->s[ISA_SGPR_EXEC], fail_first ? fail : pass);
  if (!fail_first)
    jump_to(w, in, target);
}
EMU_HANDLER(s_cbranch_i_fork) {
  fork_lanes(w, in,
             next_address(w, in) +
                 4u * (uint64_t)(int64_t)(int16_t)(uint16_t)in->imm);
}
EMU_HANDLER(s_cbranch_g_fork) { fork_lanes(w, in, emu_s64(w, &in->src[1])); }
EMU_HANDLER(s_cbranch_join) {
  if (emu_s32(w, &in->src[0]) == w->csp)
    return;
  if (!w->csp) {
    emu_fault(w, in, "joins with an empty stack of forks");
    return;
  }
  w->csp--;
  uint64_t to = emu_get64(&w->s[4 * w->csp + 2]);
  emu_set64(&w->s[ISA_SGPR_EXEC], emu_get64(&w->s[4 * w->csp]));
  jump_to(w, in, to);
}
// The debugger's condition bits of STATUS are never set here.
EMU_HANDLER(s_cbranch_cdbg) {
  (void)w;
  (void)in;
}

EMU_HANDLER(s_barrier) {
  (void)in;
  // A workgroup of one wave needs none (CDNA3 ISA 12.5).
  if (w->wg->launch->waves > 1)
    w->state = EMU_AT_BARRIER;
}
EMU_HANDLER(s_endpgm) {
  (void)in;
  w->state = EMU_ENDED;
}
EMU_HANDLER(s_waitcnt) {
  emu_wait(w, ISA_WAIT_VM(in->imm), ISA_WAIT_LGKM(in->imm));
  if (w->wg->race && ISA_WAIT_VM(in->imm) == 0)
    emu_race_waited(w);
}
EMU_HANDLER(s_setprio) { w->priority = in->imm & 3; }
// A wave that sleeps in a loop is likely to wait for another.
enum { SLEEP_JUMPS = 16 };
EMU_HANDLER(s_sleep) {
  (void)in;
  w->yield = true;
  w->jumps += SLEEP_JUMPS;
}
EMU_HANDLER(s_sethalt) {
  if (in->imm & 1)
    w->state = EMU_HALTED;
}
EMU_HANDLER(s_nop) {
  (void)w;
  (void)in;
}
EMU_HANDLER(s_trap) { emu_fault(w, in, "trap %u", in->imm & 255); }
// No host receives messages here. Compilers emit only the interrupt request of
// an assertion.
EMU_HANDLER(s_sendmsg) {
  (void)w;
  (void)in;
}
EMU_HANDLER(s_sendmsghalt) {
  (void)in;
  w->state = EMU_HALTED;
}
