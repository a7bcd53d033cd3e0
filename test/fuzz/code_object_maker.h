// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The smallest code object of gfx950 with one kernel, "k": for targets whose
/// subject is what comes after the loader.
#ifndef FMHAC_TEST_FUZZ_CODE_OBJECT_MAKER_H
#define FMHAC_TEST_FUZZ_CODE_OBJECT_MAKER_H

#include <stddef.h>
#include <stdint.h>

/// The fields of the kernel descriptor that targets choose. Source: LLVM "User
/// Guide for AMDGPU Backend", "Kernel Descriptor".
typedef struct fuzz_kernel {
  uint32_t group_segment_bytes, private_segment_bytes, kernarg_bytes;
  uint32_t rsrc1, rsrc2;
  uint16_t properties, kernarg_preload;
} fuzz_kernel;

/// The file, malloc'ed: its size goes to `out_size`. `code` is the section
/// .text, which begins with the kernel.
uint8_t *fuzz_code_object(const fuzz_kernel *kernel, const void *code,
                          size_t code_bytes, size_t *out_size);

#endif // FMHAC_TEST_FUZZ_CODE_OBJECT_MAKER_H
