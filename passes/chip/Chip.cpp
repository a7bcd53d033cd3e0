// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chip/Chip.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir::fmha;
using namespace mlir::fmha::chip;

/// Source: CDNA4 ISA guide, DS_READ_B128, DS_READ_B64, DS_READ_B64_TR_B16 and
/// DS_READ_B64_TR_B8. The widest first.
static constexpr LdsReadInstruction kLdsReads[] = {
    {LdsRead::Row, 0, 128, "ds_read_b128"},
    {LdsRead::Row, 0, 64, "ds_read_b64"},
    {LdsRead::Column, 16, 64, "ds_read_b64_tr_b16"},
    {LdsRead::Column, 8, 64, "ds_read_b64_tr_b8"},
};

std::optional<LdsReadInstruction>
chip::lookupLdsRead(LdsRead read, int64_t elemBits, int64_t mostBits) {
  for (const LdsReadInstruction &row : kLdsReads)
    if (row.read == read && (!row.elemBits || row.elemBits == elemBits) &&
        row.laneBits <= mostBits)
      return row;
  return std::nullopt;
}

int64_t chip::ldsReadPhase(int64_t bytesPerLane, int64_t lane) {
  // 8 bytes a lane, plain and transposing reads: 32 consecutive lanes a phase.
  if (bytesPerLane != kLdsAccessBytes)
    return lane / 32;
  // 16 bytes: four of the eight groups of four lanes that each half has.
  constexpr int64_t kPhaseOfGroup[] = {0, 1, 1, 0, 1, 0, 0, 1};
  return lane / 32 * 2 + kPhaseOfGroup[lane / 4 % 8];
}

LdsConflicts chip::ldsReadConflicts(llvm::ArrayRef<int64_t> laneAddress,
                                    int64_t bytesPerLane) {
  LdsConflicts found;
  for (int64_t phase = 0; phase <= ldsReadPhase(bytesPerLane, kWaveLanes - 1);
       ++phase) {
    int64_t worst = 1, count[kLdsBanks] = {};
    int64_t words[kLdsBanks][kWaveLanes]; // a lane has a word of a bank once
    for (auto [lane, address] : llvm::enumerate(laneAddress)) {
      if (ldsReadPhase(bytesPerLane, lane) != phase)
        continue;
      for (int64_t byte = 0; byte < bytesPerLane; byte += kLdsBankBytes) {
        int64_t word = (address + byte) / kLdsBankBytes;
        // A power of two: a search asks for ten thousands of these.
        int64_t bank = word & (kLdsBanks - 1);
        auto *end = words[bank] + count[bank];
        if (std::find(words[bank], end, word) != end)
          continue;
        *end = word;
        worst = std::max(worst, ++count[bank]);
      }
    }
    found.ways = std::max(found.ways, worst);
    found.cycles += worst - 1;
  }
  return found;
}

/// In the order of the classes: mfma, valu, trans, ds_read, vmem, salu.
static constexpr int32_t kSchedMasks[] = {0x8, 0x2, 0x400, 0x100, 0x10, 0x4};
static_assert(std::size(kSchedMasks) == getMaxEnumValForSchedClass() + 1);

int32_t chip::schedMask(SchedClass kind) { return kSchedMasks[size_t(kind)]; }

std::optional<SchedClass> chip::schedClassOf(int32_t mask) {
  const auto *at = llvm::find(kSchedMasks, mask);
  if (at == std::end(kSchedMasks))
    return std::nullopt;
  return SchedClass(at - kSchedMasks);
}
