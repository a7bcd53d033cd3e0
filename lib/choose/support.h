// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Whether this build compiles a configuration, and which schedules can serve
/// it: the rows of support.def.
#ifndef FMHAC_LIB_SUPPORT_H
#define FMHAC_LIB_SUPPORT_H

#include "config.h"

/// Fills `out_support` for values with these schedules instead of their own. Of
/// a configuration that is supported `schedule` is the usual one if it leaves
/// the schedule open, else the one that it names. An unsupported configuration
/// is an answer, not an error. Errors: INVALID_INPUT (no built-in schedule of
/// that name), OUT_OF_MEMORY, with the text in the context. `out_usual` (may be
/// NULL) is the first schedule that can serve a supported configuration,
/// whatever it names, a constant; else NULL.
FMHAC_MUST_USE fmhac_status
fmhac_support_find(fmhac_context *context, const fmhac_config_values *values,
                   const fmhac_schedule_list *schedules,
                   fmhac_support *out_support, const char **out_usual);

/// Refuses a name that is no built-in schedule; paths are the compiler's to
/// read. Errors: INVALID_INPUT.
FMHAC_MUST_USE fmhac_status fmhac_check_schedule_name(fmhac_context *context,
                                                      const char *schedule);

/// Whether a built-in schedule can serve a configuration that leaves the
/// schedule open.
bool fmhac_support_serves(const fmhac_config_values *values,
                          const char *schedule);

/// The same for values of another role than attention, which have no schedule:
/// columns of O lie in the lanes of a wave, eight in each, whatever its type.
FMHAC_MUST_USE fmhac_status fmhac_support_find_role(
    fmhac_context *context, const fmhac_config_values *values,
    fmhac_support *out_support);

/// Every reserved knob becomes its default.
void fmhac_support_reset_reserved(fmhac_config_values *values);

/// Whether a built-in schedule takes the last columns of K from a tensor of
/// their own, if there are any.
bool fmhac_support_takes_rope(const char *schedule,
                              const fmhac_config_values *values);

/// Whether factors of pages of K of 8 bits, beside a Q of 16, take more
/// registers than the schedule has. Of the largest heads generic_wide has up to
/// 25 too few with pages of 1. With a queue or divided keys it has up to 6 too
/// few where V lies in K or K in two tensors, generic_wide_m64 14, and of K in
/// two tensors beside a V of its own generic_latent 13 (test/e2e/latent.py).
bool fmhac_support_lacks_page_factors(const char *schedule,
                                      const fmhac_config_values *values);

/// Changes rope_dim to the nearest that the schedule takes of heads of this
/// size, the larger of two, or to 0 if it takes none; and pages that are too
/// small for it.
void fmhac_support_adopt_rope(const char *schedule,
                              fmhac_config_values *values);

/// Why it does not take the columns.
void fmhac_support_explain_rope(const char *schedule,
                                const fmhac_config_values *values, char *reason,
                                size_t bytes);

/// Whether a built-in schedule has room for tiles of V beside those of K.
bool fmhac_support_takes_own_v(const char *schedule);

/// Whether a built-in schedule that takes elements of 8 bits has registers to
/// round an O to them, too.
bool fmhac_support_stores_fp8(const char *schedule);

/// The configuration without parts of keys, without pages, without factors.
void fmhac_support_drop_parts(fmhac_config_values *values);
void fmhac_support_drop_pages(fmhac_config_values *values);
void fmhac_support_drop_factors(fmhac_config_values *values);

/// The configuration whose V lies in K, with as many columns as are there.
void fmhac_support_put_v_in_k(fmhac_config_values *values);

#endif // FMHAC_LIB_SUPPORT_H
