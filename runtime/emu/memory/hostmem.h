// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Zeroed host memory for the emulated machine. Only touched pages cost memory.
/// AddressSanitizer does not see the ends of mappings; under it small blocks
/// come from the heap.
#ifndef FMHAC_EMU_HOSTMEM_H
#define FMHAC_EMU_HOSTMEM_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define EMU_HOST_HEAP_BYTES ((size_t)1 << 24)
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EMU_HOST_HEAP_BYTES ((size_t)1 << 24)
#endif
#endif

/// Aligned to a cache line at least. NULL when memory is exhausted; else
/// emu_host_unmap() takes it back, with the same `bytes` (at least 1).
static inline void *emu_host_map(size_t bytes) {
#ifdef EMU_HOST_HEAP_BYTES
  if (bytes <= EMU_HOST_HEAP_BYTES) {
    void *heap;
    if (posix_memalign(&heap, 64, bytes) != 0)
      return NULL;
    return memset(heap, 0, bytes);
  }
#endif
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

static inline void emu_host_unmap(void *p, size_t bytes) {
#ifdef EMU_HOST_HEAP_BYTES
  if (bytes <= EMU_HOST_HEAP_BYTES) {
    free(p);
    return;
  }
#endif
  munmap(p, bytes);
}

#endif // FMHAC_EMU_HOSTMEM_H
