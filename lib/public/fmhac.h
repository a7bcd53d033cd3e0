// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// libfmhac: one attention configuration in, one gfx950 code object out, and
/// the means to launch it on any device of fmhac_rt.h.
///
///   context  ->  config  ->  query / compile  ->  kernel  ->  plan  ->  launch
///
/// This header is that way. Beside it: fmhac_jobs.h (compile in the
/// background), fmhac_options.h (tables of options and environment variables),
/// fmhac_schedule.h, fmhac_inspect.h (facts of a kernel, IR, disassembly),
/// fmhac_cache.h, fmhac_emu.h and fmhac_timing.h (the emulator).
///
/// Rules of all of them.
/// - `create`, `open` and `take` give ownership to the caller, `get` borrows
///   from the object named first. Out-parameters come last and are empty until
///   success.
/// - fmhac_rt.h says what a null pointer, an object of somebody else, and the
///   `size` of a struct mean; here, too, of another context. Structs with
///   `size` grow at their ends only, those without never change. The caller
///   sets `x.size = sizeof x`, and 0 where it has no wish.
/// - The text of a failure is in one place: the context (fmhac_last_error), or,
///   of fmhac_rt_ and fmhac_emu_ functions, the device (fmhac_rt_last_error).
///   fmhac_launch() takes the device's text over into the context. Calls that
///   have neither yet write to a buffer of the caller.
/// - Nothing prints, exits or keeps global state. Any thread may use any
///   object, several of them the same one, as long as none destroys it
///   meanwhile. What the library calls back while it compiles (log, progress,
///   IR) must not compile in the same context: that is INVALID_INPUT. A child
///   of fork() may use a context that no thread of its parent was using then;
///   jobs and launches of the parent stay with the parent.
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

/// The version that this header is of, as text and as 10000 × major + 100 ×
/// minor + patch.
#define FMHAC_VERSION "0.1.0"
#define FMHAC_VERSION_NUMBER 100
/// The version of the library that runs.
FMHAC_API uint32_t fmhac_version_number(void);
/// Versions that went into it: "fmhac 0.1.0, LLVM 22.1.8, ABI 1".
FMHAC_API const char *fmhac_version_text(void);

/// What the objects of one user share: log, cache, compiler, last error.
typedef struct fmhac_context fmhac_context;
/// A checked configuration.
typedef struct fmhac_config fmhac_config;
/// A compiled configuration: a code object, and what launching it takes.
typedef struct fmhac_kernel fmhac_kernel;
/// A kernel for problems up to a size.
typedef struct fmhac_plan fmhac_plan;

/// Frees what a call gave to the caller as bytes or text. NULL is allowed.
FMHAC_API void fmhac_free(void *bytes);

//===- Context ------------------------------------------------------------===//

/// What kind of line the log receives.
typedef enum fmhac_severity {
  FMHAC_SEVERITY_ERROR,
  FMHAC_SEVERITY_WARNING,
  FMHAC_SEVERITY_REMARK ///< a pass declined something, with its reason
} fmhac_severity;

/// What a context is made with. NULL and 0 are the
/// defaults.
typedef struct fmhac_context_options {
  size_t size; ///< sizeof(fmhac_context_options), set by the caller
  /// Receives diagnostics, one line each, on the thread of the call that caused
  /// them, or on the context's own that compiles for fmhac_compile_start(); of
  /// several threads at the same time. May be NULL.
  void (*log)(void *user, fmhac_severity severity, const char *text);
  void *log_user;
  /// Kernels without line tables. With them, debuggers and the emulator's
  /// findings name step and line of KERNEL.synced.mlir, the text that
  /// fmhac_emit() gives for the rung `synced`; the instructions are the same.
  bool no_line_tables;
  /// Where fmhac_compile() looks for kernels and keeps what it compiles; made
  /// when it is needed. It and what is in it must belong to the effective user
  /// and be writable by nobody else, else it counts as empty, with a warning,
  /// and nothing is kept. NULL: nowhere. Copied.
  const char *cache_directory;
  /// Where it looks besides, in this order, and writes nothing; what belongs to
  /// root counts here too. Copied.
  const char *const *read_only_cache_directories;
  size_t read_only_cache_directory_count;
  /// Kernels that have not been used for longest leave the cache directory when
  /// it holds more; 0 means 2^30.
  uint64_t cache_limit_bytes;
  /// Kernels that the context itself keeps; 0 means 256.
  uint32_t memory_kernels;
  /// Compilations side by side, those of fmhac_compile_start() included; others
  /// wait. 0 means one for each processor that affinity and cgroups leave to
  /// the process, at most 8.
  uint32_t parallel_compilations;
  /// The compiler works in this process, one compilation of the context at a
  /// time. By default the compiler has processes of its own, which start when
  /// they are needed and end after a minute without work: a fatal error of LLVM
  /// is COMPILER_DIED and not the end of the caller.
  bool compile_in_process;
  /// No cache directory is used, whatever the environment says of them.
  bool no_cache_directories;
  /// The program of those processes; NULL: fmhac-compiler, as it is installed
  /// with the library. Copied.
  const char *compiler_program;
  /// Memory of the context and of what is created from it, as realloc() gives
  /// it; `size` 0 frees. Called from any thread. What a call needs only while
  /// it runs, and what fmhac_free() frees, comes from the C library. NULL: so
  /// does everything.
  void *(*reallocate)(void *user, void *bytes, size_t size);
  void *reallocate_user;
  /// A table of schedules (`fmhac tune --table` writes such files; fmhac(1)
  /// describes them) that is read before the built-in one, when a configuration
  /// is made that leaves the schedule open. Schedule files that it names are
  /// beside it unless their paths are absolute. NULL: none. Copied.
  const char *dispatch_table;
  /// Leaves out the audit. It looks in each code object for missing waits and
  /// wait states, and for instructions that LLVM is known to make wrong;
  /// fmhac_compile() returns CODEGEN_FAILED if it finds one. Kernels compiled
  /// without it have entries of their own in cache directories.
  bool no_audit;
  /// Seconds that the compiler may work at one request: then its process is
  /// ended and the call is COMPILE_TIMED_OUT, with the step that it was at. A
  /// compiler in this process looks at the clock between its steps only, and
  /// code generation is one. 0 means 120.
  uint32_t compile_timeout_seconds;
} fmhac_context_options;

/// A context; NULL for `options` is all defaults, which use no cache directory.
/// Errors: OUT_OF_MEMORY, INVALID_INPUT (`size`; a read-only directory that is
/// a null pointer).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_context_create(const fmhac_context_options *options /* may be NULL */,
                     fmhac_context **out_context);
/// As fmhac_context_create(); cache directories, limit, table of schedules and
/// where the compiler works come from the environment (fmhac_options.h) where
/// `options` do not say. `text` receives the reason of a failure (at most
/// `text_bytes`, always terminated; may be NULL). Errors: INVALID_INPUT (a
/// variable with a value that is none of its own), and those of
/// fmhac_context_create().
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_context_create_from_environment(
    const fmhac_context_options *options /* may be NULL */, char *text,
    size_t text_bytes, fmhac_context **out_context);
/// Destroy what was created from the context first. NULL is allowed.
FMHAC_API void fmhac_context_destroy(fmhac_context *context);

/// Text of the last failure of this thread in this context; "" if none, or that
/// of a thread that has ended and had the same pthread_t. Borrowed until the
/// thread's next call with the context.
FMHAC_API const char *fmhac_last_error(const fmhac_context *context);

/// Where the kernels of fmhac_compile() came from, since the context was made.
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
/// (fmhac_options.h). Keys of the problem are accepted and ignored here. Where
/// it leaves the schedule open ("auto") and the context's table of schedules
/// has one for it, the configuration is as if it had named that one, and a
/// remark says why. Whether it can be compiled is fmhac_query()'s answer.
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
  char field[64];    ///< the first field that stands in the way
  char reason[256];  ///< why
  char nearest[512]; ///< canonical JSON of the nearest supported configuration
  char schedule[64]; ///< that would be used; fmhac_query_schedule() says why
} fmhac_support;
/// An unsupported configuration is an answer, not an error. Errors:
/// INVALID_INPUT (no built-in schedule of that name; `size`), OUT_OF_MEMORY.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_query(fmhac_context *context,
                                                  const fmhac_config *config,
                                                  fmhac_support *out_support);

//===- Kernel -------------------------------------------------------------===//

/// Compiles to a code object, or takes one that was compiled from the same:
/// first of this context, then of the cache directories. What is wrong with a
/// directory or an entry is a warning in the log and costs a compile. Of
/// processes that want one kernel at the same time one compiles, the others
/// wait for it. Kernels of the same request may be the same object, with as
/// many references as calls. The call audits each code object that it compiles
/// before it returns or keeps it, unless the context has `no_audit`.
/// Errors: UNSUPPORTED, INVALID_INPUT (a schedule file), IO_ERROR (it cannot be
/// read, or no compiler process starts), PASS_FAILED, CODEGEN_FAILED,
/// COMPILER_DIED, COMPILE_TIMED_OUT, OUT_OF_MEMORY, INTERNAL.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_compile(fmhac_context *context,
                                                    const fmhac_config *config,
                                                    fmhac_kernel **out_kernel);

/// A code object that a program carries, as `fmhac compile --embed` and the
/// CMake function fmhac_add_kernels() write it. This struct never changes.
typedef struct fmhac_embedded_kernel {
  const char *name;   ///< of the configuration's file, without ".json"
  const char *config; ///< canonical JSON of the configuration
  const void *bytes;  ///< for fmhac_kernel_create_from_code()
  size_t size_bytes;
} fmhac_embedded_kernel;
/// A kernel from the bytes of a code object that fmhac compiled, such as one
/// that a program carries; they are copied. Needs neither compiler nor cache.
/// Any bytes may be given: a kernel is made only of a code object that is byte
/// for byte what was compiled, as its digest says, and whose workgroup, LDS and
/// arguments are those of its note.
/// Errors: INVALID_INPUT (truncated, damaged, or compiled by something else),
/// UNSUPPORTED (compiled for other kernel arguments, with both versions),
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
} fmhac_problem;

/// A plan for problems up to `max_problem`. The kernel outlives the plan.
/// Errors: INVALID_INPUT (a size of 0, heads that are no multiple of the kv
/// heads), UNSUPPORTED (lengths beyond what the kernel's offsets can hold, or
/// more than 2^32 work-items in all, which no GPU has been seen to run right;
/// with the bound).
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
/// that it launched on. NULL is allowed.
FMHAC_API void fmhac_plan_destroy(fmhac_plan *plan);
/// The plan's kernel; borrowed from the plan if that owns it.
FMHAC_API const fmhac_kernel *fmhac_plan_get_kernel(const fmhac_plan *plan);
/// Device memory that each launch of the plan needs beside its tensors, in
/// bytes: a pure function of kernel and maxima.
FMHAC_API size_t fmhac_plan_workspace_bytes(const fmhac_plan *plan);
/// Kernels that one fmhac_launch() starts, one after the other.
FMHAC_API size_t fmhac_plan_launch_count(const fmhac_plan *plan);
/// Loads the kernel's module on `device`, where the plan keeps it; nothing
/// happens if it is loaded. fmhac_launch() does that on first use, which
/// allocates and may wait for the device: call this first where a launch must
/// do neither, and before a stream is captured. Threads may call it at once.
/// Errors: INVALID_INPUT (the device refuses the code object), OUT_OF_MEMORY,
/// LAUNCH_FAILED.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_plan_load(const fmhac_plan *plan,
                                                      fmhac_rt_device *device);

//===- Launch -------------------------------------------------------------===//

/// The largest |scale| of a launch. A kernel subtracts the maximum from a score
/// in f32, in units of log2: from 2^27 on that is off by 2^3 and more, and a
/// weight that should be 1 passes what f16 holds. With this scale scores may be
/// as large as 1400 before they are scaled, which unit normal inputs do not
/// reach, also where some keys are multiplied by 12. Above 2^27 / log2(e) what
/// scale and inputs give together is the caller's to avoid.
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

/// Sizes and tensors of one launch. A kernel takes each tensor exactly if its
/// configuration says so: an address that is missing or too much is
/// INVALID_INPUT. Addresses of q, k, v, o and lse and strides of q, k, v and o
/// are multiples of 16, all others of 4.
typedef struct fmhac_tensors {
  size_t size; ///< sizeof(fmhac_tensors); FMHAC_TENSORS_INIT sets it
  /// At most the plan's maxima.
  uint32_t batch, heads_q, heads_kv, seqlen_q, seqlen_kv;
  /// Of scores; finite, at most FMHAC_MAX_SCALE either way. 0, also -0, means
  /// 1/sqrt(Dqk).
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
  /// and LSE after them are not written.
  fmhac_device_ptr seqlens_q, seqlens_kv;
  fmhac_device_ptr sink;             ///< f32 [Hq]
  fmhac_device_ptr alibi_slopes;     ///< f32 [B or 1, Hq]
  uint64_t alibi_batch_stride_bytes; ///< 0 broadcasts
  fmhac_device_ptr bias;      ///< f32 [B|1, Hq|1, Sq|1, Sk], keys contiguous
  fmhac_strides bias_strides; ///< 0 broadcasts
} fmhac_tensors;
/// Sizes set, the rest 0.
#define FMHAC_TENSORS_INIT                                                     \
  {                                                                            \
    sizeof(fmhac_tensors), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0, 0, 0}, {0, 0, 0}, \
        {0, 0, 0}, {0, 0, 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {               \
      0, 0, 0                                                                  \
    }                                                                          \
  }

/// Fills `out_tensors` for contiguous [B, S, H, D] tensors of this problem and
/// an LSE [B, Hq, Sq] (`lse` may be 0): sizes, addresses and strides, with the
/// types and head sizes of the plan's kernel; scale and all else 0. Of packed
/// sequences the tensors are [total, H, D], and lse_head_stride_bytes is the
/// caller's to set: no size here is their total.
/// Errors: INVALID_INPUT (`size` of either struct).
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_tensors_dense(
    const fmhac_plan *plan, const fmhac_problem *problem, fmhac_device_ptr q,
    fmhac_device_ptr k, fmhac_device_ptr v, fmhac_device_ptr o,
    fmhac_device_ptr lse, fmhac_tensors *out_tensors);

/// Packs and launches; loads the kernel's module as fmhac_plan_load() does if
/// that was not called, but not while `stream` is being captured. No other
/// allocation, no synchronisation. Threads may launch one plan at once.
/// `workspace` is device memory of fmhac_plan_workspace_bytes(), NULL if that
/// is 0; `stream` is of fmhac_rt_stream_create() or a hipStream_t, NULL the
/// default stream.
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
/// `kernarg`, which the launch then points to. The name is the kernel's.
/// Errors: INVALID_INPUT (no such launch, a null address, a problem beyond the
/// plan, too little room), UNSUPPORTED (an address or a stride that the kernel
/// cannot take, with the number).
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_plan_pack(
    const fmhac_plan *plan, size_t index, const fmhac_tensors *tensors,
    fmhac_device_ptr workspace, void *kernarg, size_t kernarg_capacity_bytes,
    fmhac_rt_launch *out_launch);

#ifdef __cplusplus
}
#endif
#endif // FMHAC_H
