// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Batches for tests of the planner, and what must be true of a list of work:
/// by the definition of each mask, key by key.
#ifndef FMHAC_TEST_WORK_BATCH_H
#define FMHAC_TEST_WORK_BATCH_H

#include "lists.h"

#include <stdbool.h>

typedef struct work_batch {
  fmhac_work_rules rules;
  fmhac_work_sizes sizes; ///< the maxima of the batch, or more
  fmhac_work_sizes most;  ///< of what there is room for
  int32_t *rows, *keys;   ///< of each sequence: what the arrays say
  int32_t *arrays[6];     ///< in the order of fmhac_list_lengths
  fmhac_list_lengths lengths;
  bool has_runs; ///< nothing is dealt: workgroups find their work
} work_batch;

/// Random numbers that are the same everywhere.
uint32_t work_random(uint64_t *state, uint32_t below);

/// A batch of `batch` sequences without rows or keys; fill in both, then
/// work_batch_close().
work_batch work_batch_open(uint32_t batch);
/// Makes the arrays that `rules.lengths` asks for. Sizes that are 0 become the
/// least that hold the batch.
void work_batch_close(work_batch *b);
void work_batch_free(work_batch *b);

/// Any rules, of tiles of a few rows and keys, so that there are many.
fmhac_work_rules work_rules_random(uint64_t seed);
/// Any sizes and lengths.
work_batch work_batch_random(const fmhac_work_rules *rules, uint64_t seed);

/// Bounds what the sequences of a closed batch have together, and lets its
/// arrays say anything: lengths below 0, beyond the sizes, beyond the totals.
/// `rows` and `keys` become what is not left out. Returns how many sequences
/// are, for lengths of their own and for those of all.
typedef struct work_left_out {
  size_t alone, together;
} work_left_out;
work_left_out work_batch_spoil(work_batch *b, uint64_t seed);

/// How many lists the batch is dealt to: the definition.
uint32_t work_batch_lists(const work_batch *b);

/// Lists of one batch, or what workgroups find, with room as
/// fmhac_list_room_of() or fmhac_run_room_of() says and a margin that must stay
/// untouched.
typedef struct work_lists {
  fmhac_list_room room;
  fmhac_lists lists;
  void *scratch;
} work_lists;

work_lists work_lists_make(const work_batch *b); ///< and fills them on the host
void work_lists_free(work_lists *l);

/// Fails the test unless every key that a row sees is in one item of each head,
/// and in one only, and parts and their combination fit each other and their
/// room.
void work_lists_check(const work_batch *b, const work_lists *l);

/// The cost of the list with the most, of all, and of the largest unit; and
/// that of the workgroup with the most, where the one that is free first takes
/// the next list.
typedef struct work_load {
  uint64_t most, all, unit, last;
} work_load;
work_load work_load_of(const work_batch *b, const work_lists *l);

#endif // FMHAC_TEST_WORK_BATCH_H
