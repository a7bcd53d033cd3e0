// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps the work-items of one workgroup on the host: each has a stack of its
// own and runs until it ends or waits for others.
#include "run_oracle.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { MAX_ITEMS = 1024, LANES = 64, STACK_BYTES = 1 << 18 };

typedef enum wait_for { WAIT_NOTHING, WAIT_BARRIER, WAIT_WAVE } wait_for;

typedef struct item {
  struct oracle_item self;
  ucontext_t context;
  wait_for waits;
  bool ended;
  uint64_t barriers;  ///< reached so far
  uint64_t exchanges; ///< reached so far
  struct oracle_wave_values seen;
} item;

// A lane can be one exchange ahead of the slowest of its wave, never two: two
// sets of values, by parity, are enough.
typedef struct wave {
  unsigned long value[2][LANES];
} wave;

struct oracle {
  ucontext_t scheduler;
  oracle_kernel *kernel;
  const void *arguments;
  uint8_t *stacks;
  item items[MAX_ITEMS];
  wave waves[MAX_ITEMS / LANES];
  uint32_t count, current;
};

// The kernel's calls carry no context.
static _Thread_local oracle *running;

const struct oracle_item *oracle_self(void) {
  return &running->items[running->current].self;
}

static void suspend(oracle *o, wait_for what) {
  item *i = &o->items[o->current];
  i->waits = what;
  swapcontext(&i->context, &o->scheduler);
  i->waits = WAIT_NOTHING;
}

void oracle_barrier(void) {
  oracle *o = running;
  o->items[o->current].barriers++;
  suspend(o, WAIT_BARRIER);
}

static uint32_t wave_begin(uint32_t index) { return index / LANES * LANES; }
static uint32_t wave_end(const oracle *o, uint32_t index) {
  uint32_t end = wave_begin(index) + LANES;
  return end < o->count ? end : o->count;
}

const struct oracle_wave_values *oracle_exchange(unsigned long value) {
  oracle *o = running;
  uint32_t index = o->current;
  item *me = &o->items[index];
  uint64_t round = ++me->exchanges;
  unsigned long *values = o->waves[index / LANES].value[round & 1];
  values[index % LANES] = value;
  suspend(o, WAIT_WAVE);
  memset(&me->seen, 0, sizeof me->seen);
  for (uint32_t i = wave_begin(index); i < wave_end(o, index); i++)
    if (o->items[i].exchanges >= round) {
      me->seen.active |= 1ul << i % LANES;
      me->seen.value[i % LANES] = values[i % LANES];
    }
  return &me->seen;
}

static bool ready(const oracle *o, uint32_t index) {
  const item *me = &o->items[index];
  if (me->waits == WAIT_NOTHING)
    return true;
  bool wave_only = me->waits == WAIT_WAVE;
  uint32_t begin = wave_only ? wave_begin(index) : 0;
  uint32_t end = wave_only ? wave_end(o, index) : o->count;
  for (uint32_t i = begin; i < end; i++) {
    const item *other = &o->items[i];
    if (!other->ended && (wave_only ? other->exchanges < me->exchanges
                                    : other->barriers < me->barriers))
      return false;
  }
  return true;
}

static void start(void) {
  oracle *o = running;
  o->kernel(o->arguments);
  o->items[o->current].ended = true;
}

static void prepare(oracle *o, const oracle_launch *launch,
                    const uint32_t group[3]) {
  for (uint32_t n = 0; n < o->count; n++) {
    item *i = &o->items[n];
    i->waits = WAIT_NOTHING;
    i->ended = false;
    i->barriers = i->exchanges = 0;
    memcpy(i->self.group_id, group, sizeof i->self.group_id);
    memcpy(i->self.local_size, launch->block, sizeof i->self.local_size);
    memcpy(i->self.group_count, launch->grid, sizeof i->self.group_count);
    i->self.local_id[0] = n % launch->block[0];
    i->self.local_id[1] = n / launch->block[0] % launch->block[1];
    i->self.local_id[2] = n / launch->block[0] / launch->block[1];
    i->self.lane = n % LANES;
    getcontext(&i->context);
    i->context.uc_stack.ss_sp = o->stacks + (size_t)n * STACK_BYTES;
    i->context.uc_stack.ss_size = STACK_BYTES;
    i->context.uc_link = &o->scheduler;
    makecontext(&i->context, start, 0);
  }
}

static bool run_workgroup(oracle *o) {
  uint32_t left = o->count;
  while (left) {
    bool moved = false;
    for (uint32_t n = 0; n < o->count; n++) {
      if (o->items[n].ended || !ready(o, n))
        continue;
      o->current = n;
      swapcontext(&o->scheduler, &o->items[n].context);
      left -= o->items[n].ended;
      moved = true;
    }
    if (!moved)
      return false;
  }
  return true;
}

oracle *oracle_create(void) {
  oracle *o = calloc(1, sizeof *o);
  if (!o)
    return NULL;
  o->stacks =
      mmap(NULL, (size_t)MAX_ITEMS * STACK_BYTES, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (o->stacks == MAP_FAILED) {
    free(o);
    return NULL;
  }
  return o;
}

void oracle_destroy(oracle *o) {
  if (!o)
    return;
  munmap(o->stacks, (size_t)MAX_ITEMS * STACK_BYTES);
  free(o);
}

bool oracle_run(oracle *o, const oracle_launch *launch, char *error,
                size_t error_bytes) {
  o->kernel = launch->kernel;
  o->arguments = launch->arguments;
  o->count = launch->block[0] * launch->block[1] * launch->block[2];
  if (!o->count || o->count > MAX_ITEMS) {
    snprintf(error, error_bytes, "oracle: %u work-items, expected 1 to %d",
             o->count, MAX_ITEMS);
    return false;
  }
  running = o;
  uint32_t g[3];
  for (g[2] = 0; g[2] < launch->grid[2]; g[2]++)
    for (g[1] = 0; g[1] < launch->grid[1]; g[1]++)
      for (g[0] = 0; g[0] < launch->grid[0]; g[0]++) {
        prepare(o, launch, g);
        if (!run_workgroup(o)) {
          snprintf(error, error_bytes,
                   "oracle: in workgroup [%u,%u,%u] every work-item waits: the "
                   "kernel's barriers or exchanges are not uniform",
                   g[0], g[1], g[2]);
          return false;
        }
      }
  return true;
}
