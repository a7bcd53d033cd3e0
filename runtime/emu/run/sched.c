// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The waves of a workgroup take turns. A barrier opens when every wave that has
// not ended has arrived at some s_barrier. Hardware subtracts ended waves
// (CDNA3 ISA 12.5, S_BARRIER) and does not compare the addresses of the
// s_barrier, and staggered kernels rely on both.
#include <stdio.h>

#include "findings.h"
#include "hazard.h"
#include "hazard_effect.h"
#include "launch.h"
#include "queues.h"
#include "race.h"
#include "spin.h"
#include "tensor.h"
#include "timing.h"
#include "undefined.h"
#include "wait.h"

enum { LONG_TURN = 100000, BEGIN_TURN = 16 };

// One turn of at most `n` instructions.
static void turn(emu_wave *w, uint32_t n, bool random_completion) {
  uint64_t before = w->executed, matrix = 0;
  const emu_exec_fn *handlers = w->wg->launch->handlers;
  const emu_hazard_plan *hazards = w->wg->launch->hazards;
  w->yield = false;
  // Handlers round as MODE says for f32; floatop.h does the other formats.
  if (w->mode & 3)
    emu_round(w->mode);
  do {
    const isa_insn *in = w->ip;
    w->ip = in + 1;
    if (w->vskip && in->family >= ISA_VALU) {
      if (w->record)
        emu_time_jump(w, in - 1);
      if (w->effects)
        emu_effects_pass(w, in);
      continue; // not issued: no counter changes (CDNA4 ISA, S_SETVSKIP)
    }
    if (w->pending_any)
      emu_check_pending(w, in);
    if (hazards && (hazards->flags[in - hazards->insns] | w->trail.lookback))
      emu_check_hazard(w, in);
    if (w->init)
      emu_check_init(w, in);
    if (w->effects)
      emu_effects_execute(w, in);
    else
      handlers[in->row](w, in);
    if (hazards && w->ip != in + 1)
      emu_hazard_jump(w, in);
    if (w->ip <= in && ++w->jumps >= w->look_at)
      emu_spin_look(w);
    if (w->record)
      emu_time_step(w, in);
    matrix += in->family == ISA_MFMA;
    if (++w->executed >= w->next_due)
      emu_complete_due(w);
    if (random_completion && w->outstanding_data)
      emu_complete_some(w);
  } while (w->state == EMU_RUNNING && --n && !w->yield);
  if (w->mode & 3)
    emu_round(0);
  w->wg->instructions += w->executed - before;
  w->wg->matrix_instructions += matrix;
  if (w->state == EMU_ENDED)
    emu_drain(w);
}

static const char *const k_states[] = {"runs", "waits at a barrier",
                                       "is halted", "has ended", "has failed"};

// What a wave that spins reads in its loop.
static size_t describe_reads(const emu_workgroup *wg, const emu_spin *s,
                             char *text, size_t bytes) {
  const emu_launch *l = wg->launch;
  size_t n = 0;
  if (!s->read_count)
    n = (size_t)snprintf(text, bytes, "; the loop reads nothing");
  for (uint32_t i = 0; i < s->read_count && n < bytes; i++) {
    const emu_spin_read *r = &s->reads[i];
    char place[EMU_ADDRESS_TEXT];
    if (r->segment)
      emu_segment_describe(r->segment, r->offset, place, sizeof place);
    else
      snprintf(place, sizeof place, "byte %llu of LDS",
               (unsigned long long)r->offset);
    n += (size_t)snprintf(text + n, bytes - n,
                          "; polls %s by `%.80s` at pc %s, and found 0x%llx",
                          place, isa_program_text(l->kernel->program, r->insn),
                          emu_pc_text(l, r->insn, (char[ISA_PC_TEXT_BYTES]){0}),
                          (unsigned long long)r->value);
  }
  return n;
}

void emu_workgroup_describe(const emu_workgroup *wg, const char *head,
                            char *text, size_t bytes) {
  const emu_launch *l = wg->launch;
  size_t n =
      (size_t)snprintf(text, bytes, "kernel %.200s, workgroup (%u,%u,%u): %s",
                       l->kernel->name, wg->id[0], wg->id[1], wg->id[2], head);
  for (uint32_t i = 0; i < l->waves && n < bytes; i++) {
    const emu_wave *w = &wg->waves[i];
    const isa_insn *in = w->ip;
    if (w->state != EMU_RUNNING && in > l->kernel->program->insns)
      in--;
    n += (size_t)snprintf(
        text + n, bytes - n,
        "\n  wave %u %s: pc %s, `%.80s`, after %llu "
        "instructions",
        i, w->spins ? "goes round in a loop" : k_states[w->state],
        emu_pc_text(l, in, (char[ISA_PC_TEXT_BYTES]){0}),
        isa_program_text(l->kernel->program, in),
        (unsigned long long)w->executed);
    if (w->spins && n < bytes)
      n += describe_reads(wg, w->spin, text + n, bytes - n);
  }
}

static void describe_waves(emu_workgroup *wg, const char *head) {
  emu_workgroup_describe(wg, head, wg->fault, sizeof wg->fault);
}

// Opens the barrier if all have arrived. Returns the number of runnable waves.
static uint32_t settle(emu_workgroup *wg, uint32_t waves) {
  uint32_t waiting = 0, running = 0, halted = 0;
  for (uint32_t i = 0; i < waves; i++) {
    waiting += wg->waves[i].state == EMU_AT_BARRIER;
    running += wg->waves[i].state == EMU_RUNNING;
    halted += wg->waves[i].state == EMU_HALTED;
  }
  if (running || halted || !waiting)
    return running;
  for (uint32_t i = 0; i < waves; i++)
    if (wg->waves[i].state == EMU_AT_BARRIER)
      wg->waves[i].state = EMU_RUNNING;
  wg->barriers++;
  if (wg->race)
    emu_race_barrier(wg);
  return waiting;
}

static bool stuck(emu_workgroup *wg, uint32_t waves) {
  for (uint32_t i = 0; i < waves; i++)
    if (wg->waves[i].state != EMU_ENDED)
      return true;
  return false;
}

// After a turn of the wave: whether all waves that run spin, each seen to do so
// since the last turn of one that did not.
static bool all_spin(emu_workgroup *wg, emu_wave *w) {
  // Longer than its loop: it reads something else than before, and has left.
  if (w->spins && w->executed - w->spin->at > w->spin->period)
    emu_spin_end(w);
  if (w->watched && w->state == EMU_AT_BARRIER)
    w->spin->barrier = true;
  if (!w->spins)
    wg->stamp++;
  if (!w->spins || w->state != EMU_RUNNING)
    return false;
  bool barrier = false, waits = false;
  for (uint32_t i = 0; i < wg->launch->waves; i++) {
    const emu_wave *other = &wg->waves[i];
    const bool seen = other->spins && other->spun_at == wg->stamp;
    if (other->state == EMU_RUNNING && !seen)
      return false;
    barrier |= seen && other->spin->barrier;
    waits |= other->state == EMU_AT_BARRIER && !seen;
  }
  return !(barrier && waits); // else the barrier will open
}

static void begin(emu_workgroup *wg) {
  const fmhac_emu_options *o = wg->launch->options;
  wg->begun = true;
  wg->turn_of = 0;
  wg->rng = o->seed * 0x2545f4914f6cdd1du + wg->linear;
}

emu_run emu_workgroup_run(emu_workgroup *wg) {
  const emu_launch *l = wg->launch;
  const fmhac_emu_sched sched = l->options->sched;
  const uint32_t waves = l->waves,
                 quantum = l->options->quantum ? l->options->quantum : 4;
  if (!wg->begun)
    begin(wg);
  uint32_t at = wg->turn_of, running = settle(wg, waves);
  wg->stamp++; // what was seen before, others may have changed
  wg->wrote = wg->gives_way = false;
  while (running) {
    uint32_t n = quantum;
    if (sched == FMHAC_EMU_SCHED_RANDOM) {
      uint32_t pick = (uint32_t)(emu_random(&wg->rng) % running);
      n = 1 + (uint32_t)(emu_random(&wg->rng) % 64);
      for (at = 0; wg->waves[at].state != EMU_RUNNING || pick--; at++)
        ;
    } else {
      while (wg->waves[at].state != EMU_RUNNING)
        at = (at + 1) % waves;
      if (sched == FMHAC_EMU_SCHED_UNTIL_BLOCKED)
        n = LONG_TURN;
    }
    emu_wave *w = &wg->waves[at];
    turn(w, n, l->random_completion);
    if (wg->fault[0])
      return EMU_RUN_FAILED;
    if (wg->instructions > l->budget) {
      char head[192];
      snprintf(head, sizeof head,
               "the budget of %llu instructions per workgroup is used up; is "
               "there an endless loop? (--max-instructions raises it)",
               (unsigned long long)l->budget);
      describe_waves(wg, head);
      return EMU_RUN_FAILED;
    }
    // Reading the state of every wave is slow: they are far apart in memory.
    if (w->state != EMU_RUNNING)
      running = settle(wg, waves);
    at = (at + 1) % waves;
    wg->turn_of = at;
    if (all_spin(wg, w))
      return EMU_RUN_WAITS;
    if (wg->gives_way && sched != FMHAC_EMU_SCHED_UNTIL_BLOCKED && running)
      return EMU_RUN_GIVES_WAY;
  }
  if (stuck(wg, waves)) {
    describe_waves(wg, "deadlock: no wave can go on");
    return EMU_RUN_FAILED;
  }
  return EMU_RUN_ENDED;
}

void emu_workgroup_begin(emu_workgroup *wg,
                         bool (*go_on)(void *user, emu_wave *wave),
                         void *user) {
  const uint32_t waves = wg->launch->waves;
  uint32_t at = 0, running = settle(wg, waves);
  while (running && !wg->fault[0] && wg->instructions <= wg->launch->budget) {
    emu_wave *w = &wg->waves[at];
    at = (at + 1) % waves;
    if (w->state != EMU_RUNNING)
      continue;
    for (int i = 0; i < BEGIN_TURN && w->state == EMU_RUNNING; i++) {
      if (!go_on(user, w))
        return;
      turn(w, 1, false);
    }
    if (w->state != EMU_RUNNING)
      running = settle(wg, waves);
  }
}
