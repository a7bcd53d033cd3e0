// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lanes/Exchange.h"

#include "chip/Chip.h"

using namespace mlir;
using namespace mlir::fmha;

constexpr int64_t kF32Bytes = 4, kPairBytes = 2 * kF32Bytes;
constexpr int64_t kRunBytes = kVectorAccessBytes * chip::kWaveLanes;

Exchange::Exchange(ScheduleAttr schedule, TileType merged, TileType rows)
    : waves(schedule.getWaves()), sharing(1),
      groups(merged.getLayout().getFragments()),
      piecesOfFragment(merged.getLayout().getFragment() * kF32Bytes /
                       kVectorAccessBytes),
      rowRegs(rows.getLayout().getRegElems()) {
  for (unsigned bit = 0; bit < merged.getLayout().waveBits(); ++bit)
    if (merged.getLayout().waveBasis(bit, 1))
      sharing *= 2;
}

int64_t Exchange::bytesOf(int64_t parts) const {
  return waves * waveBytes(groups / parts * sharing) + waves * wavePairBytes();
}

int64_t Exchange::partsWithin(int64_t bytes) const {
  int64_t parts = 1;
  while (parts < groups && bytesOf(parts) > bytes)
    parts *= 2;
  return parts;
}

int64_t Exchange::pieceByte(int64_t at, int64_t piece) const {
  return (at * piecesOfFragment + piece) * kRunBytes;
}

int64_t Exchange::waveBytes(int64_t fragments) const {
  return fragments * piecesOfFragment * kRunBytes;
}

int64_t Exchange::pairByte(int64_t fragments, int64_t reg) const {
  return waves * waveBytes(fragments) + reg * kPairBytes * chip::kWaveLanes;
}

int64_t Exchange::wavePairBytes() const {
  return rowRegs * kPairBytes * chip::kWaveLanes;
}
