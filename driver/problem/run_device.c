// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_device.h"

#include <stdio.h>
#include <string.h>

#include "run_factors.h"
#include "run_features.h"
#include "run_tensors.h"
#include "seconds.h"

static fmhac_status fail(const run_device *d, fmhac_status status,
                         const char *what, char error[ERROR_BYTES]) {
  snprintf(error, ERROR_BYTES, "%s: %s: %s", d->uri, what,
           fmhac_rt_last_error(d->device));
  return status;
}

//===- The plan -----------------------------------------------------------===//

fmhac_status run_plan_pack(const fmhac_plan *plan, size_t index,
                           const run_data *data, uint64_t workspace,
                           fmhac_kernel_args *out_arguments,
                           fmhac_rt_launch *out_launch) {
  *out_launch = (fmhac_rt_launch){.size = sizeof *out_launch};
  const fmhac_tensors tensors = run_data_tensors(data);
  return fmhac_plan_pack(plan, index, &tensors, workspace, out_arguments,
                         sizeof *out_arguments, out_launch);
}

/// Asks the plan for the arguments of a launch, with placeholders for the
/// addresses of later buffers.
static fmhac_status check_tensors(const fmhac_plan *plan, run_data *data) {
  enum { SPACING = 4096 }; // a multiple of every alignment
  for (int i = 0; i < BUFFER_COUNT; ++i)
    if (data->buffers[i].bytes)
      data->buffers[i].address = (uint64_t)(i + 1) * SPACING;
  fmhac_kernel_args arguments;
  fmhac_rt_launch launch;
  const uint64_t workspace = (uint64_t)(BUFFER_COUNT + 1) * SPACING;
  fmhac_status status = run_plan_pack(
      plan, 0, data, fmhac_plan_workspace_bytes(plan) ? workspace : 0,
      &arguments, &launch);
  for (int i = 0; i < BUFFER_COUNT; ++i)
    data->buffers[i].address = 0;
  return status;
}

fmhac_status run_plan_create(const fmhac_context *context,
                             const fmhac_kernel *kernel, run_data *data,
                             fmhac_plan **out_plan, char error[ERROR_BYTES]) {
  *out_plan = NULL;
  const fmhac_problem problem = run_data_problem(data);
  fmhac_status status = fmhac_plan_create(kernel, &problem, out_plan);
  if (status == FMHAC_OK &&
      (!run_features_fill(data, error) || !run_factors_fill(data, error)))
    return FMHAC_INVALID_INPUT;
  if (status == FMHAC_OK)
    status = check_tensors(*out_plan, data);
  if (status != FMHAC_OK)
    snprintf(error, ERROR_BYTES, "%s", fmhac_last_error(context));
  return status;
}

//===- The device ---------------------------------------------------------===//

fmhac_status run_device_open(const char *uri, const emu_flags *flags,
                             run_device *out_device, char error[ERROR_BYTES]) {
  *out_device = (run_device){.uri = uri, .is_emu = strcmp(uri, "emu") == 0};
  fmhac_emu_options options;
  if (!emu_flags_apply(flags, &options, error))
    return FMHAC_INVALID_INPUT;
  if (!out_device->is_emu && emu_flags_given(flags)) {
    snprintf(error, ERROR_BYTES,
             "--check, --sched, --landing, --threads, --alignment, "
             "--descriptors, --placement and --hazards steer the emulator: "
             "use --device=emu, not %.60s",
             uri);
    return FMHAC_INVALID_INPUT;
  }
  char why[ERROR_BYTES - 100] = "";
  fmhac_status status =
      fmhac_rt_device_open_with_text(uri, why, sizeof why, &out_device->device);
  if (status != FMHAC_OK) {
    snprintf(error, ERROR_BYTES, "cannot open device '%.60s': %s", uri,
             why[0] ? why : fmhac_status_name(status));
    return status;
  }
  if (!out_device->is_emu)
    return FMHAC_OK;
  if (!flags->quiet)
    emu_progress_attach(&out_device->progress, &options);
  status = fmhac_emu_configure(out_device->device, &options);
  return status == FMHAC_OK
             ? status
             : fail(out_device, status, "setting its options", error);
}

void run_device_close(run_device *d) {
  fmhac_rt_device_close(d->device);
  d->device = NULL;
}

/// Memory on the device; outputs on the emulator start as 0xff without a copy.
static fmhac_status allocate(run_device *d, const char *name, size_t bytes,
                             bool is_output, uint64_t *out_address) {
  if (!d->is_emu)
    return fmhac_rt_alloc(d->device, bytes, out_address);
  const fmhac_emu_buffer buffer = {
      .size = sizeof buffer,
      .name = name,
      .bytes = bytes,
      .contents = is_output ? FMHAC_EMU_CONTENTS_FILL
                            : FMHAC_EMU_CONTENTS_UNINITIALISED,
      .fill = 0xff};
  return fmhac_emu_map(d->device, &buffer, out_address);
}

static fmhac_status declare_tensors(run_device *d, const run_data *data) {
  launch_tensor tensors[RUN_TENSORS];
  size_t count = run_tensors(data, tensors);
  fmhac_status status = count ? FMHAC_OK : FMHAC_OUT_OF_MEMORY;
  for (size_t i = 0; i < count && status == FMHAC_OK; ++i)
    status = launch_tensor_declare(
        &tensors[i], data->buffers[tensors[i].buffer].address, d->device);
  run_tensors_deinit(tensors, count);
  return status;
}

fmhac_status run_device_upload(run_device *d, run_data *data,
                               const fmhac_plan *plan,
                               char error[ERROR_BYTES]) {
  const size_t workspace_bytes = fmhac_plan_workspace_bytes(plan);
  for (int i = 0; i < BUFFER_COUNT; ++i) {
    run_buffer *b = &data->buffers[i];
    if (b->bytes == 0)
      continue;
    fmhac_status status =
        allocate(d, b->name, b->bytes, b->is_output, &b->address);
    if (status == FMHAC_OK && !(d->is_emu && b->is_output))
      status = fmhac_rt_copy_in(d->device, b->address, b->host, b->bytes);
    if (status != FMHAC_OK)
      return fail(d, status, b->name, error);
  }
  if (d->is_emu) {
    fmhac_status status = declare_tensors(d, data);
    if (status != FMHAC_OK)
      return fail(d, status, "declaring the tensors", error);
  }
  if (workspace_bytes == 0)
    return FMHAC_OK;
  fmhac_status status =
      allocate(d, "workspace", workspace_bytes, false, &d->workspace);
  return status == FMHAC_OK ? run_device_clear_workspace(d, plan, error)
                            : fail(d, status, "workspace", error);
}

fmhac_status run_device_clear_workspace(run_device *d, const fmhac_plan *plan,
                                        char error[ERROR_BYTES]) {
  const size_t zero_bytes = fmhac_plan_workspace_zero_bytes(plan);
  if (!zero_bytes)
    return FMHAC_OK;
  const fmhac_status status =
      fmhac_rt_fill(d->device, d->workspace, 0, zero_bytes);
  return status == FMHAC_OK ? status
                            : fail(d, status, "clearing the workspace", error);
}

fmhac_status run_device_start(run_device *d, const fmhac_plan *plan,
                              const run_data *data) {
  const fmhac_tensors tensors = run_data_tensors(data);
  fmhac_status status =
      d->is_emu
          ? fmhac_emu_join_launches(d->device, fmhac_plan_launch_count(plan))
          : FMHAC_OK;
  if (status != FMHAC_OK)
    return status;
  emu_progress_begin(&d->progress);
  status = fmhac_launch(plan, d->device, &tensors,
                        (void *)(uintptr_t)d->workspace, NULL);
  emu_progress_end(&d->progress);
  return status;
}

fmhac_status run_device_launch(run_device *d, const fmhac_context *context,
                               const fmhac_plan *plan, run_data *data,
                               char error[ERROR_BYTES]) {
  fmhac_status launched = run_device_start(d, plan, data);
  if (launched != FMHAC_OK && launched != FMHAC_CHECK_FAILED) {
    snprintf(error, ERROR_BYTES, "%s", fmhac_last_error(context));
    return launched;
  }
  fmhac_status status = fmhac_rt_synchronize(d->device);
  d->seconds = seconds_now() - d->progress.started;
  if (status != FMHAC_OK)
    return fail(d, status, "waiting for the launch", error);
  for (int i = 0; i < BUFFER_COUNT && status == FMHAC_OK; ++i) {
    run_buffer *b = &data->buffers[i];
    if (b->bytes && b->is_output)
      status = fmhac_rt_copy_out(d->device, b->address, b->host, b->bytes);
  }
  if (status != FMHAC_OK)
    return fail(d, status, "copying the results back", error);
  if (launched == FMHAC_CHECK_FAILED)
    snprintf(error, ERROR_BYTES, "%s", fmhac_last_error(context));
  return launched;
}

cJSON *run_device_findings(const run_device *d) {
  return d->is_emu && d->device ? emu_findings(d->device) : cJSON_CreateArray();
}
