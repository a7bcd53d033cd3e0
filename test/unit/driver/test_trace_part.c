// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Figures of parts of a trace, of a trace written by hand. Wave 0 of SIMD 0
// goes four times through a loop of 64 cycles; the tables say what it does.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "trace_part.h"

enum { BODY = 4, ROUNDS = 4, EVENTS = 2 + BODY * ROUNDS + ROUNDS + 1, PCS = 6 };

// mfma 0x8, valu 0xc, trans 0x10, branch 0x14, 0x18 after the loop.
static trace_insn g_insns[PCS] = {{.pc = 0},
                                  {.pc = 0x8},
                                  {.pc = 0xc},
                                  {.pc = 0x10},
                                  {.pc = 0x14, .name = "s_cbranch_scc1"},
                                  {.pc = 0x18}};

// Times from the begin of a round. The transcendental waits 28 cycles for a
// result; the target of the branch is there 12 cycles after it.
static const struct {
  uint64_t ready, issue, slice_end, end;
  uint32_t insn;
  fmhac_timing_class kind;
} g_body[BODY] = {
    {0, 0, 8, 32, 1, FMHAC_TIMING_CLASS_MFMA},
    {8, 8, 12, 12, 2, FMHAC_TIMING_CLASS_VALU},
    {12, 40, 48, 48, 3, FMHAC_TIMING_CLASS_TRANS},
    {48, 48, 52, 52, 4, FMHAC_TIMING_CLASS_OTHER},
};
enum { BEGIN = 100, ROUND_CYCLES = 64, END = 400 };

typedef struct fixture {
  trace t;
  trace_event events[EVENTS];
  size_t by_wave[EVENTS], wave_first[4];
} fixture;

static void add(fixture *f, trace_event e) { f->events[f->t.count++] = e; }

/// Waves: 0, then 1 of its workgroup on SIMD 1, and 2 of another workgroup on
/// SIMD 0. In each round of wave 0, wave 2 issues a vector instruction of 4
/// cycles while the matrix unit runs.
static void setup(fixture *f) {
  memset(f, 0, sizeof *f);
  f->t.insns = g_insns;
  f->t.insn_count = PCS;
  f->t.events = f->events;
  f->t.by_wave = f->by_wave;
  f->t.wave_first = f->wave_first;
  f->t.waves = 3;
  f->t.per_group = 2;
  f->t.group.cycles = END;
  f->t.group.causes[FMHAC_TIMING_MFMA] = 600;
  f->t.group.causes[FMHAC_TIMING_IDLE] = 4 * END - 600;
  add(f, (trace_event){.ready = 88,
                       .issue = 92,
                       .slice_end = 96,
                       .end = 96,
                       .cause = FMHAC_TIMING_LAUNCH,
                       .kind = FMHAC_TIMING_CLASS_SCALAR});
  for (uint64_t round = 0; round < ROUNDS; ++round)
    for (int i = 0; i < BODY; ++i) {
      const uint64_t at = BEGIN + ROUND_CYCLES * round;
      add(f, (trace_event){.ready = at + g_body[i].ready,
                           .issue = at + g_body[i].issue,
                           .slice_end = at + g_body[i].slice_end,
                           .end = at + g_body[i].end,
                           .insn = g_body[i].insn,
                           .cause = g_body[i].ready < g_body[i].issue
                                        ? FMHAC_TIMING_RESULT
                                        : FMHAC_TIMING_ISSUE,
                           .kind = g_body[i].kind});
    }
  add(f, (trace_event){.ready = 360,
                       .issue = 360,
                       .slice_end = 361,
                       .end = 364,
                       .insn = 5,
                       .kind = FMHAC_TIMING_CLASS_OTHER});
  f->wave_first[1] = f->t.count;
  add(f, (trace_event){.ready = 88,
                       .issue = 92,
                       .slice_end = 96,
                       .end = 96,
                       .wave = 1,
                       .simd = 1,
                       .kind = FMHAC_TIMING_CLASS_SCALAR});
  f->wave_first[2] = f->t.count;
  for (uint64_t round = 0; round < ROUNDS; ++round) {
    const uint64_t at = BEGIN + ROUND_CYCLES * round + 16;
    add(f, (trace_event){.ready = at,
                         .issue = at,
                         .slice_end = at + 4,
                         .end = at + 4,
                         .insn = 2,
                         .wave = 2,
                         .kind = FMHAC_TIMING_CLASS_VALU});
  }
  f->wave_first[3] = f->t.count;
  for (size_t i = 0; i < f->t.count; ++i)
    f->by_wave[i] = i;
}

/// Events are in order of issue in a trace.
static void sort_by_issue(fixture *f) {
  for (size_t i = 1; i < f->t.count; ++i)
    for (size_t k = i; k && f->events[k].issue < f->events[k - 1].issue; --k) {
      const trace_event e = f->events[k];
      f->events[k] = f->events[k - 1];
      f->events[k - 1] = e;
    }
  size_t at = 0;
  for (uint32_t wave = 0; wave < f->t.waves; ++wave)
    for (size_t i = 0; i < f->t.count; ++i)
      if (f->events[i].wave == wave)
        f->by_wave[at++] = i;
}

static int make(void **state) {
  static fixture f;
  setup(&f);
  sort_by_issue(&f);
  for (size_t i = 0; i < f.t.count; ++i) // no unit makes an instruction wait
    f.events[i].start = f.events[i].issue;
  *state = &f;
  return 0;
}

static trace_range range_of(const char *text) {
  trace_ranges r;
  char error[ERROR_BYTES] = "";
  if (!trace_ranges_parse("--range-a", text, &r, error))
    fail_msg("%s", error);
  assert_int_equal(r.count, 1);
  return r.list[0];
}

/// A macro, so that a failure names the caller's line.
#define near(found, expected)                                                  \
  assert_true(fabs((double)(found) - (double)(expected)) < 1e-9)

// The first round is entered from above and the last one is left: two are
// between jumps backwards.
static void loop(void **state) {
  const fixture *f = *state;
  trace_figures x;
  assert_true(trace_loop_figures(&f->t, 0x8, &x));
  assert_int_equal(x.trips, ROUNDS - 2);
  assert_int_equal(x.waves, 1);
  near(x.cycles, ROUND_CYCLES);
  near(x.period, ROUND_CYCLES);
  near(x.matrix_cycles, 32);
  near(x.vector_cycles, 4 + 8 + 4); // two of its own, one of wave 2
  near(x.both_cycles, 4 + 4);       // all but the transcendental
  near(x.matrix_share, 32.0 / 64);
  near(x.vector_share, 16.0 / 64);
  near(x.both_share, 8.0 / 64);
  near(x.wave_instructions[FMHAC_TIMING_CLASS_MFMA], 1);
  near(x.wave_instructions[FMHAC_TIMING_CLASS_VALU], 1);
  near(x.wave_instructions[FMHAC_TIMING_CLASS_TRANS], 1);
  near(x.wave_instructions[FMHAC_TIMING_CLASS_OTHER], 1);
  near(x.wave_instructions[FMHAC_TIMING_CLASS_SCALAR], 0);
  near(x.group_instructions[FMHAC_TIMING_CLASS_MFMA], 1);
  near(x.stalls[FMHAC_TIMING_RESULT], 28);
  near(x.stalls[FMHAC_TIMING_BRANCH], 12);
  assert_false(x.has_causes); // the model says nothing of this loop
  // No loop begins at the second instruction of this one.
  assert_true(trace_loop_figures(&f->t, 0xc, &x));
  assert_int_equal(x.trips, 0);
}

/// The model's own figures of the main loop are taken as they are.
static void main_loop(void **state) {
  fixture *f = *state;
  f->t.group.loop.pc = 0x8;
  f->t.group.loop.iterations = 2;
  f->t.group.loop.cycles = 66;
  f->t.group.loop.causes[FMHAC_TIMING_MFMA] = 66;
  trace_figures x;
  assert_true(trace_loop_figures(&f->t, 0x8, &x));
  near(x.cycles, 66);
  assert_true(x.has_causes);
  near(x.causes[FMHAC_TIMING_MFMA], 66);
  trace_figures_scale(&x, 2);
  near(x.cycles, 132);
  near(x.causes[FMHAC_TIMING_MFMA], 132);
  near(x.matrix_cycles, 64);
  near(x.wave_instructions[FMHAC_TIMING_CLASS_TRANS], 2);
  near(x.stalls[FMHAC_TIMING_RESULT], 56);
  near(x.matrix_share, 32.0 / 64); // a share stays
  assert_int_equal(x.trips, 2);
}

// From the end of the vector instruction to that of the branch: 40 cycles,
// 28 of them a stall.
static void range(void **state) {
  const fixture *f = *state;
  const trace_range tail = range_of("0x10:0x18");
  trace_figures x;
  assert_true(trace_range_figures(&f->t, &tail, &x));
  assert_int_equal(x.trips, ROUNDS);
  near(x.cycles, 40);
  near(x.period, ROUND_CYCLES);
  near(x.matrix_cycles, 32 - 12);
  near(x.vector_cycles, 4 + 8);
  near(x.both_cycles, 4);
  near(x.stalls[FMHAC_TIMING_RESULT], 28);
  near(x.stalls[FMHAC_TIMING_BRANCH], 0);
  near(x.wave_instructions[FMHAC_TIMING_CLASS_MFMA], 0);
  near(x.wave_instructions[FMHAC_TIMING_CLASS_TRANS], 1);
  // Two parts that are left and entered again: two trips a round.
  const trace_range parts = range_of("8:12+0x10:0x14");
  assert_true(trace_range_figures(&f->t, &parts, &x));
  assert_int_equal(x.trips, 2 * ROUNDS);
  near(x.wave_instructions[FMHAC_TIMING_CLASS_MFMA], 0.5);
}

// A jump backwards to its first pc begins a trip; any other one does not.
static void range_with_jumps(void **state) {
  const fixture *f = *state;
  const trace_range body = range_of("0x8:0x18");
  trace_figures x;
  assert_true(trace_range_figures(&f->t, &body, &x));
  assert_int_equal(x.trips, ROUNDS);
  // The first begins at the end of the instruction before it, at 96.
  near(x.cycles, (56 + 64 + 64 + 64) / 4.0);
  const trace_range all = range_of("0:0x1c");
  assert_true(trace_range_figures(&f->t, &all, &x));
  assert_int_equal(x.trips, 1);
  assert_int_equal(x.waves, 2);
  near(x.cycles, 361 - 88);
  near(x.period, 0);
  near(x.wave_instructions[FMHAC_TIMING_CLASS_MFMA], ROUNDS);
  near(x.wave_instructions[FMHAC_TIMING_CLASS_SCALAR], 1);
  near(x.group_instructions[FMHAC_TIMING_CLASS_SCALAR], 2);
  // Of another wave than the first only: no time, but instructions.
  const trace_range nothing = range_of("0x1c:0x20");
  assert_true(trace_range_figures(&f->t, &nothing, &x));
  assert_int_equal(x.trips, 0);
  near(x.cycles, 0);
}

static void workgroup(void **state) {
  const fixture *f = *state;
  trace_figures x;
  assert_true(trace_workgroup_figures(&f->t, &x));
  near(trace_simds(&f->t), 4);
  assert_int_equal(x.waves, 2);
  near(x.cycles, END);
  near(x.matrix_cycles, 32.0 * ROUNDS / 4); // of four SIMDs, one has work
  near(x.vector_cycles, 16.0 * ROUNDS / 4);
  near(x.both_cycles, 8.0 * ROUNDS / 4);
  near(x.matrix_share, 32.0 * ROUNDS / (4 * END));
  near(x.both_share, 8.0 * ROUNDS / (4 * END));
  near(x.causes[FMHAC_TIMING_MFMA], 150);
  near(x.group_instructions[FMHAC_TIMING_CLASS_SCALAR], 2);
  // Wave 2 is of another workgroup.
  near(x.group_instructions[FMHAC_TIMING_CLASS_VALU], ROUNDS);
}

static void loops(void **state) {
  const fixture *f = *state;
  trace_loop list[TRACE_LOOPS];
  assert_int_equal(trace_loops(&f->t, list), 1);
  assert_int_equal(list[0].pc, 0x8);
  assert_int_equal(list[0].trips, 2);
  assert_int_equal(list[0].cycles, 2 * ROUND_CYCLES);
  assert_int_equal(list[0].matrix_instructions, 2);
}

//===- Ranges as text -----------------------------------------------------===//

static void parse(void **state) {
  (void)state;
  trace_ranges r;
  char error[ERROR_BYTES] = "";
  assert_true(trace_ranges_parse("--range-b", NULL, &r, error));
  assert_int_equal(r.count, 0);
  assert_true(
      trace_ranges_parse("--range-b", "qk=0x10:0X20,0:16+020:24", &r, error));
  assert_int_equal(r.count, 2);
  assert_string_equal(r.list[0].name, "qk");
  assert_string_equal(r.list[1].name, "");
  assert_int_equal(r.list[0].spans[0].from, 16);
  assert_int_equal(r.list[0].spans[0].to, 32);
  assert_int_equal(r.list[1].span_count, 2);
  assert_int_equal(r.list[1].spans[1].from, 20); // no octal numbers
  assert_true(trace_range_has(&r.list[1], 15));
  assert_false(trace_range_has(&r.list[1], 16));
  assert_true(trace_range_has(&r.list[1], 23));
}

static void refuse(void **state) {
  (void)state;
  static const struct {
    const char *text, *why;
  } cases[] = {
      {"", "expected [NAME=]LO:HI"},
      {"0x10", "found '0x10'"},
      {"0x10:", "expected [NAME=]LO:HI"},
      {":0x10", "expected [NAME=]LO:HI"},
      {"-4:8", "expected [NAME=]LO:HI"},
      {"0:8:16", "expected [NAME=]LO:HI"},
      {"0:8,", "found ''"},
      {"0:8+", "found ''"},
      {"0:0x", "expected [NAME=]LO:HI"},
      {"0:8 ", "expected [NAME=]LO:HI"},
      {"0:99999999999999999999", "expected [NAME=]LO:HI"},
      {"8:8", "the empty 0x8:0x8"},
      {"0:4,0x20:0x10", "the empty 0x20:0x10"},
      {"=0:8", "a name of 1 to 23 bytes"},
      {"a-name-that-is-too-long-for-a-row=0:8", "a name of 1 to 23 bytes"},
      {"0:1,0:1,0:1,0:1,0:1,0:1,0:1,0:1,0:1,0:1,0:1,0:1,0:1,0:1,0:1,0:1,0:1",
       "at most 16 ranges"},
      {"0:1+0:1+0:1+0:1+0:1+0:1+0:1+0:1+0:1", "at most 8 parts"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    trace_ranges r;
    char error[ERROR_BYTES] = "";
    assert_false(trace_ranges_parse("--range-b", cases[i].text, &r, error));
    assert_ptr_equal(strstr(error, "--range-b: "), error);
    if (!strstr(error, cases[i].why))
      fail_msg("'%s': '%s'", cases[i].text, error);
  }
}

static void check(void **state) {
  (void)state;
  static const uint64_t pcs[] = {0, 8, 12, 16};
  static const struct {
    const char *text, *why; ///< NULL: good
  } cases[] = {
      {"0:20", NULL},     {"8:12,16:20", NULL},
      {"16:24", NULL},    {"20:24", "begin at 0x0 to 0x10"},
      {"0:25", "inside"}, {"1:8", "none that begins in 0x1:0x8"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    trace_ranges r;
    char error[ERROR_BYTES] = "";
    assert_true(trace_ranges_parse("--range-a", cases[i].text, &r, error));
    assert_int_equal(trace_ranges_check(&r, "k", pcs, 4, error),
                     cases[i].why == NULL);
    if (cases[i].why && !strstr(error, cases[i].why))
      fail_msg("'%s': '%s'", cases[i].text, error);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(loop, make),
      cmocka_unit_test_setup(main_loop, make),
      cmocka_unit_test_setup(range, make),
      cmocka_unit_test_setup(range_with_jumps, make),
      cmocka_unit_test_setup(workgroup, make),
      cmocka_unit_test_setup(loops, make),
      cmocka_unit_test(parse),
      cmocka_unit_test(refuse),
      cmocka_unit_test(check),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
