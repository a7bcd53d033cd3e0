// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The findings and notes of the static checkers on one kernel.
#include <stdlib.h>

#include "audit.h"

void audit_result_free(audit_result *r) {
  free(r->findings);
  free(r->notes);
  free(r->idle);
  *r = (audit_result){0};
}

// Makes room for one more entry, by doubling; NULL: out of memory.
static void *grow(void *list, size_t count, size_t *capacity, size_t bytes) {
  if (count < *capacity)
    return list;
  size_t n = *capacity ? 2 * *capacity : 16;
  void *more = realloc(list, n * bytes);
  if (more)
    *capacity = n;
  return more;
}

void audit_add_finding(audit_result *r, audit_finding finding) {
  audit_finding *list =
      grow(r->findings, r->finding_count, &r->finding_capacity, sizeof *list);
  if (!list) {
    r->memory = true;
    return;
  }
  r->findings = list;
  list[r->finding_count++] = finding;
}

void audit_add_note(audit_result *r, uint32_t at, const char *reason) {
  audit_note *list =
      grow(r->notes, r->note_count, &r->note_capacity, sizeof *list);
  if (!list) {
    r->memory = true;
    return;
  }
  r->notes = list;
  list[r->note_count++] = (audit_note){at, reason};
}

void audit_add_idle(audit_result *r, uint32_t at) {
  uint32_t *list =
      grow(r->idle, r->idle_count, &r->idle_capacity, sizeof *list);
  if (!list) {
    r->memory = true;
    return;
  }
  r->idle = list;
  list[r->idle_count++] = at;
}
