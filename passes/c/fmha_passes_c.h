// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// C face of the passes: registration, code generation
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

/// Settings of a new context: diagnostics without the whole operation after
/// them.
MLIR_CAPI_EXPORTED void fmhaContextConfigure(MlirContext context);

/// The schedule of a file, complete.
typedef struct fmha_schedule_file {
  MlirAttribute schedule; ///< with its recipe in its stages
  MlirStringRef name;     ///< borrowed from the context
  MlirStringRef recipe;   ///< likewise; empty: it refers to none
} fmha_schedule_file;

/// Parses the text of a schedule file: a module with one `fmha.schedule`, and
/// what it is derived from and refers to, unless that is built in. False, the
/// reason with line and column going to the context's diagnostic handlers.
/// `name` stands for the file in those.
MLIR_CAPI_EXPORTED bool fmhaScheduleFileParse(MlirContext context,
                                              MlirStringRef text,
                                              MlirStringRef name,
                                              fmha_schedule_file *out_file);

/// Prints a schedule as `fmha.schedule @name`, after its recipe as
/// `fmha.recipe @recipe` if it has one.
MLIR_CAPI_EXPORTED void fmhaSchedulePrint(MlirAttribute schedule,
                                          MlirStringRef name,
                                          MlirStringRef recipe,
                                          MlirStringCallback callback,
                                          void *user);

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
