// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The calls of the static checkers on what is no code object, and their state
// by itself: ages, joins, full counters. Programs are test/emu/audit's.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "audit.h"
#include "fmhac_audit.h"

static void refuses(void **unused) {
  (void)unused;
  char text[256];
  fmhac_emu_audit *audit = (fmhac_emu_audit *)text;
  assert_int_equal(fmhac_emu_audit_create("no ELF", 6, FMHAC_EMU_CHECK_WAIT,
                                          text, sizeof text, &audit),
                   FMHAC_INVALID_INPUT);
  assert_null(audit);
  assert_non_null(strstr(text, "expected an ELF file"));
  assert_int_equal(fmhac_emu_audit_create(NULL, 0, FMHAC_EMU_CHECK_WAIT, text,
                                          sizeof text, &audit),
                   FMHAC_INVALID_INPUT);
  assert_int_equal(fmhac_emu_audit_create("no ELF", 6, FMHAC_EMU_CHECK_RACE,
                                          text, sizeof text, &audit),
                   FMHAC_UNSUPPORTED);
  assert_non_null(strstr(text, "found 0x8 besides"));
  assert_int_equal(fmhac_emu_audit_finding_count(NULL), 0);
  assert_int_equal(fmhac_emu_audit_note_count(NULL), 0);
  fmhac_emu_audit_destroy(NULL);
}

static audit_state *new_state(void) {
  audit_state *s = malloc(sizeof *s);
  assert_non_null(s);
  audit_state_init(s, true);
  return s;
}

static void issue(audit_state *s, isa_kind op, unsigned reg, uint32_t at) {
  isa_insn insn = {.ndst = 1};
  insn.dst[0] = (isa_operand){.kind = op == ISA_KIND_SMEM ? ISA_OPERAND_SGPR
                                                          : ISA_OPERAND_VGPR,
                              .index = (uint16_t)reg,
                              .regs = 1};
  audit_step(s, &insn, op, at);
}

// vmcnt(n) certifies a load iff at least n others were issued after it.
static void ages(void **unused) {
  (void)unused;
  audit_state *s = new_state();
  issue(s, ISA_KIND_VMEM, 5, 0);
  issue(s, ISA_KIND_VMEM, 6, 1);
  issue(s, ISA_KIND_LDS, 7, 2);
  assert_true(audit_owned(s, AUDIT_VM, 5));
  assert_int_equal(audit_need(s, AUDIT_VM, 5), 1);
  assert_int_equal(audit_need(s, AUDIT_VM, 6), 0);
  assert_false(audit_owned(s, AUDIT_VM, 7));
  audit_wait(s, 2, ISA_MAX_LGKM);
  assert_true(audit_owned(s, AUDIT_VM, 5));
  audit_wait(s, 1, ISA_MAX_LGKM);
  assert_false(audit_owned(s, AUDIT_VM, 5));
  assert_true(audit_owned(s, AUDIT_VM, 6));
  assert_true(audit_owned(s, AUDIT_LDS_IN, 7));
  audit_wait(s, 0, 0);
  assert_false(audit_any_owned(s, false));
  free(s);
}

// Of two ways the one with fewer operations after the load; a way on which it
// is certain does not make it so.
static void joins(void **unused) {
  (void)unused;
  audit_state *s = new_state();
  audit_saved saved = {0};
  bool changed;
  issue(s, ISA_KIND_VMEM, 5, 3);
  issue(s, ISA_KIND_VMEM, 6, 4);
  issue(s, ISA_KIND_VMEM, 8, 5);
  assert_true(audit_state_join(s, &saved, &changed));
  assert_true(changed);
  audit_state_init(s, true);
  issue(s, ISA_KIND_VMEM, 5, 3);
  issue(s, ISA_KIND_VMEM, 6, 4);
  assert_true(audit_state_join(s, &saved, &changed));
  assert_true(changed);
  assert_true(audit_state_join(s, &saved, &changed));
  assert_false(changed); // a fixed point
  audit_state_init(s, true);
  assert_true(audit_state_join(s, &saved, &changed));
  assert_false(changed);
  audit_state_load(s, &saved);
  assert_int_equal(audit_need(s, AUDIT_VM, 5), 1);
  assert_int_equal(audit_need(s, AUDIT_VM, 6), 0);
  assert_int_equal(audit_need(s, AUDIT_VM, 8), 0);
  assert_int_equal(s->owner[AUDIT_VM][5].insn, 3);
  audit_wait(s, 1, ISA_MAX_LGKM);
  assert_false(audit_owned(s, AUDIT_VM, 5));
  assert_true(audit_owned(s, AUDIT_VM, 8));
  free(saved.list);
  free(s);
}

// As many as a counter can count; what is in no order is never certain that
// way.
static void full_counters(void **unused) {
  (void)unused;
  audit_state *s = new_state();
  issue(s, ISA_KIND_VMEM, 5, 0);
  issue(s, ISA_KIND_LDS, 6, 1);
  issue(s, ISA_KIND_SMEM, 20, 2);
  for (int i = 0; i < ISA_MAX_VM - 1; i++)
    issue(s, ISA_KIND_VMEM, 100, 3);
  for (int i = 0; i < ISA_MAX_LGKM - 1; i++)
    issue(s, ISA_KIND_LDS, 101, 4);
  assert_true(audit_owned(s, AUDIT_VM, 5));
  assert_true(audit_owned(s, AUDIT_LDS_IN, 6));
  issue(s, ISA_KIND_VMEM, 100, 3);
  issue(s, ISA_KIND_LDS, 101, 4);
  assert_false(audit_owned(s, AUDIT_VM, 5));
  assert_false(audit_owned(s, AUDIT_LDS_IN, 6));
  for (int i = 0; i < 2 * ISA_MAX_LGKM; i++)
    issue(s, ISA_KIND_SMEM, 21, 5);
  assert_true(audit_owned(s, AUDIT_LGKM_ANY, AUDIT_SGPR_SLOT + 20));
  audit_wait(s, 0, 1);
  assert_true(audit_owned(s, AUDIT_LGKM_ANY, AUDIT_SGPR_SLOT + 20));
  audit_wait(s, 0, 0);
  assert_false(audit_any_owned(s, true));
  free(s);
}

// A wait that no path needs: the counters cannot stand that high.
static void idle_waits(void **unused) {
  (void)unused;
  audit_state *s = new_state();
  audit_saved saved = {0};
  bool changed;
  assert_true(audit_is_idle(s, 0, 0));
  issue(s, ISA_KIND_VMEM, 5, 0);
  issue(s, ISA_KIND_VMEM, 6, 1);
  assert_true(audit_is_idle(s, 2, 0));
  assert_false(audit_is_idle(s, 1, 0));
  audit_wait(s, 1, ISA_MAX_LGKM);
  assert_true(audit_is_idle(s, 1, 0));
  assert_true(audit_state_join(s, &saved, &changed));
  audit_state_init(s, true);
  issue(s, ISA_KIND_SMEM, 20, 2);
  assert_true(audit_state_join(s, &saved, &changed)); // of both ways the most
  assert_true(changed);
  audit_state_load(s, &saved);
  assert_false(audit_is_idle(s, 1, 0));
  assert_false(audit_is_idle(s, 0, 1));
  assert_true(audit_is_idle(s, 1, 1));
  audit_state_init(s, false); // after a call
  assert_false(audit_is_idle(s, ISA_MAX_VM - 1, ISA_MAX_LGKM));
  free(saved.list);
  free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(refuses),    cmocka_unit_test(ages),
      cmocka_unit_test(joins),      cmocka_unit_test(full_counters),
      cmocka_unit_test(idle_waits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
