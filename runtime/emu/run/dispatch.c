// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Deals the workgroups of a launch to host threads. They begin in the order of
// the grid, as many at a time as the part holds: workgroups go round the XCDs,
// and each XCD begins its own in order. A thread runs a workgroup to its end
// before it begins another, unless the workgroup waits for others (spin.h) or
// gives way to them.
//
// `moves` counts turns of workgroups in which memory was written, and ends. A
// workgroup that has waited since the last one, or whose waves would read what
// they have read before, would only wait again. If that is true of all that
// have begun, and the part has no room for another one or there is none,
// nothing will ever move.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "findings.h"
#include "grow.h"
#include "launch.h"
#include "processors.h"
#include "race.h"
#include "spin.h"
#include "timing.h"

enum { MOST_XCDS = 64 };

/// Workgroups of a thread that have begun and do not run.
typedef struct waiters {
  emu_workgroup **list;
  size_t count, capacity;
} waiters;

typedef struct pool {
  const emu_launch *launch;
  uint64_t total;
  uint32_t xcds;
  uint64_t places;     ///< workgroups that an XCD holds
  size_t most_in_turn; ///< workgroups of a thread that give way to each other
  _Atomic uint64_t done, instructions, matrix_instructions;
  _Atomic bool stop;
  _Atomic int status; ///< OUT_OF_MEMORY of a thread
  _Atomic uint64_t moves;
  pthread_mutex_t lock; ///< guards the fields below
  pthread_cond_t moved;
  uint64_t next[MOST_XCDS]; ///< the next workgroup of each XCD
  uint64_t held[MOST_XCDS]; ///< workgroups that it holds
  uint32_t threads;         ///< at work
  uint32_t idle; ///< of these, with nothing to do since the last move
  struct worker_state *workers;
  uint32_t worker_count;
  emu_findings findings;
  uint64_t fault_workgroup; ///< lowest workgroup that could not go on
  char fault[2048];
} pool;

/// What a thread has.
typedef struct worker_state {
  pool *p;
  pthread_t id;
  const fmhac_emu_options *report; ///< NULL: another thread reports progress
  waiters begun; ///< of these, those that gave way have `seen` UINT64_MAX
  waiters spare; ///< states that no workgroup uses
  waiters ended; ///< over, but earlier ones are to be compared first
  uint64_t rng;
} worker_state;

static bool push(waiters *w, emu_workgroup *wg) {
  if (!FMHAC_GROW(w->list, w->count, w->capacity))
    return false;
  w->list[w->count++] = wg;
  return true;
}

static void give_up(pool *p) {
  p->stop = true;
  pthread_mutex_lock(&p->lock);
  pthread_cond_broadcast(&p->moved);
  pthread_mutex_unlock(&p->lock);
}

static void out_of_memory(pool *p) {
  p->status = FMHAC_OUT_OF_MEMORY;
  give_up(p);
}

static void note_move(pool *p) {
  pthread_mutex_lock(&p->lock);
  p->moves++;
  if (p->idle)
    pthread_cond_broadcast(&p->moved);
  p->idle = 0; // all of them have something to look at
  pthread_mutex_unlock(&p->lock);
}

//===-- Workgroups that begin and end -------------------------------------===//

/// Takes the first workgroup that has not begun and for which its XCD has room.
/// False: none.
static bool take(pool *p, uint64_t *out) {
  uint32_t best = p->xcds;
  pthread_mutex_lock(&p->lock);
  for (uint32_t x = 0; x < p->xcds; x++)
    if (p->next[x] < p->total && p->held[x] < p->places &&
        (best == p->xcds || p->next[x] < p->next[best]))
      best = x;
  if (best < p->xcds) {
    *out = p->next[best];
    p->next[best] += p->xcds;
    p->held[best]++;
  }
  pthread_mutex_unlock(&p->lock);
  return best < p->xcds;
}

static emu_workgroup *begin(worker_state *s) {
  pool *p = s->p;
  const emu_launch *l = p->launch;
  uint64_t i = 0;
  if (!take(p, &i))
    return NULL;
  emu_workgroup *wg = s->spare.count ? s->spare.list[--s->spare.count]
                                     : emu_workgroup_create(l);
  if (!wg) {
    out_of_memory(p);
    return NULL;
  }
  emu_workgroup_id(l, i, wg->id);
  wg->index = i;
  wg->linear = wg->id[0] + (uint64_t)l->grid[0] *
                               (wg->id[1] + (uint64_t)l->grid[1] * wg->id[2]);
  emu_workgroup_start(wg);
  return wg;
}

static void merge(pool *p, emu_workgroup *wg, bool failed) {
  if (!failed && !wg->findings.count && !wg->findings.dropped)
    return;
  pthread_mutex_lock(&p->lock);
  emu_findings_merge(&p->findings, &wg->findings);
  if (failed && (!p->fault[0] || wg->linear < p->fault_workgroup)) {
    p->fault_workgroup = wg->linear;
    memcpy(p->fault, wg->fault, sizeof p->fault);
  }
  pthread_mutex_unlock(&p->lock);
}

/// The state of a workgroup that is over, and compared, can be used again.
static void leave(worker_state *s, emu_workgroup *wg) {
  merge(s->p, wg, false);
  if (!push(&s->spare, wg)) {
    emu_workgroup_destroy(wg);
    out_of_memory(s->p);
  }
}

/// Compares workgroups that are over with all earlier ones, as far as these are
/// over.
static void compare(worker_state *s) {
  for (size_t i = 0; i < s->ended.count;) {
    emu_workgroup *wg = s->ended.list[i];
    if (!emu_race_end(wg, wg->index)) {
      i++;
      continue;
    }
    s->ended.list[i] = s->ended.list[--s->ended.count];
    leave(s, wg);
    note_move(s->p);
    i = 0;
  }
}

static void end(worker_state *s, emu_workgroup *wg, bool failed) {
  pool *p = s->p;
  const emu_launch *l = p->launch;
  if (!failed && l->timing &&
      emu_timing_workgroup(l->timing, wg, wg->index) != FMHAC_OK)
    out_of_memory(p);
  p->instructions += wg->instructions;
  p->matrix_instructions += wg->matrix_instructions;
  pthread_mutex_lock(&p->lock);
  p->held[wg->index % p->xcds]--;
  pthread_mutex_unlock(&p->lock);
  p->done++;
  note_move(p);
  merge(p, wg, failed);
  if (failed)
    give_up(p);
  if (s->report && s->report->progress)
    s->report->progress(s->report->progress_user, p->done, p->total);
  if (!l->race || failed) {
    leave(s, wg);
    return;
  }
  if (!push(&s->ended, wg)) {
    emu_workgroup_destroy(wg);
    out_of_memory(p);
    return;
  }
  compare(s);
}

//===-- Deadlock ----------------------------------------------------------===//

static int by_index(const void *a, const void *b) {
  const emu_workgroup *x = *(emu_workgroup *const *)a,
                      *y = *(emu_workgroup *const *)b;
  return (x->index > y->index) - (x->index < y->index);
}

/// Called with the lock, when all threads are idle.
static void report_deadlock(pool *p) {
  const emu_launch *l = p->launch;
  size_t resident = 0;
  for (uint32_t i = 0; i < p->worker_count; i++)
    resident += p->workers[i].begun.count;
  emu_workgroup **all = malloc((resident + 1) * sizeof *all);
  size_t n = 0;
  for (uint32_t i = 0; all && i < p->worker_count; i++)
    for (size_t k = 0; k < p->workers[i].begun.count; k++)
      all[n++] = p->workers[i].begun.list[k];
  p->stop = true;
  if (!n) {
    p->status = FMHAC_OUT_OF_MEMORY;
    free(all);
    return;
  }
  qsort(all, n, sizeof(emu_workgroup *), by_index);
  const uint64_t waiting = p->total - p->done - resident,
                 grid = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
  char head[512], rest[128] = "", part[96] = "";
  if (waiting)
    snprintf(rest, sizeof rest,
             "%llu have not begun, because the part holds %llu at a time",
             (unsigned long long)waiting,
             (unsigned long long)(p->xcds * p->places));
  else
    snprintf(rest, sizeof rest, "all have begun");
  if (l->ids)
    snprintf(part, sizeof part,
             "; only %llu workgroups of the grid's %llu "
             "were selected",
             (unsigned long long)p->total, (unsigned long long)grid);
  snprintf(head, sizeof head,
           "deadlock: nothing moves any more: each wave of %zu resident "
           "workgroups waits, %llu of %llu have ended, %s%s",
           n, (unsigned long long)p->done, (unsigned long long)p->total, rest,
           part);
  emu_workgroup_describe(all[0], head, p->fault, sizeof p->fault);
  p->fault_workgroup = all[0]->linear;
  free(all);
}

/// Waits until something has moved since `seen`. If no thread has anything to
/// do, nothing will.
static void idle(pool *p, uint64_t seen) {
  pthread_mutex_lock(&p->lock);
  p->idle += p->moves == seen;
  while (!p->stop && p->moves == seen) {
    if (p->idle == p->threads) {
      report_deadlock(p);
      pthread_cond_broadcast(&p->moved);
      break;
    }
    pthread_cond_wait(&p->moved, &p->lock);
  }
  pthread_mutex_unlock(&p->lock);
}

//===-- Turns of workgroups -----------------------------------------------===//

static bool may_run(const pool *p, const emu_workgroup *wg) {
  return wg->seen != p->moves && (wg->gives_way || emu_spin_may_end(wg));
}

/// A workgroup that has begun and may go on: the one that has done least, so
/// that all get on alike; or any. NULL: none.
static emu_workgroup *resume(worker_state *s, bool random) {
  size_t best = SIZE_MAX;
  const size_t from = random && s->begun.count
                          ? (size_t)(emu_random(&s->rng) % s->begun.count)
                          : 0;
  for (size_t k = 0; k < s->begun.count; k++) {
    const size_t i = (from + k) % s->begun.count;
    const emu_workgroup *wg = s->begun.list[i];
    if (!may_run(s->p, wg))
      continue;
    if (best == SIZE_MAX ||
        (!random && wg->instructions < s->begun.list[best]->instructions))
      best = i;
  }
  if (best == SIZE_MAX)
    return NULL;
  emu_workgroup *wg = s->begun.list[best];
  s->begun.list[best] = s->begun.list[--s->begun.count];
  return wg;
}

/// The workgroup whose turn it is. Those that wait are asked before others
/// begin, because each that has begun takes memory of the host. Those that gave
/// way come after, so that each takes its share of a queue. A thread whose
/// workgroups are only to be compared begins none, for the same reason.
static emu_workgroup *choose(worker_state *s) {
  const bool random = s->p->launch->options->sched == FMHAC_EMU_SCHED_RANDOM;
  bool waits = false, gave_way = false;
  for (size_t i = 0; i < s->begun.count; i++) {
    const emu_workgroup *wg = s->begun.list[i];
    waits |= may_run(s->p, wg) && !wg->gives_way;
    gave_way |= wg->gives_way;
  }
  if (!s->begun.count && s->ended.count)
    return NULL;
  bool first = gave_way ? s->begun.count >= s->p->most_in_turn : waits;
  if (random && s->begun.count)
    first |= emu_random(&s->rng) & 1;
  emu_workgroup *wg = first ? resume(s, random) : begin(s);
  if (!wg && !s->p->stop)
    wg = first ? begin(s) : resume(s, random);
  return wg;
}

static void work(worker_state *s) {
  pool *p = s->p;
  while (!p->stop) {
    const uint64_t seen = p->moves;
    compare(s);
    emu_workgroup *wg = choose(s);
    if (!wg) {
      if (p->done == p->total && !s->ended.count)
        break;
      idle(p, seen);
      continue;
    }
    emu_run how = emu_workgroup_run(wg);
    if (how == EMU_RUN_ENDED || how == EMU_RUN_FAILED) {
      end(s, wg, how == EMU_RUN_FAILED);
      continue;
    }
    wg->seen = how == EMU_RUN_WAITS ? seen : UINT64_MAX;
    if (!push(&s->begun, wg)) {
      emu_workgroup_destroy(wg);
      out_of_memory(p);
      continue;
    }
    if (wg->wrote)
      note_move(p);
  }
  pthread_mutex_lock(&p->lock);
  p->threads--;
  pthread_cond_broadcast(&p->moved);
  pthread_mutex_unlock(&p->lock);
}

static void *worker(void *s) {
  work(s);
  return NULL;
}

//===-- The launch --------------------------------------------------------===//

static void clear(waiters *w) {
  for (size_t i = 0; i < w->count; i++)
    emu_workgroup_destroy(w->list[i]);
  free(w->list);
}

static void run_threads(pool *p) {
  worker_state *workers = p->workers;
  const uint32_t threads = p->threads;
  uint32_t started = 0;
  for (; started + 1 < threads; started++)
    if (pthread_create(&workers[started].id, NULL, worker, &workers[started]) !=
        0)
      break; // fewer threads give the same results
  pthread_mutex_lock(&p->lock);
  p->threads -= threads - 1 - started;
  pthread_mutex_unlock(&p->lock);
  workers[threads - 1].report = p->launch->options;
  work(&workers[threads - 1]);
  while (started)
    pthread_join(workers[--started].id, NULL);
}

static uint32_t thread_count(const fmhac_emu_options *o, uint64_t workgroups) {
  const uint32_t most = FMHAC_EMU_MOST_THREADS;
  if (workgroups <= 1)
    return 1;
  uint32_t n = o->threads ? o->threads : fmhac_processors();
  n = n > workgroups ? (uint32_t)workgroups : n;
  return n > most ? most : n;
}

void emu_dispatch(const emu_launch *l, uint64_t total, emu_dispatched *io) {
  const uint32_t threads = thread_count(l->options, total);
  const uint64_t held = (uint64_t)l->xcds * l->places;
  pool p = {.launch = l,
            .total = total,
            // A part of a grid is one queue.
            .xcds = l->ids || l->xcds > MOST_XCDS ? 1 : l->xcds,
            .threads = threads,
            .findings = io->findings};
  p.places = held / p.xcds;
  p.most_in_turn = l->units / threads + 1;
  for (uint32_t x = 0; x < p.xcds; x++)
    p.next[x] = x;
  pthread_mutex_init(&p.lock, NULL);
  pthread_cond_init(&p.moved, NULL);
  p.workers = calloc(threads, sizeof *p.workers);
  p.worker_count = threads;
  if (!p.workers)
    p.status = FMHAC_OUT_OF_MEMORY;
  for (uint32_t i = 0; p.workers && i < threads; i++)
    p.workers[i] = (worker_state){.p = &p, .rng = l->options->seed + i};
  if (p.workers)
    run_threads(&p);
  for (uint32_t i = 0; p.workers && i < threads; i++) {
    for (size_t k = 0; k < p.workers[i].begun.count; k++)
      merge(&p, p.workers[i].begun.list[k], false);
    clear(&p.workers[i].begun);
    clear(&p.workers[i].spare);
    clear(&p.workers[i].ended);
  }
  free(p.workers);
  pthread_mutex_destroy(&p.lock);
  pthread_cond_destroy(&p.moved);
  io->findings = p.findings;
  io->done = p.done;
  io->instructions = p.instructions;
  io->matrix_instructions = p.matrix_instructions;
  io->stopped = p.stop;
  io->status = p.status;
  memcpy(io->fault, p.fault, sizeof io->fault);
}
