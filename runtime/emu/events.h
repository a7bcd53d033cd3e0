// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Events of the "emu" device. Launches are over when they return, so an event
/// is the time of the model's clock when it is recorded.
#ifndef FMHAC_EMU_EVENTS_H
#define FMHAC_EMU_EVENTS_H

#include "launch.h"
#include "streams.h"

/// The model's clock: the time of all launches so far.
typedef struct emu_clock {
  double seconds;    ///< of timed launches
  uint64_t launches; ///< timed or not
  uint64_t untimed;
} emu_clock;

typedef struct emu_event {
  struct emu_event *next;
  bool is_recorded;
  emu_clock at;
  emu_stream_clock before; ///< what is over then
} emu_event;

/// Events of a device, and the clock, which runs only while the device has
/// events.
typedef struct emu_events {
  emu_event *first;
  emu_clock now;
} emu_events;

/// Adds a launch that is over, with `result`, to the clock.
void emu_events_launched(emu_events *events, const emu_result *result);
/// NULL: out of memory.
emu_event *emu_events_create(emu_events *events);
/// The link to the event in the list, or NULL.
emu_event **emu_events_find(emu_events *events, const void *event);
void emu_events_destroy(emu_event **at);
void emu_events_deinit(emu_events *events);
/// As fmhac_rt_event_elapsed(). Errors: INVALID_INPUT (not recorded),
/// UNSUPPORTED (a launch in between was not timed), with `text`.
fmhac_status emu_events_elapsed(const emu_event *start, const emu_event *end,
                                char *text, size_t text_bytes,
                                double *out_seconds);

#endif // FMHAC_EMU_EVENTS_H
