// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac emu LAUNCH.json: runs any gfx950 code object on the embedded emulator.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "commands.h"
#include "coverage.h"
#include "emu_flags.h"
#include "emu_report.h"
#include "files.h"
#include "launch_json.h"

/// Everything that one launch owns.
typedef struct emulation {
  const report *r;
  launch_description launch;
  uint64_t *addresses; ///< of the buffers
  fmhac_rt_device *device;
  emu_progress progress;
} emulation;

static const char details[] =
    "LAUNCH.json; paths are relative to it:\n"
    "  { \"code_object\": \"k.hsaco\", \"kernel\": \"name\",\n"
    "    \"grid\": [workgroups x,y,z], \"block\": [work-items x,y,z],\n"
    "    \"dynamic_lds\": 0,\n"
    "    \"buffers\": { \"q\": {\"bytes\": 64, \"file\": \"q.bin\"},\n"
    "                 \"o\": {\"bytes\": 64, \"fill\": 255, \"out\": "
    "\"o.bin\",\n"
    "                       \"base\": \"0x130000000000\"} },\n"
    "    \"kernarg\": [ {\"offset\": 0, \"buffer\": \"o\", \"add\": 0},\n"
    "                 {\"offset\": 8, \"u32\": 7}, {\"offset\": 12, \"f32\": "
    "0.5},\n"
    "                 {\"offset\": 16, \"u64\": 1} ],\n"
    "    \"kernarg_bytes\": 64, \"workgroups\": [[0,0,0]] }\n"
    "\"kernarg_file\" gives raw bytes instead of \"kernarg\". A buffer with "
    "neither\n"
    "file nor fill is uninitialised.";

static int device_failure(const emulation *e, fmhac_status status) {
  return report_error(e->r, exit_code_of(status), "%s",
                      fmhac_rt_last_error(e->device));
}

static int read_input(const emulation *e, const char *path, void **out_bytes,
                      size_t *out_size) {
  char error[ERROR_BYTES];
  if (file_read(path, out_bytes, out_size, error))
    return ARGS_CONTINUE;
  return report_error(e->r, EXIT_USAGE, "%s", error);
}

//===- Buffers and arguments ----------------------------------------------===//

static int map_buffer(emulation *e, size_t index) {
  launch_buffer *b = &e->launch.buffers[index];
  void *data = NULL;
  size_t bytes = 0;
  if (b->file) {
    int code = read_input(e, b->file, &data, &bytes);
    if (code != ARGS_CONTINUE)
      return code;
    if (!b->has_bytes)
      b->bytes = bytes;
    if (bytes != b->bytes) {
      free(data);
      return report_error(e->r, EXIT_USAGE,
                          "buffer \"%s\": expected %" PRIu64
                          " bytes, file %s has %zu",
                          b->name, b->bytes, b->file, bytes);
    }
  }
  const fmhac_emu_buffer buffer = {
      .size = sizeof buffer,
      .name = b->name,
      .bytes = b->bytes,
      .base = b->base,
      .contents = b->has_fill ? FMHAC_EMU_CONTENTS_FILL
                              : FMHAC_EMU_CONTENTS_UNINITIALISED,
      .fill = b->fill,
  };
  fmhac_status status = fmhac_emu_map(e->device, &buffer, &e->addresses[index]);
  if (status == FMHAC_OK && data)
    status = fmhac_rt_copy_in(e->device, e->addresses[index], data, bytes);
  free(data);
  return status == FMHAC_OK ? ARGS_CONTINUE : device_failure(e, status);
}

/// Maps the buffers that ask for an address, or those that do not: the emulator
/// places the second kind round the first.
static int map_buffers(emulation *e, bool placed) {
  int code = ARGS_CONTINUE;
  for (size_t i = 0; i < e->launch.buffer_count && code == ARGS_CONTINUE; ++i)
    if ((e->launch.buffers[i].base != 0) == placed)
      code = map_buffer(e, i);
  return code;
}

static int build_kernarg(const emulation *e, void **out_bytes,
                         size_t *out_size) {
  const launch_description *l = &e->launch;
  if (l->kernarg_file)
    return read_input(e, l->kernarg_file, out_bytes, out_size);
  size_t size = l->has_kernarg_bytes ? l->kernarg_bytes : 0;
  for (size_t i = 0; i < l->argument_count; ++i) {
    size_t end = (size_t)l->arguments[i].offset + l->arguments[i].bytes;
    size = end > size ? end : size;
  }
  char *bytes = calloc(size + 1, 1);
  if (!bytes)
    return report_error(e->r, EXIT_DEVICE, "no memory for the arguments");
  for (size_t i = 0; i < l->argument_count; ++i) {
    const launch_argument *a = &l->arguments[i];
    uint64_t value = a->bits;
    if (a->kind == LAUNCH_BUFFER)
      value += e->addresses[a->index];
    memcpy(bytes + a->offset, &value, a->bytes);
  }
  *out_bytes = bytes;
  *out_size = size;
  return ARGS_CONTINUE;
}

static int load_module(const emulation *e, fmhac_rt_module **out_module) {
  void *code = NULL;
  size_t bytes = 0;
  int result = read_input(e, e->launch.code_object, &code, &bytes);
  if (result != ARGS_CONTINUE)
    return result;
  fmhac_status status =
      fmhac_rt_module_load(e->device, code, bytes, out_module);
  free(code);
  return status == FMHAC_OK ? ARGS_CONTINUE
                            : report_error(e->r, exit_code_of(status), "%s: %s",
                                           e->launch.code_object,
                                           fmhac_rt_last_error(e->device));
}

//===- Results ------------------------------------------------------------===//

static int write_outputs(const emulation *e) {
  for (size_t i = 0; i < e->launch.buffer_count; ++i) {
    const launch_buffer *b = &e->launch.buffers[i];
    if (!b->out)
      continue;
    char error[ERROR_BYTES];
    char *bytes = malloc(b->bytes ? b->bytes : 1);
    if (!bytes)
      return report_error(e->r, EXIT_DEVICE,
                          "no memory for %" PRIu64 " bytes of \"%s\"", b->bytes,
                          b->name);
    fmhac_status status =
        fmhac_rt_copy_out(e->device, e->addresses[i], bytes, b->bytes);
    bool written = status == FMHAC_OK &&
                   file_write(b->out, bytes, (size_t)b->bytes, error);
    free(bytes);
    if (status != FMHAC_OK)
      return device_failure(e, status);
    if (!written)
      return report_error(e->r, EXIT_USAGE, "%s", error);
  }
  return ARGS_CONTINUE;
}

/// What the launch came to; on stdout, errors and findings on stderr.
static int report_launch(const emulation *e, fmhac_status status) {
  bool ran = status == FMHAC_OK || status == FMHAC_CHECK_FAILED;
  fmhac_emu_stats stats = {.size = sizeof stats};
  if (fmhac_emu_get_stats(e->device, &stats) != FMHAC_OK)
    memset(&stats, 0, sizeof stats);
  if (!ran)
    fprintf(stderr, "fmhac emu: error: %s\n", fmhac_rt_last_error(e->device));
  cJSON *findings = emu_findings(e->device);
  int count = cJSON_GetArraySize(findings);
  emu_findings_print("emu", findings);
  if (e->r->json) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddBoolToObject(object, "ok", status == FMHAC_OK);
    if (!ran)
      report_add_error(object, exit_code_of(status),
                       fmhac_rt_last_error(e->device));
    cJSON_AddItemToObject(object, "findings", findings);
    cJSON_AddNumberToObject(object, "workgroups", (double)stats.workgroups);
    cJSON_AddNumberToObject(object, "instructions", (double)stats.instructions);
    cJSON_AddNumberToObject(object, "matrix_instructions",
                            (double)stats.matrix_instructions);
    cJSON_AddNumberToObject(object, "seconds", stats.seconds);
    if (!report_json(object))
      return EXIT_INTERNAL;
  } else {
    cJSON_Delete(findings);
    if (ran)
      printf("%" PRIu64 " workgroups, %" PRIu64 " instructions, %.3f s, "
             "%d finding%s\n",
             stats.workgroups, stats.instructions, stats.seconds, count,
             count == 1 ? "" : "s");
  }
  return exit_code_of(status);
}

//===- The launch ---------------------------------------------------------===//

static int launch(emulation *e, fmhac_rt_module *module) {
  const launch_description *l = &e->launch;
  void *kernarg = NULL;
  fmhac_rt_launch description = {.size = sizeof description,
                                 .kernel = l->kernel,
                                 .dynamic_lds_bytes = l->dynamic_lds};
  memcpy(description.grid, l->grid, sizeof description.grid);
  memcpy(description.block, l->block, sizeof description.block);
  int code = build_kernarg(e, &kernarg, &description.kernarg_bytes);
  if (code != ARGS_CONTINUE)
    return code;
  description.kernarg = kernarg;
  emu_progress_begin(&e->progress);
  fmhac_status status = fmhac_rt_launch_kernel(e->device, module, &description);
  emu_progress_end(&e->progress);
  free(kernarg);
  // What a launch with findings computed is still worth looking at; one that
  // could not go on computed nothing.
  if (status == FMHAC_OK || status == FMHAC_CHECK_FAILED) {
    code = write_outputs(e);
    if (code != ARGS_CONTINUE)
      return code;
  }
  return report_launch(e, status);
}

static int execute(emulation *e, fmhac_emu_options *options) {
  const launch_description *l = &e->launch;
  fmhac_rt_module *module = NULL;
  e->addresses = calloc(l->buffer_count + 1, sizeof *e->addresses);
  if (!e->addresses)
    return report_error(e->r, EXIT_DEVICE, "no memory for the buffers");
  emu_progress_attach(&e->progress, options);
  fmhac_status status = fmhac_emu_configure(e->device, options);
  if (status == FMHAC_OK && l->workgroup_count)
    status = fmhac_emu_select_workgroups(
        e->device, (const uint32_t(*)[3])l->workgroups, l->workgroup_count);
  if (status != FMHAC_OK)
    return device_failure(e, status);
  int code = map_buffers(e, true);
  if (code == ARGS_CONTINUE)
    code = load_module(e, &module);
  if (code == ARGS_CONTINUE)
    code = map_buffers(e, false);
  return code == ARGS_CONTINUE ? launch(e, module) : code;
}

static int load_and_execute(const char *path, fmhac_emu_options *options,
                            emulation *e) {
  char error[2 * ERROR_BYTES];
  void *text = NULL;
  size_t bytes = 0;
  int code = read_input(e, path, &text, &bytes);
  if (code != ARGS_CONTINUE)
    return code;
  bool parsed = launch_description_parse(path, text, bytes, &e->launch, error,
                                         sizeof error);
  free(text);
  if (!parsed)
    return report_error(e->r, EXIT_USAGE, "%s", error);
  // A launch may take hours: that its results have nowhere to go is said first.
  for (size_t i = 0; i < e->launch.buffer_count; ++i)
    if (e->launch.buffers[i].out &&
        !file_can_write(e->launch.buffers[i].out, error))
      return report_error(e->r, EXIT_USAGE, "%s", error);
  fmhac_status status =
      fmhac_rt_device_open_with_text("emu", error, sizeof error, &e->device);
  if (status != FMHAC_OK)
    return report_error(e->r, exit_code_of(status), "%s", error);
  return execute(e, options);
}

int cmd_emu(int argc, char **argv) {
  emu_flags emu = {0};
  int64_t max_instructions = 0;
  bool coverage = false;
  const char *list = NULL;
  const flag flags[] = {
      {"check", "LIST", EMU_CHECK_HELP, FLAG_TEXT, &emu.check},
      {"sched", "MODE", EMU_SCHED_HELP, FLAG_TEXT, &emu.sched},
      {"landing", "MODE", EMU_LANDING_HELP, FLAG_TEXT, &emu.landing},
      {"threads", "N", EMU_THREADS_HELP, FLAG_INTEGER, &emu.threads},
      {"max-instructions", "N",
       "wave instructions a workgroup may execute "
       "(default 2^33)",
       FLAG_INTEGER, &max_instructions},
      {"coverage", "", COVERAGE_HELP, FLAG_SWITCH, &coverage},
      {"list", "WHICH", COVERAGE_LIST_HELP, FLAG_TEXT, &list},
  };
  const command cmd = {
      .name = "emu",
      .synopsis = "LAUNCH.json [options] | --coverage [FILE.hsaco] "
                  "[--list=WHICH]",
      .summary = "Runs any gfx950 code object on the embedded emulator.",
      .details = details,
      .flags = flags,
      .flag_count = sizeof flags / sizeof flags[0],
      .most_positionals = 1,
  };
  report r = {.command = "emu"};
  args a = {0};
  int code = args_parse(&cmd, argc, argv, &r, &a);
  if (code == ARGS_CONTINUE && coverage) {
    code = a.positional_count ? coverage_of_file(&r, a.positionals[0], list)
                              : coverage_of_emulator(&r, list);
  } else if (code == ARGS_CONTINUE && (list || !a.positional_count)) {
    code = list ? report_error(&r, EXIT_USAGE, "--list belongs to --coverage")
                : report_error(&r, EXIT_USAGE,
                               "expected a LAUNCH.json, or --coverage; usage: "
                               "fmhac emu %s",
                               cmd.synopsis);
  } else if (code == ARGS_CONTINUE) {
    emulation e = {.r = &r};
    fmhac_emu_options options;
    char error[ERROR_BYTES];
    if (emu_flags_apply(&emu, &options, error)) {
      options.max_instructions = (uint64_t)max_instructions;
      code = load_and_execute(a.positionals[0], &options, &e);
    } else {
      code = report_error(&r, EXIT_USAGE, "%s", error);
    }
    fmhac_rt_device_close(e.device);
    free(e.addresses);
    launch_description_free(&e.launch);
  }
  args_deinit(&a);
  return code;
}
