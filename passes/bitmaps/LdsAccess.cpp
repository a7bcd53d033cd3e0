// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bitmaps/LdsAccess.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fmha;

using Coord = std::pair<int64_t, int64_t>;

/// Whether the first `count` bits count neighbours along `dim`.
static bool countAlong(ArrayRef<Coord> bits, size_t count, unsigned dim) {
  return bits.size() >= count &&
         llvm::all_of(llvm::seq(count), [&](size_t bit) {
           const int64_t step = int64_t(1) << bit;
           return bits[bit] == (dim ? Coord(0, step) : Coord(step, 0));
         });
}

static unsigned dimOf(LdsRead read) { return read == LdsRead::Row ? 1 : 0; }

std::optional<chip::LdsReadInstruction>
fmha::lookupLdsRead(TileType tile, LdsRead read, unsigned onEnd) {
  const int64_t elemBits = bitsOf(tile.getElement());
  const bool isPlain = dimOf(read) == onEnd;
  if (!isPlain && read == LdsRead::Row)
    return std::nullopt; // instructions transpose rows to columns only
  // Of keys a lane holds as many neighbours as a fragment has.
  return chip::lookupLdsRead(isPlain ? LdsRead::Row : read, elemBits,
                             onEnd ? kVectorAccessBytes * kByteBits
                                   : tile.getLayout().getFragment() * elemBits);
}

FailureOr<LdsAccess> fmha::planLdsReads(Operation *op, TileType tile,
                                        Operand operand) {
  auto kernel = op->getParentOfType<KernelOp>();
  const LdsRead read =
      staged(operand).getStaging(kernel.getSchedule()).getRead();
  const unsigned onEnd = dimOnEnd(kernel.getProblem(), operand);
  LaneLayoutAttr layout = tile.getLayout();
  const int64_t elemBits = bitsOf(tile.getElement());
  auto instruction = lookupLdsRead(tile, read, onEnd);
  if (!instruction && dimOf(read) != onEnd && read == LdsRead::Row)
    return op->emitOpError()
           << "expected read = column of keys that lie on end, found read = "
           << stringifyLdsRead(read);
  if (!instruction)
    return op->emitOpError()
           << "expected elements that gfx950 can read by "
           << stringifyLdsRead(read) << ", found " << tile.getElement();
  auto fail = [&](int64_t count, StringRef what, unsigned bits) {
    return op->emitOpError()
           << "expected a lane layout that " << instruction->name
           << " (read = " << stringifyLdsRead(read) << ") can fill, with "
           << count << " " << what << " bits 0.." << bits - 1 << ", found "
           << layout;
  };
  SmallVector<Coord> lane, reg;
  for (unsigned bit = 0; bit < layout.laneBits(); ++bit)
    lane.emplace_back(layout.laneBasis(bit, 0), layout.laneBasis(bit, 1));
  for (unsigned bit = 0; bit < layout.regBits(); ++bit)
    reg.emplace_back(layout.regBasis(bit, 0), layout.regBasis(bit, 1));
  const int64_t elems = instruction->laneBits / elemBits;
  const unsigned elemsLog2 = llvm::Log2_64(elems);
  const bool transposes = instruction->read == LdsRead::Column;
  LdsAccess access{elems, bytesOf(instruction->laneBits), transposes, lane, {}};
  if (!transposes) {
    if (!countAlong(reg, elemsLog2, onEnd))
      return fail(elems,
                  onEnd ? "neighbouring columns in register"
                        : "neighbouring keys in register",
                  elemsLog2);
  } else {
    // A lane supplies as many neighbours of a row as it receives of a column.
    // The low lanes of a group supply row 0, those after them row 1, …; lane i
    // receives column i of all these rows. Source: CDNA4 ISA guide,
    // DS_READ_B64_TR_B16.
    constexpr unsigned kGroup = llvm::ConstantLog2<chip::kLdsTransposeLanes>();
    if (!countAlong(lane, kGroup, onEnd))
      return fail(chip::kLdsTransposeLanes, "neighbouring columns in lane",
                  kGroup);
    ArrayRef rows = ArrayRef(reg).take_front(elemsLog2);
    auto isRow = [](Coord at) { return at.first && !at.second; };
    if (rows.size() < elemsLog2 || !llvm::all_of(rows, isRow))
      return fail(elems, "rows in register", elemsLog2);
    ArrayRef lanes(lane);
    access.lane.assign(lanes.begin() + elemsLog2, lanes.begin() + kGroup);
    llvm::append_range(access.lane, rows);
    llvm::append_range(access.lane, lanes.drop_front(kGroup));
  }
  for (int64_t i = 0; i < layout.getRegElems(); i += access.elemsPerLane)
    access.base.emplace_back(layout.regCoord(i, 0), layout.regCoord(i, 1));
  return access;
}
