// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The only code that reads and writes vector operands. A handler gets pointers
/// to 64 values per register (128 for pairs: low halves, then high halves) and
/// writes 64 results. This code applies EXEC, DPP, SDWA, op_sel, neg, abs, omod
/// and clamp.
///
/// exec/ is compiled once for each host variant (EMU_VARIANT: base, avx2,
/// avx512); the names of handlers end in the variant. Results must not depend
/// on the variant: no contraction, fma only where the ISA has a fused
/// operation.
#ifndef FMHAC_EMU_LANES_H
#define FMHAC_EMU_LANES_H

#include "access.h"
#include "findings.h"
#include "queues.h"

#ifndef EMU_VARIANT
#define EMU_VARIANT base
#endif
#define EMU_CAT2(a, b) a##_##b
#define EMU_CAT(a, b) EMU_CAT2(a, b)
/// Name of a handler in this variant.
#define EMU_FN(name) EMU_CAT(emu_x_##name, EMU_VARIANT)
#define EMU_HANDLER(name) void EMU_FN(name)(emu_wave * w, const isa_insn *in)

// Every handler's prototype, from the table.
#define ISA_INSN(mn, family, operands, counters, handler, status, source)      \
  EMU_HANDLER(handler);
#include "isa.def"
#undef ISA_INSN
EMU_HANDLER(run_off);

/// Reads a source with modifiers, SDWA, DPP or from a scalar register.
const uint32_t *EMU_FN(read_slow)(emu_wave *w, const isa_insn *in,
                                  const isa_operand *o);
/// Merges results in w->tmp into the destination under EXEC, DPP and SDWA,
/// after omod and clamp.
void EMU_FN(write_slow)(emu_wave *w, const isa_insn *in, uint32_t *from,
                        const isa_operand *o);

/// 64 values of source `k` (pairs: 128).
static inline const uint32_t *emu_src(emu_wave *w, const isa_insn *in, int k) {
  const isa_operand *o = &in->src[k];
  if (o->mods == 0 && !w->gpr_idx) {
    if (o->kind == ISA_OPERAND_VGPR)
      return w->v[o->index];
    if (o->kind == ISA_OPERAND_CONST)
      return o->lanes;
  }
  return EMU_FN(read_slow)(w, in, o);
}

/// The value of the destination before the instruction.
static inline const uint32_t *EMU_FN(old_dst)(const emu_wave *w,
                                              const isa_insn *in) {
  int index = in->dst[0].index;
  if (emu_gpr_idx(w, in) & 8)
    index = emu_gpr_indexed(w, in->dst[0].index, in->dst[0].regs);
  return w->v[index < 0 ? 0 : index]; // out of range: v0 (CDNA4 ISA 3.6.1)
}

/// The memory for the results: the register itself if all lanes are active.
static inline uint32_t *emu_dst(emu_wave *w, const isa_insn *in) {
  if (emu_exec(w) == ~0ull && !(in->flags & ISA_FLAG_SLOW_DST) && !w->gpr_idx)
    return w->v[in->dst[0].index];
  return w->tmp;
}
static inline void emu_dst_done(emu_wave *w, const isa_insn *in, uint32_t *d) {
  if (d == w->tmp)
    EMU_FN(write_slow)(w, in, d, &in->dst[0]);
}

/// The sources of a handler: pa, pb, pc; OLD: the destination before it.
#define EMU_SRC1 const uint32_t *pa = emu_src(w, in, 0)
#define EMU_SRC2 EMU_SRC1, *pb = emu_src(w, in, 1)
#define EMU_SRC3 EMU_SRC2, *pc = emu_src(w, in, 2)
#define EMU_OLD *old = EMU_FN(old_dst)(w, in)
#define EMU_SRC2_OLD EMU_SRC2, EMU_OLD
#define EMU_SRC3_OLD EMU_SRC3, EMU_OLD
/// A handler whose body computes d[i] for each lane `i`, all lanes at once.
/// `sources` ends the name EMU_SRC*; `before` comes before the loop.
#define EMU_LANES_OP(name, sources, before, ...)                               \
  EMU_HANDLER(name) {                                                          \
    EMU_SRC##sources;                                                          \
    uint32_t *d = emu_dst(w, in);                                              \
    before;                                                                    \
    EMU_LANE_LOOP { __VA_ARGS__; }                                             \
    emu_dst_done(w, in, d);                                                    \
  }
/// The same, lane after lane, into w->tmp: d[] is never a source.
#define EMU_EACH_LANE_OP(name, sources, before, ...)                           \
  EMU_HANDLER(name) {                                                          \
    EMU_SRC##sources;                                                          \
    uint32_t *d = w->tmp;                                                      \
    before;                                                                    \
    for (int i = 0; i < EMU_LANES; i++) {                                      \
      __VA_ARGS__;                                                             \
    }                                                                          \
    emu_dst_done(w, in, d);                                                    \
  }

/// Value of a scalar source (32 bits).
static inline uint32_t emu_s32(const emu_wave *w, const isa_operand *o) {
  switch (o->kind) {
  case ISA_OPERAND_SGPR:
    return w->s[o->index];
  case ISA_OPERAND_CONST:
    return o->lanes[0];
  case ISA_OPERAND_SCC:
    return w->scc;
  case ISA_OPERAND_VCCZ:
    return emu_vcc(w) == 0;
  case ISA_OPERAND_EXECZ:
    return emu_exec(w) == 0;
  default:
    return 0;
  }
}
/// Value of a scalar source (64 bits).
static inline uint64_t emu_s64(const emu_wave *w, const isa_operand *o) {
  if (o->kind == ISA_OPERAND_SGPR)
    return emu_get64(&w->s[o->index]);
  if (o->kind == ISA_OPERAND_CONST)
    return o->lanes[0] | (uint64_t)o->lanes[64] << 32;
  return emu_s32(w, o);
}
/// Writes a lane mask or a scalar pair.
static inline void emu_put64(emu_wave *w, const isa_operand *o, uint64_t x) {
  emu_set64(&w->s[o->index], x);
}

/// Lane `i` of a pair of registers.
static inline uint64_t emu_pair(const uint32_t *p, int i) {
  return p[i] | (uint64_t)p[64 + i] << 32;
}
static inline void emu_put_pair(uint32_t *p, int i, uint64_t x) {
  p[i] = (uint32_t)x;
  p[64 + i] = (uint32_t)(x >> 32);
}

static inline float emu_f32(uint32_t x) {
  float f;
  memcpy(&f, &x, 4);
  return f;
}
static inline uint32_t emu_u32(float f) {
  uint32_t x;
  memcpy(&x, &f, 4);
  return x;
}
static inline double emu_f64(uint64_t x) {
  double f;
  memcpy(&f, &x, 8);
  return f;
}
static inline uint64_t emu_u64(double f) {
  uint64_t x;
  memcpy(&x, &f, 8);
  return x;
}
/// Flushes a denormal f32 to a zero of its sign unless `keep` is ~0.
static inline uint32_t emu_flush32(uint32_t x, uint32_t keep) {
  return (x & 0x7f800000u) == 0 ? x & (0x80000000u | keep) : x;
}
/// The same for f64.
static inline uint64_t emu_flush64(uint64_t x, uint32_t keep) {
  return x << 1 >> 53 ? x : x & (1ull << 63 | (uint64_t)keep << 32 | keep);
}
static inline bool emu_isnan32(uint32_t x) {
  return (x & 0x7fffffffu) > 0x7f800000u;
}

#endif // FMHAC_EMU_LANES_H
