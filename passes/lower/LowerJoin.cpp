// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last workgroup of those that share a unit combines its parts. Who is
// last, a counter says, which all of them ask after their stores:
//
//   wait for the stores; barrier
//   one lane: n = counter++, modulo the number of parts; acquire
//   barrier
//   n == parts - 1: all stores of the others are over
//
// Stores of parts go past the L2 of their XCD (sc1), so that they are over for
// all XCDs when vmcnt says so; and the acquire makes the caches forget what
// they have, before the last one loads. That is the memory model of gfx942
// at agent scope, in LLVM's "User Guide for AMDGPU Backend". The counter wraps:
// it is 0 again after the launch.
//
// One workgroup has the bandwidth of one compute unit. So of more than kAtOnce
// parts as many neighbours become one first, in the place of the first of
// them, by whoever of these is last; then as many of those, until all are one:
//
//   for (span = 1; span < count; span *= kAtOnce)
//     group = own - own % (kAtOnce * span)
//     members = its parts, of each `span`th the first
//     if it has several: if not the last of them, stop; combine them
//     own = group
//
// The counter of a group is that of a tile of parts: group + the number of the
// level, which no other group has, as a group of level n > 0 has more than
// kAtOnce parts.
//
// A wave finds the weights of its rows first, a lane for each member of a row,
// and leaves them in LDS; so that all there is to do for a row is to load O of
// its members and to add it up.
#include "Passes.h"
#include "lower/Anew.h"
#include "lower/ResultRows.h"
#include "work_find.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_LOWERJOINPASS
#include "Passes.h.inc"

namespace {

class JoinLowering : ResultRows {
public:
  JoinLowering(JoinPartsOp op, KernelOp kernel)
      : ResultRows(op, kernel.getProblem(), lanesOf(kernel),
                   /*areParts=*/true),
        op(op), kernel(kernel) {}

  void run();

private:
  static constexpr int64_t kAtOnce = FMHAC_PARTS_AT_ONCE,
                           kLevelBits = FMHAC_PARTS_AT_ONCE_BITS;
  /// In LDS: who came last, then the weights of a row after those of another.
  static constexpr int64_t kWeightsAt = kVectorAccessBytes,
                           kWeightsBytes = kAtOnce * kF32Bytes;

  static int64_t lanesOf(KernelOp kernel) {
    return llvm::PowerOf2Ceil(llvm::divideCeil(
        kernel.getProblem().getHeadDimV(), CombineOp::kColumnsOfLane));
  }

  /// What is combined: `count` members, from part `first` of the unit on.
  struct Group {
    Value first, count;
    Value shift; ///< log2 of the parts from one member to the next
    Value end;   ///< of the first group of the level
  };
  /// A lane's member of a row: what decides its weight.
  struct Pair {
    Value number, lse, sink;
    Value other; ///< the same, or another row of the wave where it is none
  };
  /// A row of it.
  struct Row {
    Value number, isThere;
  };

  scf::IfOp branch(Value condition, TypeRange results = {});
  void findLds();
  Value ldsAt(Value offsetBytes);
  Value countArrivals(const Group &group);
  void takeLevels();
  int64_t rowsAtOnce() { return kernel.waveCount() * chip::kWaveLanes / lanes; }
  /// Rounds of rows, as many at once, until a tile is over.
  int64_t rounds() {
    return llvm::divideCeil(kernel.getSchedule().getTileM(), rowsAtOnce());
  }
  Value isAll(const Group &group);
  Value memberOfLane() {
    return arith::AndIOp::create(b, b.id(Id::Lane), b.i32(kAtOnce - 1));
  }
  Value isThere(Value number);
  Row rowFrom(Value begin);
  Value rowsBefore(const Group &group, Value member);
  Value addressIn(Arg array, Value rowsBefore, int64_t rowBytes, Value number,
                  Value offset);
  Place placeOfRow(Value number);
  Values loadOutputs(const Group &group, const Row &row, int64_t most);
  Values loadWeights(const Row &row, int64_t most);
  Values loadMembers(const Group &group, const Row &row, int64_t most);
  SmallVector<Pair> loadPairs(const Group &group);
  Value overMembers(Value own, function_ref<Value(Value, Value)> combine);
  void findWeights(const Group &group, ArrayRef<Pair> pairs);
  void addAndStore(const Group &group, const Row &row, int64_t most,
                   ArrayRef<Value> loaded);
  void combine(const Group &group, int64_t most);
  void combineInTurn(const Group &group, int64_t most, Values first);

  JoinPartsOp op;
  KernelOp kernel;
  Value lds; ///< its first bytes
};

/// What follows is built in it.
scf::IfOp JoinLowering::branch(Value condition, TypeRange results) {
  auto result = scf::IfOp::create(b, results, condition,
                                  /*withElseRegion=*/!results.empty());
  b.setInsertionPointToStart(result.thenBlock());
  return result;
}

void JoinLowering::findLds() {
  // A wave has a lane for each member of as many rows, also where its tile has
  // fewer.
  const int64_t teams = chip::kWaveLanes / lanes;
  const int64_t rowsOfWave =
      std::max(rounds() * teams, chip::kWaveLanes / kAtOnce);
  const int64_t bytes =
      kWeightsAt + rowsOfWave * kernel.waveCount() * kWeightsBytes;
  kernel.walk([&](LdsBaseOp base) {
    base.setBytes(std::max<int64_t>(base.getBytes(), bytes));
    lds = base;
  });
  if (lds)
    return;
  constexpr unsigned kLdsSpace = 3;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.getBody().front());
  lds = LdsBaseOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), kLdsSpace), bytes);
}

Value JoinLowering::ldsAt(Value offsetBytes) {
  return LLVM::GEPOp::create(b, lds.getType(), b.getI8Type(), lds,
                             LLVM::GEPArg(offsetBytes));
}

/// How many of a group came before this workgroup; the same in all lanes. All
/// items are over: nobody uses LDS.
Value JoinLowering::countArrivals(const Group &group) {
  Type i32 = b.getI32Type();
  constexpr unsigned kGlobalSpace = 1;
  const IntegerAttr none, zero = b.getI32IntegerAttr(0);
  amdgpu::MemoryCounterWaitOp::create(b, /*load=*/zero, /*store=*/zero,
                                      /*ds=*/zero, none, none);
  ROCDL::SBarrierOp::create(b);
  Value isFirst = b.cmp(arith::CmpIPredicate::eq, op.getWave(), b.i32(0));
  auto ofWave = branch(isFirst);
  Value isLane = b.cmp(arith::CmpIPredicate::eq, b.id(Id::Lane), b.i32(0));
  branch(isLane);
  Value level = arith::DivUIOp::create(b, group.shift, b.i32(kLevelBits));
  Value number = b.add(b.add(op.getTile(), group.first), level);
  // LLVM would have one lane ask for all, and wait for it in all.
  Value counter = anew(
      b,
      b.add(arg(Arg::JoinCounters), b.mul(b.zext64(number), b.i64(kI32Bytes))),
      RegisterKind::Vector);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), kGlobalSpace);
  Value before = LLVM::AtomicRMWOp::create(
      b, LLVM::AtomicBinOp::uinc_wrap,
      LLVM::IntToPtrOp::create(b, pointer, counter),
      b.sub(group.count, b.i32(1)), LLVM::AtomicOrdering::monotonic, "agent");
  // Who asked forgets what the caches have, before the others go on: they share
  // the vector cache.
  LLVM::FenceOp::create(b, LLVM::AtomicOrdering::acquire, "agent");
  LLVM::StoreOp::create(b, before, lds);
  b.setInsertionPointAfter(ofWave);
  amdgpu::MemoryCounterWaitOp::create(b, none, none, /*ds=*/zero, none, none);
  ROCDL::SBarrierOp::create(b);
  return ROCDL::ReadfirstlaneOp::create(b, i32,
                                        LLVM::LoadOp::create(b, i32, lds));
}

/// Whether it is all of the unit: then it is the first of its level. Compared
/// anew: LLVM would keep masks, two registers each.
Value JoinLowering::isAll(const Group &group) {
  return b.cmp(arith::CmpIPredicate::uge,
               anew(b, group.end, RegisterKind::Scalar), op.getCount());
}

Value JoinLowering::isThere(Value number) {
  return b.cmp(arith::CmpIPredicate::slt, number, op.getRows());
}

/// A lane's row, that many after its first one. Where there is none, what is
/// loaded is another row of the lane, or of the wave, which nobody else stores:
/// a branch round loads would make LLVM wait for all of them.
JoinLowering::Row JoinLowering::rowFrom(Value begin) {
  Value number = b.add(begin, rowOfWorkgroup);
  Value last = b.sub(op.getRows(), b.i32(1));
  Value other = arith::MinSIOp::create(b, rowOfWorkgroup, last);
  return {b.select(isThere(number), number, other), isThere(number)};
}

/// The first row of a member of the group; the last member's of one past it.
Value JoinLowering::rowsBefore(const Group &group, Value member) {
  Value last = b.sub(group.count, b.i32(1));
  Value number = arith::MinUIOp::create(b, member, last);
  Value tiles = arith::ShLIOp::create(b, number, group.shift);
  // Rows of parts are counted in 31 bits.
  return b.mul(b.add(b.add(op.getTile(), group.first), tiles),
               arg(Arg::RunPartRows));
}

/// A row of an array of rows of parts, from the lane's `offset` in it on. What
/// all lanes have alike stays apart, which LLVM keeps in scalar registers.
Value JoinLowering::addressIn(Arg array, Value rowsBefore, int64_t rowBytes,
                              Value number, Value offset) {
  Value uniform =
      b.add(arg(array), b.mul(b.zext64(rowsBefore), b.i64(rowBytes)));
  Value own = b.add(b.mul(number, b.i32(rowBytes)), offset);
  return b.add(uniform, b.zext64(own));
}

/// Of O.
ResultRows::Place JoinLowering::placeOfRow(Value number) {
  Value batch = b.zext64(op.getBatch());
  Place place = {batch, startOf(batch), b.zext64(op.getHead()),
                 b.zext64(b.add(op.getRow(), number))};
  if (kernel.getSchedule().packsHeads())
    takeTurns(place, arg(Arg::GroupSize));
  return place;
}

/// LSE of the members of all rows of the wave, a lane for each, under way at
/// once; and the sinks of their heads.
SmallVector<JoinLowering::Pair> JoinLowering::loadPairs(const Group &group) {
  const int64_t teams = chip::kWaveLanes / lanes;
  const int64_t pairs = rounds() * teams * kAtOnce;
  SmallVector<Pair> all;
  Value ofLane =
      arith::ShRUIOp::create(b, b.id(Id::Lane), b.i32(llvm::Log2_64(kAtOnce)));
  Value first = b.mul(b.id(Id::Wave), b.i32(teams));
  for (int64_t begin = 0; begin < pairs; begin += chip::kWaveLanes) {
    Value index = b.add(ofLane, b.i32(begin / kAtOnce));
    Value round = arith::ShRUIOp::create(b, index, b.i32(llvm::Log2_64(teams)));
    Value ofRound = arith::AndIOp::create(b, index, b.i32(teams - 1));
    Pair pair;
    pair.number =
        b.add(b.add(b.mul(round, b.i32(rowsAtOnce())), first), ofRound);
    pair.other = b.select(isThere(pair.number), pair.number, first);
    Value address = addressIn(Arg::PartLse, rowsBefore(group, memberOfLane()),
                              kF32Bytes, pair.other, b.i32(0));
    pair.lse = ResultRows::load(b.getF32Type(), address, kF32Bytes);
    if (problem.getSink()) {
      Value offset = b.mul(placeOfRow(pair.other).head, b.i64(kF32Bytes));
      pair.sink = ResultRows::load(b.getF32Type(),
                                   b.add(arg(Arg::Sink), offset), kF32Bytes);
    }
    all.push_back(pair);
  }
  return all;
}

/// Of the lanes of a row's members, without LDS: neighbours, then pairs of
/// these, then the other half, where all have the same by then.
Value JoinLowering::overMembers(Value own,
                                function_ref<Value(Value, Value)> combine) {
  constexpr uint32_t kSwapTwo = 0xb1, kSwapPairs = 0x4e, kMirrorEight = 0x141,
                     kAll = 0xf;
  static_assert(kAtOnce == 8);
  for (uint32_t move : {kSwapTwo, kSwapPairs, kMirrorEight}) {
    Value other =
        ROCDL::DPPUpdateOp::create(b, own.getType(), own, own, move, kAll, kAll,
                                   /*boundCtrl=*/true);
    own = combine(own, other);
  }
  return own;
}

/// Weights of all rows of the wave, over their sums, and LSE of the rows. A
/// member that is not there has none.
void JoinLowering::findWeights(const Group &group, ArrayRef<Pair> pairs) {
  Value member = memberOfLane();
  Value isMember = b.cmp(arith::CmpIPredicate::ult, member, group.count);
  Value isFirst = b.cmp(arith::CmpIPredicate::eq, member, b.i32(0));
  Value none = b.f32(-kInfinity);
  for (const Pair &pair : pairs) {
    Value lse = b.select(isMember, pair.lse, none);
    Value greatest = overMembers(lse, [&](Value x, Value y) -> Value {
      return arith::MaxNumFOp::create(b, x, y);
    });
    Value sink;
    if (problem.getSink()) {
      sink = b.select(isAll(group), pair.sink, none);
      greatest = arith::MaxNumFOp::create(b, greatest, sink);
    }
    Value shift = minuend(greatest);
    Value weight = weightOf(lse, shift);
    Value sum = overMembers(
        weight, [&](Value x, Value y) -> Value { return b.add(x, y); });
    if (sink)
      sum = b.add(sum, weightOf(sink, shift));
    Value at = b.add(b.mul(pair.number, b.i32(kWeightsBytes)),
                     b.mul(member, b.i32(kF32Bytes)));
    LLVM::StoreOp::create(b, b.mul(weight, inverseOf(sum)),
                          ldsAt(b.add(at, b.i32(kWeightsAt))), kF32Bytes);
    Value isRow =
        arith::AndIOp::create(b, isFirst, isThere(pair.number)).getResult();
    auto ifRow = branch(isRow);
    auto ifAll = scf::IfOp::create(b, isAll(group), /*withElseRegion=*/true);
    b.setInsertionPointToStart(ifAll.thenBlock());
    if (problem.getLse())
      storeLse(addressOf(kLse, placeOfRow(pair.number)), shift, sum);
    b.setInsertionPointToStart(ifAll.elseBlock());
    storeLse(addressIn(Arg::PartLse, rowsBefore(group, b.i32(0)), kF32Bytes,
                       pair.number, b.i32(0)),
             shift, sum);
    b.setInsertionPointAfter(ifRow);
  }
}

/// O of up to `most` members of a row, all under way at once.
Values JoinLowering::loadOutputs(const Group &group, const Row &row,
                                 int64_t most) {
  Values loaded;
  Value ahead = b.mul(pieces.front().column, b.i32(kF32Bytes));
  for (int64_t i = 0; i < most; ++i)
    loaded.append(loadRow(addressIn(Arg::PartO, rowsBefore(group, b.i32(i)),
                                    problem.getHeadDimV() * kF32Bytes,
                                    row.number, ahead)));
  return loaded;
}

Values JoinLowering::loadWeights(const Row &row, int64_t most) {
  Values loaded;
  auto four = VectorType::get({kVectorAccessBytes / kF32Bytes}, b.getF32Type());
  Value weights =
      b.add(b.mul(row.number, b.i32(kWeightsBytes)), b.i32(kWeightsAt));
  for (int64_t i = 0; i < most; i += four.getNumElements())
    loaded.append(b.unpack(
        LLVM::LoadOp::create(b, four,
                             ldsAt(b.add(weights, b.i32(i * kF32Bytes))),
                             kVectorAccessBytes)
            .getResult()));
  return loaded;
}

/// Weights first, then O.
Values JoinLowering::loadMembers(const Group &group, const Row &row,
                                 int64_t most) {
  Values loaded = loadWeights(row, most);
  loaded.append(loadOutputs(group, row, most));
  return loaded;
}

/// Adds what loadMembers() has loaded: of all parts of the unit its O, else a
/// part. The first two members are always there.
void JoinLowering::addAndStore(const Group &group, const Row &row, int64_t most,
                               ArrayRef<Value> values) {
  auto ifThere = branch(row.isThere);
  Values sums(pieces.size(), b.splat(columns, 0));
  Value count = anew(b, group.count, RegisterKind::Scalar);
  auto add = [&](int64_t member) {
    // In a register of its own: of a pair LLVM would take the high half twice,
    // which gfx950 does not always do right (ROCm/rocMLIR#2459).
    Value weight = anew(b, values[member], RegisterKind::Vector);
    weight = vector::BroadcastOp::create(b, columns, weight);
    Values added;
    for (auto [sum, o] : llvm::zip_equal(
             sums, values.slice(most + member * pieces.size(), pieces.size())))
      added.push_back(math::FmaOp::create(b, weight, o, sum));
    return added;
  };
  for (int64_t i = 0; i < most; ++i)
    sums = i < 2 ? add(i)
                 : b.changeIf(b.cmp(arith::CmpIPredicate::ult, b.i32(i), count),
                              sums, [&] { return add(i); });
  auto ifAll = scf::IfOp::create(b, isAll(group), /*withElseRegion=*/true);
  b.setInsertionPointToStart(ifAll.thenBlock());
  const Place place = placeOfRow(row.number);
  storeOutputs(addressOf(kO, place), problem.getO(), sums, outputFactor());
  b.setInsertionPointToStart(ifAll.elseBlock());
  storeOutputs(addressIn(Arg::PartO, rowsBefore(group, b.i32(0)),
                         problem.getHeadDimV() * kF32Bytes, row.number,
                         b.i32(0)),
               b.getF32Type(), sums, Value());
  b.setInsertionPointAfter(ifThere);
}

/// All rows, of up to `most` members each.
void JoinLowering::combine(const Group &group, int64_t most) {
  Value first = b.mul(op.getWave(), b.i32(chip::kWaveLanes / lanes));
  auto ifRows = branch(b.cmp(arith::CmpIPredicate::slt, first, op.getRows()));
  SmallVector<Pair> pairs = loadPairs(group);
  const Row row = rowFrom(b.i32(0));
  Values outputs = loadOutputs(group, row, most);
  keepOrder();
  findWeights(group, pairs);
  Values members = loadWeights(row, most);
  members.append(outputs);
  if (rounds() > 1)
    combineInTurn(group, most, members);
  else
    addAndStore(group, row, most, members);
  b.setInsertionPointAfter(ifRows);
}

/// While a row is added, the next one's loads are under way. Two rows a round:
/// what is loaded lies in other registers than what is added, without copies,
/// which would wait for it.
void JoinLowering::combineInTurn(const Group &group, int64_t most,
                                 Values first) {
  Value step = b.i32(rowsAtOnce()), zero = b.i32(0);
  Values carried{zero};
  carried.append(first);
  SmallVector<Type> types(ValueRange(carried).getTypes());
  SmallVector<Location> locations(types.size(), b.getLoc());
  auto loop = scf::WhileOp::create(b, types, carried);
  Block *body = b.createBlock(&loop.getBefore(), {}, types, locations);
  Value begin = body->getArgument(0);
  Values loaded(body->getArguments().drop_front());
  for (int half = 0; half < 2; ++half) {
    Value next = b.add(begin, step);
    Values ofNext = loadMembers(group, rowFrom(next), most);
    keepOrder();
    addAndStore(group, rowFrom(begin), most, loaded);
    begin = next;
    loaded = ofNext;
  }
  Values next{begin};
  next.append(loaded);
  scf::ConditionOp::create(
      b, b.cmp(arith::CmpIPredicate::slt, begin, op.getRows()), next);
  Block *after = b.createBlock(&loop.getAfter(), {}, types, locations);
  scf::YieldOp::create(b, after->getArguments());
  b.setInsertionPointAfter(loop);
}

/// From the item's part to all of the unit, as long as this workgroup is the
/// last of a group.
void JoinLowering::takeLevels() {
  // O of items before lies in L2: all stores have to be over for others to see
  // that those of parts are.
  auto ifLater =
      branch(b.cmp(arith::CmpIPredicate::ne, op.getIsLater(), b.i32(0)));
  LLVM::FenceOp::create(b, LLVM::AtomicOrdering::release, "agent");
  b.setInsertionPointAfter(ifLater);
  Type i32 = b.getI32Type(), i1 = b.getI1Type();
  const IntegerAttr none, zero = b.getI32IntegerAttr(0);
  SmallVector<Type> types{i32, i32};
  SmallVector<Location> locations(types.size(), b.getLoc());
  auto loop = scf::WhileOp::create(b, types, ValueRange{op.getOwn(), b.i32(0)});
  Block *body = b.createBlock(&loop.getBefore(), {}, types, locations);
  Value own = body->getArgument(0), shift = body->getArgument(1);
  Group group;
  group.shift = shift;
  Value bits = b.add(shift, b.i32(kLevelBits));
  group.first =
      arith::ShLIOp::create(b, arith::ShRUIOp::create(b, own, bits), bits);
  // As many as begin before the end.
  Value parts = b.sub(op.getCount(), group.first);
  Value span = arith::ShLIOp::create(b, b.i32(1), shift);
  Value members =
      arith::ShRUIOp::create(b, b.add(parts, b.sub(span, b.i32(1))), shift);
  group.count = arith::MinUIOp::create(b, members, b.i32(kAtOnce));
  Value end = arith::ShLIOp::create(b, b.i32(1), bits);
  group.end = end;
  Value isOne = b.cmp(arith::CmpIPredicate::eq, group.count, b.i32(1));
  auto goesOn = scf::IfOp::create(b, i1, isOne, /*withElseRegion=*/true);
  b.setInsertionPointToStart(goesOn.thenBlock());
  scf::YieldOp::create(
      b, ValueRange(arith::ConstantOp::create(b, b.getBoolAttr(true))));
  b.setInsertionPointToStart(goesOn.elseBlock());
  Value before = countArrivals(group);
  Value isLast =
      b.cmp(arith::CmpIPredicate::eq, b.add(before, b.i32(1)), group.count);
  auto ifLast = branch(isLast);
  Value isFewer =
      b.cmp(arith::CmpIPredicate::ule, group.count, b.i32(kAtOnce / 2));
  auto fewer = scf::IfOp::create(b, isFewer, /*withElseRegion=*/true);
  b.setInsertionPointToStart(fewer.thenBlock());
  combine(group, kAtOnce / 2);
  b.setInsertionPointToStart(fewer.elseBlock());
  combine(group, kAtOnce);
  b.setInsertionPointAfter(fewer);
  // What has been combined is a part that others load.
  auto ifAll = scf::IfOp::create(b, isAll(group), /*withElseRegion=*/true);
  b.setInsertionPointToStart(ifAll.elseBlock());
  LLVM::FenceOp::create(b, LLVM::AtomicOrdering::release, "agent");
  b.setInsertionPointAfter(ifLast);
  scf::YieldOp::create(b, isLast);
  b.setInsertionPointAfter(goesOn);
  Value isMore = b.cmp(arith::CmpIPredicate::ult, end, op.getCount());
  Value more = arith::AndIOp::create(b, goesOn.getResult(0), isMore);
  scf::ConditionOp::create(b, more, ValueRange{group.first, bits});
  Block *after = b.createBlock(&loop.getAfter(), {}, types, locations);
  scf::YieldOp::create(b, after->getArguments());
  b.setInsertionPointAfter(loop);
  // The next item writes to LDS, from which all waves have read, also what they
  // needed no more.
  amdgpu::MemoryCounterWaitOp::create(b, none, none, /*ds=*/zero, none, none);
  ROCDL::SBarrierOp::create(b);
}

void JoinLowering::run() {
  findLds();
  auto region = scf::ExecuteRegionOp::create(b, TypeRange());
  b.createBlock(&region.getRegion());
  scf::YieldOp::create(b);
  b.setInsertionPointToStart(&region.getRegion().front());
  if (bitsOf(problem.getO()) == kByteBits)
    saturateConversions(b);
  chooseLanes();
  takeLevels();
  b.setInsertionPointToStart(&region.getRegion().front());
  replaceArguments(b, region);
  replaceIds(b, region, op.getWave());
  op.erase();
}

struct LowerJoin : impl::LowerJoinPassBase<LowerJoin> {
  LogicalResult run(KernelOp kernel) override {
    SmallVector<JoinPartsOp> ops;
    kernel.walk([&](JoinPartsOp op) { ops.push_back(op); });
    for (JoinPartsOp op : ops)
      JoinLowering(op, kernel).run();
    return success();
  }
};
} // namespace
} // namespace mlir::fmha
