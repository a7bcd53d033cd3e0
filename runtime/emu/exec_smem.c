// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar memory. CDNA3 ISA 12.6.
#include "lanes.h"

static void deliver(emu_wave *w, const emu_insn *in, const uint32_t *data,
                    unsigned n) {
  emu_pending *p = emu_begin_lgkm(w, in);
  p->kind = EMU_P_SGPR;
  p->reg = in->dst[0].index;
  p->regs = (uint8_t)n;
  memcpy(p->data[0], data, 4 * n);
  emu_commit_lgkm(w, p);
}

static void fetch(emu_wave *w, const emu_insn *in, uint64_t address,
                  uint32_t *data, unsigned n) {
  const emu_segment *s = emu_find(w, address, 4 * n);
  if (s) {
    memcpy(data, s->host + (address - s->base), 4 * n);
    return;
  }
  // Partly inside: what is inside is read, the rest is 0 and a finding.
  bool stray = false;
  for (unsigned k = 0; k < n; k++) {
    s = emu_find(w, address + 4 * k, 4);
    data[k] = 0;
    if (s)
      memcpy(&data[k], s->host + (address + 4 * k - s->base), 4);
    else
      stray = true;
  }
  if (stray)
    emu_stray(w, in, -1, "scalar load of", address, 4 * n);
}

static void s_load(emu_wave *w, const emu_insn *in, unsigned n) {
  uint32_t data[16];
  // Base + offsets; the two low bits are ignored (CDNA3 ISA 8.2.1).
  uint64_t address = emu_s64(w, &in->src[0]);
  const emu_operand *o = &in->src[1];
  address += o->kind == EMU_K_CONST ? (uint64_t)(int64_t)(int32_t)o->lanes[0]
                                    : emu_s32(w, o);
  address += (uint64_t)(int64_t)in->offset;
  fetch(w, in, address & ~3ull, data, n);
  deliver(w, in, data, n);
}

static void s_buffer_load(emu_wave *w, const emu_insn *in, unsigned n) {
  uint32_t data[16] = {0};
  const uint32_t *rsrc = &w->s[in->src[1 - 1].index];
  uint64_t base = emu_get64(rsrc) & 0xffffffffffffu;
  uint32_t stride = rsrc[1] >> 16 & 0x3fff, records = rsrc[2];
  uint64_t size = stride ? (uint64_t)stride * records : records;
  uint64_t offset = (uint64_t)emu_s32(w, &in->src[1]) + (uint32_t)in->offset;
  offset &= ~3ull;
  for (unsigned k = 0; k < n; k++)
    if (offset + 4 * k + 4 <= size)
      fetch(w, in, base + offset + 4 * k, &data[k], 1);
  deliver(w, in, data, n);
}

#define WIDTH(n)                                                               \
  EMU_HANDLER(s_load_##n) { s_load(w, in, n); }                                \
  EMU_HANDLER(s_buffer_load_##n) { s_buffer_load(w, in, n); }
WIDTH(1)
WIDTH(2)
WIDTH(4)
WIDTH(8)
WIDTH(16)

// Time is counted in instructions so that runs repeat: assumed.
EMU_HANDLER(s_memtime) {
  uint32_t data[2];
  emu_set64(data, w->executed);
  deliver(w, in, data, 2);
}
