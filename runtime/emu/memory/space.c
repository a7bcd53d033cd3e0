// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Global memory: disjoint segments, sorted by address, backed by host memory.
// Only touched pages take host memory.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grow.h"
#include "hostmem.h"
#include "space.h"

/// The least and the largest gap between buffers that are placed here.
enum { GAP = 1 << 20 };
static const uint64_t k_most_gap = 1ull << 32;

static const uint64_t k_first_base = 0x100000000000u;
static const uint64_t k_limit = 1ull << 48;

// Index of the first segment that ends above `address`.
static size_t lower(const emu_space *space, uint64_t address) {
  size_t a = 0, b = space->count;
  while (a < b) {
    size_t m = (a + b) / 2;
    const emu_segment *s = &space->segments[m];
    if (s->base + s->bytes > address)
      b = m;
    else
      a = m + 1;
  }
  return a;
}

const emu_segment *emu_space_find(const emu_space *space, uint64_t address,
                                  uint64_t bytes) {
  size_t i = lower(space, address);
  if (i == space->count)
    return NULL;
  const emu_segment *s = &space->segments[i];
  if (address < s->base || bytes > s->bytes - (address - s->base))
    return NULL;
  return s;
}

uint8_t *emu_space_host(const emu_space *space, uint64_t address,
                        uint64_t bytes) {
  const emu_segment *s = emu_space_find(space, address, bytes);
  return s ? s->host + (address - s->base) : NULL;
}

uint64_t emu_space_mapped(const emu_space *space, uint64_t address,
                          uint64_t bytes) {
  uint64_t done = 0;
  for (size_t i = lower(space, address); i < space->count && done < bytes;
       i++) {
    const emu_segment *s = &space->segments[i];
    if (s->base > address + done)
      break;
    done = s->base + s->bytes - address;
  }
  return done < bytes ? done : bytes;
}

// The gap around a buffer: its length, within limits. An index that is wrong by
// a row, a head or a sequence then points to unmapped memory.
static uint64_t gap_of(uint64_t bytes) {
  const uint64_t gap = bytes < k_most_gap ? bytes : k_most_gap;
  return gap < GAP ? GAP : gap;
}

// A free range with a gap on either side, so that an overrun of a buffer does
// not reach another buffer.
static uint64_t find_free_range(const emu_space *space, uint64_t bytes) {
  const uint64_t own_gap = gap_of(bytes);
  uint64_t at = k_first_base;
  for (size_t i = 0; i < space->count; i++) {
    const emu_segment *s = &space->segments[i];
    const uint64_t its_gap = gap_of(s->bytes);
    const uint64_t gap = its_gap > own_gap ? its_gap : own_gap;
    if (s->base + s->bytes + gap > at && s->base < at + bytes + gap)
      at = (s->base + s->bytes + gap + GAP - 1) & ~(uint64_t)(GAP - 1);
  }
  return at;
}

// Allocators of GPUs return multiples of at least this, and kernels may rely on
// it.
enum { PLACE_STEP = 512 };

uint64_t emu_space_place_across(const emu_space *space, uint64_t bytes) {
  const uint64_t line = 1ull << 32;
  if (bytes > EMU_MEMORY_BYTES)
    return 0;
  // A little less than half is below the line: many kernels start a new base
  // address at the half of a tensor.
  uint64_t below = bytes / 2 / PLACE_STEP * PLACE_STEP;
  if (below >= 4 * PLACE_STEP)
    below -= PLACE_STEP;
  else if (!below)
    below = PLACE_STEP;
  // Only every other line is used. So the memory 4 GiB below the part above a
  // line is unused; an address that loses its carry points to it.
  for (uint64_t at = k_first_base + 2 * line; at < k_limit - bytes - GAP;
       at += 2 * line) {
    const uint64_t base = at - below % line;
    const size_t i = lower(space, base - GAP);
    if (i == space->count || space->segments[i].base >= base + bytes + GAP)
      return base;
  }
  return 0;
}

fmhac_status emu_space_map(emu_space *space, const char *name, uint64_t base,
                           uint64_t bytes, char *text, size_t text_bytes,
                           uint64_t *out_base) {
  *out_base = 0;
  if (bytes > EMU_MEMORY_BYTES - space->bytes) {
    snprintf(text, text_bytes,
             "buffer \"%s\": %llu bytes do not fit: the device has %llu bytes "
             "(288 GiB, as MI355X), of which %llu are in use",
             name, (unsigned long long)bytes,
             (unsigned long long)EMU_MEMORY_BYTES,
             (unsigned long long)space->bytes);
    return FMHAC_OUT_OF_MEMORY;
  }
  if (!base)
    base = find_free_range(space, bytes);
  if (base >= k_limit || bytes > k_limit - base) {
    snprintf(text, text_bytes,
             "buffer \"%s\": [0x%llx, +%llu bytes) must lie below 2^48", name,
             (unsigned long long)base, (unsigned long long)bytes);
    return FMHAC_INVALID_INPUT;
  }
  size_t i = lower(space, base);
  if (i < space->count &&
      space->segments[i].base < base + (bytes ? bytes : 1)) {
    snprintf(text, text_bytes,
             "buffer \"%s\" [0x%llx, +%llu bytes) overlaps \"%s\" [0x%llx, "
             "+%llu bytes)",
             name, (unsigned long long)base, (unsigned long long)bytes,
             space->segments[i].name,
             (unsigned long long)space->segments[i].base,
             (unsigned long long)space->segments[i].bytes);
    return FMHAC_INVALID_INPUT;
  }
  if (!FMHAC_GROW(space->segments, space->count, space->capacity))
    goto memory;
  emu_segment s = {.base = base, .bytes = bytes, .owned = true};
  s.mapped = bytes ? bytes : 1;
  s.host = emu_host_map(s.mapped);
  if (!s.host)
    goto memory;
  s.name = strdup(name);
  if (!s.name) {
    emu_host_unmap(s.host, s.mapped);
    goto memory;
  }
  memmove(space->segments + i + 1, space->segments + i,
          (space->count - i) * sizeof s);
  space->segments[i] = s;
  space->count++;
  space->bytes += bytes;
  *out_base = base;
  return FMHAC_OK;
memory:
  snprintf(text, text_bytes, "buffer \"%s\": the host cannot map %llu bytes",
           name, (unsigned long long)bytes);
  return FMHAC_OUT_OF_MEMORY;
}

void emu_space_fill(emu_space *space, uint64_t base, uint8_t byte) {
  // The host has 65530 mappings for a process; this takes 4608 at most.
  enum { CHUNK = 1 << 26 };
  size_t i = lower(space, base);
  if (i == space->count || space->segments[i].base != base || !byte)
    return; // fresh memory is zero
  emu_segment *s = &space->segments[i];
  uint64_t done = 0;
  // Private mappings of one filled file share its pages until they are written.
  int file = s->bytes >= 4ull * CHUNK ? memfd_create("fill", MFD_CLOEXEC) : -1;
  void *chunk = MAP_FAILED;
  if (file >= 0 && ftruncate(file, CHUNK) == 0)
    chunk = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (chunk != MAP_FAILED) {
    memset(chunk, byte, CHUNK);
    munmap(chunk, CHUNK);
    for (; done + CHUNK <= s->bytes; done += CHUNK)
      if (mmap(s->host + done, CHUNK, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED, file, 0) == MAP_FAILED)
        break;
  }
  if (file >= 0)
    close(file);
  memset(s->host + done, byte, s->bytes - done);
}

static size_t track_bytes(const emu_segment *s) {
  return (s->bytes + 3) / 4 + 1;
}

fmhac_status emu_space_track(emu_space *space, uint64_t base) {
  size_t i = lower(space, base);
  if (i == space->count || space->segments[i].base != base)
    return FMHAC_OK; // of no bytes
  emu_segment *s = &space->segments[i];
  s->init = emu_host_map(track_bytes(s));
  return s->init ? FMHAC_OK : FMHAC_OUT_OF_MEMORY;
}

static void forget(emu_segment *s) {
  if (s->init)
    emu_host_unmap(s->init, track_bytes(s));
  s->init = NULL;
}
void emu_space_forget(emu_space *space) {
  for (size_t i = 0; i < space->count; i++)
    forget(&space->segments[i]);
}

fmhac_status emu_space_watch_outputs(emu_space *space) {
  for (size_t i = 0; i < space->count; i++) {
    emu_segment *s = &space->segments[i];
    bool outputs = false;
    for (size_t k = 0; k < s->tensor_count; k++)
      outputs |= s->tensors[k].is_output;
    // Of a launch that is joined to the one before it, it has been since then.
    if (outputs && !s->written &&
        !(s->written = emu_host_map(track_bytes(s)))) {
      emu_space_unwatch_outputs(space);
      return FMHAC_OUT_OF_MEMORY;
    }
  }
  return FMHAC_OK;
}

void emu_space_unwatch_outputs(emu_space *space) {
  for (size_t i = 0; i < space->count; i++) {
    emu_segment *s = &space->segments[i];
    if (s->written)
      emu_host_unmap(s->written, track_bytes(s));
    s->written = NULL;
  }
}

static void free_tensors(emu_segment *s) {
  for (size_t i = 0; i < s->tensor_count; i++)
    free(s->tensors[i].ragged_rows);
  free(s->tensors);
  s->tensors = NULL;
  s->tensor_count = 0;
}

bool emu_space_unmap(emu_space *space, uint64_t base) {
  for (size_t i = 0; i < space->count; i++)
    if (space->segments[i].base == base) {
      forget(&space->segments[i]);
      space->bytes -= space->segments[i].bytes;
      free_tensors(&space->segments[i]);
      emu_host_unmap(space->segments[i].host, space->segments[i].mapped);
      free(space->segments[i].name);
      memmove(space->segments + i, space->segments + i + 1,
              (space->count - i - 1) * sizeof *space->segments);
      space->count--;
      return true;
    }
  return false;
}

void emu_space_free(emu_space *space) {
  while (space->count)
    emu_space_unmap(space, space->segments[space->count - 1].base);
  free(space->segments);
  memset(space, 0, sizeof *space);
}

const emu_segment *emu_space_of_host(const emu_space *space,
                                     const uint8_t *host) {
  for (size_t i = 0; i < space->count; i++) {
    const emu_segment *s = &space->segments[i];
    if (host >= s->host && host < s->host + s->bytes)
      return s;
  }
  return NULL;
}
