// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers that are read before they are written: how instructions pass
// undefined values on, and which instructions have a lasting effect. Registers
// that are set at the start of a wave: LLVM "User Guide for AMDGPU Backend",
// "Initial Kernel Execution State".
#include "undefined.h"

#include <stdio.h>

#include "dpp.h"
#include "queues.h"

//===-- registers ---------------------------------------------------------===//

static void set_s(struct emu_init *init, unsigned first, unsigned count) {
  for (unsigned r = first; r < first + count && r < ISA_SGPRS; r++)
    init->s[r] = ~0u;
}

void emu_init_start(emu_wave *w, uint32_t user_sgprs) {
  struct emu_init *init = w->init;
  memset(init, 0, sizeof *init);
  set_s(init, 0, user_sgprs);
  // Set by hardware or by the trap handler.
  set_s(init, ISA_SGPR_FLAT_SCRATCH, 2);
  set_s(init, ISA_SGPR_XNACK_MASK, 2);
  set_s(init, ISA_SGPR_TTMP, 16);
  set_s(init, ISA_SGPR_EXEC, 2);
  init->v[0] = emu_exec(w);
}

// The part of `lanes` in which some register of the operand is undefined.
static uint64_t missing_v(const struct emu_init *init, const isa_operand *o,
                          uint64_t lanes) {
  uint64_t set = ~0ull;
  for (unsigned r = o->index; r < o->index + (unsigned)o->regs; r++)
    set &= r < ISA_VGPRS ? init->v[r] : ~0ull;
  return lanes & ~set;
}
// The part of `bits` of a scalar register that is undefined.
static uint32_t missing_s(const struct emu_init *init, unsigned r,
                          uint32_t bits) {
  return r < ISA_SGPRS ? bits & ~init->s[r] : 0;
}

static inline void use_v(emu_wave *w, const isa_operand *o, uint64_t lanes) {
  uint64_t missing = missing_v(w->init, o, lanes);
  if (__builtin_expect(missing != 0, 0))
    emu_report_unwritten_v(w, o, missing);
}
static inline void use_s(emu_wave *w, unsigned first, unsigned count,
                         uint64_t bits) {
  for (unsigned k = 0; k < count; k++)
    if (__builtin_expect(missing_s(w->init, first + k,
                                   (uint32_t)(bits >> (k & 1 ? 32 : 0))) != 0,
                         0))
      emu_report_unwritten_s(w, first + k);
}

// Packed f32: op_sel may take one register of the pair twice.
static isa_operand taken(const isa_operand *o) {
  isa_operand used = *o;
  bool second_low = o->mods & ISA_MOD_OPSEL;
  bool second_high = !(o->mods & ISA_MOD_OPSELH);
  if (second_low == second_high) {
    used.index = (uint16_t)(o->index + second_low);
    used.regs = 1;
  }
  return used;
}

static inline void use(emu_wave *w, const isa_operand *o, uint64_t lanes) {
  isa_operand used;
  if (o->type == ISA_TYPE_PKF32 && o->regs == 2) {
    used = taken(o);
    o = &used;
  }
  if (o->kind == ISA_OPERAND_VGPR)
    use_v(w, o, lanes);
  else if (o->kind == ISA_OPERAND_SGPR)
    use_s(w, o->index, o->regs, ~0ull);
}

//===-- passing values on -------------------------------------------------===//

static uint16_t origin_of_v(emu_wave *w, unsigned r, uint64_t lanes) {
  const uint16_t from = w->init->v_from[r];
  const int lane = lanes ? __builtin_ctzll(lanes) : 0;
  return from ? from
              : emu_origin_of(w, (emu_origin){.kind = EMU_ORIGIN_V,
                                              .index = r,
                                              .lane = lane});
}
static uint16_t origin_of_s(emu_wave *w, unsigned r) {
  const uint16_t from = w->init->s_from[r];
  return from
             ? from
             : emu_origin_of(w, (emu_origin){.kind = EMU_ORIGIN_S, .index = r});
}

static void add_taint(emu_taint *t, uint64_t lanes, uint16_t from) {
  if (!t->lanes)
    t->from = from;
  t->lanes |= lanes;
}

static __attribute__((noinline)) void take_missing(emu_wave *w,
                                                   const isa_operand *o,
                                                   uint64_t missing,
                                                   emu_taint *t) {
  unsigned r = o->index;
  while (!(missing & ~w->init->v[r]))
    r++;
  add_taint(t, missing, origin_of_v(w, r, missing));
}

// An operand whose value is passed on.
static inline void take(emu_wave *w, const isa_operand *o, uint64_t lanes,
                        emu_taint *t) {
  isa_operand used;
  if (o->type == ISA_TYPE_PKF32 && o->regs == 2) {
    used = taken(o);
    o = &used;
  }
  if (o->kind == ISA_OPERAND_VGPR) {
    const uint64_t missing = missing_v(w->init, o, lanes);
    if (__builtin_expect(missing != 0, 0))
      take_missing(w, o, missing, t);
  }
  for (unsigned k = 0; o->kind == ISA_OPERAND_SGPR && k < o->regs; k++)
    if (__builtin_expect(missing_s(w->init, o->index + k, ~0u) != 0, 0))
      add_taint(t, ~0ull, origin_of_s(w, o->index + k));
}

// A lane mask in two scalar registers: each lane on its own.
static void take_mask(emu_wave *w, unsigned first, uint64_t lanes,
                      emu_taint *t) {
  const uint64_t missing = lanes & ~emu_get64(&w->init->s[first]);
  if (__builtin_expect(missing != 0, 0))
    add_taint(t, missing,
              origin_of_s(w, first + ((uint32_t)missing == 0 ? 1 : 0)));
}

static void take_scc(emu_wave *w, emu_taint *t) {
  const uint16_t from = w->init->scc_from;
  add_taint(t, ~0ull,
            from ? from
                 : emu_origin_of(w, (emu_origin){.kind = EMU_ORIGIN_SCC}));
}

static void pass_on(struct emu_init *init, const isa_operand *dst, unsigned k,
                    uint64_t lanes, uint64_t is, uint16_t from) {
  unsigned r = dst->index + k;
  if (dst->kind == ISA_OPERAND_SGPR && r < ISA_SGPRS) {
    init->s[r] = is ? ~0u : 0;
    init->s_from[r] = from;
  } else if (dst->kind == ISA_OPERAND_VGPR && r < ISA_VGPRS) {
    init->v[r] = (init->v[r] & ~lanes) | (is & lanes);
    if (lanes & ~is)
      init->v_from[r] = from;
  }
}

static void define(struct emu_init *init, const isa_operand *o,
                   uint64_t lanes) {
  if (o->kind == ISA_OPERAND_SGPR)
    set_s(init, o->index, o->regs);
  if (o->kind != ISA_OPERAND_VGPR)
    return;
  for (unsigned r = o->index; r < o->index + (unsigned)o->regs; r++)
    if (r < ISA_VGPRS)
      init->v[r] |= lanes;
}

// The destination is undefined where the operands are: in lanes of vector
// registers, in lanes of masks, or in a whole scalar.
static __attribute__((noinline)) void taint(struct emu_init *init,
                                            const isa_operand *o,
                                            uint64_t lanes,
                                            const emu_taint *t) {
  for (unsigned k = 0; k < o->regs; k++) {
    const unsigned r = o->index + k;
    const uint32_t bits = (uint32_t)((t->lanes & lanes) >> (k & 1 ? 32 : 0));
    if (o->kind == ISA_OPERAND_VGPR) {
      pass_on(init, o, k, lanes, ~t->lanes, t->from);
    } else if (o->kind == ISA_OPERAND_SGPR && r < ISA_SGPRS && bits) {
      init->s[r] = ~bits;
      init->s_from[r] = t->from;
    }
  }
}

static inline void define_as(emu_wave *w, const isa_insn *in, uint64_t lanes,
                             const emu_taint *t) {
  const bool scalar = in->family == ISA_SOP;
  for (unsigned i = 0; i < in->ndst; i++) {
    define(w->init, &in->dst[i], lanes);
    if (__builtin_expect(t->lanes != 0, 0))
      taint(w->init, &in->dst[i], scalar ? ~0ull : lanes, t);
  }
  if (__builtin_expect(t->lanes && scalar && !(in->flags & ISA_FLAG_SCC_KEPT),
                       0)) {
    w->init->scc = false;
    w->init->scc_from = t->from;
  }
}

// Lanes in which register `k` of a source is defined. A scalar register counts
// as defined if some of its bits are: a lane mask that is moved through a
// vector register is defined in the bits that will be used.
static uint64_t known(const struct emu_init *init, const isa_operand *o,
                      unsigned k) {
  if (o->kind == ISA_OPERAND_VGPR && o->index + k < ISA_VGPRS)
    return init->v[o->index + k];
  if (o->kind == ISA_OPERAND_SGPR && o->index + k < ISA_SGPRS)
    return init->s[o->index + k] ? ~0ull : 0;
  return ~0ull;
}
// The origin of the undefined lanes.
static uint16_t from_of(const struct emu_init *init, const isa_operand *o,
                        unsigned k) {
  if (o->kind == ISA_OPERAND_VGPR && o->index + k < ISA_VGPRS)
    return init->v_from[o->index + k];
  if (o->kind == ISA_OPERAND_SGPR && o->index + k < ISA_SGPRS)
    return init->s_from[o->index + k];
  return 0;
}

// The defined bits of register `k` of a scalar source, and their values.
static uint32_t known_bits(const emu_wave *w, const isa_operand *o, unsigned k,
                           uint32_t *value) {
  *value = 0;
  if (o->kind == ISA_OPERAND_CONST)
    *value = o->lanes[64 * k];
  if (o->kind != ISA_OPERAND_SGPR || o->index + k >= ISA_SGPRS)
    return ~0u;
  *value = w->s[o->index + k];
  return w->init->s[o->index + k];
}

static bool all_known(const struct emu_init *init, const isa_operand *o) {
  for (unsigned r = o->index; r < o->index + (unsigned)o->regs; r++)
    if (o->kind == ISA_OPERAND_SGPR && missing_s(init, r, ~0u))
      return false;
  return true;
}

static void copy(emu_wave *w, const isa_insn *in, const isa_operand *from,
                 uint64_t exec) {
  const isa_operand *to = &in->dst[0];
  for (unsigned k = 0; k < to->regs; k++)
    if (to->kind == ISA_OPERAND_SGPR && from->kind == ISA_OPERAND_SGPR &&
        to->index + k < ISA_SGPRS && from->index + k < ISA_SGPRS) {
      w->init->s[to->index + k] = w->init->s[from->index + k];
      w->init->s_from[to->index + k] = w->init->s_from[from->index + k];
    } else {
      pass_on(w->init, to, k, exec, known(w->init, from, k),
              from_of(w->init, from, k));
    }
}

// EXEC is read implicitly by later instructions: its new value must be defined.
static bool writes_exec(const isa_insn *in) {
  for (unsigned i = 0; i < in->ndst; i++)
    if (in->dst[i].kind == ISA_OPERAND_SGPR &&
        in->dst[i].index < ISA_SGPR_EXEC + 2 &&
        in->dst[i].index + in->dst[i].regs > ISA_SGPR_EXEC)
      return true;
  return false;
}

// Whether SCC (result != 0) is defined if some bits of the result are not.
static bool scc_known(const isa_insn *in, const uint32_t known_result[2],
                      const uint32_t result[2]) {
  bool inverts = in->flags & ISA_FLAG_INVERTS;
  uint32_t ones = 0;
  for (unsigned k = 0; k < in->dst[0].regs && k < 2; k++)
    ones |= known_result[k] & (inverts ? ~result[k] : result[k]);
  return ones != 0;
}

static void logic(emu_wave *w, const isa_insn *in) {
  isa_data_class is = (isa_data_class)in->data_class;
  // Defined bits and value before an inversion; the destination may be a
  // source.
  uint32_t known_result[2] = {0, 0}, result[2] = {0, 0};
  uint16_t from[2] = {0, 0};
  bool all = true;
  for (unsigned k = 0; k < in->dst[0].regs && k < 2; k++) {
    uint32_t a, b;
    uint32_t known_a = known_bits(w, &in->src[0], k, &a);
    uint32_t known_b = known_bits(w, &in->src[1], k, &b);
    const isa_operand *unknown = ~known_a ? &in->src[0] : &in->src[1];
    if (~known_a | ~known_b)
      from[k] = origin_of_s(w, unknown->index + k);
    b = is == ISA_DATA_AND_NOT || is == ISA_DATA_OR_NOT ? ~b : b;
    known_result[k] = known_a & known_b;
    if (is == ISA_DATA_AND || is == ISA_DATA_AND_NOT) {
      known_result[k] |= (known_a & ~a) | (known_b & ~b);
      result[k] = a & b;
    } else if (is == ISA_DATA_XOR) {
      result[k] = a ^ b;
    } else {
      known_result[k] |= (known_a & a) | (known_b & b);
      result[k] = a | b;
    }
    all &= known_result[k] == ~0u;
  }
  w->init->scc = all || scc_known(in, known_result, result);
  w->init->scc_from = from[0] ? from[0] : from[1];
  for (unsigned k = 0; k < in->dst[0].regs && k < 2; k++) {
    if (writes_exec(in) && ~known_result[k]) {
      use(w, &in->src[0], 0);
      use(w, &in->src[1], 0);
      known_result[k] = ~0u;
    }
    if (in->dst[0].kind == ISA_OPERAND_SGPR &&
        in->dst[0].index + k < ISA_SGPRS) {
      w->init->s[in->dst[0].index + k] = known_result[k];
      w->init->s_from[in->dst[0].index + k] = from[k];
    }
  }
}

/// Whether it works bit by bit: undefined bits keep their positions.
static bool is_logic(const isa_insn *in) {
  return in->data_class == ISA_DATA_AND || in->data_class == ISA_DATA_AND_NOT ||
         in->data_class == ISA_DATA_OR || in->data_class == ISA_DATA_OR_NOT ||
         in->data_class == ISA_DATA_XOR;
}

static bool known_zero(const emu_wave *w, const isa_operand *o) {
  uint32_t value;
  return (o->kind == ISA_OPERAND_CONST || o->kind == ISA_OPERAND_SGPR) &&
         known_bits(w, o, 0, &value) == ~0u && value == 0;
}

// A factor 0 makes the product defined, even if the other factor is undefined.
static void multiply(emu_wave *w, const isa_insn *in, uint64_t exec) {
  bool zero[2] = {known_zero(w, &in->src[0]), known_zero(w, &in->src[1])};
  emu_taint t = {0};
  for (unsigned i = 0; i < 2; i++)
    if (!zero[1 - i])
      take(w, &in->src[i], exec, &t);
  define_as(w, in, exec, &t);
}

/// `first` are the lanes in which the first source is defined.
static void select_one(emu_wave *w, const isa_insn *in, uint64_t exec,
                       uint64_t first) {
  bool explicit = in->nsrc > 2 && in->src[2].kind == ISA_OPERAND_SGPR;
  unsigned mask = explicit ? in->src[2].index : (unsigned)ISA_SGPR_VCC;
  emu_taint t = {0};
  take_mask(w, mask, exec, &t);
  uint64_t second = emu_get64(&w->s[mask]);
  uint64_t known_second = known(w->init, &in->src[1], 0);
  if (!t.lanes)
    t.from =
        from_of(w->init, &in->src[exec & second & ~known_second ? 1 : 0], 0);
  pass_on(w->init, &in->dst[0], 0, exec,
          ((first & ~second) | (known_second & second)) & ~t.lanes, t.from);
}

// Exchanges `lanes` of the destination with the lanes `distance` below of the
// source. Active lanes are written, whether their partners are active or not
// (exec/vector/lane.c).
static void swap_lanes(emu_wave *w, const isa_insn *in, uint64_t lanes,
                       unsigned distance, uint64_t exec) {
  const isa_operand *x = &in->dst[0], *y = &in->src[0];
  uint64_t a = known(w->init, x, 0), b = known(w->init, y, 0);
  const uint16_t from_a = from_of(w->init, x, 0),
                 from_b = from_of(w->init, y, 0);
  pass_on(w->init, x, 0, lanes & exec, b << distance, from_b);
  pass_on(w->init, y, 0, lanes >> distance & exec, a >> distance, from_a);
}

static unsigned lane_of(const emu_wave *w, const isa_operand *o) {
  return (o->kind == ISA_OPERAND_SGPR    ? w->s[o->index]
          : o->kind == ISA_OPERAND_CONST ? o->lanes[0]
                                         : 0) &
         63;
}

static void read_lane(emu_wave *w, const isa_insn *in) {
  emu_taint t = {0};
  take(w, &in->src[1], ~0ull, &t);
  uint64_t is = known(w->init, &in->src[0], 0) >> lane_of(w, &in->src[1]) & 1;
  pass_on(w->init, &in->dst[0], 0, ~0ull, t.lanes ? 0 : is,
          t.lanes ? t.from : from_of(w->init, &in->src[0], 0));
}

static void add_wide(emu_wave *w, const isa_insn *in, uint64_t exec) {
  isa_operand low = in->src[2];
  emu_taint t = {0};
  low.regs = 1;
  take(w, &in->src[0], exec, &t);
  take(w, &in->src[1], exec, &t);
  take(w, &low, exec, &t);
  const uint64_t high = known(w->init, &in->src[2], 1);
  const uint16_t from = from_of(w->init, &in->src[2], 1);
  define_as(w, in, exec, &t);
  if (exec & ~high & ~t.lanes)
    pass_on(w->init, &in->dst[0], 1, exec, high & ~t.lanes, from);
}

// D is defined where C is, if A, B and the other operands are defined in all
// lanes.
static void multiply_matrix(emu_wave *w, const isa_insn *in) {
  const bool in_place = in->flags & ISA_FLAG_DST_READ;
  const isa_operand *c = in_place ? &in->dst[0] : &in->src[2];
  emu_taint t = {0};
  for (unsigned i = 0; i < in->nsrc; i++)
    if (in_place || i != 2)
      take(w, &in->src[i], ~0ull, &t);
  for (unsigned k = 0; k < in->dst[0].regs; k++) {
    const uint64_t is = known(w->init, c, k);
    uint16_t from = t.from;
    if (!t.lanes && ~is)
      from = origin_of_v(w, c->index + k, ~is);
    pass_on(w->init, &in->dst[0], k, ~0ull, t.lanes ? 0 : is, from);
  }
}

/// The source lanes of DPP.
typedef struct dpp_lanes {
  int8_t from[EMU_LANES]; ///< -1: no source
  uint64_t read;          ///< of the first source
  uint64_t written;
} dpp_lanes;

static dpp_lanes dpp_lanes_of(const isa_insn *in, uint64_t exec) {
  dpp_lanes d = {.read = 0};
  for (int i = 0; i < EMU_LANES; i++) {
    int from = emu_dpp_source(in->dpp, i);
    bool valid = from >= 0 && exec >> from & 1;
    bool written = exec >> i & 1 && emu_dpp_enabled(in, i) &&
                   (valid || in->flags & ISA_FLAG_DPP_ZERO);
    d.from[i] = (int8_t)(valid ? from : -1);
    d.written |= (uint64_t)written << i;
    if (written && valid)
      d.read |= 1ull << from;
  }
  return d;
}

/// The lanes in which register `k` of the first source is defined after DPP;
/// lanes without a source read 0.
static uint64_t dpp_known(const emu_wave *w, const isa_insn *in,
                          const dpp_lanes *d, unsigned k) {
  uint64_t before = known(w->init, &in->src[0], k), is = 0;
  for (int i = 0; i < EMU_LANES; i++)
    is |= (uint64_t)(d->from[i] < 0 || before >> d->from[i] & 1) << i;
  return is;
}

static void check_dpp(emu_wave *w, const isa_insn *in, uint64_t exec) {
  const dpp_lanes d = dpp_lanes_of(in, exec);
  const unsigned regs = in->src[0].regs;
  if (in->data_class == ISA_DATA_COPY) {
    uint64_t is[2]; // the destination may be the source
    uint16_t from[2];
    for (unsigned k = 0; k < in->dst[0].regs && k < 2; k++) {
      is[k] = dpp_known(w, in, &d, k);
      from[k] = from_of(w->init, &in->src[0], k);
    }
    for (unsigned k = 0; k < in->dst[0].regs && k < 2; k++)
      pass_on(w->init, &in->dst[0], k, d.written, is[k], from[k]);
    return;
  }
  if (in->data_class == ISA_DATA_SELECT) {
    select_one(w, in, d.written, dpp_known(w, in, &d, 0));
    return;
  }
  emu_taint t = {0};
  for (unsigned k = 0; in->src[0].kind == ISA_OPERAND_VGPR && k < regs; k++) {
    const uint64_t lost = d.written & ~dpp_known(w, in, &d, k);
    if (lost)
      add_taint(&t, lost, origin_of_v(w, in->src[0].index + k, lost));
  }
  for (unsigned i = 1; i < in->nsrc; i++)
    take(w, &in->src[i], d.written, &t);
  if (in->flags & ISA_FLAG_DST_READ)
    take(w, &in->dst[0], d.written, &t);
  if (in->flags & ISA_FLAG_VCC_READ)
    take_mask(w, ISA_SGPR_VCC, d.written, &t);
  if (t.lanes && (in->data_class == ISA_DATA_USE || writes_exec(in))) {
    emu_report_origin(w, t.from, t.lanes);
    t.lanes = 0;
  }
  define_as(w, in, d.written, &t);
}

// Arithmetic: the result is undefined where an operand is.
static void pass_value(emu_wave *w, const isa_insn *in, uint64_t exec,
                       emu_taint *t) {
  for (unsigned i = 0; i < in->nsrc; i++)
    take(w, &in->src[i], exec, t);
  if (in->flags & ISA_FLAG_DST_READ)
    take(w, &in->dst[0], exec, t);
  if (in->flags & ISA_FLAG_VCC_READ)
    take_mask(w, ISA_SGPR_VCC, exec, t);
  if (t->lanes && in->data_class == ISA_DATA_EXCHANGE)
    t->lanes = ~0ull;
  define_as(w, in, exec, t);
}

static void use_all(emu_wave *w, const isa_insn *in, uint64_t exec) {
  for (unsigned i = 0; i < in->nsrc; i++)
    use(w, &in->src[i], exec);
  if (in->flags & ISA_FLAG_DST_READ)
    use(w, &in->dst[0], exec);
  // A defined bit that is 1 decides a branch, even if other bits are undefined.
  const uint64_t ones = emu_get64(&w->init->s[ISA_SGPR_VCC]) & emu_vcc(w);
  if (in->flags & ISA_FLAG_VCC_READ && !(in->family == ISA_SOP && ones))
    use_s(w, ISA_SGPR_VCC, 2, exec);
  if (in->data_class == ISA_DATA_USE_M0)
    use_s(w, ISA_SGPR_M0, 1, ~0ull);
  for (unsigned i = 0; i < in->ndst; i++)
    define(w->init, &in->dst[i], exec);
}

// Private memory is not followed, so a result of arithmetic that is stored
// there counts as used. Registers that no arithmetic has changed, and masks
// with some defined bits (s_or_b64 x, x, exec), do not count: compilers save
// them without need.
static void spill(emu_wave *w, const isa_insn *in, uint64_t exec) {
  use(w, &in->src[0], exec);
  use(w, &in->src[1], exec);
  for (unsigned i = 2; i < in->nsrc; i++)
    for (unsigned k = 0;
         in->src[i].kind == ISA_OPERAND_VGPR && k < in->src[i].regs; k++) {
      const unsigned r = in->src[i].index + k;
      if (r >= ISA_VGPRS)
        break;
      const uint16_t from = w->init->v_from[r];
      const uint64_t missing = exec & ~w->init->v[r];
      if (missing && from && !is_logic(emu_origin_reader(w, from)))
        emu_report_origin(w, from, missing);
    }
}

static void select_scc(emu_wave *w, const isa_insn *in, uint64_t exec,
                       const emu_taint *t) {
  if (t->lanes) { // the selected operand is not known
    define_as(w, in, exec, t);
  } else if (w->scc || in->nsrc > 1) {
    const isa_operand *from = &in->src[w->scc ? 0 : 1];
    if (writes_exec(in))
      use(w, from, exec);
    copy(w, in, from, exec);
  }
}

/// `t`: the undefined part of SCC.
static void check(emu_wave *w, const isa_insn *in, uint64_t exec,
                  emu_taint *t) {
  if (in->nsrc && in->src[0].mods & ISA_MOD_DPP) {
    check_dpp(w, in, exec);
    return;
  }
  switch ((isa_data_class)in->data_class) {
  case ISA_DATA_VALUE:
    if (writes_exec(in))
      use_all(w, in, exec);
    else
      pass_value(w, in, exec, t);
    return;
  case ISA_DATA_EXCHANGE:
    pass_value(w, in, exec, t);
    return;
  case ISA_DATA_COPY:
    if (writes_exec(in))
      use(w, &in->src[0], exec);
    copy(w, in, &in->src[0], exec);
    if (!(in->flags &
          ISA_FLAG_SCC_KEPT)) { // s_not: one defined bit decides nothing
      w->init->scc = all_known(w->init, &in->dst[0]);
      if (!w->init->scc && in->src[0].kind == ISA_OPERAND_SGPR)
        w->init->scc_from = origin_of_s(w, in->src[0].index);
    }
    return;
  case ISA_DATA_SELECT:
    select_one(w, in, exec, known(w->init, &in->src[0], 0));
    return;
  case ISA_DATA_SELECT_SCC:
    select_scc(w, in, exec, t);
    return;
  case ISA_DATA_PRODUCT:
    multiply(w, in, exec);
    return;
  case ISA_DATA_SWAP: {
    const isa_operand *x = &in->dst[0], *y = &in->src[0];
    uint64_t a = known(w->init, y, 0), b = known(w->init, x, 0);
    const uint16_t from_a = from_of(w->init, y, 0);
    const uint16_t from_b = from_of(w->init, x, 0);
    pass_on(w->init, x, 0, exec, a, from_a);
    pass_on(w->init, y, 0, exec, b, from_b);
    return;
  }
  case ISA_DATA_SWAP_ROWS:
    swap_lanes(w, in, 0xffff0000ffff0000u, 16, exec);
    return;
  case ISA_DATA_SWAP_PAIRS:
    swap_lanes(w, in, 0xffffffff00000000u, 32, exec);
    return;
  case ISA_DATA_READ_LANE:
    read_lane(w, in);
    return;
  case ISA_DATA_READ_FIRST_LANE:
    pass_on(w->init, &in->dst[0], 0, ~0ull,
            known(w->init, &in->src[0], 0) & (exec ? exec & -exec : 1),
            from_of(w->init, &in->src[0], 0));
    return;
  case ISA_DATA_WRITE_LANE:
    use(w, &in->src[1], ~0ull);
    pass_on(w->init, &in->dst[0], 0, 1ull << lane_of(w, &in->src[1]),
            known(w->init, &in->src[0], 0), from_of(w->init, &in->src[0], 0));
    return;
  case ISA_DATA_WIDE_SUM:
    add_wide(w, in, exec);
    return;
  case ISA_DATA_LOW_HALF: {
    isa_operand low = in->src[0];
    low.regs = 1;
    take(w, &low, exec, t);
    take(w, &in->src[1], exec, t);
    define_as(w, in, exec, t);
    return;
  }
  case ISA_DATA_AND:
  case ISA_DATA_AND_NOT:
  case ISA_DATA_OR:
  case ISA_DATA_OR_NOT:
  case ISA_DATA_XOR:
    logic(w, in);
    return;
  case ISA_DATA_AND_EXEC:
  case ISA_DATA_OR_EXEC:
    if (in->src[0].kind == ISA_OPERAND_SGPR)
      use_s(w, in->src[0].index, 2,
            in->data_class == ISA_DATA_AND_EXEC ? exec : ~exec);
    break;
  case ISA_DATA_SPILL:
    spill(w, in, exec);
    return;
  case ISA_DATA_LDS_WRITE:
    if (in->nsrc > 1)
      use(w, &in->src[0], exec);
    else // by thread: the address is M0's
      use_s(w, ISA_SGPR_M0, 1, ~0ull);
    return;
  case ISA_DATA_MATRIX:
    multiply_matrix(w, in);
    return;
  case ISA_DATA_USE_M0:
  case ISA_DATA_USE:
    use_all(w, in, exec);
    return;
  }
  for (unsigned i = 0; i < in->ndst; i++)
    define(w->init, &in->dst[i], exec);
}

// Whether SCC is passed on into a result and decides nothing.
static bool passes_scc_on(const isa_insn *in) {
  return (in->data_class == ISA_DATA_VALUE ||
          in->data_class == ISA_DATA_SELECT_SCC) &&
         !writes_exec(in);
}

void emu_check_init(emu_wave *w, const isa_insn *in) {
  emu_taint t = {0};
  if (__builtin_expect(in->flags & ISA_FLAG_SCC_READ && !w->init->scc, 0)) {
    if (passes_scc_on(in))
      take_scc(w, &t);
    else
      emu_report_unwritten_scc(w);
  }
  if (!(in->flags & ISA_FLAG_SCC_KEPT))
    w->init->scc = true; // the code below may clear it
  unsigned modes = emu_gpr_idx(w, in);
  if (!modes) {
    check(w, in, emu_exec(w), &t);
    if (__builtin_expect(writes_exec(in), 0))
      use_s(w, ISA_SGPR_EXEC, 2, ~0ull); // not covered by check()
    return;
  }
  isa_insn indexed = *in;
  emu_index_registers(w, modes, &indexed);
  check(w, &indexed, emu_exec(w), &t);
}
