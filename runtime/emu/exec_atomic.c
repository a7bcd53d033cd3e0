// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics on global, buffer, flat memory. CDNA3 ISA 12.13, 12.15. Lanes of a
// wave act in order of their numbers (assumed); workgroups on other host
// threads are excluded by compare-and-exchange.
#include "floatop.h"
#include "vmem.h"

typedef uint64_t (*combine)(uint64_t old, uint64_t x, uint64_t compare);

static uint64_t apply32(uint8_t *p, combine f, uint64_t x, uint64_t c) {
  uint32_t old, new;
  if ((uintptr_t)p & 3) { // not atomic on hardware either
    memcpy(&old, p, 4);
    new = (uint32_t)f(old, x, c);
    memcpy(p, &new, 4);
    return old;
  }
  uint32_t *q = (uint32_t *)(void *)p;
  old = __atomic_load_n(q, __ATOMIC_SEQ_CST);
  do
    new = (uint32_t)f(old, x, c);
  while (!__atomic_compare_exchange_n(q, &old, new, false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_SEQ_CST));
  return old;
}
static uint64_t apply64(uint8_t *p, combine f, uint64_t x, uint64_t c) {
  uint64_t old, new;
  if ((uintptr_t)p & 7) {
    memcpy(&old, p, 8);
    new = f(old, x, c);
    memcpy(p, &new, 8);
    return old;
  }
  uint64_t *q = (uint64_t *)(void *)p;
  old = __atomic_load_n(q, __ATOMIC_SEQ_CST);
  do
    new = f(old, x, c);
  while (!__atomic_compare_exchange_n(q, &old, new, false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_SEQ_CST));
  return old;
}

static void atomic(emu_wave *w, const emu_insn *in, combine f, unsigned words,
                   bool swap_compare, bool buffer) {
  emu_access a;
  const char *verb = "updates";
  const emu_operand *data = &in->src[buffer ? 3 : 2];
  if (!(buffer ? EMU_FN(buffer_lanes)(w, in, 4 * words, verb, &a)
               : EMU_FN(flat_lanes)(w, in, 4 * words, verb, &a)))
    return;
  emu_pending *p = emu_begin_vm(w, in);
  const uint32_t *v = w->v[data->index];
  for (int i = 0; i < EMU_LANES; i++) {
    uint64_t old = 0;
    if (a.host[i] && !a.part[i]) {
      uint64_t x = v[i], c = 0;
      if (words == 2)
        x |= (uint64_t)v[64 + i] << 32;
      if (swap_compare && words == 1)
        c = v[64 + i];
      else if (swap_compare)
        c = v[128 + i] | (uint64_t)v[192 + i] << 32;
      old = words == 1 ? apply32(a.host[i], f, x, c)
                       : apply64(a.host[i], f, x, c);
    }
    p->data[0][i] = (uint32_t)old;
    p->data[1][i] = (uint32_t)(old >> 32);
  }
  if (in->ndst) {
    p->kind = EMU_P_VGPR;
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
#define INTEGER(bits, words)                                                   \
  OP(swap##bits, words, false, uint##bits##_t, v)                              \
  OP(cmpswap##bits, words, true, uint##bits##_t, o == k ? v : o)               \
  OP(add_u##bits, words, false, uint##bits##_t, o + v)                         \
  OP(sub_u##bits, words, false, uint##bits##_t, o - v)                         \
  OP(min_i##bits, words, false, int##bits##_t, o < v ? o : v)                  \
  OP(min_u##bits, words, false, uint##bits##_t, o < v ? o : v)                 \
  OP(max_i##bits, words, false, int##bits##_t, o > v ? o : v)                  \
  OP(max_u##bits, words, false, uint##bits##_t, o > v ? o : v)                 \
  OP(and_b##bits, words, false, uint##bits##_t, o &v)                          \
  OP(or_b##bits, words, false, uint##bits##_t, o | v)                          \
  OP(xor_b##bits, words, false, uint##bits##_t, o ^ v)                         \
  OP(inc_u##bits, words, false, uint##bits##_t, o >= v ? 0 : o + 1)            \
  OP(dec_u##bits, words, false, uint##bits##_t, o == 0 || o > v ? v : o - 1)
INTEGER(32, 1)
INTEGER(64, 2)

// Float atomics round to nearest and keep denormals: assumed.
OP(add_f32, 1, false, uint32_t, emu_add32(o, v))
OP(pk_add_f16, 1, false, uint32_t, emu_pk_add_f16(o, v))
OP(pk_add_bf16, 1, false, uint32_t, emu_pk_add_bf16(o, v))
OP(add_f64, 2, false, uint64_t, emu_u64(emu_f64(o) + emu_f64(v)))
OP(min_f64, 2, false, uint64_t, emu_u64(fmin(emu_f64(o), emu_f64(v))))
OP(max_f64, 2, false, uint64_t, emu_u64(fmax(emu_f64(o), emu_f64(v))))
