// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The cost of a path through a loop, at least and at most: the cycles that one
/// wave issues, the cycles of the units of a compute unit when each resident
/// wave goes through the loop once, and the critical unit.
#ifndef FMHAC_DRIVER_BUDGET_H
#define FMHAC_DRIVER_BUDGET_H

#include <cjson/cJSON.h>

#include "fmhac_timing.h"
#include "loops.h"
#include "occupancy.h"
#include "schedule_facts.h"

/// Units that waves share, and the issue slots that each wave has.
typedef enum budget_unit {
  BUDGET_MATRIX,      ///< of a SIMD; packed f32 runs alone
  BUDGET_VECTOR_PORT, ///< of a SIMD: vector ALU; a matrix instruction's issue
  BUDGET_MEMORY_PORT, ///< of a SIMD: LDS and vector memory
  BUDGET_SCALAR_PORT, ///< of a SIMD
  BUDGET_LDS,         ///< of the compute unit, without bank conflicts
  BUDGET_LDS_PORT,    ///< of two SIMDs: addresses, and data of writes
  BUDGET_LDS_BUS,     ///< of two SIMDs: their turns at LDS
  BUDGET_VMEM,        ///< vector cache of the compute unit
  BUDGET_WAVE,        ///< instructions that one wave issues, in order
  BUDGET_UNITS
} budget_unit;

/// "matrix", "vector_port", …
const char *budget_unit_name(budget_unit unit);

/// The cycles of a path through a loop, each number for itself.
typedef struct loop_need {
  double wave[FMHAC_TIMING_MOST_CLASSES]; ///< cycles of one wave, by class
  double flops;                           ///< of its matrix instructions
  double
      round[BUDGET_UNITS];   ///< cycles when each resident wave goes round once
  budget_unit critical;      ///< the unit with the most cycles
  double cycles_per_kv_tile; ///< of the compute unit; 0: not known
} loop_need;

typedef struct loop_budget {
  /// The cost that every path through the loop has at least, and the most that
  /// one has; inner loops count once. They differ by code that branches skip.
  loop_need always, at_most;
  uint32_t waves_per_simd; ///< 0: not known, and the cycles of a round neither
  double kv_tiles;         ///< of a workgroup, in one iteration; 0: not known
} loop_budget;

/// `tile` of the kernel, or all 0. False when memory is exhausted.
bool budget_of(const fmhac_timing_survey *survey, const kernel_code *code,
               const kernel_loop *loop, occupancy resident,
               const kernel_tile *tile, loop_budget *out_budget);

/// {"waves_per_simd": …, "kv_tiles": …, "always": NEED, "at_most": NEED}, where
/// NEED is {"wave_cycles": {"mfma": …}, "flops": …, "round_cycles": {"matrix":
/// …}, "critical": "matrix", "cycles": …, "cycles_per_kv_tile": …}; unknown
/// values are null.
cJSON *budget_json(const loop_budget *budget);

/// A constant of the cycle model, 0 if there is none of that name. `changes`:
/// "name=value,…" that the library has accepted, or NULL.
double timing_constant(const char *name, const char *changes);

#endif // FMHAC_DRIVER_BUDGET_H
