// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lanes/KeyRange.h"

using namespace mlir;
using namespace mlir::fmha;

static Value length(LaneBuilder &b, Sequence sequence) {
  return SeqLenOp::create(b, b.getI32Type(), sequence);
}

/// The key that lies on the diagonal of a row, bottom-right aligned.
static Value diagonal(LaneBuilder &b, Value row) {
  Value shift = b.sub(length(b, Sequence::Kv), length(b, Sequence::Q));
  return b.add(row, shift);
}

/// Keys of the sequence, up to the end of the work item's part. A pipeline
/// visits tiles after that, too, and rows see none of their keys.
static Value endKey(LaneBuilder &b, ProblemAttr problem) {
  Value keys = length(b, Sequence::Kv);
  return problem.getParts()
             ? arith::MinSIOp::create(b, keys, b.work().getEndKey())
             : keys;
}

Value fmha::emitKeyLimit(LaneBuilder &b, ProblemAttr problem, Value row) {
  Value keys = endKey(b, problem), limit;
  switch (problem.getMask()) {
  case MaskKind::None:
    return keys;
  case MaskKind::Causal:
  case MaskKind::Chunked:
    limit = b.add(diagonal(b, row), b.i32(1));
    break;
  case MaskKind::CausalTopLeft:
    limit = b.add(row, b.i32(1));
    break;
  case MaskKind::Window:
    if (problem.getWindowRight() < 0)
      return keys;
    limit = b.add(diagonal(b, row), b.i32(problem.getWindowRight() + 1));
    break;
  }
  return arith::MinSIOp::create(b, limit, keys);
}

Value fmha::emitFirstKey(LaneBuilder &b, ProblemAttr problem, Value row) {
  Value on = diagonal(b, row), zero = b.i32(0);
  if (problem.getMask() == MaskKind::Window)
    return arith::MaxSIOp::create(b, b.add(on, b.i32(-problem.getWindowLeft())),
                                  zero);
  // Rows before key 0 see nothing: which chunk they get does not matter.
  Value chunk = b.i32(problem.getChunk());
  on = arith::MaxSIOp::create(b, on, zero);
  return b.mul(arith::DivUIOp::create(b, on, chunk), chunk);
}
