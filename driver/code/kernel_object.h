// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The code object of a kernel that the library compiled.
#ifndef FMHAC_DRIVER_KERNEL_OBJECT_H
#define FMHAC_DRIVER_KERNEL_OBJECT_H

#include "code_object.h"
#include "fmhac_inspect.h"

/// Reads the code object of a kernel; the kernel outlives the result. False
/// with a text.
bool kernel_object_read(const fmhac_kernel *kernel, code_object *out_object,
                        char error[ERROR_BYTES]);

/// The entry of attention that a plan launches for its largest problem: name,
/// schedule and facts. The kernel of the plan outlives them.
fmhac_kernel_info plan_entry(const fmhac_plan *plan);
/// The launch of that entry: the last one with a schedule. A plan that divides
/// batches has others before it.
size_t plan_attention(const fmhac_plan *plan);
/// The entry that a launch of the plan starts, likewise.
fmhac_kernel_info plan_launch_entry(const fmhac_plan *plan, size_t index);
/// Whether a launch of the plan is attention.
bool plan_attends(const fmhac_plan *plan, size_t index);
/// The first launch of the plan that is attention: there are as many before it.
size_t plan_first_attention(const fmhac_plan *plan);

/// Adds "schedule", the name of a kernel's schedule, and "schedule_file": the
/// file that it was read from, or null. `name`: its symbol; NULL: what
/// schedule_entries_json() adds, of all entries.
void kernel_schedule_json(cJSON *object, const fmhac_kernel *kernel,
                          const char *name);

/// The two in one text, as of schedule_label().
char *kernel_schedule_label(const fmhac_kernel *kernel, const char *name);

#endif // FMHAC_DRIVER_KERNEL_OBJECT_H
