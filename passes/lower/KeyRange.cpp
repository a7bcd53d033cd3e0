// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/KeyRange.h"

#include "lower/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fmha;

namespace {

Value length(OpBuilder &b, Location loc, Sequence sequence) {
  return SeqLenOp::create(b, loc, b.getI32Type(), sequence);
}

/// The key that lies on the diagonal of a row, bottom-right aligned.
Value diagonal(OpBuilder &b, Location loc, Value row) {
  Value shift = arith::SubIOp::create(b, loc, length(b, loc, Sequence::Kv),
                                      length(b, loc, Sequence::Q));
  return arith::AddIOp::create(b, loc, row, shift);
}

Value addConstant(OpBuilder &b, Location loc, Value value, int64_t addend) {
  return arith::AddIOp::create(b, loc, value, constantI32(b, loc, addend));
}

} // namespace

Value fmha::emitKeyLimit(OpBuilder &b, Location loc, ProblemAttr problem,
                         Value row) {
  Value keys = length(b, loc, Sequence::Kv), limit;
  switch (problem.getMask()) {
  case MaskKind::None:
    return keys;
  case MaskKind::Causal:
  case MaskKind::Chunked:
    limit = addConstant(b, loc, diagonal(b, loc, row), 1);
    break;
  case MaskKind::CausalTopLeft:
    limit = addConstant(b, loc, row, 1);
    break;
  case MaskKind::Window:
    if (problem.getWindowRight() < 0)
      return keys;
    limit = addConstant(b, loc, diagonal(b, loc, row),
                        problem.getWindowRight() + 1);
    break;
  }
  return arith::MinSIOp::create(b, loc, limit, keys);
}

Value fmha::emitFirstKey(OpBuilder &b, Location loc, ProblemAttr problem,
                         Value row) {
  Value on = diagonal(b, loc, row), zero = constantI32(b, loc, 0);
  if (problem.getMask() == MaskKind::Window)
    return arith::MaxSIOp::create(
        b, loc, addConstant(b, loc, on, -problem.getWindowLeft()), zero);
  // Rows before key 0 see nothing: which chunk they get does not matter.
  Value chunk = constantI32(b, loc, problem.getChunk());
  on = arith::MaxSIOp::create(b, loc, on, zero);
  return arith::MulIOp::create(
      b, loc, arith::DivUIOp::create(b, loc, on, chunk), chunk);
}
