// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The time of a grid from workgroups that were timed in several launches.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "emu_device.h"
#include "float_environment.h"
#include "sized_struct.h"

// Converts a workgroup back to the model's form: the fields that the grid
// needs.
static emu_time_result result_of(const emu_timing *t,
                                 const fmhac_timing_workgroup *w) {
  const double all = (double)w->cycles * t->k.simds;
  emu_time_result r = {
      .cycles = w->cycles,
      .matrix_cycles =
          {[EMU_OPERANDS_WIDE] = (uint64_t)llround(
               fmax(0, w->mfma_busy - w->mfma_f16_busy - w->mfma8_busy) * all),
           [EMU_OPERANDS_F16] = (uint64_t)llround(w->mfma_f16_busy * all),
           [EMU_OPERANDS_NARROW] = (uint64_t)llround(w->mfma8_busy * all)},
      .vector_cycles = (uint64_t)llround(w->valu_busy * all),
      .l2_bytes = w->l2_bytes * w->resident,
      .far_bytes = w->far_bytes,
      .wait_cycles = w->memory_wait_cycles,
      .in_mall = w->in_mall,
      .resident = w->resident,
  };
  memcpy(r.id, w->id, sizeof r.id);
  return r;
}

// Sample `i` of the caller's array, whose elements have the size that the first
// one gives. `out` is a workgroup of the timing's grid.
static fmhac_status take(const emu_timing *t,
                         const fmhac_timing_workgroup *workgroups, size_t i,
                         size_t count, char *text, size_t text_bytes,
                         emu_time_result *out) {
  fmhac_timing_workgroup w;
  const char *at = (const char *)workgroups + i * workgroups->size;
  char why[256];
  fmhac_status status = fmhac_struct_in(
      &w, sizeof w, FMHAC_SIZE_THROUGH(fmhac_timing_workgroup, loop), at,
      "fmhac_timing_workgroup", why, sizeof why);
  if (status != FMHAC_OK) {
    snprintf(text, text_bytes, "time of the grid: sample %zu of %zu: %s", i,
             count, why);
    return status;
  }
  bool inside = w.resident != 0;
  for (int d = 0; inside && d < 3; d++)
    inside = w.id[d] < t->grid[d];
  if (!inside) {
    snprintf(text, text_bytes,
             "time of the grid: sample %zu of %zu is no workgroup of the last "
             "launch, whose grid is [%u,%u,%u]",
             i, count, t->grid[0], t->grid[1], t->grid[2]);
    return FMHAC_INVALID_INPUT;
  }
  *out = result_of(t, &w);
  return FMHAC_OK;
}

static fmhac_status extrapolate(const emu_timing *last,
                                const fmhac_timing_workgroup *workgroups,
                                size_t count, char *text, size_t text_bytes,
                                fmhac_timing_grid *out) {
  emu_timing timing = *last;
  timing.count = count;
  timing.results = calloc(count, sizeof *timing.results);
  if (!timing.results) {
    snprintf(text, text_bytes, "time of the grid: out of memory");
    return FMHAC_OUT_OF_MEMORY;
  }
  fmhac_status status = FMHAC_OK;
  for (size_t i = 0; status == FMHAC_OK && i < count; i++)
    status = take(&timing, workgroups, i, count, text, text_bytes,
                  &timing.results[i]);
  if (status == FMHAC_OK)
    status = emu_time_grid(&timing, text, text_bytes, out);
  free(timing.results);
  return status;
}

/// What the model is told of later launches, for the caller to set until
/// fmhac_rt_unlock_if_serial(). NULL, with the status, if there is no device or
/// `number` is below 0 or not finite.
static emu_time_told *told_of(fmhac_rt_device *device, const char *call,
                              double number, fmhac_status *out_status) {
  *out_status = emu_device_need(device, call, "device", device);
  if (*out_status != FMHAC_OK)
    return NULL;
  fmhac_rt_clear_error(device);
  if (!isfinite(number) || number < 0) {
    *out_status =
        fmhac_rt_fail(device, FMHAC_INVALID_INPUT,
                      "%s: expected 0 or more, found %g", call, number);
    return NULL;
  }
  fmhac_rt_lock_if_serial(device);
  return &emu_self(device)->result.told;
}

fmhac_status fmhac_timing_stand_for(fmhac_rt_device *device,
                                    double workgroups) {
  fmhac_status status;
  emu_time_told *told = told_of(
      device, "workgroups that a timed one stands for", workgroups, &status);
  if (!told)
    return status;
  told->stands_for = workgroups;
  return fmhac_rt_unlock_if_serial(device, FMHAC_OK);
}

fmhac_status fmhac_timing_busy(fmhac_rt_device *device, uint64_t workgroups) {
  fmhac_status status;
  emu_time_told *told =
      told_of(device, "workgroups that have something to do", 0, &status);
  if (!told)
    return status;
  told->busy = workgroups;
  return fmhac_rt_unlock_if_serial(device, FMHAC_OK);
}

fmhac_status fmhac_timing_meet(fmhac_rt_device *device, uint64_t workgroups) {
  fmhac_status status;
  emu_time_told *told =
      told_of(device, "workgroups that meet at a counter", 0, &status);
  if (!told)
    return status;
  told->meeting = workgroups;
  return fmhac_rt_unlock_if_serial(device, FMHAC_OK);
}

fmhac_status fmhac_timing_clock(fmhac_rt_device *device, double ghz) {
  fmhac_status status;
  emu_time_told *told =
      told_of(device, "the clock of timed workgroups, in GHz", ghz, &status);
  if (!told)
    return status;
  told->clock_ghz = ghz;
  return fmhac_rt_unlock_if_serial(device, FMHAC_OK);
}

fmhac_status fmhac_timing_recent(fmhac_rt_device *device, uint64_t address) {
  fmhac_status status;
  emu_time_told *told =
      told_of(device, "a buffer that was just written", 0, &status);
  if (!told)
    return status;
  told->recent = address;
  return fmhac_rt_unlock_if_serial(device, FMHAC_OK);
}

fmhac_status
fmhac_timing_extrapolate_from(fmhac_rt_device *device,
                              const fmhac_timing_workgroup *workgroups,
                              size_t count, fmhac_timing_grid *out) {
  fmhac_timing_grid grid = {0};
  fmhac_status status =
      emu_device_need(device, "time of the grid", "workgroups", workgroups);
  if (status == FMHAC_OK)
    status = fmhac_rt_need(device, "time of the grid", "out_grid", out);
  if (status == FMHAC_OK)
    status = FMHAC_RT_STRUCT_OUT(device, "time of the grid", out, &grid,
                                 fmhac_timing_grid, tail);
  if (status != FMHAC_OK)
    return status;
  const emu_result *last = emu_device_result(device);
  if (!last->timing || !count)
    return fmhac_rt_fail(device, FMHAC_INVALID_INPUT, "time of the grid: %s",
                         count ? "the last launch was not timed, or did not end"
                               : "no workgroups are given");
  char text[FMHAC_RT_TEXT_BYTES];
  fenv_t caller;
  fmhac_float_begin(&caller);
  status =
      extrapolate(last->timing, workgroups, count, text, sizeof text, &grid);
  fmhac_float_end(&caller);
  return status == FMHAC_OK
             ? FMHAC_RT_STRUCT_OUT(device, "time of the grid", out, &grid,
                                   fmhac_timing_grid, tail)
             : fmhac_rt_fail(device, status, "%s", text);
}
