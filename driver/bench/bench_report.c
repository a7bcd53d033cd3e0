// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmhac_inspect.h"
#include "kernel_object.h"
#include "schedule_facts.h"
#include "streams.h"
#include "timing_report.h"

static const double k_tera = 1e12;
/// Bytes of memory per second: MI355X and MI350X have 8 TB/s (AMD's data
/// sheets).
static const double k_peak_bytes = 8e12;

//===- JSON ---------------------------------------------------------------===//

static void add_known(cJSON *object, const char *key, bool known,
                      double value) {
  if (known)
    cJSON_AddNumberToObject(object, key, value);
  else
    cJSON_AddNullToObject(object, key);
}

static void add_speed(cJSON *object, const bench_outcome *o) {
  const bench_work *w = &o->work;
  bool visited = w->visited_flops > 0, peak = o->peak_flops > 0;
  cJSON_AddNumberToObject(object, "seconds", o->seconds);
  cJSON *interval = cJSON_AddArrayToObject(object, "seconds_interval");
  cJSON_AddItemToArray(interval, cJSON_CreateNumber(o->seconds_low));
  cJSON_AddItemToArray(interval, cJSON_CreateNumber(o->seconds_high));
  cJSON_AddNumberToObject(object, "flops", w->flops);
  cJSON_AddNumberToObject(object, "tflops", w->flops / o->seconds / k_tera);
  add_known(object, "flops_visited", visited, w->visited_flops);
  add_known(object, "tflops_visited", visited,
            w->visited_flops / o->seconds / k_tera);
  add_known(object, "kv_tiles_visited", visited, w->visited);
  add_known(object, "peak_tflops", peak, o->peak_flops / k_tera);
  add_known(object, "peak_share", peak,
            peak ? w->flops / o->seconds / o->peak_flops : 0);
}

/// How well the problem suits the machine: the share of tile rows that hold
/// data, and the share of the memory bandwidth that the time needs.
static void add_use(cJSON *object, const bench_outcome *o) {
  const bench_work *w = &o->work;
  const double rows = w->row_blocks > 0 ? w->rows / w->row_blocks : 0;
  const bool known = w->row_blocks > 0 && o->tile.rows > 0;
  add_known(object, "tile_rows_used", known, rows);
  add_known(object, "tile_rows_share", known,
            known ? rows / (double)o->tile.rows : 0);
  cJSON_AddNumberToObject(object, "bytes", w->bytes);
  cJSON_AddNumberToObject(object, "bytes_per_second", w->bytes / o->seconds);
  cJSON_AddNumberToObject(object, "peak_bytes_per_second", k_peak_bytes);
  cJSON_AddNumberToObject(object, "peak_bytes_share",
                          w->bytes / o->seconds / k_peak_bytes);
}

/// Notes that explain the figures.
static void add_notes(cJSON *object, const bench_outcome *o) {
  cJSON *notes = cJSON_AddArrayToObject(object, "notes");
  const cJSON *dtype = cJSON_GetObjectItemCaseSensitive(
      cJSON_GetObjectItemCaseSensitive(object, "config"), "dtype");
  if (o->modelled && cJSON_IsString(dtype) &&
      strcmp(dtype->valuestring, "f16") == 0)
    cJSON_AddItemToArray(
        notes, cJSON_CreateString("f16 is timed as bf16; published kernels are "
                                  "3 to 5 % slower in f16"));
}

static void add_model(cJSON *object, const bench_outcome *o) {
  const fmhac_timing_grid *g = &o->grid;
  cJSON_AddNumberToObject(object, "cycles", g->cycles);
  cJSON_AddNumberToObject(object, "clock_ghz", g->clock_ghz);
  cJSON_AddNumberToObject(object, "mfma_busy", g->mfma_busy);
  add_known(object, "mfma_busy_loop", o->has_loop, o->mfma_busy_loop);
  cJSON_AddNumberToObject(object, "tail", g->tail);
  cJSON_AddNumberToObject(object, "workgroups", (double)g->workgroups);
  cJSON_AddNumberToObject(object, "timed", (double)o->timed);
  cJSON_AddNumberToObject(object, "sampled", (double)g->sampled);
  cJSON_AddNumberToObject(object, "sampling_deviation", o->deviation);
  cJSON_AddNumberToObject(object, "resident", o->longest.resident);
  bool known = o->cycles_per_kv_tile > 0;
  add_known(object, "cycles_per_kv_tile", known, o->cycles_per_kv_tile);
  cJSON_AddItemToObject(object, "causes_per_kv_tile",
                        known ? timing_causes_json(o->causes)
                              : cJSON_CreateNull());
  cJSON_AddStringToObject(object, "bound", o->bound);
  if (!o->has_loop) {
    cJSON_AddNullToObject(object, "loop");
    return;
  }
  const fmhac_timing_loop *l = &o->longest.loop;
  cJSON *loop = cJSON_AddObjectToObject(object, "loop");
  cJSON_AddNumberToObject(loop, "pc", (double)l->pc);
  cJSON_AddNumberToObject(loop, "iterations", (double)l->iterations);
  cJSON_AddNumberToObject(loop, "cycles", l->cycles);
  add_known(loop, "kv_tiles", o->kv_tiles > 0, o->kv_tiles);
  cJSON_AddItemToObject(loop, "budget",
                        o->budget.waves_per_simd ? budget_json(&o->budget)
                                                 : cJSON_CreateNull());
}

cJSON *bench_point_json(const session *s, const bench_flags *flags,
                        const run_data *data, const fmhac_kernel *kernel,
                        const bench_outcome *o) {
  cJSON *object = cJSON_CreateObject();
  char device[128];
  snprintf(device, sizeof device, "%.100s %s", flags->device,
           o->modelled ? "modelled" : "measured");
  kernel_schedule_json(object, kernel);
  cJSON_AddStringToObject(object, "kernel", fmhac_kernel_get_name(kernel));
  cJSON_AddStringToObject(object, "device", device);
  cJSON_AddItemToObject(object, "config",
                        cJSON_Parse(fmhac_config_get_canonical(s->config)));
  cJSON_AddItemToObject(object, "problem", run_data_problem_json(data));
  add_speed(object, o);
  add_use(object, o);
  add_notes(object, o);
  cJSON *tile = cJSON_AddArrayToObject(object, "tile");
  cJSON_AddItemToArray(tile, cJSON_CreateNumber((double)o->tile.rows));
  cJSON_AddItemToArray(tile, cJSON_CreateNumber((double)o->tile.keys));
  cJSON *limits = cJSON_AddObjectToObject(object, "occupancy");
  cJSON_AddNumberToObject(limits, "waves_per_simd", o->resident.waves_per_simd);
  cJSON_AddNumberToObject(limits, "workgroups_per_cu",
                          o->resident.workgroups_per_cu);
  cJSON_AddStringToObject(limits, "limit", o->resident.limit);
  if (o->modelled) {
    add_model(object, o);
    return object;
  }
  cJSON_AddNumberToObject(object, "samples", (double)o->samples);
  cJSON_AddNumberToObject(object, "launches_per_sample", (double)o->launches);
  static const char *const unknown[] = {"cycles_per_kv_tile", "mfma_busy",
                                        "mfma_busy_loop", "bound"};
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; ++i)
    cJSON_AddNullToObject(object, unknown[i]);
  return object;
}

//===- Text ---------------------------------------------------------------===//

static const cJSON *member(const cJSON *object, const char *key) {
  return cJSON_GetObjectItemCaseSensitive(object, key);
}

static double number(const cJSON *object, const char *key) {
  const cJSON *item = member(object, key);
  return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static const char *text(const cJSON *object, const char *key) {
  const char *found = cJSON_GetStringValue(member(object, key));
  return found ? found : "";
}

static double item(const cJSON *array, int index) {
  const cJSON *found = cJSON_GetArrayItem(array, index);
  return found ? found->valuedouble : 0;
}

static void print_speed(const cJSON *p) {
  const cJSON *interval = member(p, "seconds_interval");
  printx("time        %.4g ms (%.4g to %.4g)", 1e3 * number(p, "seconds"),
         1e3 * item(interval, 0), 1e3 * item(interval, 1));
  if (cJSON_IsNumber(member(p, "cycles")))
    printx(", %.0f cycles at %.2f GHz\n", number(p, "cycles"),
           number(p, "clock_ghz"));
  else
    printx(", median of %.0f samples of %.0f launches, least and most\n",
           number(p, "samples"), number(p, "launches_per_sample"));
  printx("TFLOPS      %.4g", number(p, "tflops"));
  double of_seconds = 1e-12 * number(p, "flops");
  if (item(interval, 0) > 0)
    printx(" (%.4g to %.4g)", of_seconds / item(interval, 1),
           of_seconds / item(interval, 0));
  if (cJSON_IsNumber(member(p, "peak_share")))
    printx(", %.1f %% of %.0f", 100 * number(p, "peak_share"),
           number(p, "peak_tflops"));
  printx("; 2 (Dqk + Dv) a score: all, half if causal with Sq = Sk, else those "
         "seen\n");
  if (cJSON_IsNumber(member(p, "tflops_visited")))
    printx("            %.4g by the %.0f tiles of %.0f x %.0f that are "
           "visited\n",
           number(p, "tflops_visited"), number(p, "kv_tiles_visited"),
           item(member(p, "tile"), 0), item(member(p, "tile"), 1));
}

static void print_use(const cJSON *p) {
  const double share = number(p, "tile_rows_share");
  if (share > 0)
    printx("rows        %.4g of the %.0f of a tile are in use (%.1f %%)\n",
           number(p, "tile_rows_used"), item(member(p, "tile"), 0),
           100 * share);
  printx("memory      %.4g MB of Q, K, V and O, each once: %.3g TB/s, %.1f %% "
         "of %.0f\n",
         1e-6 * number(p, "bytes"), number(p, "bytes_per_second") / k_tera,
         100 * number(p, "peak_bytes_share"),
         number(p, "peak_bytes_per_second") / k_tera);
}

static void print_notes(const cJSON *p) {
  const cJSON *note;
  cJSON_ArrayForEach(note, member(p, "notes"))
      printx("note        %s\n", cJSON_GetStringValue(note));
}

static void print_cycles(const cJSON *p) {
  double all = number(p, "cycles_per_kv_tile");
  const cJSON *loop = member(p, "loop");
  if (all > 0) {
    printx("KV tile     %.1f cycles of a compute unit", all);
    if (cJSON_IsObject(loop))
      printx(", of the loop at pc 0x%llx (%.0f an iteration)\n",
             (unsigned long long)number(loop, "pc"), number(loop, "kv_tiles"));
    else
      printx(", of the whole workgroup\n");
    const cJSON *cause;
    cJSON_ArrayForEach(cause, member(p, "causes_per_kv_tile")) {
      if (cause->valuedouble > 0.0005 * all)
        printx("  %-10s %10.1f  %5.1f %%\n", cause->string, cause->valuedouble,
               100 * cause->valuedouble / all);
    }
  }
  printx("bound       %s, the largest group of causes", text(p, "bound"));
  const cJSON *budget = member(loop, "budget");
  const cJSON *least = member(budget, "always");
  if (number(least, "cycles_per_kv_tile") > 0)
    printx("; the code of the loop asks for %.0f cycles a tile at least (%s)",
           number(least, "cycles_per_kv_tile"), text(least, "critical"));
  printx("\n");
}

void bench_point_print(const cJSON *p) {
  char *label = schedule_label(p);
  const cJSON *problem = member(p, "problem"), *o = member(p, "occupancy");
  printx("%s, schedule %s, on %s: B %.0f, Hq %.0f, Hk %.0f, Sq %.0f, Sk "
         "%.0f\n",
         text(p, "kernel"), label ? label : "", text(p, "device"),
         number(problem, "batch"), number(problem, "heads"),
         number(problem, "kv_heads"), number(problem, "seqlen_q"),
         number(problem, "seqlen_kv"));
  free(label);
  print_speed(p);
  print_use(p);
  print_notes(p);
  printx("occupancy   %.0f waves a SIMD, %.0f workgroups a CU; limited by %s\n",
         number(o, "waves_per_simd"), number(o, "workgroups_per_cu"),
         text(o, "limit"));
  if (!cJSON_IsNumber(member(p, "cycles")))
    return;
  printx("workgroups  %.0f of %.0f timed, %.0f on a compute unit",
         number(p, "timed"), number(p, "workgroups"), number(p, "resident"));
  if (number(p, "sampled") < number(p, "workgroups"))
    printx("; %.0f represent%s all, which lie within %.1f %% of a line between "
           "them",
           number(p, "sampled"), number(p, "sampled") > 1 ? "" : "s",
           100 * number(p, "sampling_deviation"));
  printx("\ngrid        matrix units busy %.1f %%",
         100 * number(p, "mfma_busy"));
  if (cJSON_IsNumber(member(p, "mfma_busy_loop")))
    printx(", in the loop %.1f %%", 100 * number(p, "mfma_busy_loop"));
  printx("; tail %.1f %%\n", 100 * number(p, "tail"));
  print_cycles(p);
}

void bench_table_header(int label_width) {
  printx("%-*s %11s %9s %7s %11s %6s %6s  %s\n", label_width, "point", "ms",
         "TFLOPS", "peak %", "cycles/tile", "MFMA %", "timed", "bound");
}

void bench_table_line(const char *label, int label_width, const cJSON *p) {
  printx("%-*s %11.4g %9.1f %7.1f", label_width, label,
         1e3 * number(p, "seconds"), number(p, "tflops"),
         100 * number(p, "peak_share"));
  if (cJSON_IsNumber(member(p, "cycles")))
    printx(" %11.1f %6.1f %6.0f  %s\n", number(p, "cycles_per_kv_tile"),
           100 * number(p, "mfma_busy"), number(p, "timed"), text(p, "bound"));
  else
    printx(" %11s %6s %6s  -\n", "-", "-", "-");
}

//===- CSV ----------------------------------------------------------------===//

/// Columns by their path in the object. One of `causes` stands for all causes.
static const struct {
  const char *name, *object, *key;
} k_columns[] = {
    {"device", NULL, "device"},
    {"schedule", NULL, "schedule"},
    {"schedule_file", NULL, "schedule_file"},
    {"dtype", "config", "dtype"},
    {"head_dim_qk", "config", "head_dim_qk"},
    {"head_dim_v", "config", "head_dim_v"},
    {"mask", "config", "mask"},
    {"batch", "problem", "batch"},
    {"heads", "problem", "heads"},
    {"kv_heads", "problem", "kv_heads"},
    {"seqlen_q", "problem", "seqlen_q"},
    {"seqlen_kv", "problem", "seqlen_kv"},
    {"seconds", NULL, "seconds"},
    {"seconds_low", "seconds_interval", "0"},
    {"seconds_high", "seconds_interval", "1"},
    {"tflops", NULL, "tflops"},
    {"tflops_visited", NULL, "tflops_visited"},
    {"peak_share", NULL, "peak_share"},
    {"cycles", NULL, "cycles"},
    {"clock_ghz", NULL, "clock_ghz"},
    {"mfma_busy", NULL, "mfma_busy"},
    {"mfma_busy_loop", NULL, "mfma_busy_loop"},
    {"tail", NULL, "tail"},
    {"workgroups", NULL, "workgroups"},
    {"timed", NULL, "timed"},
    {"sampled", NULL, "sampled"},
    {"waves_per_simd", "occupancy", "waves_per_simd"},
    {"bound", NULL, "bound"},
    {"cycles_per_kv_tile", NULL, "cycles_per_kv_tile"},
    {"tile_rows_used", NULL, "tile_rows_used"},
    {"bytes_per_second", NULL, "bytes_per_second"},
    {"peak_bytes_share", NULL, "peak_bytes_share"},
};
enum { COLUMNS = sizeof k_columns / sizeof *k_columns };

void bench_csv_header(void) {
  for (int i = 0; i < COLUMNS; ++i)
    printx("%s%s", i ? "," : "", k_columns[i].name);
  const char *name;
  for (int c = 0; (name = fmhac_timing_cause_name((fmhac_timing_cause)c)); ++c)
    printx(",%s", name);
  printx("\n");
}

/// RFC 4180: quoted where it holds a comma or a quote.
static void print_field(const cJSON *value) {
  if (cJSON_IsNumber(value)) {
    char *written = cJSON_PrintUnformatted(value);
    printx("%s", written ? written : "");
    cJSON_free(written);
    return;
  }
  const char *words = cJSON_GetStringValue(value);
  if (!words)
    return;
  if (!strpbrk(words, ",\"\r\n")) {
    printx("%s", words);
    return;
  }
  printx("\"");
  for (const char *quote; (quote = strchr(words, '"')); words = quote + 1)
    printx("%.*s\"\"", (int)(quote - words), words);
  printx("%s\"", words);
}

void bench_csv_line(const cJSON *p) {
  for (int i = 0; i < COLUMNS; ++i) {
    const cJSON *from =
        k_columns[i].object ? member(p, k_columns[i].object) : p;
    printx("%s", i ? "," : "");
    print_field(cJSON_IsArray(from)
                    ? cJSON_GetArrayItem(from, k_columns[i].key[0] - '0')
                    : member(from, k_columns[i].key));
  }
  const cJSON *causes = member(p, "causes_per_kv_tile");
  const char *name;
  for (int c = 0; (name = fmhac_timing_cause_name((fmhac_timing_cause)c));
       ++c) {
    printx(",");
    print_field(member(causes, name));
  }
  printx("\n");
  fflush(stdout);
}

//===- Constants ----------------------------------------------------------===//

int bench_constants(const report *r) {
  cJSON *array = r->json ? cJSON_CreateArray() : NULL;
  for (size_t i = 0; i < fmhac_timing_constant_count(); ++i) {
    fmhac_timing_constant c = {.size = sizeof c};
    if (fmhac_timing_get_constant(i, &c) != FMHAC_OK)
      continue;
    if (!array) {
      printx("%-22s %8g %-8s %-11s %s\n", c.name, c.value, c.unit, c.status,
             c.source);
      continue;
    }
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "name", c.name);
    cJSON_AddNumberToObject(row, "value", c.value);
    cJSON_AddStringToObject(row, "unit", c.unit);
    cJSON_AddStringToObject(row, "status", c.status);
    cJSON_AddStringToObject(row, "source", c.source);
    cJSON_AddItemToArray(array, row);
  }
  if (!array)
    return EXIT_DONE;
  cJSON *object = cJSON_CreateObject();
  cJSON_AddItemToObject(object, "constants", array);
  return report_json(object, EXIT_DONE);
}
