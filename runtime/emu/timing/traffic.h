// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What comes from beyond L2. Each XCD has an L2 of its own, and MALL is in
/// front of HBM. Whether a line is in L2 depends on the other workgroups of the
/// XCD, and so on the order of the grid. The timed workgroups leave the lines
/// that they ask L2 for, in order (a stream). The others of a part of the grid
/// run only until they have used each buffer that they load from: their streams
/// are taken to be that of the nearest timed workgroup, moved by the distance
/// of the first lines. All of them then go through the caches, dealt as the
/// hardware deals workgroups.
#ifndef FMHAC_EMU_TRAFFIC_H
#define FMHAC_EMU_TRAFFIC_H

#include "timing.h"

/// The requests of a stream for one buffer.
typedef struct emu_traffic_part {
  uint32_t buffer;
  uint32_t wave;  ///< the first one that loads from it
  uint32_t first; ///< line that this wave loads first
  uint32_t count;
  uint32_t *lines;     ///< in order; allocated with `positions`
  uint32_t *positions; ///< of each among all requests
} emu_traffic_part;

/// The requests of a workgroup for L2.
struct emu_traffic_stream {
  uint32_t id[3];
  uint64_t cycles; ///< of the workgroup; 0: the stream is empty
  double l2_bytes; ///< of one workgroup, for which this stands
  /// All requests, and loads that are in `lines` or would be, if all fitted.
  uint64_t asked_lines, load_lines;
  uint64_t stored_lines; ///< lines that are stored to
  double weight;         ///< loads that each of `lines` stands for
  uint32_t *lines;       ///< in order, until they are parted
  uint16_t *buffers;
  size_t count, capacity;
  bool full, failed; ///< has as many requests as it takes; out of memory
  emu_traffic_part *parts;
  uint32_t part_count;
};

/// The next line that is loaded, and that the vector cache does not have.
void emu_traffic_load(emu_traffic_stream *stream, uint32_t line,
                      uint32_t buffer);
/// So many lines are asked for that the vector cache does not have, loads and
/// stores; so many calls of emu_traffic_load() were among them.
static inline void emu_traffic_ask(emu_traffic_stream *stream, uint32_t lines,
                                   uint32_t loads) {
  stream->asked_lines += lines;
  stream->load_lines += loads;
}
/// A line is stored to for the first time.
static inline void emu_traffic_store(emu_traffic_stream *stream) {
  stream->stored_lines++;
}
/// The workgroup is over: it and its copies on the compute unit have made these
/// requests together. False if out of memory.
bool emu_traffic_end(emu_traffic_stream *stream, const emu_timing *timing,
                     const emu_workgroup *wg, uint64_t cycles);
void emu_traffic_deinit(emu_traffic_stream *stream);

/// emu_time_first_line() of a buffer of the launch.
static inline uint32_t emu_traffic_first(const emu_timing *t,
                                         const emu_time_record *record,
                                         uint32_t buffer, size_t *looked) {
  return emu_time_first_line(record, t->first_lines[buffer],
                             t->first_lines[buffer + 1], looked);
}

/// The timed workgroup that is nearest to `id` and has a stream; NULL: none.
const emu_traffic_stream *emu_traffic_nearest(const emu_timing *timing,
                                              const uint32_t id[3]);

/// Not a line: the workgroup is over and has not used the buffer.
#define EMU_UNUSED (UINT32_MAX - 1)

/// A workgroup of the part of the grid that is looked at.
typedef struct emu_traffic_workgroup {
  uint64_t linear;                  ///< its number in the grid
  const emu_traffic_stream *stream; ///< of the nearest one; NULL: none
  /// Of each part of the stream; EMU_NO_LINE: it has not been reached, and the
  /// lines count as its own; or EMU_UNUSED.
  uint32_t *first;
} emu_traffic_workgroup;

/// Workgroups `begin` to `end` - 1 of the grid.
typedef struct emu_traffic_window {
  uint64_t begin, end;
} emu_traffic_window;

enum { EMU_TRAFFIC_WINDOWS = 2 };
/// The parts of a grid that are looked at: all of a small one; of another one
/// its beginning and a part from the middle. Returns how many.
uint32_t emu_traffic_windows(const emu_timing *timing,
                             emu_traffic_window out[EMU_TRAFFIC_WINDOWS]);

/// Sends the workgroups through the caches, window after window, and sets
/// `out`. `list` holds the workgroups of all windows in their order. False if
/// out of memory.
bool emu_traffic_replay(const emu_timing *timing,
                        const emu_traffic_workgroup *list,
                        const emu_traffic_window *windows, uint32_t count,
                        emu_traffic *out);

#endif // FMHAC_EMU_TRAFFIC_H
