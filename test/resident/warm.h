// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FMHAC_TEST_RESIDENT_WARM_H
#define FMHAC_TEST_RESIDENT_WARM_H

/// Does once what every start of the command does: loading, registering,
/// initialising. Leaves no thread.
void resident_warm(void);

#endif
