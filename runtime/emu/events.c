// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "events.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "float_environment.h"
#include "timing.h"

void emu_events_launched(emu_events *events, const emu_result *result) {
  char text[256]; // not shown: a launch without a grid is untimed
  fmhac_timing_grid grid = {0};
  fenv_t caller;
  if (!events->first)
    return;
  events->now.launches++;
  fmhac_float_begin(&caller);
  if (result->timing &&
      emu_time_grid(result->timing, text, sizeof text, &grid) == FMHAC_OK)
    events->now.seconds += grid.seconds;
  else
    events->now.untimed++;
  fmhac_float_end(&caller);
}

emu_event *emu_events_create(emu_events *events) {
  emu_event *event = calloc(1, sizeof *event);
  if (!event)
    return NULL;
  event->next = events->first;
  events->first = event;
  return event;
}

emu_event **emu_events_find(emu_events *events, const void *event) {
  emu_event **at = &events->first;
  while (*at && *at != event)
    at = &(*at)->next;
  return *at ? at : NULL;
}

void emu_events_destroy(emu_event **at) {
  emu_event *event = *at;
  *at = event->next;
  free(event->before.done);
  free(event);
}

void emu_events_deinit(emu_events *events) {
  while (events->first)
    emu_events_destroy(&events->first);
}

fmhac_status emu_events_elapsed(const emu_event *start, const emu_event *end,
                                char *text, size_t text_bytes,
                                double *out_seconds) {
  const bool is_backward = end->at.launches < start->at.launches;
  const emu_clock *first = is_backward ? &end->at : &start->at;
  const emu_clock *last = is_backward ? &start->at : &end->at;
  if (!start->is_recorded || !end->is_recorded) {
    snprintf(text, text_bytes,
             "time between events: the %s one has not been recorded",
             start->is_recorded ? "second" : "first");
    return FMHAC_INVALID_INPUT;
  }
  if (last->untimed != first->untimed) {
    snprintf(text, text_bytes,
             "time between events: %" PRIu64 " of the %" PRIu64
             " launches in between were not timed, and the emulator has the "
             "time of its cycle model only; set fmhac_emu_options.timing, and "
             "launch whole grids",
             last->untimed - first->untimed, last->launches - first->launches);
    return FMHAC_UNSUPPORTED;
  }
  *out_seconds = end->at.seconds - start->at.seconds;
  return FMHAC_OK;
}
