// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a sub-command prints on stdout.
#ifndef FMHAC_TEST_FUZZ_CAPTURED_H
#define FMHAC_TEST_FUZZ_CAPTURED_H

/// Calls `run` and catches what it prints; `*out_text` is malloc'ed.
int fuzz_captured(int (*run)(int, char **), int argc, char **argv,
                  char **out_text);

/// Ends the process unless `text` is one JSON object, in UTF-8: the promise of
/// --json.
void fuzz_check_json(const char *text);

#endif // FMHAC_TEST_FUZZ_CAPTURED_H
