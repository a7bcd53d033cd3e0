// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A compiled kernel: its code object and the facts that a launch needs.
/// compile.c, jit.c or kernel_from_code.c fills it, plan.c reads it. It owns
/// memory of its context's allocator.
#ifndef FMHAC_LIB_KERNEL_H
#define FMHAC_LIB_KERNEL_H

#include <pthread.h>
#include <stdatomic.h>

#include "config.h"
#include "entry.h"

/// The last text of fmhac_kernel_get_text(). A caller asks for the size and
/// then for the text, and some texts need a compilation.
typedef struct fmhac_kernel_memo {
  pthread_mutex_t lock;
  char *what;  ///< owned; NULL: nothing yet
  void *bytes; ///< owned
  size_t size_bytes;
} fmhac_kernel_memo;

struct fmhac_kernel {
  atomic_uint references; ///< fmhac_kernel_destroy() gives one back
  fmhac_context *context; ///< borrowed: the context outlives the kernel
  void *code;             ///< owned; the code object
  size_t code_bytes;
  char *log; ///< owned; messages of the compiler, one a line
  fmhac_entry entries[FMHAC_MOST_ENTRIES];
  size_t entry_count; ///< at least one
  /// Bits FMHAC_ARGS_*_BIT of all entries: they serve one configuration.
  uint64_t required_args_mask;
  fmhac_config_values config;
  /// Texts of the files that the configuration names, owned; NULL where it
  /// names none, and of a kernel that came as a code object.
  char *schedule_texts[FMHAC_MOST_ENTRIES], *score_mod_text;
  bool is_from_text; ///< of a rung: compiling the configuration once more may
                     ///< give other code
  fmhac_kernel_memo *memo; ///< owned; a pointer, because callers have a const
                           ///< kernel
};

/// The roles of the kernels of a configuration, in the order of the code
/// object: `out` has room for FMHAC_ROLES. How many there are; those of
/// attention are one here, however many schedules it has.
size_t fmhac_kernel_roles(const fmhac_config_values *values,
                          fmhac_role out[FMHAC_ROLES]);
/// Groups of kernel arguments, bits FMHAC_ARGS_*_BIT, that a kernel of a
/// configuration reads.
uint64_t fmhac_role_groups(const fmhac_config_values *values, fmhac_role role);
/// That a kernel of a role may read besides, as its schedule asks.
uint64_t fmhac_schedule_groups(fmhac_role role);
/// That its kernels read, all together, whatever their schedules.
uint64_t fmhac_kernel_groups(const fmhac_config_values *values);

/// Whether an entry rounds Q times the scale to Q's type: its schedule has
/// scale = q or start, and no function takes each score times the scale.
bool fmhac_kernel_rounds_q(const fmhac_kernel *kernel,
                           const fmhac_entry *entry);

/// Gives a kernel its entries; from 1 to FMHAC_MOST_ENTRIES.
void fmhac_kernel_set_entries(fmhac_kernel *kernel, const fmhac_entry *entries,
                              size_t count);

/// Another reference to a kernel, which nobody changes any more.
fmhac_kernel *fmhac_kernel_retain(fmhac_kernel *kernel);

/// An empty kernel of the context, to be filled; NULL when memory is exhausted.
/// Freed by fmhac_kernel_destroy() at any stage of being filled.
fmhac_kernel *fmhac_kernel_create(fmhac_context *context);

#endif // FMHAC_LIB_KERNEL_H
