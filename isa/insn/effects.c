// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the init checker treats each instruction.
#include "undefined.h"

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

// Scalar instructions that decide what runs, and how.
static const char *const k_decides[] = {
    "s_cbranch_", "s_setpc_",  "s_swappc_", "s_setreg_", "s_set_gpr_idx_",
    "s_setvskip", "s_sendmsg", "s_trap",    "s_rfe_",    NULL};

static emu_init_class class_of(const emu_insn *in, const char *name) {
  if (in->family == EMU_MFMA)
    return EMU_INIT_MATRIX;
  if (in->family == EMU_DS && strncmp(name, "ds_write", 8) == 0)
    return EMU_INIT_LDS_WRITE;
  // They write EXEC without naming it.
  if (strncmp(name, "v_cmpx_", 7) == 0 || strstr(name, "_saveexec_") ||
      strstr(name, "_wrexec_"))
    return EMU_INIT_USE;
  if (in->family == EMU_VALU ||
      (in->family == EMU_SOP && !begins_any(name, k_decides)))
    return EMU_INIT_VALUE;
  return EMU_INIT_USE;
}

void emu_init_classify(emu_insn *in) {
  static const struct {
    const char *mnemonic;
    emu_init_class is;
  } table[] = {
      {"ds_bpermute_b32", EMU_INIT_EXCHANGE},
      {"ds_permute_b32", EMU_INIT_EXCHANGE},
      {"ds_swizzle_b32", EMU_INIT_EXCHANGE},
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
  in->init_class = (uint8_t)class_of(in, name);
  in->flags |= flags_of(in, name);
  if (in->flags & EMU_F_LDS || strcmp(name, "ds_read_addtid_b32") == 0 ||
      strcmp(name, "ds_append") == 0 || strcmp(name, "ds_consume") == 0)
    in->init_class = EMU_INIT_USE_M0;
  if (in->family == EMU_FLAT && in->flags & EMU_F_SCRATCH && in->nsrc > 2)
    in->init_class = EMU_INIT_SPILL;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(name, table[i].mnemonic) == 0)
      in->init_class = (uint8_t)table[i].is;
}
