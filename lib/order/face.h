// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The face of the compiler: everything that the library calls of it. The
/// compiler is a shared object of its own, with MLIR, LLVM and lld, and exports
/// this one symbol; the library loads it when it first compiles (load.h).
#ifndef FMHAC_LIB_FACE_H
#define FMHAC_LIB_FACE_H

#include "fmhac_schedule.h"
#include "order.h"

/// Changes with every header that both sides read, with the tables of options,
/// arguments and passes, and with the built-in schedules. lib/CMakeLists.txt
/// makes it.
#include "face_digest.h"

/// One thread at a time calls these in a context, with the compiler of the
/// context taken (fmhac_compiler_enter()). Both sides have one build of the
/// objects that they share, so a context is the same to both.
typedef struct fmhac_compiler_face {
  const char *digest; ///< FMHAC_FACE_DIGEST of its build; stays first
  /// An address in LLVM: it shows which library was loaded.
  const void *address_in_llvm;
  /// Does an order. Errors: as fmhac_compile_here().
  fmhac_status (*run)(fmhac_context *context, const fmhac_order *order,
                      fmhac_product *product);
  /// Ends what the compiler keeps in a context.
  void (*end)(fmhac_context *context);
  // The public functions of these names, with checked arguments.
  fmhac_status (*schedule_get_tile)(fmhac_context *context, const char *text,
                                    const char *name, int64_t *out_rows,
                                    int64_t *out_keys);
  fmhac_status (*schedule_expand)(fmhac_context *context, const char *text,
                                  const char *name, char **out_text);
  fmhac_status (*schedule_visit_knobs)(
      fmhac_context *context, const char *text,
      void (*visit)(void *user, const fmhac_schedule_knob *knob), void *user);
  fmhac_status (*schedule_change)(fmhac_context *context, const char *text,
                                  const char *new_name,
                                  const fmhac_schedule_setting *settings,
                                  size_t count, char **out_text);
  /// `text`: the kernels of a choice at the rung `pipelined`, or of the
  /// schedule that took its place. The choice has the texts of its schedules.
  fmhac_status (*schedule_describe)(fmhac_context *context,
                                    const fmhac_choice *choice,
                                    const char *text, char **out_json);
} fmhac_compiler_face;

/// The name of the symbol, and the symbol, which only the compiler defines.
#define FMHAC_FACE_SYMBOL "fmhac_compiler_face_table"
extern FMHAC_API const fmhac_compiler_face fmhac_compiler_face_table;

#endif // FMHAC_LIB_FACE_H
