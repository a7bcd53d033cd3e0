// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/MoveRows.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::fmha;

FailureOr<SmallVector<Value>> fmha::moveRows(Operation *op, OpBuilder &b,
                                             ArrayRef<Value> values,
                                             LaneLayoutAttr from,
                                             LaneLayoutAttr to) {
  Location loc = op->getLoc();
  auto refuse = [&] {
    return op->emitOpError()
           << "expected rows that a lane exchange can move, found " << from
           << " and " << to;
  };
  if (from.getWave() != to.getWave())
    return refuse();
  // By the row of the lane's own that a register holds.
  llvm::MapVector<int64_t, Value> byRow;
  for (auto [reg, value] : llvm::enumerate(values))
    byRow.insert({from.regCoord(reg, 0), value});
  constexpr unsigned kFirstSwapBit = 4;
  for (unsigned bit = 0; bit < from.laneBits(); ++bit) {
    int64_t has = from.laneBasis(bit, 0), wants = to.laneBasis(bit, 0);
    if (has == wants)
      continue;
    llvm::MapVector<int64_t, Value> next;
    if (!wants && bit >= kFirstSwapBit) {
      // Both lanes get both rows.
      for (auto [row, value] : byRow) {
        Value bits = LLVM::BitcastOp::create(b, loc, b.getI32Type(), value);
        auto [low, high] = emitPermlaneSwap(b, loc, bits, bits, bit);
        next[row] = LLVM::BitcastOp::create(b, loc, value.getType(), low);
        next[row + has] =
            LLVM::BitcastOp::create(b, loc, value.getType(), high);
      }
    } else if (!has) {
      Value lane = IdOp::create(b, loc, b.getI32Type(), Id::Lane);
      Value mask = constantI32(b, loc, int64_t(1) << bit);
      Value isHigh = arith::CmpIOp::create(
          b, loc, arith::CmpIPredicate::ne,
          arith::AndIOp::create(b, loc, lane, mask), constantI32(b, loc, 0));
      for (auto [row, value] : byRow)
        if (!(row & wants)) {
          Value high = byRow.lookup(row + wants);
          if (!high)
            return refuse();
          next[row] =
              arith::SelectOp::create(b, loc, isHigh, high, value).getResult();
        }
    } else {
      return refuse();
    }
    byRow = std::move(next);
  }
  SmallVector<Value> moved;
  for (int64_t reg = 0; reg < to.getRegElems(); ++reg) {
    Value value = byRow.lookup(to.regCoord(reg, 0));
    if (!value)
      return refuse();
    moved.push_back(value);
  }
  return moved;
}
