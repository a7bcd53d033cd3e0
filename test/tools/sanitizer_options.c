// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the sanitizers' runtime asks a program for when it starts. Leaks are
// reported whoever makes them: LLVM, MLIR and lld have none on our paths.
// Should one come, __lsan_default_suppressions() names it here.

const char *__asan_default_options(void);

__attribute__((used, visibility("default"))) const char *
__asan_default_options(void) {
  // LLVM's allocators mark their memory by hand where they are compiled with
  // the sanitizer, in headers, and do not where they are not, in libLLVM: the
  // marks of one half mean nothing to the other.
  return "abort_on_error=1:allow_user_poisoning=0:detect_stack_use_after_"
         "return=1:"
         "external_symbolizer_path=" FMHAC_SYMBOLIZER;
}
