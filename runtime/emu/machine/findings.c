// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Findings: each text is made once, repetitions are folded. Up to the limit
// they do not depend on the number of host threads.
#include "findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "grow.h"

const char *emu_check_name(uint32_t check) {
  static const char *const names[] = {"mem",  "sync", "wait",
                                      "race", "init", "hazard"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if ((check & EMU_CHECK_BITS) == 1u << i)
      return names[i];
  return "unknown";
}

static emu_finding *find(emu_findings *f, uint32_t check, const isa_insn *insn,
                         const isa_insn *other) {
  for (size_t i = 0; i < f->count; i++)
    if (f->list[i].insn == insn && f->list[i].other == other &&
        f->list[i].check == check)
      return &f->list[i];
  return NULL;
}

bool emu_report_again(emu_wave *w, uint32_t check, const isa_insn *insn,
                      const isa_insn *other) {
  emu_finding *old = find(&w->wg->findings, check, insn, other);
  if (old)
    old->count++;
  return old != NULL;
}

static emu_finding *append(emu_findings *f) {
  if (f->count >= f->limit) {
    f->dropped++;
    return NULL;
  }
  if (!FMHAC_GROW(f->list, f->count, f->capacity)) {
    f->dropped++;
    return NULL;
  }
  return &f->list[f->count++];
}

const char *emu_pc_text(const emu_launch *launch, const isa_insn *insn,
                        char text[ISA_PC_TEXT_BYTES]) {
  long long pc = (long long)insn->pc - (long long)launch->kernel->entry_text;
  snprintf(text, ISA_PC_TEXT_BYTES, "%s0x%llx", pc < 0 ? "-" : "", llabs(pc));
  return text;
}

void emu_report(emu_wave *w, uint32_t check, const isa_insn *insn,
                const isa_insn *other, const char *format, ...) {
  if (emu_report_again(w, check, insn, other))
    return;
  emu_finding *f = append(&w->wg->findings);
  if (!f)
    return;
  memset(f, 0, sizeof *f);
  f->check = check;
  f->insn = insn;
  f->other = other;
  f->workgroup = w->wg->linear;
  memcpy(f->id, w->wg->id, sizeof f->id);
  f->wave = w->id;
  f->count = 1;
  const emu_launch *launch = w->wg->launch;
  int n = snprintf(f->message, sizeof f->message,
                   "kernel %.120s, workgroup (%u,%u,%u), wave %u, pc %s, "
                   "`%.120s`: ",
                   launch->kernel->name, f->id[0], f->id[1], f->id[2], w->id,
                   emu_pc_text(launch, insn, (char[ISA_PC_TEXT_BYTES]){0}),
                   isa_program_text(launch->kernel->program, insn));
  va_list args;
  va_start(args, format);
  vsnprintf(f->message + n, sizeof f->message - (size_t)n, format, args);
  va_end(args);
}

void emu_report_launch(const emu_launch *launch, emu_findings *findings,
                       uint32_t check, const char *format, ...) {
  emu_finding *f = append(findings);
  if (!f)
    return;
  memset(f, 0, sizeof *f);
  f->check = check;
  f->workgroup = UINT64_MAX; // sorted after findings of workgroups
  f->count = 1;
  int n = snprintf(f->message, sizeof f->message,
                   "kernel %.120s: ", launch->kernel->name);
  va_list args;
  va_start(args, format);
  vsnprintf(f->message + n, sizeof f->message - (size_t)n, format, args);
  va_end(args);
}

void emu_findings_merge(emu_findings *to, emu_findings *from) {
  for (size_t i = 0; i < from->count; i++) {
    emu_finding *new = &from->list[i];
    emu_finding *old = find(to, new->check, new->insn, new->other);
    if (old && old->workgroup <= new->workgroup) {
      old->count += new->count;
    } else if (old) {
      uint64_t count = old->count + new->count;
      *old = *new;
      old->count = count;
    } else if ((old = append(to))) {
      *old = *new;
    }
  }
  to->dropped += from->dropped;
  from->count = 0;
  from->dropped = 0;
}

static int by_place(const void *a, const void *b) {
  const emu_finding *x = a, *y = b;
  if (x->workgroup != y->workgroup)
    return x->workgroup < y->workgroup ? -1 : 1;
  if (x->insn != y->insn)
    return x->insn < y->insn ? -1 : 1;
  if (x->check != y->check)
    return x->check < y->check ? -1 : 1;
  return x->other < y->other ? -1 : x->other > y->other;
}

void emu_findings_sort(emu_findings *f) {
  if (f->count)
    qsort(f->list, f->count, sizeof *f->list, by_place);
}

void emu_fault(emu_wave *w, const isa_insn *insn, const char *format, ...) {
  if (w->state == EMU_FAULT)
    return;
  w->state = EMU_FAULT;
  const emu_launch *launch = w->wg->launch;
  char *text = w->wg->fault;
  size_t bytes = sizeof w->wg->fault;
  if (text[0])
    return;
  int n =
      snprintf(text, bytes,
               "kernel %.200s, workgroup (%u,%u,%u), wave %u, pc %s, "
               "`%s`: ",
               launch->kernel->name, w->wg->id[0], w->wg->id[1], w->wg->id[2],
               w->id, emu_pc_text(launch, insn, (char[ISA_PC_TEXT_BYTES]){0}),
               isa_program_text(launch->kernel->program, insn));
  va_list args;
  va_start(args, format);
  vsnprintf(text + n, bytes - (size_t)n, format, args);
  va_end(args);
}
