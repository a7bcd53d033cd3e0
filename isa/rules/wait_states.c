// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The wait states that two instructions need between them: instruction →
// traits, two traits → rule of wait_states.def.
#include "wait_states.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static_assert(ISA_HAZARD_RULES <= 64, "a rule is a bit");

//===-- The table ---------------------------------------------------------===//

#define OF1(a) ISA_HAZARD_CLASS(a)
#define OF2(a, b) (ISA_HAZARD_CLASS(a) | ISA_HAZARD_CLASS(b))
#define OF3(a, b, c)                                                           \
  (ISA_HAZARD_CLASS(a) | ISA_HAZARD_CLASS(b) | ISA_HAZARD_CLASS(c))
#define OF4(a, b, c, d)                                                        \
  (ISA_HAZARD_CLASS(a) | ISA_HAZARD_CLASS(b) | ISA_HAZARD_CLASS(c) |           \
   ISA_HAZARD_CLASS(d))
#define OF_CHOOSE(a, b, c, d, of, ...) of
#define OF(...) OF_CHOOSE(__VA_ARGS__, OF4, OF3, OF2, OF1, )(__VA_ARGS__)
#define PASSES(p2, p4, p8, p16)                                                \
  { p2, p4, p8, p16 }
#define ALL(n)                                                                 \
  { n, n, n, n }
#define HAZARD(id, name, producer, consumer, overlap, states, effect, llvm,    \
               isa, note)                                                      \
  {name,     producer,                                                         \
   consumer, ISA_OVERLAP_##overlap,                                            \
   states,   ISA_HAZARD_OUTCOME_##effect,                                      \
   llvm,     isa,                                                              \
   note},
const isa_hazard_row isa_hazard_rows[ISA_HAZARD_RULES] = {
#include "wait_states.def"
};
#undef HAZARD

/// Passes of matrix instructions by the text after "f32_" or "i32_" in the
/// name, the first row that fits; for XDL and for matrix instructions on f32.
/// CDNA4 ISA, table of matrix instructions; f8f6f4 takes twice as many if an
/// operand has 8 bits.
static const struct {
  const char *shape;
  uint8_t xdl, sgemm;
} k_passes[] = {{"4x4x", 2, 2},
                {"16x16x4_4b", 8, 8},
                {"32x32x4_2b", 16, 16},
                {"16x16x", 4, 8},
                {"32x32x", 8, 16}};

/// Vector instructions that read their destination implicitly.
static const char *const k_reads_destination[] = {"v_fmac_",
                                                  "v_mac_",
                                                  "v_pk_fmac_",
                                                  "v_writelane_",
                                                  "v_swap_",
                                                  "v_permlane",
                                                  "v_fma_mixlo_",
                                                  "v_fma_mixhi_",
                                                  "v_cvt_pk_fp8_",
                                                  "v_cvt_pk_bf8_",
                                                  "v_cvt_sr_",
                                                  "v_cvt_scalef32_pk_fp",
                                                  "v_cvt_scalef32_pk_bf8_",
                                                  "v_cvt_scalef32_sr_fp8_",
                                                  "v_cvt_scalef32_sr_bf8_",
                                                  "v_cvt_scalef32_sr_pk_fp4_",
                                                  "v_cvt_scalef32_f16_",
                                                  "v_cvt_pkaccum_",
                                                  NULL};

/// When an instruction writes a part of its register: bits of op_sel, one of
/// which must be set.
enum {
  NEVER = 0,
  BYTE = 4,
  HIGH = 8,
  ALWAYS = 16 ///< whatever op_sel is
};
static const struct {
  const char *begins;
  unsigned when;
} k_partial[] = {
#define PARTIAL_WRITE(begins, when, source) {begins, when},
#include "partial_writes.def"
#undef PARTIAL_WRITE
};

/// Transcendental ("CDNA4 ISA", table 12), up to the type.
static const char *const k_trans[] = {"v_exp_",  "v_log_", "v_rcp_", "v_rsq_",
                                      "v_sqrt_", "v_sin_", "v_cos_", NULL};

//===-- Traits ------------------------------------------------------------===//

/// The role of an operand that is read.
enum {
  ROLE_SOURCE,
  ROLE_C,    ///< the addend of a matrix instruction or dot product
  ROLE_TIED, ///< the destination, whose old value is read
  ROLE_OLD,  ///< the destination of DPP
  ROLE_DATA, ///< data of a store
  ROLE_MASK, ///< carry, or mask of v_cndmask
  ROLE_LANE, ///< the number of a lane
  ROLE_IMPLICIT
};

static bool begins(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}
static bool begins_any(const char *text, const char *const *list) {
  for (; *list; list++)
    if (begins(text, *list))
      return true;
  return false;
}

static void add(isa_hazard_registers *list, uint8_t *count, unsigned limit,
                const isa_operand *o, unsigned role) {
  if ((o->kind != ISA_OPERAND_VGPR && o->kind != ISA_OPERAND_SGPR) ||
      !o->regs || *count == limit)
    return;
  unsigned base = o->kind == ISA_OPERAND_SGPR ? ISA_HAZARD_SGPR : 0;
  list[(*count)++] = (isa_hazard_registers){
      .first = (uint16_t)(base + o->index), .count = o->regs, (uint8_t)role};
}
static void reads(isa_hazard_traits *t, const isa_operand *o, unsigned role) {
  add(t->reads, &t->read_count, ISA_HAZARD_READS, o, role);
}
static void writes(isa_hazard_traits *t, const isa_operand *o) {
  add(t->writes, &t->write_count, ISA_HAZARD_WRITES, o, ROLE_SOURCE);
}
static void reads_scalar(isa_hazard_traits *t, unsigned index, unsigned regs) {
  isa_operand o = {.kind = ISA_OPERAND_SGPR,
                   .index = (uint16_t)index,
                   .regs = (uint8_t)regs};
  reads(t, &o, ROLE_IMPLICIT);
}

static bool meet(const isa_hazard_registers *a, const isa_hazard_registers *b) {
  return a->first < b->first + b->count && b->first < a->first + a->count;
}
static bool writes_scalar(const isa_hazard_traits *t, unsigned index,
                          unsigned count) {
  isa_hazard_registers r = {.first = (uint16_t)(ISA_HAZARD_SGPR + index),
                            .count = (uint8_t)count};
  for (unsigned i = 0; i < t->write_count; i++)
    if (meet(&t->writes[i], &r))
      return true;
  return false;
}

static void scalar_traits(const isa_insn *in, const char *name,
                          isa_hazard_traits *t) {
  enum { MODE = 1, TRAPSTS = 3, VSKIP_BIT = 28 };
  unsigned first = in->imm >> 6 & 31, bits = (in->imm >> 11 & 31) + 1;
  if (strcmp(name, "s_nop") == 0)
    t->states = (uint8_t)((in->imm & 15) + 1);
  for (unsigned i = 0; i < in->ndst; i++)
    writes(t, &in->dst[i]);
  if (writes_scalar(t, ISA_SGPR_M0, 1) || begins(name, "s_set_gpr_idx_on") ||
      begins(name, "s_set_gpr_idx_idx") || begins(name, "s_set_gpr_idx_mode"))
    t->classes |= ISA_HAZARD_CLASS(WRITES_M0);
  if (begins(name, "s_movrel"))
    t->classes |= ISA_HAZARD_CLASS(MOVREL);
  if (begins(name, "s_sendmsg") || begins(name, "s_ttracedata"))
    t->classes |= ISA_HAZARD_CLASS(MESSAGE);
  if (begins(name, "s_setvskip"))
    t->classes |= ISA_HAZARD_CLASS(SETVSKIP);
  if (begins(name, "s_rfe"))
    t->classes |= ISA_HAZARD_CLASS(RFE);
  if (begins(name, "s_setreg_") || begins(name, "s_getreg_")) {
    bool set = name[2] == 's';
    t->hwreg = in->imm & 63;
    t->classes |= set ? ISA_HAZARD_CLASS(SETREG) : ISA_HAZARD_CLASS(GETREG);
    if (t->hwreg == MODE && !set)
      t->classes |= ISA_HAZARD_CLASS(GETREG_MODE);
    if (t->hwreg == MODE && set && first <= VSKIP_BIT &&
        VSKIP_BIT < first + bits)
      t->classes |= ISA_HAZARD_CLASS(SETREG_VSKIP);
    if (t->hwreg == TRAPSTS && set)
      t->classes |= ISA_HAZARD_CLASS(SETREG_TRAPSTS);
  }
}

// SDWA or op_sel put the result into a part of the register, or the instruction
// does so by itself (LLVM getDstSelForwardingOperand, partial_writes.def).
static bool writes_part(const isa_insn *in, const char *name) {
  if (!in->ndst || in->dst[0].kind != ISA_OPERAND_VGPR)
    return false;
  if (in->flags & ISA_FLAG_SDWA && in->dst_sel != ISA_SEL_DWORD)
    return true;
  if (in->ndst == 2) // the bits are a part of the scalar destination
    return false;
  unsigned row = 0; // the last row fits every name
  while (!begins(name, k_partial[row].begins))
    row++;
  return (ISA_OPSEL(in->imm) | ALWAYS) & k_partial[row].when;
}

static void valu_traits(const isa_insn *in, const char *name,
                        isa_hazard_traits *t) {
  bool dot = begins(name, "v_dot"), trans = begins_any(name, k_trans);
  bool swap = begins(name, "v_swap") || begins(name, "v_permlane");
  bool mask = begins(name, "v_addc_") || begins(name, "v_subb_") ||
              begins(name, "v_subbrev_") || begins(name, "v_cndmask_");
  bool lane = begins(name, "v_readlane") || begins(name, "v_writelane");
  bool accumulates = dot && (in->nsrc == 2);
  bool vector = in->ndst && in->dst[0].kind == ISA_OPERAND_VGPR;
  for (unsigned i = 0; i < in->nsrc; i++)
    reads(t, &in->src[i],
          mask && i == 2   ? ROLE_MASK
          : dot && i == 2  ? ROLE_C
          : lane && i == 1 ? ROLE_LANE
                           : ROLE_SOURCE);
  for (unsigned i = 0; i < in->ndst; i++)
    writes(t, &in->dst[i]);
  if (swap)
    writes(t, &in->src[0]);
  bool dpp = in->nsrc && in->src[0].mods & ISA_MOD_DPP;
  if (vector &&
      (accumulates || begins_any(name, k_reads_destination) ||
       (in->flags & ISA_FLAG_SDWA && in->dst_unused == ISA_UNUSED_PRESERVE)))
    reads(t, &in->dst[0], accumulates ? ROLE_C : ROLE_TIED);
  else if (vector && dpp)
    reads(t, &in->dst[0], ROLE_OLD);
  if (in->flags & ISA_FLAG_VCC_READ)
    reads_scalar(t, ISA_SGPR_VCC, 2);

  t->classes |= ISA_HAZARD_CLASS(VALU) |
                (dot ? ISA_HAZARD_CLASS(DOT) : ISA_HAZARD_CLASS(VALU_NOT_DOT)) |
                (trans ? ISA_HAZARD_CLASS(TRANS) : ISA_HAZARD_CLASS(NON_TRANS));
  if (dpp)
    t->classes |= ISA_HAZARD_CLASS(DPP);
  if (begins(name, "v_permlane"))
    t->classes |= ISA_HAZARD_CLASS(PERMLANE);
  if (begins(name, "v_readlane") || begins(name, "v_readfirstlane"))
    t->classes |= ISA_HAZARD_CLASS(READLANE) | ISA_HAZARD_CLASS(ANY_LANE);
  if (begins(name, "v_writelane"))
    t->classes |= ISA_HAZARD_CLASS(ANY_LANE);
  if (begins(name, "v_div_fmas"))
    t->classes |= ISA_HAZARD_CLASS(DIV_FMAS);
  if (begins(name, "v_fma_f64") || begins(name, "v_fmac_f64"))
    t->classes |= ISA_HAZARD_CLASS(FMA64);
  if (writes_part(in, name))
    t->classes |= ISA_HAZARD_CLASS(PARTIAL);
  if (begins(name, "v_cmpx")) {
    isa_operand exec = {
        .kind = ISA_OPERAND_SGPR, .index = ISA_SGPR_EXEC, .regs = 2};
    writes(t, &exec);
  }
  if (writes_scalar(t, ISA_SGPR_EXEC, 2))
    t->classes |= ISA_HAZARD_CLASS(WRITES_EXEC);
  if (writes_scalar(t, ISA_SGPR_VCC, 2))
    t->classes |= ISA_HAZARD_CLASS(WRITES_VCC);
  for (unsigned i = 0; i < in->nsrc; i++)
    if (in->src[i].kind == ISA_OPERAND_VCCZ ||
        in->src[i].kind == ISA_OPERAND_EXECZ)
      t->classes |= ISA_HAZARD_CLASS(READS_VCCZ);
}

// Bits of an element in a format of f8f6f4 (cbsz, blgp: fp8, bf8, fp6, bf6,
// fp4).
static unsigned element_bits(unsigned format) {
  static const uint8_t bits[8] = {8, 8, 6, 6, 4, 4, 4, 4};
  return bits[format & 7];
}

static void matrix_traits(const isa_insn *in, const char *name,
                          isa_hazard_traits *t) {
  size_t length = strlen(name);
  bool sparse = begins(name, "v_smfmac");
  bool f32 = !sparse && strcmp(name + length - 4, "_f32") == 0;
  t->classes |= ISA_HAZARD_CLASS(MATRIX) | ISA_HAZARD_CLASS(NON_TRANS);
  const char *shape = strstr(name, "32_");
  if (begins(name, "v_mfma_f64_")) {
    bool small = begins(name, "v_mfma_f64_4x4x4");
    t->classes |= ISA_HAZARD_CLASS(DGEMM) | (small ? ISA_HAZARD_CLASS(DGEMM4)
                                                   : ISA_HAZARD_CLASS(DGEMM16));
    t->passes = small ? 4 : 16;
  } else {
    if (begins(name, "v_mfma_scale_"))
      shape = strstr(name, "_f32_") + 2;
    t->classes |= f32 ? ISA_HAZARD_CLASS(SGEMM) : ISA_HAZARD_CLASS(XDL);
    for (unsigned i = 0; i < sizeof k_passes / sizeof *k_passes; i++)
      if (begins(shape + 3, k_passes[i].shape)) {
        t->passes = f32 ? k_passes[i].sgemm : k_passes[i].xdl;
        break;
      }
    if (strstr(name, "f8f6f4")) {
      unsigned a = element_bits(in->imm & 7), b = element_bits(in->imm >> 8);
      if (a == 8 || b == 8)
        t->passes *= 2;
      t->formats = (uint8_t)(a << 4 | b);
    }
  }
  for (unsigned i = 0; i < in->nsrc; i++)
    reads(t, &in->src[i], !sparse && i == 2 ? ROLE_C : ROLE_SOURCE);
  writes(t, &in->dst[0]);
  if (sparse)
    reads(t, &in->dst[0], ROLE_C);
}

static void memory_traits(const isa_insn *in, const char *name,
                          isa_hazard_traits *t) {
  bool buffer = in->family == ISA_BUF, lds = in->family == ISA_DS;
  unsigned data = lds ? ~0u : buffer ? 3 : 2;
  for (unsigned i = 0; i < in->nsrc; i++)
    reads(t, &in->src[i], i == data ? ROLE_DATA : ROLE_SOURCE);
  for (unsigned i = 0; i < in->ndst; i++)
    writes(t, &in->dst[i]);
  if (in->ndst && strstr(name, "d16")) // keeps a half
    reads(t, &in->dst[0], ROLE_TIED);
  if (lds) {
    t->classes |= ISA_HAZARD_CLASS(DS);
    if (strstr(name, "addtid"))
      t->classes |= ISA_HAZARD_CLASS(ADDTID);
    return;
  }
  t->classes |= ISA_HAZARD_CLASS(VMEM);
  if (in->flags & ISA_FLAG_LDS) {
    t->classes |= ISA_HAZARD_CLASS(LDS_DMA);
    reads_scalar(t, ISA_SGPR_M0, 1);
  }
  if (in->flags & ISA_FLAG_SCRATCH)
    reads_scalar(t, ISA_SGPR_FLAT_SCRATCH, 2);
  if (in->nsrc > data && in->src[data].regs > 2)
    t->classes |= buffer && in->src[2].kind == ISA_OPERAND_SGPR
                      ? ISA_HAZARD_CLASS(WIDE_STORE_OFFSET)
                      : ISA_HAZARD_CLASS(WIDE_STORE);
}

static unsigned states_of(const isa_hazard_row *row, unsigned passes) {
  return row->states[passes > 8 ? 3 : passes > 4 ? 2 : passes > 2];
}

void isa_hazard_traits_of(const isa_insn *in, isa_hazard_traits *t) {
  const char *name = isa_rows[in->row].mnemonic;
  memset(t, 0, sizeof *t);
  t->states = 1;
  t->row = in->row;
  switch (in->family) {
  case ISA_SOP:
    scalar_traits(in, name, t);
    break;
  case ISA_VALU:
    valu_traits(in, name, t);
    break;
  case ISA_MFMA:
    matrix_traits(in, name, t);
    break;
  case ISA_DS:
  case ISA_BUF:
  case ISA_FLAT:
    memory_traits(in, name, t);
    break;
  default:
    break;
  }
  for (unsigned i = 0; i < ISA_HAZARD_RULES; i++) {
    const isa_hazard_row *row = &isa_hazard_rows[i];
    unsigned states = states_of(row, t->passes);
    if (t->classes & row->producer && states) {
      t->produces |= UINT64_C(1) << i;
      t->reach = states > t->reach ? (uint8_t)states : t->reach;
    }
    if (t->classes & row->consumer)
      t->consumes |= UINT64_C(1) << i;
  }
}

//===-- Two instructions --------------------------------------------------===//

typedef struct match {
  const isa_hazard_traits *p, *c;
  isa_hazard_settled settled; ///< by nearer producers
  unsigned first, count;      ///< where the two meet
} match;

enum { SETTLED_WRITES = 16, SETTLED_WAR = 24 };

static bool is_vector(const isa_hazard_registers *r) {
  return r->first < ISA_HAZARD_SGPR;
}

static void note(match *m, const isa_hazard_registers *a,
                 const isa_hazard_registers *b) {
  unsigned end_a = (unsigned)a->first + a->count;
  unsigned end_b = (unsigned)b->first + b->count;
  m->first = a->first > b->first ? a->first : b->first;
  m->count = (end_a < end_b ? end_a : end_b) - m->first;
}

// Whether the consumer reads a register that the producer writes, in a role of
// `roles` (one bit each).
static bool read_after(match *m, bool vector, unsigned roles) {
  bool found = false;
  for (unsigned i = 0; i < m->c->read_count; i++) {
    const isa_hazard_registers *r = &m->c->reads[i];
    if (!(roles >> r->role & 1) || is_vector(r) != vector ||
        m->settled >> i & 1)
      continue;
    for (unsigned k = 0; k < m->p->write_count; k++)
      if (meet(r, &m->p->writes[k])) {
        note(m, r, &m->p->writes[k]);
        found = true;
      }
  }
  return found;
}

// Whether the consumer reads D of the producer as C: exactly D, or an overlap.
static bool reads_c(match *m, bool same) {
  bool found = false;
  const isa_hazard_registers *d = &m->p->writes[0];
  for (unsigned i = 0; i < m->c->read_count; i++) {
    const isa_hazard_registers *r = &m->c->reads[i];
    if (r->role != ROLE_C || m->settled >> i & 1 || !meet(r, d) ||
        (r->first == d->first && r->count == d->count) != same)
      continue;
    note(m, r, d);
    found = true;
  }
  return found;
}

static bool write_after(match *m) {
  for (unsigned i = 0; i < m->c->write_count; i++)
    for (unsigned k = 0; k < m->p->write_count; k++) {
      const isa_hazard_registers *a = &m->c->writes[i], *b = &m->p->writes[k];
      if (is_vector(a) && meet(a, b) &&
          !(m->settled >> (SETTLED_WRITES + i) & 1)) {
        note(m, a, b);
        return true;
      }
    }
  return false;
}

static bool write_after_read(match *m, unsigned role) {
  for (unsigned i = 0; i < m->c->write_count; i++)
    for (unsigned k = 0; k < m->p->read_count; k++) {
      const isa_hazard_registers *a = &m->c->writes[i], *b = &m->p->reads[k];
      if (b->role == role && is_vector(a) && meet(a, b) &&
          !(m->settled >> (SETTLED_WAR + i) & 1)) {
        note(m, a, b);
        return true;
      }
    }
  return false;
}

enum {
  ANY_BUT_OLD = 1u << ROLE_SOURCE | 1u << ROLE_C | 1u << ROLE_TIED |
                1u << ROLE_DATA | 1u << ROLE_MASK | 1u << ROLE_LANE,
  ANY_BUT_C = ANY_BUT_OLD & ~(1u << ROLE_C),
};

static bool overlap(match *m, isa_hazard_overlap kind) {
  bool same_op = m->p->row == m->c->row && m->p->formats == m->c->formats;
  m->first = m->count = 0;
  switch (kind) {
  case ISA_OVERLAP_NOTHING:
    return true;
  case ISA_OVERLAP_READ:
    return read_after(m, true, ANY_BUT_OLD);
  case ISA_OVERLAP_SRC_AB:
    return read_after(m, true, ANY_BUT_C);
  case ISA_OVERLAP_SRC_C_SAME:
    return reads_c(m, true);
  case ISA_OVERLAP_SRC_C_OTHER:
    return reads_c(m, false);
  case ISA_OVERLAP_SRC_C_OTHER_OP:
    return !same_op && reads_c(m, true);
  case ISA_OVERLAP_OLD:
    return read_after(m, true, 1u << ROLE_OLD);
  case ISA_OVERLAP_WRITE:
    return write_after(m);
  case ISA_OVERLAP_TOUCH:
    return read_after(m, true, ~0u) || write_after(m);
  case ISA_OVERLAP_SAME_OP_AB:
    return same_op && read_after(m, true, ANY_BUT_C);
  case ISA_OVERLAP_OTHER_OP_READ:
    return !same_op && read_after(m, true, ANY_BUT_OLD);
  case ISA_OVERLAP_OTHER_OP_WRITE:
    return !same_op && write_after(m);
  case ISA_OVERLAP_C_WRITE:
    return write_after_read(m, ROLE_C);
  case ISA_OVERLAP_DATA_WRITE:
    return write_after_read(m, ROLE_DATA);
  case ISA_OVERLAP_SGPR_READ:
    return read_after(m, false, 1u << ROLE_SOURCE);
  case ISA_OVERLAP_SGPR_MASK:
    return read_after(m, false, 1u << ROLE_MASK);
  case ISA_OVERLAP_SGPR_LANE:
    return read_after(m, false, 1u << ROLE_LANE);
  case ISA_OVERLAP_SGPR_ANY:
    return read_after(m, false, ~0u);
  case ISA_OVERLAP_HWREG:
    return m->p->hwreg == m->c->hwreg;
  }
  return false;
}

// The operands of the consumer that overlap D of a matrix instruction, or C if
// a rule protects C.
static isa_hazard_settled settle(const isa_hazard_traits *p,
                                 const isa_hazard_traits *c) {
  isa_hazard_settled bits = 0;
  const isa_hazard_registers *d = &p->writes[0];
  for (unsigned i = 0; i < c->read_count; i++)
    bits |= (uint32_t)meet(&c->reads[i], d) << i;
  for (unsigned i = 0; i < c->write_count; i++) {
    bits |= (uint32_t)meet(&c->writes[i], d) << (SETTLED_WRITES + i);
    for (unsigned k = 0;
         k < p->read_count && p->classes & ISA_HAZARD_CLASS(XDL); k++)
      if (p->reads[k].role == ROLE_C && meet(&c->writes[i], &p->reads[k]))
        bits |= 1u << (SETTLED_WAR + i);
  }
  return bits;
}

bool isa_hazard_between(const isa_hazard_traits *p, const isa_hazard_traits *c,
                        unsigned states, isa_hazard_settled *settled,
                        isa_hazard *out) {
  uint64_t rules = states < p->reach ? p->produces & c->consumes : 0;
  bool matrix = p->classes & ISA_HAZARD_CLASS(MATRIX), found = false;
  for (; rules; rules &= rules - 1) {
    unsigned i = (unsigned)__builtin_ctzll(rules);
    unsigned required = states_of(&isa_hazard_rows[i], p->passes);
    // Nearer instructions settle operands only for matrix producers: among
    // other producers the nearest one requires the most states.
    match m = {.p = p, .c = c, .settled = matrix && settled ? *settled : 0};
    if (states >= required || (found && required <= out->required) ||
        !overlap(&m, isa_hazard_rows[i].overlap))
      continue;
    *out = (isa_hazard){i, required, m.first, m.count};
    found = true;
  }
  if (matrix && settled)
    *settled |= settle(p, c);
  return found;
}

//===-- Words -------------------------------------------------------------===//

void isa_hazard_registers_text(char *text, size_t bytes, unsigned first,
                               unsigned count) {
  char file = first >= ISA_HAZARD_SGPR ? 's' : first >= 256 ? 'a' : 'v';
  unsigned n = first >= ISA_HAZARD_SGPR ? first - ISA_HAZARD_SGPR : first & 255;
  if (file == 's' && (n & ~1u) == ISA_SGPR_VCC)
    snprintf(text, bytes, "vcc");
  else if (file == 's' && (n & ~1u) == ISA_SGPR_EXEC)
    snprintf(text, bytes, "exec");
  else if (file == 's' && n == ISA_SGPR_M0)
    snprintf(text, bytes, "m0");
  else if (count == 1)
    snprintf(text, bytes, "%c%u", file, n);
  else
    snprintf(text, bytes, "%c[%u:%u]", file, n, n + count - 1);
}

enum { USE_BYTES = 64 };

/// The consumer's use of the common registers: "reads v4", "overwrites v[0:3]".
static const char *use_text(const isa_hazard *h, char text[USE_BYTES]) {
  char where[32] = "";
  if (h->count)
    isa_hazard_registers_text(where, sizeof where, h->first, h->count);
  const char *verb = "comes";
  switch (isa_hazard_rows[h->rule].overlap) {
  case ISA_OVERLAP_NOTHING:
  case ISA_OVERLAP_HWREG:
    break;
  case ISA_OVERLAP_SRC_C_SAME:
  case ISA_OVERLAP_SRC_C_OTHER:
  case ISA_OVERLAP_SRC_C_OTHER_OP:
    snprintf(text, USE_BYTES, "reads %s as C", where);
    return text;
  case ISA_OVERLAP_TOUCH:
    verb = "reads or overwrites";
    break;
  case ISA_OVERLAP_WRITE:
  case ISA_OVERLAP_OTHER_OP_WRITE:
  case ISA_OVERLAP_C_WRITE:
  case ISA_OVERLAP_DATA_WRITE:
    verb = "overwrites";
    break;
  default:
    verb = "reads";
  }
  snprintf(text, USE_BYTES, "%s%s%s", verb, *where ? " " : "", where);
  return text;
}

/// The producer's use of them: " wrote it", " reads it as C", …
static const char *cause_text(const isa_hazard *h) {
  const isa_hazard_row *row = &isa_hazard_rows[h->rule];
  switch (row->overlap) {
  case ISA_OVERLAP_NOTHING:
    return row->producer & ISA_HAZARD_CLASS(WRITES_EXEC)  ? " wrote exec"
           : row->producer & ISA_HAZARD_CLASS(WRITES_VCC) ? " wrote vcc"
           : row->producer & ISA_HAZARD_CLASS(WRITES_M0)  ? " wrote m0"
           : row->producer & ISA_HAZARD_CLASS(DGEMM)      ? ""
                                                          : " set the mode";
  case ISA_OVERLAP_HWREG:
    return " set the same hardware register";
  case ISA_OVERLAP_C_WRITE:
    return " reads it as C";
  case ISA_OVERLAP_DATA_WRITE:
    return " stores it";
  default:
    return " wrote it";
  }
}

void isa_hazard_text(const isa_hazard *h, unsigned states, const char *producer,
                     int most, const char *pc, const char *remark, char *text,
                     size_t bytes) {
  enum { NOP_STATES = 16 }; // s_nop 15
  char use[USE_BYTES], nops[48];
  unsigned missing = h->required - states;
  if (missing <= NOP_STATES)
    snprintf(nops, sizeof nops, "s_nop %u", missing - 1);
  else
    snprintf(nops, sizeof nops, "s_nop 15 and s_nop %u",
             missing - NOP_STATES - 1);
  snprintf(text, bytes,
           "missing wait states: %s %u wait state%s after `%.*s` (pc %s)%s; "
           "%u %s required (%s%s); add %s in between",
           use_text(h, use), states, states == 1 ? "" : "s", most, producer, pc,
           cause_text(h), h->required, h->required == 1 ? "is" : "are",
           isa_hazard_rows[h->rule].name, remark, nops);
}
