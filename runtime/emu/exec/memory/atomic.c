// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics on global, buffer, flat memory. CDNA3 ISA 12.13, 12.15. Lanes of a
// wave act in order of their numbers (assumed). Compare-and-exchange excludes
// workgroups on other host threads.
#include "floatop.h"
#include "hostatomic.h"
#include "spin.h"
#include "vmem.h"

static void atomic(emu_wave *w, const isa_insn *in, emu_combine f,
                   unsigned words, bool swap_compare, bool buffer) {
  emu_access a;
  const isa_operand *data = &in->src[buffer ? 3 : 2];
  if (!(buffer ? EMU_FN(buffer_lanes)(w, in, 4 * words, EMU_ACCESS_ATOMIC, &a)
               : EMU_FN(flat_lanes)(w, in, 4 * words, EMU_ACCESS_ATOMIC, &a)))
    return;
  emu_pending *p = emu_begin_vm(w, in);
  const uint32_t *v = w->v[data->index];
  emu_round_nearest(w);
  for (int i = 0; i < EMU_LANES; i++) {
    uint64_t old = 0;
    if (a.host[i] && !a.part[i]) {
      uint64_t x = words == 2 ? emu_pair(v, i) : v[i], c = 0;
      if (swap_compare && words == 1)
        c = v[64 + i];
      else if (swap_compare)
        c = emu_pair(v + 128, i);
      old = words == 1 ? emu_apply32(a.host[i], f, x, c)
                       : emu_apply64(a.host[i], f, x, c);
      if (!w->watched || f(old, x, c) != old) {
        emu_spin_note_change(w);
        w->wg->wrote = true;
      }
    }
    p->data[0][i] = (uint32_t)old;
    p->data[1][i] = (uint32_t)(old >> 32);
  }
  emu_round_f32(w);
  if (in->ndst) {
    w->wg->gives_way = true;
    p->kind = EMU_PENDING_VGPR;
    p->reg = in->dst[0].index;
    p->regs = (uint8_t)words;
  }
  EMU_FN(vm_commit)(w, in, p);
}

#define OP(name, words, compare, type, expr)                                   \
  static uint64_t do_##name(uint64_t old, uint64_t x, uint64_t c) {            \
    type o = (type)old, v = (type)x, k = (type)c;                              \
    (void)k;                                                                   \
    (void)v;                                                                   \
    (void)o;                                                                   \
    return (uint64_t)(expr);                                                   \
  }                                                                            \
  EMU_HANDLER(buffer_atomic_##name) {                                          \
    atomic(w, in, do_##name, words, compare, true);                            \
  }                                                                            \
  EMU_HANDLER(flat_atomic_##name) {                                            \
    atomic(w, in, do_##name, words, compare, false);                           \
  }
#define INTEGER(bits, words) EMU_ATOMIC_INTEGERS(OP, bits, words)
INTEGER(32, 1)
INTEGER(64, 2)

static uint64_t quiet64(uint64_t x) {
  return (x & ~(1ull << 63)) > 0x7ff0000000000000u ? x | 1ull << 51 : x;
}
// Floats round to nearest even and keep denormals whatever MODE says (CDNA4
// ISA 9.2; its table 53 differs for f32 sums, see ERRATA.md).
OP(add_f32, 1, false, uint32_t, emu_add32(o, v))
OP(pk_add_f16, 1, false, uint32_t, emu_pk_add_f16(o, v, ~0u, ~0u))
OP(pk_add_bf16, 1, false, uint32_t, emu_pk_add_bf16(o, v, ~0u, ~0u))
OP(add_f64, 2, false, uint64_t, emu_u64(emu_f64(o) + emu_f64(v)))
OP(min_f64, 2, false, uint64_t,
   quiet64(emu_u64(emu_min64(emu_f64(o), emu_f64(v), true))))
OP(max_f64, 2, false, uint64_t,
   quiet64(emu_u64(emu_max64(emu_f64(o), emu_f64(v), true))))
