// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A code object as C source, for programs that carry it.
#ifndef FMHAC_DRIVER_EMBED_H
#define FMHAC_DRIVER_EMBED_H

#include <stdbool.h>
#include <stddef.h>

/// Whether `symbol` is an identifier of C and C++ and reserved in neither.
bool embed_is_symbol(const char *symbol);

/// C source, good as C99 and as C++, that defines a fmhac_embedded_kernel
/// `symbol`. The caller frees with free(); NULL when memory is exhausted.
char *embed_source(const char *symbol, const char *name, const char *config,
                   const void *code, size_t code_bytes, size_t *out_bytes);

#endif // FMHAC_DRIVER_EMBED_H
