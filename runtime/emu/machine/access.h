// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Accesses to memory and LDS, as handlers make them and checkers see them.
#ifndef FMHAC_EMU_ACCESS_H
#define FMHAC_EMU_ACCESS_H

#include "wave.h"

/// A loop over the lanes `i` of a wave; its iterations are independent.
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

/// Whether two accesses to a byte need an order. A read and an atomic need
/// none: a code object does not distinguish an atomic load from a plain one,
/// and the loops that compilers generate for atomics begin with such a load.
static inline bool emu_accesses_conflict(emu_access_kind a, emu_access_kind b) {
  return a == EMU_ACCESS_WRITE || b == EMU_ACCESS_WRITE;
}

static inline const char *emu_access_verb(emu_access_kind kind) {
  return kind == EMU_ACCESS_READ    ? "reads"
         : kind == EMU_ACCESS_WRITE ? "writes"
                                    : "updates";
}

/// A contiguous range that one lane accesses, or that successive lanes access.
typedef struct emu_access_range {
  const emu_segment *segment;
  uint64_t offset; ///< bytes from its beginning
  uint32_t bytes;
  uint32_t lane_bytes; ///< per lane
  int lane;            ///< the first; -1: a scalar access
} emu_access_range;
static inline int emu_access_range_lane(const emu_access_range *s,
                                        uint64_t offset) {
  return s->lane < 0 ? -1
                     : s->lane + (int)((offset - s->offset) / s->lane_bytes);
}

/// Host pointers of the lanes; NULL where a lane must not access: it is
/// inactive, out of the descriptor's range, or out of bounds (and reported).
typedef struct emu_access {
  uint8_t *host[EMU_LANES];
  /// Lanes that are resolved dword by dword, because some dwords are out of
  /// range, in another buffer, or in another element of a swizzled buffer.
  /// Dword k of lane i is accessible, at dword[i][k], iff bit k of part[i] is
  /// set. For such a lane `host` is only known not to be NULL.
  uint8_t part[EMU_LANES];
  uint8_t *dword[EMU_LANES][4];
  bool partial;
  uint64_t lanes; ///< with a host pointer
} emu_access;

/// As emu_space_find(), but tries the wave's last segment first.
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
