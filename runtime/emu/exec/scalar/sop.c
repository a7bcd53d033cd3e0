// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar arithmetic (SOP1, SOP2, SOPC, SOPK). CDNA3 ISA 12.1 to 12.4.
#include "lanes.h"

static inline void put32(emu_wave *w, const isa_insn *in, uint32_t x) {
  w->s[in->dst[0].index] = x;
}
static inline int32_t s32(uint32_t x) { return (int32_t)x; }

#define A32 uint32_t a = emu_s32(w, &in->src[0])
#define B32 uint32_t b = emu_s32(w, &in->src[1])
#define A64 uint64_t a = emu_s64(w, &in->src[0])
#define B64 uint64_t b = emu_s64(w, &in->src[1])
// Result only; and result with SCC = (result != 0).
#define S32(name, load, expr)                                                  \
  EMU_HANDLER(name) {                                                          \
    load;                                                                      \
    put32(w, in, expr);                                                        \
  }
#define S32Z(name, load, expr)                                                 \
  EMU_HANDLER(name) {                                                          \
    load;                                                                      \
    uint32_t r = (expr);                                                       \
    put32(w, in, r);                                                           \
    w->scc = r != 0;                                                           \
  }
#define S32C(name, load, expr, carry)                                          \
  EMU_HANDLER(name) {                                                          \
    load;                                                                      \
    uint32_t r = (expr);                                                       \
    w->scc = (carry);                                                          \
    put32(w, in, r);                                                           \
  }
#define S64(name, load, expr)                                                  \
  EMU_HANDLER(name) {                                                          \
    load;                                                                      \
    emu_put64(w, &in->dst[0], expr);                                           \
  }
#define S64Z(name, load, expr)                                                 \
  EMU_HANDLER(name) {                                                          \
    load;                                                                      \
    uint64_t r = (expr);                                                       \
    emu_put64(w, &in->dst[0], r);                                              \
    w->scc = r != 0;                                                           \
  }
#define AB                                                                     \
  A32;                                                                         \
  B32
#define AB64                                                                   \
  A64;                                                                         \
  B64

S32C(s_add_u32, AB, a + b, r < a)
S32C(s_sub_u32, AB, a - b, b > a)
S32C(s_add_i32, AB, a + b, ((a ^ r) & (b ^ r)) >> 31)
S32C(s_sub_i32, AB, a - b, ((a ^ b) & (a ^ r)) >> 31)
S32C(s_addc_u32, AB, a + b + w->scc, (uint64_t)a + b + w->scc > 0xffffffffu)
S32C(s_subb_u32, AB, a - b - w->scc, (uint64_t)b + w->scc > a)
S32C(s_min_i32, AB, s32(a) < s32(b) ? a : b, s32(a) < s32(b))
S32C(s_min_u32, AB, a < b ? a : b, a < b)
S32C(s_max_i32, AB, s32(a) > s32(b) ? a : b, s32(a) >= s32(b))
S32C(s_max_u32, AB, a > b ? a : b, a >= b)
S32(s_cselect_b32, AB, w->scc ? a : b)
S64(s_cselect_b64, AB64, w->scc ? a : b)
#define LOGIC(name, expr)                                                      \
  S32Z(s_##name##_b32, AB, (uint32_t)(expr))                                   \
  S64Z(s_##name##_b64, AB64, (expr))
LOGIC(and, a &b)
LOGIC(or, a | b)
LOGIC(xor, a ^ b)
LOGIC(andn2, a & ~b)
LOGIC(orn2, a | ~b)
LOGIC(nand, ~(a &b))
LOGIC(nor, ~(a | b))
LOGIC(xnor, ~(a ^ b))
S32Z(s_lshl_b32, AB, a << (b & 31))
S32Z(s_lshr_b32, AB, a >> (b & 31))
S32Z(s_ashr_i32, AB, (uint32_t)(s32(a) >> (b & 31)))
S64Z(s_lshl_b64, A64; B32, a << (b & 63))
S64Z(s_lshr_b64, A64; B32, a >> (b & 63))
S64Z(s_ashr_i64, A64; B32, (uint64_t)((int64_t)a >> (b & 63)))
S32(s_bfm_b32, AB, ((1u << (a & 31)) - 1) << (b & 31))
S64(s_bfm_b64, AB, ((1ull << (a & 63)) - 1) << (b & 63))
S32(s_mul_i32, AB, a *b)
S32(s_mul_hi_u32, AB, (uint32_t)((uint64_t)a *b >> 32))
S32(s_mul_hi_i32, AB, (uint32_t)((uint64_t)((int64_t)s32(a) * s32(b)) >> 32))

// Field: offset in bits 4:0 (5:0), width in bits 22:16.
static inline uint64_t field_u(uint64_t a, unsigned at, unsigned width,
                               unsigned bits) {
  if (!width)
    return 0;
  a >>= at;
  if (width >= bits - at)
    return a;
  return a & ((1ull << width) - 1);
}
static inline uint64_t field_s(uint64_t a, unsigned at, unsigned width,
                               unsigned bits) {
  if (!width)
    return 0;
  if (width > bits - at)
    width = bits - at;
  uint64_t r = field_u(a, at, width, bits);
  return width < 64 && (r >> (width - 1) & 1) ? r | ~0ull << width : r;
}
S32Z(s_bfe_u32, AB, (uint32_t)field_u(a, b & 31, b >> 16 & 127, 32))
S32Z(s_bfe_i32, AB, (uint32_t)field_s(a, b & 31, b >> 16 & 127, 32))
S64Z(s_bfe_u64, A64; B32, field_u(a, b & 63, b >> 16 & 127, 64))
S64Z(s_bfe_i64, A64; B32, field_s(a, b & 63, b >> 16 & 127, 64))
S32Z(s_absdiff_i32, AB, s32(a - b) < 0 ? 0u - (a - b) : a - b)
#define LSHL_ADD(n)                                                            \
  S32C(s_lshl##n##_add_u32, AB, (a << n) + b,                                  \
       ((uint64_t)a << n) + b > 0xffffffffu)
LSHL_ADD(1)
LSHL_ADD(2)
LSHL_ADD(3)
LSHL_ADD(4)
S32(s_pack_ll_b32_b16, AB, (a & 0xffff) | b << 16)
S32(s_pack_lh_b32_b16, AB, (a & 0xffff) | (b & 0xffff0000u))
S32(s_pack_hh_b32_b16, AB, a >> 16 | (b & 0xffff0000u))

//===-- one source --------------------------------------------------------===//

static inline uint64_t reverse64(uint64_t x) {
  x = (x >> 1 & 0x5555555555555555u) | (x & 0x5555555555555555u) << 1;
  x = (x >> 2 & 0x3333333333333333u) | (x & 0x3333333333333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0f0f0f0f0fu) | (x & 0x0f0f0f0f0f0f0f0fu) << 4;
  return __builtin_bswap64(x);
}
static inline uint64_t whole_quad(uint64_t x) {
  x |= x >> 1 & 0x5555555555555555u;
  x |= x >> 2;
  x &= 0x1111111111111111u;
  return x * 15;
}
static inline uint32_t first_one(uint64_t x) {
  return x ? (uint32_t)__builtin_ctzll(x) : ~0u;
}
static inline uint32_t leading(uint64_t x, unsigned bits) {
  return x ? (uint32_t)__builtin_clzll(x) - (64 - bits) : ~0u;
}
S32(s_mov_b32, A32, a)
S64(s_mov_b64, A64, a)
EMU_HANDLER(s_cmov_b32) {
  if (w->scc)
    put32(w, in, emu_s32(w, &in->src[0]));
}
EMU_HANDLER(s_cmov_b64) {
  if (w->scc)
    emu_put64(w, &in->dst[0], emu_s64(w, &in->src[0]));
}
S32Z(s_not_b32, A32, ~a)
S64Z(s_not_b64, A64, ~a)
S32Z(s_wqm_b32, A32, (uint32_t)whole_quad(a))
S64Z(s_wqm_b64, A64, whole_quad(a))
S32(s_brev_b32, A32, (uint32_t)(reverse64(a) >> 32))
S64(s_brev_b64, A64, reverse64(a))
S32Z(s_bcnt0_i32_b32, A32, 32u - (uint32_t)__builtin_popcount(a))
S32Z(s_bcnt1_i32_b32, A32, (uint32_t)__builtin_popcount(a))
S32Z(s_bcnt0_i32_b64, A64, 64u - (uint32_t)__builtin_popcountll(a))
S32Z(s_bcnt1_i32_b64, A64, (uint32_t)__builtin_popcountll(a))
S32(s_ff0_i32_b32, A32, first_one((uint32_t)~a))
S32(s_ff1_i32_b32, A32, first_one(a))
S32(s_ff0_i32_b64, A64, first_one(~a))
S32(s_ff1_i32_b64, A64, first_one(a))
S32(s_flbit_i32_b32, A32, leading(a, 32))
S32(s_flbit_i32_b64, A64, leading(a, 64))
S32(s_flbit_i32, A32, leading(s32(a) < 0 ? (uint32_t)~a : a, 32))
S32(s_flbit_i32_i64, A64, leading((int64_t)a < 0 ? ~a : a, 64))
S32(s_sext_i32_i8, A32, (uint32_t)(int32_t)(int8_t)(uint8_t)a)
S32(s_sext_i32_i16, A32, (uint32_t)(int32_t)(int16_t)(uint16_t)a)
S32(s_bitset0_b32, A32, w->s[in->dst[0].index] & ~(1u << (a & 31)))
S32(s_bitset1_b32, A32, w->s[in->dst[0].index] | 1u << (a & 31))
S64(s_bitset0_b64, A32,
    emu_get64(&w->s[in->dst[0].index]) & ~(1ull << (a & 63)))
S64(s_bitset1_b64, A32, emu_get64(&w->s[in->dst[0].index]) | 1ull << (a & 63))
S32Z(s_abs_i32, A32, s32(a) < 0 ? 0u - a : a)
static inline uint32_t quad_mask(uint64_t a) {
  uint32_t r = 0;
  for (int k = 0; k < 16; k++)
    r |= (uint32_t)((a >> 4 * k & 15) != 0) << k;
  return r;
}
S32Z(s_quadmask_b32, A32, quad_mask(a))
S64Z(s_quadmask_b64, A64, quad_mask(a))
static inline uint64_t replicate(uint32_t a) {
  uint64_t r = 0;
  for (int k = 0; k < 32; k++)
    r |= (uint64_t)(a >> k & 1) * 3 << 2 * k;
  return r;
}
S64(s_bitreplicate_b64_b32, A32, replicate(a))

// D = EXEC, then EXEC = source op EXEC, SCC = EXEC != 0.
#define SAVEEXEC(name, expr)                                                   \
  EMU_HANDLER(s_##name##_saveexec_b64) {                                       \
    uint64_t a = emu_s64(w, &in->src[0]), b = emu_exec(w), r = (expr);         \
    emu_put64(w, &in->dst[0], b);                                              \
    emu_set64(&w->s[ISA_SGPR_EXEC], r);                                        \
    w->scc = r != 0;                                                           \
  }
SAVEEXEC(and, a &b)
SAVEEXEC(or, a | b)
SAVEEXEC(xor, a ^ b)
SAVEEXEC(andn2, a & ~b)
SAVEEXEC(orn2, a | ~b)
SAVEEXEC(nand, ~(a &b))
SAVEEXEC(nor, ~(a | b))
SAVEEXEC(xnor, ~(a ^ b))
SAVEEXEC(andn1, ~a &b)
SAVEEXEC(orn1, ~a | b)
#define WREXEC(name, expr)                                                     \
  EMU_HANDLER(s_##name##_wrexec_b64) {                                         \
    uint64_t a = emu_s64(w, &in->src[0]), b = emu_exec(w), r = (expr);         \
    emu_set64(&w->s[ISA_SGPR_EXEC], r);                                        \
    emu_put64(w, &in->dst[0], r);                                              \
    w->scc = r != 0;                                                           \
  }
WREXEC(andn1, ~a &b)
WREXEC(andn2, a & ~b)

//===-- compares, constants -----------------------------------------------===//

#define TEST(name, load, expr)                                                 \
  EMU_HANDLER(name) {                                                          \
    load;                                                                      \
    w->scc = (expr);                                                           \
  }
TEST(s_cmp_eq_i32, AB, a == b)
TEST(s_cmp_lg_i32, AB, a != b)
TEST(s_cmp_gt_i32, AB, s32(a) > s32(b))
TEST(s_cmp_ge_i32, AB, s32(a) >= s32(b))
TEST(s_cmp_lt_i32, AB, s32(a) < s32(b))
TEST(s_cmp_le_i32, AB, s32(a) <= s32(b))
TEST(s_cmp_eq_u32, AB, a == b)
TEST(s_cmp_lg_u32, AB, a != b)
TEST(s_cmp_gt_u32, AB, a > b)
TEST(s_cmp_ge_u32, AB, a >= b)
TEST(s_cmp_lt_u32, AB, a < b)
TEST(s_cmp_le_u32, AB, a <= b)
TEST(s_cmp_eq_u64, AB64, a == b)
TEST(s_cmp_lg_u64, AB64, a != b)
TEST(s_bitcmp0_b32, AB, !(a >> (b & 31) & 1))
TEST(s_bitcmp1_b32, AB, a >> (b & 31) & 1)
TEST(s_bitcmp0_b64, A64; B32, !(a >> (b & 63) & 1))
TEST(s_bitcmp1_b64, A64; B32, a >> (b & 63) & 1)

S32(s_movk_i32, A32, a)
EMU_HANDLER(s_cmovk_i32) {
  if (w->scc)
    put32(w, in, emu_s32(w, &in->src[0]));
}
EMU_HANDLER(s_addk_i32) {
  A32;
  uint32_t old = w->s[in->dst[0].index], r = old + a;
  w->scc = ((old ^ r) & (a ^ r)) >> 31;
  put32(w, in, r);
}
EMU_HANDLER(s_mulk_i32) {
  A32;
  put32(w, in, w->s[in->dst[0].index] * a);
}

// Relative scalar registers. An index out of range reads s0 and writes nothing
// (CDNA4 ISA 3.6.1).
enum { SGPRS_IN_RANGE = 102 };
static const uint32_t *relative_source(const emu_wave *w, const isa_insn *in,
                                       unsigned regs) {
  uint64_t at = (uint64_t)in->src[0].index + w->s[ISA_SGPR_M0];
  return &w->s[at + regs > SGPRS_IN_RANGE ? 0 : at];
}
EMU_HANDLER(s_movrels_b32) { put32(w, in, *relative_source(w, in, 1)); }
EMU_HANDLER(s_movrels_b64) {
  emu_put64(w, &in->dst[0], emu_get64(relative_source(w, in, 2)));
}
EMU_HANDLER(s_movreld_b32) {
  uint64_t at = (uint64_t)in->dst[0].index + w->s[ISA_SGPR_M0];
  if (at < SGPRS_IN_RANGE)
    w->s[at] = emu_s32(w, &in->src[0]);
}
EMU_HANDLER(s_movreld_b64) {
  uint64_t at = (uint64_t)in->dst[0].index + w->s[ISA_SGPR_M0];
  if (at + 1 < SGPRS_IN_RANGE)
    emu_set64(&w->s[at], emu_s64(w, &in->src[0]));
}
