// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"
#include "streams.h"

enum { BUCKET_CYCLES = 64, UNIT_PROCESS = 0 };

/// A slice, or a value of a counter, before it is written.
typedef enum item_kind {
  ITEM_STEP,        ///< from its first event's stall to its last event
  ITEM_STALL,       ///< `extra`: the cause
  ITEM_INSTRUCTION, ///< of a wave
  ITEM_MATRIX,      ///< the same, of a matrix unit
  ITEM_BUSY,        ///< `extra`: cycles of a bucket, `at` a SIMD
  ITEM_OUTSTANDING  ///< `extra`: vm, and lgkm × 2^16, `at` a wave
} item_kind;

typedef struct item {
  uint64_t start, cycles;
  size_t at; ///< event, SIMD or wave
  uint32_t extra;
  uint32_t kind;
} item;

typedef struct items {
  item *list;
  size_t count, capacity;
  bool failed;
} items;

static void add(items *all, item i) {
  if (!FMHAC_GROW(all->list, all->count, all->capacity)) {
    all->failed = true;
    return;
  }
  all->list[all->count++] = i;
}

/// By time; an enclosing event comes before the enclosed ones.
static int by_start(const void *a, const void *b) {
  const item *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  if (x->cycles != y->cycles)
    return x->cycles > y->cycles ? -1 : 1;
  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  return x->at < y->at ? -1 : x->at > y->at;
}

static bool inside(const trace_json_options *o, const trace_event *e) {
  return e->issue >= o->from && e->issue < o->to;
}

//===- The shown part -----------------------------------------------------===//

static const char *step_of(const trace *t, const trace_event *e) {
  return t->insns[e->insn].place.step;
}

/// The slices of a wave: instructions, stalls, steps round them.
static void add_wave(items *all, const trace *t, const trace_json_options *o,
                     uint32_t wave) {
  item step = {.kind = ITEM_STEP};
  const char *name = "";
  const trace_event *e;
  for (size_t i = 0; (e = trace_wave_event(t, wave, i)); ++i) {
    if (!inside(o, e))
      continue;
    const size_t at = t->by_wave[t->wave_first[wave] + i];
    trace_stall stalls[2];
    const int count = trace_stalls(t, wave, i, stalls);
    uint64_t start = e->issue;
    for (int k = count - 1; k >= 0; --k) {
      uint64_t from = stalls[k].from < o->from ? o->from : stalls[k].from;
      if (stalls[k].to <= from)
        continue;
      add(all,
          (item){from, stalls[k].to - from, at, stalls[k].cause, ITEM_STALL});
      start = from;
    }
    add(all,
        (item){e->issue, e->slice_end - e->issue, at, 0, ITEM_INSTRUCTION});
    if (strcmp(step_of(t, e), name) != 0) {
      if (name[0])
        add(all, step);
      name = step_of(t, e);
      step.start = start;
      step.at = at;
    }
    step.cycles = e->slice_end - step.start;
  }
  if (name[0])
    add(all, step);
}

/// The operations that are outstanding, whenever that changes.
static void add_outstanding(items *all, const trace *t,
                            const trace_json_options *o, uint32_t wave) {
  typedef struct {
    uint64_t when;
    int32_t change[TRACE_COUNTERS];
  } step;
  const size_t events = t->wave_first[wave + 1] - t->wave_first[wave];
  step *steps = calloc(2 * TRACE_COUNTERS * events + 1, sizeof *steps);
  if (!steps) {
    all->failed = true;
    return;
  }
  size_t count = 0;
  uint64_t last[TRACE_COUNTERS] = {0};
  const trace_event *e;
  for (size_t i = 0; (e = trace_wave_event(t, wave, i)); ++i)
    for (int c = 0; c < TRACE_COUNTERS; ++c) {
      if (!(trace_counters_of(t, e) >> c & 1))
        continue;
      // A counter goes down in order.
      last[c] = e->end > last[c] ? e->end : last[c];
      steps[count].when = e->issue;
      steps[count++].change[c] = 1;
      steps[count].when = last[c];
      steps[count++].change[c] = -1;
    }
  // Sorts by time. Issue times are in order, and so are completion times, so
  // insertion moves an element at most past the outstanding operations.
  for (size_t i = 1; i < count; ++i) {
    const step s = steps[i];
    size_t at = i;
    for (; at && steps[at - 1].when > s.when; --at)
      steps[at] = steps[at - 1];
    steps[at] = s;
  }
  int32_t now[TRACE_COUNTERS] = {0};
  for (size_t i = 0; i < count && steps[i].when <= o->to; ++i) {
    for (int c = 0; c < TRACE_COUNTERS; ++c)
      now[c] += steps[i].change[c];
    const bool last_before = i + 1 == count || steps[i + 1].when > o->from;
    if (steps[i].when < o->from && !last_before)
      continue;
    if (i + 1 < count && steps[i + 1].when == steps[i].when)
      continue;
    uint64_t when = steps[i].when < o->from ? o->from : steps[i].when;
    add(all, (item){when, 0, wave, (uint32_t)(now[0] | now[1] << 16),
                    ITEM_OUTSTANDING});
  }
  free(steps);
}

/// How much of each bucket of time the matrix unit of a SIMD runs.
static void add_busy(items *all, const trace *t, const trace_json_options *o,
                     uint32_t simd) {
  const uint64_t first = o->from / BUCKET_CYCLES;
  const uint64_t end = (o->to + BUCKET_CYCLES - 1) / BUCKET_CYCLES;
  uint32_t *busy = calloc((size_t)(end - first + 1), sizeof *busy);
  if (!busy) {
    all->failed = true;
    return;
  }
  for (size_t i = 0; i < t->count; ++i) {
    const trace_event *e = &t->events[i];
    if (e->simd != simd || e->kind != FMHAC_TIMING_CLASS_MFMA)
      continue;
    for (uint64_t cycles = e->start; cycles < e->end;) {
      const uint64_t bucket = cycles / BUCKET_CYCLES;
      uint64_t until = (bucket + 1) * BUCKET_CYCLES;
      until = until < e->end ? until : e->end;
      if (bucket >= first && bucket < end)
        busy[bucket - first] += (uint32_t)(until - cycles);
      cycles = until;
    }
  }
  for (uint64_t b = first; b < end; ++b)
    add(all, (item){b * BUCKET_CYCLES < o->from ? o->from : b * BUCKET_CYCLES,
                    0, simd, busy[b - first], ITEM_BUSY});
  free(busy);
}

static void collect(items *all, const trace *t, const trace_json_options *o,
                    size_t *out_instructions) {
  bool used[TRACE_SIMDS] = {false};
  *out_instructions = 0;
  for (uint32_t w = 0; w < t->waves; ++w) {
    add_wave(all, t, o, w);
    add_outstanding(all, t, o, w);
  }
  for (size_t i = 0; i < t->count; ++i) {
    const trace_event *e = &t->events[i];
    used[e->simd % TRACE_SIMDS] = true;
    if (!inside(o, e))
      continue;
    ++*out_instructions;
    if (e->kind == FMHAC_TIMING_CLASS_MFMA)
      add(all, (item){e->start, e->end - e->start, i, 0, ITEM_MATRIX});
  }
  for (uint32_t simd = 0; simd < TRACE_SIMDS; ++simd)
    if (used[simd])
      add_busy(all, t, o, simd);
}

//===- Writing ------------------------------------------------------------===//

static void print_string(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text; ++text)
    if (*text == '"' || *text == '\\')
      fprintf(out, "\\%c", *text);
    else if ((unsigned char)*text < ' ')
      fprintf(out, "\\u%04x", (unsigned char)*text);
    else
      fputc(*text, out);
  fputc('"', out);
}

/// Names of colours that the viewers know.
static const char *const class_colours[FMHAC_TIMING_MOST_CLASSES] = {
    [FMHAC_TIMING_CLASS_MFMA] = "thread_state_running",
    [FMHAC_TIMING_CLASS_VALU] = "rail_response",
    [FMHAC_TIMING_CLASS_PACKED] = "rail_load",
    [FMHAC_TIMING_CLASS_TRANS] = "rail_animation",
    [FMHAC_TIMING_CLASS_LDS] = "thread_state_iowait",
    [FMHAC_TIMING_CLASS_VMEM] = "bad",
    [FMHAC_TIMING_CLASS_SCALAR] = "thread_state_runnable",
    [FMHAC_TIMING_CLASS_WAIT] = "yellow",
    [FMHAC_TIMING_CLASS_BARRIER] = "terrible",
    [FMHAC_TIMING_CLASS_OTHER] = "generic_work",
};

static const char *stall_colour(fmhac_timing_cause cause) {
  switch (cause) {
  case FMHAC_TIMING_BARRIER:
    return "terrible";
  case FMHAC_TIMING_LDS_WAIT:
  case FMHAC_TIMING_LDS_FULL:
  case FMHAC_TIMING_VMEM_WAIT:
  case FMHAC_TIMING_VMEM_FULL:
    return "yellow";
  default:
    return "grey";
  }
}

static uint32_t process_of(const trace *t, uint32_t wave) {
  return UNIT_PROCESS + 1 + wave / t->per_group;
}

static void print_head(FILE *out, const item *i, char phase, uint32_t process,
                       uint32_t thread) {
  fprintf(out, ",\n{\"ph\":\"%c\",\"ts\":%" PRIu64, phase, i->start);
  if (phase == 'X')
    fprintf(out, ",\"dur\":%" PRIu64, i->cycles);
  fprintf(out, ",\"pid\":%u,\"tid\":%u", process, thread);
}

/// The head of a slice in the track of a wave.
static void print_slice(FILE *out, const trace *t, const item *i) {
  const uint32_t wave = t->events[i->at].wave;
  print_head(out, i, 'X', process_of(t, wave), wave % t->per_group);
}

static void print_instruction(FILE *out, const trace *t, const item *i) {
  const trace_event *e = &t->events[i->at];
  const trace_insn *in = &t->insns[e->insn];
  print_slice(out, t, i);
  fprintf(out, ",\"name\":\"%s\",\"cat\":\"%s\",\"cname\":\"%s\"", in->name,
          fmhac_timing_class_name(e->kind), class_colours[e->kind]);
  fprintf(out, ",\"args\":{\"pc\":\"0x%" PRIx64 "\",\"text\":", in->pc);
  print_string(out, in->text);
  if (in->place.location[0]) {
    fprintf(out, ",\"location\":");
    print_string(out, in->place.location);
  }
  if (e->issue > e->ready)
    fprintf(out, ",\"stalled_cycles\":%" PRIu64 ",\"cause\":\"%s\"",
            e->issue - e->ready, fmhac_timing_cause_name(e->cause));
  if (e->end > e->slice_end)
    fprintf(out, ",\"done_cycles\":%" PRIu64, e->end);
  fprintf(out, "}}");
}

static void print_item(FILE *out, const trace *t, const item *i) {
  const trace_event *e = &t->events[i->kind < ITEM_BUSY ? i->at : 0];
  switch ((item_kind)i->kind) {
  case ITEM_STEP:
    print_slice(out, t, i);
    fprintf(out, ",\"cat\":\"step\",\"name\":");
    print_string(out, step_of(t, e));
    fprintf(out, "}");
    return;
  case ITEM_STALL: {
    const fmhac_timing_cause cause = (fmhac_timing_cause)i->extra;
    print_slice(out, t, i);
    fprintf(out, ",\"cat\":\"stall\",\"name\":\"stall: %s\",\"cname\":\"%s\"}",
            fmhac_timing_cause_name(cause), stall_colour(cause));
    return;
  }
  case ITEM_INSTRUCTION:
    print_instruction(out, t, i);
    return;
  case ITEM_MATRIX:
    print_head(out, i, 'X', UNIT_PROCESS, e->simd);
    fprintf(out,
            ",\"cat\":\"matrix unit\",\"name\":\"wave %u\",\"args\":{"
            "\"instruction\":\"%s\",\"resident\":%u}}",
            e->wave % t->per_group, t->insns[e->insn].name,
            e->wave / t->per_group);
    return;
  case ITEM_BUSY:
    print_head(out, i, 'C', UNIT_PROCESS, 0);
    fprintf(out,
            ",\"name\":\"matrix unit busy, SIMD %zu\",\"args\":{\"%%\":%.1f}}",
            i->at, 100.0 * i->extra / BUCKET_CYCLES);
    return;
  case ITEM_OUTSTANDING:
    print_head(out, i, 'C', process_of(t, (uint32_t)i->at), 0);
    fprintf(out,
            ",\"name\":\"outstanding, wave %u\",\"args\":{\"vm\":%u,"
            "\"lgkm\":%u}}",
            (uint32_t)i->at % t->per_group, i->extra & 0xffff, i->extra >> 16);
    return;
  }
}

static void print_name(FILE *out, const char *what, uint32_t process,
                       uint32_t thread, const char *name) {
  fprintf(out,
          ",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s\","
          "\"args\":{\"name\":\"%s\"}}",
          process, thread, what, name);
}

/// Else "wave 10" stands before "wave 2" in some viewers.
static void print_order(FILE *out, uint32_t process, uint32_t thread) {
  fprintf(out,
          ",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":"
          "\"thread_sort_index\",\"args\":{\"sort_index\":%u}}",
          process, thread, thread);
}

/// Names of the tracks.
static void print_tracks(FILE *out, const trace *t) {
  char name[100];
  fprintf(out,
          "{\"ph\":\"M\",\"pid\":%d,\"tid\":0,\"name\":\"process_name\","
          "\"args\":{\"name\":\"matrix units\"}}",
          UNIT_PROCESS);
  for (uint32_t simd = 0; simd < TRACE_SIMDS; ++simd) {
    snprintf(name, sizeof name, "matrix unit of SIMD %u", simd);
    print_name(out, "thread_name", UNIT_PROCESS, simd, name);
    print_order(out, UNIT_PROCESS, simd);
  }
  const uint32_t *id = t->group.id;
  for (uint32_t wave = 0; wave < t->waves; ++wave) {
    const uint32_t process = process_of(t, wave);
    if (wave % t->per_group == 0) {
      snprintf(name, sizeof name,
               wave ? "workgroup (%u,%u,%u) once more, beside it"
                    : "workgroup (%u,%u,%u)",
               id[0], id[1], id[2]);
      print_name(out, "process_name", process, 0, name);
    }
    const trace_event *e = trace_wave_event(t, wave, 0);
    snprintf(name, sizeof name, "wave %u (SIMD %u)", wave % t->per_group,
             e ? e->simd : 0);
    print_name(out, "thread_name", process, wave % t->per_group, name);
    print_order(out, process, wave % t->per_group);
  }
}

static void print_metadata(FILE *out, const trace *t,
                           const trace_json_options *o, size_t instructions) {
  fprintf(out, "\"displayTimeUnit\":\"ns\",\n\"otherData\":{\n"
               "\"time\":\"1 us of the timeline is 1 cycle of the shader "
               "clock\",\n\"model\":\"cycle model of the emulator; nothing "
               "was measured\",\n\"kernel\":");
  print_string(out, o->kernel);
  fprintf(out, ",\n\"window\":");
  print_string(out, o->window);
  fprintf(out,
          ",\n\"from_cycles\":%" PRIu64 ",\"to_cycles\":%" PRIu64 ",\n"
          "\"instructions\":%zu,\"instructions_of_workgroup\":%" PRIu64 ",\n"
          "\"workgroup\":[%u,%u,%u],\"workgroup_cycles\":%" PRIu64
          ",\"resident\":%u,\n\"mfma_busy\":%.6f",
          o->from, o->to, instructions, t->group.instructions, t->group.id[0],
          t->group.id[1], t->group.id[2], t->group.cycles, t->group.resident,
          t->group.mfma_busy);
  if (t->group.loop.iterations)
    fprintf(out,
            ",\n\"loop\":{\"pc\":\"0x%" PRIx64 "\",\"iterations\":%" PRIu64
            ",\"cycles\":%.1f}",
            t->group.loop.pc, t->group.loop.iterations, t->group.loop.cycles);
  fprintf(out, "},\n");
}

char *trace_json(const trace *t, const trace_json_options *o, size_t *out_bytes,
                 size_t *out_instructions) {
  items all = {0};
  char *text = NULL;
  collect(&all, t, o, out_instructions);
  FILE *out = all.failed ? NULL : open_memstream(&text, out_bytes);
  if (!out) {
    free(all.list);
    return NULL;
  }
  if (all.count)
    qsort(all.list, all.count, sizeof *all.list, by_start);
  fprintf(out, "{\n");
  print_metadata(out, t, o, *out_instructions);
  fprintf(out, "\"traceEvents\":[\n");
  print_tracks(out, t);
  for (size_t i = 0; i < all.count; ++i)
    print_item(out, t, &all.list[i]);
  fprintf(out, "\n]\n}\n");
  free(all.list);
  return stream_text(out, &text);
}
