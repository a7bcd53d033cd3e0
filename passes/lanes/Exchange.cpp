// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lanes/Exchange.h"

#include "chip/Chip.h"

using namespace mlir;
using namespace mlir::fmha;

constexpr int64_t kSharedElemBytes = 4, kSharedPairBytes = 2 * kSharedElemBytes;
constexpr int64_t kSharedRunBytes = kVectorAccessBytes * chip::kWaveLanes;

Exchange::Exchange(ScheduleAttr schedule, TileType merged, TileType rows)
    : waves(schedule.getWaves()), sharing(1),
      groups(merged.getLayout().getFragments()),
      piecesOfFragment(merged.getLayout().getFragment() * kSharedElemBytes /
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
  return (at * piecesOfFragment + piece) * kSharedRunBytes;
}

int64_t Exchange::waveBytes(int64_t fragments) const {
  return fragments * piecesOfFragment * kSharedRunBytes;
}

int64_t Exchange::pairByte(int64_t fragments, int64_t reg) const {
  return waves * waveBytes(fragments) +
         reg * kSharedPairBytes * chip::kWaveLanes;
}

int64_t Exchange::wavePairBytes() const {
  return rowRegs * kSharedPairBytes * chip::kWaveLanes;
}
