// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Figures of a part of a trace: the workgroup, a loop, or instructions by
/// their pc. A wave makes trips through a part, and the figures are those of a
/// trip, on average.
///
/// Time is the first wave's, as the timeline shows it: a trip lasts from the
/// end of the instruction before it to the end of its last one, so that the
/// stall before its first instruction counts and parts that follow one another
/// leave no time out.
#ifndef FMHAC_DRIVER_TRACE_PART_H
#define FMHAC_DRIVER_TRACE_PART_H

#include "trace.h"
#include "trace_ranges.h"

typedef struct trace_figures {
  uint64_t trips; ///< of the first wave; 0: the other figures are 0, too,
                  ///< but for `group_instructions`
  uint32_t waves; ///< of the workgroup that make one
  double cycles;  ///< of a trip
  double period;  ///< from the issue of a trip's first instruction to that of
                  ///< the next trip; 0: there is only one
  // Cycles of a trip in which units of the first wave's SIMD work, for
  // whichever wave. For the workgroup: of a SIMD, the mean of all.
  double matrix_cycles;                          ///< its matrix unit
  double vector_cycles;                          ///< its vector ALU
  double both_cycles;                            ///< both at once
  double matrix_share, vector_share, both_share; ///< of the cycles
  /// Instructions that the first wave issues in a trip.
  double wave_instructions[FMHAC_TIMING_MOST_CLASSES];
  /// The sum over the waves of the workgroup, each by its own trips.
  double group_instructions[FMHAC_TIMING_MOST_CLASSES];
  /// What the first wave waits for in a trip: the stalls of the timeline.
  double stalls[FMHAC_TIMING_MOST_CAUSES];
  /// Cycles of a SIMD by cause, as the model attributes them. They add up to
  /// `cycles`. Of the workgroup (the mean of the SIMDs) and of its main loop
  /// (the first wave's SIMD) only.
  double causes[FMHAC_TIMING_MOST_CAUSES];
  bool has_causes;
} trace_figures;

/// A loop of the first wave: the target of its jumps backwards. A trip lies
/// between two of them, with no other jump backwards in between.
typedef struct trace_loop {
  uint64_t pc;     ///< of the target
  uint64_t trips;  ///< at least 1
  uint64_t cycles; ///< of all trips
  uint64_t matrix_instructions;
} trace_loop;

enum { TRACE_LOOPS = 64 };
/// The loops of the first wave, those with most matrix instructions first, then
/// those with most cycles; TRACE_LOOPS at most. Returns their number.
size_t trace_loops(const trace *t, trace_loop out_loops[TRACE_LOOPS]);

// The figures of parts. False when memory is exhausted.
bool trace_workgroup_figures(const trace *t, trace_figures *out);
/// The loop at `pc`. If it is the workgroup's main loop, cycles and causes are
/// those of t->group.loop.
bool trace_loop_figures(const trace *t, uint64_t pc, trace_figures *out);
/// A trip begins when the wave comes from outside, or jumps backwards to the
/// range's first pc.
bool trace_range_figures(const trace *t, const trace_range *range,
                         trace_figures *out);

/// Makes the figures those of `count` trips.
void trace_figures_scale(trace_figures *f, double count);

/// SIMDs of the compute unit.
double trace_simds(const trace *t);

#endif // FMHAC_DRIVER_TRACE_PART_H
