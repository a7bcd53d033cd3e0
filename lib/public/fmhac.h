// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// libfmhac: one attention configuration in, one gfx950 code object out, and
/// the means to launch it on any device of fmhac_rt.h.
///
///   context  ->  config  ->  query / compile  ->  kernel  ->  plan  ->  launch
///
/// Rules of the whole header. `create` and `take` give ownership to the caller,
/// `get` borrows from the object named first. Out-parameters come last and are
/// empty until success. Structs with a `size` field start with
/// `x.size = sizeof x` set by the caller. Nothing prints, exits or keeps global
/// state. Any thread may use any object, several of them the same one, as long
/// as none destroys it meanwhile. What the library calls back while it compiles
/// (log, progress, IR) must not compile in the same context: such a call is
/// INVALID_INPUT. A child of fork() may use a context that no thread of its
/// parent was using then; jobs and launches of the parent stay with the parent.
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

/// The version that this header is of.
#define FMHAC_VERSION "0.1.0"

/// What the objects of one user share: log, cache, compiler, last error.
typedef struct fmhac_context fmhac_context;
/// A checked configuration.
typedef struct fmhac_config fmhac_config;
/// A compiled configuration: a code object, and what launching it takes.
typedef struct fmhac_kernel fmhac_kernel;
/// A kernel for problems up to a size.
typedef struct fmhac_plan fmhac_plan;

//===- Context ------------------------------------------------------------===//

/// What kind of line the log receives.
typedef enum fmhac_severity {
  FMHAC_SEVERITY_ERROR,
  FMHAC_SEVERITY_WARNING,
  FMHAC_SEVERITY_REMARK ///< a pass declined something, with its reason
} fmhac_severity;

/// What a context is made with. Fields behind `log_user` came later: a caller
/// compiled against an earlier header passes its smaller size, and they count
/// as 0.
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
  /// time. As it is, the compiler has processes of its own, which start when
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

/// Errors: OUT_OF_MEMORY, INVALID_INPUT (a size smaller than any release had).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_context_create(const fmhac_context_options *options /* may be NULL */,
                     fmhac_context **out_context);

/// The environment variables that fmhac_context_create_from_environment()
/// reads. Nothing else in the library reads the environment.
typedef struct fmhac_environment_variable {
  const char *name;     ///< "FMHAC_CACHE"
  const char *metavar;  ///< "on|off"
  const char *fallback; ///< what holds where it is not set, or is empty
  const char *help;     ///< one line
} fmhac_environment_variable;
/// NULL past the end. Borrowed from the library, valid for ever.
FMHAC_API const fmhac_environment_variable *fmhac_environment_get(size_t index);

/// As fmhac_context_create(); cache directories, limit and table of schedules
/// come from the environment where `options` have none, and no directory is
/// used with FMHAC_CACHE=off, but those of `options`; where the compiler works
/// comes from it too, unless `options` have it work in this process. `text`
/// receives the reason of a failure (at most `text_bytes`, always terminated;
/// may be NULL). Errors: INVALID_INPUT (a variable with a value that is none of
/// its own), and those of fmhac_context_create().
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_context_create_from_environment(
    const fmhac_context_options *options /* may be NULL */, char *text,
    size_t text_bytes, fmhac_context **out_context);
/// Destroy what was created from the context first. NULL is allowed.
FMHAC_API void fmhac_context_destroy(fmhac_context *context);
/// The user's table of schedules that the context reads, or NULL; borrowed.
FMHAC_API const char *
fmhac_context_get_dispatch_table(const fmhac_context *context);

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
  /// Compiler processes that were started. A caller compiled against an earlier
  /// header passes the smaller size and does not get it.
  uint64_t compiler_processes;
} fmhac_stats;
/// Errors: INVALID_INPUT (`size`).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_context_get_stats(const fmhac_context *context, fmhac_stats *out_stats);

//===- Configuration ------------------------------------------------------===//

/// One row of the table of options (lib/config.def): the single source of
/// flags, JSON keys, ranges and help.
typedef struct fmhac_option_info {
  const char *key;           ///< JSON key, "head_dim"; the flag is --head-dim
  const char *metavar;       ///< "N", "none|causal|…"; "" for a switch
  const char *help;          ///< one line
  const char *fallback;      ///< default as text, "" if none
  const char *shorthand_for; ///< "head_dim_qk head_dim_v": sets both; else ""
  bool is_switch;  ///< takes no value on the command line; JSON true/false
  bool is_integer; ///< JSON number without a fraction
  bool is_real;    ///< JSON number
  bool is_problem; ///< belongs to the problem (lengths), not to the code
  bool works;      ///< false: reserved, answers UNSUPPORTED
} fmhac_option_info;

/// Rows of the table.
FMHAC_API size_t fmhac_option_count(void);
/// NULL past the end. Borrowed from the library, valid for ever.
FMHAC_API const fmhac_option_info *fmhac_option_get(size_t index);

/// The candidate that `word` is most likely a misspelling of, or NULL if none
/// is near. '-' and '_' count as equal.
FMHAC_API const char *fmhac_nearest_spelling(const char *word,
                                             const char *const *candidates,
                                             size_t count);

/// Parses a configuration: one JSON object with keys of the option table. Keys
/// of the problem are accepted and ignored here. Where it leaves the schedule
/// open ("auto") and the context's table of schedules has one for it, the
/// configuration is as if it had named that one, and a remark says why. Errors:
/// INVALID_INPUT (malformed JSON with line and column, unknown key with the
/// nearest spelling, a value out of range; a line of the table), IO_ERROR (the
/// table). Whether the configuration can be compiled is
/// fmhac_query()'s answer.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_config_create_json(
    fmhac_context *context, const char *json, fmhac_config **out_config);
FMHAC_API void fmhac_config_destroy(fmhac_config *config);

/// Canonical JSON of the configuration: every key that affects the code, in the
/// order of the table. Borrowed from the configuration.
FMHAC_API const char *fmhac_config_get_canonical(const fmhac_config *config);

/// Why a configuration that leaves the schedule open gets the one that it gets:
/// the row of a table of measurements.
typedef struct fmhac_schedule_choice {
  char why[512];  ///< one line; also of what was asked for by name
  uint32_t line;  ///< of the row in its table; 0: no row, and what follows is 0
  double seconds; ///< that a problem took with the schedule
  double cycles;  ///< of a compute unit for a KV tile of the schedule
  char other[64]; ///< the next best schedule; "" if none was measured
  double other_seconds, other_cycles; ///< likewise
  char problem[128];                  ///< that was measured
} fmhac_schedule_choice;

/// Whether this build compiles a configuration. Fields behind `schedule` came
/// later: a caller compiled against an earlier header passes its smaller size
/// and does not get them.
typedef struct fmhac_support {
  size_t size; ///< sizeof(fmhac_support), set by the caller
  bool supported;
  char field[64];    ///< the first field that stands in the way
  char reason[256];  ///< why
  char nearest[512]; ///< canonical JSON of the nearest supported configuration
  char schedule[64]; ///< the schedule that would be used
  fmhac_schedule_choice choice; ///< why that one
} fmhac_support;
/// An unsupported configuration is an answer, not an error. Errors:
/// INVALID_INPUT (no built-in schedule of that name; `size`), OUT_OF_MEMORY.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_query(fmhac_context *context,
                                                  const fmhac_config *config,
                                                  fmhac_support *out_support);

//===- Compilation --------------------------------------------------------===//

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
/// CMake function fmhac_add_kernels() write it.
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

/// A compilation that goes on while the caller does something else.
typedef struct fmhac_job fmhac_job;

/// How far a job is.
typedef struct fmhac_job_progress {
  size_t size; ///< sizeof(fmhac_job_progress), set by the caller
  bool finished;
  uint32_t done, total; ///< steps of the compiler; 0 before it begins, and for
                        ///< a kernel that need not be compiled
  char stage[40];       ///< the step that it is at; "" before it begins
} fmhac_job_progress;

/// Whom a job tells. Both calls come on a thread of the context, `finished` on
/// the one that cancels a job before it begins. They may cancel and start jobs,
/// but not wait for one or destroy it.
typedef struct fmhac_job_options {
  size_t size; ///< sizeof(fmhac_job_options), set by the caller
  /// A step of the compiler begins. May be NULL.
  void (*progress)(void *user, const fmhac_job_progress *progress);
  /// fmhac_job_wait() does not wait any more. May be NULL.
  void (*finished)(void *user);
  void *user;
} fmhac_job_options;

/// Begins what fmhac_compile() does on a thread of the context. `config` may be
/// destroyed at once. Errors: INVALID_INPUT (a size that no release had),
/// OUT_OF_MEMORY (also for threads); others are the job's.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_compile_start(
    fmhac_context *context, const fmhac_config *config,
    const fmhac_job_options *options /* may be NULL */, fmhac_job **out_job);
/// Errors: INVALID_INPUT (`size`).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_job_get_progress(fmhac_job *job, fmhac_job_progress *out_progress);
/// Waits, at most `milliseconds`; for ever if they are negative. The kernel is
/// the caller's, each time. Errors: TIMED_OUT, CANCELLED, and those of
/// fmhac_compile(), with the text in the context.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_job_wait(fmhac_job *job,
                                                     int64_t milliseconds,
                                                     fmhac_kernel **out_kernel);
/// Asks for the end of a job and does not wait for it. A compiler process that
/// works for it is ended; a compiler in this process stops before its next
/// step. What is done stays done.
FMHAC_API void fmhac_job_cancel(fmhac_job *job);
/// Cancels the job unless it has finished, waits for that, and frees it. NULL
/// is allowed.
FMHAC_API void fmhac_job_destroy(fmhac_job *job);

/// One file of the cache directory. Strings are borrowed during the call that
/// it is given to.
typedef struct fmhac_cache_entry {
  size_t size;          ///< sizeof(fmhac_cache_entry), set by the library
  const char *path;     ///< of the file
  uint64_t bytes;       ///< of the file
  int64_t used_seconds; ///< last use, about, since 1970
  const char *fault;    ///< why it counts as missing; NULL: it is whole
  bool is_current;      ///< compiled by this very build
  const char *kernel;   ///< its name; "" with a fault, as the two below
  const char *schedule; ///< that it was compiled with
  const char *config;   ///< canonical configuration
} fmhac_cache_entry;

/// The directory that this context keeps kernels in, or NULL; borrowed.
FMHAC_API const char *fmhac_cache_get_directory(const fmhac_context *context);
/// Most bytes that it may hold.
FMHAC_API uint64_t fmhac_cache_get_limit_bytes(const fmhac_context *context);

/// Calls `visit` with every entry of the cache directory, in no order, whatever
/// it holds; stops where it answers false. Errors: INVALID_INPUT (the context
/// has no cache directory), IO_ERROR (also a directory that is not the user's
/// own), OUT_OF_MEMORY.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_cache_visit(
    fmhac_context *context,
    bool (*visit)(void *user, const fmhac_cache_entry *entry), void *user);

/// What removing entries came to.
typedef struct fmhac_cache_usage {
  size_t size;             ///< sizeof(fmhac_cache_usage), set by the caller
  uint64_t entries, bytes; ///< that are left
  uint64_t removed, removed_bytes;
} fmhac_cache_usage;

/// Removes what has not been used for longest until at most `limit_bytes` are
/// left: 0 removes everything. Kernels that are in use stay as they are.
/// Errors: INVALID_INPUT (no cache directory), IO_ERROR (another process is at
/// it, or a directory cannot be read).
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_cache_prune(
    fmhac_context *context, uint64_t limit_bytes, fmhac_cache_usage *out_usage);

/// Removes the entries with a fault, and those of other builds if `others`.
/// Errors: as fmhac_cache_prune().
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_cache_clean(
    fmhac_context *context, bool others, fmhac_cache_usage *out_usage);

/// The code object; borrowed from the kernel.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_kernel_get_code(
    const fmhac_kernel *kernel, const void **out_bytes, size_t *out_size_bytes);
/// Symbol name of the kernel; borrowed.
FMHAC_API const char *fmhac_kernel_get_name(const fmhac_kernel *kernel);
/// Name of the schedule that the kernel was compiled with; borrowed.
FMHAC_API const char *fmhac_kernel_get_schedule(const fmhac_kernel *kernel);

/// What a kernel can say of itself, by name: "config" (canonical JSON), "log"
/// (warnings and remarks of its compilation, a line each, also where it came
/// from a cache), "statistics" (a JSON object: code_object_bytes, lds_bytes,
/// vgprs, spills, scratch_bytes, tile_rows, block_threads, kernel, schedule),
/// or what stands at a rung (below), for which the compiler works once more.
/// Writes it to `buffer` and its size to `out_bytes`, with the terminator of a
/// text; "obj" and "hsaco" are bytes. NULL for `buffer` asks for the size, and
/// the call after it costs nothing.
/// Errors: INVALID_INPUT (no such text; `buffer_bytes` too small, and nothing
/// is written), UNSUPPORTED (a rung of a kernel that came as a code object and
/// whose configuration names files), and those of fmhac_compile().
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_kernel_get_text(const fmhac_kernel *kernel, const char *what,
                      void *buffer, size_t buffer_bytes, size_t *out_bytes);

/// The rungs of the ladder, in order; NULL past the end: "problem", "tiles", …,
/// "hsaco".
FMHAC_API const char *fmhac_rung_name(size_t index);

/// Stops at a rung and returns what stands there: text, or bytes for "obj" and
/// "hsaco". The caller frees with fmhac_free().
/// Errors: as fmhac_compile(); INVALID_INPUT (no such rung).
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_emit(fmhac_context *context,
                                                 const fmhac_config *config,
                                                 const char *rung,
                                                 void **out_bytes,
                                                 size_t *out_size_bytes);
/// As a whole compile; calls `sink` with the IR after every stage of the
/// pipeline, in order.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_emit_after_all(
    fmhac_context *context, const fmhac_config *config,
    void (*sink)(void *user, const char *stage, const char *text), void *user);
/// The pipeline that a configuration would run, one stage a line, with every
/// option written out. The caller frees with fmhac_free().
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_emit_pipeline(
    fmhac_context *context, const fmhac_config *config, char **out_text);
FMHAC_API void fmhac_free(void *bytes);

/// Built-in schedules: name, or NULL past the end; and the text of its file, or
/// NULL if there is none of that name. Borrowed, valid for ever.
FMHAC_API const char *fmhac_schedule_name(size_t index);
FMHAC_API const char *fmhac_schedule_text(const char *name);

/// Calls `line` with every instruction of a kernel of a gfx950 code object
/// (ours or not), in order; `pc` counts bytes from the kernel's entry. Bytes
/// that are no instruction read "<unknown>". The text is borrowed during the
/// call. Errors: INVALID_INPUT (no code object, no such kernel).
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_disassemble(
    const void *code, size_t code_bytes, const char *kernel,
    void (*line)(void *user, uint64_t pc, const char *text), void *user);

/// Versions that went into this build, "fmhac 0.1.0, LLVM 22.1.8, ABI 1".
FMHAC_API const char *fmhac_version_text(void);

/// The tile of a workgroup under the schedule in the text of a schedule file:
/// rows of Q, and keys of K and V of a step over them. `name` stands for the
/// file in messages. Works in the caller's process, as the two below. Errors:
/// INVALID_INPUT (the text is no schedule file), OUT_OF_MEMORY.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_schedule_get_tile(fmhac_context *context, const char *text,
                        const char *name, int64_t *out_rows, int64_t *out_keys);

/// Something of a schedule that can be changed on its own: a choice, or a count
/// of a recipe.
typedef struct fmhac_schedule_knob {
  size_t size;      ///< sizeof(fmhac_schedule_knob), set by the library
  const char *name; ///< "grid", "@scores.nops", "@scores.groups[3][1]"
  const char *pool; ///< counts of one pool may be exchanged; "": a choice
  const char *word; ///< of the value or of its kind; "" if it has none
  /// Values are low, low + step, ..., high. Units are those of the key that the
  /// name ends with in fmhac-schedule(5), such as bytes of max_pad_bytes;
  /// counts of a recipe are instructions, and a choice between words their
  /// number.
  int64_t value, low, high, step;
} fmhac_schedule_knob;
/// Calls `visit` with each of the schedule in the text of a schedule file; in
/// an order that depends on the schedule only. Texts are borrowed during the
/// call, while a lock of the context is held: `visit` must not compile with it,
/// nor call this function or the next, which are INVALID_INPUT then. Both work
/// in the caller's process, wherever the compiler of the context does, and
/// start LLVM there. Errors: INVALID_INPUT (the text is no schedule file),
/// OUT_OF_MEMORY.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_schedule_visit_knobs(
    fmhac_context *context, const char *text,
    void (*visit)(void *user, const fmhac_schedule_knob *knob), void *user);

/// A knob that is to be set.
typedef struct fmhac_schedule_setting {
  const char *name;
  int64_t value;
} fmhac_schedule_setting;
/// The text of a schedule file with some knobs set, in any order, and the
/// schedule renamed; the rest is as it was, comments are lost. `new_name` has
/// letters of ASCII, digits and '_', the first no digit. The caller frees with
/// fmhac_free(). Errors: INVALID_INPUT (the text is no schedule file; another
/// name, an unknown knob, one out of its bounds, one that is set twice, a
/// schedule that does not verify), OUT_OF_MEMORY.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_schedule_change(
    fmhac_context *context, const char *text, const char *new_name,
    const fmhac_schedule_setting *settings, size_t count, char **out_text);

/// What was measured of a configuration: a row of a table of schedules.
typedef struct fmhac_schedule_row {
  size_t size;                ///< sizeof(fmhac_schedule_row), set by the caller
  const fmhac_config *config; ///< the row is for its types, head sizes, kind of
                              ///< mask, functions of scores and lengths
  const char *schedule;       ///< the best: a built-in, or a file, beside the
                              ///< table unless its path is absolute
  double seconds, cycles;     ///< as in fmhac_schedule_choice; above 0
  const char *other;          ///< the next best; NULL if there is none
  double other_seconds, other_cycles;
  const char *problem; ///< in words without a comma: "B1 Hq64 Hk8 Sq512 Sk512"
} fmhac_schedule_row;
/// The text of a table of schedules with a row in it: instead of the row for
/// the same, else before those that take part of what it is for. `table` is the
/// text so far, empty if there is none; `name` stands for it in messages. The
/// caller frees with fmhac_free(). Errors: INVALID_INPUT (`size`; the text is
/// no table, at which line; a name that is empty, or has a comma or an end of
/// line; a number that is not above 0), OUT_OF_MEMORY.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_schedule_table_put(
    fmhac_context *context, const char *table, const char *name,
    const fmhac_schedule_row *row, char **out_text);

//===- Launch -------------------------------------------------------------===//

/// The largest |scale| of a launch. A kernel subtracts the maximum from a score
/// in f32, in units of log2: from 2^27 on that is off by 2^3 and more, and a
/// weight that should be 1 passes what f16 holds. With this scale scores may be
/// as large as 1400 before they are scaled, which unit normal inputs do not
/// reach, also where some keys are multiplied by 12. Above 2^27 / log2(e) what
/// scale and inputs give together is the caller's to avoid.
#define FMHAC_MAX_SCALE 65536.0

/// Byte strides of one tensor [B, H, S, D]; D is contiguous.
typedef struct fmhac_strides {
  uint64_t batch_bytes, head_bytes, row_bytes;
} fmhac_strides;

/// Sizes of one problem.
typedef struct fmhac_problem {
  size_t size; ///< sizeof(fmhac_problem), set by the caller
  uint32_t batch, heads_q, heads_kv, seqlen_q, seqlen_kv;
} fmhac_problem;

/// Tensors of one launch. Fields behind `scale` came later: a caller compiled
/// against an earlier header passes its smaller size, and they count as 0; a
/// larger size is UNSUPPORTED if what lies behind the fields known here is set.
/// A kernel takes each of them exactly if its configuration says so: an address
/// that is missing or too much is INVALID_INPUT.
typedef struct fmhac_tensors {
  size_t size;              ///< sizeof(fmhac_tensors), set by the caller
  fmhac_problem problem;    ///< at most the plan's maxima
  uint64_t q, k, v, o, lse; ///< device addresses, multiples of 16; lse may be 0
  fmhac_strides q_strides, k_strides, v_strides, o_strides;
  uint64_t lse_batch_stride_bytes, lse_head_stride_bytes;
  float scale; ///< finite, at most FMHAC_MAX_SCALE either way
  /// i32 [B+1], 0 if the kernel takes none: first row of each sequence. Starts
  /// with 0 and does not decrease; the tensors are [total, H, D] and their
  /// batch strides unused, LSE is [Hq, total]. problem.seqlen_q, seqlen_kv are
  /// the longest sequence.
  uint64_t cu_seqlens_q, cu_seqlens_kv;
  /// i32 [B]: rows in use of each batch, at most problem.seqlen_q, seqlen_kv.
  /// Rows of O and LSE behind them are not written.
  uint64_t seqlens_q, seqlens_kv;
  uint64_t sink; ///< f32 [Hq]
  /// f32 [B or 1, Hq]; stride 0 broadcasts.
  uint64_t alibi_slopes, alibi_batch_stride_bytes;
  uint64_t bias;              ///< f32 [B|1, Hq|1, Sq|1, Sk], keys contiguous
  fmhac_strides bias_strides; ///< multiples of 4; 0 broadcasts
} fmhac_tensors;

/// Strides of a contiguous [B, S, H, D] tensor.
FMHAC_API fmhac_strides fmhac_strides_bshd(uint32_t heads, uint32_t seqlen,
                                           uint32_t head_dim,
                                           uint32_t element_bytes);

/// A plan for problems up to `max_problem`. The kernel outlives the plan.
/// Errors: INVALID_INPUT (a size of 0, heads that are no multiple of the kv
/// heads), UNSUPPORTED (lengths beyond what the kernel's offsets can hold, or
/// more than 2^32 work-items in all, which no GPU has been seen to run right;
/// with the bound).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_plan_create(const fmhac_kernel *kernel, const fmhac_problem *max_problem,
                  fmhac_plan **out_plan);
/// Also unloads the kernel's modules: before the devices that it launched on
/// are closed. NULL is allowed.
FMHAC_API void fmhac_plan_destroy(fmhac_plan *plan);
/// A pure function of kernel and maxima.
FMHAC_API size_t fmhac_plan_workspace_bytes(const fmhac_plan *plan);

/// The launch as numbers, for callers that launch by other means: grid, block,
/// kernarg bytes (fmhac_kernel_args). Writes at most `kernarg_capacity` bytes.
/// Errors: INVALID_INPUT (null address, problem beyond the plan), UNSUPPORTED
/// (an address or a stride that the kernel cannot take, with the number).
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_plan_pack(
    const fmhac_plan *plan, const fmhac_tensors *tensors, uint64_t workspace,
    void *kernarg, size_t kernarg_capacity, fmhac_rt_launch *out_launch);

/// Loads the kernel's module on `device`, where the plan keeps it; nothing
/// happens if it is loaded. fmhac_launch() does that on first use, which
/// allocates and may wait for the device: call this first where a launch must
/// do neither, and before a stream is captured. Threads may call it at once.
/// Errors: INVALID_INPUT (the device refuses the code object), OUT_OF_MEMORY,
/// LAUNCH_FAILED.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_plan_load(const fmhac_plan *plan,
                                                      fmhac_rt_device *device);

/// Packs and launches; loads the kernel's module as fmhac_plan_load() does if
/// that was not called, but not while `stream` is being captured. No other
/// allocation, no synchronisation. Threads may launch one plan at once.
/// Errors: as fmhac_plan_pack(), fmhac_plan_load() and
/// fmhac_rt_launch_kernel(); INVALID_INPUT (it would have to be loaded while
/// the stream is captured).
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_launch(const fmhac_plan *plan,
                                                   fmhac_rt_device *device,
                                                   const fmhac_tensors *tensors,
                                                   void *workspace,
                                                   void *stream);

#ifdef __cplusplus
}
#endif
#endif // FMHAC_H
