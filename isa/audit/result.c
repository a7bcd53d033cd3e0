// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The findings and notes of the static checkers on one kernel.
#include <stdlib.h>

#include "audit.h"
#include "grow.h"

void audit_result_free(audit_result *r) {
  free(r->findings);
  free(r->notes);
  free(r->idle);
  *r = (audit_result){0};
}

void audit_add_finding(audit_result *r, audit_finding finding) {
  if (FMHAC_GROW(r->findings, r->finding_count, r->finding_capacity))
    r->findings[r->finding_count++] = finding;
  else
    r->memory = true;
}

void audit_add_note(audit_result *r, uint32_t at, const char *reason) {
  if (FMHAC_GROW(r->notes, r->note_count, r->note_capacity))
    r->notes[r->note_count++] = (audit_note){at, reason};
  else
    r->memory = true;
}

void audit_add_idle(audit_result *r, uint32_t at) {
  if (FMHAC_GROW(r->idle, r->idle_count, r->idle_capacity))
    r->idle[r->idle_count++] = at;
  else
    r->memory = true;
}
