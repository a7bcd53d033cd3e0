// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// K and V in pages: which page has a row, and lists that contradict
/// themselves.
#ifndef FMHAC_ORACLE_KEY_PAGES_H
#define FMHAC_ORACLE_KEY_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Bytes on end of which vectorised pages are made.
enum { ATTENTION_PIECE_BYTES = 16 };

/// Row j of a sequence is row j % rows of its page j / rows. A page has a
/// number, by which the views of K and V find it.
typedef struct attention_pages {
  uint32_t rows;          ///< of a page; 0: K and V lie by batch
  const int32_t *numbers; ///< of the pages of all sequences; borrowed
  /// Where those of a sequence begin: at a multiple of the stride, or where
  /// `starts` [B+1] says, which also says how many there are.
  uint64_t batch_stride;
  const int32_t *starts;
  /// [B], with starts: rows in the last page. A sequence without pages has no
  /// rows, whatever stands here.
  const int32_t *last_rows;
} attention_pages;

/// Which of the numbers that of page `index` of a sequence is.
uint64_t attention_page_place(const attention_pages *pages, uint32_t batch,
                              uint64_t index);
/// The number of page `index` of a sequence.
int32_t attention_page(const attention_pages *pages, uint32_t batch,
                       uint64_t index);
/// Pages that so many rows of a sequence reach.
uint64_t attention_pages_of(const attention_pages *pages, uint64_t keys);
/// With starts: the rows of a sequence.
int64_t attention_listed_keys(const attention_pages *pages, uint32_t batch);

/// Whether every sequence of a list has its numbers among the `listed` first,
/// and rows that its pages can have. If not, `text` says what is wrong; the two
/// names stand for starts and last_rows.
bool attention_list_check(const attention_pages *pages, uint32_t batches,
                          uint64_t listed, const char *starts_name,
                          const char *last_name, char *text, size_t text_bytes);

#endif // FMHAC_ORACLE_KEY_PAGES_H
