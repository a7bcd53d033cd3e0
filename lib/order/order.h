// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Orders to the compiler and their results. Two compilers take orders: the one
/// of this process (load.h) and one in a process of its own
/// (worker/remote.c), which a fatal error of LLVM may end.
#ifndef FMHAC_LIB_ORDER_H
#define FMHAC_LIB_ORDER_H

#include "choose.h"
#include "control.h"

/// Rungs in order; values index the public fmhac_rung_name().
typedef enum fmhac_rung {
  FMHAC_RUNG_PROBLEM,
  FMHAC_RUNG_TILES,
  FMHAC_RUNG_LAYOUTS,
  FMHAC_RUNG_PIPELINED,
  FMHAC_RUNG_SYNCED,
  FMHAC_RUNG_AMDGPU,
  FMHAC_RUNG_ROCDL,
  FMHAC_RUNG_LLVM,
  FMHAC_RUNG_ISA,
  FMHAC_RUNG_OBJ,
  FMHAC_RUNG_HSACO,
  FMHAC_RUNG_COUNT
} fmhac_rung;

/// The rung of this name; false if no rung has it.
bool fmhac_rung_find(const char *name, fmhac_rung *out_rung);

typedef enum fmhac_task {
  FMHAC_TASK_COMPILE, ///< a kernel
  FMHAC_TASK_EMIT,    ///< the content of a rung
  FMHAC_TASK_PRINT_IR ///< the IR after every pass
} fmhac_task;
enum { FMHAC_TASKS = FMHAC_TASK_PRINT_IR + 1 };

/// The content of a rung. Borrowed.
typedef struct fmhac_rung_text {
  fmhac_rung rung;
  const char *name; ///< the name of the text in messages
  const char *text; ///< NULL: there is none
  size_t length;
} fmhac_rung_text;

/// Everything is borrowed.
typedef struct fmhac_order {
  fmhac_task task;
  const fmhac_config *config;
  const fmhac_choice *choice; ///< of the schedule
  const fmhac_sources *sources;
  fmhac_rung rung; ///< of EMIT
  /// For COMPILE and EMIT: the text to compile from, if one is given.
  fmhac_rung_text from;
  /// Receives the IR of PRINT_IR.
  void (*print)(void *user, const char *pass, const char *text);
  void *print_user;
  fmhac_control *control; ///< may be NULL
  /// Checks the code of COMPILE before anybody gets it: the library's, whose
  /// decoder it needs. fmhac_compile_here() fills it in.
  fmhac_status (*audit)(fmhac_context *context, const void *code,
                        size_t code_bytes);
} fmhac_order;

typedef struct fmhac_product {
  fmhac_kernel *kernel; ///< of COMPILE: the caller's, to be filled
  void *bytes;          ///< of EMIT; the caller frees with free()
  size_t size_bytes;
} fmhac_product;

#endif // FMHAC_LIB_ORDER_H
