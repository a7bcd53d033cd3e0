// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulation.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "files.h"
#include "fmhac_object.h"
#include "work_items.h"

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
  launch_buffer *b = &e->launch->buffers[index];
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
  for (size_t i = 0; i < e->launch->buffer_count && code == ARGS_CONTINUE; ++i)
    if ((e->launch->buffers[i].base != 0) == placed)
      code = map_buffer(e, i);
  return code;
}

/// Declares tensors, so that findings name their elements. The launches write
/// the outputs together.
static int declare_tensors(const emulation *e) {
  fmhac_status status =
      fmhac_emu_join_launches(e->device, e->launch->start_count);
  for (size_t i = 0; i < e->launch->tensor_count && status == FMHAC_OK; ++i) {
    const launch_tensor *t = &e->launch->tensors[i];
    status = launch_tensor_declare(t, e->addresses[t->buffer], e->device);
  }
  return status == FMHAC_OK ? ARGS_CONTINUE : device_failure(e, status);
}

static int build_kernarg(const emulation *e, const launch_start *l,
                         void **out_bytes, size_t *out_size) {
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

launch_label launch_label_of(const launch_description *launch, size_t index) {
  launch_label label = {""};
  if (launch->has_list)
    snprintf(label.text, sizeof label.text, "launch %zu: ", index);
  return label;
}

/// Checks a later launch before the first runs: its kernel, its size, its
/// files.
static int check_start(const emulation *e, const fmhac_object *object,
                       size_t index) {
  const launch_start *l = &e->launch->starts[index];
  const launch_label label = launch_label_of(e->launch, index);
  const size_t count = fmhac_object_kernel_count(object);
  fmhac_object_kernel kernel = {.size = sizeof kernel};
  bool is_there = false;
  for (size_t i = 0; i < count && !is_there; ++i)
    is_there = fmhac_object_get_kernel(object, i, &kernel) == FMHAC_OK &&
               (l->kernel ? strcmp(kernel.name, l->kernel) == 0 : count == 1);
  if (!is_there)
    return report_error(e->r, EXIT_USAGE,
                        "%sexpected \"kernel\" to name one of the %zu of %s, "
                        "found %s",
                        label.text, count, e->launch->code_object,
                        l->kernel ? l->kernel : "no name");
  if ((uint64_t)kernel.lds_bytes + l->dynamic_lds > FMHAC_LDS_BYTES)
    return report_error(e->r, EXIT_USAGE,
                        "%sexpected at most %d bytes of LDS, which a workgroup "
                        "of gfx950 has, found %u of %s and %u of "
                        "\"dynamic_lds\"",
                        label.text, FMHAC_LDS_BYTES, kernel.lds_bytes,
                        kernel.name, l->dynamic_lds);
  char error[ERROR_BYTES];
  const fmhac_status status = fmhac_launch_size_check(
      kernel.name, l->grid, l->block, kernel.max_threads,
      l->workgroup_count != 0, error, sizeof error);
  if (status != FMHAC_OK)
    return report_error(e->r, exit_code_of(status), "%s%s", label.text, error);
  void *bytes = NULL;
  size_t size;
  if (l->kernarg_file && !file_read(l->kernarg_file, &bytes, &size, error))
    return report_error(e->r, EXIT_USAGE, "%s%s", label.text, error);
  free(bytes);
  return ARGS_CONTINUE;
}

static int check_later_starts(const emulation *e, const void *code,
                              size_t bytes) {
  char error[ERROR_BYTES];
  fmhac_object *object;
  if (e->launch->start_count == 1)
    return ARGS_CONTINUE;
  fmhac_status status =
      fmhac_object_create(code, bytes, error, sizeof error, &object);
  if (status != FMHAC_OK)
    return report_error(e->r, exit_code_of(status), "%s: %s",
                        e->launch->code_object, error);
  int result = ARGS_CONTINUE;
  for (size_t i = 1; i < e->launch->start_count && result == ARGS_CONTINUE; ++i)
    result = check_start(e, object, i);
  fmhac_object_destroy(object);
  return result;
}

static int load_module(emulation *e) {
  void *code = NULL;
  size_t bytes = 0;
  int result = read_input(e, e->launch->code_object, &code, &bytes);
  if (result != ARGS_CONTINUE)
    return result;
  fmhac_status status =
      fmhac_rt_module_load(e->device, code, bytes, &e->module);
  result = status == FMHAC_OK ? check_later_starts(e, code, bytes)
                              : report_error(e->r, exit_code_of(status),
                                             "%s: %s", e->launch->code_object,
                                             fmhac_rt_last_error(e->device));
  free(code);
  return result;
}

//===- One run ------------------------------------------------------------===//

int emulation_open(emulation *e, fmhac_emu_options *options) {
  char error[2 * ERROR_BYTES];
  const launch_description *l = e->launch;
  fmhac_status status =
      fmhac_rt_device_open_with_text("emu", error, sizeof error, &e->device);
  if (status != FMHAC_OK)
    return report_error(e->r, exit_code_of(status), "%s", error);
  e->addresses = calloc(l->buffer_count + 1, sizeof *e->addresses);
  if (!e->addresses)
    return report_error(e->r, EXIT_DEVICE, "no memory for the buffers");
  if (report_shows(e->r, MESSAGE_NOTE))
    emu_progress_attach(&e->progress, options);
  status = fmhac_emu_configure(e->device, options);
  if (status != FMHAC_OK)
    return device_failure(e, status);
  int code = map_buffers(e, true);
  if (code == ARGS_CONTINUE)
    code = load_module(e);
  if (code == ARGS_CONTINUE)
    code = map_buffers(e, false);
  if (code == ARGS_CONTINUE)
    code = declare_tensors(e);
  return code;
}

void emulation_close(emulation *e) {
  fmhac_rt_device_close(e->device);
  free(e->addresses);
  cJSON_Delete(e->findings);
  e->findings = NULL;
  e->device = NULL;
  e->addresses = NULL;
}

int emulation_start(emulation *e, size_t index, const uint32_t (*ids)[3],
                    size_t id_count, fmhac_status *out_status) {
  const launch_start *l = &e->launch->starts[index];
  void *kernarg = NULL;
  fmhac_rt_launch description = {.size = sizeof description,
                                 .kernel = l->kernel,
                                 .dynamic_lds_bytes = l->dynamic_lds};
  memcpy(description.grid, l->grid, sizeof description.grid);
  memcpy(description.block, l->block, sizeof description.block);
  if (!id_count) {
    ids = (const uint32_t(*)[3])l->workgroups;
    id_count = l->workgroup_count;
  }
  int code = ARGS_CONTINUE;
  if (fmhac_emu_select_workgroups(e->device, ids, id_count) != FMHAC_OK)
    code = device_failure(e, FMHAC_INVALID_INPUT);
  if (code == ARGS_CONTINUE)
    code = build_kernarg(e, l, &kernarg, &description.kernarg_bytes);
  if (code != ARGS_CONTINUE)
    return code;
  description.kernarg = kernarg;
  emu_progress_begin(&e->progress);
  *out_status = fmhac_rt_launch_kernel(e->device, e->module, &description);
  emu_progress_end(&e->progress);
  free(kernarg);
  return ARGS_CONTINUE;
}

void emulation_keep(emulation *e, size_t index) {
  const launch_description *l = e->launch;
  cJSON *findings = emu_findings(e->device);
  if (!e->findings)
    e->findings = cJSON_CreateArray();
  for (cJSON *finding; (finding = cJSON_DetachItemFromArray(findings, 0));) {
    if (l->has_list)
      cJSON_AddNumberToObject(finding, "launch", (double)index);
    cJSON_AddItemToArray(e->findings, finding);
  }
  cJSON_Delete(findings);
  fmhac_emu_stats stats = {.size = sizeof stats};
  if (fmhac_emu_get_stats(e->device, &stats) != FMHAC_OK)
    return;
  e->stats.size = stats.size;
  e->stats.workgroups += stats.workgroups;
  e->stats.waves += stats.waves;
  e->stats.matrix_instructions += stats.matrix_instructions;
  e->stats.instructions += stats.instructions;
  e->stats.seconds += stats.seconds;
  e->stats.dropped += stats.dropped;
}

int emulation_run(emulation *e, void (*after)(void *user, size_t index),
                  void *user, fmhac_status *out_status) {
  cJSON_Delete(e->findings);
  e->findings = NULL;
  e->stats = (fmhac_emu_stats){.size = sizeof e->stats};
  *out_status = FMHAC_OK;
  for (size_t i = 0; i < e->launch->start_count; ++i) {
    fmhac_status status;
    int code = emulation_start(e, i, NULL, 0, &status);
    if (code != ARGS_CONTINUE)
      return code;
    emulation_keep(e, i);
    if (after)
      after(user, i);
    if (status != FMHAC_OK)
      *out_status = status;
    if (status != FMHAC_OK && status != FMHAC_CHECK_FAILED)
      break; // the next one would read what this one has not written
  }
  return ARGS_CONTINUE;
}

int emulation_read(const emulation *e, size_t buffer, char **out_bytes) {
  const launch_buffer *b = &e->launch->buffers[buffer];
  *out_bytes = malloc(b->bytes ? b->bytes : 1);
  if (!*out_bytes)
    return report_error(e->r, EXIT_DEVICE,
                        "no memory for %" PRIu64 " bytes of \"%s\"", b->bytes,
                        b->name);
  fmhac_status status =
      fmhac_rt_copy_out(e->device, e->addresses[buffer], *out_bytes, b->bytes);
  if (status == FMHAC_OK)
    return ARGS_CONTINUE;
  free(*out_bytes);
  *out_bytes = NULL;
  return device_failure(e, status);
}
