// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A code object that tests change and take a kernel from.
#ifndef FMHAC_TEST_CODE_FIXTURE_H
#define FMHAC_TEST_CODE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fmhac.h"
#include "fmhac_abi.h"

enum { DIGITS = 32 }; ///< of the digest, at the end of the note

typedef struct fixture {
  fmhac_context *context;
  fmhac_kernel *kernel; ///< compiled: causal, CORE is all that it requires
  uint8_t *code;        ///< a copy that tests change, from the heap
  size_t bytes;
  size_t note_begin, note_end; ///< of the ELF note, its header included
} fixture;

/// For cmocka: `*state` is a fixture, of the schedule `generic`; the other has
/// "generic if Sk <= 256; generic_wide", two entries.
int code_set_up(void **state);
int code_set_up_two(void **state);
int code_tear_down(void **state);

fmhac_kernel *code_compile(fmhac_context *context, const char *json);
/// First place of `what`, which is there.
size_t code_find(const fixture *f, const void *what, size_t bytes);
/// Makes the digest true again.
void code_reseal(fixture *f);

/// The code object with these bytes instead of those from `from` to `to` of its
/// note, sealed; the caller frees its code. The note moves to the end of the
/// file, where it may have any length.
fixture code_with_bytes(const fixture *f, size_t from, size_t to,
                        const void *bytes, size_t size);

/// One launch of a kernel, as numbers. Whatever the kernel takes besides: the
/// first launch that it accepts.
void code_pack(const fmhac_kernel *kernel, fmhac_context *context,
               fmhac_rt_launch *out_launch, fmhac_kernel_args *out_args,
               bool *out_packed);
void code_assert_same_launch(fmhac_context *context, const fmhac_kernel *a,
                             const fmhac_kernel *b);

/// Takes a kernel from bytes; NULL if and only if that fails.
fmhac_status code_take(fixture *f, const void *code, size_t bytes,
                       fmhac_kernel **out_kernel);
/// The bytes are refused with this status and a text that has `words`.
void code_refused(fixture *f, const void *code, size_t bytes,
                  fmhac_status expected, const char *words);

#endif // FMHAC_TEST_CODE_FIXTURE_H
