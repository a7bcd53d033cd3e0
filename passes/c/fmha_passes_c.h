// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// C face of the passes: registration, the embedded schedules, code generation
/// and the in-process link of a code object.
#ifndef FMHA_PASSES_C_H
#define FMHA_PASSES_C_H

#include <stdbool.h>
#include <stddef.h>

#include "mlir-c/IR.h"
#include "llvm-c/TargetMachine.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Registers the passes of fmha with MLIR's process-wide registry. Not safe
/// against itself: call it once.
MLIR_CAPI_EXPORTED void fmhaRegisterPasses(void);

/// Registers with `registry` every dialect and translation that the pipeline
/// and the export to LLVM IR use.
MLIR_CAPI_EXPORTED void fmhaRegisterDialects(MlirDialectRegistry registry);

/// Settings of a new context: diagnostics without the whole operation behind
/// them.
MLIR_CAPI_EXPORTED void fmhaContextConfigure(MlirContext context);

/// Name and text of built-in schedule `index`; false past the end. Borrowed for
/// ever.
MLIR_CAPI_EXPORTED bool fmhaBuiltinSchedule(size_t index, const char **out_name,
                                            const char **out_text);

/// Classes of instructions of a recipe: mfma, valu, trans, ds_read, vmem, salu.
enum { FMHA_MFMA, FMHA_VALU, FMHA_TRANS, FMHA_SCHED_CLASSES = 6 };
/// Their names. Borrowed for ever.
MLIR_CAPI_EXPORTED const char *fmhaSchedClassName(size_t index);

/// A stage of a pipeline, as it is in the loop.
typedef struct fmha_stage {
  const char *name;
  const char *kind;         ///< "memory", "compute"
  const char *const *steps; ///< "exp[5 to 8 of 8] ahead -1"
  size_t step_count;
  bool has_recipe;
  int64_t matrix_cycles; ///< of one of its matrix instructions; 0: it has none
  /// Of a wave and tile where no branch is taken, addresses and bounds aside;
  /// and what the recipe asks for.
  int64_t instructions[FMHA_SCHED_CLASSES], recipe[FMHA_SCHED_CLASSES];
} fmha_stage;

/// Calls `visit` with each stage of the kernels of a module at the rung
/// `pipelined`, in the order of the schedule. Borrowed during the call.
MLIR_CAPI_EXPORTED void
fmhaModuleVisitStages(MlirModule module,
                      void (*visit)(void *user, const fmha_stage *stage),
                      void *user);

/// What a table of schedules is looked up by.
typedef struct fmha_dispatch_key {
  const char *dtype; ///< "bf16", "f16"; others have no rows
  int64_t head_dim_qk, head_dim_v;
  int mask; ///< fmha_mask_kind of the dialect's face
  /// What scores pass through, as a row has it: "plain", "softcap|alibi".
  const char *scores;
  int lengths; ///< 0 any, 1 short, 2 long
} fmha_dispatch_key;

/// What a row says of a schedule.
typedef struct fmha_dispatch_figure {
  char schedule[1024]; ///< "": there is none
  double seconds;      ///< of the problem that was measured
  double cycles;       ///< of a compute unit for a KV tile of the schedule
} fmha_dispatch_figure;

typedef struct fmha_dispatch_choice {
  unsigned line; ///< of the row; 0: no row fits, or none that serves
  fmha_dispatch_figure best, other; ///< other: what it was measured against
  char problem[120];                ///< that was measured
  char *why;                        ///< malloc'd, one line; NULL without a row
  char *declined; ///< malloc'd, a line for each row that fits and does not
                  ///< serve; NULL if there is none
} fmha_dispatch_choice;

/// The first row of a table that fits and names a schedule that serves, as the
/// pass select-schedule finds it. A null `table` is the built-in one; `name`
/// stands for it in messages. False if the table is none; then `out_message` is
/// malloc'd text, else null.
MLIR_CAPI_EXPORTED bool fmhaDispatchChoose(
    const fmha_dispatch_key *key, MlirStringRef table, MlirStringRef name,
    bool (*serves)(void *user, MlirStringRef schedule), void *user,
    fmha_dispatch_choice *out_choice, char **out_message);
MLIR_CAPI_EXPORTED void fmhaDispatchChoiceDeinit(fmha_dispatch_choice *choice);

/// The text of a table with the row `line` in it, malloc'd: instead of the row
/// for the same, or before those that take part of what it is for. An empty
/// table is none yet. Null, with malloc'd text, if table or row are none.
MLIR_CAPI_EXPORTED char *fmhaDispatchPut(MlirStringRef table,
                                         MlirStringRef name, MlirStringRef line,
                                         char **out_message);

/// Generates code, assembly or an object, of a module that has the machine's
/// data layout, and changes the module. False if the machine has no such
/// output; malloc'd bytes else, or null where memory is out. Other errors go to
/// the diagnostic handler of the module's context.
MLIR_CAPI_EXPORTED bool fmhaEmitCode(LLVMTargetMachineRef machine,
                                     LLVMModuleRef module, bool is_object,
                                     void **out_bytes, size_t *out_size_bytes);

/// Links one relocatable gfx950 object to a code object with lld in this
/// process. lld keeps process-wide state, so calls run one at a time. On
/// success returns true and malloc'd bytes; else false and a malloc'd message.
MLIR_CAPI_EXPORTED bool fmhaLinkCodeObject(const void *object,
                                           size_t object_bytes, void **out_code,
                                           size_t *out_code_bytes,
                                           char **out_message);

#ifdef __cplusplus
}
#endif
#endif // FMHA_PASSES_C_H
