// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lanes/PackedRows.h"

using namespace mlir;
using namespace mlir::fmha;

/// Of 32 bits, or of 64 that are fewer.
static Value argument(LaneBuilder &b, Arg field) {
  Type i32 = b.getI32Type();
  Value value = ArgOp::create(b, typeOfArg(field, b.getContext()), field);
  return value.getType() == i32
             ? value
             : arith::TruncIOp::create(b, i32, value).getResult();
}

bool fmha::packsHeads(LaneBuilder &b) { return b.schedule().packsHeads(); }

Value fmha::queryRow(LaneBuilder &b, Value row) {
  if (!packsHeads(b))
    return row;
  constexpr int64_t kHalfBits = 32;
  Value twice = arith::ShLIOp::create(b, row, b.i32(1));
  Value product =
      b.mul(b.zext64(twice), b.zext64(argument(b, Arg::GroupMultiplier)));
  Value upper = arith::ShRUIOp::create(b, product, b.i64(kHalfBits));
  return arith::ShRUIOp::create(
      b, arith::TruncIOp::create(b, b.getI32Type(), upper),
      argument(b, Arg::GroupShift));
}

Value fmha::memberOf(LaneBuilder &b, Value row, Value ofQ) {
  return b.sub(row, b.mul(ofQ, argument(b, Arg::GroupSize)));
}

Value fmha::rowsOfSequence(LaneBuilder &b) {
  Value rows = SeqLenOp::create(b, b.getI32Type(), Sequence::Q);
  return packsHeads(b) ? b.mul(rows, argument(b, Arg::GroupSize)) : rows;
}

Value fmha::headOfRow(LaneBuilder &b, Value row, Value ofQ) {
  Value head = b.id(Id::Head);
  if (!packsHeads(b))
    return head;
  return b.add(b.mul(head, argument(b, Arg::GroupSize)), memberOf(b, row, ofQ));
}
