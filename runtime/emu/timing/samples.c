// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The time of a grid from workgroups that were timed in several launches of it.
#include <math.h>
#include <stdlib.h>

#include "../launch.h"
#include "../module.h"
#include "float_environment.h"
#include "timing.h"

// As it was when it was timed, as far as the grid asks for it.
static emu_time_result result_of(const emu_timing *t,
                                 const fmhac_timing_workgroup *w) {
  const double all = (double)w->clk * t->k.simds;
  emu_time_result r = {
      .clk = w->clk,
      .matrix_clk = (uint64_t)llround(w->mfma_busy * all),
      .matrix8_clk = (uint64_t)llround(w->mfma8_busy * all),
      .resident = w->resident,
  };
  memcpy(r.id, w->id, sizeof r.id);
  return r;
}

static fmhac_status check(const emu_timing *t,
                          const fmhac_timing_workgroup *workgroups,
                          size_t count, char *text, size_t text_bytes) {
  for (size_t i = 0; i < count; i++) {
    const fmhac_timing_workgroup *w = &workgroups[i];
    bool inside = w->size == sizeof *w && w->resident;
    for (int d = 0; inside && d < 3; d++)
      inside = w->id[d] < t->grid[d];
    if (inside)
      continue;
    snprintf(text, text_bytes,
             "time of the grid: sample %zu of %zu is no workgroup of the last "
             "launch, whose grid is [%u,%u,%u]",
             i, count, t->grid[0], t->grid[1], t->grid[2]);
    return FMHAC_INVALID_INPUT;
  }
  return FMHAC_OK;
}

fmhac_status
fmhac_timing_extrapolate_from(fmhac_rt_device *device,
                              const fmhac_timing_workgroup *workgroups,
                              size_t count, fmhac_timing_grid *out) {
  if (!device || !out || out->size != sizeof *out || !workgroups)
    return FMHAC_INVALID_INPUT;
  memset(out, 0, sizeof *out);
  out->size = sizeof *out;
  const emu_result *last = emu_device_result(device);
  if (!last || !last->timing || !count)
    return fmhac_rt_fail(device, FMHAC_INVALID_INPUT, "time of the grid: %s",
                         count ? "the last launch was not timed, or did not end"
                               : "no workgroups are given");
  char text[FMHAC_RT_TEXT_BYTES];
  fenv_t caller;
  fmhac_float_begin(&caller);
  fmhac_status status =
      check(last->timing, workgroups, count, text, sizeof text);
  if (status == FMHAC_OK) {
    emu_timing timing = *last->timing;
    timing.count = count;
    timing.results = calloc(count, sizeof *timing.results);
    status = timing.results ? FMHAC_OK : FMHAC_OUT_OF_MEMORY;
    snprintf(text, sizeof text, "time of the grid: out of memory");
    for (size_t i = 0; timing.results && i < count; i++)
      timing.results[i] = result_of(&timing, &workgroups[i]);
    if (timing.results)
      status = emu_time_grid(&timing, text, sizeof text, out);
    free(timing.results);
  }
  fmhac_float_end(&caller);
  return status == FMHAC_OK ? status
                            : fmhac_rt_fail(device, status, "%s", text);
}
