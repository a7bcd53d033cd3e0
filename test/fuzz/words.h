// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A mutator for machine code: it works on words and on instructions, where
/// libFuzzer's own works on bytes. Linked into the fuzzers of such targets
/// only.
#ifndef FMHAC_TEST_FUZZ_WORDS_H
#define FMHAC_TEST_FUZZ_WORDS_H

#include <stddef.h>

/// Bytes before the code, which the target defines; mutated as bytes.
extern const size_t fuzz_words_header_bytes;

#endif // FMHAC_TEST_FUZZ_WORDS_H
