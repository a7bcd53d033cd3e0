// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Effects of instructions by their mnemonics: on control flow and counters, on
// undefined data, on registers. Derived once, when an instruction is decoded.
#include <string.h>

#include "decode.h"

static bool begins_any(const char *name, const char *const *list) {
  for (; *list; list++)
    if (strncmp(name, *list, strlen(*list)) == 0)
      return true;
  return false;
}

// Instructions that write a part of a register and keep the rest are left out:
// definedness is not recorded for parts.
static const char *const k_accumulates[] = {
    "v_fmac_", "v_mac_",  "v_pk_fmac_", "v_smfmac_",
    "s_addk_", "s_mulk_", "s_bitset",   NULL};
static const char *const k_reads_scc[] = {
    "s_cbranch_scc", "s_cselect_", "s_addc_", "s_subb_", "s_cmov", NULL};
// The list need not be complete: a missing instruction that keeps SCC can only
// hide a finding.
static const char *const k_keeps_scc[] = {
    "s_mov",     "s_nop",    "s_waitcnt", "s_branch", "s_barrier", "s_cbranch_",
    "s_brev_",   "s_mul_",   "s_cselect", "s_cmov",   "s_bfm_",    "s_pack_",
    "s_ff",      "s_flbit",  "s_sext_",   "s_bitset", "s_setprio", "s_sleep",
    "s_getreg_", "s_setreg", "s_getpc_",  NULL};

static const char *const k_inverts[] = {"s_nand_", "s_nor_", "s_not_",
                                        "s_xnor_", NULL};

static uint32_t flags_of(const isa_insn *in, const char *name) {
  bool dot = strncmp(name, "v_dot", 5) == 0 && in->nsrc == 2;
  uint32_t flags =
      dot || begins_any(name, k_accumulates) ? ISA_FLAG_DST_READ : 0;
  flags |= begins_any(name, k_reads_scc) ? ISA_FLAG_SCC_READ : 0;
  for (unsigned i = 0; i < in->nsrc; i++)
    flags |= in->src[i].kind == ISA_OPERAND_SCC ? ISA_FLAG_SCC_READ : 0;
  bool kept = in->family != ISA_SOP || begins_any(name, k_keeps_scc);
  flags |= strstr(name, "format") ? ISA_FLAG_FORMAT : 0;
  bool scalar = in->family == ISA_SOP;
  flags |= scalar && begins_any(name, k_inverts) ? ISA_FLAG_INVERTS : 0;
  return flags | (kept ? ISA_FLAG_SCC_KEPT : 0);
}

// Scalar instructions that affect which instructions run, and how.
static const char *const k_decides[] = {
    "s_cbranch_", "s_setpc_",  "s_swappc_", "s_setreg_", "s_set_gpr_idx_",
    "s_setvskip", "s_sendmsg", "s_trap",    "s_rfe_",    NULL};

static isa_data_class class_of(const isa_insn *in, const char *name) {
  if (in->family == ISA_MFMA)
    return ISA_DATA_MATRIX;
  if (in->family == ISA_DS && strncmp(name, "ds_write", 8) == 0)
    return ISA_DATA_LDS_WRITE;
  // They write EXEC implicitly.
  if (strncmp(name, "v_cmpx_", 7) == 0 || strstr(name, "_saveexec_") ||
      strstr(name, "_wrexec_"))
    return ISA_DATA_USE;
  if (in->family == ISA_VALU ||
      (in->family == ISA_SOP && !begins_any(name, k_decides)))
    return ISA_DATA_VALUE;
  return ISA_DATA_USE;
}

static void classify_data(isa_insn *in) {
  static const struct {
    const char *mnemonic;
    isa_data_class is;
  } table[] = {
      {"ds_bpermute_b32", ISA_DATA_EXCHANGE},
      {"ds_permute_b32", ISA_DATA_EXCHANGE},
      {"ds_swizzle_b32", ISA_DATA_EXCHANGE},
      {"v_mov_b32", ISA_DATA_COPY},
      {"v_mov_b64", ISA_DATA_COPY},
      {"v_accvgpr_read_b32", ISA_DATA_COPY},
      {"v_accvgpr_write_b32", ISA_DATA_COPY},
      {"v_accvgpr_mov_b32", ISA_DATA_COPY},
      {"s_mov_b32", ISA_DATA_COPY},
      {"s_mov_b64", ISA_DATA_COPY},
      {"v_cndmask_b32", ISA_DATA_SELECT},
      {"s_cselect_b32", ISA_DATA_SELECT_SCC},
      {"s_cselect_b64", ISA_DATA_SELECT_SCC},
      {"s_cmov_b32", ISA_DATA_SELECT_SCC},
      {"s_cmov_b64", ISA_DATA_SELECT_SCC},
      {"s_mul_i32", ISA_DATA_PRODUCT},
      {"v_swap_b32", ISA_DATA_SWAP},
      {"v_permlane16_swap_b32", ISA_DATA_SWAP_ROWS},
      {"v_permlane32_swap_b32", ISA_DATA_SWAP_PAIRS},
      {"v_readlane_b32", ISA_DATA_READ_LANE},
      {"v_readfirstlane_b32", ISA_DATA_READ_FIRST_LANE},
      {"v_writelane_b32", ISA_DATA_WRITE_LANE},
      {"v_mad_u64_u32", ISA_DATA_WIDE_SUM},
      {"v_mad_i64_i32", ISA_DATA_WIDE_SUM},
      {"s_bfe_i64", ISA_DATA_LOW_HALF},
      {"s_bfe_u64", ISA_DATA_LOW_HALF},
      {"s_and_b32", ISA_DATA_AND},
      {"s_and_b64", ISA_DATA_AND},
      {"s_nand_b32", ISA_DATA_AND},
      {"s_nand_b64", ISA_DATA_AND},
      {"s_andn2_b32", ISA_DATA_AND_NOT},
      {"s_andn2_b64", ISA_DATA_AND_NOT},
      {"s_or_b32", ISA_DATA_OR},
      {"s_or_b64", ISA_DATA_OR},
      {"s_nor_b32", ISA_DATA_OR},
      {"s_nor_b64", ISA_DATA_OR},
      {"s_orn2_b32", ISA_DATA_OR_NOT},
      {"s_orn2_b64", ISA_DATA_OR_NOT},
      {"s_xor_b32", ISA_DATA_XOR},
      {"s_xor_b64", ISA_DATA_XOR},
      {"s_xnor_b32", ISA_DATA_XOR},
      {"s_xnor_b64", ISA_DATA_XOR},
      {"s_not_b32", ISA_DATA_COPY},
      {"s_not_b64", ISA_DATA_COPY},
      {"s_and_saveexec_b64", ISA_DATA_AND_EXEC},
      {"s_or_saveexec_b64", ISA_DATA_OR_EXEC},
  };
  const char *name = isa_rows[in->row].mnemonic;
  in->data_class = (uint8_t)class_of(in, name);
  in->flags |= flags_of(in, name);
  if (in->flags & ISA_FLAG_LDS || strcmp(name, "ds_read_addtid_b32") == 0 ||
      strcmp(name, "ds_append") == 0 || strcmp(name, "ds_consume") == 0)
    in->data_class = ISA_DATA_USE_M0;
  if (in->family == ISA_FLAT && in->flags & ISA_FLAG_SCRATCH && in->nsrc > 2)
    in->data_class = ISA_DATA_SPILL;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(name, table[i].mnemonic) == 0)
      in->data_class = (uint8_t)table[i].is;
}

//===-- Control flow and counters -----------------------------------------===//

static const struct {
  const char *mnemonic;
  isa_kind kind;
} by_name[] = {
    {"s_waitcnt", ISA_KIND_WAIT},
    {"s_endpgm", ISA_KIND_END},
    {"s_branch", ISA_KIND_JUMP},
    {"s_call_b64", ISA_KIND_CALL},
    {"s_setpc_b64", ISA_KIND_INDIRECT},
    {"s_swappc_b64", ISA_KIND_CALL_INDIRECT},
    {"s_cbranch_g_fork", ISA_KIND_SPLIT_INDIRECT},
    {"s_cbranch_i_fork", ISA_KIND_SPLIT_TARGET},
    {"s_cbranch_join", ISA_KIND_JOIN},
    {"s_set_gpr_idx_on", ISA_KIND_INDEX_ON},
    {"s_set_gpr_idx_off", ISA_KIND_INDEX_OFF},
    {"s_set_gpr_idx_mode", ISA_KIND_INDEX_MODE},
    {"s_setreg_b32", ISA_KIND_SETREG},
    {"s_setreg_imm32_b32", ISA_KIND_SETREG},
    {"s_setvskip", ISA_KIND_SKIP},
    {"s_movrels_b32", ISA_KIND_SGPR_INDEXED},
    {"s_movrels_b64", ISA_KIND_SGPR_INDEXED},
    {"s_movreld_b32", ISA_KIND_SGPR_INDEXED},
    {"s_movreld_b64", ISA_KIND_SGPR_INDEXED},
};

static isa_kind scalar_kind(const char *mnemonic) {
  for (size_t i = 0; i < sizeof by_name / sizeof *by_name; i++)
    if (strcmp(mnemonic, by_name[i].mnemonic) == 0)
      return by_name[i].kind;
  if (strncmp(mnemonic, "s_cbranch", 9) == 0)
    return ISA_KIND_SPLIT;
  // Messages count in LGKM_CNT (CDNA3 ISA 4.4), which the emulator leaves out.
  return strncmp(mnemonic, "s_dcache", 8) == 0 ||
                 strncmp(mnemonic, "s_sendmsg", 9) == 0
             ? ISA_KIND_UNSURE
             : ISA_KIND_PLAIN;
}

static isa_kind kind_of(const isa_insn *insn) {
  const isa_row *row = &isa_rows[insn->row];
  switch ((isa_family)insn->family) {
  case ISA_SOP:
    return scalar_kind(row->mnemonic);
  case ISA_SMEM:
  case ISA_DS:
  case ISA_BUF:
  case ISA_FLAT:
    break;
  default:
    return ISA_KIND_PLAIN;
  }
  switch (row->counters) {
  case ISA_COUNTS_VM:
    return ISA_KIND_VMEM;
  case ISA_COUNTS_BOTH:
    return ISA_KIND_FLAT;
  case ISA_COUNTS_LGKM:
    return insn->family == ISA_DS ? ISA_KIND_LDS : ISA_KIND_SMEM;
  default:
    return ISA_KIND_UNSURE;
  }
}

//===-- Registers ---------------------------------------------------------===//

static void touch(isa_insn *insn, const isa_operand *o) {
  uint64_t *bits = o->kind == ISA_OPERAND_VGPR   ? insn->touches_v
                   : o->kind == ISA_OPERAND_SGPR ? insn->touches_s
                                                 : NULL;
  unsigned limit = o->kind == ISA_OPERAND_VGPR ? ISA_VGPRS : ISA_SGPRS;
  for (unsigned r = o->index; bits && r < o->index + (unsigned)o->regs; r++)
    if (r < limit)
      bits[r / 64] |= 1ull << r % 64;
}
static void mark_touched(isa_insn *insn) {
  for (unsigned i = 0; i < insn->nsrc; i++)
    touch(insn, &insn->src[i]);
  for (unsigned i = 0; i < insn->ndst; i++)
    touch(insn, &insn->dst[i]);
  if (insn->flags & ISA_FLAG_VCC_READ)
    insn->touches_s[ISA_SGPR_VCC / 64] |= 3ull << ISA_SGPR_VCC % 64;
}

void isa_classify(isa_insn *insn) {
  insn->kind = (uint8_t)kind_of(insn);
  classify_data(insn);
  mark_touched(insn);
}
