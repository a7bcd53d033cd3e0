// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packed f32 pairs and packed 16-bit integers. CDNA3 ISA 12.10.
#include "floatop.h"
#include "intop.h"

#define IN(x) emu_flush32(x, keep_in)
#define OUT(x) emu_flush32(x, keep_out)
#define PKF(name, third, expr)                                                 \
  EMU_HANDLER(name) {                                                          \
    uint32_t keep_in = w->f32_in, keep_out = w->f32_out;                       \
    const uint32_t *pa = emu_src(w, in, 0), *pb = emu_src(w, in, 1);           \
    const uint32_t *pc = third;                                                \
    uint32_t *d = emu_dst(w, in);                                              \
    EMU_LANE_LOOP {                                                            \
      uint32_t a = IN(pa[i]), b = IN(pb[i]), c = IN(pc[i]);                    \
      (void)c;                                                                 \
      uint32_t lo = OUT(expr);                                                 \
      a = IN(pa[64 + i]);                                                      \
      b = IN(pb[64 + i]);                                                      \
      c = IN(pc[64 + i]);                                                      \
      uint32_t hi = OUT(expr);                                                 \
      d[i] = lo;                                                               \
      d[64 + i] = hi;                                                          \
    }                                                                          \
    emu_dst_done(w, in, d);                                                    \
  }
PKF(v_pk_add_f32, pa, emu_add32(a, b))
PKF(v_pk_mul_f32, pa, emu_mul32(a, b))
PKF(v_pk_fma_f32, emu_src(w, in, 2), emu_fma32(a, b, c))

// Low result from source 0 by its op_sel, high result from source 1 by its
// own: op_sel[0] and op_sel[1] (LLVM: default op_sel:[0,1] copies a pair).
EMU_EACH_LANE_OP(v_pk_mov_b32, 2, , d[i] = pa[i]; d[64 + i] = pb[i])

#define CLAMP (in->flags & ISA_FLAG_CLAMP)
#define PKI(name, third, expr)                                                 \
  EMU_HANDLER(name) {                                                          \
    const uint32_t *pa = emu_src(w, in, 0), *pb = emu_src(w, in, 1);           \
    const uint32_t *pc = third;                                                \
    uint32_t *d = emu_dst(w, in);                                              \
    EMU_LANE_LOOP {                                                            \
      uint32_t a = emu_zx16(pa[i]), b = emu_zx16(pb[i]), c = emu_zx16(pc[i]);  \
      (void)c;                                                                 \
      uint32_t lo = emu_zx16(expr);                                            \
      a = pa[i] >> 16;                                                         \
      b = pb[i] >> 16;                                                         \
      c = pc[i] >> 16;                                                         \
      d[i] = lo | emu_zx16(expr) << 16;                                        \
    }                                                                          \
    emu_dst_done(w, in, d);                                                    \
  }
PKI(v_pk_add_u16, pa, emu_sat16_u((int32_t)(a + b), CLAMP))
PKI(v_pk_sub_u16, pa, emu_sat16_u((int32_t)a - (int32_t)b, CLAMP))
PKI(v_pk_add_i16, pa, emu_sat16_s(emu_sx16(a) + emu_sx16(b), CLAMP))
PKI(v_pk_sub_i16, pa, emu_sat16_s(emu_sx16(a) - emu_sx16(b), CLAMP))
PKI(v_pk_mul_lo_u16, pa, emu_mad16(a, b, 0, 0, 65535, CLAMP))
PKI(v_pk_min_i16, pa, emu_sx16(a) < emu_sx16(b) ? a : b)
PKI(v_pk_max_i16, pa, emu_sx16(a) > emu_sx16(b) ? a : b)
PKI(v_pk_min_u16, pa, a < b ? a : b)
PKI(v_pk_max_u16, pa, a > b ? a : b)
PKI(v_pk_lshlrev_b16, pa, b << (a & 15))
PKI(v_pk_lshrrev_b16, pa, b >> (a & 15))
PKI(v_pk_ashrrev_i16, pa, (uint32_t)(emu_sx16(b) >> (a & 15)))
PKI(v_pk_mad_u16, emu_src(w, in, 2), emu_mad16(a, b, c, 0, 65535, CLAMP))
PKI(v_pk_mad_i16, emu_src(w, in, 2),
    emu_mad16(emu_sx16(a), emu_sx16(b), emu_sx16(c), -32768, 32767, CLAMP))
