// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "streams.h"
#include "svg.h"

enum {
  FONT = 12,      ///< of the image
  LABEL = 10,     ///< characters of a row's label
  MARK_EVERY = 10 ///< columns between marks of the ruler
};

static int64_t ceil_divide(int64_t value, int64_t divisor) {
  return (value + divisor - 1) / divisor;
}

/// Adds 1 to every tile in [first, end) of a list of differences.
static void add_range(int64_t *differences, int64_t first, int64_t end) {
  if (first >= end)
    return;
  ++differences[first];
  --differences[end];
}

/// One row of tiles: how many rows see anything of a tile, and how many all.
static void fill_row(tile_map *map, const attention_mask *mask,
                     int64_t tile_row, int64_t *some, int64_t *all) {
  size_t bytes = (size_t)(map->tile_cols + 1) * sizeof *some;
  memset(some, 0, bytes);
  memset(all, 0, bytes);
  int64_t row = tile_row * map->tile_m, end_row = row + map->tile_m;
  if (end_row > map->rows)
    end_row = map->rows;
  int64_t count = end_row - row;
  for (; row < end_row; ++row) {
    int64_t first, end;
    attention_mask_range(mask, row, map->rows, map->keys, &first, &end);
    if (first == end)
      continue;
    add_range(some, first / map->tile_n, (end - 1) / map->tile_n + 1);
    add_range(all, ceil_divide(first, map->tile_n), end / map->tile_n);
  }
  char *cells = map->cells + tile_row * map->tile_cols;
  int64_t seeing = 0, seeing_all = 0;
  for (int64_t col = 0; col < map->tile_cols; ++col) {
    seeing += some[col];
    seeing_all += all[col];
    cells[col] = seeing_all == count ? TILE_WHOLE
                 : seeing            ? TILE_CUT
                                     : TILE_HIDDEN;
    map->whole += cells[col] == TILE_WHOLE;
    map->cut += cells[col] == TILE_CUT;
  }
}

bool tile_map_init(const attention_mask *mask, int64_t rows, int64_t keys,
                   int64_t tile_m, int64_t tile_n, tile_map *out_map) {
  *out_map = (tile_map){.rows = rows,
                        .keys = keys,
                        .tile_m = tile_m,
                        .tile_n = tile_n,
                        .tile_rows = ceil_divide(rows, tile_m),
                        .tile_cols = ceil_divide(keys, tile_n)};
  if (out_map->tile_rows > TILE_MAP_MOST / out_map->tile_cols)
    return false;
  out_map->cells = malloc((size_t)(out_map->tile_rows * out_map->tile_cols));
  size_t columns = (size_t)out_map->tile_cols + 1;
  int64_t *some = calloc(columns, sizeof *some);
  int64_t *all = calloc(columns, sizeof *all);
  bool ok = out_map->cells && some && all;
  for (int64_t row = 0; ok && row < out_map->tile_rows; ++row)
    fill_row(out_map, mask, row, some, all);
  free(all);
  free(some);
  return ok;
}

void tile_map_deinit(tile_map *map) {
  free(map->cells);
  *map = (tile_map){0};
}

static void print_counts(FILE *out, const tile_map *map) {
  int64_t total = map->tile_rows * map->tile_cols;
  int64_t visited = map->whole + map->cut;
  fprintf(out,
          "%" PRId64 " of %" PRId64 " tiles visited (%.1f %%), %" PRId64
          " of them cut",
          visited, total, 100.0 * (double)visited / (double)total, map->cut);
}

char *tile_map_text(const tile_map *map) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return NULL;
  fprintf(out, "%*s ", LABEL, "row\\key");
  for (int64_t col = 0; col < map->tile_cols; col += MARK_EVERY) {
    bool last = col + MARK_EVERY >= map->tile_cols;
    fprintf(out, "%-*" PRId64, last ? 0 : MARK_EVERY, col * map->tile_n);
  }
  fprintf(out, "\n");
  for (int64_t row = 0; row < map->tile_rows; ++row)
    fprintf(out, "%*" PRId64 " %.*s\n", LABEL, row * map->tile_m,
            (int)map->tile_cols, map->cells + row * map->tile_cols);
  print_counts(out, map);
  fprintf(out, "\n");
  return stream_text(out, &text);
}

//===- SVG ----------------------------------------------------------------===//

static const char *colour_of(char cell) {
  return cell == TILE_WHOLE ? "#2a5d9f"
         : cell == TILE_CUT ? "#e8912d"
                            : "#e6e6e6";
}

/// Equal neighbours of a row are one rectangle.
static void draw_row(FILE *out, const tile_map *map, int64_t row, double left,
                     double top, double side) {
  const char *cells = map->cells + row * map->tile_cols;
  for (int64_t col = 0; col < map->tile_cols;) {
    int64_t end = col + 1;
    while (end < map->tile_cols && cells[end] == cells[col])
      ++end;
    if (cells[col] != TILE_HIDDEN)
      svg_rect(out, left + (double)col * side, top + (double)row * side,
               (double)(end - col) * side, side, colour_of(cells[col]));
    col = end;
  }
}

char *tile_map_svg(const tile_map *map, const char *title) {
  // Sizes in pixels.
  const double most = 900, side_most = 16, left = 80, top = 60, bottom = 50;
  const double gap = 120; // between labels of an axis, at least
  int64_t longest =
      map->tile_rows > map->tile_cols ? map->tile_rows : map->tile_cols;
  double side = most / (double)longest;
  if (side > side_most)
    side = side_most;
  double width = (double)map->tile_cols * side;
  double height = (double)map->tile_rows * side;
  double full_width = left + (width < 360 ? 360 : width) + 20;
  char *text = NULL;
  size_t size;
  FILE *out = svg_open(&text, &size, full_width, top + height + bottom, FONT);
  if (!out)
    return NULL;
  svg_text(out, left, 20, FONT + 2, SVG_START, "%s", title);
  svg_rect(out, left, top, width, height, colour_of(TILE_HIDDEN));
  for (int64_t row = 0; row < map->tile_rows; ++row)
    draw_row(out, map, row, left, top, side);
  int64_t step = (int64_t)(gap / side) + 1;
  for (int64_t col = 0; col < map->tile_cols; col += step)
    svg_text(out, left + (double)col * side, top - 6, FONT, SVG_START,
             "%" PRId64, col * map->tile_n);
  step = (int64_t)(20 / side) + 1;
  for (int64_t row = 0; row < map->tile_rows; row += step)
    svg_text(out, left - 6, top + (double)row * side + 12, FONT, SVG_END,
             "%" PRId64, row * map->tile_m);
  fprintf(out, "<text x=\"%.0f\" y=\"%.2f\">", left, top + height + 20);
  print_counts(out, map);
  fprintf(out, "</text>\n");
  static const struct {
    char cell;
    const char *name;
  } legend[] = {
      {TILE_WHOLE, "whole"}, {TILE_CUT, "cut"}, {TILE_HIDDEN, "not visited"}};
  for (int i = 0; i < 3; ++i) {
    const double x = left + i * 90, y = top + height + 28;
    svg_rect(out, x, y, 12, 12, colour_of(legend[i].cell));
    svg_text(out, x + 18, y + 10, FONT, SVG_START, "%s", legend[i].name);
  }
  return svg_close(out, &text);
}
