// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the "emu" device offers beyond fmhac_rt.h: checks and their findings,
/// wave schedules, landing times, named and placed buffers, parts of a grid.
/// All calls that take a device answer INVALID_INPUT on one of another kind.
/// fmhac_audit.h has what needs no device.
#ifndef FMHAC_EMU_H
#define FMHAC_EMU_H

#include "fmhac_audit.h"
#include "fmhac_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Order in which the waves of a workgroup take turns.
typedef enum fmhac_emu_sched {
  FMHAC_EMU_SCHED_ROUND_ROBIN,   ///< `quantum` instructions a turn (default 4)
  FMHAC_EMU_SCHED_UNTIL_BLOCKED, ///< to the next barrier or the end
  FMHAC_EMU_SCHED_RANDOM         ///< seeded
} fmhac_emu_sched;

/// When the data of outstanding memory operations arrives. Default: loads
/// direct to LDS land at the covering s_waitcnt vmcnt; vector loads into
/// registers there, or 64 instructions of the wave after their issue if that is
/// sooner; LDS reads and scalar loads at issue.
typedef enum fmhac_emu_landing {
  FMHAC_EMU_LANDING_DEFAULT,
  FMHAC_EMU_LANDING_EARLY,  ///< everything at issue
  FMHAC_EMU_LANDING_LATE,   ///< everything at the covering wait
  FMHAC_EMU_LANDING_RANDOM, ///< seeded, between issue and covering wait
  /// As the default, but all vector loads land `landing_instructions` and LDS
  /// reads `landing_lds_instructions` (0: at once) instructions after their
  /// issue if that is sooner than their wait.
  FMHAC_EMU_LANDING_AFTER
} fmhac_emu_landing;

/// Which addresses FMHAC_EMU_CHECK_MEM takes for misaligned. Results are the
/// same: what is misaligned is done byte by byte.
typedef enum fmhac_emu_alignment {
  /// Those that hardware cannot do in the access mode that ROCm sets, in which
  /// loads and stores may lie anywhere: atomics, transposing LDS reads, scalar
  /// accesses, M0 of global loads direct to LDS.
  FMHAC_EMU_ALIGNMENT_HARDWARE,
  /// And those that are no multiple of the size of the access: slower, and
  /// wrong in the other access modes.
  FMHAC_EMU_ALIGNMENT_NATURAL
} fmhac_emu_alignment;

/// How vector memory instructions use buffer descriptors. Findings are those of
/// FMHAC_EMU_CHECK_MEM.
typedef enum fmhac_emu_descriptors {
  /// As the CDNA4 ISA says: what num_records admits is accessed.
  FMHAC_EMU_DESCRIPTORS_EXACT,
  /// The same, and all of [base, base + num_records) must be mapped, whether
  /// accessed or not, as is reported of gfx950: else a finding.
  FMHAC_EMU_DESCRIPTORS_MAPPED,
  /// Addresses are the high half of the base above the low 32 bits of base +
  /// offset: the carry is lost, and each loss is a finding.
  FMHAC_EMU_DESCRIPTORS_CARRY
} fmhac_emu_descriptors;

/// Where buffers lie that ask for no address.
typedef enum fmhac_emu_placement {
  FMHAC_EMU_PLACEMENT_DEFAULT, ///< one after the other, with gaps
  /// Each with a multiple of 2^32 inside, a little before its middle (of up to
  /// 512 bytes: after its end), at multiples of 512 bytes, and as a rule with
  /// nothing 4 GiB below what lies above it.
  FMHAC_EMU_PLACEMENT_ADVERSARIAL
} fmhac_emu_placement;

/// What instructions do that come sooner after another than gfx950 allows.
/// Findings are those of FMHAC_EMU_CHECK_HAZARD, in both.
typedef enum fmhac_emu_hazards {
  FMHAC_EMU_HAZARDS_REPORT, ///< what they do where wait states suffice
  /// What hardware does: a read that comes too early gets what the register
  /// held before, a store whose data is overwritten too early writes the later
  /// value of all dwords but the first. Slower. Of rules for which no source
  /// says what happens, as with REPORT.
  FMHAC_EMU_HAZARDS_EFFECT
} fmhac_emu_hazards;

/// The most host threads of a launch.
#define FMHAC_EMU_MOST_THREADS 256

/// How the emulator runs launches.
typedef struct fmhac_emu_options {
  /// sizeof(fmhac_emu_options), set by the caller; the first release ended with
  /// `progress_user`.
  size_t size;
  uint32_t checks;
  fmhac_emu_sched sched;
  uint32_t quantum; ///< instructions a turn; 0 means the default, 4
  fmhac_emu_landing landing;
  uint32_t landing_instructions;     ///< of FMHAC_EMU_LANDING_AFTER
  uint32_t landing_lds_instructions; ///< of FMHAC_EMU_LANDING_AFTER
  uint64_t seed;
  /// Host threads, at most FMHAC_EMU_MOST_THREADS; 0 means one for each
  /// processor that affinity and cgroups leave to the process.
  uint32_t threads;
  uint64_t max_instructions; ///< wave instructions a workgroup; 0 means 2^33
  uint32_t max_findings;     ///< distinct findings kept; 0 means 100
  /// Called now and then during a launch, from the calling thread, which must
  /// not call the device there; may be NULL.
  void (*progress)(void *user, uint64_t workgroups_done, uint64_t workgroups);
  void *progress_user;
  fmhac_emu_alignment alignment;
  fmhac_emu_descriptors descriptors;
  fmhac_emu_placement placement; ///< of buffers mapped or allocated from now on
  uint32_t timing; ///< not 0: launches are timed, see fmhac_timing.h
  /// Constants of the cycle model that are other than by default: "name=value",
  /// with commas between; NULL: none. Read by fmhac_emu_configure() only.
  const char *timing_constants;
  /// Instructions of the first workgroup that are kept, see fmhac_timing_event.
  uint64_t timing_events;
  fmhac_emu_hazards hazards;
} fmhac_emu_options;

/// Fills `options`, of which the caller knows `size` bytes, with the defaults
/// (and that size).
FMHAC_API void fmhac_emu_options_init_sized(fmhac_emu_options *options,
                                            size_t size);
/// The same for the size of the first release, which is all that programs built
/// with its header have room for; with this header, all of it.
FMHAC_API void fmhac_emu_options_init(fmhac_emu_options *options);
#define fmhac_emu_options_init(options)                                        \
  fmhac_emu_options_init_sized((options), sizeof(fmhac_emu_options))

/// Sets the options of the launches that follow; what lies beyond
/// `options->size` is as by default.
/// Errors: INVALID_INPUT (a value out of range).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_emu_configure(fmhac_rt_device *device, const fmhac_emu_options *options);

/// What a buffer holds before anything is written to it.
typedef enum fmhac_emu_contents {
  FMHAC_EMU_CONTENTS_UNINITIALISED,
  FMHAC_EMU_CONTENTS_FILL ///< every byte is `fill`
} fmhac_emu_contents;

/// Memory of the device with a name.
typedef struct fmhac_emu_buffer {
  size_t size;      ///< sizeof(fmhac_emu_buffer), set by the caller
  const char *name; ///< used in findings; copied
  uint64_t bytes;   ///< host memory is spent only on what is touched
  uint64_t base;    ///< address below 2^48, or 0: the emulator places it
  fmhac_emu_contents contents;
  uint8_t fill;
} fmhac_emu_buffer;

/// Maps a named buffer. Errors: INVALID_INPUT (overlap, base not below 2^48).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_emu_map(fmhac_rt_device *device, const fmhac_emu_buffer *buffer,
              uint64_t *out_address);

/// The most axes of a tensor.
#define FMHAC_EMU_TENSOR_AXES 8

/// What of a tensor of sequences of different lengths is in use.
typedef enum fmhac_emu_ragged {
  FMHAC_EMU_RAGGED_NONE, ///< all of it
  /// For each index of axis 0 so many rows, the first ones of an axis.
  FMHAC_EMU_RAGGED_LENGTHS,
  /// The sequences lie one after the other along an axis: the first row of
  /// each, and after the last one the end.
  FMHAC_EMU_RAGGED_STARTS
} fmhac_emu_ragged;

/// A tensor that lies in a buffer, or in a part of one.
typedef struct fmhac_emu_tensor {
  size_t size;            ///< sizeof(fmhac_emu_tensor), set by the caller
  const char *name;       ///< used in findings, at most 31 bytes; copied
  uint64_t base;          ///< address of its first element
  uint32_t element_bytes; ///< 1 … 16
  uint32_t axes;          ///< 1 … FMHAC_EMU_TENSOR_AXES
  /// Names, such as "b", "s", "h", "d"; at most 15 bytes; copied.
  const char *axis[FMHAC_EMU_TENSOR_AXES];
  uint64_t shape[FMHAC_EMU_TENSOR_AXES]; ///< elements
  uint64_t strides_bytes[FMHAC_EMU_TENSOR_AXES];
  fmhac_emu_ragged ragged;
  uint32_t ragged_axis;        ///< along which the rows of a sequence lie
  const uint64_t *ragged_rows; ///< lengths or starts; copied
  uint64_t ragged_count;       ///< of these
  /// A launch of the whole grid writes every element in use: those it leaves
  /// out are a finding of FMHAC_EMU_CHECK_INIT.
  uint32_t is_output;
} fmhac_emu_tensor;

/// Declares a tensor for the launches that follow, until its buffer is freed:
/// findings name its elements. Of tensors that overlap, the one declared first
/// gives the name. Errors: INVALID_INPUT (it does not lie inside one buffer, or
/// a value is out of range), OUT_OF_MEMORY.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_emu_declare_tensor(
    fmhac_rt_device *device, const fmhac_emu_tensor *tensor);

/// Restricts the next launch to `count` workgroups of its grid, each [x,y,z];
/// NULL, 0 runs all again. Copied.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_emu_select_workgroups(
    fmhac_rt_device *device, const uint32_t (*ids)[3], size_t count);

/// One deduplicated finding of the last launch. Strings are borrowed until the
/// next launch.
typedef struct fmhac_emu_finding {
  size_t size;         ///< sizeof(fmhac_emu_finding), set by the caller
  const char *check;   ///< "mem", "sync", "wait", …
  const char *message; ///< one line: who, where, what; buffer, element
  /// Byte offset from the kernel's entry of the instruction; valid, as
  /// workgroup and wave are, if `instruction` is not NULL.
  uint64_t pc;
  const char *instruction; ///< disassembly; NULL: of the launch as a whole
  uint64_t other_pc;       ///< valid if other_instruction is not NULL
  const char *other_instruction;
  uint32_t workgroup[3];
  uint32_t wave;
  uint64_t count; ///< occurrences folded into this one
  /// "FILE:LINE" of the source of the instruction, from the line table of the
  /// code object; of kernels of fmhac, FILE is KERNEL.synced.mlir, what `fmhac
  /// compile --emit=synced` prints. NULL: it has none, or none for this place.
  const char *location;
  const char *other_location; ///< of other_pc
  /// The innermost function that was inlined there; of kernels of fmhac, the
  /// step. NULL: none.
  const char *step;
  const char *other_step; ///< of other_pc
} fmhac_emu_finding;

/// Findings of the last launch. What a launch leaves (findings, listing, stats)
/// the next one replaces, whichever thread launches it.
FMHAC_API size_t fmhac_emu_finding_count(const fmhac_rt_device *device);
/// Fills what the caller's `size` has room for. Errors: INVALID_INPUT.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_emu_get_finding(const fmhac_rt_device *device, size_t index,
                      fmhac_emu_finding *out_finding);

/// The instruction `distance` places after (negative: before) the one at
/// `pc` in the kernel of the last launch: its pc and disassembly, borrowed
/// until the next launch. Errors: INVALID_INPUT (no such instruction, without a
/// text: callers ask past both ends).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_emu_get_listing(const fmhac_rt_device *device, uint64_t pc, int distance,
                      uint64_t *out_pc, const char **out_text);

/// Where an instruction comes from, as fmhac_emu_finding has it; in ASCII, cut
/// if it is long, "" if it is not known.
typedef struct fmhac_emu_source_location {
  size_t size;        ///< sizeof(fmhac_emu_source_location), set by the caller
  char location[192]; ///< "FILE:LINE"
  char step[64];
} fmhac_emu_source_location;

/// The place of the instruction at `pc` in the kernel of the last launch.
/// Errors: INVALID_INPUT (no such instruction, without a text).
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_emu_get_source_location(
    fmhac_rt_device *device, uint64_t pc, fmhac_emu_source_location *out_place);

/// Figures of the last launch.
typedef struct fmhac_emu_stats {
  size_t size;           ///< sizeof(fmhac_emu_stats), set by the caller
  uint64_t workgroups;   ///< executed
  uint64_t waves;        ///< executed
  uint64_t instructions; ///< wave instructions executed
  double seconds;        ///< host time of the execution
  /// Of these instructions, v_mfma_* and v_smfmac_*.
  uint64_t matrix_instructions;
  /// Occurrences of findings beyond the distinct ones that are kept; which are
  /// kept may then depend on the number of host threads.
  uint64_t dropped;
} fmhac_emu_stats;

/// Fills what the caller's `size` has room for. Errors: INVALID_INPUT.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_emu_get_stats(const fmhac_rt_device *device, fmhac_emu_stats *out_stats);

#ifdef __cplusplus
}
#endif
#endif // FMHAC_EMU_H
