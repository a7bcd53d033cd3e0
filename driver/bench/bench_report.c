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
static const double k_giga = 1e9;
/// Bytes of memory per second: MI355X and MI350X have 8 TB/s (AMD's data
/// sheets).
static const double k_peak_bytes = 8e12;

//===- JSON ---------------------------------------------------------------===//

static void add_speed(cJSON *object, const bench_outcome *o) {
  const bench_work *w = &o->work;
  bool visited = w->visited_flops > 0, peak = o->peak_flops > 0;
  cJSON_AddNumberToObject(object, "layers", (double)o->layers);
  cJSON_AddNumberToObject(object, "seconds", o->seconds);
  const double interval[] = {o->seconds_low, o->seconds_high};
  cJSON_AddItemToObject(object, "seconds_interval",
                        cJSON_CreateDoubleArray(interval, 2));
  cJSON_AddNumberToObject(object, "flops", w->flops);
  cJSON_AddNumberToObject(object, "tflops", w->flops / o->seconds / k_tera);
  json_add_known(object, "flops_visited", visited, w->visited_flops);
  json_add_known(object, "tflops_visited", visited,
                 w->visited_flops / o->seconds / k_tera);
  json_add_known(object, "kv_tiles_visited", visited, w->visited);
  json_add_known(object, "peak_tflops", peak, o->peak_flops / k_tera);
  json_add_known(object, "peak_share", peak,
                 peak ? w->flops / o->seconds / o->peak_flops : 0);
}

/// How well the problem suits the machine: the share of tile rows that hold
/// data, and the share of the memory bandwidth that the time needs.
static void add_use(cJSON *object, const bench_outcome *o) {
  const bench_work *w = &o->work;
  const double rows = w->row_blocks > 0 ? w->rows / w->row_blocks : 0;
  const bool known = w->row_blocks > 0 && o->tile.rows > 0;
  json_add_known(object, "tile_rows_used", known, rows);
  json_add_known(object, "tile_rows_share", known,
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
  if (o->modelled &&
      strcmp(text_in(json_get(object, "config"), "dtype"), "f16") == 0)
    cJSON_AddItemToArray(
        notes,
        cJSON_CreateString("f16 has a clock that rests on one kernel, which is "
                           "4.7 % slower than in bf16; another one is 0.3 % "
                           "slower"));
}

/// The kernels of a plan that starts several, or whose workgroups walk lists.
static void add_launches(cJSON *object, const fmhac_kernel *kernel,
                         const bench_outcome *o) {
  cJSON *launches = cJSON_AddArrayToObject(object, "launches");
  for (size_t i = 0; i < o->launch_count; ++i) {
    fmhac_kernel_info entry = {.size = sizeof entry};
    const bool is_known =
        fmhac_kernel_get_info(kernel, o->launch_entries[i], &entry) == FMHAC_OK;
    cJSON *launch = cJSON_CreateObject();
    cJSON_AddStringToObject(launch, "kernel", is_known ? entry.name : "");
    cJSON_AddNumberToObject(launch, "seconds", o->launch_seconds[i]);
    cJSON_AddItemToArray(launches, launch);
  }
}

static void add_join(cJSON *object, const bench_join *j) {
  if (!j->parts)
    return;
  cJSON *join = cJSON_AddObjectToObject(object, "join");
  cJSON_AddNumberToObject(join, "units", j->units);
  cJSON_AddNumberToObject(join, "parts", j->parts);
  cJSON_AddNumberToObject(join, "cycles", j->cycles);
}

static void add_model(cJSON *object, const bench_outcome *o,
                      const char *constants) {
  const fmhac_timing_grid *g = &o->grid;
  cJSON_AddNumberToObject(object, "cycles", g->cycles);
  cJSON_AddNumberToObject(object, "clock_ghz", g->clock_ghz);
  cJSON_AddNumberToObject(object, "seconds_cool", g->seconds_cool);
  cJSON_AddNumberToObject(object, "tflops_cool",
                          o->work.flops / g->seconds_cool / k_tera);
  cJSON_AddNumberToObject(object, "mfma_busy", g->mfma_busy);
  json_add_known(object, "mfma_busy_loop", o->has_loop, o->mfma_busy_loop);
  cJSON_AddNumberToObject(object, "valu_busy", g->valu_busy);
  cJSON_AddNumberToObject(object, "tail", g->tail);
  cJSON_AddNumberToObject(object, "l2_bytes", g->l2_bytes);
  cJSON_AddNumberToObject(object, "far_bytes", g->far_bytes);
  cJSON_AddNumberToObject(object, "hbm_bytes", g->hbm_bytes);
  const timing_memory memory = timing_memory_of(g, constants);
  cJSON_AddItemToObject(object, "memory", timing_memory_json(&memory));
  cJSON_AddNumberToObject(object, "workgroups", (double)g->workgroups);
  cJSON_AddNumberToObject(object, "timed", (double)o->timed);
  cJSON_AddNumberToObject(object, "sampled", (double)g->sampled);
  cJSON_AddNumberToObject(object, "sampling_deviation", o->deviation);
  cJSON_AddNumberToObject(object, "resident", o->longest.resident);
  bool known = o->cycles_per_kv_tile > 0;
  json_add_known(object, "cycles_per_kv_tile", known, o->cycles_per_kv_tile);
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
  json_add_known(loop, "kv_tiles", o->kv_tiles > 0, o->kv_tiles);
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
  fmhac_kernel_info entry = {.size = sizeof entry};
  const bool is_known =
      fmhac_kernel_get_info(kernel, o->entry, &entry) == FMHAC_OK;
  kernel_schedule_json(object, kernel, is_known ? entry.name : NULL);
  cJSON_AddStringToObject(object, "kernel", is_known ? entry.name : "");
  cJSON_AddStringToObject(object, "device", device);
  cJSON_AddItemToObject(object, "config",
                        cJSON_Parse(fmhac_config_get_canonical(s->config)));
  cJSON_AddItemToObject(object, "problem", run_data_problem_json(data));
  add_speed(object, o);
  add_use(object, o);
  add_notes(object, o);
  const double tile[] = {(double)o->tile.rows, (double)o->tile.keys};
  cJSON_AddItemToObject(object, "tile", cJSON_CreateDoubleArray(tile, 2));
  cJSON *limits = cJSON_AddObjectToObject(object, "occupancy");
  cJSON_AddNumberToObject(limits, "waves_per_simd", o->resident.waves_per_simd);
  cJSON_AddNumberToObject(limits, "workgroups_per_cu",
                          o->resident.workgroups_per_cu);
  cJSON_AddStringToObject(limits, "limit", o->resident.limit);
  if (o->modelled) {
    add_launches(object, kernel, o);
    add_join(object, &o->join);
    add_model(object, o, flags->constants);
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

static double item(const cJSON *array, int index) {
  const cJSON *found = cJSON_GetArrayItem(array, index);
  return found ? found->valuedouble : 0;
}

static void print_speed(const cJSON *p) {
  const cJSON *interval = json_get(p, "seconds_interval");
  printx("time        %.4g ms (%.4g to %.4g)", 1e3 * number_in(p, "seconds"),
         1e3 * item(interval, 0), 1e3 * item(interval, 1));
  if (cJSON_IsNumber(json_get(p, "cycles")))
    printx(", %.0f cycles at %.2f GHz\n", number_in(p, "cycles"),
           number_in(p, "clock_ghz"));
  else
    printx(", median of %.0f samples of %.0f launches, least and most\n",
           number_in(p, "samples"), number_in(p, "launches_per_sample"));
  printx("TFLOPS      %.4g", number_in(p, "tflops"));
  double of_seconds = 1e-12 * number_in(p, "flops");
  if (item(interval, 0) > 0)
    printx(" (%.4g to %.4g)", of_seconds / item(interval, 1),
           of_seconds / item(interval, 0));
  if (cJSON_IsNumber(json_get(p, "peak_share")))
    printx(", %.1f %% of %.0f", 100 * number_in(p, "peak_share"),
           number_in(p, "peak_tflops"));
  printx("; 2 (Dqk + Dv) a score: all, half if causal with Sq = Sk, else those "
         "seen\n");
  if (number_in(p, "tflops_cool") > number_in(p, "tflops"))
    printx("            %.4g at the clock of a part that was idle, some 10 to "
           "100 ms after the load begins\n",
           number_in(p, "tflops_cool"));
  if (cJSON_IsNumber(json_get(p, "tflops_visited")))
    printx("            %.4g by the %.0f tiles of %.0f x %.0f that are "
           "visited\n",
           number_in(p, "tflops_visited"), number_in(p, "kv_tiles_visited"),
           item(json_get(p, "tile"), 0), item(json_get(p, "tile"), 1));
}

static void print_launches(const cJSON *p) {
  const double layers = number_in(p, "layers");
  const cJSON *launch;
  cJSON_ArrayForEach(launch, json_get(p, "launches"))
      printx("launch      %.4g ms by itself: %s\n",
             1e3 * number_in(launch, "seconds"), text_in(launch, "kernel"));
  const cJSON *join = json_get(p, "join");
  if (cJSON_IsObject(join))
    printx("join        %.0f cycles of the last workgroup of a row, for %.0f "
           "parts; %.0f rows of tiles are shared\n",
           number_in(join, "cycles"), number_in(join, "parts"),
           number_in(join, "units"));
  if (layers > 1)
    printx("layers      the time is that of one of %.0f\n", layers);
}

static void print_use(const cJSON *p) {
  const double share = number_in(p, "tile_rows_share");
  if (share > 0)
    printx("rows        %.4g of the %.0f of a tile are in use (%.1f %%)\n",
           number_in(p, "tile_rows_used"), item(json_get(p, "tile"), 0),
           100 * share);
  printx("memory      %.4g MB of Q, K, V and O, each once: %.3g TB/s, %.1f %% "
         "of %.0f\n",
         1e-6 * number_in(p, "bytes"),
         number_in(p, "bytes_per_second") / k_tera,
         100 * number_in(p, "peak_bytes_share"),
         number_in(p, "peak_bytes_per_second") / k_tera);
}

static void print_notes(const cJSON *p) {
  const cJSON *note;
  cJSON_ArrayForEach(note, json_get(p, "notes"))
      printx("note        %s\n", cJSON_GetStringValue(note));
}

static void print_cycles(const cJSON *p) {
  double all = number_in(p, "cycles_per_kv_tile");
  const cJSON *loop = json_get(p, "loop");
  if (all > 0) {
    printx("KV tile     %.1f cycles of a compute unit", all);
    if (cJSON_IsObject(loop))
      printx(", of the loop at pc 0x%llx (%.0f an iteration)\n",
             (unsigned long long)number_in(loop, "pc"),
             number_in(loop, "kv_tiles"));
    else
      printx(", of the whole workgroup\n");
    const cJSON *cause;
    cJSON_ArrayForEach(cause, json_get(p, "causes_per_kv_tile")) {
      if (cause->valuedouble > 0.0005 * all)
        printx("  %-10s %10.1f  %5.1f %%\n", cause->string, cause->valuedouble,
               100 * cause->valuedouble / all);
    }
  }
  const char *bound = text_in(p, "bound");
  printx("bound       %s, %s", bound,
         strcmp(bound, text_in(json_get(p, "memory"), "level")) == 0
             ? "whose bytes need nearly all of the time"
             : "the largest group of causes");
  const cJSON *budget = json_get(loop, "budget");
  const cJSON *least = json_get(budget, "always");
  if (number_in(least, "cycles_per_kv_tile") > 0)
    printx("; the code of the loop asks for %.0f cycles a tile at least (%s)",
           number_in(least, "cycles_per_kv_tile"), text_in(least, "critical"));
  printx("\n");
}

void bench_point_print(const cJSON *p) {
  char *label = schedule_label(p);
  const cJSON *problem = json_get(p, "problem"), *o = json_get(p, "occupancy");
  printx("%s, schedule %s, on %s: B %.0f, Hq %.0f, Hk %.0f, Sq %.0f, Sk "
         "%.0f\n",
         text_in(p, "kernel"), label ? label : "", text_in(p, "device"),
         number_in(problem, "batch"), number_in(problem, "heads"),
         number_in(problem, "kv_heads"), number_in(problem, "seqlen_q"),
         number_in(problem, "seqlen_kv"));
  free(label);
  print_speed(p);
  print_launches(p);
  print_use(p);
  print_notes(p);
  printx("occupancy   %.0f waves a SIMD, %.0f workgroups a CU; limited by %s\n",
         number_in(o, "waves_per_simd"), number_in(o, "workgroups_per_cu"),
         text_in(o, "limit"));
  if (!cJSON_IsNumber(json_get(p, "cycles")))
    return;
  if (cJSON_GetArraySize(json_get(p, "launches")))
    printx(
        "workgroups  %.0f, %.0f with work on a compute unit; %.0f timings, of "
        "all launches",
        number_in(p, "workgroups"), number_in(p, "resident"),
        number_in(p, "timed"));
  else
    printx("workgroups  %.0f of %.0f timed, %.0f on a compute unit",
           number_in(p, "timed"), number_in(p, "workgroups"),
           number_in(p, "resident"));
  if (number_in(p, "sampled") < number_in(p, "workgroups"))
    printx("; %.0f represent%s all, which lie within %.1f %% of a line between "
           "them",
           number_in(p, "sampled"), number_in(p, "sampled") > 1 ? "" : "s",
           100 * number_in(p, "sampling_deviation"));
  printx("\ngrid        matrix units busy %.1f %%",
         100 * number_in(p, "mfma_busy"));
  if (cJSON_IsNumber(json_get(p, "mfma_busy_loop")))
    printx(", in the loop %.1f %%", 100 * number_in(p, "mfma_busy_loop"));
  printx("; vector ALUs %.1f %%", 100 * number_in(p, "valu_busy"));
  printx("; tail %.1f %%\n", 100 * number_in(p, "tail"));
  printx(
      "caches      L2 %.4g GB, from beyond it %.4g GB, of that from HBM %.4g "
      "GB",
      number_in(p, "l2_bytes") / k_giga, number_in(p, "far_bytes") / k_giga,
      number_in(p, "hbm_bytes") / k_giga);
  const cJSON *memory = json_get(p, "memory");
  const char *level = text_in(memory, "level");
  printx("; %s needs most of the time: %.4g GB/s, %.1f %% of its bandwidth\n",
         strcmp(level, "l2") == 0     ? "L2"
         : strcmp(level, "mall") == 0 ? "MALL"
                                      : "HBM",
         number_in(memory, "bytes_per_second") / k_giga,
         100 * number_in(memory, "share"));
  print_cycles(p);
}

void bench_table_header(int label_width) {
  printx("%-*s %11s %9s %7s %11s %6s %6s  %s\n", label_width, "point", "ms",
         "TFLOPS", "peak %", "cycles/tile", "MFMA %", "timed", "bound");
}

void bench_table_line(const char *label, int label_width, const cJSON *p) {
  printx("%-*s %11.4g %9.1f %7.1f", label_width, label,
         1e3 * number_in(p, "seconds"), number_in(p, "tflops"),
         100 * number_in(p, "peak_share"));
  if (cJSON_IsNumber(json_get(p, "cycles")))
    printx(" %11.1f %6.1f %6.0f  %s\n", number_in(p, "cycles_per_kv_tile"),
           100 * number_in(p, "mfma_busy"), number_in(p, "timed"),
           text_in(p, "bound"));
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
    {"tflops_cool", NULL, "tflops_cool"},
    {"valu_busy", NULL, "valu_busy"},
    {"l2_bytes", NULL, "l2_bytes"},
    {"far_bytes", NULL, "far_bytes"},
    {"hbm_bytes", NULL, "hbm_bytes"},
    {"memory_level", "memory", "level"},
    {"memory_share", "memory", "share"},
    {"layers", NULL, "layers"},
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
        k_columns[i].object ? json_get(p, k_columns[i].object) : p;
    printx("%s", i ? "," : "");
    print_field(cJSON_IsArray(from)
                    ? cJSON_GetArrayItem(from, k_columns[i].key[0] - '0')
                    : json_get(from, k_columns[i].key));
  }
  const cJSON *causes = json_get(p, "causes_per_kv_tile");
  const char *name;
  for (int c = 0; (name = fmhac_timing_cause_name((fmhac_timing_cause)c));
       ++c) {
    printx(",");
    print_field(json_get(causes, name));
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
