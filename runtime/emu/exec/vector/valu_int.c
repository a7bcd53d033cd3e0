// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector integer arithmetic, moves and shifts. CDNA3 ISA 12.7, 12.8, 12.11.
#include "intop.h"
#include "lanes.h"
#include "numeric.h"

#define OP1(name, expr)                                                        \
  EMU_LANES_OP(name, 1, , uint32_t a = pa[i]; d[i] = (expr))
#define OP2(name, expr)                                                        \
  EMU_LANES_OP(name, 2, , uint32_t a = pa[i], b = pb[i]; d[i] = (expr))
#define OP3(name, expr)                                                        \
  EMU_LANES_OP(name, 3, , uint32_t a = pa[i], b = pb[i], c = pc[i];            \
               d[i] = (expr))

static inline int32_t s32(uint32_t x) { return (int32_t)x; }
static inline uint32_t s24(uint32_t x) {
  return (uint32_t)((int32_t)(x << 8) >> 8);
}
static inline uint32_t u24(uint32_t x) { return x & 0xffffff; }
static inline uint32_t sx16(uint32_t x) { return (uint32_t)emu_sx16(x); }
static inline uint32_t umin(uint32_t a, uint32_t b) { return a < b ? a : b; }
static inline uint32_t umax(uint32_t a, uint32_t b) { return a > b ? a : b; }
static inline uint32_t imin(uint32_t a, uint32_t b) {
  return s32(a) < s32(b) ? a : b;
}
static inline uint32_t imax(uint32_t a, uint32_t b) {
  return s32(a) > s32(b) ? a : b;
}
static inline uint32_t reverse(uint32_t x) {
  x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
  x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
  x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
  return __builtin_bswap32(x);
}
static inline uint32_t count_bits(uint32_t x) {
  x -= x >> 1 & 0x55555555;
  x = (x & 0x33333333) + (x >> 2 & 0x33333333);
  x = (x + (x >> 4)) & 0x0f0f0f0f;
  return x * 0x01010101u >> 24;
}

OP1(v_mov_b32, a)
OP1(v_not_b32, ~a)
OP1(v_bfrev_b32, reverse(a))
OP1(v_ffbh_u32, a ? (uint32_t)__builtin_clz(a) : ~0u)
OP1(v_ffbl_b32, a ? (uint32_t)__builtin_ctz(a) : ~0u)
OP1(v_ffbh_i32,
    a == 0 || a == ~0u ? ~0u : (uint32_t)__builtin_clz(s32(a) < 0 ? ~a : a))
OP1(v_prng_b32, emu_prng_step(a))

// Integer clamp saturates (CDNA4 ISA 6.5); it needs the exact result.
static inline uint32_t sat_u(uint64_t x, bool clamp) {
  return clamp && x > 0xffffffffu ? 0xffffffffu : (uint32_t)x;
}
static inline uint32_t sat_s(int64_t x, bool clamp) {
  if (clamp && x > INT32_MAX)
    return INT32_MAX;
  if (clamp && x < INT32_MIN)
    return (uint32_t)INT32_MIN;
  return (uint32_t)x;
}
static inline uint32_t sub_u(uint32_t a, uint32_t b, bool clamp) {
  return clamp && a < b ? 0 : a - b;
}
#define CLAMP (in->flags & ISA_FLAG_CLAMP)
OP2(v_add_u32, sat_u((uint64_t)a + b, CLAMP))
OP2(v_sub_u32, sub_u(a, b, CLAMP))
OP2(v_subrev_u32, sub_u(b, a, CLAMP))
OP2(v_add_i32, sat_s((int64_t)s32(a) + s32(b), CLAMP))
OP2(v_sub_i32, sat_s((int64_t)s32(a) - s32(b), CLAMP))
OP2(v_mul_lo_u32, a *b)
OP2(v_mul_hi_u32, (uint32_t)((uint64_t)a *b >> 32))
OP2(v_mul_hi_i32, (uint32_t)((int64_t)s32(a) * s32(b) >> 32))
OP2(v_mul_u32_u24, sat_u((uint64_t)u24(a) * u24(b), CLAMP))
OP2(v_mul_i32_i24, sat_s((int64_t)s32(s24(a)) * s32(s24(b)), CLAMP))
OP2(v_mul_hi_u32_u24, (uint32_t)((uint64_t)u24(a) * u24(b) >> 32))
OP2(v_mul_hi_i32_i24, (uint32_t)((int64_t)s32(s24(a)) * s32(s24(b)) >> 32))
OP2(v_min_i32, imin(a, b))
OP2(v_max_i32, imax(a, b))
OP2(v_min_u32, umin(a, b))
OP2(v_max_u32, umax(a, b))
OP2(v_lshrrev_b32, b >> (a & 31))
OP2(v_ashrrev_i32, (uint32_t)(s32(b) >> (a & 31)))
OP2(v_lshlrev_b32, b << (a & 31))
OP2(v_and_b32, a &b)
OP2(v_or_b32, a | b)
OP2(v_xor_b32, a ^ b)
OP2(v_xnor_b32, ~(a ^ b))
OP2(v_bfm_b32, ((1u << (a & 31)) - 1) << (b & 31))
OP2(v_bcnt_u32_b32, count_bits(a) + b)
OP2(v_mbcnt_lo_u32_b32,
    count_bits(a &(i < 32 ? (1u << (i & 31)) - 1 : ~0u)) + b)
OP2(v_mbcnt_hi_u32_b32, count_bits(a &(i < 32 ? 0 : (1u << (i & 31)) - 1)) + b)

OP3(v_mad_u32_u24, sat_u((uint64_t)(u24(a) * (uint64_t)u24(b)) + c, CLAMP))
OP3(v_mad_i32_i24, sat_s((int64_t)s32(s24(a)) * s32(s24(b)) + s32(c), CLAMP))
OP3(v_bfe_u32, a >> (b & 31) & ((1u << (c & 31)) - 1))
static inline uint32_t bfe_signed(uint32_t a, uint32_t at, uint32_t width) {
  at &= 31;
  width &= 31;
  if (!width)
    return 0;
  if (at + width >= 32)
    return (uint32_t)(s32(a) >> at);
  return (uint32_t)(s32(a << (32 - at - width)) >> (32 - width));
}
OP3(v_bfe_i32, bfe_signed(a, b, c))
OP3(v_bfi_b32, (a & b) | (~a & c))
OP3(v_alignbit_b32, (uint32_t)(((uint64_t)a << 32 | b) >> (c & 31)))
OP3(v_alignbyte_b32, (uint32_t)(((uint64_t)a << 32 | b) >> 8 * (c & 3)))
OP3(v_min3_i32, imin(imin(a, b), c))
OP3(v_min3_u32, umin(umin(a, b), c))
OP3(v_max3_i32, imax(imax(a, b), c))
OP3(v_max3_u32, umax(umax(a, b), c))
OP3(v_med3_i32, imax(imin(a, b), imin(imax(a, b), c)))
OP3(v_med3_u32, umax(umin(a, b), umin(umax(a, b), c)))
static inline uint32_t perm_byte(uint64_t data, uint32_t sel) {
  // 0..7 a byte of {S0,S1}; 8..11 sign of a byte of odd number; 12 0; else ff.
  if (sel < 8)
    return (uint32_t)(data >> 8 * sel) & 0xff;
  if (sel < 12)
    return data >> (16 * (sel - 8) + 15) & 1 ? 0xff : 0;
  return sel == 12 ? 0 : 0xff;
}
static inline uint32_t perm(uint32_t a, uint32_t b, uint32_t c) {
  uint64_t data = (uint64_t)a << 32 | b;
  return perm_byte(data, c & 0xff) | perm_byte(data, c >> 8 & 0xff) << 8 |
         perm_byte(data, c >> 16 & 0xff) << 16 | perm_byte(data, c >> 24) << 24;
}
OP3(v_perm_b32, perm(a, b, c))
static inline uint32_t lerp(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t r = 0;
  for (int k = 0; k < 32; k += 8)
    r |= (((a >> k & 255) + (b >> k & 255) + (c >> k & 1)) >> 1) << k;
  return r;
}
OP3(v_lerp_u8, lerp(a, b, c))
OP3(v_add_lshl_u32, (a + b) << (c & 31))
OP3(v_lshl_add_u32, (a << (b & 31)) + c)
OP3(v_add3_u32, a + b + c)
OP3(v_lshl_or_b32, a << (b & 31) | c)
OP3(v_and_or_b32, (a & b) | c)
OP3(v_or3_b32, a | b | c)
OP3(v_xad_u32, (a ^ b) + c)
// Truth table in imm: bit 4*a + 2*b + c (gfx950, LLVM VOP3Instructions.td).
static inline uint32_t bitop3(uint32_t t, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t r = 0;
  for (unsigned k = 0; k < 8; k++)
    if (t >> k & 1)
      r |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
  return r;
}
OP3(v_bitop3_b32, bitop3(in->imm, a, b, c))
OP3(v_bitop3_b16, emu_zx16(bitop3(in->imm, a, b, c)))

// 16 bits: gfx9 writes zeros to the high half (LLVM
// GCNSubtarget::zeroesHigh16BitsOfDest).
OP2(v_add_u16, emu_sat16_u((int32_t)(emu_zx16(a) + emu_zx16(b)), CLAMP))
OP2(v_sub_u16, emu_sat16_u((int32_t)(emu_zx16(a) - emu_zx16(b)), CLAMP))
OP2(v_subrev_u16, emu_sat16_u((int32_t)(emu_zx16(b) - emu_zx16(a)), CLAMP))
OP2(v_add_i16, emu_sat16_s(emu_sx16(a) + emu_sx16(b), CLAMP))
OP2(v_sub_i16, emu_sat16_s(emu_sx16(a) - emu_sx16(b), CLAMP))
OP2(v_mul_lo_u16, umin(emu_zx16(a) * emu_zx16(b), CLAMP ? 65535 : ~0u) & 0xffff)
OP2(v_min_i16, emu_zx16(imin(sx16(a), sx16(b))))
OP2(v_max_i16, emu_zx16(imax(sx16(a), sx16(b))))
OP2(v_min_u16, umin(emu_zx16(a), emu_zx16(b)))
OP2(v_max_u16, umax(emu_zx16(a), emu_zx16(b)))
OP2(v_lshlrev_b16, emu_zx16(b << (a & 15)))
OP2(v_lshrrev_b16, emu_zx16(b) >> (a & 15))
OP2(v_ashrrev_i16, emu_zx16((uint32_t)(emu_sx16(b) >> (a & 15))))
OP3(v_mad_legacy_u16,
    emu_mad16(emu_zx16(a), emu_zx16(b), emu_zx16(c), 0, 65535, CLAMP))
OP3(v_mad_legacy_i16,
    emu_mad16(emu_sx16(a), emu_sx16(b), emu_sx16(c), -32768, 32767, CLAMP))
OP3(v_min3_i16, emu_zx16(imin(imin(sx16(a), sx16(b)), sx16(c))))
OP3(v_max3_i16, emu_zx16(imax(imax(sx16(a), sx16(b)), sx16(c))))
OP3(v_min3_u16, umin(umin(emu_zx16(a), emu_zx16(b)), emu_zx16(c)))
OP3(v_max3_u16, umax(umax(emu_zx16(a), emu_zx16(b)), emu_zx16(c)))
OP3(v_med3_i16, emu_zx16(imax(imin(sx16(a), sx16(b)),
                              imin(imax(sx16(a), sx16(b)), sx16(c)))))
OP3(v_med3_u16, umax(umin(emu_zx16(a), emu_zx16(b)),
                     umin(umax(emu_zx16(a), emu_zx16(b)), emu_zx16(c))))
OP3(v_mad_u32_u16, sat_u((uint64_t)emu_zx16(a) * emu_zx16(b) + c, CLAMP))
OP3(v_mad_i32_i16, sat_s((int64_t)emu_sx16(a) * emu_sx16(b) + s32(c), CLAMP))
// These two keep the high half on gfx9 (ibid.).
#define OP3_KEEP(name, expr)                                                   \
  EMU_EACH_LANE_OP(name, 3_OLD,                                                \
                   uint32_t keep =                                             \
                       in->flags & ISA_FLAG_DST_HI ? 0 : 0xffff0000u,          \
                   uint32_t a = pa[i], b = pb[i], c = pc[i];                   \
                   d[i] = (old[i] & keep) | emu_zx16(expr))
OP3_KEEP(v_mad_u16,
         emu_mad16(emu_zx16(a), emu_zx16(b), emu_zx16(c), 0, 65535, CLAMP))
OP3_KEEP(v_mad_i16,
         emu_mad16(emu_sx16(a), emu_sx16(b), emu_sx16(c), -32768, 32767, CLAMP))

OP2(v_pack_b32_f16, emu_zx16(a) | b << 16)
OP2(v_cvt_pk_u16_u32, umin(a, 65535) | umin(b, 65535) << 16)
OP2(v_cvt_pk_i16_i32, emu_sat16_s(s32(a), true) | emu_sat16_s(s32(b), true)
                                                      << 16)
static inline uint32_t sat8(int32_t x, int32_t lo, int32_t hi) {
  return (uint32_t)(x < lo ? lo : x > hi ? hi : x) & 255;
}
OP1(v_sat_pk_u8_i16, sat8(emu_sx16(a), 0, 255) | sat8(emu_sx16(a >> 16), 0, 255)
                                                     << 8)
OP3(v_ashr_pk_i8_i32, sat8(s32(a) >> (c & 31), -128, 127) |
                          sat8(s32(b) >> (c & 31), -128, 127) << 8)
OP3(v_ashr_pk_u8_i32,
    sat8(s32(a) >> (c & 31), 0, 255) | sat8(s32(b) >> (c & 31), 0, 255) << 8)

//===-- pairs, carries, masks ---------------------------------------------===//

#define OP64(name, sources, expr)                                              \
  EMU_LANES_OP(name, sources, , emu_put_pair(d, i, expr))
OP64(v_mov_b64, 1, emu_pair(pa, i))
OP64(v_lshlrev_b64, 2, emu_pair(pb, i) << (pa[i] & 63))
OP64(v_lshrrev_b64, 2, emu_pair(pb, i) >> (pa[i] & 63))
OP64(v_ashrrev_i64, 2, (uint64_t)((int64_t)emu_pair(pb, i) >> (pa[i] & 63)))
// Shifts by more than 4 are not there: none is done (CDNA4 ISA 12.11).
OP64(v_lshl_add_u64, 3,
     (emu_pair(pa, i) << ((pb[i] & 7) > 4 ? 0 : pb[i] & 7)) + emu_pair(pc, i))

// A lane mask result: bits of inactive lanes are 0.
static void put_mask(emu_wave *w, const isa_insn *in, int k, uint64_t bits) {
  uint64_t mask = emu_exec(w);
  if (in->src[0].mods & ISA_MOD_DPP)
    mask &= w->dpp_mask;
  emu_put64(w, &in->dst[k], bits & mask);
}

EMU_HANDLER(v_mad_u64_u32) {
  EMU_SRC3;
  uint32_t *d = w->tmp;
  uint64_t carry = 0;
  for (int i = 0; i < EMU_LANES; i++) {
    uint64_t c = emu_pair(pc, i), r = (uint64_t)pa[i] * pb[i] + c;
    carry |= (uint64_t)(r < c) << i;
    if (CLAMP && r < c)
      r = UINT64_MAX;
    emu_put_pair(d, i, r);
  }
  emu_dst_done(w, in, d);
  put_mask(w, in, 1, carry);
}
// The mask gets bit 64 of the sum, which is its sign (CDNA4 ISA 12.11).
EMU_HANDLER(v_mad_i64_i32) {
  EMU_SRC3;
  uint32_t *d = w->tmp;
  uint64_t carry = 0;
  for (int i = 0; i < EMU_LANES; i++) {
    int64_t product = (int64_t)s32(pa[i]) * s32(pb[i]), r;
    bool over = __builtin_add_overflow(product, (int64_t)emu_pair(pc, i), &r);
    bool negative = over ? r >= 0 : r < 0; // of the sum in 65 bits
    carry |= (uint64_t)negative << i;
    if (CLAMP && over)
      r = negative ? INT64_MIN : INT64_MAX;
    emu_put_pair(d, i, (uint64_t)r);
  }
  emu_dst_done(w, in, d);
  put_mask(w, in, 1, carry);
}

// Sum and carry of a + b + c or a - b - c.
static void carry_op(emu_wave *w, const isa_insn *in, const uint32_t *pa,
                     const uint32_t *pb, bool subtract, uint64_t carry_in) {
  uint32_t *d = w->tmp;
  uint64_t out = 0;
  for (int i = 0; i < EMU_LANES; i++) {
    uint64_t c = carry_in >> i & 1;
    uint64_t r =
        subtract ? (uint64_t)pa[i] - pb[i] - c : (uint64_t)pa[i] + pb[i] + c;
    uint64_t over = r >> 32 & 1;
    d[i] = CLAMP && over ? (subtract ? 0 : ~0u) : (uint32_t)r;
    out |= over << i;
  }
  emu_dst_done(w, in, d);
  put_mask(w, in, 1, out);
}
#define CARRY(name, a, b, subtract, carry_in)                                  \
  EMU_HANDLER(name) {                                                          \
    EMU_SRC2;                                                                  \
    carry_op(w, in, a, b, subtract, carry_in);                                 \
  }
CARRY(v_add_co_u32, pa, pb, false, 0)
CARRY(v_sub_co_u32, pa, pb, true, 0)
CARRY(v_subrev_co_u32, pb, pa, true, 0)
CARRY(v_addc_co_u32, pa, pb, false, emu_s64(w, &in->src[2]))
CARRY(v_subb_co_u32, pa, pb, true, emu_s64(w, &in->src[2]))
CARRY(v_subbrev_co_u32, pb, pa, true, emu_s64(w, &in->src[2]))

EMU_LANES_OP(v_cndmask_b32, 2, uint64_t mask = emu_s64(w, &in->src[2]),
             d[i] = mask >> i & 1 ? pb[i] : pa[i])

EMU_HANDLER(v_swap_b32) {
  uint64_t exec = emu_exec(w);
  uint32_t *a = w->v[in->dst[0].index], *b = w->v[in->src[0].index];
  for (int i = 0; i < EMU_LANES; i++)
    if (exec >> i & 1) {
      uint32_t t = a[i];
      a[i] = b[i];
      b[i] = t;
    }
}
