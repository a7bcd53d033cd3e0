// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lists of work cost the host, for each workgroup and of a queue, and how
// even they are: batches as engines have them, for 256 workgroups and tiles of
// 128 rows and 64 keys, under a causal mask. The least and the median time of
// many runs, one JSON object a line:
//
//   bench-plan [RUNS]
//
// "even" is the workgroup with the most beside the mean, or beside the largest
// unit where that is more; of a queue, the one that is free first takes the
// next list.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "lists.h"
#include "median.h"

enum { MOST_RUNS = 10001, WORKGROUPS = 256 };

static double now_microseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

/// One in `every` sequences has `rows` rows, the others one; each has up to
/// `keys` keys more, as many as all, or any number.
typedef struct batch_kind {
  const char *name;
  uint32_t batch, heads_q, heads_kv, every, rows, keys;
  bool is_ragged;
  uint32_t split;
} batch_kind;

static const batch_kind kinds[] = {
    {"decode", 1, 64, 8, 1, 1, 32768, false, FMHAC_WORK_SPLIT_NONE},
    {"decode, auto", 1, 64, 8, 1, 1, 32768, false, FMHAC_WORK_SPLIT_AUTO},
    {"decode, auto", 1, 8, 8, 1, 1, 32768, false, FMHAC_WORK_SPLIT_AUTO},
    {"decode", 64, 64, 8, 1, 1, 32768, true, FMHAC_WORK_SPLIT_NONE},
    {"decode, auto", 64, 64, 8, 1, 1, 32768, true, FMHAC_WORK_SPLIT_AUTO},
    {"decode", 64, 8, 1, 1, 1, 32768, true, FMHAC_WORK_SPLIT_NONE},
    {"decode, auto", 64, 8, 1, 1, 1, 32768, true, FMHAC_WORK_SPLIT_AUTO},
    {"decode", 1000, 64, 8, 1, 1, 8192, true, FMHAC_WORK_SPLIT_NONE},
    {"decode, auto", 1000, 64, 8, 1, 1, 8192, true, FMHAC_WORK_SPLIT_AUTO},
    {"decode, fixed", 1000, 64, 8, 1, 1, 8192, true, FMHAC_WORK_SPLIT_FIXED},
    {"decode", 1000, 8, 1, 1, 1, 8192, true, FMHAC_WORK_SPLIT_NONE},
    {"decode, auto", 1000, 8, 1, 1, 1, 8192, true, FMHAC_WORK_SPLIT_AUTO},
    {"decode, fixed", 1000, 8, 1, 1, 1, 8192, true, FMHAC_WORK_SPLIT_FIXED},
    {"mixed", 1000, 64, 8, 20, 2000, 8192, true, FMHAC_WORK_SPLIT_NONE},
    {"mixed, auto", 1000, 64, 8, 20, 2000, 8192, true, FMHAC_WORK_SPLIT_AUTO},
    {"mixed", 1000, 8, 1, 20, 2000, 8192, true, FMHAC_WORK_SPLIT_NONE},
    {"mixed, auto", 1000, 8, 1, 20, 2000, 8192, true, FMHAC_WORK_SPLIT_AUTO},
    {"prefill", 1, 64, 8, 1, 8192, 0, false, FMHAC_WORK_SPLIT_NONE},
    {"prefill", 4, 32, 8, 1, 4096, 8192, true, FMHAC_WORK_SPLIT_NONE},
    {"prefill of a chunk, auto", 4, 8, 1, 1, 512, 131072, true,
     FMHAC_WORK_SPLIT_AUTO},
};

static void *reserve(size_t count, size_t bytes) {
  void *memory = calloc(count ? count : 1, bytes);
  if (!memory) {
    fputs("bench-plan: out of memory\n", stderr);
    exit(1);
  }
  return memory;
}

static uint32_t random_below(uint32_t below) {
  static uint64_t state = 1; // a linear congruence of Knuth's
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)((state >> 33) % below);
}

static double evenness(const fmhac_work_rules *r, const fmhac_lists *l,
                       uint64_t count) {
  double busy[WORKGROUPS] = {0}, most = 0, all = 0, largest = 0;
  for (uint64_t list = 0; list < count; ++list) {
    double own = 0;
    for (int32_t i = l->work_indptr[list]; i < l->work_indptr[list + 1]; ++i) {
      const fmhac_work_item *item = &l->work_items[i];
      const uint32_t heads = (uint32_t)item->heads;
      const uint32_t keys = (uint32_t)(item->key_end - item->key_begin);
      const double unit = (keys + r->tile_n - 1) / r->tile_n + r->item_cost +
                          (item->part < 0 ? 0 : r->part_cost);
      largest = unit > largest ? unit : largest;
      own += unit * ((heads >> 16) - (heads & 0xffff));
    }
    int first = 0;
    for (int w = 1; w < WORKGROUPS; ++w)
      first = busy[w] < busy[first] ? w : first;
    busy[first] += own;
    all += own;
    most = busy[first] > most ? busy[first] : most;
  }
  const double mean = all / WORKGROUPS;
  return most / (mean > largest ? mean : largest);
}

static void measure(const batch_kind *kind, bool is_queue, size_t runs) {
  const uint32_t batch = kind->batch;
  fmhac_work_rules rules = fmhac_work_rules_default();
  rules.tile_m = 128;
  rules.tile_n = 64;
  rules.mask = FMHAC_WORK_MASK_CAUSAL;
  rules.lengths = FMHAC_WORK_CU_Q | FMHAC_WORK_LENGTHS_KV;
  rules.split = kind->split;
  rules.queue = is_queue;
  rules.split_keys = 4096;
  int32_t *cu_q = reserve(batch + 1, sizeof *cu_q);
  int32_t *keys = reserve(batch, sizeof *keys);
  for (uint32_t b = 0; b < batch; ++b) {
    const uint32_t rows = b % kind->every ? 1 : kind->rows;
    cu_q[b + 1] = cu_q[b] + (int32_t)rows;
    keys[b] = (int32_t)(rows + (kind->is_ragged ? random_below(kind->keys + 1)
                                                : kind->keys));
  }
  const fmhac_work_sizes sizes = {.batch = batch,
                                  .heads_q = kind->heads_q,
                                  .heads_kv = kind->heads_kv,
                                  .seqlen_q = kind->rows,
                                  .seqlen_kv = kind->rows + kind->keys,
                                  .workgroups = WORKGROUPS};
  const fmhac_list_room room = fmhac_list_room_of(&rules, &sizes);
  const fmhac_lists lists = {
      reserve(room.lists + 1, sizeof(int32_t)),
      reserve(room.items, sizeof(fmhac_work_item)),
      reserve(room.combine_items, sizeof(fmhac_combine_item)),
      reserve(1, sizeof(int32_t))};
  const fmhac_list_lengths lengths = {.cu_seqlens_q = cu_q, .seqlens_kv = keys};
  void *scratch = reserve(room.scratch_bytes, 1);
  static double times[MOST_RUNS];
  double least = 1e9;
  for (size_t i = 0; i < runs; ++i) {
    const double begin = now_microseconds();
    fmhac_lists_fill(&rules, &sizes, &lengths, &lists, scratch);
    times[i] = now_microseconds() - begin;
    least = times[i] < least ? times[i] : least;
  }
  printf("{\"work\": \"%s\", \"batch\": \"%s\", \"sequences\": %u, \"heads\": "
         "%u, \"kv_heads\": "
         "%u, \"least_us\": %.1f, \"median_us\": %.1f, \"items\": %d, "
         "\"combine_items\": %d, \"even\": %.3f}\n",
         is_queue ? "queue" : "list", kind->name, batch, kind->heads_q,
         kind->heads_kv, least, median(times, runs),
         lists.work_indptr[room.lists], *lists.combine_count,
         evenness(&rules, &lists, room.lists));
  free(cu_q);
  free(keys);
  free(lists.work_indptr);
  free(lists.work_items);
  free(lists.combine_items);
  free(lists.combine_count);
  free(scratch);
}

int main(int argc, char **argv) {
  const long given = argc > 1 ? strtol(argv[1], NULL, 10) : 1001;
  if (given < 1 || given > MOST_RUNS) {
    fprintf(stderr, "bench-plan: expected from 1 to %d runs, found '%s'\n",
            MOST_RUNS, argv[1]);
    return 1;
  }
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
    measure(&kinds[i], false, (size_t)given);
    measure(&kinds[i], true, (size_t)given);
  }
  return 0;
}
