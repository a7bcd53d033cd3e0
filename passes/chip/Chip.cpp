// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chip/Chip.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir::fmha;
using namespace mlir::fmha::chip;

namespace {

/// Dense matrix instructions on bf16 and f16 with f32 results, one block.
/// Source: CDNA4 ISA guide, table of dense MFMA.
struct Shape {
  int64_t m, n, k;
};
constexpr Shape kShapes[] = {{32, 32, 16}, {16, 16, 32}};

/// Operand map: the low lane bits count `outer`, the high ones count groups of
/// `perLane` contracted elements, register bits count within the group.
FragmentMap operandMap(int64_t outer, int64_t k) {
  FragmentMap map;
  int64_t perLane = outer * k / kWaveLanes;
  for (int64_t bit = 1; bit < outer; bit *= 2)
    map.lane.push_back({bit, 0});
  for (int64_t bit = perLane; bit < k; bit *= 2)
    map.lane.push_back({0, bit});
  for (int64_t bit = 1; bit < perLane; bit *= 2)
    map.reg.push_back({0, bit});
  return map;
}

/// Result map: the low lane bits count columns; four consecutive registers are
/// four rows; the high lane bits count groups of four rows, register bits above
/// the second continue where lanes end.
FragmentMap resultMap(int64_t m, int64_t n) {
  constexpr int64_t kRowsPerGroup = 4;
  FragmentMap map;
  for (int64_t bit = 1; bit < n; bit *= 2)
    map.lane.push_back({0, bit});
  for (int64_t bit = 1; bit < kRowsPerGroup; bit *= 2)
    map.reg.push_back({bit, 0});
  int64_t row = kRowsPerGroup;
  for (; int64_t(map.lane.size()) < kWaveLaneBits; row *= 2)
    map.lane.push_back({row, 0});
  for (; row < m; row *= 2)
    map.reg.push_back({row, 0});
  return map;
}

} // namespace

std::optional<Mfma> chip::lookupMfma(MfmaAttr shape) {
  for (const Shape &known : kShapes)
    if (known.m == shape.getM() && known.n == shape.getN() &&
        known.k == shape.getK())
      return Mfma{operandMap(known.m, known.k), operandMap(known.n, known.k),
                  resultMap(known.m, known.n)};
  return std::nullopt;
}

llvm::ArrayRef<llvm::ArrayRef<uint8_t>>
chip::ldsReadPhases(int64_t bytesPerLane) {
  // 8 bytes a lane, plain and transposing reads: 32 consecutive lanes a phase.
  static const uint8_t b64[2][32] = {
      {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
       16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31},
      {32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
       48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63}};
  static const uint8_t b128[4][16] = {
      {0, 1, 2, 3, 12, 13, 14, 15, 20, 21, 22, 23, 24, 25, 26, 27},
      {4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19, 28, 29, 30, 31},
      {32, 33, 34, 35, 44, 45, 46, 47, 52, 53, 54, 55, 56, 57, 58, 59},
      {36, 37, 38, 39, 40, 41, 42, 43, 48, 49, 50, 51, 60, 61, 62, 63}};
  static const llvm::ArrayRef<uint8_t> b64Phases[] = {b64[0], b64[1]};
  static const llvm::ArrayRef<uint8_t> b128Phases[] = {b128[0], b128[1],
                                                       b128[2], b128[3]};
  if (bytesPerLane == 16)
    return b128Phases;
  return b64Phases;
}

namespace {
/// The words that each bank serves in one phase.
class Banks {
public:
  explicit Banks(int64_t banks) : banks(banks) {}

  void touch(int64_t address, int64_t bytes) {
    for (int64_t byte = 0; byte < bytes; byte += kLdsBankBytes) {
      // A power of two: a search asks for ten thousands of these.
      int64_t word = (address + byte) / kLdsBankBytes,
              bank = word & (banks - 1);
      auto *end = words[bank] + count[bank];
      if (std::find(words[bank], end, word) != end)
        continue;
      *end = word;
      worst = std::max(worst, ++count[bank]);
    }
  }
  int64_t ways() const { return worst; }

private:
  int64_t banks, worst = 1;
  int64_t count[kLdsBanks] = {};
  int64_t words[kLdsBanks][kWaveLanes]; ///< a lane has a word of a bank once
};
} // namespace

/// Of one phase of a read.
static int64_t readWays(llvm::ArrayRef<int64_t> laneAddress,
                        int64_t bytesPerLane, llvm::ArrayRef<uint8_t> phase) {
  Banks banks(chip::kLdsBanks);
  for (uint8_t lane : phase)
    banks.touch(laneAddress[lane], bytesPerLane);
  return banks.ways();
}

int64_t chip::ldsConflictWays(llvm::ArrayRef<int64_t> laneAddress,
                              int64_t bytesPerLane, LdsTouch touch) {
  int64_t worst = 1;
  if (touch == LdsTouch::Copy) {
    int64_t lanes = ldsWritePhaseLanes(bytesPerLane);
    for (int64_t first = 0; first < kWaveLanes; first += lanes) {
      Banks banks(kLdsWriteBanks);
      for (int64_t address : laneAddress.slice(first, lanes))
        banks.touch(address, bytesPerLane);
      worst = std::max(worst, banks.ways());
    }
    return worst;
  }
  for (llvm::ArrayRef<uint8_t> phase : ldsReadPhases(bytesPerLane))
    worst = std::max(worst, readWays(laneAddress, bytesPerLane, phase));
  return worst;
}

int32_t chip::schedMask(SchedClass kind) {
  switch (kind) {
  case SchedClass::Mfma:
    return 0x8;
  case SchedClass::Valu:
    return 0x2;
  case SchedClass::Trans:
    return 0x400;
  case SchedClass::DsRead:
    return 0x100;
  case SchedClass::Vmem:
    return 0x10;
  case SchedClass::Salu:
    return 0x4;
  }
  llvm_unreachable("closed enum");
}

std::optional<SchedClass> chip::schedClassOf(int32_t mask) {
  for (unsigned i = 0; i <= getMaxEnumValForSchedClass(); ++i)
    if (schedMask(SchedClass(i)) == mask)
      return SchedClass(i);
  return std::nullopt;
}

int64_t chip::ldsConflictCycles(llvm::ArrayRef<int64_t> laneAddress,
                                int64_t bytesPerLane) {
  int64_t cycles = 0;
  for (llvm::ArrayRef<uint8_t> phase : ldsReadPhases(bytesPerLane))
    cycles += readWays(laneAddress, bytesPerLane, phase) - 1;
  return cycles;
}
