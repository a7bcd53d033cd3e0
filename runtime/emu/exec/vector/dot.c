// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dot products of packed integers, added to a 32-bit integer. CDNA4 ISA,
// V_DOT*. The sum is exact; clamp saturates it.
#include "lanes.h"

static uint32_t saturate(int64_t sum, bool is_signed) {
  if (is_signed)
    return (uint32_t)(int32_t)(sum > INT32_MAX   ? INT32_MAX
                               : sum < INT32_MIN ? INT32_MIN
                                                 : sum);
  return sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
}

/// Element `k` of `bits` bits.
static int64_t element(uint32_t x, int k, int bits, bool is_signed) {
  uint32_t at_top = x << (32 - bits - k);
  return is_signed ? (int32_t)at_top >> (32 - bits)
                   : (int64_t)(at_top >> (32 - bits));
}

static void dot(emu_wave *w, const isa_insn *in, const uint32_t *pc, int bits,
                bool is_signed) {
  const uint32_t *pa = emu_src(w, in, 0), *pb = emu_src(w, in, 1);
  uint32_t *d = w->tmp;
  for (int i = 0; i < EMU_LANES; i++) {
    int64_t sum = is_signed ? (int32_t)pc[i] : (int64_t)pc[i];
    for (int k = 0; k < 32; k += bits)
      sum += element(pa[i], k, bits, is_signed) *
             element(pb[i], k, bits, is_signed);
    d[i] =
        in->flags & ISA_FLAG_CLAMP ? saturate(sum, is_signed) : (uint32_t)sum;
  }
  emu_dst_done(w, in, d);
}
#define DOT(name, bits, is_signed)                                             \
  EMU_HANDLER(name) { dot(w, in, emu_src(w, in, 2), bits, is_signed); }
#define DOTC(name, bits)                                                       \
  EMU_HANDLER(name) { dot(w, in, EMU_FN(old_dst)(w, in), bits, true); }
DOT(v_dot2_i32_i16, 16, true)
DOT(v_dot2_u32_u16, 16, false)
DOT(v_dot4_i32_i8, 8, true)
DOT(v_dot4_u32_u8, 8, false)
DOT(v_dot8_i32_i4, 4, true)
DOT(v_dot8_u32_u4, 4, false)
DOTC(v_dot2c_i32_i16, 16)
DOTC(v_dot4c_i32_i8, 8)
DOTC(v_dot8c_i32_i4, 4)
