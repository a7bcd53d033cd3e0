// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The kernel-argument ABI: the block that a launcher writes into the kernarg
/// segment and a generated kernel reads. Nothing but this block and the code
/// object crosses from compiler to runtime.
#ifndef FMHAC_ABI_H
#define FMHAC_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Changes when the rules of the block change: the meaning of its first field,
/// or of a field that keeps its name. A new field does not change it: a
/// kernel's note lists the groups that the kernel requires with their fields,
/// and fmhac_kernel_create_from_code() takes the kernel if these groups have
/// the same fields here.
#define FMHAC_ABI_VERSION 1u

/// Bits of `field_mask`, which has at least those that the kernel's note has as
/// `required_args`. A kernel does not read the mask. The emulator refuses a
/// launch whose mask lacks one of them, unless the mask is 0.
enum {
  FMHAC_ARGS_CORE_BIT = 0,
  FMHAC_ARGS_LSE_BIT = 1,
  FMHAC_ARGS_VARLEN_Q_BIT = 2,
  FMHAC_ARGS_VARLEN_KV_BIT = 3,
  FMHAC_ARGS_LENGTHS_Q_BIT = 4,
  FMHAC_ARGS_LENGTHS_KV_BIT = 5,
  FMHAC_ARGS_PAGED_BIT = 6,
  FMHAC_ARGS_SCALES_BIT = 7, ///< of no field: each operand has a bit of its own
  FMHAC_ARGS_SINK_BIT = 8,
  FMHAC_ARGS_ALIBI_BIT = 9,
  FMHAC_ARGS_BIAS_BIT = 10,
  FMHAC_ARGS_SPLIT_BIT = 11,
  FMHAC_ARGS_WORKSPACE_BIT = 12,
  FMHAC_ARGS_Q_SCALE_BIT = 13,
  FMHAC_ARGS_K_SCALE_BIT = 14,
  FMHAC_ARGS_V_SCALE_BIT = 15,
  FMHAC_ARGS_O_SCALE_BIT = 16,
  FMHAC_ARGS_PAGE_LIST_BIT = 17,
  FMHAC_ARGS_WORK_BIT = 18,
  FMHAC_ARGS_QUEUE_BIT = 19,
  FMHAC_ARGS_PARTS_BIT = 20,
  FMHAC_ARGS_COMBINE_BIT = 21,
  FMHAC_ARGS_MERGE_BIT = 22,
  FMHAC_ARGS_PLAN_BIT = 23,
  FMHAC_ARGS_TOTALS_BIT = 24,
  FMHAC_ARGS_HEAD_GROUP_BIT = 25,
  FMHAC_ARGS_K_ROPE_BIT = 26,
  FMHAC_ARGS_LIST_SETS_BIT = 27,
  FMHAC_ARGS_RUNS_BIT = 28,
  FMHAC_ARGS_JOIN_BIT = 29
};

typedef uint32_t fmhac_abi_u32;
typedef uint64_t fmhac_abi_u64;
typedef float fmhac_abi_f32;
typedef uint64_t fmhac_abi_ptr;

/// The kernarg block; see fmhac_abi.def for each field.
typedef struct fmhac_kernel_args {
#define FMHAC_ARG(type, name, group, doc) fmhac_abi_##type name;
#include "fmhac_abi.def"
} fmhac_kernel_args;

/// Index of each field in the argument list of a generated kernel.
enum {
#define FMHAC_ARG(type, name, group, doc) FMHAC_ARG_INDEX_##name,
#include "fmhac_abi.def"
  FMHAC_ARG_COUNT
};

#ifdef __cplusplus
}
#endif
#endif // FMHAC_ABI_H
