// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace_launch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmhac_abi.h"
#include "fmhac_timing.h"
#include "kernel_object.h"

enum { CORNERS = 8 };

/// Workgroups to run, and whether their instructions are kept.
typedef struct selection {
  uint32_t ids[CORNERS][3];
  size_t count;
  bool events;
} selection;

static int options_of(const trace_launch *t, const selection *of,
                      fmhac_emu_options *out_options) {
  char error[ERROR_BYTES];
  if (!emu_flags_apply(&t->emu, out_options, error))
    return report_error(t->r, EXIT_USAGE, "%s", error);
  out_options->timing = 1;
  out_options->timing_constants = t->constants;
  // The length of the list; trace_read() counts it.
  out_options->timing_events = of->events ? SIZE_MAX : 0;
  return ARGS_CONTINUE;
}

//===- Which workgroup ----------------------------------------------------===//

static void add_id(selection *s, uint32_t x, uint32_t y, uint32_t z) {
  for (size_t i = 0; i < s->count; ++i)
    if (s->ids[i][0] == x && s->ids[i][1] == y && s->ids[i][2] == z)
      return;
  if (s->count == CORNERS)
    return;
  s->ids[s->count][0] = x;
  s->ids[s->count][1] = y;
  s->ids[s->count++][2] = z;
}

/// The requested workgroup, or the candidates for the choice of one.
static int candidates(const trace_launch *t, const uint32_t grid[3],
                      selection *out) {
  *out = (selection){0};
  if (!t->workgroup) {
    for (unsigned corner = 0; corner < CORNERS; ++corner)
      add_id(out, corner & 1 ? grid[0] - 1 : 0, corner & 2 ? grid[1] - 1 : 0,
             corner & 4 ? grid[2] - 1 : 0);
    return ARGS_CONTINUE;
  }
  uint32_t id[3];
  int end = 0;
  if (strspn(t->workgroup, "0123456789,") != strlen(t->workgroup) ||
      strlen(t->workgroup) > 32 ||
      sscanf(t->workgroup, "%9" SCNu32 ",%9" SCNu32 ",%9" SCNu32 "%n", &id[0],
             &id[1], &id[2], &end) != 3 ||
      t->workgroup[end])
    return report_error(t->r, EXIT_USAGE,
                        "--workgroup: expected X,Y,Z, found '%.40s'",
                        t->workgroup);
  for (int i = 0; i < 3; ++i)
    if (id[i] >= grid[i])
      return report_error(t->r, EXIT_USAGE,
                          "--workgroup: (%u,%u,%u) lies outside the grid of "
                          "(%u,%u,%u) workgroups",
                          id[0], id[1], id[2], grid[0], grid[1], grid[2]);
  add_id(out, id[0], id[1], id[2]);
  return ARGS_CONTINUE;
}

/// Leaves the workgroup that took longest, whose instructions are wanted.
static void choose(const trace_launch *t, selection *s) {
  uint64_t longest = 0;
  size_t best = 0;
  for (size_t i = 0; i < s->count; ++i) {
    fmhac_timing_workgroup w = {.size = sizeof w};
    if (fmhac_timing_get_workgroup(t->device, i, &w) != FMHAC_OK ||
        w.cycles <= longest)
      continue;
    longest = w.cycles;
    best = i;
  }
  memmove(s->ids[0], s->ids[best], sizeof s->ids[0]);
  s->count = 1;
}

/// Runs `step` on the candidates, if there are several, and on the one chosen.
static int run_chosen(trace_launch *t, selection *s,
                      int (*step)(trace_launch *t, const selection *s)) {
  int code = ARGS_CONTINUE;
  if (s->count > 1) {
    code = step(t, s);
    if (code != ARGS_CONTINUE)
      return code;
    choose(t, s);
  }
  s->events = true;
  return step(t, s);
}

//===- A configuration ----------------------------------------------------===//

static int device_failure(const trace_launch *t, fmhac_status status) {
  return report_error(t->r, exit_code_of(status), "%s",
                      fmhac_rt_last_error(t->device));
}

/// One launch, with the data that its workgroups read.
static int run_config(trace_launch *t, const selection *s) {
  char error[ERROR_BYTES] = "";
  fmhac_emu_options options;
  int code = options_of(t, s, &options);
  if (code != ARGS_CONTINUE)
    return code;
  t->device = t->on.device;
  if (report_shows(t->r, MESSAGE_NOTE))
    emu_progress_attach(&t->on.progress, &options);
  fmhac_status status = fmhac_emu_configure(t->device, &options);
  if (status == FMHAC_OK)
    status = fmhac_emu_select_workgroups(t->device, s->ids, s->count);
  if (status != FMHAC_OK)
    return device_failure(t, status);
  for (size_t i = 0; i < s->count; ++i)
    if (!bench_data_need(&t->inputs, s->ids[i], error))
      return report_error(t->r, EXIT_DEVICE, "%s", error);
  status = run_device_start(&t->on, t->plan, &t->data);
  if (status != FMHAC_OK && status != FMHAC_CHECK_FAILED)
    return report_error(t->r, exit_code_of(status), "%s",
                        fmhac_last_error(t->s.context));
  cJSON_Delete(t->findings);
  t->findings = emu_findings(t->device);
  return ARGS_CONTINUE;
}

/// A device with the buffers on it, and the grid of the launch.
static int open_config(trace_launch *t, uint32_t grid[3]) {
  char error[ERROR_BYTES] = "";
  fmhac_status status = run_device_open("emu", &t->emu, &t->on, error);
  if (status != FMHAC_OK)
    return report_error(t->r, exit_code_of(status), "%s", error);
  status =
      run_plan_create(t->s.context, t->compiled, &t->data, &t->plan, error);
  if (status != FMHAC_OK)
    return report_error(t->r, exit_code_of(status), "%s", error);
  if (fmhac_plan_launch_count(t->plan) > 1)
    return report_error(t->r, EXIT_UNSUPPORTED,
                        "a plan of %zu launches is not traced in one call; "
                        "`fmhac run … --save-launch DIR`, then `fmhac trace "
                        "DIR/LAUNCH.json --launch N`",
                        fmhac_plan_launch_count(t->plan));
  t->kernel = plan_entry(t->plan).name;
  if (!bench_data_init(&t->inputs, &t->data, &t->on, t->plan, error))
    return report_error(t->r, EXIT_USAGE, "%s", error);
  fmhac_kernel_args arguments;
  fmhac_rt_launch launch;
  status =
      run_plan_pack(t->plan, 0, &t->data, t->on.workspace, &arguments, &launch);
  if (status != FMHAC_OK)
    return session_fail(&t->s, status);
  memcpy(grid, launch.grid, sizeof launch.grid);
  return ARGS_CONTINUE;
}

int trace_launch_config(trace_launch *t, const args *a) {
  char error[ERROR_BYTES] = "";
  int code = session_open(a, t->r, (session_options){.use_cache = true}, &t->s);
  if (code == ARGS_CONTINUE)
    code = session_require_support(&t->s);
  if (code != ARGS_CONTINUE)
    return code;
  if (!run_data_init(t->s.options, t->s.config, &t->data, error))
    return report_error(t->r, EXIT_USAGE, "%s", error);
  code = run_data_take_input(&t->data, t->input, t->r);
  if (code == ARGS_CONTINUE)
    code = session_compile(&t->s, &t->compiled);
  if (code != ARGS_CONTINUE)
    return code;
  uint32_t grid[3];
  selection s;
  code = open_config(t, grid);
  if (code == ARGS_CONTINUE)
    code = candidates(t, grid, &s);
  return code == ARGS_CONTINUE ? run_chosen(t, &s, run_config) : code;
}

//===- A LAUNCH.json ------------------------------------------------------===//

/// A launch that could not go on: what was found until then may say why.
static int stop_at(const trace_launch *t, size_t index, fmhac_status status) {
  char text[2 * ERROR_BYTES];
  snprintf(text, sizeof text, "%s%s", launch_label_of(&t->launch, index).text,
           fmhac_rt_last_error(t->device));
  report_message(t->r, MESSAGE_ERROR, "%s", text);
  emu_findings_print("trace", t->emulation.findings);
  emu_dropped_print("trace", &t->emulation.stats);
  if (!t->r->json)
    return exit_code_of(status);
  cJSON *object = cJSON_CreateObject();
  report_add_error(object, exit_code_of(status), text);
  cJSON_AddItemToObject(object, "findings",
                        cJSON_Duplicate(t->emulation.findings, true));
  return report_json(object, exit_code_of(status));
}

/// Each run has a device of its own, because a kernel may change its inputs.
static int run_file(trace_launch *t, const selection *s) {
  emulation_close(&t->emulation);
  t->device = NULL;
  t->emulation.stats = (fmhac_emu_stats){.size = sizeof t->emulation.stats};
  fmhac_emu_options options;
  fmhac_status status;
  int code = options_of(t, s, &options);
  if (code == ARGS_CONTINUE)
    code = emulation_open(&t->emulation, &options);
  if (code != ARGS_CONTINUE)
    return code;
  t->device = t->emulation.device;
  // It reads what the launches before it have written.
  const size_t index = (size_t)t->launch_index;
  for (size_t i = 0; i <= index; ++i) {
    code = emulation_start(&t->emulation, i, i == index ? s->ids : NULL,
                           i == index ? s->count : 0, &status);
    if (code != ARGS_CONTINUE)
      return code;
    emulation_keep(&t->emulation, i);
    if (status != FMHAC_OK && status != FMHAC_CHECK_FAILED)
      return stop_at(t, i, status);
  }
  cJSON_Delete(t->findings);
  t->findings = t->emulation.findings;
  t->emulation.findings = NULL;
  return ARGS_CONTINUE;
}

/// Those that the file names, from the first to the last, if it names some.
static void narrow(const launch_start *l, selection *s) {
  if (!l->workgroup_count)
    return;
  s->count = 0;
  for (size_t i = 0; i < CORNERS; ++i) {
    const uint32_t *id =
        l->workgroups[i * (l->workgroup_count - 1) / (CORNERS - 1)];
    add_id(s, id[0], id[1], id[2]);
  }
}

int trace_launch_file(trace_launch *t, const char *path) {
  char error[2 * ERROR_BYTES];
  void *text = NULL;
  size_t bytes = 0;
  if (!file_read(path, &text, &bytes, error))
    return report_error(t->r, EXIT_USAGE, "%s", error);
  bool parsed = launch_description_parse(path, text, bytes, &t->launch, error,
                                         sizeof error);
  free(text);
  if (!parsed)
    return report_error(t->r, EXIT_USAGE, "%s", error);
  t->emulation.r = t->r;
  t->emulation.launch = &t->launch;
  // Without a name, the only kernel; the file's name identifies it.
  const char *slash = strrchr(t->launch.code_object, '/');
  if ((uint64_t)t->launch_index >= t->launch.start_count)
    return report_error(t->r, EXIT_USAGE,
                        "--launch: expected a launch of %s below %zu, found "
                        "%" PRId64,
                        path, t->launch.start_count, t->launch_index);
  const launch_start *start = &t->launch.starts[t->launch_index];
  t->kernel = start->kernel ? start->kernel
              : slash       ? slash + 1
                            : t->launch.code_object;
  selection s;
  int code = candidates(t, start->grid, &s);
  if (code == ARGS_CONTINUE && !t->workgroup)
    narrow(start, &s);
  return code == ARGS_CONTINUE ? run_chosen(t, &s, run_file) : code;
}

void trace_launch_close(trace_launch *t) {
  cJSON_Delete(t->findings);
  bench_data_deinit(&t->inputs);
  // The plan's modules live on the device: it goes first.
  fmhac_plan_destroy(t->plan);
  run_device_close(&t->on);
  fmhac_kernel_destroy(t->compiled);
  run_data_deinit(&t->data);
  session_close(&t->s);
  emulation_close(&t->emulation);
  launch_description_free(&t->launch);
}
