// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tile maps against the definition of each mask, element by element.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tile_map.h"

static bool sees(const attention_mask *mask, int64_t i, int64_t j, int64_t sq,
                 int64_t sk) {
  int64_t diagonal = i + sk - sq;
  switch (mask->kind) {
  case MASK_NONE:
    return true;
  case MASK_CAUSAL:
    return j <= diagonal;
  case MASK_CAUSAL_TOP_LEFT:
    return j <= i;
  case MASK_WINDOW:
    return (mask->left < 0 || j >= diagonal - mask->left) &&
           (mask->right < 0 || j <= diagonal + mask->right);
  case MASK_CHUNKED:
    return diagonal >= 0 && j <= diagonal &&
           j / mask->chunk == diagonal / mask->chunk;
  }
  return false;
}

/// Looks at every element of a tile, those past the last key included.
static char look(const attention_mask *mask, const tile_map *map, int64_t row,
                 int64_t col) {
  int64_t visible = 0, elements = 0;
  for (int64_t i = row * map->tile_m; i < (row + 1) * map->tile_m; ++i)
    for (int64_t j = col * map->tile_n; j < (col + 1) * map->tile_n; ++j) {
      if (i >= map->rows)
        continue;
      ++elements;
      visible += j < map->keys && sees(mask, i, j, map->rows, map->keys);
    }
  return visible == elements ? '#' : visible ? '/' : '.';
}

static void test_by_elements(void **state) {
  (void)state;
  static const char *const masks[] = {
      "none",       "causal",      "causal-top-left", "window:0,0",
      "window:9,2", "window:-1,3", "window:4,-1",     "window:-1,-1",
      "chunked:1",  "chunked:6",   "chunked:100"};
  static const int64_t sizes[][2] = {{1, 1},   {24, 24}, {23, 31},
                                     {31, 10}, {5, 40},  {40, 5}};
  static const int64_t tiles[][2] = {{1, 1}, {4, 3}, {8, 8}, {3, 16}, {64, 2}};
  for (size_t m = 0; m < sizeof masks / sizeof masks[0]; ++m)
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s)
      for (size_t t = 0; t < sizeof tiles / sizeof tiles[0]; ++t) {
        attention_mask mask;
        tile_map map;
        assert_true(attention_mask_parse(masks[m], &mask));
        assert_true(tile_map_init(&mask, sizes[s][0], sizes[s][1], tiles[t][0],
                                  tiles[t][1], &map));
        int64_t whole = 0, cut = 0;
        for (int64_t row = 0; row < map.tile_rows; ++row)
          for (int64_t col = 0; col < map.tile_cols; ++col) {
            char expected = look(&mask, &map, row, col);
            char found = map.cells[row * map.tile_cols + col];
            if (found != expected)
              fail_msg("%s, %dx%d, tile %dx%d at %d,%d: '%c', expected '%c'",
                       masks[m], (int)map.rows, (int)map.keys, (int)map.tile_m,
                       (int)map.tile_n, (int)row, (int)col, found, expected);
            whole += expected == '#';
            cut += expected == '/';
          }
        assert_int_equal(map.whole, whole);
        assert_int_equal(map.cut, cut);
        tile_map_deinit(&map);
      }
}

/// Two rows of three tiles: causal over 4 rows and 6 keys sees 3, 4, 5, 6 keys.
static void test_text(void **state) {
  (void)state;
  const attention_mask causal = {.kind = MASK_CAUSAL};
  tile_map map;
  assert_true(tile_map_init(&causal, 4, 6, 2, 2, &map));
  char *text = tile_map_text(&map);
  assert_string_equal(text, "   row\\key 0\n"
                            "         0 #/.\n"
                            "         2 ##/\n"
                            "5 of 6 tiles visited (83.3 %), 2 of them cut\n");
  free(text);
  tile_map_deinit(&map);
  // Marks of the ruler stand over their columns.
  assert_true(tile_map_init(&causal, 4, 84, 4, 4, &map));
  text = tile_map_text(&map);
  assert_non_null(strstr(text, "row\\key 0         40        80\n"));
  free(text);
  tile_map_deinit(&map);
}

static void test_svg(void **state) {
  (void)state;
  const attention_mask causal = {.kind = MASK_CAUSAL};
  tile_map map;
  assert_true(tile_map_init(&causal, 4, 6, 2, 2, &map));
  char *svg = tile_map_svg(&map, "a < b & c");
  assert_int_equal(strncmp(svg, "<svg xmlns=", 11), 0);
  assert_non_null(strstr(svg, "a &lt; b &amp; c"));
  // Tiles of 16 pixels: "#/." and "##/" below 60 pixels, from 80 on.
  assert_non_null(strstr(svg, "<rect x=\"80.00\" y=\"60.00\" width=\"16.00\" "
                              "height=\"16.00\" fill=\"#2a5d9f\"/>"));
  assert_non_null(strstr(svg, "<rect x=\"96.00\" y=\"60.00\" width=\"16.00\" "
                              "height=\"16.00\" fill=\"#e8912d\"/>"));
  assert_non_null(strstr(svg, "<rect x=\"80.00\" y=\"76.00\" width=\"32.00\" "
                              "height=\"16.00\" fill=\"#2a5d9f\"/>"));
  assert_non_null(strstr(svg, "5 of 6 tiles visited"));
  assert_non_null(strstr(svg, "</svg>\n"));
  free(svg);
  tile_map_deinit(&map);
}

static void test_too_large(void **state) {
  (void)state;
  const attention_mask none = {.kind = MASK_NONE};
  tile_map map;
  assert_false(tile_map_init(&none, 1 << 13, 1 << 13, 1, 1, &map));
  tile_map_deinit(&map);
  assert_true(tile_map_init(&none, 1 << 12, 1 << 12, 1, 1, &map));
  assert_int_equal(map.whole, 1 << 24);
  tile_map_deinit(&map);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_by_elements),
      cmocka_unit_test(test_text),
      cmocka_unit_test(test_svg),
      cmocka_unit_test(test_too_large),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
