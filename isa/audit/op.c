// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an instruction means to the static checker: by its mnemonic where that
// says it, else by the counters of its row.
#include "audit.h"

static const struct {
  const char *mnemonic;
  audit_op op;
} by_name[] = {
    {"s_waitcnt", AUDIT_WAIT},
    {"s_endpgm", AUDIT_END},
    {"s_branch", AUDIT_JUMP},
    {"s_call_b64", AUDIT_CALL},
    {"s_setpc_b64", AUDIT_INDIRECT},
    {"s_swappc_b64", AUDIT_CALL_INDIRECT},
    {"s_cbranch_g_fork", AUDIT_SPLIT_INDIRECT},
    {"s_cbranch_i_fork", AUDIT_SPLIT_INDIRECT},
    {"s_cbranch_join", AUDIT_SPLIT_INDIRECT},
    {"s_set_gpr_idx_on", AUDIT_INDEX_ON},
    {"s_set_gpr_idx_off", AUDIT_INDEX_OFF},
    {"s_set_gpr_idx_mode", AUDIT_INDEX_MODE},
    {"s_setreg_b32", AUDIT_SETREG},
    {"s_setreg_imm32_b32", AUDIT_SETREG},
    {"s_setvskip", AUDIT_SKIP},
    {"s_movrels_b32", AUDIT_SGPR_INDEXED},
    {"s_movrels_b64", AUDIT_SGPR_INDEXED},
    {"s_movreld_b32", AUDIT_SGPR_INDEXED},
    {"s_movreld_b64", AUDIT_SGPR_INDEXED},
};

static audit_op scalar_op(const char *mnemonic) {
  for (size_t i = 0; i < sizeof by_name / sizeof *by_name; i++)
    if (strcmp(mnemonic, by_name[i].mnemonic) == 0)
      return by_name[i].op;
  if (strncmp(mnemonic, "s_cbranch", 9) == 0)
    return AUDIT_SPLIT;
  // Messages count in LGKM_CNT (CDNA3 ISA 4.4), which the emulator leaves out.
  return strncmp(mnemonic, "s_dcache", 8) == 0 ||
                 strncmp(mnemonic, "s_sendmsg", 9) == 0
             ? AUDIT_UNSURE
             : AUDIT_PLAIN;
}

audit_op audit_op_of(const emu_insn *insn) {
  const emu_isa_row *row = &emu_isa_rows[insn->row];
  switch ((emu_family)insn->family) {
  case EMU_SOP:
    return scalar_op(row->mnemonic);
  case EMU_SMEM:
  case EMU_DS:
  case EMU_BUF:
  case EMU_FLAT:
    break;
  default:
    return AUDIT_PLAIN;
  }
  if (strcmp(row->counters, "vm") == 0)
    return AUDIT_VMEM;
  if (strcmp(row->counters, "vm+lgkm") == 0)
    return AUDIT_FLAT;
  if (strcmp(row->counters, "lgkm") == 0)
    return insn->family == EMU_DS ? AUDIT_LDS : AUDIT_SMEM;
  return AUDIT_UNSURE;
}
