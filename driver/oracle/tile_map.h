// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The effect of a mask on each tile of the scores: shows users the tiles that
/// a kernel computes, and those in which it must test single elements.
#ifndef FMHAC_DRIVER_TILE_MAP_H
#define FMHAC_DRIVER_TILE_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "mask.h"

enum {
  TILE_WHOLE = '#',  ///< every row of the tile sees every key of it
  TILE_CUT = '/',    ///< some elements are visible, some are not
  TILE_HIDDEN = '.', ///< none is: no kernel needs to visit it
};

/// Rows past the last do not count; keys past the last are not visible, so that
/// a tile which hangs over the last key is cut.
typedef struct tile_map {
  int64_t rows, keys;           ///< Sq, Sk
  int64_t tile_m, tile_n;       ///< rows and keys of a tile
  int64_t tile_rows, tile_cols; ///< tiles
  char *cells;                  ///< owned; [tile_rows, tile_cols]
  int64_t whole, cut;           ///< tiles; the others are hidden
} tile_map;

/// The most tiles of a map.
#define TILE_MAP_MOST (INT64_C(1) << 24)

/// Sizes are at least 1. False when memory is exhausted or the map would have
/// more than TILE_MAP_MOST tiles.
bool tile_map_init(const attention_mask *mask, int64_t rows, int64_t keys,
                   int64_t tile_m, int64_t tile_n, tile_map *out_map);
void tile_map_deinit(tile_map *map);

/// Lines of text: a ruler of keys, a line a row of tiles with its first row,
/// and the counts. malloc'ed; NULL when memory is exhausted.
char *tile_map_text(const tile_map *map);
/// The same as an SVG image with `title`.
char *tile_map_svg(const tile_map *map, const char *title);

#endif // FMHAC_DRIVER_TILE_MAP_H
