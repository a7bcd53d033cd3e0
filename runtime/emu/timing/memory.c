// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LDS and the vector cache of a compute unit, with its share of the memory
// beyond L2. Requests arrive and are served in the order of their issue.
#include <math.h>
#include <stdlib.h>

#include "hash.h"
#include "lru.h"
#include "traffic.h"

enum { FIRST_LINES = 1 << 12, ATOMIC_BYTES = 4 };

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static uint32_t entries(double n) {
  return n < 1 ? 1 : n > EMU_TIME_QUEUE ? EMU_TIME_QUEUE : (uint32_t)n;
}

bool emu_time_memory_init(emu_time_memory *m, const emu_timing *t,
                          const emu_space *space) {
  const emu_time_constants *k = &t->k;
  *m = (emu_time_memory){.k = k, .resident = t->resident};
  for (int i = 0; i < 2; i++) {
    m->pair[i].commands.entries = entries(k->lds_queue_entries);
    m->pair[i].slots.entries = entries(k->lds_queue_slots);
  }
  m->vmem.entries = entries(k->vmem_queue_entries);
  m->l1_ways = (uint32_t)later(1, (uint64_t)k->l1_ways);
  m->l1_sets = (uint32_t)later(1, (uint64_t)(k->l1_lines / m->l1_ways));
  m->l1 = calloc((size_t)m->l1_sets * m->l1_ways, sizeof *m->l1);
  m->line_capacity = FIRST_LINES;
  m->lines = calloc(FIRST_LINES, sizeof *m->lines);
  m->buffers = calloc(space->count + 1, sizeof *m->buffers);
  if (!m->l1 || !m->lines || !m->buffers)
    return false;
  m->buffer_count = (uint32_t)space->count;
  for (size_t i = 0; i < space->count; i++) {
    const emu_segment *s = &space->segments[i];
    m->buffers[i] =
        (emu_time_buffer){.first_line = t->first_lines[i],
                          .lines = s->bytes / EMU_TIME_LINE_BYTES + 1,
                          .recent = t->recent - s->base < s->bytes};
  }
  return true;
}

void emu_time_memory_deinit(emu_time_memory *m) {
  free(m->l1);
  free(m->lines);
  free(m->buffers);
  free(m->ready);
}

static void enter(emu_time_queue *q, uint64_t leaves) {
  q->leaves[q->count++ % EMU_TIME_QUEUE] = leaves;
}

//===-- LDS ---------------------------------------------------------------===//

uint64_t emu_time_lds_entry(const emu_time_memory *m, unsigned pair,
                            const emu_time_op *op, uint64_t at) {
  const emu_time_pair *p = &m->pair[pair];
  at = later(later(at, p->port_free), emu_time_entry(&p->commands, at, 1));
  return emu_time_entry(&p->slots, at, op->lds_slots);
}

uint64_t emu_time_lds_issue(emu_time_memory *m, unsigned pair,
                            const emu_time_op *op, uint64_t at,
                            emu_time_lds_cycles cycles) {
  emu_time_pair *p = &m->pair[pair];
  if (!cycles.pair)
    cycles.pair = (uint16_t)m->k->lds_exchange_cycles;
  p->port_free = at + op->port_cycles;
  uint64_t start = later(p->port_free, p->free);
  m->array_free = later(m->array_free, start) + cycles.array;
  p->free = later(start + cycles.pair, m->array_free);
  enter(&p->commands, p->free);
  for (unsigned i = 0; i < op->lds_slots; i++)
    enter(&p->slots, p->free);
  return p->free + (uint64_t)m->k->lds_latency_cycles;
}

//===-- Vector memory -----------------------------------------------------===//

static uint32_t key_of(uint32_t line) { return line + 1 ? line + 1 : 1; }

// The entry of the line in the table, or the free entry where it belongs.
static emu_time_line *find_line(emu_time_line *table, size_t capacity,
                                uint32_t key) {
  size_t i = emu_hash(key) & (capacity - 1);
  while (table[i].key && table[i].key != key)
    i = (i + 1) & (capacity - 1);
  return &table[i];
}

static bool grow(emu_time_memory *m) {
  size_t capacity = 2 * m->line_capacity;
  emu_time_line *table = calloc(capacity, sizeof *table);
  if (!table)
    return false;
  for (size_t i = 0; i < m->line_capacity; i++)
    if (m->lines[i].key)
      *find_line(table, capacity, m->lines[i].key) = m->lines[i];
  free(m->lines);
  m->lines = table;
  m->line_capacity = capacity;
  return true;
}

bool emu_time_memory_expect(emu_time_memory *m, uint32_t line) {
  emu_time_line *l = find_line(m->lines, m->line_capacity, key_of(line));
  if (l->key)
    return true;
  if (2 * m->line_count >= m->line_capacity) {
    if (!grow(m))
      return false;
    l = find_line(m->lines, m->line_capacity, key_of(line));
  }
  l->key = key_of(line);
  l->number = (uint32_t)m->line_count++;
  uint32_t low = 0, high = m->buffer_count;
  while (high - low > 1) {
    uint32_t middle = (low + high) / 2;
    if (m->buffers[middle].first_line <= line)
      low = middle;
    else
      high = middle;
  }
  l->buffer = low;
  m->buffers[l->buffer].used_lines++;
  return true;
}

// The share of `lines` that a cache of `cache_lines` still has when a launch
// uses all of them again, in the same order. Lines are taken to give way at
// random: a line stays if none of the misses of a launch hits it, h = exp(-(1 -
// h) n).
static double left_in_cache(double lines, double cache_lines) {
  const double n = cache_lines > 0 ? lines / cache_lines : INFINITY;
  if (n <= 1)
    return 1;
  double h = 0; // the smaller solution, from below
  for (int i = 0; i < 64; i++)
    h = exp(-(1 - h) * n);
  return h;
}

static uint64_t least(uint64_t x, uint64_t y) { return x < y ? x : y; }

// A buffer that fewer workgroups than this share has other lines for each
// workgroup of a compute unit: neighbours in the grid are on other XCDs.
#define LEAST_ALIKE 3

bool emu_time_memory_share(emu_time_memory *m, const emu_timing *t) {
  const uint64_t units = (uint64_t)m->k->compute_units;
  const double users = t->stands_for;
  m->together = least(t->busy, units * t->resident);
  m->meeting = t->meeting;
  double lines = 0;
  for (uint32_t i = 0; i < m->buffer_count; i++) {
    emu_time_buffer *b = &m->buffers[i];
    double used = (double)b->used_lines * users;
    b->share = (double)b->lines < used ? (double)b->lines / used : 1;
    b->own = b->share * LEAST_ALIKE > 1;
    lines += fmin((double)b->lines, used);
  }
  m->in_mall = m->k->launches_before < 1
                   ? 0
                   : left_in_cache(lines, 1024 * m->k->mall_cache_kib /
                                              EMU_TIME_LINE_BYTES);
  m->ready = calloc(m->line_count * m->resident + 1, sizeof *m->ready);
  return m->ready != NULL;
}

// Neighbours load when it does, and workgroups go to empty units first.
static double share_bytes_per_ns(const emu_time_memory *m) {
  const emu_time_constants *k = m->k;
  const double units = fmax(1, fmin(k->compute_units, (double)m->together));
  return 1 / units /
         (m->in_mall / k->mall_bytes_per_ns +
          (1 - m->in_mall) / k->hbm_bytes_per_ns);
}

// Workgroups that share a buffer go through it together, and all wait for HBM.
static double latency_ns(const emu_time_memory *m) {
  return m->in_mall * m->k->mall_latency_ns +
         (1 - m->in_mall) * m->k->hbm_latency_ns;
}

double emu_time_memory_far_ns(const emu_time_memory *m, double *out_bytes) {
  double shared = 0, used = 0;
  for (uint32_t i = 0; i < m->buffer_count; i++) {
    const emu_time_buffer *b = &m->buffers[i];
    const double bytes = (double)b->used_lines * EMU_TIME_LINE_BYTES;
    used += bytes;
    shared += bytes * b->share;
  }
  *out_bytes = shared;
  // No more than l1_flight_bytes arrive within a latency.
  return m->resident * fmax(shared / share_bytes_per_ns(m),
                            used * latency_ns(m) / m->k->l1_flight_bytes);
}

void emu_time_memory_clock(emu_time_memory *m, double ghz) {
  m->far_bytes_per_cycle = share_bytes_per_ns(m) / ghz;
  m->far_latency = (uint64_t)(latency_ns(m) * ghz);
  m->mall_latency = (uint64_t)(m->k->mall_latency_ns * ghz);
}

// Whether the line was in the vector cache. After a hit, or with `keep`, it is
// in the cache as the line used last. Lines are numbered in the order in which
// the workgroup uses them, so that the addresses of buffers do not matter.
static bool in_l1(emu_time_memory *m, uint32_t line, bool keep) {
  uint32_t *set = m->l1 + (size_t)(line % m->l1_sets) * m->l1_ways;
  return emu_lru_use(set, m->l1_ways, line + 1, keep);
}

// The cycle, `at` or later, from which the cache has room for `bytes` more of
// data in flight.
static uint64_t wait_for_inflight_slot(emu_time_memory *m, uint32_t bytes,
                                       uint64_t at) {
  while (m->oldest_flight < m->next_flight &&
         (m->flight_bytes + bytes > m->k->l1_flight_bytes ||
          m->flight[m->oldest_flight % EMU_TIME_FLIGHT].back <= at)) {
    emu_time_flight *f = &m->flight[m->oldest_flight++ % EMU_TIME_FLIGHT];
    m->flight_bytes -= f->bytes;
    at = later(at, f->back);
  }
  return at;
}

// Counts a load, whose data arrives at `back`, as in flight.
static void track_inflight(emu_time_memory *m, uint32_t bytes, uint64_t back) {
  if (m->next_flight - m->oldest_flight == EMU_TIME_FLIGHT)
    m->flight_bytes -= m->flight[m->oldest_flight++ % EMU_TIME_FLIGHT].bytes;
  m->flight[m->next_flight++ % EMU_TIME_FLIGHT] =
      (emu_time_flight){back, bytes};
  m->flight_bytes += bytes;
}

// The cycles until an atomic returns the old value. One of a single lane counts
// something, and so do those of the other workgroups, at the same place.
static double atomic_latency(emu_time_memory *m, uint32_t bytes) {
  double cycles = m->k->atomic_latency_cycles;
  if (bytes <= 2 * ATOMIC_BYTES && !m->counted) {
    cycles += m->k->atomic_same_cycles * (double)m->meeting / 2;
    m->counted = true;
  }
  return cycles;
}

// The number of a line, and of those that others of the compute unit use, too,
// one for all of them.
static size_t number_of(const emu_time_memory *m, uint32_t resident,
                        const emu_time_line *l) {
  return l->number + (m->buffers[l->buffer].own ? resident * m->line_count : 0);
}

uint64_t emu_time_vmem_issue(emu_time_memory *m, uint32_t resident, uint64_t at,
                             const uint32_t *lines, uint32_t count,
                             uint32_t bytes, const emu_time_op *op) {
  const emu_time_constants *k = m->k;
  uint32_t missing = 0, fresh = 0, recorded = 0;
  const double far_before = m->far_bytes;
  const bool load = op->load;
  uint64_t latest_ready = 0, far_latency = m->mall_latency;
  for (uint32_t i = 0; i < count; i++) {
    emu_time_line *l = find_line(m->lines, m->line_capacity, key_of(lines[i]));
    const emu_time_buffer *b = &m->buffers[l->buffer];
    const size_t number = number_of(m, resident, l);
    const bool asks_l2 = !in_l1(m, (uint32_t)number, load);
    // A stream is of one workgroup: the others' own lines are not in it.
    const bool is_told = m->stream && (!b->own || resident == 0);
    missing += asks_l2;
    if (is_told && asks_l2 && (load || op->atomic)) {
      recorded++;
      emu_traffic_load(m->stream, lines[i], l->buffer);
    }
    latest_ready = later(latest_ready, m->ready[number]);
    if (m->ready[number])
      continue;
    fresh++;
    if (!b->recent)
      far_latency = m->far_latency;
    if (is_told && !load && !op->atomic)
      emu_traffic_store(m->stream);
    m->far_bytes += EMU_TIME_LINE_BYTES * b->share / (b->own ? m->resident : 1);
  }
  double cycles = bytes > 4 * EMU_LANES ? k->l1_wide_cycles
                  : bytes               ? k->l1_dword_cycles
                                        : 0;
  cycles =
      cycles > count * k->l1_line_cycles ? cycles : count * k->l1_line_cycles;
  uint64_t start = wait_for_inflight_slot(m, bytes, later(at, m->l1_free));
  uint64_t end = m->l1_free = start + (uint64_t)cycles;
  if (op->atomic) {
    m->atomics_free = fmax(m->atomics_free, (double)start) +
                      bytes / (ATOMIC_BYTES * k->atomics_per_cycle);
    end = later(end, (uint64_t)m->atomics_free);
  }
  enter(&m->vmem, end);
  if (m->stream)
    emu_traffic_ask(m->stream, missing, recorded);
  if (missing) {
    m->l2_bytes += missing * EMU_TIME_LINE_BYTES;
    m->fill_free =
        later(m->fill_free, start) +
        (uint64_t)(missing * EMU_TIME_LINE_BYTES / k->l1_fill_bytes_per_cycle);
    end = later(end, m->fill_free);
  }
  if (fresh) {
    double free = m->far_free > (double)start ? m->far_free : (double)start;
    m->far_free = free + m->resident * (m->far_bytes - far_before) /
                             m->far_bytes_per_cycle;
    end = later(end, (uint64_t)m->far_free);
  }
  end += !load        ? (uint64_t)k->store_latency_cycles
         : op->atomic ? (uint64_t)atomic_latency(m, bytes)
         : fresh      ? far_latency
         : missing    ? (uint64_t)k->l2_latency_cycles
                      : (uint64_t)k->l1_latency_cycles;
  if (load)
    end = later(end, latest_ready);
  for (uint32_t i = 0; fresh && i < count; i++) {
    emu_time_line *l = find_line(m->lines, m->line_capacity, key_of(lines[i]));
    uint64_t *ready = &m->ready[number_of(m, resident, l)];
    *ready = *ready ? *ready : end;
  }
  if (load)
    track_inflight(m, bytes, end);
  // Data for LDS occupies the array when it arrives. The requests that compete
  // for the array at that time are issued later, so the cycles are booked now.
  if (op->to_lds)
    m->array_free = later(m->array_free, at) +
                    (uint64_t)(bytes / k->lds_write_bytes_per_cycle);
  return end;
}
