// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hardware registers, and the modes of a wave that have instructions of their
// own: register indexing, skipping of vector instructions. CDNA4 ISA 3.4, 3.5,
// 3.10, 3.12; S_GETREG_B32, S_SETREG_B32, S_SET_GPR_IDX_*, S_SETVSKIP.
#include "floatop.h"
#include "module.h"

/// Numbers of hardware registers (LLVM "AMDGPUOperandSyntax", hwreg; CDNA4
/// ISA).
enum {
  HW_MODE = 1,
  HW_STATUS = 2,
  HW_TRAPSTS = 3,
  HW_ID = 4,
  HW_GPR_ALLOC = 5,
  HW_LDS_ALLOC = 6,
  HW_IB_STS = 7,
  HW_SH_MEM_BASES = 15,
};
enum {
  MODE_GPR_IDX = 27,
  MODE_VSKIP = 28,
  MODE_CSP = 29,
  TRAPSTS_EXCEPTIONS = 0x1ff,
};

static uint32_t read_mode(const emu_wave *w) {
  return (w->mode & ((1u << MODE_GPR_IDX) - 1)) |
         (uint32_t)w->gpr_idx << MODE_GPR_IDX |
         (uint32_t)w->vskip << MODE_VSKIP | (uint32_t)w->csp << MODE_CSP;
}

static uint32_t read_status(const emu_wave *w) {
  const emu_launch *l = w->wg->launch;
  return w->scc | (uint32_t)w->priority << 3 |
         (uint32_t)(emu_exec(w) == 0) << 9 | (uint32_t)(emu_vcc(w) == 0) << 10 |
         (uint32_t)(l->waves > 1) << 11 | 1u << 16 /* VALID */ |
         (uint32_t)(l->scratch_bytes > 0) << 28;
}

// The placement of a wave is the emulator's choice, the same in every run:
// waves go to the four SIMDs in turn, then to wave slots; workgroups go to 16
// compute units and 8 engines. A program must not rely on it (CDNA4 ISA 3.12).
static uint32_t read_hw_id(const emu_wave *w) {
  uint64_t group = w->wg->linear;
  return (w->id / 4 & 15) | (w->id & 3) << 4 | (uint32_t)(group & 15) << 8 |
         (uint32_t)(group >> 4 & 7) << 13;
}

// Sizes as the descriptor asks for them; the bases of allocations are 0. Field
// positions as on gfx90a and later: assumed.
static uint32_t read_gpr_alloc(const emu_wave *w) {
  const isa_descriptor *kd = &w->wg->launch->kernel->kd;
  return (kd->rsrc1 & 63) << 6 | (kd->rsrc3 & 63) << 12;
}
static uint32_t read_lds_alloc(const emu_wave *w) {
  enum { GRANULE_BYTES = 1280 };
  return (w->wg->launch->lds_bytes + GRANULE_BYTES - 1) / GRANULE_BYTES << 12;
}

static uint32_t read_hwreg(const emu_wave *w, unsigned id) {
  switch (id) {
  case HW_MODE:
    return read_mode(w);
  case HW_STATUS:
    return read_status(w);
  case HW_TRAPSTS:
    return w->trapsts;
  case HW_ID:
    return read_hw_id(w);
  case HW_GPR_ALLOC:
    return read_gpr_alloc(w);
  case HW_LDS_ALLOC:
    return read_lds_alloc(w);
  case HW_IB_STS: // VM_CNT 3:0 and 23:22, LGKM_CNT 11:8: assumed
    return (w->vm.count & 15) | (w->vm.count >> 4 & 3) << 22 |
           (w->lgkm.count & 15) << 8;
  case HW_SH_MEM_BASES: // high halves of the private and shared apertures
    return ISA_PRIVATE_BASE >> 48 | (uint32_t)(ISA_SHARED_BASE >> 48) << 16;
  default: // XCC_ID, and TBA, TMA without a trap handler; what is reserved
    return 0;
  }
}

// The fault on a register that must not be written names those that may.
static void write_hwreg(emu_wave *w, const isa_insn *in, unsigned id,
                        uint32_t mask, uint32_t value) {
  if (id == HW_MODE) {
    uint32_t mode = (read_mode(w) & ~mask) | value;
    emu_wave_set_mode(w, mode & ((1u << MODE_GPR_IDX) - 1));
    w->gpr_idx = mode >> MODE_GPR_IDX & 1;
    w->vskip = mode >> MODE_VSKIP & 1;
    w->csp = mode >> MODE_CSP & 7;
    emu_round(mode);
    return;
  }
  if (id == HW_TRAPSTS) {
    if (mask & value & ~(uint32_t)TRAPSTS_EXCEPTIONS) {
      emu_fault(w, in,
                "sets bits 0x%x of TRAPSTS, which ask for a trap handler; only "
                "the exception bits 8:0 may be set",
                mask & value & ~(uint32_t)TRAPSTS_EXCEPTIONS);
      return;
    }
    w->trapsts = (w->trapsts & ~mask) | value;
    return;
  }
  emu_fault(w, in,
            "writes hardware register %u, which a program may only read; MODE "
            "(1) and TRAPSTS (3) can be written",
            id);
}

// SIMM16: id in 5:0, offset in 10:6, size - 1 in 15:11.
EMU_HANDLER(s_getreg_b32) {
  unsigned at = in->imm >> 6 & 31, size = (in->imm >> 11 & 31) + 1;
  uint32_t x = read_hwreg(w, in->imm & 63) >> at;
  w->s[in->dst[0].index] = size == 32 ? x : x & ((1u << size) - 1);
}
EMU_HANDLER(s_setreg_b32) {
  unsigned id = in->imm & 63, at = in->imm >> 6 & 31;
  unsigned size = (in->imm >> 11 & 31) + 1;
  uint32_t mask = (size == 32 ? ~0u : (1u << size) - 1) << at;
  write_hwreg(w, in, id, mask, emu_s32(w, &in->src[0]) << at & mask);
}

// VGPR indexing: M0[7:0] is added to the register numbers of the operands that
// M0[15:12] names.
EMU_HANDLER(s_set_gpr_idx_on) {
  uint32_t index = emu_s32(w, &in->src[0]) & 0xff;
  w->s[ISA_SGPR_M0] =
      (w->s[ISA_SGPR_M0] & 0xffff0f00u) | index | (in->imm & 15) << 12;
  w->gpr_idx = true;
}
EMU_HANDLER(s_set_gpr_idx_off) {
  (void)in;
  w->gpr_idx = false;
}
EMU_HANDLER(s_set_gpr_idx_mode) {
  w->s[ISA_SGPR_M0] = (w->s[ISA_SGPR_M0] & 0xffff0fffu) | (in->imm & 15) << 12;
}
EMU_HANDLER(s_set_gpr_idx_idx) {
  w->s[ISA_SGPR_M0] =
      (w->s[ISA_SGPR_M0] & 0xffffff00u) | (emu_s32(w, &in->src[0]) & 0xff);
}

EMU_HANDLER(s_setvskip) {
  w->vskip = emu_s32(w, &in->src[0]) >> (emu_s32(w, &in->src[1]) & 31) & 1;
}

// No exception is ever recorded, so this clears only bits that the program set.
EMU_HANDLER(v_clrexcp) {
  (void)in;
  w->trapsts &= ~(uint32_t)TRAPSTS_EXCEPTIONS;
}
