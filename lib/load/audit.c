// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit.h"

#include "fmhac_emu.h"
#include "str.h"

enum { SHOWN_FINDINGS = 3 };

static fmhac_status refuse(fmhac_context *context,
                           const fmhac_emu_audit *audit) {
  const size_t count = fmhac_emu_audit_finding_count(audit);
  fmhac_str lines = {0};
  for (size_t i = 0; i < count && i < SHOWN_FINDINGS; i++) {
    fmhac_emu_audit_finding finding = {.size = sizeof finding};
    if (fmhac_emu_audit_get_finding(audit, i, &finding) == FMHAC_OK)
      fmhac_str_appendf(&lines, "\n  %s: %s", finding.check, finding.message);
  }
  if (count > SHOWN_FINDINGS)
    fmhac_str_appendf(&lines, "\n  and %zu more", count - SHOWN_FINDINGS);
  fmhac_status status =
      fmhac_fail(context, FMHAC_CODEGEN_FAILED,
                 "auditing the code object: expected code that gfx950 executes "
                 "as meant, found %zu place%s where it may not, a fault of the "
                 "compiler (fmhac compile --no-audit writes it):%s",
                 count, count == 1 ? "" : "s", lines.text ? lines.text : "");
  fmhac_str_deinit(&lines);
  return status;
}

fmhac_status fmhac_audit_code(fmhac_context *context, const void *code,
                              size_t code_bytes) {
  char text[512] = "";
  fmhac_emu_audit *audit = NULL;
  fmhac_status status = fmhac_emu_audit_create(
      code, code_bytes, FMHAC_EMU_AUDIT_IMPLEMENTED | FMHAC_EMU_AUDIT_SUSPECT,
      text, sizeof text, &audit);
  if (status != FMHAC_OK)
    return fmhac_fail(context, status, "auditing the code object: %s", text);
  for (size_t i = 0; i < fmhac_emu_audit_note_count(audit); i++) {
    fmhac_emu_audit_note note = {.size = sizeof note};
    if (fmhac_emu_audit_get_note(audit, i, &note) == FMHAC_OK)
      fmhac_log(context, FMHAC_SEVERITY_WARNING, "not audited: %s",
                note.message);
  }
  if (fmhac_emu_audit_finding_count(audit))
    status = refuse(context, audit);
  fmhac_emu_audit_destroy(audit);
  return status;
}
