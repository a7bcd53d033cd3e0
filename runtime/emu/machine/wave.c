// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers of a wave at the start of a kernel. LLVM "User Guide for AMDGPU
// Backend": "Initial Kernel Execution State" and "Kernel Descriptor" (the bit
// positions below). gfx940 and later have architected flat scratch and packed
// work-item ids.
#include "wave.h"

void emu_wave_set_mode(emu_wave *w, uint32_t mode) {
  w->mode = mode;
  // FP_DENORM: two bits for f32, two for f16 and f64. Bit 0 keeps denormal
  // inputs, bit 1 denormal results (CDNA3 ISA 4.4, MODE).
  uint32_t d32 = mode >> 4 & 3, d16 = mode >> 6 & 3;
  w->f32_in = d32 & 1 ? ~0u : 0;
  w->f32_out = d32 & 2 ? ~0u : 0;
  w->f16_in = d16 & 1 ? ~0u : 0;
  w->f16_out = d16 & 2 ? ~0u : 0;
}

uint32_t emu_wave_start(emu_wave *w, uint32_t first_thread) {
  const emu_launch *l = w->wg->launch;
  const isa_descriptor *kd = &l->kernel->kd;
  memset(w->v, 0, sizeof w->v);
  memset(w->s, 0, sizeof w->s);
  uint32_t n = 0;
  if (kd->properties & 1)
    n += 4; // private segment buffer: unused with architected flat scratch
  if (kd->properties >> 1 & 1) {
    emu_set64(&w->s[n], l->dispatch_address);
    n += 2;
  }
  if (kd->properties >> 2 & 1)
    n += 2; // queue pointer: none
  if (kd->properties >> 3 & 1) {
    emu_set64(&w->s[n], l->kernarg_address);
    n += 2;
  }
  if (kd->properties >> 4 & 1)
    n += 2; // dispatch id: 0
  if (kd->properties >> 5 & 1)
    n += 2; // flat scratch init
  if (kd->properties >> 6 & 1)
    w->s[n++] = l->scratch_bytes;
  uint32_t preload = kd->kernarg_preload & 127u;
  uint32_t from = 4u * (kd->kernarg_preload >> 7);
  for (uint32_t i = 0; i < preload && n < 16; i++, n++) {
    uint32_t value = 0;
    if (from + 4 * i + 4 <= l->kernarg_bytes)
      memcpy(&value, l->kernarg + from + 4 * i, 4);
    w->s[n] = value;
  }
  uint32_t user = kd->rsrc2 >> 1 & 31;
  n = user > n ? user : n;
  for (int k = 0; k < 3; k++)
    if (kd->rsrc2 >> (7 + k) & 1)
      w->s[n++] = w->wg->id[k];
  if (kd->rsrc2 >> 10 & 1)
    // Work-group info: first wave, waves of the group (CDNA4 ISA 3.13). LLVM's
    // layout has the wave's number elsewhere; it is left out.
    w->s[n++] = (uint32_t)(first_thread == 0) << 31 | l->waves;

  uint32_t threads = l->block[0] * l->block[1] * l->block[2];
  uint32_t level = kd->rsrc2 >> 11 & 3; // work-item ids: x, x y, x y z
  uint64_t exec = 0;
  for (uint32_t i = 0; i < EMU_LANES && first_thread + i < threads; i++) {
    uint32_t t = first_thread + i;
    uint32_t x = t % l->block[0], y = t / l->block[0] % l->block[1],
             z = t / (l->block[0] * l->block[1]);
    w->v[0][i] = x | (level >= 1 ? y << 10 : 0) | (level >= 2 ? z << 20 : 0);
    exec |= 1ull << i;
  }
  emu_set64(&w->s[ISA_SGPR_EXEC], exec);
  w->scc = 0;
  w->state = EMU_RUNNING;
  w->priority = 0;
  w->gpr_idx = w->vskip = false;
  w->csp = 0;
  w->trapsts = 0;
  w->yield = false;
  uint32_t r1 = kd->rsrc1;
  emu_wave_set_mode(w, (r1 >> 12 & 255) | (r1 >> 21 & 1) << 8 |
                           (r1 >> 23 & 1) << 9 | (r1 >> 26 & 1) << 23);
  w->serial = w->executed = 0;
  w->next_due = UINT64_MAX;
  w->last = NULL;
  w->vm.count = w->lgkm.count = 0;
  w->vm.used = w->lgkm.used = 0;
  w->vm_dma = w->lgkm_smem = w->outstanding_data = 0;
  w->pending_any = w->pending_masks_stale = false;
  memset(w->pend_v, 0, sizeof w->pend_v);
  memset(w->pend_s, 0, sizeof w->pend_s);
  w->rng =
      l->options->seed ^ (w->wg->linear * 64 + w->id) * 0x9e3779b97f4a7c15u;
  const isa_program *p = l->kernel->program;
  uint32_t entry = emu_kernel_first(l->kernel);
  w->ip = p->insns + (p->index[entry / 4] ? p->index[entry / 4] - 1 : p->count);
  emu_trail_start(w);
  return n;
}
