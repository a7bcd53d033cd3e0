// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Counts what a thread allocates and frees, for a program of one file that is
/// linked with the libamdhip64 of test/hip, whose own memory does not count.
#ifndef FMHAC_TEST_ALLOCATIONS_H
#define FMHAC_TEST_ALLOCATIONS_H

#include "device_test.h"
#include "hip_test.h"

// Of this thread, while it is armed and not inside the HIP runtime. Volatile,
// because glibc declares malloc() as one that calls nothing of this file.
static _Thread_local volatile bool t_armed;
static _Thread_local volatile uint64_t t_allocations;

static void count(void) {
  if (t_armed && !hipTestInside())
    t_allocations++;
}

// GCC says it with macros, clang with __has_feature.
#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||           \
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
// The sanitizer has malloc() for itself, and calls whoever asks.
int __sanitizer_install_malloc_and_free_hooks(
    void (*malloc_hook)(const volatile void *, size_t),
    void (*free_hook)(const volatile void *));
static void on_malloc(const volatile void *p, size_t bytes) {
  (void)p;
  (void)bytes;
  count();
}
static void on_free(const volatile void *p) {
  if (p)
    count();
}
static void install(void) {
  assert_true(__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free));
}
#else
#define EXPORTED __attribute__((visibility("default")))
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *p, size_t bytes);
extern void __libc_free(void *p);
EXPORTED void *malloc(size_t bytes) {
  count();
  return __libc_malloc(bytes);
}
EXPORTED void *calloc(size_t items, size_t bytes) {
  count();
  return __libc_calloc(items, bytes);
}
EXPORTED void *realloc(void *p, size_t bytes) {
  count();
  return __libc_realloc(p, bytes);
}
EXPORTED void free(void *p) {
  if (p)
    count();
  __libc_free(p);
}
static void install(void) {}
#endif

#endif // FMHAC_TEST_ALLOCATIONS_H
