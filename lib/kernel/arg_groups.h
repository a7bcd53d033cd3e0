// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The groups of kernel arguments that a kernel requires, in the note of its
/// code object. A kernel reads only fields of these groups, so a kernel of
/// another build is fit to be launched if each of them has the same fields at
/// the same places here. Other groups may have come, gone or changed.
///
/// The note has the fields themselves:
///
///   "arg_groups": {"LSE": "ptr lse@168, u64 lse_batch_stride@176, …"}
///
/// type, name and byte offset of each, in memory order. A digest of each group
/// would be shorter by some hundred bytes of a code object of twenty thousand.
/// It could tell that a group differs, and not which field lies where.
#ifndef FMHAC_LIB_ARG_GROUPS_H
#define FMHAC_LIB_ARG_GROUPS_H

#include <msgpack.h>
#include <stdint.h>

#include "context.h"

#define FMHAC_ARG_GROUPS_KEY "arg_groups"

/// Packs the groups of `required`, bits FMHAC_ARGS_*_BIT, as the value of the
/// note's key.
void fmhac_arg_groups_pack(msgpack_packer *packer, uint64_t required);

/// Compares the groups of a note with those of this library and gives their
/// bits. `doing` begins the text of an error, `by` of `by_bytes` is the version
/// that wrote the note. `value` may be anything: what is no map has no group.
/// Errors: UNSUPPORTED (a group that this library does not know or that has
/// other fields here), INVALID_INPUT (no texts).
FMHAC_MUST_USE fmhac_status fmhac_arg_groups_check(
    fmhac_context *context, const msgpack_object *value, const char *doing,
    const char *by, size_t by_bytes, uint64_t *out_required);

/// Bytes of the argument block up to the end of the last field of groups.
size_t fmhac_arg_groups_end(uint64_t groups);

#endif // FMHAC_LIB_ARG_GROUPS_H
