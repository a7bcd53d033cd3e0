// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between lanes: readlane, writelane, permlane swaps.
#include "lanes.h"

// Value of a source that may be a vector register in lane `lane`.
static uint32_t lane_value(const emu_wave *w, const isa_operand *o, int lane) {
  return o->kind == ISA_OPERAND_VGPR ? w->v[o->index][lane] : emu_s32(w, o);
}

EMU_HANDLER(v_readfirstlane_b32) {
  uint64_t exec = emu_exec(w);
  // With no lane active, lane 0 is read (CDNA3 ISA 12.8).
  int lane = exec ? __builtin_ctzll(exec) : 0;
  w->s[in->dst[0].index] = lane_value(w, &in->src[0], lane);
}
EMU_HANDLER(v_readlane_b32) {
  uint32_t lane = emu_s32(w, &in->src[1]) & 63;
  w->s[in->dst[0].index] = lane_value(w, &in->src[0], (int)lane);
}
EMU_HANDLER(v_writelane_b32) {
  uint32_t lane = emu_s32(w, &in->src[1]) & 63;
  w->v[in->dst[0].index][lane] = emu_s32(w, &in->src[0]);
}

// Swaps [from, from+n) of a with [to, to+n) of b.
// LLVM AMDGPUUsage, llvm.amdgcn.permlane{16,32}.swap: rows of the first operand
// against rows of the second. Assumed: an active lane is written and reads its
// partner whatever EXEC says; an inactive lane keeps its value.
static void swap_rows(uint32_t *a, uint32_t *b, int from, int to, int n,
                      uint64_t exec) {
  for (int i = 0; i < n; i++) {
    uint32_t x = a[from + i], y = b[to + i];
    if (exec >> (from + i) & 1)
      a[from + i] = y;
    if (exec >> (to + i) & 1)
      b[to + i] = x;
  }
}
EMU_HANDLER(v_permlane32_swap_b32) {
  uint32_t *a = w->v[in->dst[0].index], *b = w->v[in->src[0].index];
  swap_rows(a, b, 32, 0, 32, emu_exec(w));
}
EMU_HANDLER(v_permlane16_swap_b32) {
  uint32_t *a = w->v[in->dst[0].index], *b = w->v[in->src[0].index];
  swap_rows(a, b, 16, 0, 16, emu_exec(w));
  swap_rows(a, b, 48, 32, 16, emu_exec(w));
}
