// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compare_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "streams.h"
#include "timing_report.h"

enum { NAME_WIDTH = 30, OTHER_LOOPS = 8 };

const char *compare_range_name(const trace_side *a, const trace_side *b,
                               size_t i, char out[TRACE_RANGE_NAME_BYTES]) {
  const char *of_a = a->wanted.list[i].name, *of_b = b->wanted.list[i].name;
  if (of_a[0] || of_b[0])
    return of_a[0] ? of_a : of_b;
  snprintf(out, TRACE_RANGE_NAME_BYTES, "range %zu", i + 1);
  return out;
}

//===- Table --------------------------------------------------------------===//

static void print_head(const char *title) {
  printx("\n%-*s %12s %12s %12s\n", NAME_WIDTH, title, "A", "B", "A - B");
}

static bool is_whole(double value) {
  return fabs(value - round(value)) < 1e-9 * (1 + fabs(value));
}

static void print_numbers(int indent, const char *name, double a, double b,
                          int decimals) {
  char difference[32];
  snprintf(difference, sizeof difference, "%+.*f", decimals, a - b);
  printx("%*s%-*s %12.*f %12.*f %12s\n", indent, "", NAME_WIDTH - indent, name,
         decimals, a, decimals, b,
         strpbrk(difference, "123456789") ? difference : "0");
}

static void print_row(int indent, const char *name, double a, double b) {
  print_numbers(indent, name, a, b, is_whole(a) && is_whole(b) ? 0 : 1);
}

static void print_share(const char *name, double a, double b) {
  print_numbers(2, name, 100 * a, 100 * b, 1);
}

/// Rows of the numbers that are not 0 on both sides, under a line that says
/// what they are.
static void print_list(const char *title, const double *a, const double *b,
                       const char *(*name_of)(int), bool with_sum) {
  const char *name;
  double all_a = 0, all_b = 0;
  printx("  %s\n", title);
  for (int i = 0; (name = name_of(i)); ++i) {
    all_a += a[i];
    all_b += b[i];
    if (a[i] != 0 || b[i] != 0)
      print_row(4, name, a[i], b[i]);
  }
  if (with_sum)
    print_row(4, "all", all_a, all_b);
}

static const char *class_name(int i) {
  return fmhac_timing_class_name((fmhac_timing_class)i);
}

static const char *cause_name(int i) {
  return fmhac_timing_cause_name((fmhac_timing_cause)i);
}

static void print_units(const trace_figures *a, const trace_figures *b) {
  print_row(2, "matrix unit, cycles", a->matrix_cycles, b->matrix_cycles);
  print_row(2, "vector ALU, cycles", a->vector_cycles, b->vector_cycles);
  print_row(2, "both at once, cycles", a->both_cycles, b->both_cycles);
  print_share("matrix unit busy, %", a->matrix_share, b->matrix_share);
  print_share("vector ALU busy, %", a->vector_share, b->vector_share);
  print_share("both at once, %", a->both_share, b->both_share);
}

static void print_workgroup(const trace_side *a, const trace_side *b) {
  const trace_figures *x = &a->workgroup, *y = &b->workgroup;
  print_head("workgroup");
  print_row(2, "cycles", x->cycles, y->cycles);
  print_units(x, y);
  print_list("instructions of its waves", x->group_instructions,
             y->group_instructions, class_name, true);
  print_list("cycles of a SIMD, by cause", x->causes, y->causes, cause_name,
             false);
}

static void print_wave(const trace_figures *a, const trace_figures *b) {
  print_units(a, b);
  print_list("instructions of the first wave", a->wave_instructions,
             b->wave_instructions, class_name, true);
}

static void print_trips(const trace_side *a, const trace_side *b,
                        const trace_figures *x, const trace_figures *y) {
  print_row(2, "waves", x->waves, y->waves);
  print_row(2, "trips", (double)x->trips, (double)y->trips);
  if (a->trips != 1 || b->trips != 1)
    print_row(2, "trips that count as one", (double)a->trips, (double)b->trips);
}

static void print_loop(const trace_side *a, const trace_side *b) {
  const trace_figures *x = &a->loop, *y = &b->loop;
  char pc_a[24], pc_b[24];
  print_head("main loop, a trip");
  snprintf(pc_a, sizeof pc_a, "0x%" PRIx64, a->group.loop.pc);
  snprintf(pc_b, sizeof pc_b, "0x%" PRIx64, b->group.loop.pc);
  printx("  %-*s %12s %12s\n", NAME_WIDTH - 2, "pc", pc_a, pc_b);
  print_trips(a, b, x, y);
  print_row(2, "cycles", x->cycles, y->cycles);
  print_wave(x, y);
  print_list("cycles of its SIMD, by cause", x->causes, y->causes, cause_name,
             false);
}

static void print_range(const trace_side *a, const trace_side *b, size_t i) {
  const trace_figures *x = &a->ranges[i], *y = &b->ranges[i];
  char name[TRACE_RANGE_NAME_BYTES], title[TRACE_RANGE_NAME_BYTES + 8];
  snprintf(title, sizeof title, "%s, a trip",
           compare_range_name(a, b, i, name));
  print_head(title);
  print_trips(a, b, x, y);
  print_row(2, "cycles", x->cycles, y->cycles);
  print_row(2, "from trip to trip, cycles", x->period, y->period);
  print_wave(x, y);
  print_list("waits of the first wave, cycles", x->stalls, y->stalls,
             cause_name, true);
}

static void print_side(char letter, const trace_side *s) {
  const uint32_t *id = s->group.id;
  printx("%c  %s: workgroup (%u,%u,%u) of %s, %u wave%s, %u on a compute "
         "unit\n",
         letter, s->word, id[0], id[1], id[2], s->kernel, s->waves,
         s->waves == 1 ? "" : "s", s->group.resident);
}

/// Loops of one side that have no counterpart.
static void print_other_loops(char letter, const trace_side *s) {
  size_t shown = 0;
  for (size_t i = 0; i < s->loop_count && shown < OTHER_LOOPS; ++i) {
    const trace_loop *l = &s->loops[i];
    if (s->has_loop && l->pc == s->group.loop.pc)
      continue;
    if (!shown++)
      printx("\nother loops of the first wave of %c\n", letter);
    printx("  0x%05" PRIx64 "  %" PRIu64 " trips of %.1f cycles, %.1f mfma\n",
           l->pc, l->trips, (double)l->cycles / (double)l->trips,
           (double)l->matrix_instructions / (double)l->trips);
  }
}

void compare_print(const trace_side *a, const trace_side *b) {
  print_side('A', a);
  print_side('B', b);
  print_workgroup(a, b);
  if (a->has_loop && b->has_loop)
    print_loop(a, b);
  for (size_t i = 0; i < a->wanted.count; ++i)
    print_range(a, b, i);
  print_other_loops('A', a);
  print_other_loops('B', b);
}

//===- JSON ---------------------------------------------------------------===//

static cJSON *classes_json(const double counts[FMHAC_TIMING_MOST_CLASSES]) {
  cJSON *object = cJSON_CreateObject();
  const char *name;
  for (int i = 0; (name = class_name(i)); ++i)
    cJSON_AddNumberToObject(object, name, counts[i]);
  return object;
}

static cJSON *figures_json(const trace_figures *f) {
  cJSON *object = cJSON_CreateObject();
  const struct {
    const char *key;
    double value;
  } numbers[] = {
      {"trips", (double)f->trips},
      {"waves", f->waves},
      {"cycles", f->cycles},
      {"period", f->period},
      {"matrix_cycles", f->matrix_cycles},
      {"vector_cycles", f->vector_cycles},
      {"both_cycles", f->both_cycles},
      {"mfma_busy", f->matrix_share},
      {"valu_busy", f->vector_share},
      {"both_busy", f->both_share},
  };
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
    cJSON_AddNumberToObject(object, numbers[i].key, numbers[i].value);
  cJSON_AddItemToObject(object, "wave_instructions",
                        classes_json(f->wave_instructions));
  cJSON_AddItemToObject(object, "workgroup_instructions",
                        classes_json(f->group_instructions));
  cJSON_AddItemToObject(object, "waits", timing_causes_json(f->stalls));
  cJSON_AddItemToObject(object, "causes",
                        f->has_causes ? timing_causes_json(f->causes)
                                      : cJSON_CreateNull());
  return object;
}

static cJSON *loop_json(const trace_side *s) {
  if (!s->has_loop)
    return cJSON_CreateNull();
  cJSON *object = figures_json(&s->loop);
  cJSON_AddNumberToObject(object, "pc", (double)s->group.loop.pc);
  return object;
}

static cJSON *loops_json(const trace_side *s) {
  cJSON *list = cJSON_CreateArray();
  for (size_t i = 0; i < s->loop_count; ++i) {
    const trace_loop *l = &s->loops[i];
    const double trips = (double)l->trips;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "pc", (double)l->pc);
    cJSON_AddNumberToObject(object, "trips", trips);
    cJSON_AddNumberToObject(object, "cycles", (double)l->cycles / trips);
    cJSON_AddNumberToObject(object, "mfma",
                            (double)l->matrix_instructions / trips);
    cJSON_AddItemToArray(list, object);
  }
  return list;
}

static cJSON *range_json(const trace_side *s, size_t i, const char *name) {
  const trace_range *range = &s->wanted.list[i];
  cJSON *object = figures_json(&s->ranges[i]);
  cJSON_AddStringToObject(object, "name", name);
  cJSON *spans = cJSON_AddArrayToObject(object, "pcs");
  for (size_t k = 0; k < range->span_count; ++k) {
    const double pcs[] = {(double)range->spans[k].from,
                          (double)range->spans[k].to};
    cJSON_AddItemToArray(spans, cJSON_CreateDoubleArray(pcs, 2));
  }
  return object;
}

static cJSON *side_json(const trace_side *s, const trace_side *a,
                        const trace_side *b) {
  cJSON *object = cJSON_CreateObject();
  const double id[] = {s->group.id[0], s->group.id[1], s->group.id[2]};
  cJSON_AddStringToObject(object, "input", s->word);
  cJSON_AddStringToObject(object, "kernel", s->kernel);
  cJSON_AddItemToObject(object, "id", cJSON_CreateDoubleArray(id, 3));
  cJSON_AddNumberToObject(object, "resident", s->group.resident);
  cJSON_AddNumberToObject(object, "waves", s->waves);
  cJSON_AddNumberToObject(object, "trips_as_one", (double)s->trips);
  cJSON_AddItemToObject(object, "workgroup", figures_json(&s->workgroup));
  cJSON_AddItemToObject(object, "loop", loop_json(s));
  cJSON *ranges = cJSON_AddArrayToObject(object, "ranges");
  for (size_t i = 0; i < s->wanted.count; ++i) {
    char name[TRACE_RANGE_NAME_BYTES];
    cJSON_AddItemToArray(ranges,
                         range_json(s, i, compare_range_name(a, b, i, name)));
  }
  cJSON_AddItemToObject(object, "loops", loops_json(s));
  cJSON_AddItemToObject(object, "findings", cJSON_Duplicate(s->findings, true));
  return object;
}

/// The numbers of `a` less those of `b`, member by member.
static cJSON *difference_of(const cJSON *a, const cJSON *b) {
  if (!cJSON_IsObject(a) || !cJSON_IsObject(b))
    return cJSON_CreateNull();
  cJSON *object = cJSON_CreateObject();
  const cJSON *item;
  cJSON_ArrayForEach(item, a) {
    const cJSON *other = json_get(b, item->string);
    if (cJSON_IsNumber(item) && strcmp(item->string, "pc") != 0)
      cJSON_AddNumberToObject(object, item->string,
                              item->valuedouble - number_in(b, item->string));
    else if (cJSON_IsObject(item) || cJSON_IsNull(item))
      cJSON_AddItemToObject(object, item->string, difference_of(item, other));
  }
  return object;
}

cJSON *compare_json(const trace_side *a, const trace_side *b) {
  cJSON *object = cJSON_CreateObject();
  cJSON *x = side_json(a, a, b), *y = side_json(b, a, b);
  cJSON_AddItemToObject(object, "a", x);
  cJSON_AddItemToObject(object, "b", y);
  cJSON *difference = cJSON_AddObjectToObject(object, "difference");
  static const char *const parts[] = {"workgroup", "loop"};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i)
    cJSON_AddItemToObject(
        difference, parts[i],
        difference_of(json_get(x, parts[i]), json_get(y, parts[i])));
  cJSON *ranges = cJSON_AddArrayToObject(difference, "ranges");
  for (size_t i = 0; i < a->wanted.count; ++i)
    cJSON_AddItemToArray(
        ranges,
        difference_of(cJSON_GetArrayItem(json_get(x, "ranges"), (int)i),
                      cJSON_GetArrayItem(json_get(y, "ranges"), (int)i)));
  return object;
}
