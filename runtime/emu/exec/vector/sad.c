// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of absolute differences. CDNA4 ISA, V_SAD_*, V_MSAD_U8, V_QSAD_*,
// V_MQSAD_*. Masked forms pass over bytes of the second source that are 0.
// Clamp saturates the sums.
#include "lanes.h"

static uint32_t sad_bytes(uint32_t a, uint32_t b, bool masked) {
  uint32_t sum = 0;
  for (int k = 0; k < 32; k += 8) {
    int32_t x = (int32_t)(a >> k & 0xff), y = (int32_t)(b >> k & 0xff);
    if (!masked || y)
      sum += (uint32_t)(x > y ? x - y : y - x);
  }
  return sum;
}
static uint32_t difference(uint32_t a, uint32_t b) {
  return a > b ? a - b : b - a;
}
static uint32_t add(const isa_insn *in, uint32_t sad, uint32_t addend,
                    uint64_t most) {
  uint64_t sum = (uint64_t)sad + addend;
  return in->flags & ISA_FLAG_CLAMP && sum > most ? (uint32_t)most
                                                  : (uint32_t)(sum & most);
}

#define SAD(name, expr)                                                        \
  EMU_EACH_LANE_OP(name, 3, , uint32_t a = pa[i], b = pb[i];                   \
                   d[i] = add(in, expr, pc[i], UINT32_MAX))
SAD(v_sad_u32, difference(a, b))
SAD(v_sad_u16,
    difference(a & 0xffff, b & 0xffff) + difference(a >> 16, b >> 16))
SAD(v_sad_u8, sad_bytes(a, b, false))
SAD(v_msad_u8, sad_bytes(a, b, true))
SAD(v_sad_hi_u8, sad_bytes(a, b, false) << 16)

// Four sums at once: bytes k .. k + 3 of the first source, a pair of registers,
// against the second.
static void four(emu_wave *w, const isa_insn *in, bool masked, bool packed) {
  EMU_SRC3;
  uint32_t *d = w->tmp;
  for (int i = 0; i < EMU_LANES; i++) {
    uint64_t a = pa[i] | (uint64_t)pa[64 + i] << 32;
    uint32_t sums[4];
    for (int k = 0; k < 4; k++) {
      uint32_t c = packed ? pc[64 * (k / 2) + i] >> 16 * (k & 1) & 0xffff
                          : pc[64 * k + i];
      sums[k] = add(in, sad_bytes((uint32_t)(a >> 8 * k), pb[i], masked), c,
                    packed ? 0xffffu : UINT32_MAX);
    }
    for (int k = 0; k < 4; k++)
      if (!packed)
        d[64 * k + i] = sums[k];
      else if (k & 1)
        d[64 * (k / 2) + i] = sums[k - 1] | sums[k] << 16;
  }
  emu_dst_done(w, in, d);
}
EMU_HANDLER(v_qsad_pk_u16_u8) { four(w, in, false, true); }
EMU_HANDLER(v_mqsad_pk_u16_u8) { four(w, in, true, true); }
EMU_HANDLER(v_mqsad_u32_u8) { four(w, in, true, false); }
