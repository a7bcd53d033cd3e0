// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Origins: the instructions that read undefined data, and the findings about
// effects that depend on it.
#include <stdio.h>
#include <stdlib.h>

#include "findings.h"
#include "grow.h"
#include "undefined.h"

enum { MOST_ORIGINS = UINT16_MAX };

// Findings point to instructions of the program. The checked instruction may be
// a copy with other register numbers.
static const isa_insn *in_program(const emu_wave *w) { return w->ip - 1; }

uint16_t emu_origin_of(emu_wave *w, emu_origin o) {
  emu_workgroup *wg = w->wg;
  o.read = in_program(w);
  o.wave = w->id;
  for (size_t i = 0; i < wg->origins.count; i++) {
    const emu_origin *old = &wg->origins.list[i];
    // For LDS one address per instruction is enough.
    if (old->read == o.read && old->wave == o.wave && old->kind == o.kind &&
        (old->index == o.index || o.kind == EMU_ORIGIN_LDS))
      return (uint16_t)(i + 1);
  }
  if (wg->origins.count == MOST_ORIGINS)
    return MOST_ORIGINS;
  if (!FMHAC_GROW(wg->origins.list, wg->origins.count, wg->origins.capacity))
    return 0;
  wg->origins.list[wg->origins.count] = o;
  return (uint16_t)++wg->origins.count;
}

const isa_insn *emu_origin_reader(const emu_wave *w, uint16_t from) {
  return w->wg->origins.list[from - 1].read;
}

static void origin_text(const emu_origin *o, char *text, size_t bytes) {
  char name[16];
  if (o->kind == EMU_ORIGIN_SCC) {
    snprintf(text, bytes, "scc, which nothing has set since the wave began");
  } else if (o->kind == EMU_ORIGIN_LDS) {
    snprintf(text, bytes,
             "%u bytes at LDS address 0x%x of lane %d; nothing has written "
             "byte 0x%x since the workgroup began",
             o->bytes, o->index, o->lane, o->first);
  } else {
    if (o->kind == EMU_ORIGIN_S)
      isa_register_text(name, sizeof name, true, o->index);
    else
      snprintf(name, sizeof name, "%c%u", o->index >= 256 ? 'a' : 'v',
               o->index & 255);
    snprintf(text, bytes, "%s, which nothing has written since the wave began",
             name);
  }
}

// One cause, one finding: the register counts as written from here on.
static void settle(emu_wave *w, const emu_origin *o) {
  struct emu_init *init = w->init;
  if (o->wave != w->id)
    return;
  if (o->kind == EMU_ORIGIN_V && !init->v_from[o->index])
    init->v[o->index] = ~0ull;
  else if (o->kind == EMU_ORIGIN_S && !init->s_from[o->index])
    init->s[o->index] = ~0u;
}

__attribute__((noinline)) void emu_report_origin(emu_wave *w, uint16_t from,
                                                 uint64_t lanes) {
  if (!from) // there was no memory to note it
    return;
  emu_origin *o = &w->wg->origins.list[from - 1];
  const isa_insn *in = in_program(w);
  if (o->reported)
    return;
  o->reported = true;
  settle(w, o);
  if (emu_report_again(w, FMHAC_EMU_CHECK_INIT, in, o->read))
    return;
  char what[160], where[64] = "";
  origin_text(o, what, sizeof what);
  const emu_launch *launch = w->wg->launch;
  if (lanes)
    snprintf(where, sizeof where, " in lane %d (%d lanes in all)",
             __builtin_ctzll(lanes), __builtin_popcountll(lanes));
  emu_report(w, FMHAC_EMU_CHECK_INIT, in, o->read,
             "depends%s on what `%.120s` at pc %s read: %s", where,
             isa_program_text(launch->kernel->program, o->read),
             emu_pc_text(launch, o->read, (char[ISA_PC_TEXT_BYTES]){0}), what);
}

__attribute__((noinline)) void
emu_report_unwritten_v(emu_wave *w, const isa_operand *o, uint64_t lanes) {
  const isa_insn *in = in_program(w);
  unsigned r = o->index;
  while (!(lanes & ~w->init->v[r]))
    r++;
  lanes &= ~w->init->v[r];
  const uint16_t from = w->init->v_from[r];
  for (unsigned k = o->index; k < o->index + (unsigned)o->regs; k++)
    w->init->v[k] |= lanes;
  if (from) {
    emu_report_origin(w, from, lanes);
    return;
  }
  if (emu_report_again(w, FMHAC_EMU_CHECK_INIT, in, NULL))
    return;
  emu_report(w, FMHAC_EMU_CHECK_INIT, in, NULL,
             "reads %c%u, which nothing has written in lane %d (%d lanes in "
             "all) since the wave began",
             r >= 256 ? 'a' : 'v', r & 255, __builtin_ctzll(lanes),
             __builtin_popcountll(lanes));
}

__attribute__((noinline)) void emu_report_unwritten_s(emu_wave *w, unsigned r) {
  const isa_insn *in = in_program(w);
  const uint16_t from = w->init->s_from[r];
  w->init->s[r] = ~0u;
  if (from) {
    emu_report_origin(w, from, 0);
    return;
  }
  if (emu_report_again(w, FMHAC_EMU_CHECK_INIT, in, NULL))
    return;
  char name[16];
  isa_register_text(name, sizeof name, true, r);
  emu_report(w, FMHAC_EMU_CHECK_INIT, in, NULL,
             "reads %s, which nothing has written since the wave began", name);
}

__attribute__((noinline)) void emu_report_unwritten_scc(emu_wave *w) {
  const isa_insn *in = in_program(w);
  const uint16_t from = w->init->scc_from;
  w->init->scc = true;
  if (from)
    emu_report_origin(w, from, 0);
  else if (!emu_report_again(w, FMHAC_EMU_CHECK_INIT, in, NULL))
    emu_report(w, FMHAC_EMU_CHECK_INIT, in, NULL,
               "reads scc, which nothing has set since the wave began");
}
