// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers and LDS that are read before they are written. What a wave finds
// set: LLVM "User Guide for AMDGPU Backend", "Initial Kernel Execution State".
#include "init.h"
#include "dpp.h"

#include <stdio.h>

#include "module.h"

static bool begins_any(const char *name, const char *const *list) {
  for (; *list; list++)
    if (strncmp(name, *list, strlen(*list)) == 0)
      return true;
  return false;
}

// Instructions that write a part of a register and keep the rest are left out:
// what is written is not kept in smaller pieces.
static const char *const k_accumulates[] = {
    "v_fmac_", "v_mac_",  "v_pk_fmac_", "v_smfmac_",
    "s_addk_", "s_mulk_", "s_bitset",   NULL};
static const char *const k_reads_scc[] = {
    "s_cbranch_scc", "s_cselect_", "s_addc_", "s_subb_", "s_cmov", NULL};
// Others that keep SCC may stand here too: each that is missing hides a
// finding.
static const char *const k_keeps_scc[] = {
    "s_mov",     "s_nop",    "s_waitcnt", "s_branch", "s_barrier", "s_cbranch_",
    "s_brev_",   "s_mul_",   "s_cselect", "s_cmov",   "s_bfm_",    "s_pack_",
    "s_ff",      "s_flbit",  "s_sext_",   "s_bitset", "s_setprio", "s_sleep",
    "s_getreg_", "s_setreg", "s_getpc_",  NULL};

static uint32_t flags_of(const emu_insn *in, const char *name) {
  bool dot = strncmp(name, "v_dot", 5) == 0 && in->nsrc == 2;
  uint32_t flags = dot || begins_any(name, k_accumulates) ? EMU_F_DST_READ : 0;
  flags |= begins_any(name, k_reads_scc) ? EMU_F_SCC_READ : 0;
  for (unsigned i = 0; i < in->nsrc; i++)
    flags |= in->src[i].kind == EMU_K_SCC ? EMU_F_SCC_READ : 0;
  bool kept = in->family != EMU_SOP || begins_any(name, k_keeps_scc);
  return flags | (kept ? EMU_F_SCC_KEPT : 0);
}

void emu_init_classify(emu_insn *in) {
  static const struct {
    const char *mnemonic;
    emu_init_class is;
  } table[] = {
      {"v_mov_b32", EMU_INIT_COPY},
      {"v_mov_b64", EMU_INIT_COPY},
      {"v_accvgpr_read_b32", EMU_INIT_COPY},
      {"v_accvgpr_write_b32", EMU_INIT_COPY},
      {"v_accvgpr_mov_b32", EMU_INIT_COPY},
      {"s_mov_b32", EMU_INIT_COPY},
      {"s_mov_b64", EMU_INIT_COPY},
      {"v_cndmask_b32", EMU_INIT_SELECT},
      {"s_cselect_b32", EMU_INIT_SELECT_SCC},
      {"s_cselect_b64", EMU_INIT_SELECT_SCC},
      {"s_cmov_b32", EMU_INIT_SELECT_SCC},
      {"s_cmov_b64", EMU_INIT_SELECT_SCC},
      {"s_mul_i32", EMU_INIT_PRODUCT},
      {"v_swap_b32", EMU_INIT_SWAP},
      {"v_permlane16_swap_b32", EMU_INIT_SWAP_ROWS},
      {"v_permlane32_swap_b32", EMU_INIT_SWAP_PAIRS},
      {"v_readlane_b32", EMU_INIT_READ_LANE},
      {"v_readfirstlane_b32", EMU_INIT_READ_FIRST_LANE},
      {"v_writelane_b32", EMU_INIT_WRITE_LANE},
      {"v_mad_u64_u32", EMU_INIT_WIDE_SUM},
      {"v_mad_i64_i32", EMU_INIT_WIDE_SUM},
      {"s_bfe_i64", EMU_INIT_LOW_HALF},
      {"s_bfe_u64", EMU_INIT_LOW_HALF},
      {"s_and_b32", EMU_INIT_AND},
      {"s_and_b64", EMU_INIT_AND},
      {"s_nand_b32", EMU_INIT_AND},
      {"s_nand_b64", EMU_INIT_AND},
      {"s_andn2_b32", EMU_INIT_AND_NOT},
      {"s_andn2_b64", EMU_INIT_AND_NOT},
      {"s_or_b32", EMU_INIT_OR},
      {"s_or_b64", EMU_INIT_OR},
      {"s_nor_b32", EMU_INIT_OR},
      {"s_nor_b64", EMU_INIT_OR},
      {"s_orn2_b32", EMU_INIT_OR_NOT},
      {"s_orn2_b64", EMU_INIT_OR_NOT},
      {"s_xor_b32", EMU_INIT_XOR},
      {"s_xor_b64", EMU_INIT_XOR},
      {"s_xnor_b32", EMU_INIT_XOR},
      {"s_xnor_b64", EMU_INIT_XOR},
      {"s_not_b32", EMU_INIT_COPY},
      {"s_not_b64", EMU_INIT_COPY},
      {"s_and_saveexec_b64", EMU_INIT_AND_EXEC},
      {"s_or_saveexec_b64", EMU_INIT_OR_EXEC},
  };
  const char *name = emu_isa_rows[in->row].mnemonic;
  in->init_class = in->family == EMU_MFMA ? EMU_INIT_MATRIX : EMU_INIT_USE;
  in->flags |= flags_of(in, name);
  if (in->flags & EMU_F_LDS || strstr(name, "_addtid_") ||
      strcmp(name, "ds_append") == 0 || strcmp(name, "ds_consume") == 0)
    in->init_class = EMU_INIT_USE_M0;
  if (in->family == EMU_FLAT && in->flags & EMU_F_SCRATCH && in->nsrc > 2)
    in->init_class = EMU_INIT_SPILL;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(name, table[i].mnemonic) == 0)
      in->init_class = (uint8_t)table[i].is;
}

//===-- registers
//--------------------------------------------------------------------===//

static void set_s(struct emu_init *init, unsigned first, unsigned count) {
  for (unsigned r = first; r < first + count && r < EMU_SGPRS; r++)
    init->s[r] = ~0u;
}

void emu_init_start(emu_wave *w, uint32_t user_sgprs) {
  struct emu_init *init = w->init;
  memset(init, 0, sizeof *init);
  set_s(init, 0, user_sgprs);
  // Set by hardware or by the trap handler.
  set_s(init, EMU_S_FLAT_SCRATCH, 2);
  set_s(init, EMU_S_XNACK_MASK, 2);
  set_s(init, EMU_S_TTMP, 16);
  set_s(init, EMU_S_EXEC, 2);
  init->v[0] = emu_exec(w);
}

// Of `lanes`, those in which some register of the operand is not initialised.
static uint64_t missing_v(const struct emu_init *init, const emu_operand *o,
                          uint64_t lanes) {
  uint64_t set = ~0ull;
  for (unsigned r = o->index; r < o->index + (unsigned)o->regs; r++)
    set &= r < EMU_VGPRS ? init->v[r] : ~0ull;
  return lanes & ~set;
}
// Of `bits`, those of a scalar register that are not initialised.
static uint32_t missing_s(const struct emu_init *init, unsigned r,
                          uint32_t bits) {
  return r < EMU_SGPRS ? bits & ~init->s[r] : 0;
}

// Findings point to instructions of the program: what is checked may be a copy
// with other register numbers.
static const emu_insn *in_program(const emu_wave *w) { return w->ip - 1; }

// Also takes the registers for initialised from here on: one cause, one
// finding.
static __attribute__((noinline)) void
report_v(emu_wave *w, const emu_operand *o, uint64_t lanes) {
  const emu_insn *in = in_program(w);
  unsigned r = o->index;
  while (!(lanes & ~w->init->v[r]))
    r++;
  lanes &= ~w->init->v[r];
  for (unsigned k = o->index; k < o->index + (unsigned)o->regs; k++)
    w->init->v[k] |= lanes;
  if (emu_report_again(w, FMHAC_EMU_CHECK_INIT, in, NULL))
    return;
  emu_report(w, FMHAC_EMU_CHECK_INIT, in, NULL,
             "reads %c%u, which nothing has written in lane %d (%d lanes in "
             "all) since the wave began",
             r >= 256 ? 'a' : 'v', r & 255, __builtin_ctzll(lanes),
             __builtin_popcountll(lanes));
}
static __attribute__((noinline)) void report_s(emu_wave *w, unsigned r) {
  const emu_insn *in = in_program(w);
  w->init->s[r] = ~0u;
  if (emu_report_again(w, FMHAC_EMU_CHECK_INIT, in, NULL))
    return;
  char name[16];
  emu_register_text(name, sizeof name, true, r);
  emu_report(w, FMHAC_EMU_CHECK_INIT, in, NULL,
             "reads %s, which nothing has written since the wave began", name);
}

static __attribute__((noinline)) void report_scc(emu_wave *w) {
  const emu_insn *in = in_program(w);
  w->init->scc = true;
  if (emu_report_again(w, FMHAC_EMU_CHECK_INIT, in, NULL))
    return;
  emu_report(w, FMHAC_EMU_CHECK_INIT, in, NULL,
             "reads scc, which nothing has set since the wave began, or only "
             "from registers that nothing has written");
}

static inline void use_v(emu_wave *w, const emu_operand *o, uint64_t lanes) {
  uint64_t missing = missing_v(w->init, o, lanes);
  if (__builtin_expect(missing != 0, 0))
    report_v(w, o, missing);
}
static inline void use_s(emu_wave *w, unsigned first, unsigned count,
                         uint64_t bits) {
  for (unsigned k = 0; k < count; k++)
    if (__builtin_expect(missing_s(w->init, first + k,
                                   (uint32_t)(bits >> (k & 1 ? 32 : 0))) != 0,
                         0))
      report_s(w, first + k);
}

// Packed f32: op_sel may take one register of the pair twice.
static emu_operand taken(const emu_operand *o) {
  emu_operand used = *o;
  bool second_low = o->mods & EMU_MOD_OPSEL;
  bool second_high = !(o->mods & EMU_MOD_OPSELH);
  if (second_low == second_high) {
    used.index = (uint16_t)(o->index + second_low);
    used.regs = 1;
  }
  return used;
}

static inline void use(emu_wave *w, const emu_operand *o, uint64_t lanes) {
  emu_operand used;
  if (o->type == EMU_T_PKF32 && o->regs == 2) {
    used = taken(o);
    o = &used;
  }
  if (o->kind == EMU_K_VGPR)
    use_v(w, o, lanes);
  else if (o->kind == EMU_K_SGPR)
    use_s(w, o->index, o->regs, ~0ull);
}

static void define(struct emu_init *init, const emu_operand *o,
                   uint64_t lanes) {
  if (o->kind == EMU_K_SGPR)
    set_s(init, o->index, o->regs);
  if (o->kind != EMU_K_VGPR)
    return;
  for (unsigned r = o->index; r < o->index + (unsigned)o->regs; r++)
    if (r < EMU_VGPRS)
      init->v[r] |= lanes;
}

// Lanes of register `k` of a source that are initialised. A scalar register
// counts as such if some of its bits are: a mask of lanes on its way through a
// vector register is known where it will be looked at.
static uint64_t known(const struct emu_init *init, const emu_operand *o,
                      unsigned k) {
  if (o->kind == EMU_K_VGPR && o->index + k < EMU_VGPRS)
    return init->v[o->index + k];
  if (o->kind == EMU_K_SGPR && o->index + k < EMU_SGPRS)
    return init->s[o->index + k] ? ~0ull : 0;
  return ~0ull;
}
// Bits of register `k` of a scalar source that are, and what they are.
static uint32_t known_bits(const emu_wave *w, const emu_operand *o, unsigned k,
                           uint32_t *value) {
  *value = 0;
  if (o->kind == EMU_K_CONST)
    *value = o->lanes[64 * k];
  if (o->kind != EMU_K_SGPR || o->index + k >= EMU_SGPRS)
    return ~0u;
  *value = w->s[o->index + k];
  return w->init->s[o->index + k];
}

static void pass_on(struct emu_init *init, const emu_operand *dst, unsigned k,
                    uint64_t lanes, uint64_t is) {
  unsigned r = dst->index + k;
  if (dst->kind == EMU_K_SGPR && r < EMU_SGPRS)
    init->s[r] = is ? ~0u : 0;
  else if (dst->kind == EMU_K_VGPR && r < EMU_VGPRS)
    init->v[r] = (init->v[r] & ~lanes) | (is & lanes);
}

static bool all_known(const struct emu_init *init, const emu_operand *o) {
  for (unsigned r = o->index; r < o->index + (unsigned)o->regs; r++)
    if (o->kind == EMU_K_SGPR && missing_s(init, r, ~0u))
      return false;
  return true;
}

static void copy(emu_wave *w, const emu_insn *in, const emu_operand *from,
                 uint64_t exec) {
  const emu_operand *to = &in->dst[0];
  for (unsigned k = 0; k < to->regs; k++)
    if (to->kind == EMU_K_SGPR && from->kind == EMU_K_SGPR &&
        to->index + k < EMU_SGPRS && from->index + k < EMU_SGPRS)
      w->init->s[to->index + k] = w->init->s[from->index + k];
    else
      pass_on(w->init, to, k, exec, known(w->init, from, k));
}

// EXEC is read without being named: who writes it must know what.
static bool writes_exec(const emu_insn *in) {
  return in->ndst && in->dst[0].kind == EMU_K_SGPR &&
         in->dst[0].index < EMU_S_EXEC + 2 &&
         in->dst[0].index + in->dst[0].regs > EMU_S_EXEC;
}

// Whether SCC, result != 0, is known of a result of which some bits are not.
static bool scc_known(const emu_insn *in, const uint32_t known_result[2],
                      const uint32_t result[2]) {
  const char *operation = emu_isa_rows[in->row].mnemonic + strlen("s_");
  bool inverts = operation[0] == 'n' || strncmp(operation, "xn", 2) == 0;
  uint32_t ones = 0;
  for (unsigned k = 0; k < in->dst[0].regs && k < 2; k++)
    ones |= known_result[k] & (inverts ? ~result[k] : result[k]);
  return ones != 0;
}

static void logic(emu_wave *w, const emu_insn *in) {
  emu_init_class is = (emu_init_class)in->init_class;
  // Known bits and value before an inversion; the destination may be a source.
  uint32_t known_result[2] = {0, 0}, result[2] = {0, 0};
  bool all = true;
  for (unsigned k = 0; k < in->dst[0].regs && k < 2; k++) {
    uint32_t a, b;
    uint32_t known_a = known_bits(w, &in->src[0], k, &a);
    uint32_t known_b = known_bits(w, &in->src[1], k, &b);
    b = is == EMU_INIT_AND_NOT || is == EMU_INIT_OR_NOT ? ~b : b;
    known_result[k] = known_a & known_b;
    if (is == EMU_INIT_AND || is == EMU_INIT_AND_NOT) {
      known_result[k] |= (known_a & ~a) | (known_b & ~b);
      result[k] = a & b;
    } else if (is == EMU_INIT_XOR) {
      result[k] = a ^ b;
    } else {
      known_result[k] |= (known_a & a) | (known_b & b);
      result[k] = a | b;
    }
    all &= known_result[k] == ~0u;
  }
  w->init->scc = all || scc_known(in, known_result, result);
  for (unsigned k = 0; k < in->dst[0].regs && k < 2; k++) {
    if (writes_exec(in) && ~known_result[k]) {
      use(w, &in->src[0], 0);
      use(w, &in->src[1], 0);
      known_result[k] = ~0u;
    }
    if (in->dst[0].kind == EMU_K_SGPR && in->dst[0].index + k < EMU_SGPRS)
      w->init->s[in->dst[0].index + k] = known_result[k];
  }
}

static bool known_zero(const emu_wave *w, const emu_operand *o) {
  uint32_t value;
  return (o->kind == EMU_K_CONST || o->kind == EMU_K_SGPR) &&
         known_bits(w, o, 0, &value) == ~0u && value == 0;
}

// A factor that is 0 makes the product known, whatever the other is.
static void multiply(emu_wave *w, const emu_insn *in, uint64_t exec) {
  bool zero[2] = {known_zero(w, &in->src[0]), known_zero(w, &in->src[1])};
  for (unsigned i = 0; i < 2; i++)
    if (!zero[1 - i])
      use(w, &in->src[i], exec);
  define(w->init, &in->dst[0], exec);
}

/// `first` are the lanes in which the first source is initialised.
static void select_one(emu_wave *w, const emu_insn *in, uint64_t exec,
                       uint64_t first) {
  bool explicit = in->nsrc > 2 && in->src[2].kind == EMU_K_SGPR;
  unsigned mask = explicit ? in->src[2].index : (unsigned)EMU_S_VCC;
  use_s(w, mask, 2, exec);
  uint64_t second = emu_get64(&w->s[mask]);
  pass_on(w->init, &in->dst[0], 0, exec,
          (first & ~second) | (known(w->init, &in->src[1], 0) & second));
}

// Exchanges `lanes` of the destination and those `distance` below of the
// source; the active ones are written, whatever their partners are
// (exec_lane.c).
static void swap_lanes(emu_wave *w, const emu_insn *in, uint64_t lanes,
                       unsigned distance, uint64_t exec) {
  uint64_t a = known(w->init, &in->dst[0], 0);
  uint64_t b = known(w->init, &in->src[0], 0);
  pass_on(w->init, &in->dst[0], 0, lanes & exec, b << distance);
  pass_on(w->init, &in->src[0], 0, lanes >> distance & exec, a >> distance);
}

static unsigned lane_of(const emu_wave *w, const emu_operand *o) {
  return (o->kind == EMU_K_SGPR    ? w->s[o->index]
          : o->kind == EMU_K_CONST ? o->lanes[0]
                                   : 0) &
         63;
}

static void add_wide(emu_wave *w, const emu_insn *in, uint64_t exec) {
  emu_operand low = in->src[2];
  low.regs = 1;
  use(w, &in->src[0], exec);
  use(w, &in->src[1], exec);
  use(w, &low, exec);
  uint64_t high = known(w->init, &in->src[2], 1);
  pass_on(w->init, &in->dst[0], 0, exec, ~0ull);
  pass_on(w->init, &in->dst[0], 1, exec, high);
  for (unsigned i = 1; i < in->ndst; i++)
    define(w->init, &in->dst[i], exec);
}

/// What DPP takes from where.
typedef struct dpp_lanes {
  int8_t from[EMU_LANES]; ///< -1: nothing
  uint64_t read;          ///< of the first source
  uint64_t written;
} dpp_lanes;

static dpp_lanes dpp_lanes_of(const emu_insn *in, uint64_t exec) {
  dpp_lanes d = {.read = 0};
  for (int i = 0; i < EMU_LANES; i++) {
    int from = emu_dpp_source(in->dpp, i);
    bool valid = from >= 0 && exec >> from & 1;
    bool written = exec >> i & 1 && emu_dpp_enabled(in, i) &&
                   (valid || in->flags & EMU_F_DPP_ZERO);
    d.from[i] = (int8_t)(valid ? from : -1);
    d.written |= (uint64_t)written << i;
    if (written && valid)
      d.read |= 1ull << from;
  }
  return d;
}

/// Where register `k` of the first source is initialised, as it arrives:
/// nothing becomes 0.
static uint64_t dpp_known(const emu_wave *w, const emu_insn *in,
                          const dpp_lanes *d, unsigned k) {
  uint64_t before = known(w->init, &in->src[0], k), is = 0;
  for (int i = 0; i < EMU_LANES; i++)
    is |= (uint64_t)(d->from[i] < 0 || before >> d->from[i] & 1) << i;
  return is;
}

static void check_dpp(emu_wave *w, const emu_insn *in, uint64_t exec) {
  const dpp_lanes d = dpp_lanes_of(in, exec);
  if (in->init_class == EMU_INIT_COPY) {
    uint64_t is[2]; // the destination may be the source
    for (unsigned k = 0; k < in->dst[0].regs && k < 2; k++)
      is[k] = dpp_known(w, in, &d, k);
    for (unsigned k = 0; k < in->dst[0].regs && k < 2; k++)
      pass_on(w->init, &in->dst[0], k, d.written, is[k]);
  } else if (in->init_class == EMU_INIT_SELECT) {
    select_one(w, in, d.written, dpp_known(w, in, &d, 0));
  } else {
    use(w, &in->src[0], d.read);
    for (unsigned i = 1; i < in->nsrc; i++)
      use(w, &in->src[i], d.written);
    if (in->flags & EMU_F_DST_READ)
      use(w, &in->dst[0], d.written);
    if (in->flags & EMU_F_VCC_READ)
      use_s(w, EMU_S_VCC, 2, d.written);
    for (unsigned i = 0; i < in->ndst; i++)
      define(w->init, &in->dst[i], d.written);
  }
}

static void check(emu_wave *w, const emu_insn *in, uint64_t exec) {
  uint64_t lanes = exec;
  if (in->nsrc && in->src[0].mods & EMU_MOD_DPP) {
    check_dpp(w, in, exec);
    return;
  }
  switch ((emu_init_class)in->init_class) {
  case EMU_INIT_COPY:
    if (writes_exec(in))
      use(w, &in->src[0], exec);
    copy(w, in, &in->src[0], exec);
    if (!(in->flags &
          EMU_F_SCC_KEPT)) // s_not: of one known bit nothing follows
      w->init->scc = all_known(w->init, &in->dst[0]);
    return;
  case EMU_INIT_SELECT:
    select_one(w, in, exec, known(w->init, &in->src[0], 0));
    return;
  case EMU_INIT_SELECT_SCC:
    if (w->scc || in->nsrc > 1) {
      const emu_operand *from = &in->src[w->scc ? 0 : 1];
      if (writes_exec(in))
        use(w, from, exec);
      copy(w, in, from, exec);
    }
    return;
  case EMU_INIT_PRODUCT:
    multiply(w, in, exec);
    return;
  case EMU_INIT_SWAP: {
    uint64_t a = known(w->init, &in->src[0], 0);
    uint64_t b = known(w->init, &in->dst[0], 0);
    pass_on(w->init, &in->dst[0], 0, exec, a);
    pass_on(w->init, &in->src[0], 0, exec, b);
    return;
  }
  case EMU_INIT_SWAP_ROWS:
    swap_lanes(w, in, 0xffff0000ffff0000u, 16, exec);
    return;
  case EMU_INIT_SWAP_PAIRS:
    swap_lanes(w, in, 0xffffffff00000000u, 32, exec);
    return;
  case EMU_INIT_READ_LANE:
    use(w, &in->src[1], ~0ull);
    pass_on(w->init, &in->dst[0], 0, ~0ull,
            known(w->init, &in->src[0], 0) >> lane_of(w, &in->src[1]) & 1);
    return;
  case EMU_INIT_READ_FIRST_LANE:
    pass_on(w->init, &in->dst[0], 0, ~0ull,
            known(w->init, &in->src[0], 0) & (exec ? exec & -exec : 1));
    return;
  case EMU_INIT_WRITE_LANE:
    use(w, &in->src[1], ~0ull);
    pass_on(w->init, &in->dst[0], 0, 1ull << lane_of(w, &in->src[1]),
            known(w->init, &in->src[0], 0));
    return;
  case EMU_INIT_WIDE_SUM:
    add_wide(w, in, exec);
    return;
  case EMU_INIT_LOW_HALF: {
    emu_operand low = in->src[0];
    low.regs = 1;
    use(w, &low, exec);
    use(w, &in->src[1], exec);
    break;
  }
  case EMU_INIT_AND:
  case EMU_INIT_AND_NOT:
  case EMU_INIT_OR:
  case EMU_INIT_OR_NOT:
  case EMU_INIT_XOR:
    logic(w, in);
    return;
  case EMU_INIT_AND_EXEC:
  case EMU_INIT_OR_EXEC:
    if (in->src[0].kind == EMU_K_SGPR)
      use_s(w, in->src[0].index, 2,
            in->init_class == EMU_INIT_AND_EXEC ? exec : ~exec);
    break;
  case EMU_INIT_SPILL:
    use(w, &in->src[0], exec);
    use(w, &in->src[1], exec);
    return;
  case EMU_INIT_MATRIX:
    lanes = ~0ull;
    // fallthrough
  case EMU_INIT_USE_M0:
  case EMU_INIT_USE:
    for (unsigned i = 0; i < in->nsrc; i++)
      use(w, &in->src[i], lanes);
    if (in->flags & EMU_F_DST_READ)
      use(w, &in->dst[0], lanes);
    if (in->flags & EMU_F_VCC_READ)
      use_s(w, EMU_S_VCC, 2, exec);
    if (in->init_class == EMU_INIT_USE_M0)
      use_s(w, EMU_S_M0, 1, ~0ull);
    break;
  }
  for (unsigned i = 0; i < in->ndst; i++)
    define(w->init, &in->dst[i], lanes);
}

void emu_check_init(emu_wave *w, const emu_insn *in) {
  if (__builtin_expect(in->flags & EMU_F_SCC_READ && !w->init->scc, 0))
    report_scc(w);
  if (!(in->flags & EMU_F_SCC_KEPT))
    w->init->scc = true; // logic() may know better
  unsigned modes = emu_gpr_idx(w, in);
  if (!modes) {
    check(w, in, emu_exec(w));
    return;
  }
  emu_insn indexed = *in;
  emu_index_registers(w, modes, &indexed);
  check(w, &indexed, emu_exec(w));
}

//===-- LDS
//--------------------------------------------------------------------===//

static __attribute__((noinline)) void report_lds(emu_wave *w,
                                                 const emu_insn *in, int lane,
                                                 uint32_t at, uint32_t bytes) {
  if (emu_report_again(w, FMHAC_EMU_CHECK_INIT, in, NULL))
    return;
  uint32_t first = at;
  while (w->wg->init_lds[first / 4] >> first % 4 & 1)
    first++;
  emu_report(w, FMHAC_EMU_CHECK_INIT, in, NULL,
             "lane %d reads %u bytes at LDS address 0x%x; nothing has written "
             "byte 0x%x since the workgroup began",
             lane, bytes, at, first);
}

static bool whole_dwords(const uint32_t *at, uint32_t bytes, uint32_t limit) {
  uint32_t low = bytes, highest = 0;
  for (int i = 0; i < EMU_LANES; i++) {
    low |= at[i];
    highest = at[i] > highest ? at[i] : highest;
  }
  return low % 4 == 0 && (uint64_t)highest + bytes <= limit;
}

void emu_init_lds_read(emu_wave *w, const emu_insn *in, const uint32_t *at,
                       uint32_t bytes, uint64_t exec) {
  const uint8_t *init = w->wg->init_lds;
  uint32_t limit = w->wg->launch->lds_bytes;
  if (exec == ~0ull && whole_dwords(at, bytes, limit)) {
    unsigned all = 15;
    for (int i = 0; i < EMU_LANES; i++)
      for (uint32_t k = at[i] / 4; k < (at[i] + bytes) / 4; k++)
        all &= init[k];
    if (all == 15)
      return;
  }
  for (int i = 0; i < EMU_LANES; i++) {
    if (!(exec >> i & 1) || (uint64_t)at[i] + bytes > limit)
      continue;
    uint32_t end = at[i] + bytes;
    bool known_all = true;
    for (uint32_t k = at[i] / 4; k <= (end - 1) / 4; k++) {
      unsigned bits = emu_dword_bits(at[i], end, k);
      known_all &= (init[k] & bits) == bits;
    }
    if (__builtin_expect(!known_all, 0)) {
      report_lds(w, in, i, at[i], bytes);
      return;
    }
  }
}

void emu_init_lds_write(emu_wave *w, const uint32_t *at, uint32_t bytes,
                        uint64_t exec) {
  uint8_t *init = w->wg->init_lds;
  uint32_t limit = w->wg->launch->lds_bytes;
  if (exec == ~0ull && whole_dwords(at, bytes, limit)) {
    for (int i = 0; i < EMU_LANES; i++)
      memset(&init[at[i] / 4], 15, bytes / 4);
    return;
  }
  for (int i = 0; i < EMU_LANES; i++) {
    if (!(exec >> i & 1) || (uint64_t)at[i] + bytes > limit)
      continue;
    uint32_t end = at[i] + bytes;
    for (uint32_t k = at[i] / 4; k <= (end - 1) / 4; k++)
      init[k] |= emu_dword_bits(at[i], end, k);
  }
}
