// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A workgroup as the cycle model of the emulator issued it: the data of the
/// timeline and the picture of `fmhac trace`. Times are cycles.
#ifndef FMHAC_DRIVER_TRACE_H
#define FMHAC_DRIVER_TRACE_H

#include <stdbool.h>

#include "files.h"
#include "fmhac_timing.h"

enum { TRACE_NAME_BYTES = 48, TRACE_SIMDS = 4 };

/// An instruction of the code.
typedef struct trace_insn {
  uint64_t pc;
  const char *text; ///< borrowed from the device
  char name[TRACE_NAME_BYTES];
  fmhac_emu_source_location place;
} trace_insn;

/// An instruction that a wave executed.
typedef struct trace_event {
  uint64_t ready, issue;
  uint64_t slice_end;  ///< the wave's time that is shown as its own, until here
  uint64_t start, end; ///< as in fmhac_timing_event
  uint32_t insn;       ///< of trace.insns
  uint32_t wave, simd;
  fmhac_timing_cause cause;
  fmhac_timing_class kind;
  bool unit_busy; ///< MFMA or packed: it waited for its SIMD's matrix unit
} trace_event;

/// A stall: time that a wave lost.
typedef struct trace_stall {
  uint64_t from, to;
  fmhac_timing_cause cause;
} trace_stall;

typedef struct trace {
  fmhac_rt_device *device; ///< borrowed
  fmhac_timing_workgroup group;
  uint32_t waves;     ///< of all residents, which follow each other
  uint32_t per_group; ///< of a workgroup
  uint64_t end;       ///< when everything is over
  trace_insn *insns;  ///< by pc
  size_t insn_count;
  trace_event *events; ///< in order of issue
  size_t count;
  size_t *by_wave;    ///< events, wave after wave
  size_t *wave_first; ///< in `by_wave`; one more than waves
  /// The times at which the first wave begins the iterations of group.loop, and
  /// one entry after the last whole one.
  uint64_t *iterations;
  size_t iteration_count;
} trace;

/// Reads the events of the device's last launch. False with a text if events
/// are missing. Call trace_deinit() in any case.
bool trace_read(fmhac_rt_device *device, trace *out_trace,
                char error[ERROR_BYTES]);
void trace_deinit(trace *t);

/// Event `i` of a wave, or NULL past its last one.
const trace_event *trace_wave_event(const trace *t, uint32_t wave, size_t i);

/// The stalls of the wave between event `i` and its previous one: at most two,
/// one after the other. Returns their number.
int trace_stalls(const trace *t, uint32_t wave, size_t i,
                 trace_stall out_stalls[2]);

/// The iterations that show the steady state: `count` of them, or all if there
/// are fewer, with about the usual length. False if the wave has no such
/// iteration.
bool trace_steady(const trace *t, uint64_t count, uint64_t *out_from,
                  uint64_t *out_to);

/// The counters of outstanding operations: vmcnt and lgkmcnt.
enum { TRACE_VM = 1u << 0, TRACE_LGKM = 1u << 1, TRACE_COUNTERS = 2 };
/// The counters that an instruction increments; a set.
unsigned trace_counters_of(const trace *t, const trace_event *e);

#endif // FMHAC_DRIVER_TRACE_H
