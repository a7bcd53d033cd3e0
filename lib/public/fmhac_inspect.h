// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Facts about a kernel: its entries, the IR at each rung of the ladder, the
/// pipeline, its instructions.
#ifndef FMHAC_INSPECT_H
#define FMHAC_INSPECT_H

#include "fmhac.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Entries of the code object: the kernels that the launches of a plan start.
FMHAC_API size_t fmhac_kernel_entry_count(const fmhac_kernel *kernel);
/// Facts of an entry. Texts are borrowed from the kernel.
typedef struct fmhac_kernel_info {
  size_t size;            ///< sizeof(fmhac_kernel_info), set by the caller
  const char *name;       ///< its symbol, without ".kd"
  const char *schedule;   ///< that it was compiled with
  uint32_t vgprs;         ///< registers per lane, VGPR and AGPR together
  uint32_t spills;        ///< registers that LLVM had to spill
  uint32_t scratch_bytes; ///< private memory per lane
  uint32_t lds_bytes;     ///< of a workgroup, static
  uint32_t block_threads; ///< work-items of a workgroup, all in x
  uint32_t tile_rows;     ///< rows of Q of a workgroup
  uint32_t head_dim_qk, head_dim_v;                  ///< elements
  const char *q_dtype, *k_dtype, *v_dtype, *o_dtype; ///< "bf16", "f16", "f32"
  /// The groups of arguments that the entry reads: bits FMHAC_ARGS_*_BIT of
  /// fmhac_abi.h.
  uint64_t args_mask;
  /// Workgroups in x, y, z, as expressions of the sizes of a launch: Sq, Sk, B,
  /// Hq, Hk, CUs (compute units: 256, as of MI350X and MI355X) and splits
  /// (parts of the keys: 1 in this build), by +, -, *, ceil(a / b), min(a, b)
  /// and max(a, b): "ceil(Sq / 256)", "Hq", "B".
  const char *grid[3];
  /// The sizes for which the entry is launched: comparisons by <= of such
  /// expressions, joined by "and": "Sk <= 256"; "": all that no entry before it
  /// takes. A plan evaluates it for its largest problem.
  const char *when;
  /// What the entry does: "attention", "combine" or "merge", as the key `role`
  /// has it, or "plan": it makes lists of work. Only one of attention has a
  /// schedule and tile_rows of more than 1.
  const char *role;
} fmhac_kernel_info;
/// Errors: INVALID_INPUT (no such entry; `size`), CODEGEN_FAILED (the code
/// object lacks its metadata), OUT_OF_MEMORY.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_kernel_get_info(
    const fmhac_kernel *kernel, size_t entry, fmhac_kernel_info *out_info);

/// Symbol name of the first entry; borrowed.
FMHAC_API const char *fmhac_kernel_get_name(const fmhac_kernel *kernel);
/// Name of the schedule of the first entry; borrowed.
FMHAC_API const char *fmhac_kernel_get_schedule(const fmhac_kernel *kernel);
/// The entry of the plan's kernel that launch `index` starts, below
/// fmhac_plan_launch_count(); 0 past it.
FMHAC_API size_t fmhac_plan_get_entry(const fmhac_plan *plan, size_t index);

/// A text about a kernel, by name: "config" (canonical JSON), "log" (warnings
/// and remarks of its compilation, one a line, also for a cached kernel),
/// "statistics" (a JSON object: code_object_bytes, and "entries", an array of
/// objects: kernel, role, schedule, when, grid, lds_bytes, vgprs, spills,
/// scratch_bytes, tile_rows, block_threads), or the name of a
/// rung (below), for which the compiler runs once more. Writes the text to
/// `buffer` and its size, terminator included, to `out_bytes`; "obj" and
/// "hsaco" are bytes without a terminator. NULL for `buffer` asks for the size;
/// the call after that does not compile again.
/// Errors: INVALID_INPUT (no such text; `buffer_bytes` too small, and nothing
/// is written), UNSUPPORTED (a rung of a kernel that was created from a code
/// object, whose configuration names files), and those of fmhac_compile().
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_kernel_get_text(const fmhac_kernel *kernel, const char *what,
                      void *buffer, size_t buffer_bytes, size_t *out_bytes);

/// The rungs of the ladder, in order; NULL past the end: "problem", "tiles", …,
/// "hsaco".
FMHAC_API const char *fmhac_rung_name(size_t index);

/// Compiles up to a rung and returns its content: text, or bytes for "obj" and
/// "hsaco". The caller frees with fmhac_free().
/// Errors: as fmhac_compile(); INVALID_INPUT (no such rung).
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_emit(fmhac_context *context,
                                                 const fmhac_config *config,
                                                 const char *rung,
                                                 void **out_bytes,
                                                 size_t *out_size_bytes);
/// Compiles from an edited text of a rung, "problem" to "llvm", that
/// fmhac_emit() wrote. Runs the checks of that rung and all later passes. The
/// text must hold the kernel of `config`, because a launch relies on it; the
/// schedule may be edited at the rungs that have one. The kernel enters no
/// cache, its note names the rung, and fmhac_kernel_get_text() has no rungs of
/// it. `name` stands for the text in messages; NULL: the name of the rung.
/// Errors: as fmhac_compile(); INVALID_INPUT (no such rung; a malformed text,
/// with its line; another kernel; a text that a check of a pass refuses).
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_compile_from(
    fmhac_context *context, const fmhac_config *config, const char *rung,
    const char *text, const char *name, fmhac_kernel **out_kernel);
/// As fmhac_compile_from(), up to a rung: `from_rung` or a later one. The
/// caller frees with fmhac_free().
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_emit_from(fmhac_context *context, const fmhac_config *config,
                const char *from_rung, const char *text, const char *name,
                const char *rung, void **out_bytes, size_t *out_size_bytes);
/// Compiles completely and calls `sink` with the IR after every pass of the
/// pipeline, in order.
/// Errors: as fmhac_compile().
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_emit_after_all(
    fmhac_context *context, const fmhac_config *config,
    void (*sink)(void *user, const char *pass, const char *text), void *user);
/// The pipeline of a configuration, one pass a line, with every option. The
/// caller frees with fmhac_free().
/// Errors: UNSUPPORTED, OUT_OF_MEMORY, and those of fmhac_query().
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_emit_pipeline(
    fmhac_context *context, const fmhac_config *config, char **out_text);
/// Calls `line` with every instruction of a kernel of a gfx950 code object
/// (ours or not), in order; `pc` counts bytes from the kernel's entry. Bytes
/// that are no instruction read "<unknown>". The text is borrowed during the
/// call.
/// Errors: INVALID_INPUT (no code object, no such kernel).
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_disassemble(
    const void *code, size_t code_bytes, const char *kernel,
    void (*line)(void *user, uint64_t pc, const char *text), void *user);

#ifdef __cplusplus
}
#endif
#endif // FMHAC_INSPECT_H
