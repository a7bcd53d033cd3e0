// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What gfx950 can do and how much of it there is; bounds that the dialect's
/// verifiers know, too, are in FmhaLimits.h. Every number carries its source.
/// The emulator has its own tables: one wrong table must not agree with itself.
#ifndef FMHA_CHIP_CHIP_H
#define FMHA_CHIP_CHIP_H

#include "FmhaDialect.h"

namespace mlir::fmha::chip {

/// Wave64. Source: gfx950 target of fmhac.
constexpr int64_t kWaveLanes = 64;
constexpr int64_t kWaveLaneBits = 6;
/// Scalar registers of a wave, without VCC. Source: CDNA4 ISA guide, "SGPRs:
/// 102".
constexpr int64_t kScalarRegisters = 102;
/// SIMDs of a compute unit, to which the waves of a workgroup go in turn.
/// Source: CDNA4 ISA guide, "four SIMD".
constexpr int64_t kSimds = 4;
/// Vector registers of a lane of a SIMD, which its waves share, and their bits.
/// Source: CDNA4 ISA guide: 512, of 32 bits.
constexpr int64_t kVectorRegisters = 512;
constexpr int64_t kRegisterBits = 32;
/// FP16_OVFL of the register MODE, as s_setreg takes it: bit 23, one bit, of
/// register 1. With it conversions to few bits give the largest number where
/// they would overflow. Source: CDNA4 ISA guide, 3.5 and S_SETREG_B32.
constexpr int64_t kOverflowModeBit = 1 | 23 << 6 | (1 - 1) << 11;
/// XCDs, each with an L2 of its own. Workgroups go round them in the order of
/// their number, x fastest. Source: MI355X data sheet; ROCm/composable_kernel
/// pull request 3652, "scheduled round-robin across XCDs".
constexpr int64_t kXcds = 8;
/// LDS of a compute unit that one workgroup may have, bytes. Source: CDNA4 ISA
/// guide, "160 KiB LDS".
constexpr int64_t kLdsBytes = 163840;
/// Bytes that a lane moves with one direct-to-LDS load, widest first, as far as
/// they are powers of two. Source: CDNA4 ISA guide, BUFFER_LOAD_DWORDX4 and
/// BUFFER_LOAD_DWORD with LDS=1.
constexpr int64_t kDmaLaneBytes[] = {16, 4};
/// Line of the vector cache and of L2. Source: CDNA3/4 ISA guide, 128 bytes.
constexpr int64_t kCacheLineBytes = 128;
/// Bytes that the vector cache moves in a cycle, of neighbouring lanes. Source:
/// ROCm/gfx950-gluon-tutorials, docs/tcp_bound_tile_model.md: 16 cycles for a
/// dwordx4 of 64 lanes, 4 for a dword. That lanes are neighbours as they are
/// numbered is assumed.
constexpr int64_t kCacheBytesPerCycle = 64;
/// The widest access of LDS, and what every access is aligned to; bytes.
/// Source: CDNA4 ISA guide, DS_READ_B128.
constexpr int64_t kLdsAccessBytes = 16;
/// Bytes that the immediate of a read reaches from its address on. Source:
/// CDNA4 ISA guide, DS: OFFSET0 and OFFSET1, together an unsigned offset of 16
/// bits.
constexpr int64_t kLdsReachBytes = 65536;

/// An instruction that reads LDS.
struct LdsReadInstruction {
  LdsRead read;
  int64_t elemBits; ///< of elements that it tells apart; 0: of any
  int64_t laneBits; ///< that it gives a lane
  llvm::StringLiteral name;
};
/// The widest that gives a lane neighbours that lie on end (row), or that it
/// transposes to (column), of elements of so many bits, `mostBits` at most;
/// nothing if gfx950 has none.
std::optional<LdsReadInstruction> lookupLdsRead(LdsRead read, int64_t elemBits,
                                                int64_t mostBits);
/// Lanes that exchange elements in a transposing read. Each lane gets one
/// column, so the instruction reads as many columns. Source: CDNA4 ISA guide,
/// DS_READ_B64_TR_B16.
constexpr int64_t kLdsTransposeLanes = 16;
/// Banks, and bytes of each. Source: CDNA4 ISA guide, 64 banks.
constexpr int64_t kLdsBanks = 64;
constexpr int64_t kLdsBankBytes = 4;

/// The phase of a read of `bytesPerLane` bytes a lane in which LDS serves
/// `lane`. Source: phases measured on MI355X by HipKittens
/// (analysis/paper_experiments/phases).
int64_t ldsReadPhase(int64_t bytesPerLane, int64_t lane);

struct LdsConflicts {
  int64_t ways = 1;   ///< words that one bank serves within a phase, at worst
  int64_t cycles = 0; ///< that they add: the others of each phase
};
/// Bank conflicts of a read for which lane l touches `bytesPerLane` bytes at
/// `laneAddress[l]`.
LdsConflicts ldsReadConflicts(llvm::ArrayRef<int64_t> laneAddress,
                              int64_t bytesPerLane);

/// Masks of instruction classes. Source: LLVM AMDGPUUsage,
/// llvm.amdgcn.sched.group.barrier.
int32_t schedMask(SchedClass kind);
/// The class that has the mask; nothing if none has.
std::optional<SchedClass> schedClassOf(int32_t mask);

} // namespace mlir::fmha::chip

#endif // FMHA_CHIP_CHIP_H
