// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The results of a launch against the reference in double precision.
#ifndef FMHAC_DRIVER_RUN_COMPARE_H
#define FMHAC_DRIVER_RUN_COMPARE_H

#include "compare.h"
#include "run_data.h"

/// Compares O, and LSE if the run writes it, of data whose outputs are on the
/// host, with the library's reference of the configuration, as C programs can;
/// the note of the kernel that the plan launched says whether it rounds Q.
/// Fails with a text.
fmhac_status run_compare(const run_data *data, const fmhac_context *context,
                         const fmhac_config *config, const fmhac_plan *plan,
                         comparison *out_o, comparison *out_lse,
                         char error[ERROR_BYTES]);

#endif // FMHAC_DRIVER_RUN_COMPARE_H
