// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares (VOPC). CDNA3 ISA 12.9. The result has a 0 bit for every inactive
// lane; v_cmpx writes EXEC too.
#include "floatop.h"
#include "numeric.h"

static inline void put_result(emu_wave *w, const isa_insn *in,
                              const uint8_t *bits) {
  uint64_t r = 0;
  for (int i = 0; i < EMU_LANES; i += 8) {
    uint64_t eight; // eight bytes of 0 or 1 to eight bits
    memcpy(&eight, bits + i, 8);
    r |= (eight * 0x0102040810204080u >> 56) << i;
  }
  r &= emu_exec(w);
  if (in->src[0].mods & ISA_MOD_DPP)
    r &= w->dpp_mask;
  emu_put64(w, &in->dst[0], r);
}

#define CMP(name, type, load, expr)                                            \
  EMU_HANDLER(v_cmp_##name) {                                                  \
    const uint32_t *pa = emu_src(w, in, 0), *pb = emu_src(w, in, 1);           \
    _Alignas(64) uint8_t bits[EMU_LANES];                                      \
    uint32_t keep = w->f32_in;                                                 \
    (void)keep;                                                                \
    EMU_LANE_LOOP {                                                            \
      type a = load(pa, i), b = load(pb, i);                                   \
      bits[i] = (uint8_t)(expr);                                               \
    }                                                                          \
    put_result(w, in, bits);                                                   \
  }                                                                            \
  EMU_HANDLER(v_cmpx_##name) {                                                 \
    EMU_FN(v_cmp_##name)(w, in);                                               \
    emu_set64(&w->s[ISA_SGPR_EXEC], emu_get64(&w->s[in->dst[0].index]));       \
  }

#define LOAD_U16(p, i) ((p)[i] & 0xffffu)
#define LOAD_I16(p, i) ((int16_t)(uint16_t)(p)[i])
#define LOAD_U32(p, i) ((p)[i])
#define LOAD_I32(p, i) ((int32_t)(p)[i])
#define LOAD_U64(p, i) emu_pair(p, i)
#define LOAD_I64(p, i) ((int64_t)LOAD_U64(p, i))
#define LOAD_F16(p, i)                                                         \
  emu_f32(emu_f16_to_f32(EMU_FLUSH16((p)[i] & 0xffffu, w->f16_in)))
#define LOAD_F32(p, i) emu_f32(emu_flush32((p)[i], keep))
// f64 shares its denormal mode with f16.
#define LOAD_F64(p, i) emu_f64(emu_flush64(LOAD_U64(p, i), w->f16_in))

#define INT_ROWS(t, type, load)                                                \
  CMP(f_##t, type, load, ((void)a, (void)b, 0))                                \
  CMP(lt_##t, type, load, a < b)                                               \
  CMP(eq_##t, type, load, a == b)                                              \
  CMP(le_##t, type, load, a <= b)                                              \
  CMP(gt_##t, type, load, a > b)                                               \
  CMP(ne_##t, type, load, a != b)                                              \
  CMP(ge_##t, type, load, a >= b)                                              \
  CMP(t_##t, type, load, ((void)a, (void)b, 1))
INT_ROWS(u16, uint32_t, LOAD_U16)
INT_ROWS(i16, int32_t, LOAD_I16)
INT_ROWS(u32, uint32_t, LOAD_U32)
INT_ROWS(i32, int32_t, LOAD_I32)
INT_ROWS(u64, uint64_t, LOAD_U64)
INT_ROWS(i64, int64_t, LOAD_I64)

#define FLOAT_ROWS(t, type, load)                                              \
  CMP(f_##t, type, load, ((void)a, (void)b, 0))                                \
  CMP(lt_##t, type, load, a < b)                                               \
  CMP(eq_##t, type, load, a == b)                                              \
  CMP(le_##t, type, load, a <= b)                                              \
  CMP(gt_##t, type, load, a > b)                                               \
  CMP(lg_##t, type, load, (a < b) | (a > b))                                   \
  CMP(ge_##t, type, load, a >= b)                                              \
  CMP(o_##t, type, load, (a == a) & (b == b))                                  \
  CMP(u_##t, type, load, (a != a) | (b != b))                                  \
  CMP(nge_##t, type, load, !(a >= b))                                          \
  CMP(nlg_##t, type, load, !((a < b) | (a > b)))                               \
  CMP(ngt_##t, type, load, !(a > b))                                           \
  CMP(nle_##t, type, load, !(a <= b))                                          \
  CMP(neq_##t, type, load, a != b)                                             \
  CMP(nlt_##t, type, load, !(a < b))                                           \
  CMP(tru_##t, type, load, ((void)a, (void)b, 1))
FLOAT_ROWS(f16, float, LOAD_F16)
FLOAT_ROWS(f32, float, LOAD_F32)
FLOAT_ROWS(f64, double, LOAD_F64)

// Class bits: 0 sNaN, 1 qNaN, 2 -inf, 3 -normal, 4 -denormal, 5 -0, 6 +0,
// 7 +denormal, 8 +normal, 9 +inf (CDNA3 ISA 12.9.1).
static inline unsigned class_of(uint64_t x, int ebits, int mbits) {
  uint64_t m = x & ((1ull << mbits) - 1);
  uint64_t e = x >> mbits & ((1ull << ebits) - 1);
  bool negative = x >> (ebits + mbits) & 1;
  if (e == (1ull << ebits) - 1)
    return m ? (m >> (mbits - 1) & 1 ? 1 : 0) : negative ? 2 : 9;
  if (e)
    return negative ? 3 : 8;
  if (m)
    return negative ? 4 : 7;
  return negative ? 5 : 6;
}
#define CLASS(t, value, ebits, mbits)                                          \
  EMU_HANDLER(v_cmp_class_##t) {                                               \
    const uint32_t *pa = emu_src(w, in, 0), *pb = emu_src(w, in, 1);           \
    uint8_t bits[EMU_LANES];                                                   \
    for (int i = 0; i < EMU_LANES; i++)                                        \
      bits[i] = (uint8_t)(pb[i] >> class_of(value, ebits, mbits) & 1);         \
    put_result(w, in, bits);                                                   \
  }                                                                            \
  EMU_HANDLER(v_cmpx_class_##t) {                                              \
    EMU_FN(v_cmp_class_##t)(w, in);                                            \
    emu_set64(&w->s[ISA_SGPR_EXEC], emu_get64(&w->s[in->dst[0].index]));       \
  }
CLASS(f16, pa[i] & 0xffffu, 5, 10)
CLASS(f32, pa[i], 8, 23)
CLASS(f64, LOAD_U64(pa, i), 11, 52)
