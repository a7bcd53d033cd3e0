// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The tensors of a problem on the emulator. Only the parts that a sample of
/// the workgroups reads are created, which saves memory.
#ifndef FMHAC_DRIVER_BENCH_DATA_H
#define FMHAC_DRIVER_BENCH_DATA_H

#include "run_data.h"
#include "run_device.h"

/// Heads that were made, for the next kernel of the same problem. Zero-
/// initialise; bench_kept_deinit() frees.
typedef struct bench_kept {
  void **heads; ///< owned with their targets; by tensor, batch and head
  size_t count, bytes;
} bench_kept;
void bench_kept_deinit(bench_kept *kept);

typedef struct bench_data {
  run_data *data; ///< borrowed
  run_device *device;
  /// The created parts, by batch and head of Q, and of K and V.
  bool *has_q, *has_kv;
  bool *has_rope; ///< by batch, where all heads of K have one k_rope
  /// Workgroup (x, y, z) reads head y of batch z, or all heads of Q that share
  /// head y of K and V; else nobody knows which.
  bool keeps_places, packs_heads;
  bench_kept *kept; ///< borrowed; NULL: heads are made for this one only
} bench_data;

/// Maps every buffer, and fills those that are not Q, K or V, for launches of
/// `plan`. False with a text. bench_data_deinit() is due in any case.
bool bench_data_init(bench_data *b, run_data *data, run_device *device,
                     const fmhac_plan *plan, char error[ERROR_BYTES]);
void bench_data_deinit(bench_data *b);

/// Creates the data that a workgroup of the kernel reads, once, from the seed,
/// as run_data_fill() does: a head of Q and its K and V. If the kernel changes
/// the order of the grid, creates all heads.
bool bench_data_need(bench_data *b, const uint32_t workgroup[3],
                     char error[ERROR_BYTES]);

#endif // FMHAC_DRIVER_BENCH_DATA_H
