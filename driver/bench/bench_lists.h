// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The times of persistent workgroups, each of which walks a list of items or
/// takes lists from a queue. To execute all of them would take as long as the
/// whole problem. So short lists of items are timed, which give the time of an
/// item: as the first one of a workgroup, and after others. Between
/// items of one kind that are timed, both are taken to be linear in the tiles
/// that an item visits.
#ifndef FMHAC_DRIVER_BENCH_LISTS_H
#define FMHAC_DRIVER_BENCH_LISTS_H

#include "files.h"
#include "fmhac_timing.h"

/// Items of one kind do the same, but for their tiles.
typedef struct bench_item {
  uint32_t kind; ///< below BENCH_MOST_KINDS
  double tiles;
} bench_item;

enum { BENCH_MOST_KINDS = 16 };
enum { BENCH_MOST_TIMED = 64 }; ///< items of a list that is timed

/// Times a workgroup whose list is these items; in `each`, of a queue: that
/// takes a list with each of them. False with a text.
typedef bool bench_time_list_fn(void *user, const uint32_t *items, size_t count,
                                bool each, fmhac_timing_workgroup *out,
                                char error[ERROR_BYTES]);

typedef struct bench_lists {
  uint32_t workgroups; ///< of the grid, along x
  const bench_item *items;
  size_t item_count;
  /// [lists + 1], where the items of each list begin.
  const uint32_t *begin;
  /// One for each workgroup; of a queue any number: the workgroup that is free
  /// first takes the next one.
  uint32_t lists;
  bool is_queue;
  double most_tiles; ///< of a list that is timed to check the others
  bench_time_list_fn *time;
  void *user;
} bench_lists;

typedef struct bench_lists_times {
  fmhac_timing_workgroup *list; ///< owned; of all workgroups
  uint32_t *dealt;              ///< owned; the workgroup of each item
  size_t timed;                 ///< lists
  /// The relative difference between the time of a list, as long as
  /// `most_tiles` allows, and the sum of its items.
  double deviation;
} bench_lists_times;

/// False with a text; the times may be deinitialised in any case.
bool bench_lists_take(const bench_lists *lists, bench_lists_times *out_times,
                      char error[ERROR_BYTES]);
void bench_lists_deinit(bench_lists_times *times);

/// The launches of a plan, one after the other.
typedef struct bench_launches {
  const double *seconds; ///< [count], the time of each by itself
  size_t count;
  size_t shared;  ///< the first ones, which layers of one step share
  int64_t layers; ///< 1 or more
} bench_launches;

/// The time of a layer: of the launches of all layers, divided by them.
/// `constants` is as in bench_flags.
double bench_launches_seconds(const bench_launches *launches,
                              const char *constants);

#endif // FMHAC_DRIVER_BENCH_LISTS_H
