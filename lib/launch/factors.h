// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The dequantisation factors of a launch, for whoever reads them: a kernel, or
/// the reference.
#ifndef FMHAC_LIB_FACTORS_H
#define FMHAC_LIB_FACTORS_H

#include "config.h"
#include "fmhac.h"

/// Operands that have factors.
enum {
  FMHAC_FACTORS_OF_Q,
  FMHAC_FACTORS_OF_K,
  FMHAC_FACTORS_OF_V,
  FMHAC_FACTORED
};

/// How far the factors of an operand lie apart, as a kernel takes it.
typedef struct fmhac_factor_strides {
  uint64_t batch_bytes, head_bytes, block_bytes;
  uint32_t rows_a_factor; ///< 0: all of a head
  bool by_page;           ///< blocks are pages, found by their numbers
} fmhac_factor_strides;
/// Those by which the granularity has no factors are 0, and so is that of
/// batches where sequences lie one after the other.
fmhac_factor_strides fmhac_factor_strides_of(const fmhac_config_values *values,
                                             const fmhac_tensors *tensors,
                                             int operand);

#endif // FMHAC_LIB_FACTORS_H
