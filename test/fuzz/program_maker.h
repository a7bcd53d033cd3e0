// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Programs that can run from bytes that mostly cannot.
#ifndef FMHAC_TEST_FUZZ_PROGRAM_MAKER_H
#define FMHAC_TEST_FUZZ_PROGRAM_MAKER_H

#include <stddef.h>
#include <stdint.h>

enum { FUZZ_MAX_CODE_BYTES = 1024 };

/// Writes to `out` what the decoder takes of `data`, of which there are at most
/// FUZZ_MAX_CODE_BYTES; direct branches go to an instruction of it. Returns the
/// bytes written, at most `size`.
size_t fuzz_append_known(const uint8_t *data, size_t size, uint8_t *out);

#endif // FMHAC_TEST_FUZZ_PROGRAM_MAKER_H
