// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Time on the "emu" device: a cycle model of a gfx950 compute unit, driven by
/// the instructions that the emulator executes. It never changes a result.
/// Times of kernels that the model was not fitted on come with an interval; see
/// fmhac_timing_grid.
#ifndef FMHAC_TIMING_H
#define FMHAC_TIMING_H

#include "fmhac_emu.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Lengths of arrays that the enumerations below index. They are longer than
/// the enumerations, so that a new member moves nothing. Elements without a
/// member are 0.
#define FMHAC_TIMING_MOST_CAUSES 32
#define FMHAC_TIMING_MOST_CLASSES 32

/// Attribution of SIMD cycles. Each cycle has one cause: the busiest unit in
/// this order, or, when nothing runs, what the next wave to issue was waiting
/// for.
typedef enum fmhac_timing_cause {
  FMHAC_TIMING_MFMA,     ///< its matrix unit runs
  FMHAC_TIMING_VALU,     ///< vector ALU, or waiting for its result, while the
                         ///< matrix unit is idle
  FMHAC_TIMING_TRANS,    ///< likewise, transcendental
  FMHAC_TIMING_ISSUE,    ///< scalar, memory, s_nop and others; waiting for code
  FMHAC_TIMING_RESULT,   ///< waits for D of a matrix instruction
  FMHAC_TIMING_LDS_WAIT, ///< s_waitcnt lgkmcnt
  FMHAC_TIMING_LDS_FULL, ///< the queue of LDS is full
  FMHAC_TIMING_VMEM_WAIT, ///< s_waitcnt vmcnt
  FMHAC_TIMING_VMEM_FULL, ///< the queue of vector memory is full
  FMHAC_TIMING_BARRIER,   ///< waits for other waves
  FMHAC_TIMING_BRANCH,    ///< a branch's target
  FMHAC_TIMING_LAUNCH,    ///< waves start
  FMHAC_TIMING_IDLE       ///< its waves are over
} fmhac_timing_cause;

/// Its name: "mfma", "valu", …; NULL past the end.
FMHAC_API const char *fmhac_timing_cause_name(fmhac_timing_cause cause);

/// The class of an instruction in the model.
typedef enum fmhac_timing_class {
  FMHAC_TIMING_CLASS_MFMA,
  FMHAC_TIMING_CLASS_VALU,
  FMHAC_TIMING_CLASS_PACKED, ///< packed f32
  FMHAC_TIMING_CLASS_TRANS,
  FMHAC_TIMING_CLASS_LDS,
  FMHAC_TIMING_CLASS_VMEM,
  FMHAC_TIMING_CLASS_SCALAR,
  FMHAC_TIMING_CLASS_WAIT,
  FMHAC_TIMING_CLASS_BARRIER,
  FMHAC_TIMING_CLASS_OTHER
} fmhac_timing_class;

/// Its name: "mfma", "valu", …; NULL past the end.
FMHAC_API const char *fmhac_timing_class_name(fmhac_timing_class kind);

/// The loop of a workgroup with the most matrix instructions, as its first wave
/// and that wave's SIMD saw it. This struct never changes.
typedef struct fmhac_timing_loop {
  uint64_t pc;         ///< of its first instruction, from the kernel's entry
  uint64_t iterations; ///< complete ones; 0: the kernel has no loop
  double cycles;       ///< of an iteration
  double causes[FMHAC_TIMING_MOST_CAUSES]; ///< of `cycles`
} fmhac_timing_loop;

/// The time of one workgroup of the last launch.
typedef struct fmhac_timing_workgroup {
  size_t size; ///< sizeof(fmhac_timing_workgroup), set by the caller
  uint32_t id[3];
  uint32_t resident;     ///< workgroups that share the compute unit
  uint64_t cycles;       ///< from its first wave's start to its last one's end
  uint64_t instructions; ///< wave instructions
  double mfma_busy;      ///< share of the SIMDs' cycles
  double mfma8_busy;     ///< with operands of 8 bits and less
  uint64_t causes[FMHAC_TIMING_MOST_CAUSES]; ///< SIMD-cycles of the four SIMDs
  fmhac_timing_loop loop;
  double mfma_f16_busy; ///< with operands of f16
  /// Share of the SIMDs' cycles of issue to the vector ALU, whether or not the
  /// matrix unit works at the same time.
  double valu_busy;
  double l2_bytes; ///< that its vector cache asks L2 for
  /// From memory beyond L2; a buffer that workgroups share counts once for all.
  double far_bytes;
  /// Of `cycles`, those in which a SIMD waits for memory beyond L2, on average.
  /// Their time stays the same at another clock of the compute units.
  double memory_wait_cycles;
  double in_mall; ///< of `far_bytes`, the share that launches before left there
} fmhac_timing_workgroup;

/// Workgroups of the last launch that were timed.
FMHAC_API size_t fmhac_timing_workgroup_count(const fmhac_rt_device *device);
/// In the order of the launch. Errors: INVALID_INPUT (no such workgroup, or the
/// launch was not timed).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_timing_get_workgroup(const fmhac_rt_device *device, size_t index,
                           fmhac_timing_workgroup *out_workgroup);

/// The time of a whole grid.
typedef struct fmhac_timing_grid {
  size_t size;         ///< sizeof(fmhac_timing_grid), set by the caller
  uint64_t workgroups; ///< of the grid
  uint64_t sampled;    ///< workgroups timed; the others are interpolated
  double cycles;       ///< from the first workgroup's start to the last end
  double mfma_busy;    ///< share of all SIMDs' cycles
  double mfma8_busy;   ///< with operands of 8 bits and less
  double clock_ghz;    ///< of the part under this load
  double seconds;      ///< cycles at that clock, and the launch
  double seconds_low, seconds_high; ///< interval; see docs/timing.md
  double
      tail; ///< share of the compute units' cycles after their last workgroup
  double mfma_f16_busy; ///< with operands of f16
  double valu_busy;     ///< as in fmhac_timing_workgroup
  double l2_bytes;      ///< of all workgroups, from L2
  double far_bytes;     ///< from beyond L2
  /// As `seconds`, on a part that was idle before: its clock is higher for some
  /// launches (constant clock_cool_ratio). `seconds` is of a part under load.
  double seconds_cool;
  /// Of `far_bytes`, those from beyond MALL. Both depend on the order of the
  /// grid: they are of a part of it that was sent through the L2 of each XCD.
  /// Of kernels that take their work from a queue both are the sum over
  /// workgroups.
  double hbm_bytes;
} fmhac_timing_grid;

/// Computes the time of the whole grid on all compute units of the part from
/// the timed workgroups of the last launch. The time of a workgroup that was
/// not executed is interpolated between samples along each axis. Errors:
/// INVALID_INPUT (nothing was timed, the samples are no lattice, or the grid
/// has more than 2^26 workgroups), OUT_OF_MEMORY.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_timing_extrapolate(fmhac_rt_device *device, fmhac_timing_grid *out_grid);

/// The same from workgroups that were timed in several launches of one kernel
/// with one grid; the last of these launches is the device's last launch. A
/// caller can so choose the next sample by the results so far, and execute
/// nothing twice. From a caller whose struct ends at `loop`, the clock knows no
/// f16 and no vector load, and nothing is limited by bytes. Errors:
/// INVALID_INPUT (a workgroup is outside that grid, a workgroup occurs twice,
/// or the workgroups are no lattice), OUT_OF_MEMORY.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_timing_extrapolate_from(
    fmhac_rt_device *device, const fmhac_timing_workgroup *workgroups,
    size_t count, fmhac_timing_grid *out_grid);

/// Of later launches: each workgroup that is timed stands for `workgroups` in
/// all that use as many lines of each buffer as it does; 0, as at first: for
/// those of the grid. How often a line is used decides who pays for bringing it
/// from memory. For persistent workgroups, where a launch has a few of the
/// items, or each its own lines: no L2 is replayed, as which lines others use
/// does not follow from the first ones. Errors: INVALID_INPUT (below 0, or not
/// finite).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_timing_stand_for(fmhac_rt_device *device, double workgroups);

/// Of later launches: `workgroups` of the grid have something to do, and the
/// others are over as soon as they begin; 0, as at first, or more than there
/// are: all have. So many share the compute units and the memory beyond L2. For
/// persistent workgroups, some with an empty list. A timed workgroup's
/// `resident` counts those that have something to do. Errors: NULL
/// device.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_timing_busy(fmhac_rt_device *device,
                                                        uint64_t workgroups);

/// Of later launches: `workgroups` count at the same place at the same time, by
/// atomics of one lane; 0, as at first, or more than begin together: all that
/// do, as at the counter of a queue. For workgroups that meet in groups, each at
/// a counter of its own. Errors: NULL device.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_timing_meet(fmhac_rt_device *device,
                                                        uint64_t workgroups);

/// Of later launches: workgroups are timed at a clock of `ghz`, in whose cycles
/// memory takes its time; 0, as at first: at the clock that their work makes it.
/// So that cycles of two launches differ by what these do. The time of the grid
/// keeps the clock of the model. Errors: INVALID_INPUT (below 0, or not finite).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_timing_clock(fmhac_rt_device *device, double ghz);

/// Of later launches: the buffer that has `address` was written so lately that
/// MALL has it, and a line comes from there; 0, as at first, or an address of no
/// buffer: none was. For what workgroups of a launch leave for others of it.
/// Errors: NULL device.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_timing_recent(fmhac_rt_device *device, uint64_t address);

/// A constant of the model.
typedef struct fmhac_timing_constant {
  size_t size; ///< sizeof(fmhac_timing_constant), set by the caller
  const char *name;
  double value;
  const char *unit;
  const char *status; ///< "documented", "measured", "fitted" or "assumed"
  const char *source;
} fmhac_timing_constant;

/// Number of constants: indices from 0, in the order of the table.
FMHAC_API size_t fmhac_timing_constant_count(void);
/// Errors: INVALID_INPUT. Strings are constants.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_timing_get_constant(size_t index, fmhac_timing_constant *out_constant);

/// Banks of LDS, of 4 bytes each.
#define FMHAC_TIMING_BANKS 64

/// An instruction of the first timed workgroup of the last launch as the model
/// issued it.
typedef struct fmhac_timing_event {
  size_t size;   ///< sizeof(fmhac_timing_event), set by the caller
  uint32_t wave; ///< of the workgroup; those of other residents follow
  uint32_t simd;
  uint64_t ready; ///< cycle at which it could have issued without `cause`
  uint64_t issue; ///< cycle at which it issued
  uint64_t end;   ///< cycle at which its unit is free; of loads, at which the
                  ///< data has arrived
  fmhac_timing_cause cause;
  fmhac_timing_class kind;
  uint64_t pc; ///< from the kernel's entry; see fmhac_emu_get_listing()
  // Of LDS instructions; 0 for others and for exchanges between lanes.
  uint32_t lds_cycles;       ///< for which the LDS array is busy
  uint32_t lds_least_cycles; ///< that it would take without bank conflicts
  /// For each bank, the most different words that lanes access in one phase; 1
  /// is free of conflicts. Some accesses use 32 banks only: the first ones.
  uint8_t lds_words[FMHAC_TIMING_BANKS];
  /// Cycle from which its unit works on it: `issue`, but of a matrix
  /// instruction that waits for the unit after its issue.
  uint64_t start;
} fmhac_timing_event;

/// Events that were kept (fmhac_emu_options.timing_events).
FMHAC_API size_t fmhac_timing_event_count(const fmhac_rt_device *device);
/// In order of issue. Errors: INVALID_INPUT.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_timing_get_event(
    const fmhac_rt_device *device, size_t index, fmhac_timing_event *out_event);

//===-- Costs of instructions, without running them -----------------------===//

/// The costs of the instructions of a kernel. Nothing is executed.
typedef struct fmhac_timing_survey fmhac_timing_survey;

/// Surveys the instructions that are reachable from the entry of a kernel of a
/// gfx950 code object; with indirect jumps, all instructions after the entry.
/// `constants` is as in fmhac_emu_options, or NULL.
/// `text` receives the reason of a failure; may be NULL. Errors: INVALID_INPUT
/// (no gfx950 code object, no such kernel, constants), OUT_OF_MEMORY, INTERNAL.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_timing_survey_create(
    const void *code_object, size_t bytes, const char *kernel,
    const char *constants, char *text, size_t text_bytes,
    fmhac_timing_survey **out_survey);
/// NULL is allowed.
FMHAC_API void fmhac_timing_survey_destroy(fmhac_timing_survey *survey);

/// The cost of an instruction of one wave when nothing else runs. For memory
/// instructions the lanes' addresses are taken as consecutive: no bank
/// conflicts, and the fewest lines.
typedef struct fmhac_timing_cost {
  size_t size; ///< sizeof(fmhac_timing_cost), set by the caller
  uint64_t pc; ///< from the kernel's entry
  fmhac_timing_class kind;
  /// The largest of the next two and of the pause that its wave must make.
  uint32_t cycles;
  /// Its SIMD's vector or memory port is busy; for LDS also the port that two
  /// SIMDs share.
  uint32_t port_cycles;
  uint32_t matrix_cycles;  ///< its SIMD's matrix unit is busy
  uint64_t flops;          ///< of a matrix instruction: 2 M N K
  uint32_t lds_bytes;      ///< to or from LDS, of all lanes
  uint32_t lds_cycles;     ///< LDS of the compute unit is busy
  uint32_t lds_bus_cycles; ///< the bus that two SIMDs share is busy
  uint32_t vmem_bytes;     ///< of vector memory, of all lanes
  uint32_t vmem_cycles;    ///< the compute unit's vector cache is busy
} fmhac_timing_cost;

/// Number of instructions. Instructions that the emulator does not know are
/// left out.
FMHAC_API size_t
fmhac_timing_survey_cost_count(const fmhac_timing_survey *survey);
/// By pc. Errors: INVALID_INPUT.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_timing_survey_get_cost(const fmhac_timing_survey *survey, size_t index,
                             fmhac_timing_cost *out_cost);

#ifdef __cplusplus
}
#endif
#endif // FMHAC_TIMING_H
