// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// libfmhac: one attention configuration in, one gfx950 code object out, and
/// the means to launch it on any device of fmhac_rt.h.
///
///   context  ->  config  ->  query / compile  ->  kernel  ->  plan  ->  launch
///
/// This header covers these steps. The others: fmhac_jobs.h (compile in the
/// background), fmhac_options.h (tables of options and environment variables),
/// fmhac_schedule.h, fmhac_inspect.h (facts of a kernel, IR, disassembly),
/// fmhac_cache.h, fmhac_work.h (lists of work), fmhac_emu.h and fmhac_timing.h
/// (the emulator).
///
/// Rules of all these headers.
/// - `create`, `open` and `take` give ownership to the caller, `get` borrows
///   from the object named first. Out-parameters come last and are empty until
///   success.
/// - fmhac_rt.h defines the rules for null pointers, for objects that belong to
///   another device (here also to another context), and for the `size` of a
///   struct. Structs with `size` grow at their ends only; structs without it
///   never change. The caller sets `x.size = sizeof x`, and leaves 0 in fields
///   for which it wants the default.
/// - The context keeps the text of a failure (fmhac_last_error). For fmhac_rt_
///   and fmhac_emu_ functions the device keeps it (fmhac_rt_last_error);
///   fmhac_launch() copies the device's text into the context. Calls that have
///   neither object yet write the text to a buffer of the caller.
/// - Nothing prints, exits or keeps global state. Any thread may use any
///   object, and several threads may use the same one, as long as no thread
///   destroys it meanwhile. Functions that the library calls while it compiles
///   (log, progress, IR) must not compile in the same context: such a call
///   returns INVALID_INPUT. A child of fork() may use a context that no thread
///   of its parent was using then; jobs and launches of the parent stay with
///   the parent.
///
/// Dimension letters: B batch, Hq/Hk heads of Q and of K/V, Sq/Sk rows,
/// Dqk/Dv head sizes.
#ifndef FMHAC_H
#define FMHAC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fmhac_rt.h"
#include "fmhac_status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The version of this header, as text and as 10000 × major + 100 × minor +
/// patch.
#define FMHAC_VERSION "0.1.0"
#define FMHAC_VERSION_NUMBER 100
/// The version of the loaded library.
FMHAC_API uint32_t fmhac_version_number(void);
/// The versions of the loaded library and of its parts: "fmhac 0.1.0, LLVM
/// 22.1.8, ABI 1".
FMHAC_API const char *fmhac_version_text(void);

/// The state that the objects of one user share: log, cache, compiler, last
/// error.
typedef struct fmhac_context fmhac_context;
/// A checked configuration.
typedef struct fmhac_config fmhac_config;
/// A compiled configuration: a code object and the facts that a launch needs.
typedef struct fmhac_kernel fmhac_kernel;
/// A kernel with its launches, for problems up to a given size.
typedef struct fmhac_plan fmhac_plan;

/// Frees bytes or text that a call gave to the caller. NULL is allowed.
FMHAC_API void fmhac_free(void *bytes);

//===- Context ------------------------------------------------------------===//

/// The kinds of lines that the log receives.
typedef enum fmhac_severity {
  FMHAC_SEVERITY_ERROR,
  FMHAC_SEVERITY_WARNING,
  /// A choice of the compiler, with its reason. "declined: " stands before the
  /// text where the schedule asks for something that the kernel does not have.
  FMHAC_SEVERITY_REMARK
} fmhac_severity;

/// The options of a context. NULL and 0 are the defaults.
typedef struct fmhac_context_options {
  size_t size; ///< sizeof(fmhac_context_options), set by the caller
  /// Receives diagnostics, one line each. The thread of the call that caused
  /// the line calls it, or a thread of the context that compiles for
  /// fmhac_compile_start(); several threads may call it at the same time. May
  /// be NULL.
  void (*log)(void *user, fmhac_severity severity, const char *text);
  void *log_user;
  /// Compiles kernels without line tables. With line tables, debuggers and the
  /// emulator's findings name the step and the line of KERNEL.synced.mlir, the
  /// text that fmhac_emit() gives for the rung `synced`; the instructions are
  /// the same.
  bool no_line_tables;
  /// The directory where fmhac_compile() looks for kernels and keeps those that
  /// it compiles. The library creates it when it first needs it. The directory
  /// and its files must belong to the effective user, and nobody else may be
  /// able to write them; otherwise it counts as empty, with a warning, and the
  /// library keeps nothing. NULL: none. Copied.
  const char *cache_directory;
  /// More directories where fmhac_compile() looks, in this order. It writes
  /// nothing there. Files that belong to root are accepted here too. Copied.
  const char *const *read_only_cache_directories;
  size_t read_only_cache_directory_count;
  /// When the cache directory holds more bytes than this, the least recently
  /// used kernels are removed; 0 means 2^30.
  uint64_t cache_limit_bytes;
  /// The number of kernels that the context keeps in memory; 0 means 256.
  uint32_t memory_kernels;
  /// The number of compilations that run at the same time, including those of
  /// fmhac_compile_start(); further ones wait. 0 means one for each processor
  /// that affinity and cgroups leave to the process, at most 8.
  uint32_t parallel_compilations;
  /// Compiles in this process, one compilation of the context at a time. By
  /// default the compiler runs in processes of its own, which start on demand
  /// and end after a minute without work. A fatal error of LLVM is then
  /// COMPILER_DIED and does not end the caller. A process loads the compiler, a
  /// shared object beside the library, when it first compiles.
  bool compile_in_process;
  /// Uses no cache directory, whatever the environment says.
  bool no_cache_directories;
  /// The program of the compiler processes; NULL: the fmhac-compiler that is
  /// installed with the library. Copied.
  const char *compiler_program;
  /// Allocates memory for the context and for objects that are created from it,
  /// with the contract of realloc(); `size` 0 frees. Any thread may call it.
  /// Memory that a call needs only while it runs, and memory that fmhac_free()
  /// frees, comes from the C library. NULL: all memory comes from the C
  /// library.
  void *(*reallocate)(void *user, void *bytes, size_t size);
  void *reallocate_user;
  /// A table of schedules (`fmhac tune --table` writes such files; fmhac(1)
  /// describes them). It is read before the built-in one when a configuration
  /// that leaves the schedule open is created. Relative paths of schedule files
  /// are relative to the table's directory. NULL: none. Copied.
  const char *dispatch_table;
  /// Leaves out the audit. The audit searches each code object for missing
  /// waits, missing wait states, and instructions that LLVM is known to
  /// generate wrongly; fmhac_compile() returns CODEGEN_FAILED if it finds one.
  /// Kernels compiled without the audit have their own entries in cache
  /// directories.
  bool no_audit;
  /// Seconds that the compiler may spend on one request. After that its process
  /// is ended and the call returns COMPILE_TIMED_OUT, with the step that was
  /// running. A compiler in this process checks the clock only between its
  /// steps, and all of code generation is one step. 0 means 120.
  uint32_t compile_timeout_seconds;
} fmhac_context_options;

/// Creates a context. NULL for `options` means all defaults, which use no cache
/// directory.
/// Errors: OUT_OF_MEMORY, INVALID_INPUT (`size`; a read-only directory that is
/// a null pointer).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_context_create(const fmhac_context_options *options /* may be NULL */,
                     fmhac_context **out_context);
/// As fmhac_context_create(). Where `options` do not set them, the environment
/// (fmhac_options.h) sets cache directories, limit, table of schedules, and
/// whether the compiler runs in this process. `text` receives the reason of a
/// failure (at most `text_bytes`, always terminated; may be NULL).
/// Errors: INVALID_INPUT (a variable with a value that it does not take), and
/// those of fmhac_context_create().
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_context_create_from_environment(
    const fmhac_context_options *options /* may be NULL */, char *text,
    size_t text_bytes, fmhac_context **out_context);
/// Destroy what was created from the context first. NULL is allowed.
FMHAC_API void fmhac_context_destroy(fmhac_context *context);

/// Text of the last failure of this thread in this context; "" if there was
/// none. If a thread has ended and this one has its pthread_t, it may be the
/// text of that thread. Borrowed until the thread's next call with the context.
FMHAC_API const char *fmhac_last_error(const fmhac_context *context);

/// Counts where the kernels of fmhac_compile() came from since the context was
/// created.
typedef struct fmhac_stats {
  size_t size; ///< sizeof(fmhac_stats), set by the caller
  uint64_t compiles;
  uint64_t memory_hits;
  uint64_t disk_hits;
  uint64_t compiler_processes; ///< that were started
} fmhac_stats;
/// Errors: INVALID_INPUT (`size`).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_context_get_stats(const fmhac_context *context, fmhac_stats *out_stats);

//===- Configuration ------------------------------------------------------===//

/// Parses a configuration: one JSON object with keys of the option table
/// (fmhac_options.h). Keys of the problem are accepted and ignored here. If it
/// leaves the schedule open ("auto") and the context's table of schedules has a
/// row for it, the result is the same as if it had named the schedule of that
/// row, and a remark says why. fmhac_query() says whether the configuration can
/// be compiled.
/// Errors: INVALID_INPUT (malformed JSON with line and column, unknown key with
/// the nearest spelling, a value out of range; a line of the table), IO_ERROR
/// (the table).
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_config_create_json(
    fmhac_context *context, const char *json, fmhac_config **out_config);
/// NULL is allowed.
FMHAC_API void fmhac_config_destroy(fmhac_config *config);
/// Canonical JSON of the configuration: every key that affects the code, in the
/// order of the table. Borrowed from the configuration.
FMHAC_API const char *fmhac_config_get_canonical(const fmhac_config *config);

/// Whether this build compiles a configuration.
typedef struct fmhac_support {
  size_t size; ///< sizeof(fmhac_support), set by the caller
  bool supported;
  char field[64];    ///< the first field that prevents it
  char reason[256];  ///< why
  char nearest[512]; ///< the nearest supported configuration, as JSON: dtype,
                     ///< head sizes, mask, lse, schedule, and keys that are
                     ///< not at their default
  /// That would be used, each with its problems, in the words of the key
  /// `schedule`: "generic if Sk <= 256; dualwave"; fmhac_query_schedule() says
  /// why.
  char schedule[256];
  size_t entry_count; ///< kernels of attention, each with a schedule
} fmhac_support;
/// An unsupported configuration is an answer, not an error.
/// Errors: INVALID_INPUT (no built-in schedule of that name; `size`),
/// OUT_OF_MEMORY.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_query(fmhac_context *context,
                                                  const fmhac_config *config,
                                                  fmhac_support *out_support);

//===- Kernel -------------------------------------------------------------===//

/// Compiles to a code object, or takes a kernel that was compiled from the same
/// inputs: first from this context, then from the cache directories. A faulty
/// directory or entry causes a warning in the log, and the kernel is compiled.
/// If several processes want the same kernel at the same time, one compiles and
/// the others wait for it. Calls with the same request may return the same
/// object; each call adds a reference. The call audits each code object that it
/// compiles before it returns or keeps it, unless the context has `no_audit`.
/// Errors: UNSUPPORTED, INVALID_INPUT (a schedule file), IO_ERROR (it cannot be
/// read, or no compiler process starts), PASS_FAILED, CODEGEN_FAILED,
/// COMPILER_DIED, COMPILE_TIMED_OUT, OUT_OF_MEMORY, INTERNAL.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_compile(fmhac_context *context,
                                                    const fmhac_config *config,
                                                    fmhac_kernel **out_kernel);

/// A code object inside a program. `fmhac compile --embed` and the CMake
/// function fmhac_add_kernels() write such structs. This struct never changes.
typedef struct fmhac_embedded_kernel {
  const char *name;   ///< of the configuration's file, without ".json"
  const char *config; ///< canonical JSON of the configuration
  const void *bytes;  ///< for fmhac_kernel_create_from_code()
  size_t size_bytes;
} fmhac_embedded_kernel;
/// Creates a kernel from the bytes of a code object that fmhac compiled, such
/// as an embedded one; the bytes are copied. Needs neither compiler nor cache.
/// Any bytes are safe: the call accepts a code object only if its digest proves
/// that no byte has changed since it was compiled, and if its workgroup, LDS
/// and arguments are those of its note.
/// Errors: INVALID_INPUT (truncated, damaged, or compiled by something else),
/// UNSUPPORTED (a group of kernel arguments that it requires is unknown here or
/// has other fields; the text names the group and the difference),
/// OUT_OF_MEMORY.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_kernel_create_from_code(fmhac_context *context, const void *bytes,
                              size_t size_bytes, fmhac_kernel **out_kernel);
/// Gives one reference back. NULL is allowed.
FMHAC_API void fmhac_kernel_destroy(fmhac_kernel *kernel);
/// The code object; borrowed from the kernel.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_kernel_get_code(
    const fmhac_kernel *kernel, const void **out_bytes, size_t *out_size_bytes);

//===- Plan ---------------------------------------------------------------===//

/// Sizes of one problem.
typedef struct fmhac_problem {
  size_t size; ///< sizeof(fmhac_problem), set by the caller
  uint32_t batch, heads_q, heads_kv, seqlen_q, seqlen_kv;
  /// Rows of Q, and keys, of all sequences of a batch together, those of pages
  /// that several have for each of these; 0: of each seqlen_q, or seqlen_kv.
  /// They bound the workspace of a plan whose kernel
  /// takes lists of work: results over parts of the keys are the most of it.
  uint64_t total_q, total_kv;
} fmhac_problem;

/// A plan for problems up to `max_problem`. If the kernel has several entries
/// the plan takes the first of attention whose condition holds for these sizes,
/// and launches it for smaller problems, too; where lengths of rows are in
/// memory and work is listed, with it those that are for few rows alone
/// (fmhac_work.h). The kernel outlives the plan.
/// Errors: INVALID_INPUT (a size of 0, heads that are no multiple of the kv
/// heads, more rows than max_seqlen_q of the configuration promises, a
/// condition that has no value for these sizes, a kernel of another role than
/// attention), UNSUPPORTED (no entry takes them; lengths beyond what the
/// kernel's offsets can hold, or more than 2^32 work-items in all, which no GPU
/// has been seen to run right; with the bound).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_plan_create(const fmhac_kernel *kernel, const fmhac_problem *max_problem,
                  fmhac_plan **out_plan);
/// Configuration, compilation and plan in one call; the plan owns its kernel.
/// Errors: those of fmhac_config_create_json(), fmhac_compile() and
/// fmhac_plan_create().
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_plan_create_json(fmhac_context *context, const char *json,
                       const fmhac_problem *max_problem, fmhac_plan **out_plan);
/// Also unloads the kernel's modules: destroy a plan before you close a device
/// on which it launched. NULL is allowed.
FMHAC_API void fmhac_plan_destroy(fmhac_plan *plan);
/// The plan's kernel; borrowed from the plan if that owns it.
FMHAC_API const fmhac_kernel *fmhac_plan_get_kernel(const fmhac_plan *plan);
/// Device memory that each launch of the plan needs beside its tensors, in
/// bytes: a pure function of kernel and maxima. It begins at a multiple of 64
/// and holds lists of work and results over parts of the keys (fmhac_work.h).
/// fmhac_launch() uses nothing that another launch left there,
/// fmhac_launch_planned() the lists; two launches at the same time need one
/// each. fmhac_plan_workspace_zero_bytes() of it are the caller's to clear.
/// Whatever lengths the device has, nothing is written beyond it:
/// a sequence with a length below 0, or above the launch's seqlen_q or
/// seqlen_kv, is left out, and with lists so are all from the first one on that
/// makes the rows or keys of all more than the plan's total_q or total_kv. What
/// is left out has no row of O written.
FMHAC_API size_t fmhac_plan_workspace_bytes(const fmhac_plan *plan);
/// So many bytes at the start of the workspace must be zeros before a launch,
/// which leaves them so. The caller clears them before the first launch, after
/// one that did not end, and after launches of another plan in the same memory,
/// which may leave anything there. 0, but for work = runs with divided keys:
/// counters, by which the last workgroup of those that share a row knows that
/// it is. If they are not zeros, rows of O may not be written, or may come of
/// old parts; no launch hangs.
FMHAC_API size_t fmhac_plan_workspace_zero_bytes(const fmhac_plan *plan);
/// Kernels that one fmhac_launch() starts, one after the other.
FMHAC_API size_t fmhac_plan_launch_count(const fmhac_plan *plan);
/// Loads the kernel's module on `device`; does nothing if it is already loaded.
/// The plan owns the module. Without this call the first fmhac_launch() loads
/// it, which allocates and may wait for the device. Call this function first if
/// a launch must do neither, and before you capture a stream. Several threads
/// may call it at the same time. Errors: INVALID_INPUT (the device refuses the
/// code object), OUT_OF_MEMORY, LAUNCH_FAILED.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_plan_load(const fmhac_plan *plan,
                                                      fmhac_rt_device *device);

//===- Launch -------------------------------------------------------------===//

/// The largest |scale| of a launch. A kernel subtracts the maximum from a score
/// in f32, in units of log2. From 2^27 on the difference is wrong by 2^3 or
/// more, and a weight that should be 1 exceeds the range of f16. With this
/// scale, scores may be as large as 1400 before they are scaled. Unit normal
/// inputs do not reach that, even if some keys are multiplied by 12. The caller
/// must avoid scaled scores above 2^27 / log2(e).
#define FMHAC_MAX_SCALE 65536.0

/// Byte strides of one tensor [B, H, S, D]; D is contiguous. This struct never
/// changes.
typedef struct fmhac_strides {
  uint64_t batch_bytes, head_bytes, row_bytes;
} fmhac_strides;
/// Strides of a contiguous [B, S, H, D] tensor.
FMHAC_API fmhac_strides fmhac_strides_bshd(uint32_t heads, uint32_t seqlen,
                                           uint32_t head_dim,
                                           uint32_t element_bytes);

/// Sizes and tensors of one launch. The configuration of the kernel decides
/// which tensors it takes: a missing address is INVALID_INPUT, and so is one
/// that the kernel does not take. Addresses of q, k, v, o and lse, strides of
/// q, k, v, o and those of pages of k and v are multiples of 16, all others
/// of 4.
typedef struct fmhac_tensors {
  size_t size; ///< sizeof(fmhac_tensors); FMHAC_TENSORS_INIT sets it
  /// At most the plan's maxima, also of all sequences together.
  uint32_t batch, heads_q, heads_kv, seqlen_q, seqlen_kv;
  /// The factor of the scores; finite, from -FMHAC_MAX_SCALE to
  /// FMHAC_MAX_SCALE. 0, also -0, means 1/sqrt(Dqk).
  float scale;
  fmhac_device_ptr q, k, v, o;
  fmhac_strides q_strides, k_strides, v_strides, o_strides;
  fmhac_device_ptr lse; ///< f32 [B, Hq, Sq]
  uint64_t lse_batch_stride_bytes, lse_head_stride_bytes;
  /// i32 [B+1]: first row of each sequence. Starts with 0 and does not
  /// decrease; the tensors are [total, H, D] and their batch strides unused,
  /// LSE is [Hq, total]. seqlen_q, seqlen_kv are the longest sequence. Packed
  /// queries go with padded keys (seqlens_kv) and the other way round.
  fmhac_device_ptr cu_seqlens_q, cu_seqlens_kv;
  /// i32 [B]: rows in use of each batch, at most seqlen_q, seqlen_kv. Rows of O
  /// and LSE after them are not written. With kv_lengths cached seqlens_kv has
  /// the keys before this call, to which a batch adds as many as it has rows of
  /// Q: at most seqlen_kv together.
  fmhac_device_ptr seqlens_q, seqlens_kv;
  fmhac_device_ptr sink;             ///< f32 [Hq]
  fmhac_device_ptr alibi_slopes;     ///< f32 [B or 1, Hq]
  uint64_t alibi_batch_stride_bytes; ///< 0 broadcasts
  fmhac_device_ptr bias;      ///< f32 [B|1, Hq|1, Sq|1, Sk], keys contiguous
  fmhac_strides bias_strides; ///< 0 broadcasts
  /// f32 factors of 8-bit operands: what is stored times its factor is the
  /// operand. row_bytes is from one factor of a head to the next: by token
  /// those of neighbouring rows, by block those of neighbouring blocks; of K
  /// and V in pages, [pages, Hk], of neighbouring pages, below 2^32. Strides by
  /// which a granularity has no factors are not used, batch strides of packed
  /// factors by token neither; 0 broadcasts. An 8-bit O is divided by the f32
  /// at o_scale.
  fmhac_device_ptr q_scales, k_scales, v_scales, o_scale;
  fmhac_strides q_scales_strides, k_scales_strides, v_scales_strides;
  /// K and V in pages of N keys: [pages, N, Hk, D] by the strides of pages,
  /// rows and heads; batch strides are not used. With kv_layout vectorised K is
  /// [pages, Hk, D/x, N, x] and V [pages, Hk, N/x, D, x], x elements being 16
  /// bytes, by the strides of pages and heads; those of rows are 0. The number
  /// of a page (i32, from 0 to `pages` - 1) stands in `page_table` [B, P], with
  /// seqlens_kv, or in `kv_indices`: sequence b has its numbers from place
  /// kv_indptr[b] (i32 [B+1]) to kv_indptr[b + 1], and kv_indptr[0] may be > 0.
  /// kv_last_page_len[b] (i32 [B]) is how many keys the last of them has; of a
  /// sequence without pages anything from 0 to N. kv_indices is an address even
  /// if no sequence has a page. Sequences may share pages. Numbers past those
  /// in use are not read. Tables and lengths may change between launches, and
  /// replays of a captured one.
  fmhac_device_ptr page_table, kv_indptr, kv_indices, kv_last_page_len;
  uint64_t page_table_batch_stride_bytes;
  /// Below 2^32, and so are N strides of rows.
  uint64_t k_page_stride_bytes, v_page_stride_bytes;
  uint64_t pages; ///< that K and V each have; page 0 has to be there
  /// With rope_dim R the last R columns of K, [B, Sk, 1|Hk, R], in K's type and
  /// with its factors: packed as K is, or in pages of the same numbers; of one
  /// head for all the stride of heads is 0. K then has Dqk - R columns. With
  /// v_in_k V is the first Dv columns of K: v, v_scales and their strides are
  /// 0.
  fmhac_device_ptr k_rope;
  fmhac_strides k_rope_strides;
  uint64_t k_rope_page_stride_bytes; ///< below 2^32
} fmhac_tensors;
/// Sets the sizes, and all other fields to 0.
#define FMHAC_TENSORS_INIT                                                     \
  {                                                                            \
    sizeof(fmhac_tensors), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0, 0, 0}, {0, 0, 0}, \
        {0, 0, 0}, {0, 0, 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0, 0, 0}, 0,   \
        0, 0, 0, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0,   \
        {0, 0, 0}, 0                                                           \
  }

/// Fills `out_tensors` for contiguous [B, S, H, D] tensors of this problem and
/// an LSE [B, Hq, Sq] (`lse` may be 0): sizes, addresses and strides, with the
/// types and head sizes of the plan's kernel; scale and all else 0. K and V in
/// pages are [pages, N, Hk, D], or vectorised with all heads of a page on end;
/// the caller sets pages and tables. With rope_dim the strides of k_rope are
/// those of one head for all, and the caller sets its address; with v_in_k `v`
/// is 0. For packed sequences the tensors are
/// [total, H, D], and the caller sets lse_head_stride_bytes, because no size
/// here is the total.
/// Errors: INVALID_INPUT (`size` of either struct).
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_tensors_dense(
    const fmhac_plan *plan, const fmhac_problem *problem, fmhac_device_ptr q,
    fmhac_device_ptr k, fmhac_device_ptr v, fmhac_device_ptr o,
    fmhac_device_ptr lse, fmhac_tensors *out_tensors);

/// Packs and launches. Loads the kernel's module as fmhac_plan_load() does if
/// that was not called, but not while `stream` is being captured. Nothing else
/// allocates or synchronises. Several threads may launch one plan at the same
/// time. A plan of several launches starts all of them on the stream.
/// `workspace` is device memory of fmhac_plan_workspace_bytes(), NULL if that
/// is 0, whose first fmhac_plan_workspace_zero_bytes() are zeros; `stream` is
/// of fmhac_rt_stream_create() or a hipStream_t, NULL the default stream.
/// Errors: as fmhac_plan_pack(), fmhac_plan_load() and
/// fmhac_rt_launch_kernel(); INVALID_INPUT (it would have to be loaded while
/// the stream is captured).
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_launch(const fmhac_plan *plan,
                                                   fmhac_rt_device *device,
                                                   const fmhac_tensors *tensors,
                                                   void *workspace,
                                                   void *stream);

/// The launch as numbers, for callers that launch by other means: name, grid,
/// block and kernarg bytes (fmhac_abi.h) of launch `index`, below
/// fmhac_plan_launch_count(). Writes at most `kernarg_capacity_bytes` bytes to
/// `kernarg`, which the launch then points to: sizeof(fmhac_kernel_args) bytes,
/// or fewer where there is less room and the kernel requires no field beyond.
/// The name is the kernel's.
/// Errors: INVALID_INPUT (no such launch, a null address, a problem beyond the
/// plan, too little room), UNSUPPORTED (an address or a stride that the kernel
/// cannot take, a workspace that is not aligned to 64, with the number).
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_plan_pack(
    const fmhac_plan *plan, size_t index, const fmhac_tensors *tensors,
    fmhac_device_ptr workspace, void *kernarg, size_t kernarg_capacity_bytes,
    fmhac_rt_launch *out_launch);

#ifdef __cplusplus
}
#endif
#endif // FMHAC_H
