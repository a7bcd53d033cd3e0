// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Bounds of what a schedule may ask for, that more than one place has to know.
#ifndef FMHA_LIMITS_H
#define FMHA_LIMITS_H

#include <cstdint>

namespace mlir::fmha {

/// Of weights that a lazy rescale lets pass 1: in f16 they stay below 2^16.
constexpr int64_t kMaxLazyLog2 = 12;
/// Of the immediates of s_setprio and s_nop. Source: CDNA3/4 ISA guide.
constexpr int64_t kMaxPriority = 3, kMaxNops = 16;
/// Vector-memory operations that a wait can leave outstanding: vmcnt has 6
/// bits. Source: CDNA3/4 ISA guide, S_WAITCNT.
constexpr int64_t kMaxOutstandingLoads = 63;
/// Bytes that a lane moves with one access of vector memory: the widest
/// (dwordx4; CDNA4 ISA guide, BUFFER_LOAD_DWORDX4), and one f32 where rows may
/// end at any.
constexpr int64_t kVectorAccessBytes = 16, kScalarAccessBytes = 4;
/// Largest denominator of a part. No kernel has more than 4096 things to
/// divide: the 512 registers of a lane hold at most 512 scores, and a product
/// has at most 1024 MFMAs, for a head of 256 and four registers a result. The
/// limit also keeps the products of such numbers within 64 bits.
constexpr int64_t kMaxPartOf = 4096;
/// Instructions that the recipe of a stage may name: far more than there are
/// between two barriers, of built-in schedules 100. Passes and searches handle
/// them one by one.
constexpr int64_t kMaxRecipe = 4096;

/// Rows or keys of a tile, and with it sides of matrix instructions and bytes
/// of padding. Nothing larger fits: of O alone the 512 registers of a lane hold
/// 128 matrix instructions' rows a wave, so 16 waves 65536, and LDS has room
/// for fewer keys. Passes count in products of it.
constexpr int64_t kMaxTile = 65536;
/// Head sizes: of Dv a row of fmha.combine has the lanes of a wave, 8 columns
/// each.
constexpr int64_t kMaxHeadDimQk = 576, kMaxHeadDimV = 512;

} // namespace mlir::fmha

#endif // FMHA_LIMITS_H
