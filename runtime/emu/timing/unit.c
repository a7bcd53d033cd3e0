// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compute unit: four SIMDs, with the waves that hardware places on each. Each
// wave issues in order. A SIMD has a slot every 4 cycles, in which each of its
// ports takes one instruction, at most one from each wave. Memory serves
// requests in order, so the time at which an instruction completes is known
// when it is issued. Nothing happens between issues, and time goes from one
// issue to the next.
#include <math.h>
#include <stdlib.h>

#include "traffic.h"

enum { MOST_SIMDS = 4, MOST_WAVES = 64, RESULTS = 4, LOOPS = 64 };
static const uint64_t k_never = UINT64_MAX;

/// D of an outstanding instruction; `chain` of matrix instructions only.
typedef struct result {
  uint64_t ready_cycle, chain; ///< `chain`: as C of the next instruction
  uint16_t first, count;       ///< registers
} result;

/// Outstanding operations, by number: the cycle at which each has completed
/// together with all operations before it.
typedef struct counter {
  uint64_t done[EMU_QUEUE];
  uint64_t issued, last;
} counter;

typedef struct unit_wave {
  const uint32_t *run, *runs_end;
  const uint32_t *lds, *vmem;  ///< accesses of the next such instruction
  const emu_time_banks *banks; ///< of the next LDS instruction, for events
  uint32_t at, end; ///< next instruction of the program; end of the run
  uint64_t ready;   ///< from here the wave can issue again
  uint64_t when;    ///< from here its next instruction waits for nothing
  uint64_t last;    ///< last issue
  uint64_t memory;  ///< from here the wave can issue to memory again
  uint8_t ready_cause, when_cause;
  uint8_t simd, resident, priority;
  bool at_barrier, over;
  counter vm, lgkm;
  uint64_t last_ready; ///< of `results`
  result vector; ///< D of the last vector instruction, for the next of these
  unsigned newest;
  result results[RESULTS];
} unit_wave;

typedef struct unit_simd {
  uint64_t port_free[EMU_PORT_COUNT], matrix_free;
  uint64_t matrix_start; ///< of the last matrix instruction
  uint64_t covered;      ///< all cycles before it have a cause
  uint64_t causes[TIMING_CAUSES];
  uint16_t waves[MOST_WAVES], count;
  /// The wave that issues next, the cycle, and the cause of the delay, as of
  /// `version`. Without a wave `when` is k_never.
  unit_wave *next;
  uint64_t when, version;
  uint8_t cause;
  bool stale; ///< one of its waves has changed since
} unit_simd;

/// A loop of the first wave, identified by the target of its backward jump.
typedef struct unit_loop {
  uint32_t first;
  uint64_t iterations, cycles, matrix;
  uint64_t causes[TIMING_CAUSES];
} unit_loop;

typedef struct unit {
  const emu_time_constants *k;
  const emu_time_op *ops;
  const isa_insn *insns;
  uint32_t simds, wave_count, slot_cycles;
  unit_simd simd[MOST_SIMDS];
  unit_wave *waves;
  uint64_t version; ///< memory instructions issued
  double ghz;       ///< that is expected
  uint32_t waiting[MOST_WAVES], alive[MOST_WAVES]; ///< of each resident
  emu_time_memory memory;
  emu_time_code code;
  emu_time_events *events;
  uint64_t instructions, matrix_cycles[EMU_OPERANDS_COUNT], vector_cycles, end;
  // The current loop of the first wave.
  unit_loop loops[LOOPS];
  uint32_t loop_count, last_loop; ///< LOOPS: none
  uint64_t loop_cycles, loop_matrix, first_matrix;
  uint64_t loop_causes[TIMING_CAUSES];
} unit;

//===-- When the next instruction of a wave can be issued -----------------===//

static bool meets(const isa_insn *in, const result *r) {
  unsigned word = r->first / 64, at = r->first % 64;
  uint64_t mask = r->count >= 64 ? ~0ull : (1ull << r->count) - 1;
  if (in->touches_v[word] & mask << at)
    return true;
  return at + r->count > 64 && word < 7 &&
         (in->touches_v[word + 1] & mask >> (64 - at));
}

static bool operand_meets(const isa_operand *o, const result *r) {
  return o->kind == ISA_OPERAND_VGPR && o->index < r->first + r->count &&
         r->first < o->index + o->regs;
}

// The cycle at which D is ready for this instruction. A matrix instruction that
// adds to exactly the registers that the last one wrote gets them from inside
// the unit.
static uint64_t there_for(const isa_insn *in, const emu_time_op *op,
                          const result *r) {
  if (!meets(in, r))
    return 0;
  if (op->act != EMU_ACT_MATRIX || operand_meets(&in->src[0], r) ||
      operand_meets(&in->src[1], r) || in->dst[0].index != r->first)
    return r->ready_cycle;
  return r->chain;
}

static bool is_vector(const emu_time_op *op) {
  return op->port == EMU_PORT_VECTOR && op->act != EMU_ACT_MATRIX;
}

static uint64_t counted(const counter *c, uint64_t let_pass) {
  if (c->issued <= let_pass)
    return 0;
  return c->done[(c->issued - let_pass - 1) % EMU_QUEUE];
}

static void delay(unit_wave *w, uint64_t until, fmhac_timing_cause cause) {
  if (until <= w->when)
    return;
  w->when = until;
  w->when_cause = (uint8_t)cause;
}

// Derives the waits of the wave's next instruction that do not depend on other
// waves.
static void prepare(const unit *u, unit_wave *w) {
  const emu_time_op *op = &u->ops[w->at];
  const isa_insn *in = &u->insns[w->at];
  w->when = w->ready;
  w->when_cause = w->ready_cause;
  switch ((emu_time_act)op->act) {
  case EMU_ACT_WAIT:
    delay(w, counted(&w->vm, op->wait_vm), FMHAC_TIMING_VMEM_WAIT);
    delay(w, counted(&w->lgkm, op->wait_lgkm), FMHAC_TIMING_LDS_WAIT);
    return;
  case EMU_ACT_VMEM:
    // The counter is full: the instruction cannot issue.
    delay(w, counted(&w->vm, ISA_MAX_VM - 1), FMHAC_TIMING_VMEM_FULL);
    break;
  case EMU_ACT_LDS:
  case EMU_ACT_SMEM:
    delay(w, counted(&w->lgkm, ISA_MAX_LGKM - 1), FMHAC_TIMING_LDS_FULL);
    break;
  default:
    break;
  }
  if (op->port == EMU_PORT_MEMORY)
    delay(w, w->memory, FMHAC_TIMING_ISSUE);
  // Other operands seem to get it at once (docs/timing.md, First operands).
  if (is_vector(op) && in->nsrc && w->vector.ready_cycle > w->when &&
      operand_meets(&in->src[0], &w->vector))
    delay(w, w->vector.ready_cycle, FMHAC_TIMING_VALU);
  if (w->last_ready <= w->when || op->port > EMU_PORT_MEMORY)
    return;
  for (unsigned i = 0; i < RESULTS; i++)
    if (w->results[i].ready_cycle > w->when)
      delay(w, there_for(in, op, &w->results[i]), FMHAC_TIMING_RESULT);
}

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

// The slot in which the next instruction can issue in the current state, and
// the cause of its delay.
static uint64_t slot_of(const unit *u, const unit_wave *w, uint8_t *cause) {
  const emu_time_op *op = &u->ops[w->at];
  const unit_simd *s = &u->simd[w->simd];
  uint64_t t = later(w->when, s->port_free[op->port]), free = 0;
  *cause = t > w->when ? FMHAC_TIMING_ISSUE : w->when_cause;
  switch ((emu_time_act)op->act) {
  case EMU_ACT_MATRIX:
    free = u->k->matrix_queue_entries > 0 ? s->matrix_start : s->matrix_free;
    break;
  case EMU_ACT_PACKED:
    if (s->matrix_free)
      free = s->matrix_free + (uint64_t)u->k->packed_after_mfma_cycles;
    break;
  case EMU_ACT_LDS:
    free = emu_time_lds_entry(&u->memory, w->simd / 2, op, t);
    break;
  case EMU_ACT_VMEM:
    free = emu_time_entry(&u->memory.vmem, t, 1);
    break;
  default:
    break;
  }
  if (free > t) {
    t = free;
    *cause = op->act == EMU_ACT_LDS    ? FMHAC_TIMING_LDS_FULL
             : op->act == EMU_ACT_VMEM ? FMHAC_TIMING_VMEM_FULL
                                       : FMHAC_TIMING_ISSUE;
  }
  const uint64_t before_slot = u->slot_cycles - 1,
                 phase = w->simd & before_slot;
  return t <= phase ? phase
                    : ((t - phase + before_slot) & ~before_slot) + phase;
}

// The order of two waves that can issue in the same slot. If their ports
// differ, the order of EMU_PORT_*, which has no effect on times. For the same
// port, the wave of higher priority, then the wave whose last issue is older.
static bool before(const unit *u, const unit_wave *a, const unit_wave *b) {
  uint8_t pa = u->ops[a->at].port, pb = u->ops[b->at].port;
  if (pa != pb)
    return pa < pb;
  if (a->priority != b->priority)
    return a->priority > b->priority;
  return a->last < b->last;
}

// Finds the wave of this SIMD that issues next.
static void choose(const unit *u, unit_simd *s) {
  s->next = NULL;
  s->when = k_never;
  s->version = u->version;
  s->stale = false;
  for (unsigned i = 0; i < s->count; i++) {
    unit_wave *w = &u->waves[s->waves[i]];
    if (w->over || w->at_barrier)
      continue;
    uint8_t cause;
    uint64_t t = slot_of(u, w, &cause);
    if (t < s->when || (t == s->when && before(u, w, s->next))) {
      s->when = t;
      s->next = w;
      s->cause = cause;
    }
  }
}

// The queues that the SIMDs share only fill up. So a wave that was chosen while
// they were emptier is still the right choice, unless it needs one of them.
static bool holds(const unit *u, const unit_simd *s) {
  return !s->stale && (s->version == u->version || !s->next ||
                       u->ops[s->next->at].port != EMU_PORT_MEMORY);
}

//===-- Issue -------------------------------------------------------------===//

static void count(counter *c, uint64_t done) {
  c->last = later(c->last, done);
  c->done[c->issued++ % EMU_QUEUE] = c->last;
}

// The first wave is at the end of a run, and another run follows.
static void back_edge(unit *u, uint32_t from, uint32_t to) {
  if (to > from)
    return;
  uint32_t i = 0;
  while (i < u->loop_count && u->loops[i].first != to)
    i++;
  if (i == LOOPS) { // replace the loop with the fewest matrix instructions
    i = 0;
    for (uint32_t j = 1; j < LOOPS; j++)
      if (u->loops[j].matrix < u->loops[i].matrix)
        i = j;
    u->loops[i] = (unit_loop){.first = to};
    u->last_loop = LOOPS;
  } else if (i == u->loop_count) {
    u->loops[u->loop_count++] = (unit_loop){.first = to};
  }
  unit_loop *l = &u->loops[i];
  const uint64_t *causes = u->simd[u->waves[0].simd].causes;
  // Up to the last cycle with a cause, so that causes add up to the cycles.
  const uint64_t now = u->simd[u->waves[0].simd].covered;
  if (u->last_loop == i) {
    l->iterations++;
    l->cycles += now - u->loop_cycles;
    l->matrix += u->first_matrix - u->loop_matrix;
    for (int c = 0; c < TIMING_CAUSES; c++)
      l->causes[c] += causes[c] - u->loop_causes[c];
  }
  u->last_loop = i;
  u->loop_cycles = now;
  u->loop_matrix = u->first_matrix;
  memcpy(u->loop_causes, causes, sizeof u->loop_causes);
}

// Opens the barrier if all waves that have not ended have arrived.
static void settle(unit *u, unsigned resident, uint64_t now) {
  if (!u->alive[resident] || u->waiting[resident] < u->alive[resident])
    return;
  u->waiting[resident] = 0;
  uint64_t open = now + (uint64_t)u->k->barrier_cycles;
  for (uint32_t i = 0; i < u->wave_count; i++) {
    unit_wave *w = &u->waves[resident * u->wave_count + i];
    if (!w->at_barrier)
      continue;
    w->at_barrier = false;
    if (open > w->ready) {
      w->ready = open;
      w->ready_cause = FMHAC_TIMING_BARRIER;
    }
    prepare(u, w);
    u->simd[w->simd].stale = true;
  }
}

static void end_wave(unit *u, unit_wave *w, uint64_t now) {
  w->over = true;
  u->end = later(u->end, later(now, later(w->vm.last, w->lgkm.last)));
  u->alive[w->resident]--;
  settle(u, w->resident, now);
}

// Moves the wave past the instruction that it has issued at `now`.
static void next_instruction(unit *u, unit_wave *w, const emu_time_op *op,
                             uint64_t now) {
  w->ready = now + op->wave_cycles;
  w->ready_cause = FMHAC_TIMING_ISSUE;
  w->last = now;
  // Unreachable code is not decoded: after it, the next instruction in the list
  // is the target of a branch over it.
  const isa_insn *in = &u->insns[w->at];
  if (op->act == EMU_ACT_BRANCH && in[1].pc != in->pc + in->size) {
    w->ready = now + op->result_cycles;
    w->ready_cause = FMHAC_TIMING_BRANCH;
  }
  if (++w->at < w->end)
    return;
  if (w->run == w->runs_end || op->act == EMU_ACT_END) {
    end_wave(u, w, w->ready);
    return;
  }
  uint32_t to = w->run[0];
  if (op->act == EMU_ACT_BRANCH) {
    w->ready = now + op->result_cycles;
    w->ready_cause = FMHAC_TIMING_BRANCH;
  }
  if (w == u->waves)
    back_edge(u, w->at - 1, to);
  w->at = to;
  w->end = to + w->run[1];
  w->run += 2;
}

static void advance(unit *u, unit_wave *w, const emu_time_op *op,
                    uint64_t now) {
  const uint32_t from = u->insns[w->at].pc;
  next_instruction(u, w, op, now);
  if (!w->over)
    w->ready =
        emu_time_code_fetch(&u->code, from, u->insns[w->at].pc, w->ready);
}

// Applies the effects of the instruction on the state that waves share. Returns
// the cycle at which it completes; `start` is that from which its unit works.
static uint64_t act(unit *u, unit_wave *w, const emu_time_op *op, uint64_t now,
                    uint64_t *start) {
  unit_simd *s = &u->simd[w->simd];
  const isa_insn *in = &u->insns[w->at];
  uint64_t done = now + op->port_cycles;
  *start = now;
  switch ((emu_time_act)op->act) {
  case EMU_ACT_MATRIX: {
    *start = s->matrix_start = later(now, s->matrix_free);
    s->matrix_free = *start + op->matrix_cycles;
    u->matrix_cycles[op->operands] += op->matrix_cycles;
    u->first_matrix += w == u->waves;
    w->memory = now + op->port_cycles;
    result *r = &w->results[w->newest++ % RESULTS];
    *r = (result){*start + op->result_cycles, s->matrix_free, in->dst[0].index,
                  in->dst[0].regs};
    w->last_ready = later(w->last_ready, r->ready_cycle);
    return s->matrix_free;
  }
  case EMU_ACT_LDS:
    done = emu_time_lds_issue(
        &u->memory, w->simd / 2, op, now,
        (emu_time_lds_cycles){(uint16_t)*w->lds, (uint16_t)(*w->lds >> 16)});
    w->lds++;
    count(&w->lgkm, done);
    return done;
  case EMU_ACT_VMEM:
    done = emu_time_vmem_issue(&u->memory, w->resident, now, w->vmem + 2,
                               w->vmem[1], w->vmem[0], op);
    w->vmem += 2 + w->vmem[1];
    count(&w->vm, done);
    if (op->flat)
      count(&w->lgkm, done);
    return done;
  case EMU_ACT_SMEM:
    done = now + (uint64_t)u->k->scalar_latency_cycles;
    count(&w->lgkm, done);
    return done;
  case EMU_ACT_PRIORITY:
    w->priority = op->priority;
    return done;
  default:
    return done;
  }
}

static fmhac_timing_cause cause_of(const emu_time_op *op) {
  switch ((fmhac_timing_class)op->kind) {
  case FMHAC_TIMING_CLASS_MFMA:
    return FMHAC_TIMING_MFMA;
  case FMHAC_TIMING_CLASS_TRANS:
    return FMHAC_TIMING_TRANS;
  case FMHAC_TIMING_CLASS_VALU:
  case FMHAC_TIMING_CLASS_PACKED:
    return FMHAC_TIMING_VALU;
  default:
    return FMHAC_TIMING_ISSUE;
  }
}

// Attributes the cycles up to `now` to `cause`, and the cycles of the
// instruction to its own cause.
static void account(unit_simd *s, const emu_time_op *op, uint64_t now,
                    uint8_t cause) {
  if (now > s->covered) {
    s->causes[cause] += now - s->covered;
    s->covered = now;
  }
  uint64_t end =
      op->act == EMU_ACT_MATRIX ? s->matrix_free : now + op->port_cycles;
  if (end > s->covered) {
    s->causes[cause_of(op)] += end - s->covered;
    s->covered = end;
  }
}

static void record_event(const unit *u, unit_wave *w, uint64_t ready,
                         uint64_t now, uint64_t start, uint64_t end,
                         uint8_t cause) {
  emu_time_events *e = u->events;
  const emu_time_banks *banks =
      u->ops[w->at].act == EMU_ACT_LDS ? w->banks++ : NULL;
  if (e->count == e->capacity) {
    size_t capacity = e->capacity ? 2 * e->capacity : 4096;
    capacity = capacity > e->limit ? e->limit : capacity;
    emu_time_event *list =
        capacity > e->count ? realloc(e->list, capacity * sizeof *list) : NULL;
    if (!list)
      return;
    e->list = list;
    e->capacity = capacity;
  }
  emu_time_event *event = &e->list[e->count++];
  *event = (emu_time_event){.ready = ready,
                            .issue = now,
                            .start = start,
                            .end = end,
                            .insn = w->at,
                            .wave = (uint16_t)(w - u->waves),
                            .simd = w->simd,
                            .cause = cause};
  if (!banks)
    return;
  event->lds_cycles = w->lds[-1] & 0xffff; // act() has gone on
  event->lds = *banks;
}

static void issue_vector(unit *u, unit_wave *w, const emu_time_op *op,
                         uint64_t now) {
  const isa_operand *d = &u->insns[w->at].dst[0];
  u->vector_cycles += op->port_cycles;
  w->vector = (result){0};
  if (!u->insns[w->at].ndst || d->kind != ISA_OPERAND_VGPR)
    return;
  uint64_t ready = now + op->result_cycles;
  w->vector = (result){ready, ready, d->index, d->regs};
}

static void issue(unit *u, unit_wave *w, uint64_t now, uint8_t cause) {
  const emu_time_op *op = &u->ops[w->at];
  unit_simd *s = &u->simd[w->simd];
  u->instructions++;
  u->version += op->port == EMU_PORT_MEMORY;
  if (is_vector(op))
    issue_vector(u, w, op, now);
  s->port_free[op->port] =
      op->port == EMU_PORT_NONE ? 0 : now + op->port_cycles;
  uint64_t start, end = act(u, w, op, now, &start);
  account(s, op, now, cause);
  if (u->events)
    record_event(u, w, w->ready, now, start, end, cause);
  bool barrier = op->act == EMU_ACT_BARRIER && u->wave_count > 1;
  advance(u, w, op, now);
  s->stale = true;
  if (w->over)
    return;
  if (barrier) {
    w->at_barrier = true;
    u->waiting[w->resident]++;
    settle(u, w->resident, now);
    if (w->at_barrier)
      return;
  }
  prepare(u, w);
}

static void run(unit *u) {
  for (;;) {
    unit_simd *first = NULL;
    for (uint32_t i = 0; i < u->simds; i++) {
      unit_simd *s = &u->simd[i];
      if (!holds(u, s))
        choose(u, s);
      if (!first || s->when < first->when)
        first = s;
    }
    if (!first->next)
      return;
    issue(u, first->next, first->when, first->cause);
  }
}

//===-- Start and end -----------------------------------------------------===//

static void start_wave(unit *u, uint32_t i, const emu_time_record *r) {
  unit_wave *w = &u->waves[i];
  w->run = r->runs.list;
  w->runs_end = r->runs.list + r->runs.count;
  w->lds = r->lds.list;
  w->vmem = r->vmem.list;
  w->banks = r->banks;
  w->resident = (uint8_t)(i / u->wave_count);
  w->simd = (uint8_t)(i % u->simds); // a workgroup begins where one ended
  w->ready = (uint64_t)(i * u->k->wave_launch_cycles);
  w->ready_cause = FMHAC_TIMING_LAUNCH;
  unit_simd *s = &u->simd[w->simd];
  s->stale = true;
  s->waves[s->count++] = (uint16_t)i;
  if (w->run == w->runs_end) {
    w->over = true;
    return;
  }
  u->alive[w->resident]++;
  w->at = w->run[0];
  w->end = w->run[0] + w->run[1];
  w->run += 2;
  prepare(u, w);
}

static void finish(unit *u, emu_time_result *out) {
  for (uint32_t i = 0; i < u->simds; i++) // what the last instructions began
    u->end = later(u->end, u->simd[i].covered);
  out->cycles = u->end;
  out->instructions = u->instructions;
  memcpy(out->matrix_cycles, u->matrix_cycles, sizeof out->matrix_cycles);
  out->vector_cycles = u->vector_cycles;
  out->l2_bytes = u->memory.l2_bytes;
  out->far_bytes = u->memory.far_bytes;
  for (uint32_t i = 0; i < u->simds; i++) {
    const unit_simd *s = &u->simd[i];
    for (int c = 0; c < TIMING_CAUSES; c++)
      out->causes[c] += s->causes[c];
    out->causes[FMHAC_TIMING_IDLE] +=
        u->end > s->covered ? u->end - s->covered : 0;
  }
  out->wait_cycles = (double)(out->causes[FMHAC_TIMING_VMEM_WAIT] +
                              out->causes[FMHAC_TIMING_VMEM_FULL]) /
                     u->simds;
  // Others wait for the vector cache, for L2 or for atomics.
  double bytes;
  const double far_cycles = u->ghz * emu_time_memory_far_ns(&u->memory, &bytes);
  if (out->wait_cycles > far_cycles)
    out->wait_cycles = far_cycles;
  out->ghz = u->ghz;
  out->in_mall = u->memory.in_mall;
  const unit_loop *most = NULL;
  for (uint32_t i = 0; i < u->loop_count; i++)
    if (u->loops[i].iterations && (!most || u->loops[i].matrix > most->matrix))
      most = &u->loops[i];
  if (!most)
    return;
  out->loop.pc = u->insns[most->first].pc;
  out->loop.iterations = most->iterations;
  double n = (double)most->iterations;
  out->loop.cycles = (double)most->cycles / n;
  for (int c = 0; c < TIMING_CAUSES; c++)
    out->loop.causes[c] = (double)most->causes[c] / n;
}

// Passes the lines that the waves will use to the memory model.
static bool expect_lines(unit *u, const emu_timing *t,
                         const emu_workgroup *wg) {
  bool ok = true;
  for (uint32_t i = 0; i < u->wave_count; i++) {
    const emu_time_words *a = &wg->records[i].vmem;
    for (size_t at = 0; at < a->count; at += 2 + a->list[at + 1])
      for (uint32_t j = 0; ok && j < a->list[at + 1]; j++)
        ok = emu_time_memory_expect(&u->memory, a->list[at + 2 + j]);
  }
  return ok && emu_time_memory_share(&u->memory, t);
}

static uint32_t within(double value, uint32_t most) {
  return value < 1 ? 1 : value > most ? most : (uint32_t)value;
}

// A power of two, so that finding a slot needs no division.
static uint32_t slot_cycles(double value) {
  uint32_t cycles = 1;
  while (2 * cycles <= value && cycles < 64)
    cycles *= 2;
  return cycles;
}

// With cycles of 1 / `ghz` ns; 0: at the clock that is expected. False if out
// of memory.
static bool time_at(const emu_timing *t, const emu_workgroup *wg, double ghz,
                    emu_time_events *events, emu_traffic_stream *stream,
                    emu_time_result *out) {
  memset(out, 0, sizeof *out);
  memcpy(out->id, wg->id, sizeof out->id);
  out->resident = t->resident;
  const uint32_t per_group = wg->launch->waves;
  const uint32_t count = per_group * t->resident;
  unit *u = calloc(1, sizeof *u);
  unit_wave *waves = calloc(count, sizeof *waves);
  bool ok = u && waves && count <= MOST_WAVES;
  for (uint32_t i = 0; i < per_group; i++)
    ok &= !wg->records[i].failed;
  if (ok) {
    *u = (unit){.k = &t->k,
                .ops = t->ops,
                .insns = wg->launch->kernel->program->insns,
                .simds = within(t->k.simds, MOST_SIMDS),
                .wave_count = per_group,
                .slot_cycles = slot_cycles(t->k.slot_cycles),
                .waves = waves,
                .events = events,
                .last_loop = LOOPS};
    ok = emu_time_code_init(&u->code, &t->k, wg->launch->kernel->program) &&
         emu_time_memory_init(&u->memory, t, wg->launch->space) &&
         expect_lines(u, t, wg);
    u->memory.stream = stream;
  }
  if (ok) {
    u->ghz = ghz > 0 ? ghz : emu_time_expected_ghz(t, wg, &u->memory);
    emu_time_memory_clock(&u->memory, u->ghz);
    for (uint32_t i = 0; i < MOST_SIMDS; i++)
      u->simd[i].when = k_never; // until it has a wave
    for (uint32_t i = 0; i < count; i++)
      start_wave(u, i, &wg->records[i % per_group]);
    run(u);
    finish(u, out);
    ok = !stream || emu_traffic_end(stream, t, wg, out->cycles);
  }
  if (u) {
    emu_time_memory_deinit(&u->memory);
    emu_time_code_deinit(&u->code);
  }
  free(waves);
  free(u);
  return ok;
}

fmhac_status emu_time_unit(const emu_timing *t, const emu_workgroup *wg,
                           emu_time_events *events, emu_traffic_stream *stream,
                           emu_time_result *out) {
  // The share of its time by which a workgroup may be wrong, because memory had
  // the cycles of another clock than the one that came out.
  static const double least_error = 0.01;
  bool ok = time_at(t, wg, t->clock_ghz, events, stream, out);
  const double ghz = ok ? emu_time_ghz_of(t, out) : 0;
  if (ok && !(t->clock_ghz > 0) &&
      out->wait_cycles * fabs(ghz / out->ghz - 1) >
          least_error * (double)out->cycles) {
    if (events)
      events->count = 0;
    if (stream)
      emu_traffic_deinit(stream);
    ok = time_at(t, wg, ghz, events, stream, out);
  }
  return ok ? FMHAC_OK : FMHAC_OUT_OF_MEMORY;
}
