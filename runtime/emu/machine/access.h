// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Accesses to memory and LDS, as the handlers make them and the checkers see
/// them.
#ifndef FMHAC_EMU_ACCESS_H
#define FMHAC_EMU_ACCESS_H

#include "wave.h"

/// A loop over the lanes `i` of a wave whose rounds do not depend on each
/// other.
#if defined(__clang__)
#define EMU_LANE_LOOP                                                          \
  _Pragma("clang loop vectorize(assume_safety)") for (int i = 0; i < 64; i++)
#else
#define EMU_LANE_LOOP _Pragma("GCC ivdep") for (int i = 0; i < 64; i++)
#endif

typedef enum emu_access_kind {
  EMU_ACCESS_READ,
  EMU_ACCESS_WRITE,
  EMU_ACCESS_ATOMIC,
} emu_access_kind;

/// Whether two accesses to a byte need an order. A read beside an atomic needs
/// none: code objects do not tell an atomic load from another, and the loops
/// that compilers make of atomics begin with one.
static inline bool emu_accesses_conflict(emu_access_kind a, emu_access_kind b) {
  return a == EMU_ACCESS_WRITE || b == EMU_ACCESS_WRITE;
}

static inline const char *emu_access_verb(emu_access_kind kind) {
  return kind == EMU_ACCESS_READ    ? "reads"
         : kind == EMU_ACCESS_WRITE ? "writes"
                                    : "updates";
}

/// A piece of memory that a lane accesses, or lanes one after the other.
typedef struct emu_access_range {
  const emu_segment *segment;
  uint64_t offset; ///< bytes from its beginning
  uint32_t bytes;
  uint32_t lane_bytes; ///< of which a lane
  int lane;            ///< the first; -1 of a scalar access
} emu_access_range;
static inline int emu_access_range_lane(const emu_access_range *s,
                                        uint64_t offset) {
  return s->lane < 0 ? -1
                     : s->lane + (int)((offset - s->offset) / s->lane_bytes);
}

/// Host pointers of the lanes; NULL where a lane must not access (inactive,
/// out of the buffer's range, or stray, which has then been reported).
typedef struct emu_access {
  uint8_t *host[EMU_LANES];
  /// Lanes that are resolved dword by dword, as some are out of range, lie in
  /// another buffer or in other elements of a swizzled one: dword k of lane i
  /// is accessible, at dword[i][k], iff bit k of part[i]; host is then not
  /// NULL, and no more is known of it.
  uint8_t part[EMU_LANES];
  uint8_t *dword[EMU_LANES][4];
  bool partial;
  uint64_t lanes; ///< with a host pointer
} emu_access;

/// As emu_space_find(), trying the wave's last segment first.
static inline const emu_segment *emu_find(emu_wave *w, uint64_t address,
                                          uint64_t bytes) {
  const emu_segment *s = w->last;
  if (s && address - s->base < s->bytes &&
      bytes <= s->bytes - (address - s->base))
    return s;
  s = emu_space_find(w->wg->launch->space, address, bytes);
  if (s)
    w->last = s;
  return s;
}

#endif // FMHAC_EMU_ACCESS_H
