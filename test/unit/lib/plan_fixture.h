// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A kernel without code, a plan of it, and tensors for a launch.
#ifndef FMHAC_TEST_PLAN_FIXTURE_H
#define FMHAC_TEST_PLAN_FIXTURE_H

#include "context.h"
#include "doubles.h"
#include "kernel.h"

enum { B = 2, HQ = 6, HK = 2, SQ = 300, SK = 77, D = 128, ELEMENT = 2 };

typedef struct fixture {
  fmhac_context *context;
  fmhac_kernel *kernel;
  fmhac_plan *plan;
  fmhac_tensors tensors;
} fixture;

/// The entry of the kernel: tiles of 256 rows, 512 threads, CORE is all that it
/// requires.
extern const fmhac_entry plan_entry;

/// For cmocka: `*state` is a fixture, whose problem is the plan's largest.
int plan_set_up(void **state);
int plan_tear_down(void **state);

/// Packs the tensors of the fixture into arguments that are 0xee before.
fmhac_status plan_pack(fixture *f, fmhac_kernel_args *out_args,
                       fmhac_rt_launch *out_launch);

/// The arguments, which have to be right.
fmhac_kernel_args plan_packed(fixture *f);

/// Requires this status, and `text` in the message.
void plan_refused(fixture *f, fmhac_status status, const char *text);

#endif // FMHAC_TEST_PLAN_FIXTURE_H
