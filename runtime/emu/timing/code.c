// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instruction cache, which two compute units share. Code that fits is
// there: the workgroups before have run it. Of code that does not fit, each
// line that is not in the cache costs the same, little, as lines that follow
// each other are fetched ahead. A jump to such a line costs no more than that.
#include <stdlib.h>

#include "lru.h"
#include "timing.h"

enum { WAYS = 8, LINE_BYTES = 64 };

static uint32_t line_of(const emu_time_code *c, uint32_t pc) {
  return (pc - c->from) / LINE_BYTES;
}

bool emu_time_code_init(emu_time_code *c, const emu_time_constants *k,
                        const isa_program *program) {
  *c = (emu_time_code){.k = k};
  uint32_t end = 0;
  c->from = UINT32_MAX;
  for (uint32_t i = 0; i < program->count; i++) {
    const isa_insn *in = &program->insns[i];
    c->from = in->pc < c->from ? in->pc : c->from;
    end = in->pc + in->size > end ? in->pc + in->size : end;
  }
  if (end < c->from || end - c->from <= 1024 * k->code_cache_kib)
    return true;
  const double sets = 1024 * k->code_cache_kib / LINE_BYTES / WAYS;
  c->sets = sets < 1 ? 1 : (uint32_t)sets;
  c->keys = calloc((size_t)c->sets * WAYS, sizeof *c->keys);
  c->ready = calloc(line_of(c, end) + 1, sizeof *c->ready);
  return c->keys && c->ready;
}

void emu_time_code_deinit(emu_time_code *c) {
  free(c->keys);
  free(c->ready);
}

uint64_t emu_time_code_fetch(emu_time_code *c, uint32_t from, uint32_t to,
                             uint64_t now) {
  const uint32_t line = line_of(c, to);
  if (!c->sets || line == line_of(c, from))
    return now;
  uint32_t *set = c->keys + (size_t)(line % c->sets) * WAYS;
  if (!emu_lru_use(set, WAYS, line + 1, true))
    c->ready[line] = now + (uint64_t)c->k->code_line_cycles;
  return c->ready[line] > now ? c->ready[line] : now;
}
