// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Program control: branches, calls, barriers, waits, mode. CDNA3 ISA 12.5, 4.4.
#include "floatop.h"
#include "module.h"

static void jump(emu_wave *w, const emu_insn *in) {
  w->ip = w->wg->launch->kernel->program->insns + in->target;
  (void)in;
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

// Device address of the instruction after `in`.
static uint64_t next_address(const emu_wave *w, const emu_insn *in) {
  const emu_module *m = w->wg->launch->module;
  return m->base + m->text_offset + in->pc + in->size;
}
static void jump_to(emu_wave *w, const emu_insn *in, uint64_t address) {
  const emu_module *m = w->wg->launch->module;
  const emu_program *p = w->wg->launch->kernel->program;
  uint64_t offset = address - (m->base + m->text_offset);
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
  emu_wait(w, EMU_WAIT_VM(in->imm), EMU_WAIT_LGKM(in->imm));
}
EMU_HANDLER(s_setprio) { w->priority = in->imm & 3; }
EMU_HANDLER(s_sleep) {
  (void)in;
  w->yield = true;
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
// Messages go to hosts that do not exist here; the interrupt request of an
// assertion is the only one compilers emit.
EMU_HANDLER(s_sendmsg) {
  (void)w;
  (void)in;
}

// VGPR indexing (CDNA3 ISA 5.4, S_SET_GPR_IDX): M0[7:0] is added to the vector
// register numbers of the operands that the mode names.
EMU_HANDLER(s_set_gpr_idx_on) {
  uint32_t index = emu_s32(w, &in->src[0]) & 0xff;
  w->s[EMU_S_M0] =
      (w->s[EMU_S_M0] & 0xffff0f00u) | index | (in->imm & 15) << 12;
  w->gpr_idx_mode = in->imm & 15;
}
EMU_HANDLER(s_set_gpr_idx_off) {
  (void)in;
  w->gpr_idx_mode = 0;
}
EMU_HANDLER(s_set_gpr_idx_mode) {
  w->gpr_idx_mode = in->imm & 15;
  w->s[EMU_S_M0] = (w->s[EMU_S_M0] & 0xffff0fffu) | (in->imm & 15) << 12;
}

// Hardware registers: id in bits 5:0, offset 10:6, size - 1 in 15:11 (CDNA3
// ISA 12.2). MODE is 1; HW_ID 4 and XCC_ID 20 read as 0; the sizes of
// allocations (5, 6) as 0.
static uint32_t read_hwreg(const emu_wave *w, unsigned id) {
  if (id == 1)
    return w->mode;
  if (id == 2) // STATUS: SCC, EXECZ, VCCZ
    return w->scc | (uint32_t)(emu_exec(w) == 0) << 9 |
           (uint32_t)(emu_vcc(w) == 0) << 10;
  return 0;
}
EMU_HANDLER(s_getreg_b32) {
  unsigned at = in->imm >> 6 & 31, size = (in->imm >> 11 & 31) + 1;
  uint32_t x = read_hwreg(w, in->imm & 63) >> at;
  w->s[in->dst[0].index] = size == 32 ? x : x & ((1u << size) - 1);
}
EMU_HANDLER(s_setreg_b32) {
  unsigned id = in->imm & 63, at = in->imm >> 6 & 31;
  unsigned size = (in->imm >> 11 & 31) + 1;
  uint32_t mask = (size == 32 ? ~0u : (1u << size) - 1) << at;
  uint32_t value = emu_s32(w, &in->src[0]) << at & mask;
  if (id != 1) {
    emu_fault(w, in, "writes hardware register %u; only MODE (1) is known", id);
    return;
  }
  uint32_t mode = (w->mode & ~mask) | value;
  emu_wave_set_mode(w, mode);
  emu_round(mode);
}
