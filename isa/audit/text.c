// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts of the findings of the static checkers.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit.h"
#include "fmhac_audit.h"
#include "operand_text.h"

static const char *path_text(const audit_flow *flow, const audit_path *path,
                             uint32_t entry_text, char *text, size_t bytes) {
  size_t used = 0;
  text[0] = 0;
  for (uint32_t k = 0; k < path->count && k < AUDIT_NAMED_BRANCHES; k++) {
    const isa_insn *insns = flow->program->insns;
    uint32_t from = insns[flow->blocks[path->from[k]].end - 1].pc;
    uint32_t to = insns[flow->blocks[path->to[k]].first].pc;
    char a[ISA_PC_TEXT_BYTES], b[ISA_PC_TEXT_BYTES];
    snprintf(text + used, bytes - used, "%s%s%s%s",
             k ? ", then " : "; by the branch at pc ",
             isa_pc_text(from, entry_text, a),
             to <= from ? " back to " : " to ", isa_pc_text(to, entry_text, b));
    used = strlen(text);
  }
  if (path->count > AUDIT_NAMED_BRANCHES)
    snprintf(text + used, bytes - used, " and %u more",
             path->count - AUDIT_NAMED_BRANCHES);
  return text;
}

// Why the counter must be zero, if it is not obvious.
static const char *remark(const audit_finding *f, const isa_insn *other) {
  if (f->clock == AUDIT_LGKM_ANY && other->family == ISA_SMEM)
    return " (scalar loads return in any order)";
  return audit_in_order(f->clock) || f->overwrites
             ? ""
             : " (a flat access needs vmcnt(0) and lgkmcnt(0))";
}

static void wait_text(const audit_finding *f, const isa_insn *other,
                      const char *producer, const char *there, char *text,
                      size_t bytes) {
  char name[16];
  bool scalar = f->slot >= AUDIT_SGPR_SLOT;
  isa_register_text(name, sizeof name, scalar,
                    scalar ? f->slot - AUDIT_SGPR_SLOT : f->slot);
  snprintf(text, bytes,
           "missing wait: %s %s before `%.200s` (pc %s) has completed; add "
           "s_waitcnt %s(%u) in between%s",
           f->overwrites ? "overwrites" : "reads", name, producer, there,
           audit_counter(f->clock), f->need, remark(f, other));
}

static void suspect_text(const audit_finding *f, const char *producer,
                         const char *there, char *text, size_t bytes) {
  char other[256];
  snprintf(other, sizeof other, "`%.200s` at pc %s", producer, there);
  const char *mark = strstr(f->reason, "%s");
  snprintf(text, bytes, "%.*s%s%s",
           (int)(mark ? (size_t)(mark - f->reason) : strlen(f->reason)),
           f->reason, mark ? other : "", mark ? mark + 2 : "");
}

void audit_finding_text(const audit_flow *flow, uint32_t entry_text,
                        const audit_finding *f, char *text, size_t bytes) {
  const isa_insn *use = &flow->program->insns[f->at];
  const isa_insn *other = &flow->program->insns[f->other];
  const char *producer = isa_program_text(flow->program, other);
  char here[ISA_PC_TEXT_BYTES], there[ISA_PC_TEXT_BYTES], branches[192];
  audit_path path = f->path;
  if (f->check == FMHAC_EMU_CHECK_WAIT)
    audit_find_path(flow, f, &path);
  path_text(flow, &path, entry_text, branches, sizeof branches);
  isa_pc_text(other->pc, entry_text, there);
  size_t used = (size_t)snprintf(
      text, bytes, "pc %s, `%.200s`: ", isa_pc_text(use->pc, entry_text, here),
      isa_program_text(flow->program, use));
  if (f->check == FMHAC_EMU_AUDIT_SUSPECT) {
    suspect_text(f, producer, there, text + used, bytes - used);
    return;
  }
  if (f->overlap.row) {
    isa_overlap_text(&f->overlap, text + used, bytes - used);
    return;
  }
  if (f->check == FMHAC_EMU_CHECK_WAIT)
    wait_text(f, other, producer, there, text + used, bytes - used);
  else
    isa_hazard_text(&f->hazard, f->states, producer, 200, there, "",
                    text + used, bytes - used);
  used = strlen(text);
  snprintf(text + used, bytes - used, "%s", branches);
}
