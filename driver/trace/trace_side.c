// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace_side.h"

#include <stdlib.h>
#include <string.h>

#include "json_fields.h"
#include "trace_launch.h"

//===- Which input --------------------------------------------------------===//

static bool ends_with(const char *text, const char *end) {
  const size_t bytes = strlen(text), end_bytes = strlen(end);
  return bytes >= end_bytes && strcmp(text + bytes - end_bytes, end) == 0;
}

/// A LAUNCH.json has a code object, a configuration has none.
static int kind_of_file(trace_side *s) {
  char error[2 * ERROR_BYTES];
  void *text;
  size_t bytes;
  if (!file_read(s->word, &text, &bytes, error))
    return report_error(&s->r, EXIT_USAGE, "%s", error);
  const json_fields fields = {s->word, error, sizeof error};
  cJSON *json = json_parse(&fields, text, bytes);
  free(text);
  if (!json)
    return report_error(&s->r, EXIT_USAGE, "%s", error);
  s->kind = json_get(json, "code_object") ? TRACE_LAUNCH : TRACE_CONFIG;
  cJSON_Delete(json);
  return ARGS_CONTINUE;
}

int trace_side_init(const char *word, bool is_a, const report *r,
                    trace_side *out) {
  static const char *const objects[] = {".hsaco", ".co", ".o"};
  *out = (trace_side){
      .word = word, .letter = is_a ? 'A' : 'B', .r = *r, .trips = 1};
  out->r.command = is_a ? "trace A" : "trace B";
  for (size_t i = 0; i < sizeof objects / sizeof objects[0]; ++i)
    if (ends_with(word, objects[i]))
      return report_error(
          &out->r, EXIT_USAGE,
          "expected a LAUNCH.json, a configuration or a schedule, found the "
          "code object %s; a LAUNCH.json says with which grid and buffers it "
          "runs (`fmhac emu --help`; `fmhac run --save-launch` writes one)",
          word);
  return ends_with(word, ".json") ? kind_of_file(out) : ARGS_CONTINUE;
}

//===- Its figures --------------------------------------------------------===//

/// The instructions of the kernel from its entry on.
static uint64_t *pcs_of(fmhac_rt_device *device, size_t *out_count) {
  size_t capacity = 1024;
  uint64_t *pcs = malloc(capacity * sizeof *pcs), pc;
  const char *text;
  *out_count = 0;
  for (int i = 0;
       pcs && fmhac_emu_get_listing(device, 0, i, &pc, &text) == FMHAC_OK;
       ++i) {
    if (*out_count == capacity) {
      capacity *= 2;
      uint64_t *more = realloc(pcs, capacity * sizeof *pcs);
      if (!more)
        free(pcs);
      pcs = more;
    }
    if (pcs)
      pcs[(*out_count)++] = pc;
  }
  return pcs;
}

static int out_of_memory(const trace_side *s) {
  return report_error(&s->r, EXIT_DEVICE, "no memory for the figures of %s",
                      s->word);
}

static int check_ranges(const trace_side *s, fmhac_rt_device *device) {
  char error[ERROR_BYTES];
  size_t count;
  uint64_t *pcs = pcs_of(device, &count);
  if (!pcs)
    return out_of_memory(s);
  const bool good =
      trace_ranges_check(&s->wanted, s->kernel, pcs, count, error);
  free(pcs);
  return good ? ARGS_CONTINUE : report_error(&s->r, EXIT_USAGE, "%s", error);
}

static int take_figures(trace_side *s, const trace *t) {
  s->group = t->group;
  s->waves = t->per_group;
  bool ok = trace_workgroup_figures(t, &s->workgroup);
  s->loop_count = trace_loops(t, s->loops);
  if (ok && t->group.loop.iterations) {
    ok = trace_loop_figures(t, t->group.loop.pc, &s->loop);
    s->has_loop = s->loop.trips > 0;
    trace_figures_scale(&s->loop, (double)s->trips);
  }
  for (size_t i = 0; ok && i < s->wanted.count; ++i) {
    ok = trace_range_figures(t, &s->wanted.list[i], &s->ranges[i]);
    trace_figures_scale(&s->ranges[i], (double)s->trips);
  }
  return ok ? ARGS_CONTINUE : out_of_memory(s);
}

static int take(trace_side *s, const trace_launch *l) {
  char error[ERROR_BYTES] = "";
  s->kernel = strdup(l->kernel);
  s->findings = cJSON_Duplicate(l->findings, true);
  if (!s->kernel)
    return out_of_memory(s);
  trace t;
  int code = ARGS_CONTINUE;
  if (!trace_read(l->device, &t, error))
    code = report_error(&s->r, EXIT_DEVICE, "%s", error);
  if (code == ARGS_CONTINUE && s->wanted.count)
    code = check_ranges(s, l->device);
  if (code == ARGS_CONTINUE)
    code = take_figures(s, &t);
  trace_deinit(&t);
  return code;
}

//===- Its run ------------------------------------------------------------===//

static int run_options(trace_launch *l, const trace_side *s, const args *a) {
  args own = {.config_file = s->kind == TRACE_CONFIG ? s->word : a->config_file,
              .options = cJSON_Duplicate(a->options, true)};
  if (s->kind == TRACE_SCHEDULE)
    args_set_option(&own, "schedule", s->word);
  const int code = trace_launch_config(l, &own);
  args_deinit(&own);
  return code;
}

int trace_side_run(trace_side *s, const args *a, const trace_settings *t) {
  trace_launch l = {.r = &s->r,
                    .emu = t->emu,
                    .constants = t->constants,
                    .input = t->input,
                    .workgroup = t->workgroup,
                    .launch_index =
                        s->kind == TRACE_LAUNCH ? t->launch_index : 0};
  int code = s->kind == TRACE_LAUNCH ? trace_launch_file(&l, s->word)
                                     : run_options(&l, s, a);
  if (code == ARGS_CONTINUE)
    code = take(s, &l);
  trace_launch_close(&l);
  return code;
}

void trace_side_deinit(trace_side *s) {
  cJSON_Delete(s->findings);
  free(s->kernel);
  *s = (trace_side){0};
}
