// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A kernel in the form in which it is kept on disk and comes from a compiler
/// process.
#ifndef FMHAC_LIB_KERNEL_ARTEFACT_H
#define FMHAC_LIB_KERNEL_ARTEFACT_H

#include "artefact.h"
#include "kernel.h"

/// The bytes of the artefact of a kernel under `key`; the caller frees with
/// free(). NULL when memory is exhausted.
void *fmhac_kernel_to_artefact(const fmhac_kernel *kernel, fmhac_span key,
                               size_t *out_bytes);

/// Fills an empty kernel; false if memory is exhausted, and it stays empty.
bool fmhac_kernel_from_artefact(const fmhac_artefact *artefact,
                                fmhac_kernel *kernel);

#endif // FMHAC_LIB_KERNEL_ARTEFACT_H
