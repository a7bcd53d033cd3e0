// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs one kernel launch: distributes the workgroups over host threads; the
/// waves of a workgroup take turns.
#ifndef FMHAC_EMU_LAUNCH_H
#define FMHAC_EMU_LAUNCH_H

#include "fmhac_rt.h"
#include "told.h"
#include "traffic.h"
#include "wave.h"

/// The streams of timed workgroups of the last launches, as far as these were
/// of one kernel and had the same sizes, arguments and buffers. What buffers
/// hold may have changed.
typedef struct emu_known_traffic {
  const emu_kernel *kernel; ///< NULL: none
  uint32_t grid[3], block[3], lds_bytes, resident, held;
  uint8_t *kernarg; ///< owned, as the fields below
  uint32_t kernarg_bytes;
  uint32_t *first_lines;
  size_t buffer_count;
  emu_traffic_stream *streams;
  size_t count;
} emu_known_traffic;

/// Forgets them.
void emu_known_traffic_clear(emu_known_traffic *known);

/// Results of a launch beside memory.
typedef struct emu_result {
  emu_findings findings;
  fmhac_emu_stats stats;
  struct emu_timing *timing; ///< NULL: not timed, or it failed early
  emu_known_traffic known;   ///< read and renewed
  emu_time_told told;        ///< read
  struct emu_streams *streams; ///< order of launches; NULL: one after the other
  uint32_t work;               ///< the launch, for emu_streams_compare()
} emu_result;

/// Executes `launch` on `module`, on a part with these constants. `ids` (may be
/// NULL) restricts the launch to `id_count` workgroups. Findings and figures go
/// to `result`, whatever the status. Errors: INVALID_INPUT, UNSUPPORTED (more
/// work-items than the emulator takes), LAUNCH_FAILED (unknown instruction,
/// fault, deadlock, budget), CHECK_FAILED, OUT_OF_MEMORY, each with `text`.
fmhac_status emu_launch_run(emu_space *space, emu_module *module,
                            const fmhac_rt_launch *launch,
                            const fmhac_emu_options *options,
                            const emu_time_constants *constants,
                            const uint32_t (*ids)[3], size_t id_count,
                            char *text, size_t text_bytes, emu_result *result);

/// State for running workgroups of a launch one after the other (workgroup.c),
/// with the state of each enabled check. NULL if out of memory.
emu_workgroup *emu_workgroup_create(const emu_launch *launch);
/// NULL is allowed.
void emu_workgroup_destroy(emu_workgroup *wg);

/// Why a workgroup no longer runs.
typedef enum emu_run {
  EMU_RUN_ENDED,
  EMU_RUN_FAILED,   ///< wg->fault says why
  EMU_RUN_WAITS,    ///< all of its waves spin, have ended or are at a barrier
  EMU_RUN_GIVES_WAY ///< it has the old value of an atomic, and can go on
} emu_run;

/// Runs the waves of a workgroup until all have ended, one has a fault, the
/// budget is used up, or another workgroup is to run (sched.c).
emu_run emu_workgroup_run(emu_workgroup *wg);
/// Describes the waves of a workgroup that waits, a line each, what each polls
/// included.
void emu_workgroup_describe(const emu_workgroup *wg, const char *head,
                            char *text, size_t text_bytes);

/// Runs all workgroups of a launch (dispatch.c).
typedef struct emu_dispatched {
  emu_findings findings; ///< found before; those of this launch are added
  uint64_t done, instructions, matrix_instructions;
  bool stopped;     ///< not all have run
  int status;       ///< OUT_OF_MEMORY of a thread, or 0
  char fault[2048]; ///< of the first workgroup that could not go on, or ""
} emu_dispatched;
void emu_dispatch(const emu_launch *launch, uint64_t total, emu_dispatched *io);

/// Runs a workgroup until `go_on` says false of the next instruction of a wave,
/// or it cannot go on. It is asked before each instruction (sched.c).
void emu_workgroup_begin(emu_workgroup *wg,
                         bool (*go_on)(void *user, emu_wave *wave), void *user);

/// Sets launch->timing->traffic (find_traffic.c). Streams of launches before
/// that are `known` to be of the same launch count, too, if this one has not
/// all workgroups of the grid; `known` takes the new ones. Memory stays as it
/// is. False if out of memory.
bool emu_launch_find_traffic(const emu_launch *launch,
                             emu_known_traffic *known);

/// Prepares the state for the workgroup wg->id (workgroup.c).
void emu_workgroup_start(emu_workgroup *wg);

#endif // FMHAC_EMU_LAUNCH_H
