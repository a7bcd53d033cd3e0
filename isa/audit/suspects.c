// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Valid code that is known to be a fault of the compiler, or that hardware is
// known to execute wrongly. For compiled code only: hand-written code may
// contain it on purpose.
#include <stdlib.h>
#include <string.h>

#include "audit.h"
#include "fmhac_audit.h"

static bool begins_any(const char *text, const char *const *list) {
  for (; *list; list++)
    if (strncmp(text, *list, strlen(*list)) == 0)
      return true;
  return false;
}

// Instructions whose SCC is a carry or an overflow (CDNA4 ISA 12.1 to 12.3).
static const char *const k_carries[] = {"s_add_",        "s_addc_",
                                        "s_addk_",       "s_sub_",
                                        "s_subb_",       "s_lshl1_add_u",
                                        "s_lshl2_add_u", "s_lshl3_add_u",
                                        "s_lshl4_add_u", NULL};

// Instructions that use SCC as a condition. s_addc and s_subb use it as a
// carry.
static const char *const k_asks[] = {"s_cbranch_scc", "s_cselect_", "s_cmov",
                                     NULL};

static const char *name_of(const isa_program *p, uint32_t at) {
  return isa_rows[p->insns[at].row].mnemonic;
}

/// A walk back to the instructions that have set SCC; visits each block once.
typedef struct search {
  const audit_flow *flow;
  uint32_t *work;  ///< blocks to walk from their ends
  uint8_t *queued; ///< blocks that are or were in `work`
  uint32_t count;
} search;

// The instruction before `end` in the block that has set SCC. AUDIT_NOWHERE:
// none; the predecessors of the block are then queued.
static uint32_t setter(search *s, uint32_t block, uint32_t end) {
  const audit_flow *f = s->flow;
  for (uint32_t i = end; i-- > f->blocks[block].first;)
    if (!(f->program->insns[i].flags & ISA_FLAG_SCC_KEPT))
      return i;
  for (uint32_t b = 0; b < f->block_count; b++) {
    const audit_block *from = &f->blocks[b];
    bool leads =
        (from->next == block && !from->next_unknown) || from->taken == block;
    if (leads && !s->queued[b]) {
      s->queued[b] = 1;
      s->work[s->count++] = b;
    }
  }
  return AUDIT_NOWHERE;
}

static void check_setter(search *s, uint32_t reader, uint32_t setting,
                         audit_result *result) {
  if (setting != AUDIT_NOWHERE &&
      begins_any(name_of(s->flow->program, setting), k_carries))
    audit_add_finding(
        result,
        (audit_finding){
            .check = FMHAC_EMU_AUDIT_SUSPECT,
            .at = reader,
            .other = setting,
            .reason = "takes the carry or overflow of %s for a condition: a "
                      "comparison between them may have been removed "
                      "(llvm/llvm-project issue 215745)"});
}

static void look_back(search *s, uint32_t reader, audit_result *result) {
  memset(s->queued, 0, s->flow->block_count);
  s->count = 0;
  check_setter(s, reader, setter(s, s->flow->block_of[reader], reader), result);
  for (uint32_t i = 0; i < s->count; i++)
    check_setter(s, reader,
                 setter(s, s->work[i], s->flow->blocks[s->work[i]].end),
                 result);
}

// Both halves of the result use the high half of an operand: the lower half by
// op_sel, the upper half unless op_sel_hi is 0, which the decoder marks.
static bool broadcasts_high(const isa_insn *in, const char *name) {
  if (strcmp(name, "v_pk_fma_f32") != 0)
    return false;
  for (unsigned i = 0; i < in->nsrc; i++)
    if (in->src[i].mods & ISA_MOD_OPSEL && !(in->src[i].mods & ISA_MOD_OPSELH))
      return true;
  return false;
}

bool audit_suspects(const audit_flow *f, audit_result *result) {
  const isa_program *p = f->program;
  search s = {.flow = f,
              .work = malloc((f->block_count + 1) * sizeof *s.work),
              .queued = malloc(f->block_count + 1)};
  bool ok = s.work && s.queued;
  for (uint32_t i = 0; ok && i < p->count; i++) {
    if (f->block_of[i] == AUDIT_NOWHERE)
      continue;
    const char *name = name_of(p, i);
    if (begins_any(name, k_asks))
      look_back(&s, i, result);
    if (broadcasts_high(&p->insns[i], name))
      audit_add_finding(
          result, (audit_finding){
                      .check = FMHAC_EMU_AUDIT_SUSPECT,
                      .at = i,
                      .other = i,
                      .reason = "takes the high half of an operand twice: seen "
                                "on gfx950 to lose the low half of the sum now "
                                "and then (ROCm/rocMLIR pull request 2459)"});
  }
  free(s.work);
  free(s.queued);
  return ok && !result->memory;
}
