// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "key_pages.h"

#include <inttypes.h>
#include <stdio.h>

static int64_t count_of(const attention_pages *pages, uint32_t batch) {
  return (int64_t)pages->starts[batch + 1] - pages->starts[batch];
}

uint64_t attention_page_place(const attention_pages *pages, uint32_t batch,
                              uint64_t index) {
  const uint64_t first = pages->starts ? (uint64_t)pages->starts[batch]
                                       : batch * pages->batch_stride;
  return first + index;
}

int32_t attention_page(const attention_pages *pages, uint32_t batch,
                       uint64_t index) {
  return pages->numbers[attention_page_place(pages, batch, index)];
}

uint64_t attention_pages_of(const attention_pages *pages, uint64_t keys) {
  return (keys + pages->rows - 1) / pages->rows;
}

int64_t attention_listed_keys(const attention_pages *pages, uint32_t batch) {
  const int64_t count = count_of(pages, batch);
  return count ? (count - 1) * pages->rows + pages->last_rows[batch] : 0;
}

bool attention_list_check(const attention_pages *pages, uint32_t batches,
                          uint64_t listed, const char *starts_name,
                          const char *last_name, char *text,
                          size_t text_bytes) {
  for (uint32_t b = 0; b < batches; ++b) {
    const int64_t first = pages->starts[b], end = pages->starts[b + 1];
    if (first < 0 || end < first || (uint64_t)end > listed) {
      snprintf(text, text_bytes,
               "%.200s: elements %" PRIu32 " and %" PRIu32 " are %" PRId64
               " and %" PRId64 "; expected numbers from 0 to %" PRIu64
               ", the pages that are listed, which do not decrease",
               starts_name, b, b + 1, first, end, listed);
      return false;
    }
    const int64_t least = first < end;
    if (pages->last_rows[b] < least ||
        (uint32_t)pages->last_rows[b] > pages->rows) {
      snprintf(text, text_bytes,
               "%.200s: element %" PRIu32 " is %" PRId32 ", expected %" PRId64
               " to %" PRIu32 " of a sequence of %" PRId64 " pages",
               last_name, b, pages->last_rows[b], least, pages->rows,
               end - first);
      return false;
    }
    if (attention_listed_keys(pages, b) > INT32_MAX) {
      snprintf(text, text_bytes,
               "%.200s: sequence %" PRIu32 " has %" PRId64 " pages of %" PRIu32
               " keys, which are %" PRId64 " keys; expected at most %" PRId32,
               starts_name, b, end - first, pages->rows,
               attention_listed_keys(pages, b), INT32_MAX);
      return false;
    }
  }
  return true;
}
