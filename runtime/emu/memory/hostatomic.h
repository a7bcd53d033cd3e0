// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Read-modify-write on host memory, atomic against other host threads, and the
/// integer operations that vector and scalar atomics share.
#ifndef FMHAC_EMU_HOSTATOMIC_H
#define FMHAC_EMU_HOSTATOMIC_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/// New value from the old one, the operand and the comparand.
typedef uint64_t (*emu_combine)(uint64_t old, uint64_t x, uint64_t compare);

static inline uint64_t emu_apply32(uint8_t *p, emu_combine f, uint64_t x,
                                   uint64_t c) {
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
static inline uint64_t emu_apply64(uint8_t *p, emu_combine f, uint64_t x,
                                   uint64_t c) {
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

/// OP(name, words, compares, type, new value of o, given v and k) for the
/// integer atomics of `bits` bits. The first list has the atomics that memory
/// and LDS share, the second list all of memory. CDNA4 ISA, BUFFER_ATOMIC_*,
/// S_ATOMIC_*, DS_*.
#define EMU_ATOMIC_ARITHMETIC(OP, bits, words)                                 \
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
#define EMU_ATOMIC_INTEGERS(OP, bits, words)                                   \
  OP(swap##bits, words, false, uint##bits##_t, v)                              \
  OP(cmpswap##bits, words, true, uint##bits##_t, o == k ? v : o)               \
  EMU_ATOMIC_ARITHMETIC(OP, bits, words)

#endif // FMHAC_EMU_HOSTATOMIC_H
