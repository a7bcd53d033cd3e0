// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a way through a loop costs, at least and at most: what one wave issues,
/// what the units of a compute unit are taken for when each wave that is
/// resident goes through the loop once, and which unit that makes critical.
#ifndef FMHAC_DRIVER_BUDGET_H
#define FMHAC_DRIVER_BUDGET_H

#include <cjson/cJSON.h>

#include "fmhac_timing.h"
#include "loops.h"
#include "occupancy.h"
#include "schedule_facts.h"

/// What waves share, and what each has of its own.
typedef enum budget_unit {
  BUDGET_MATRIX,      ///< of a SIMD; packed f32 runs alone
  BUDGET_VECTOR_PORT, ///< of a SIMD: vector ALU; a matrix instruction's issue
  BUDGET_MEMORY_PORT, ///< of a SIMD: LDS and vector memory
  BUDGET_SCALAR_PORT, ///< of a SIMD
  BUDGET_LDS,         ///< of the compute unit, without bank conflicts
  BUDGET_LDS_PORT,    ///< of two SIMDs: addresses, and data of writes
  BUDGET_LDS_BUS,     ///< of two SIMDs: their turns at LDS
  BUDGET_VMEM,        ///< vector cache of the compute unit
  BUDGET_WAVE,        ///< what one wave issues, in its order
  BUDGET_UNITS
} budget_unit;

/// "matrix", "vector_port", …
const char *budget_unit_name(budget_unit unit);

/// What some way through a loop asks for, each number for itself.
typedef struct loop_need {
  double wave[FMHAC_TIMING_MOST_CLASSES]; ///< cycles of one wave, by class
  double flops;                           ///< of its matrix instructions
  double
      round[BUDGET_UNITS];   ///< cycles when each resident wave goes round once
  budget_unit critical;      ///< the largest of these
  double cycles_per_kv_tile; ///< of the compute unit; 0: not known
} loop_need;

typedef struct loop_budget {
  /// What every way through the loop has at least, and what one has at most;
  /// inner loops once. They differ by code that branches pass over.
  loop_need always, at_most;
  uint32_t waves_per_simd; ///< 0: not known, nor what a round takes
  double kv_tiles;         ///< of a workgroup, in one iteration; 0: not known
} loop_budget;

/// `tile` of the kernel, or all 0. False when memory is exhausted.
bool budget_of(const fmhac_timing_survey *survey, const kernel_code *code,
               const kernel_loop *loop, occupancy resident,
               const kernel_tile *tile, loop_budget *out_budget);

/// {"waves_per_simd": …, "kv_tiles": …, "always": NEED, "at_most": NEED}, where
/// NEED is {"wave_cycles": {"mfma": …}, "flops": …, "round_cycles": {"matrix":
/// …}, "critical": "matrix", "cycles": …, "cycles_per_kv_tile": …}; what is not
/// known is null.
cJSON *budget_json(const loop_budget *budget);

/// A constant of the cycle model, 0 if there is none of that name. `changes`:
/// "name=value,…" that the library has accepted, or NULL.
double timing_constant(const char *name, const char *changes);

#endif // FMHAC_DRIVER_BUDGET_H
