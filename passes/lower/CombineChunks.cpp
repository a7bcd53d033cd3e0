// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the chunks of a row are added: as CombineChunks.h says, in an order
// that follows from their numbers.
#include "lower/CombineChunks.h"
#include "lower/EmptyAsm.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::fmha {

/// LSE of a chunk of the row; past the last, of that.
Value CombineChunks::lseOfChunk(const Chunks &chunks, Value chunk) {
  chunk = arith::MinSIOp::create(b, chunk, b.sub(chunks.count, b.i32(1)));
  Value offset = b.mul(b.mul(b.zext64(chunk), chunks.rows), b.i64(kF32Bytes));
  return load(b.getF32Type(), b.add(chunks.lse, offset), kF32Bytes);
}

/// The greatest LSE of the chunks that the lane looks at: the lanes of a wave
/// look at one each, kLooks at once. The last one once more does no harm.
Value CombineChunks::greatestOfLane(const Chunks &chunks) {
  auto loop = scf::ForOp::create(b, b.i32(0), chunks.count,
                                 b.i32(kLooks * chip::kWaveLanes),
                                 ValueRange(b.f32(-kInfinity)));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Values lses;
  for (int64_t i = 0; i < kLooks; ++i) {
    Value chunk = b.add(b.id(Id::Lane), b.i32(i * chip::kWaveLanes));
    lses.push_back(lseOfChunk(chunks, b.add(loop.getInductionVar(), chunk)));
  }
  Value greatest = loop.getRegionIterArgs().front();
  for (Value lse : lses)
    greatest = arith::MaxNumFOp::create(b, greatest, lse);
  scf::YieldOp::create(b, greatest);
  return loop.getResult(0);
}

/// `own` of all lanes whose numbers differ in bits from `begin` on, neighbours
/// first. Each lane gets the same: which of two operands is its own
/// does not matter.
Value CombineChunks::overLanes(Value own, int64_t begin,
                               function_ref<Value(Value, Value)> combine) {
  Type word = b.getI32Type();
  for (int64_t distance = begin; distance < chip::kWaveLanes; distance *= 2) {
    Value from = b.mul(b.xorWith(b.id(Id::Lane), distance), b.i32(kI32Bytes));
    Value other =
        ROCDL::DsBpermuteOp::create(b, word, from, b.bitcast(word, own));
    own = combine(own, b.bitcast(b.getF32Type(), other));
  }
  return own;
}

Value CombineChunks::greatestOfAll(Value own, Value other) {
  auto greater = [&](Value x, Value y) -> Value {
    return arith::MaxNumFOp::create(b, x, y);
  };
  return greater(other, overLanes(own, 1, greater));
}

/// Which chunk of a block the lane looks at, on behalf of all teams, which have
/// `ofTeam` each in it. Block `first` begins at that chunk of each.
Value CombineChunks::chunkOfLane(Value first, int64_t ofTeam) {
  const int64_t teams = chip::kWaveLanes / lanes;
  Value own =
      arith::AndIOp::create(b, b.id(Id::Lane), b.i32(ofTeam * teams - 1));
  return b.add(b.mul(first, b.i32(teams)), own);
}

Value CombineChunks::lseOfBlock(const Chunks &chunks, Value first,
                                int64_t ofTeam) {
  return lseOfChunk(chunks, chunkOfLane(first, ofTeam));
}

/// LSE of the chunks of the lane's team in a block; each lane has
/// loaded one; -inf past the last, in `lse`, too. Not where it is loaded, as
/// that would wait for it.
Values CombineChunks::spread(const Chunks &chunks, Value first, Value &lse,
                             int64_t ofTeam) {
  const int64_t teams = chip::kWaveLanes / lanes;
  Value isOne = b.cmp(arith::CmpIPredicate::slt, chunkOfLane(first, ofTeam),
                      chunks.count);
  lse = b.select(isOne, lse, b.f32(-kInfinity));
  Type word = b.getI32Type();
  Value own = b.bitcast(word, lse), at = b.mul(team, b.i32(kI32Bytes));
  Values lses;
  for (int64_t i = 0; i < ofTeam; ++i) {
    Value from = b.add(at, b.i32(i * teams * kI32Bytes));
    Value other = ROCDL::DsBpermuteOp::create(b, word, from, own);
    lses.push_back(b.bitcast(b.getF32Type(), other));
  }
  return lses;
}

/// O of chunks from the lane's number `first` on; zeros where LSE is -inf.
Values CombineChunks::outputsFrom(const Chunks &chunks, Value first,
                                  ArrayRef<Value> lses) {
  Values outputs;
  Value address = b.add(chunks.o, b.mul(b.zext64(first), chunks.oBytes));
  for (Value lse : lses) {
    // Not equal, so that NaN reads O, too.
    Value isThere = b.cmp(arith::CmpFPredicate::UNE, lse, b.f32(-kInfinity));
    outputs.append(loadRow(b.select(isThere, address, zeros)));
    address = b.add(address, chunks.oBytes);
  }
  return outputs;
}

/// 0, which LLVM does not know: it would take everything that follows
/// from the numbers of the first chunks out of the loop over rows, into more
/// scalar registers than there are.
Value CombineChunks::firstChunk() {
  Value zero = b.i32(0);
  return createEmptyAsm(b, zero.getType(), zero, "=s,0", /*hasEffects=*/true)
      .getResult(0);
}

void CombineChunks::addBlock(const Loaded &block, Value shift, Sums &sums) {
  ArrayRef<Value> outputs = block.outputs;
  for (Value lse : block.lses) {
    add(weightOf(lse, shift), outputs.take_front(pieces.size()), sums);
    outputs = outputs.drop_front(pieces.size());
  }
}

/// The sum of weights and that of weighted O, of up to `count` chunks. `most`
/// is what else may be the greatest LSE, and becomes that.
CombineChunks::Sums CombineChunks::addFew(const Chunks &chunks, int64_t count,
                                          Value &most) {
  Value zero = firstChunk();
  Values lses;
  for (int64_t i = 0; i < count; ++i)
    lses.push_back(lseOfChunk(chunks, b.add(zero, b.i32(i))));
  for (int64_t i = 0; i < count; ++i) {
    Value isOne = b.cmp(arith::CmpIPredicate::slt, b.i32(i), chunks.count);
    lses[i] = b.select(isOne, lses[i], b.f32(-kInfinity));
    most = arith::MaxNumFOp::create(b, most, lses[i]);
  }
  Sums sums = noSums();
  addBlock({lses, outputsFrom(chunks, zero, lses)}, minuend(most), sums);
  return sums;
}

/// The same of up to `ofTeam` chunks of each team: all of them are under way at
/// once. `meanwhile` is called where LSE is.
CombineChunks::Sums CombineChunks::addAtOnce(const Chunks &chunks,
                                             int64_t ofTeam, Value &most,
                                             function_ref<void()> meanwhile) {
  Value zero = firstChunk();
  Value lse = lseOfBlock(chunks, zero, ofTeam);
  keepOrder();
  meanwhile();
  keepOrder();
  Loaded block{spread(chunks, zero, lse, ofTeam), {}};
  block.outputs = outputsFrom(chunks, zero, block.lses);
  keepOrder();
  most = greatestOfAll(lse, most);
  Sums sums = noSums();
  addBlock(block, minuend(most), sums);
  return sums;
}

/// The same of any number. Two blocks a round: what is loaded lies in other
/// registers than what is added, without copies, which would wait for it. The
/// test is at the end, for the same reason.
CombineChunks::Sums CombineChunks::addBlocks(const Chunks &chunks, Value &most,
                                             function_ref<void()> meanwhile) {
  Value zero = firstChunk(), step = b.i32(inFlight);
  Sums sums = noSums();
  // LSE is loaded three blocks ahead, two before O, for which it has to be
  // there; and before O, so that nobody waits for that on its behalf.
  Value lses[] = {lseOfBlock(chunks, zero, inFlight),
                  lseOfBlock(chunks, step, inFlight),
                  lseOfBlock(chunks, b.add(step, step), inFlight)};
  Value greatest = greatestOfLane(chunks);
  meanwhile();
  Loaded block{spread(chunks, zero, lses[0], inFlight), {}};
  block.outputs = outputsFrom(chunks, zero, block.lses);
  most = greatestOfAll(greatest, most);
  Value shift = minuend(most);
  Values carried;
  auto carry = [&](Value first, const Loaded &added, Value next,
                   Value afterNext) {
    carried = {first, sums.weights, next, afterNext};
    for (ArrayRef<Value> values :
         {ArrayRef<Value>(sums.outputs), ArrayRef<Value>(added.lses),
          ArrayRef<Value>(added.outputs)})
      llvm::append_range(carried, values);
  };
  carry(zero, block, lses[1], lses[2]);
  SmallVector<Type> types(ValueRange(carried).getTypes());
  SmallVector<Location> locations(types.size(), b.getLoc());
  auto loop = scf::WhileOp::create(b, types, carried);
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&loop.getBefore(), {}, types, locations);
  ValueRange rest = body->getArguments();
  auto take = [&](size_t count) {
    Values taken(rest.take_front(count));
    rest = rest.drop_front(count);
    return taken;
  };
  Value first = take(1).front();
  sums.weights = take(1).front();
  Values next = take(2);
  sums.outputs = take(pieces.size());
  Loaded added{take(inFlight), {}};
  added.outputs = take(rest.size());
  for (Value &lse : next) {
    Value second = b.add(first, step);
    Loaded loaded{spread(chunks, second, lse, inFlight), {}};
    lse = lseOfBlock(chunks, b.add(second, b.add(step, step)), inFlight);
    loaded.outputs = outputsFrom(chunks, second, loaded.lses);
    keepOrder();
    addBlock(added, shift, sums);
    added = loaded;
    first = second;
  }
  carry(first, added, next[0], next[1]);
  Value ofTeams = b.mul(first, b.i32(chip::kWaveLanes / lanes));
  scf::ConditionOp::create(
      b, b.cmp(arith::CmpIPredicate::slt, ofTeams, chunks.count), carried);
  Block *end = b.createBlock(&loop.getAfter(), {}, types, locations);
  scf::YieldOp::create(b, end->getArguments());
  return {loop.getResult(1), Values(loop.getResults().slice(4, pieces.size()))};
}

/// What all teams of a row have added: neighbours first, whatever they are.
CombineChunks::Sums CombineChunks::addTeams(const Sums &own) {
  auto sumOf = [&](Value x) {
    return overLanes(x, lanes,
                     [&](Value x, Value y) -> Value { return b.add(x, y); });
  };
  Sums sums = {sumOf(own.weights), {}};
  for (Value piece : own.outputs) {
    Values sumsOfPiece;
    for (Value column : b.unpack(piece))
      sumsOfPiece.push_back(sumOf(column));
    sums.outputs.push_back(b.packAll(sumsOfPiece));
  }
  return sums;
}

void CombineChunks::combineChunks(const Chunks &chunks,
                                  function_ref<Place()> placeOf, Way way) {
  Place place;
  Value sink, most = b.f32(-kInfinity);
  auto takePlace = [&] {
    place = placeOf();
    if (!way.isSideBySide) // here, in the shadow of the loads
      for (Value *number : {&place.head, &place.row})
        *number = hide(b, *number, RegisterKind::Scalar, /*always=*/true);
    if (!problem.getSink())
      return;
    Value offset = b.mul(place.head, b.i64(kF32Bytes));
    sink = load(b.getF32Type(), b.add(arg(Arg::Sink), offset), kF32Bytes);
    most = sink;
  };
  Sums sums;
  if (way.isSideBySide) {
    takePlace();
    sums = addFew(chunks, way.chunks, most);
  } else if (way.chunks) {
    sums = addTeams(addAtOnce(chunks, way.chunks, most, takePlace));
  } else {
    sums = addTeams(addBlocks(chunks, most, takePlace));
  }
  Value shift = minuend(most);
  if (sink)
    sums.weights = b.add(sums.weights, weightOf(sink, shift));
  const Target target = resultAt(place);
  OpBuilder::InsertionGuard guard(b);
  if (!way.isSideBySide) {
    Value isFirst = b.cmp(arith::CmpIPredicate::eq, team, b.i32(0));
    b.setInsertionPointToStart(
        scf::IfOp::create(b, isFirst, /*withElseRegion=*/false).thenBlock());
  }
  finish(target, shift, sums);
}

/// Stores O and LSE.
void CombineChunks::finish(const Target &target, Value shift,
                           const Sums &sums) {
  // Not one factor: f32 below 2^-126 are zeros.
  Value inverse =
      vector::BroadcastOp::create(b, columns, inverseOf(sums.weights));
  Values outputs;
  for (Value sum : sums.outputs)
    outputs.push_back(b.mul(sum, inverse));
  storeOutputs(target.o, target.element, outputs, target.factor);
  if (!target.lse)
    return;
  Value isFirst = b.cmp(arith::CmpIPredicate::eq, lane, b.i32(0));
  auto stores = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(stores.thenBlock());
  storeLse(target.lse, shift, sums.weights);
}

/// Zeros for all pieces of a lane.
void CombineChunks::placeZeros() {
  const int64_t bytes = bytesOf(bitsOf(source));
  const int64_t width = columns.getNumElements();
  const int64_t span =
      (int64_t(pieces.size()) - 1) * lanes * width * bytes + kVectorAccessBytes;
  Value zeroBytes =
      ZerosOp::create(b, b.getI64Type(), int64_t(llvm::PowerOf2Ceil(span)));
  zeros = hide(b, zeroBytes, RegisterKind::Scalar);
}

void CombineChunks::forEach(Value first, Value past, Value step,
                            function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, first, past, step);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

/// Calls `combine` with the number of the lane's row in each piece of rows that
/// the workgroup takes: from `first` on, `step` rows further each.
void CombineChunks::forEachRow(Value rows, Value first, Value step,
                               function_ref<void(Value)> combine) {
  forEach(first, rows, step, [&](Value begin) {
    Value number = b.add(begin, rowOfWorkgroup);
    Value isThere = b.cmp(arith::CmpIPredicate::slt, number, rows);
    auto branch = scf::IfOp::create(b, isThere, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    combine(number);
  });
}

/// Of row `number` among `rows` of each head.
CombineChunks::Place CombineChunks::placeOf(Value number, Value rows,
                                            Value firstHead, Value firstRow,
                                            Value batch) {
  Value head = arith::DivUIOp::create(b, number, rows);
  Value row = b.sub(number, b.mul(head, rows));
  return {batch, startOf(batch), b.zext64(b.add(head, firstHead)),
          b.zext64(b.add(row, firstRow))};
}

void CombineChunks::add(Value weight, ArrayRef<Value> o, Sums &sums) {
  sums.weights = b.add(sums.weights, weight);
  Value all = vector::BroadcastOp::create(b, columns, weight);
  for (auto [sum, part] : llvm::zip_equal(sums.outputs, o))
    sum = math::FmaOp::create(b, all, part, sum);
}

/// The caller's O and LSE.
CombineChunks::Target CombineChunks::resultAt(const Place &place) {
  const bool hasLse = !areParts || problem.getLse();
  return {addressOf(kO, place), hasLse ? addressOf(kLse, place) : Value(),
          problem.getO(), areParts ? outputFactor() : Value()};
}

} // namespace mlir::fmha
