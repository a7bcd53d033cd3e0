// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nearest.h"

#include <string.h>

#include "fmhac.h"
#include "fmhac_options.h"

enum { MAX_WORD = 63 };

static char folded(char c) { return c == '_' ? '-' : c; }

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static size_t word_length(const char *word) {
  return smaller(strlen(word), MAX_WORD);
}

size_t fmhac_edit_distance(const char *a, const char *b) {
  size_t length_a = word_length(a), length_b = word_length(b);
  // Rows i-2, i-1 and i of the table of distances between prefixes.
  size_t rows[3][MAX_WORD + 1];
  size_t *before = rows[0], *above = rows[1], *row = rows[2];
  for (size_t j = 0; j <= length_b; ++j)
    above[j] = before[j] = j;
  for (size_t i = 1; i <= length_a; ++i) {
    row[0] = i;
    for (size_t j = 1; j <= length_b; ++j) {
      char x = folded(a[i - 1]), y = folded(b[j - 1]);
      size_t best = above[j - 1] + (x != y);
      best = smaller(best, smaller(above[j], row[j - 1]) + 1);
      if (i > 1 && j > 1 && x == folded(b[j - 2]) && y == folded(a[i - 2]))
        best = smaller(best, before[j - 2] + 1);
      row[j] = best;
    }
    size_t *free_row = before;
    before = above;
    above = row;
    row = free_row;
  }
  return above[length_b];
}

const char *fmhac_nearest_spelling(const char *word,
                                   const char *const *candidates,
                                   size_t count) {
  const char *best = NULL;
  if (!word || !candidates)
    return NULL;
  // A third of the letters may be wrong, two at least: "foo" is nobody's typo
  // of "head_dim".
  size_t limit = word_length(word) / 3;
  size_t best_distance = (limit < 2 ? 2 : limit) + 1;
  for (size_t i = 0; i < count; ++i) {
    if (!candidates[i])
      continue;
    size_t distance = fmhac_edit_distance(word, candidates[i]);
    if (distance < best_distance && distance < word_length(candidates[i])) {
      best_distance = distance;
      best = candidates[i];
    }
  }
  return best;
}
