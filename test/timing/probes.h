// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The probes of the cycle model: kernels of a few instructions over and over,
/// whose time somebody else has said (probes.def).
#ifndef FMHAC_TEST_TIMING_PROBES_H
#define FMHAC_TEST_TIMING_PROBES_H

#include <stddef.h>
#include <stdint.h>

/// A kernel runs `repeats` copies of `a`, one after the other, on some waves
/// and of `b` on others, and another kernel twice as many. The difference is
/// free of start and end, and divided by `repeats` × `units` it lies between
/// `low` and `high`.
typedef struct probe {
  const char *name;
  const char *setup; ///< in front, on every wave
  /// Assembly. "|" between two parts: copies of the first, then of the second.
  const char *a, *b;
  uint32_t waves_a, waves_b; ///< sets of bits; waves_a 0: the first wave alone
  uint32_t waves; ///< of the workgroup; 0: four, or as many as these are.
                  ///< Those that run neither end at once
  uint32_t grid;  ///< workgroups, of which the first is timed; 0: one
  uint32_t repeats, units; ///< 0: 64 and 1
  /// The source's cycles, of one unit; what it says in a range, is one.
  double low, high;
  const char *constants; ///< of the model, changed to see another one; or NULL
  const char *source;
  /// The constant of the model that the row says again: the row takes twice as
  /// long if the constant is doubled. PASSES: the table of passes, so that no
  /// constant of issue moves the row. NULL: several rules meet in the row.
  const char *restates;
  /// Why the model takes another time: the test then fails if it does not.
  const char *differs;
} probe;

#define PASSES "passes"

extern const probe k_probes[];
extern const size_t k_probe_count;

#endif // FMHAC_TEST_TIMING_PROBES_H
