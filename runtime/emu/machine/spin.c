// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds waves that spin. To compare all registers at every jump would be slow,
// so a wave is looked at after some backward jumps, and more rarely each time
// that it turns out not to spin.
#include "spin.h"

#include <stdlib.h>

enum { MOST_LOOK = 4096, MOST_OTHER_JUMPS = 64 };

void emu_spin_start(emu_wave *w) {
  w->watched = w->spins = false;
  w->jumps = 0;
  w->look_at = w->look_after = EMU_SPIN_FIRST_LOOK;
}

void emu_spin_end(emu_wave *w) {
  w->watched = w->spins = false;
  w->jumps = 0;
  w->look_at = w->look_after;
}

static uint32_t serials(const emu_queue *q, uint64_t *to) {
  for (uint32_t i = 0; i < q->count; i++)
    to[i] = q->ring[q->order[i]].serial;
  return q->count;
}

// Whether an outstanding operation completes without a wait.
static bool is_due(const emu_queue *q) {
  for (uint32_t i = 0; i < q->count; i++) {
    const emu_pending *p = &q->ring[q->order[i]];
    if (!p->completed && p->due != UINT64_MAX)
      return true;
  }
  return false;
}

// Four hashes like FNV-1a, each of every fourth word of 8 bytes, so that
// products overlap.
static uint64_t hash(const void *bytes, size_t count) {
  enum { LANES = 4, PRIME_LOW = 0x1b3 };
  const uint64_t prime = (UINT64_C(1) << 40) + PRIME_LOW;
  const uint8_t *at = bytes;
  uint64_t h[LANES] = {1, 2, 3, 4}, word[LANES], all = 0xcbf29ce484222325u;
  size_t i = 0;
  for (; i + sizeof word <= count; i += sizeof word) {
    memcpy(word, at + i, sizeof word);
    for (int k = 0; k < LANES; k++) {
      h[k] = (h[k] ^ word[k]) * prime;
      h[k] ^= h[k] >> 29; // products carry upward only
    }
  }
  for (; i < count; i++)
    all = (all ^ at[i]) * prime;
  for (int k = 0; k < LANES; k++)
    all = (all ^ h[k] ^ h[k] >> 32) * prime;
  return all;
}

static uint64_t stacks(const emu_wave *w) {
  return hash(w->scratch_mem, (size_t)w->scratch_bytes * EMU_LANES);
}

static void open(emu_wave *w) {
  emu_spin *s = w->spin;
  s->ip = w->ip;
  s->changed = s->barrier = s->wide = false;
  s->jumps = s->read_count = 0;
  s->at = w->executed;
  s->v = hash(w->v, sizeof w->v);
  memcpy(s->s, w->s, sizeof s->s);
  s->scc = w->scc;
  s->mode = w->mode;
  s->trapsts = w->trapsts;
  s->csp = w->csp;
  s->gpr_idx = w->gpr_idx;
  s->vskip = w->vskip;
  s->vm_count = serials(&w->vm, s->serials);
  s->lgkm_count = serials(&w->lgkm, s->serials + EMU_QUEUE);
  s->stacks = stacks(w);
  w->watched = true;
  w->look_at = 0; // at every backward jump
}

static bool is_same(const emu_wave *w) {
  const emu_spin *s = w->spin;
  uint64_t now[2 * EMU_QUEUE];
  return s->vm_count == serials(&w->vm, now) &&
         s->lgkm_count == serials(&w->lgkm, now + EMU_QUEUE) &&
         memcmp(now, s->serials, s->vm_count * sizeof *now) == 0 &&
         memcmp(now + EMU_QUEUE, s->serials + EMU_QUEUE,
                s->lgkm_count * sizeof *now) == 0 &&
         !is_due(&w->vm) && !is_due(&w->lgkm) && s->scc == w->scc &&
         s->mode == w->mode && s->trapsts == w->trapsts && s->csp == w->csp &&
         s->gpr_idx == w->gpr_idx && s->vskip == w->vskip &&
         memcmp(s->s, w->s, sizeof s->s) == 0 &&
         s->v == hash(w->v, sizeof w->v) && s->stacks == stacks(w);
}

void emu_spin_look(emu_wave *w) {
  if (!w->spin)
    w->spin = malloc(sizeof *w->spin);
  emu_spin *s = w->spin;
  if (!s) { // then a wave that waits uses up its budget
    w->look_at = UINT32_MAX;
    return;
  }
  if (!w->watched) {
    open(w);
    return;
  }
  if (w->ip != s->ip && ++s->jumps < MOST_OTHER_JUMPS)
    return;
  if (w->ip != s->ip || s->changed || !is_same(w)) {
    // What turned out to wait once may do so again soon.
    w->look_after = w->spins                        ? EMU_SPIN_FIRST_LOOK
                    : 2 * w->look_after > MOST_LOOK ? MOST_LOOK
                                                    : 2 * w->look_after;
    emu_spin_end(w);
    return;
  }
  s->period = w->executed - s->at;
  s->at = w->executed;
  s->jumps = 0;
  w->spins = w->yield = true;
  w->spun_at = w->wg->stamp;
}

void emu_spin_note_read(emu_wave *w, const isa_insn *in, const uint8_t *at,
                        uint32_t bytes, bool updates) {
  emu_spin *s = w->spin;
  const bool lds = at >= w->wg->lds && at < w->wg->lds + EMU_LDS_BYTES;
  const emu_segment *segment =
      lds ? NULL : emu_space_of_host(w->wg->launch->space, at);
  if (!lds && !segment)
    return; // private memory
  uint32_t i = 0;
  while (i < s->read_count && s->reads[i].insn != in)
    i++;
  s->wide |= bytes > sizeof s->reads[0].value || i == EMU_SPIN_READS;
  if (i == EMU_SPIN_READS)
    return;
  s->read_count += i == s->read_count;
  emu_spin_read *r = &s->reads[i];
  *r = (emu_spin_read){.insn = in,
                       .segment = segment,
                       .offset =
                           (uint64_t)(at - (lds ? w->wg->lds : segment->host)),
                       .host = at,
                       .bytes = bytes,
                       .updates = updates};
  memcpy(&r->value, at, bytes < 8 ? bytes : 8);
}

bool emu_spin_may_end(const emu_workgroup *wg) {
  for (uint32_t i = 0; i < wg->launch->waves; i++) {
    const emu_wave *w = &wg->waves[i];
    if (w->state != EMU_RUNNING && w->state != EMU_AT_BARRIER)
      continue;
    if (!w->spins) // at a barrier, before the others
      continue;
    if (w->spin->wide)
      return true;
    for (uint32_t k = 0; k < w->spin->read_count; k++) {
      const emu_spin_read *r = &w->spin->reads[k];
      if (r->segment && memcmp(r->host, &r->value, r->bytes) != 0)
        return true;
    }
  }
  return false;
}
