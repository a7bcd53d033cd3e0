// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of a wave: its path through the code and the addresses of its
// memory instructions. The time of the wave depends on nothing else.
#include <stdlib.h>

#include "grow.h"
#include "timing.h"

static void add(emu_time_record *r, emu_time_words *words, uint32_t word) {
  if (!FMHAC_GROW(words->list, words->count, words->capacity)) {
    r->failed = true;
    return;
  }
  words->list[words->count++] = word;
}

void emu_time_record_start(emu_wave *w) {
  emu_time_record *r = w->record;
  r->runs.count = r->lds.count = r->vmem.count = r->bank_count = 0;
  r->first = w->ip;
  r->lds_cycles = (emu_time_lds_cycles){0, 0};
  r->line_count = r->vmem_bytes = 0;
  memset(&r->lds_banks, 0, sizeof r->lds_banks);
  r->failed = false;
}

static void add_banks(emu_time_record *r) {
  if (!FMHAC_GROW(r->banks, r->bank_count, r->bank_capacity)) {
    r->failed = true;
    return;
  }
  r->banks[r->bank_count++] = r->lds_banks;
}

void emu_time_record_deinit(emu_time_record *r) {
  free(r->runs.list);
  free(r->lds.list);
  free(r->banks);
  free(r->vmem.list);
}

void emu_time_jump(emu_wave *w, const isa_insn *from) {
  emu_time_record *r = w->record;
  const isa_insn *insns = w->wg->launch->kernel->program->insns;
  if (from < r->first) { // nothing of the run was issued
    r->first = w->ip;
    return;
  }
  add(r, &r->runs, (uint32_t)(r->first - insns));
  add(r, &r->runs, (uint32_t)(from - r->first) + 1);
  r->first = w->ip;
}

uint32_t emu_time_first_line(const emu_time_record *r, uint32_t begin,
                             uint32_t end, size_t *looked) {
  const emu_time_words *a = &r->vmem;
  size_t at = *looked;
  *looked = a->count;
  for (; at < a->count; at += 2 + a->list[at + 1])
    for (uint32_t i = 0; i < a->list[at + 1]; i++)
      if (a->list[at + 2 + i] >= begin && a->list[at + 2 + i] < end)
        return a->list[at + 2 + i];
  return EMU_NO_LINE;
}

void emu_time_lds(emu_wave *w, const uint32_t *at, uint32_t bytes,
                  uint64_t exec, emu_access_kind kind) {
  emu_time_record *r = w->record;
  emu_time_lds_cycles cycles =
      emu_time_lds_phases(r->patterns, at, bytes, exec, kind);
  r->lds_cycles.array = (uint16_t)(r->lds_cycles.array + cycles.array);
  r->lds_cycles.pair = (uint16_t)(r->lds_cycles.pair + cycles.pair);
  if (w->wg->launch->timing->events.limit)
    emu_time_lds_banks(at, bytes, exec, kind, &r->lds_banks);
}

static uint32_t line_of(const emu_wave *w, const emu_segment *s,
                        const uint8_t *host) {
  const emu_launch *l = w->wg->launch;
  return l->timing->first_lines[s - l->space->segments] +
         (uint32_t)((uint64_t)(host - s->host) / EMU_TIME_LINE_BYTES);
}

static void add_line(emu_time_record *r, uint32_t line) {
  for (uint32_t i = r->line_count; i-- > 0;)
    if (r->lines[i] == line)
      return;
  r->lines[r->line_count++] = line;
}

void emu_time_vmem(emu_wave *w, uint8_t *const *host, uint32_t bytes) {
  emu_time_record *r = w->record;
  const emu_segment *s = w->last;
  for (unsigned i = 0; i < EMU_LANES; i++) {
    if (!host[i])
      continue;
    r->vmem_bytes += bytes;
    if (!s || host[i] < s->host || host[i] >= s->host + s->bytes)
      s = emu_space_of_host(w->wg->launch->space, host[i]);
    if (!s)
      continue; // LDS and private memory
    add_line(r, line_of(w, s, host[i]));
    add_line(r, line_of(w, s, host[i] + bytes - 1));
  }
}

void emu_time_access(emu_wave *w, const isa_insn *in) {
  emu_time_record *r = w->record;
  if (in->family == ISA_DS) {
    add(r, &r->lds, r->lds_cycles.array | (uint32_t)r->lds_cycles.pair << 16);
    if (w->wg->launch->timing->events.limit)
      add_banks(r);
    r->lds_cycles = (emu_time_lds_cycles){0, 0};
    memset(&r->lds_banks, 0, sizeof r->lds_banks);
    return;
  }
  add(r, &r->vmem, r->vmem_bytes);
  add(r, &r->vmem, r->line_count);
  for (uint32_t i = 0; i < r->line_count; i++)
    add(r, &r->vmem, r->lines[i]);
  r->line_count = r->vmem_bytes = 0;
}
