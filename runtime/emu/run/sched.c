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

// The position of every wave, for reports of deadlock and budget.
static void describe_waves(emu_workgroup *wg, const char *head) {
  const emu_launch *l = wg->launch;
  static const char *const states[] = {"runs", "waits at a barrier",
                                       "is halted", "has ended", "has failed"};
  size_t n = (size_t)snprintf(
      wg->fault, sizeof wg->fault, "kernel %.200s, workgroup (%u,%u,%u): %s",
      l->kernel->name, wg->id[0], wg->id[1], wg->id[2], head);
  for (uint32_t i = 0; i < l->waves && n < sizeof wg->fault; i++) {
    const emu_wave *w = &wg->waves[i];
    const isa_insn *in = w->ip;
    if (w->state != EMU_RUNNING && in > l->kernel->program->insns)
      in--;
    n += (size_t)snprintf(wg->fault + n, sizeof wg->fault - n,
                          "\n  wave %u %s: pc %s, `%.80s`, after %llu "
                          "instructions",
                          i, states[w->state],
                          emu_pc_text(l, in, (char[ISA_PC_TEXT_BYTES]){0}),
                          isa_program_text(l->kernel->program, in),
                          (unsigned long long)w->executed);
  }
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

bool emu_workgroup_run(emu_workgroup *wg) {
  const emu_launch *l = wg->launch;
  uint32_t waves = l->waves, at = 0;
  uint32_t quantum = l->options->quantum ? l->options->quantum : 4;
  fmhac_emu_sched sched = l->options->sched;
  uint64_t rng = l->options->seed * 0x2545f4914f6cdd1du + wg->linear;
  uint32_t running = settle(wg, waves);
  while (running) {
    uint32_t n = quantum;
    if (sched == FMHAC_EMU_SCHED_RANDOM) {
      uint32_t pick = (uint32_t)(emu_random(&rng) % running);
      n = 1 + (uint32_t)(emu_random(&rng) % 64);
      for (at = 0; wg->waves[at].state != EMU_RUNNING || pick--; at++)
        ;
    } else {
      while (wg->waves[at].state != EMU_RUNNING)
        at = (at + 1) % waves;
      if (sched == FMHAC_EMU_SCHED_UNTIL_BLOCKED)
        n = LONG_TURN;
    }
    turn(&wg->waves[at], n, l->random_completion);
    if (wg->fault[0])
      return false;
    if (wg->instructions > l->budget) {
      char head[192];
      snprintf(head, sizeof head,
               "the budget of %llu instructions per workgroup is used up; is "
               "there an endless loop? (--max-instructions raises it)",
               (unsigned long long)l->budget);
      describe_waves(wg, head);
      return false;
    }
    // Reading the state of every wave is slow: they are far apart in memory.
    if (wg->waves[at].state != EMU_RUNNING)
      running = settle(wg, waves);
    at = (at + 1) % waves;
  }
  if (stuck(wg, waves)) {
    describe_waves(wg, "deadlock: no wave can go on");
    return false;
  }
  return true;
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
