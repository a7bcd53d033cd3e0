// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The functions of the "emu" device beyond fmhac_rt.h: checks and their
/// findings, wave schedules, completion of loads, named and placed buffers,
/// parts of a grid. All calls that take a device return INVALID_INPUT for a
/// device of another kind. Functions that need no device are in fmhac_audit.h.
#ifndef FMHAC_EMU_H
#define FMHAC_EMU_H

#include "fmhac_audit.h"
#include "fmhac_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Order in which the waves of a workgroup take turns.
typedef enum fmhac_emu_sched {
  FMHAC_EMU_SCHED_ROUND_ROBIN, ///< `quantum` instructions per turn
  /// To the next barrier, to the end, or until it waits for another wave.
  FMHAC_EMU_SCHED_UNTIL_BLOCKED,
  FMHAC_EMU_SCHED_RANDOM ///< seeded
} fmhac_emu_sched;

/// When outstanding memory operations complete, that is, when their data
/// arrives. Default: loads direct to LDS complete at the covering s_waitcnt
/// vmcnt. Vector loads into registers complete at the covering wait, or 64
/// instructions of the wave after their issue if that is sooner. LDS reads and
/// scalar loads complete at issue.
typedef enum fmhac_emu_landing {
  FMHAC_EMU_LANDING_DEFAULT,
  FMHAC_EMU_LANDING_EARLY,  ///< all operations at issue
  FMHAC_EMU_LANDING_LATE,   ///< all operations at the covering wait
  FMHAC_EMU_LANDING_RANDOM, ///< seeded, between issue and covering wait
  /// As the default, but all vector loads complete `landing_instructions`
  /// instructions after their issue, and LDS reads `landing_lds_instructions`
  /// (0: at once), if that is sooner than their wait.
  FMHAC_EMU_LANDING_AFTER
} fmhac_emu_landing;

/// Which addresses FMHAC_EMU_CHECK_MEM reports as misaligned. Results do not
/// depend on it: a misaligned access is done byte by byte.
typedef enum fmhac_emu_alignment {
  /// Addresses that hardware cannot access in the access mode that ROCm sets.
  /// In this mode loads and stores need no alignment; atomics, transposing LDS
  /// reads, scalar accesses, and M0 of global loads direct to LDS do.
  FMHAC_EMU_ALIGNMENT_HARDWARE,
  /// Also addresses that are no multiple of the size of the access: slower, and
  /// wrong in the other access modes.
  FMHAC_EMU_ALIGNMENT_NATURAL
} fmhac_emu_alignment;

/// How vector memory instructions use buffer descriptors. Findings are those of
/// FMHAC_EMU_CHECK_MEM.
typedef enum fmhac_emu_descriptors {
  /// As the CDNA4 ISA says: num_records decides which bytes are accessed.
  FMHAC_EMU_DESCRIPTORS_EXACT,
  /// The same, and all of [base, base + num_records) must be mapped, accessed
  /// or
  /// not, or it is a finding. gfx950 is reported to require this.
  FMHAC_EMU_DESCRIPTORS_MAPPED,
  /// An address is the high half of the base and the low 32 bits of base +
  /// offset: the carry is lost, and each loss is a finding.
  FMHAC_EMU_DESCRIPTORS_CARRY
} fmhac_emu_descriptors;

/// Addresses of buffers for which the caller requests no address.
typedef enum fmhac_emu_placement {
  FMHAC_EMU_PLACEMENT_DEFAULT, ///< one after the other, with gaps
  /// Each buffer starts at a multiple of 512 bytes and has a multiple of 2^32
  /// inside, a little before its middle (buffers of up to 512 bytes: after the
  /// end). The memory 4 GiB below the part above that multiple is as a rule
  /// unused.
  FMHAC_EMU_PLACEMENT_ADVERSARIAL
} fmhac_emu_placement;

/// The effect of instructions with too few wait states before them. Findings
/// are those of FMHAC_EMU_CHECK_HAZARD in both cases.
typedef enum fmhac_emu_hazards {
  FMHAC_EMU_HAZARDS_REPORT, ///< none: as with enough wait states
  /// As on hardware: a read that comes too early returns the register's
  /// previous value; a store whose data is overwritten too early writes the
  /// later value of all dwords but the first. Slower. Where no source says what
  /// happens, as with REPORT.
  FMHAC_EMU_HAZARDS_EFFECT
} fmhac_emu_hazards;

/// Maximum number of host threads of a launch.
#define FMHAC_EMU_MOST_THREADS 256

/// How the emulator runs launches.
typedef struct fmhac_emu_options {
  /// sizeof(fmhac_emu_options), set by the caller; the first release ended with
  /// `progress_user`.
  size_t size;
  uint32_t checks;
  fmhac_emu_sched sched;
  uint32_t quantum; ///< instructions per turn; 0 means the default, 4
  fmhac_emu_landing landing;
  uint32_t landing_instructions;     ///< of FMHAC_EMU_LANDING_AFTER
  uint32_t landing_lds_instructions; ///< of FMHAC_EMU_LANDING_AFTER
  uint64_t seed;
  /// Host threads, at most FMHAC_EMU_MOST_THREADS; 0 means one for each
  /// processor that affinity and cgroups allow the process.
  uint32_t threads;
  uint64_t max_instructions; ///< wave instructions per workgroup; 0: 2^33
  uint32_t max_findings;     ///< distinct findings kept; 0 means 100
  /// Called now and then during a launch, in the thread that launched; it must
  /// not call the device. May be NULL.
  void (*progress)(void *user, uint64_t workgroups_done, uint64_t workgroups);
  void *progress_user;
  fmhac_emu_alignment alignment;
  fmhac_emu_descriptors descriptors;
  fmhac_emu_placement placement; ///< of buffers mapped or allocated from now on
  uint32_t timing; ///< not 0: launches are timed, see fmhac_timing.h
  /// Changes to constants of the cycle model: "name=value", separated by
  /// commas; NULL: no changes. Read by fmhac_emu_configure() only.
  const char *timing_constants;
  /// How many instructions of the first workgroup are kept as events, see
  /// fmhac_timing_event.
  uint64_t timing_events;
  fmhac_emu_hazards hazards;
} fmhac_emu_options;

/// Fills the `size` bytes of `options` that the caller knows with the defaults,
/// and sets its size.
FMHAC_API void fmhac_emu_options_init_sized(fmhac_emu_options *options,
                                            size_t size);
/// The same. As a function it fills the size of the first release, because
/// programs built with that header have no more room; as the macro of this
/// header it fills the whole struct.
FMHAC_API void fmhac_emu_options_init(fmhac_emu_options *options);
#define fmhac_emu_options_init(options)                                        \
  fmhac_emu_options_init_sized((options), sizeof(fmhac_emu_options))

/// Sets the options of later launches. Options beyond `options->size` get their
/// defaults.
/// Errors: INVALID_INPUT (a value out of range).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_emu_configure(fmhac_rt_device *device, const fmhac_emu_options *options);

/// The contents of a new buffer.
typedef enum fmhac_emu_contents {
  FMHAC_EMU_CONTENTS_UNINITIALISED,
  FMHAC_EMU_CONTENTS_FILL ///< every byte is `fill`
} fmhac_emu_contents;

/// Memory of the device with a name.
typedef struct fmhac_emu_buffer {
  size_t size;      ///< sizeof(fmhac_emu_buffer), set by the caller
  const char *name; ///< used in findings; copied
  uint64_t bytes;   ///< only touched pages take host memory
  uint64_t base;    ///< address below 2^48, or 0: the emulator places it
  fmhac_emu_contents contents;
  uint8_t fill;
} fmhac_emu_buffer;

/// Maps a named buffer. Errors: INVALID_INPUT (overlap, base not below 2^48).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_emu_map(fmhac_rt_device *device, const fmhac_emu_buffer *buffer,
              uint64_t *out_address);

/// Maximum number of axes of a tensor.
#define FMHAC_EMU_TENSOR_AXES 8

/// Which elements are in use in a tensor of sequences of different lengths.
typedef enum fmhac_emu_ragged {
  FMHAC_EMU_RAGGED_NONE, ///< all
  /// For each index of axis 0 a length: the first rows of `ragged_axis`.
  FMHAC_EMU_RAGGED_LENGTHS,
  /// The sequences follow each other along `ragged_axis`: the first row of each
  /// sequence, and the end of the last one.
  FMHAC_EMU_RAGGED_STARTS
} fmhac_emu_ragged;

/// A tensor inside a buffer.
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
  uint32_t ragged_axis;        ///< the axis of a sequence's rows
  const uint64_t *ragged_rows; ///< lengths or starts; copied
  uint64_t ragged_count;       ///< length of `ragged_rows`
  /// A launch of the whole grid must write every element in use; elements that
  /// it does not write are a finding of FMHAC_EMU_CHECK_INIT.
  uint32_t is_output;
} fmhac_emu_tensor;

/// Declares a tensor for later launches, until its buffer is freed. Findings
/// then name its elements. If tensors overlap, the one declared first gives the
/// name. Errors: INVALID_INPUT (it is not inside one buffer, or a value is out
/// of range), OUT_OF_MEMORY.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_emu_declare_tensor(
    fmhac_rt_device *device, const fmhac_emu_tensor *tensor);

/// The next `count` launches fill in the outputs together: which elements none
/// of them writes is looked at after the last. 0 or 1: each launch alone. A
/// launch that fails ends it. Errors: INVALID_INPUT.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_emu_join_launches(fmhac_rt_device *device, size_t count);

/// Restricts the next launch to `count` workgroups of its grid, each [x,y,z];
/// NULL, 0 selects all again. Copied.
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
  /// code object. In kernels of fmhac, FILE is KERNEL.synced.mlir, the text
  /// that `fmhac compile --emit=synced` prints. NULL: the code object has no
  /// line table, or the table has no line for this instruction.
  const char *location;
  const char *other_location; ///< of other_pc
  /// The innermost inlined function of that line; in kernels of fmhac, the
  /// step. NULL: none.
  const char *step;
  const char *other_step; ///< of other_pc
} fmhac_emu_finding;

/// Findings of the last launch. The next launch, from any thread, replaces the
/// findings, the listing and the stats.
FMHAC_API size_t fmhac_emu_finding_count(const fmhac_rt_device *device);
/// Fills the members that the caller's `size` covers. Errors: INVALID_INPUT.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_emu_get_finding(const fmhac_rt_device *device, size_t index,
                      fmhac_emu_finding *out_finding);

/// The pc and the disassembly of the instruction that is `distance`
/// instructions after (negative: before) the one at `pc`, in the kernel of the
/// last launch. Borrowed until the next launch. Errors: INVALID_INPUT (no such
/// instruction; without a text, because callers ask past both ends).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_emu_get_listing(const fmhac_rt_device *device, uint64_t pc, int distance,
                      uint64_t *out_pc, const char **out_text);

/// The source location of an instruction, as in fmhac_emu_finding; in ASCII,
/// cut if it is too long, "" if it is not known.
typedef struct fmhac_emu_source_location {
  size_t size;        ///< sizeof(fmhac_emu_source_location), set by the caller
  char location[192]; ///< "FILE:LINE"
  char step[64];
} fmhac_emu_source_location;

/// The source location of the instruction at `pc` in the kernel of the last
/// launch.
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
  /// How many of `instructions` were v_mfma_* and v_smfmac_*.
  uint64_t matrix_instructions;
  /// Occurrences of findings that were not kept because `max_findings` distinct
  /// ones were. Which findings are kept may then depend on the number of host
  /// threads.
  uint64_t dropped;
  /// The launches that fmhac_emu_join_launches() joined, up to this one: how
  /// many have run, and their figures together. Of a launch that is alone its
  /// own.
  uint64_t joined_launches, joined_workgroups, joined_waves;
  uint64_t joined_instructions, joined_matrix_instructions;
} fmhac_emu_stats;

/// Fills the members that the caller's `size` covers. Errors: INVALID_INPUT.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_emu_get_stats(const fmhac_rt_device *device, fmhac_emu_stats *out_stats);

#ifdef __cplusplus
}
#endif
#endif // FMHAC_EMU_H
