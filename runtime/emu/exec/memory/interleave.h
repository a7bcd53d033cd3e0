// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Converts between memory order, in which the bytes of a lane are contiguous,
/// and register order, in which the same dword of all lanes is contiguous.
#ifndef FMHAC_EMU_INTERLEAVE_H
#define FMHAC_EMU_INTERLEAVE_H

#if defined(__SSE2__)
#include <emmintrin.h>

#include "lanes.h"

#endif

/// Lanes of `words` (1, 2, 4; or 3, in 4) dwords each, lane after lane, into
/// one row a dword.
static inline void emu_rows_from_lanes(const uint32_t *from, unsigned words,
                                       uint32_t rows[4][EMU_LANES]) {
#if defined(__SSE2__)
  if (words == 4) {
    for (int i = 0; i < EMU_LANES; i += 4) {
      __m128i a = _mm_loadu_si128((const __m128i *)(from + 4 * i));
      __m128i b = _mm_loadu_si128((const __m128i *)(from + 4 * i + 4));
      __m128i c = _mm_loadu_si128((const __m128i *)(from + 4 * i + 8));
      __m128i d = _mm_loadu_si128((const __m128i *)(from + 4 * i + 12));
      __m128i ab0 = _mm_unpacklo_epi32(a, b), ab1 = _mm_unpackhi_epi32(a, b);
      __m128i cd0 = _mm_unpacklo_epi32(c, d), cd1 = _mm_unpackhi_epi32(c, d);
      _mm_storeu_si128((__m128i *)&rows[0][i], _mm_unpacklo_epi64(ab0, cd0));
      _mm_storeu_si128((__m128i *)&rows[1][i], _mm_unpackhi_epi64(ab0, cd0));
      _mm_storeu_si128((__m128i *)&rows[2][i], _mm_unpacklo_epi64(ab1, cd1));
      _mm_storeu_si128((__m128i *)&rows[3][i], _mm_unpackhi_epi64(ab1, cd1));
    }
    return;
  }
#endif
  for (unsigned r = 0; r < words; r++)
    EMU_LANE_LOOP rows[r][i] = from[words * (unsigned)i + r];
}

#endif // FMHAC_EMU_INTERLEAVE_H
