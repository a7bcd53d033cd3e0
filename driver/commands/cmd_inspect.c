// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac inspect: the contents of a gfx950 code object; two of them side by
// side.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "audit.h"
#include "budget.h"
#include "commands.h"
#include "inspect_report.h"
#include "loops.h"
#include "schedule_facts.h"
#include "streams.h"

//===- One code object ----------------------------------------------------===//

/// "mfma 32, valu 210, …".
static void print_mix(const cJSON *counts) {
  printx("%.0f instructions:", number_in(counts, "instructions"));
  bool first = true;
  const cJSON *item;
  cJSON_ArrayForEach(item, counts) {
    if (strcmp(item->string, "instructions") == 0)
      continue;
    printx("%s %s %.0f", first ? "" : ",", item->string, item->valuedouble);
    first = false;
  }
  printx("\n");
}

/// "mfma 1024, valu 828" of an object of numbers.
static void print_numbers(const cJSON *numbers) {
  const cJSON *item;
  bool first = true;
  cJSON_ArrayForEach(item, numbers) {
    if (item->valuedouble <= 0)
      continue;
    printx("%s%s %.0f", first ? "" : ", ", item->string, item->valuedouble);
    first = false;
  }
  printx("%s\n", first ? "nothing" : "");
}

/// The cost of a path through a loop, after a word that names the path.
static void print_need(const cJSON *b, const char *key, const char *which) {
  const cJSON *need = json_get(b, key);
  printx("    %-9s one wave, cycles: ", which);
  print_numbers(json_get(need, "wave_cycles"));
  if (!cJSON_IsObject(json_get(need, "round_cycles")))
    return;
  printx("              a round of %.0f wave%s a SIMD, cycles: ",
         number_in(b, "waves_per_simd"),
         number_in(b, "waves_per_simd") > 1 ? "s" : "");
  print_numbers(json_get(need, "round_cycles"));
  printx("              critical: %s, %.0f cycles a round",
         text_in(need, "critical"), number_in(need, "cycles"));
  if (number_in(b, "kv_tiles") > 0)
    printx(", %.0f a KV tile of a workgroup (%.0f an iteration)",
           number_in(need, "cycles_per_kv_tile"), number_in(b, "kv_tiles"));
  printx("\n");
}

static void print_budget(const cJSON *b) {
  if (!cJSON_IsObject(b))
    return;
  print_need(b, "always", "always");
  // Code that branches skip makes the difference.
  if (!cJSON_Compare(json_get(b, "always"), json_get(b, "at_most"), true))
    print_need(b, "at_most", "at most");
}

/// What the loop has on its way from memory, and what limits it.
static void print_in_flight(const cJSON *f) {
  if (!cJSON_IsObject(f))
    return;
  printx(
      "    in flight one wave: %.0f loads of %.0f bytes a trip; at most %.0f "
      "instructions, %.0f bytes",
      number_in(f, "loads"), number_in(f, "load_bytes"),
      number_in(f, "instructions"), number_in(f, "wave_bytes"));
  if (number_in(f, "to_lds_bytes") > 0)
    printx(" (%.0f direct to LDS)", number_in(f, "to_lds_bytes"));
  const cJSON *wait;
  const char *before = "; waits";
  cJSON_ArrayForEach(wait, json_get(f, "waits")) {
    printx("%s vmcnt(%.0f) with %.0f", before, number_in(wait, "vmcnt"),
           number_in(wait, "instructions"));
    before = ",";
  }
  printx("\n              a compute unit: ");
  if (cJSON_IsNumber(json_get(f, "waves")))
    printx("%.0f waves, %.0f bytes, limited by %s; ", number_in(f, "waves"),
           number_in(f, "cu_bytes"),
           strcmp(text_in(f, "limit"), "waves") == 0
               ? "loads and waves"
               : "what its vector cache has on its way");
  printx("its share of HBM needs %.0f, of MALL %.0f\n",
         number_in(f, "hbm_needs_bytes"), number_in(f, "mall_needs_bytes"));
}

static void print_loop(const cJSON *loop, int index) {
  printx("  loop %-5d %*s", index, (int)number_in(loop, "depth") * 2 - 2, "");
  const cJSON *range;
  const char *between = "";
  cJSON_ArrayForEach(range, json_get(loop, "ranges")) {
    printx("%s0x%05llx..0x%05llx", between,
           (unsigned long long)cJSON_GetArrayItem(range, 0)->valuedouble,
           (unsigned long long)cJSON_GetArrayItem(range, 1)->valuedouble);
    between = " and ";
  }
  if (number_in(loop, "header_pc") != number_in(loop, "first_pc"))
    printx(", header 0x%05llx",
           (unsigned long long)number_in(loop, "header_pc"));
  if (number_in(loop, "back_edges") > 1)
    printx(", %.0f back edges", number_in(loop, "back_edges"));
  printx("  ");
  print_mix(json_get(loop, "mix"));
  if (number_in(json_get(loop, "mix_always"), "instructions") !=
      number_in(json_get(loop, "mix"), "instructions")) {
    printx("    always    ");
    print_mix(json_get(loop, "mix_always"));
  }
  print_budget(json_get(loop, "budget"));
  print_in_flight(json_get(loop, "in_flight"));
}

static void print_lds(const cJSON *k) {
  const cJSON *dynamic = json_get(k, "dynamic_lds_bytes");
  printx("  LDS         ");
  if (cJSON_IsNumber(dynamic))
    printx("%.0f bytes a workgroup (%.0f static, %.0f dynamic)\n",
           number_in(k, "lds_bytes") + dynamic->valuedouble,
           number_in(k, "lds_bytes"), dynamic->valuedouble);
  else if (cJSON_IsTrue(json_get(k, "lds_is_dynamic")))
    printx("dynamic, occupancy not known; --dynamic-lds BYTES (%.0f bytes a "
           "workgroup are static)\n",
           number_in(k, "lds_bytes"));
  else
    printx("%.0f bytes a workgroup (static)\n", number_in(k, "lds_bytes"));
}

static void print_occupancy(const cJSON *k) {
  const cJSON *o = json_get(k, "occupancy"), *by = json_get(o, "workgroups_by");
  if (!cJSON_IsObject(o))
    return;
  printx("  occupancy   %.0f waves a SIMD, %.0f workgroups of %.0f a CU; "
         "limited by %s (workgroups by registers %.0f",
         number_in(o, "waves_per_simd"), number_in(o, "workgroups_per_cu"),
         number_in(k, "max_threads"), text_in(o, "limit"),
         number_in(by, "registers"));
  if (cJSON_IsNumber(json_get(by, "lds")))
    printx(", LDS %.0f", number_in(by, "lds"));
  printx(", waves %.0f)\n", number_in(by, "waves"));
}

static void print_kernel(const cJSON *k) {
  printx("\nkernel %s\n", text_in(k, "name"));
  printx(
      "  registers   VGPR %.0f, AGPR %.0f (%.0f of 512 allocated), SGPR %.0f\n",
      number_in(k, "vgprs"), number_in(k, "agprs"),
      number_in(k, "allocated_vgprs"), number_in(k, "sgprs"));
  printx("  spills      VGPR %.0f, SGPR %.0f; scratch %.0f bytes a lane\n",
         number_in(k, "vgpr_spills"), number_in(k, "sgpr_spills"),
         number_in(k, "scratch_bytes"));
  print_lds(k);
  print_occupancy(k);
  printx("  code        ");
  print_mix(json_get(k, "mix"));
  const cJSON *loop;
  int index = 0;
  cJSON_ArrayForEach(loop, json_get(k, "loops")) print_loop(loop, index++);
  const cJSON *remark;
  cJSON_ArrayForEach(remark, json_get(k, "remarks"))
      printx("  remark      %s\n", cJSON_GetStringValue(remark));
  if (json_get(k, "budget_error"))
    printx("  budget      none: %s\n", text_in(k, "budget_error"));
  printx("  arguments   %.0f bytes\n", number_in(k, "kernarg_bytes"));
  const cJSON *argument;
  cJSON_ArrayForEach(argument, json_get(k, "arguments"))
      printx("    %5.0f  %2.0f bytes  %-14s %s\n",
             number_in(argument, "offset"), number_in(argument, "size"),
             text_in(argument, "kind"), text_in(argument, "name"));
}

/// A text of several lines, each under the first.
static void print_lines(const char *name, const char *lines) {
  printx("%-14s", name);
  for (bool first = true; *lines; first = false) {
    size_t length = strcspn(lines, "\n");
    printx("%*s%.*s\n", first ? 0 : 14, "", (int)length, lines);
    lines += length + (lines[length] == '\n');
  }
}

/// "CORE, LSE"; their fields are among the arguments below. Or NULL; free().
static char *names_of(const cJSON *groups) {
  char text[256] = "";
  const cJSON *group;
  cJSON_ArrayForEach(group, groups) {
    const size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "",
             group->string);
  }
  return strdup(text);
}

/// An entry of the note, without the text of its schedule.
static void print_entry(const cJSON *entry) {
  static const char *const apart[] = {
      "kernel", "schedule", "when", "schedule_file", "grid", "schedule_text"};
  const char *when = text_in(entry, "when");
  char *label = schedule_label(entry);
  // One of another role than attention has no schedule.
  const bool has_schedule = label && label[0];
  print_lines("entry", text_in(entry, "kernel"));
  printx("  %-12s%s %s%s%s\n  %-12sgrid ", "",
         has_schedule ? "schedule" : "role",
         has_schedule ? label : text_in(entry, "role"), when[0] ? " if " : "",
         when, "");
  free(label);
  const cJSON *item;
  bool first = true;
  cJSON_ArrayForEach(item, json_get(entry, "grid")) {
    printx("%s%s", first ? "" : ", ", cJSON_GetStringValue(item));
    first = false;
  }
  cJSON_ArrayForEach(item, entry) {
    bool is_apart = !has_schedule && strcmp(item->string, "role") == 0;
    for (size_t i = 0; i < sizeof apart / sizeof apart[0]; ++i)
      is_apart |= strcmp(item->string, apart[i]) == 0;
    if (is_apart)
      continue;
    char *value = cJSON_IsString(item) ? NULL : cJSON_PrintUnformatted(item);
    printx("; %s %s", item->string,
           value ? value : text_in(entry, item->string));
    cJSON_free(value);
  }
  printx("\n");
}

static void print_note(const cJSON *note, bool pipeline) {
  if (!cJSON_IsObject(note)) {
    printx("no note of fmhac: compiled by something else\n");
    return;
  }
  const cJSON *item;
  cJSON_ArrayForEach(item, note) {
    // The texts of files are long; --json has them.
    if (strcmp(item->string, "score_mod_text") == 0 ||
        (!pipeline && strcmp(item->string, "pipeline") == 0))
      continue;
    if (strcmp(item->string, "entries") == 0) {
      const cJSON *entry;
      cJSON_ArrayForEach(entry, item) print_entry(entry);
      continue;
    }
    char *value = cJSON_IsString(item) ? NULL : cJSON_PrintUnformatted(item);
    if (cJSON_IsObject(item) && strcmp(item->string, "arg_groups") == 0) {
      cJSON_free(value);
      value = names_of(item);
    }
    print_lines(item->string, value ? value : text_in(note, item->string));
    cJSON_free(value);
  }
}

static void print_report(const cJSON *r, bool pipeline) {
  printx("%s: %s, %.0f bytes\n", text_in(r, "file"), text_in(r, "target"),
         number_in(r, "bytes"));
  print_note(json_get(r, "note"), pipeline);
  const cJSON *kernel;
  cJSON_ArrayForEach(kernel, json_get(r, "kernels")) print_kernel(kernel);
}

//===- Two code objects ---------------------------------------------------===//

/// The value of a member, "-" if it is not known. `counts`: objects hold the
/// counts above 0 only.
static bool known(const cJSON *object, const char *key, bool counts,
                  double *out_value, char out_text[24]) {
  const bool is = cJSON_IsNumber(json_get(object, key)) ||
                  (counts && cJSON_IsObject(object));
  *out_value = number_in(object, key);
  snprintf(out_text, 24, is ? "%.0f" : "-", *out_value);
  return is;
}

static void print_change(const char *name, const cJSON *a, const cJSON *b,
                         const char *key, bool counts) {
  double x, y;
  char of_a[24], of_b[24];
  const bool known_a = known(a, key, counts, &x, of_a);
  const bool known_b = known(b, key, counts, &y, of_b);
  if (known_a && known_b && x != y)
    printx("    %-18s %8s %8s  %+.0f\n", name, of_a, of_b, y - x);
  else if ((known_a && (x != 0 || !counts)) != (known_b && (y != 0 || !counts)))
    printx("    %-18s %8s %8s\n", name, of_a, of_b);
}

static void diff_mix(const cJSON *a, const cJSON *b) {
  print_change("instructions", a, b, "instructions", true);
  for (int c = 0; c < MIX_CLASS_COUNT; ++c) {
    const char *name = mix_class_name((mix_class)c);
    print_change(name, a, b, name, true);
  }
}

/// For a loop: the cycles that one wave always issues, and those of the units.
static void diff_budget(const cJSON *a, const cJSON *b) {
  const cJSON *least_a = json_get(a, "always"),
              *least_b = json_get(b, "always");
  char name[40];
  const char *kind;
  for (int c = 0; (kind = fmhac_timing_class_name((fmhac_timing_class)c));
       ++c) {
    snprintf(name, sizeof name, "cycles: %s", kind);
    print_change(name, json_get(least_a, "wave_cycles"),
                 json_get(least_b, "wave_cycles"), kind, true);
  }
  for (int u = 0; u < BUDGET_UNITS; ++u) {
    const char *unit = budget_unit_name((budget_unit)u);
    snprintf(name, sizeof name, "round: %s", unit);
    print_change(name, json_get(least_a, "round_cycles"),
                 json_get(least_b, "round_cycles"), unit, true);
  }
  static const char *const per_tile = "cycles_per_kv_tile";
  print_change("cycles a KV tile", least_a, least_b, per_tile, false);
  print_change("  at most", json_get(a, "at_most"), json_get(b, "at_most"),
               per_tile, false);
}

/// What the notes say of two kernels; NULL: nothing.
static void diff_entries(const cJSON *a, const cJSON *b) {
  const cJSON *item, *either = a ? a : b;
  cJSON_ArrayForEach(item, either) {
    const cJSON *x = json_get(a, item->string), *y = json_get(b, item->string);
    if (strcmp(item->string, "kernel") == 0 || cJSON_Compare(x, y, true))
      continue;
    // Texts are long; --json has them.
    const bool is_long = strcmp(item->string, "schedule_text") == 0;
    char *of_a = x && !is_long ? cJSON_PrintUnformatted(x) : NULL;
    char *of_b = y && !is_long ? cJSON_PrintUnformatted(y) : NULL;
    printx("    %-18s %s | %s\n", item->string,
           of_a ? of_a
           : x  ? "…"
                : "-",
           of_b ? of_b
           : y  ? "…"
                : "-");
    cJSON_free(of_a);
    cJSON_free(of_b);
  }
}

/// Loops are paired by their order.
static void diff_kernels(const cJSON *a, const cJSON *b, const cJSON *entry_a,
                         const cJSON *entry_b) {
  static const char *const keys[] = {
      "vgprs",       "agprs",        "allocated_vgprs", "sgprs",
      "vgpr_spills", "sgpr_spills",  "scratch_bytes",   "lds_bytes",
      "max_threads", "kernarg_bytes"};
  printx("\nkernel %s | %s\n", text_in(a, "name"), text_in(b, "name"));
  diff_entries(entry_a, entry_b);
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i)
    print_change(keys[i], a, b, keys[i], false);
  const cJSON *oa = json_get(a, "occupancy"), *ob = json_get(b, "occupancy");
  print_change("waves a SIMD", oa, ob, "waves_per_simd", false);
  print_change("workgroups a CU", oa, ob, "workgroups_per_cu", false);
  printx("  code\n");
  diff_mix(json_get(a, "mix"), json_get(b, "mix"));
  const cJSON *loops_a = json_get(a, "loops"), *loops_b = json_get(b, "loops");
  int count_a = cJSON_GetArraySize(loops_a);
  int count_b = cJSON_GetArraySize(loops_b);
  for (int i = 0; i < count_a || i < count_b; ++i) {
    const cJSON *x = cJSON_GetArrayItem(loops_a, i);
    const cJSON *y = cJSON_GetArrayItem(loops_b, i);
    printx("  loop %d%s\n", i, !x ? " (only in B)" : !y ? " (only in A)" : "");
    diff_mix(json_get(x, "mix"), json_get(y, "mix"));
    diff_budget(json_get(x, "budget"), json_get(y, "budget"));
  }
}

/// The first kernel from `at` on, NULL: the end, whose name is not among
/// `others`.
static const cJSON *next_unpaired(const cJSON *at, const cJSON *others) {
  for (; at; at = at->next) {
    const cJSON *other;
    bool is_paired = false;
    cJSON_ArrayForEach(other, others) is_paired |=
        strcmp(text_in(at, "name"), text_in(other, "name")) == 0;
    if (!is_paired)
      break;
  }
  return at;
}

/// Kernels of one name are compared; the others by their order, as names differ
/// between configurations.
static void print_diff(const cJSON *a, const cJSON *b) {
  printx("A  %s\nB  %s\n", text_in(a, "file"), text_in(b, "file"));
  printx("    %-18s %8s %8s\n", "what differs", "A", "B");
  print_change("bytes", a, b, "bytes", false);
  const cJSON *kernels_a = json_get(a, "kernels"),
              *kernels_b = json_get(b, "kernels");
  const cJSON *note_a = json_get(a, "note"), *note_b = json_get(b, "note");
  const cJSON *x, *y;
  cJSON_ArrayForEach(x, kernels_a) cJSON_ArrayForEach(y, kernels_b) {
    const char *name = text_in(x, "name");
    if (strcmp(name, text_in(y, "name")) == 0)
      diff_kernels(x, y, note_entry(note_a, name), note_entry(note_b, name));
  }
  x = next_unpaired(kernels_a ? kernels_a->child : NULL, kernels_b);
  y = next_unpaired(kernels_b ? kernels_b->child : NULL, kernels_a);
  while (x && y) {
    diff_kernels(x, y, note_entry(note_a, text_in(x, "name")),
                 note_entry(note_b, text_in(y, "name")));
    x = next_unpaired(x->next, kernels_b);
    y = next_unpaired(y->next, kernels_a);
  }
  for (; x; x = next_unpaired(x->next, kernels_b))
    printx("\nkernel %s (only in A)\n", text_in(x, "name"));
  for (; y; y = next_unpaired(y->next, kernels_a))
    printx("\nkernel %s (only in B)\n", text_in(y, "name"));
}

static int inspect_two(const report *r, const char *path_a, const char *path_b,
                       int64_t dynamic_lds) {
  char error[ERROR_BYTES];
  cJSON *a = inspect_report(path_a, dynamic_lds, error);
  cJSON *b = a ? inspect_report(path_b, dynamic_lds, error) : NULL;
  int code = EXIT_DONE;
  if (!a || !b) {
    code = report_error(r, EXIT_USAGE, "%s", error);
  } else if (r->json) {
    cJSON *both = cJSON_CreateObject();
    cJSON_AddItemToObject(both, "a", a);
    cJSON_AddItemToObject(both, "b", b);
    return report_json(both, EXIT_DONE);
  } else {
    print_diff(a, b);
  }
  cJSON_Delete(b);
  cJSON_Delete(a);
  return code;
}

static int inspect_one(const report *r, const char *path, int64_t dynamic_lds,
                       bool pipeline) {
  char error[ERROR_BYTES];
  cJSON *object = inspect_report(path, dynamic_lds, error);
  if (!object)
    return report_error(r, EXIT_USAGE, "%s", error);
  if (r->json)
    return report_json(object, EXIT_DONE);
  print_report(object, pipeline || r->verbose);
  cJSON_Delete(object);
  return EXIT_DONE;
}

int cmd_inspect(int argc, char **argv) {
  bool diff = false, waits = false, pipeline = false;
  int64_t dynamic_lds = -1;
  const flag specs[] = {
      {"diff", "", "compare two code objects, loop by loop", FLAG_SWITCH,
       &diff},
      {"waits", "", "find missing s_waitcnt and wait states, without running",
       FLAG_SWITCH, &waits},
      {"pipeline", "", "also print the passes that made a kernel of fmhac",
       FLAG_SWITCH, &pipeline},
      {"dynamic-lds", "BYTES",
       "LDS that a launch adds to the kernel's own, for the occupancy",
       FLAG_INTEGER, &dynamic_lds},
  };
  const command cmd = {
      .name = "inspect",
      .synopsis = "[--dynamic-lds BYTES] FILE | --diff A B | --waits FILE",
      .summary = "Shows registers, spills, LDS, occupancy, arguments, embedded "
                 "configuration,\ninstruction mix and cycles of any gfx950 "
                 "code object.",
      .details =
          "A loop is a header and all code that leads back to it, wherever it "
          "lies; its mix\ncounts inner loops. Occupancy: 512 registers per "
          "lane, 8 waves per SIMD, 160 KiB of LDS in\ngranules of 1280 bytes. "
          "If a launch adds LDS, --dynamic-lds must say how much.\nFor each "
          "loop inspect prints the cycles of every path through it (always) "
          "and of the\nlongest path where branches skip code (at most); each "
          "number stands for itself, and\ninner loops count once. The cycles "
          "are those that one wave issues, and those of each\nunit when every "
          "resident wave goes through the loop once. The largest is critical: "
          "the\nloop cannot be faster. Constants: fmhac bench "
          "--constants.\n--waits follows every path of the code and executes "
          "nothing. Exit code 1: a register\nmay be used before its load "
          "completes, or wait states are missing. 3: no such finding,\nbut "
          "some places could not be followed (indirect jumps, registers that "
          "M0 selects);\neach is named. Only a run finds LDS that is read too "
          "early (emu --check=wait).",
      COMMAND_FLAGS(specs),
      .least_positionals = 1,
      .most_positionals = 2,
  };
  report r = {0};
  args a;
  int code = args_parse(&cmd, argc, argv, &r, &a);
  if (code == ARGS_CONTINUE) {
    if (waits && (diff || dynamic_lds >= 0))
      code = report_error(&r, EXIT_USAGE, "--waits and %s exclude each other",
                          diff ? "--diff" : "--dynamic-lds");
    else if (a.positional_count != (diff ? 2 : 1))
      code = report_error(
          &r, EXIT_USAGE, "expected %s; usage: fmhac inspect %s",
          diff ? "two files with --diff" : "one file", cmd.synopsis);
    else if (diff)
      code = inspect_two(&r, a.positionals[0], a.positionals[1], dynamic_lds);
    else if (waits)
      code = audit_file(&r, a.positionals[0]);
    else
      code = inspect_one(&r, a.positionals[0], dynamic_lds, pipeline);
  }
  args_deinit(&a);
  return code;
}
