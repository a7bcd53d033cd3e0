// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of random small programs, against the definitions: a header dominates
// what it cannot be left out on the way to; its loop is what leads back to it.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "flow.h"

enum { MOST = 12, PROGRAMS = 20000 };

static uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 16;
}

static uint32_t make_program(uint32_t seed, flow_insn *out) {
  const uint32_t count = 2 + next_random(&seed) % (MOST - 1);
  for (uint32_t i = 0; i < count; ++i) {
    out[i] = (flow_insn){.pc = 4 * i};
    out[i].branches = next_random(&seed) % 2;
    out[i].target = 4 * (next_random(&seed) % count);
    out[i].ends = i + 1 == count || next_random(&seed) % 4 == 0;
  }
  return count;
}

/// Instructions that are reached from `from` without passing `without`.
static uint32_t reached(const flow_insn *insns, uint32_t from,
                        uint32_t without) {
  uint32_t seen = from == without ? 0 : 1u << from, old = 0;
  while (seen != old) {
    old = seen;
    for (uint32_t i = 0; i < MOST; ++i) {
      if (!(old >> i & 1))
        continue;
      if (!insns[i].ends && i + 1 != without)
        seen |= 1u << (i + 1);
      if (insns[i].branches && insns[i].target / 4 != without)
        seen |= 1u << insns[i].target / 4;
    }
  }
  return seen;
}

static bool leads_to(const flow_insn *insns, uint32_t from, uint32_t to) {
  return (!insns[from].ends && from + 1 == to) ||
         (insns[from].branches && insns[from].target == 4 * to);
}

/// Instructions of the loop of `header`: 0 if it heads none.
static uint32_t loop_of(const flow_insn *insns, uint32_t count, uint32_t header,
                        uint32_t *out_back_edges) {
  const uint32_t all = reached(insns, 0, FLOW_NONE);
  uint32_t loop = 0;
  *out_back_edges = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const bool dominated = i == header || !(reached(insns, 0, header) >> i & 1);
    if (!(all >> i & 1) || !dominated || !leads_to(insns, i, header))
      continue;
    ++*out_back_edges;
    loop |= 1u << header;
    for (uint32_t k = 0; k < count; ++k)
      if (all >> k & 1 && k != header && reached(insns, k, header) >> i & 1)
        loop |= 1u << k;
  }
  return loop;
}

/// The fewest instructions on a way from the header round to it, in its loop.
static uint32_t shortest(const flow_insn *insns, uint32_t count,
                         uint32_t header, uint32_t loop) {
  uint32_t seen = 1u << header;
  for (uint32_t steps = 1;; ++steps) {
    uint32_t next = seen;
    for (uint32_t i = 0; i < count; ++i) {
      if (!(seen >> i & 1))
        continue;
      if (leads_to(insns, i, header))
        return steps;
      for (uint32_t k = 0; k < count; ++k)
        next |= leads_to(insns, i, k) ? loop & 1u << k : 0;
    }
    seen = next;
  }
}

static void check_loop(const flow_insn *insns, uint32_t count, const flow *f,
                       uint32_t loop, uint32_t wanted) {
  double weights[MOST], least, most;
  for (uint32_t b = 0; b < f->block_count; ++b) {
    const flow_block *block = &f->blocks[b];
    weights[b] = block->end - block->first;
    assert_int_equal(flow_loop_has(f, loop, b), wanted >> block->first & 1);
  }
  assert_true(flow_loop_sums(f, loop, weights, 1, &least, &most));
  const uint32_t header = f->blocks[f->loops[loop].header].first;
  assert_int_equal((int)least, shortest(insns, count, header, wanted));
  assert_true(least <= most && most <= __builtin_popcount(wanted));
}

static void check_program(uint32_t seed, uint32_t *found) {
  flow_insn insns[MOST];
  const uint32_t count = make_program(seed, insns);
  flow f;
  assert_true(flow_build(insns, count, &f));
  const uint32_t all = reached(insns, 0, FLOW_NONE);
  uint32_t loops = 0;
  for (uint32_t i = 0; i < f.loop_count; ++i)
    loops += all >> f.blocks[f.loops[i].header].first & 1;
  for (uint32_t header = 0; header < count; ++header) {
    uint32_t back_edges;
    const uint32_t wanted = loop_of(insns, count, header, &back_edges);
    uint32_t loop = 0;
    while (loop < f.loop_count &&
           f.blocks[f.loops[loop].header].first != header)
      ++loop;
    if (!(all >> header & 1))
      continue;
    assert_int_equal(loop < f.loop_count, wanted != 0);
    if (!wanted)
      continue;
    --loops;
    ++*found;
    assert_int_equal(f.loops[loop].back_edges, back_edges);
    check_loop(insns, count, &f, loop, wanted);
  }
  assert_int_equal(loops, 0);
  flow_deinit(&f);
}

static void test_random_programs(void **state) {
  (void)state;
  uint32_t found = 0;
  for (uint32_t seed = 1; seed <= PROGRAMS; ++seed)
    check_program(seed * 2654435761u, &found);
  assert_true(found > PROGRAMS / 2);
}

static void test_empty(void **state) {
  (void)state;
  flow f;
  assert_true(flow_build(NULL, 0, &f));
  assert_int_equal(f.block_count, 0);
  flow_deinit(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_programs),
      cmocka_unit_test(test_empty),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
