// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scale.h"

#include <math.h>

#include "float_environment.h"

float fmhac_scale_of(float scale, uint32_t head_dim_qk) {
  if (scale != 0)
    return scale;
  fenv_t caller;
  fmhac_float_begin(&caller);
  const float usual = (float)(1 / sqrt((double)head_dim_qk));
  fmhac_float_end(&caller);
  return usual;
}
