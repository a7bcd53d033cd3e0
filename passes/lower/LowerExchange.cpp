// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waves that divided the keys leave O, m and l in LDS, each lane for the same
// lane of the others (lanes/Exchange.h). Each wave takes m and l of all of
// them, and of O its own fragments; it adds in the order of the waves, so that
// the results do not depend on who is first.
#include "Passes.h"
#include "chip/Chip.h"
#include "lanes/Exchange.h"
#include "lower/RowMath.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_LOWEREXCHANGEPASS
#include "Passes.h.inc"

namespace {

constexpr int64_t kExchangedBytes = 4;
constexpr int64_t kExchangedElems = kVectorAccessBytes / kExchangedBytes;

class ExchangeLowering {
public:
  explicit ExchangeLowering(KernelOp kernel)
      : kernel(kernel), schedule(kernel.getSchedule()) {}

  LogicalResult run();

private:
  FailureOr<Value> lower(ShareOp op, LaneBuilder &b);
  FailureOr<Values> lower(GatherOp op, LaneBuilder &b);
  void findLds(int64_t bytes);
  /// `fixed` bytes, known when the kernel is compiled, after those of the lane.
  Value at(LaneBuilder &b, Value ofLane, int64_t fixed) {
    return LLVM::GEPOp::create(b, ldsBase.getType(), b.getI8Type(), ofLane,
                               ArrayRef<LLVM::GEPArg>{int32_t(fixed)});
  }
  Value ofLane(LaneBuilder &b, int64_t laneBytes, Value more) {
    Value byte = b.add(b.mul(b.id(Id::Lane), b.i32(laneBytes)), more);
    return LLVM::GEPOp::create(b, ldsBase.getType(), b.getI8Type(), ldsBase,
                               ArrayRef<LLVM::GEPArg>{byte});
  }
  /// The first of the waves that share the wave's rows.
  Value firstOfRows(LaneBuilder &b) {
    return arith::AndIOp::create(b, b.id(Id::Wave),
                                 b.i32(schedule.rowWaves() - 1));
  }

  KernelOp kernel;
  ScheduleAttr schedule;
  Value ldsBase;
};

/// The LDS of the buffers, or more of it.
void ExchangeLowering::findLds(int64_t bytes) {
  kernel.walk([&](LdsBaseOp op) {
    op.setBytes(std::max<int64_t>(op.getBytes(), bytes));
    ldsBase = op.getBase();
  });
  if (ldsBase)
    return;
  LaneBuilder b(kernel.getLoc(),
                OpBuilder::atBlockBegin(kernel.getItemBlock()));
  constexpr unsigned kLdsSpace = 3;
  ldsBase = LdsBaseOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), kLdsSpace), bytes);
}

/// The gather that takes what is shared: it knows how O is divided.
FailureOr<GatherOp> gatherOf(ShareOp op) {
  if (op.getToken().hasOneUse())
    if (auto gather = dyn_cast<GatherOp>(*op.getToken().user_begin()))
      return gather;
  return op.emitOpError("expected one fmha.gather of what is shared, found "
                        "none or several");
}

FailureOr<Value> ExchangeLowering::lower(ShareOp op, LaneBuilder &b) {
  FailureOr<GatherOp> gather = gatherOf(op);
  if (failed(gather))
    return failure();
  TileType type = op.getO().getType();
  Exchange plan(schedule, gather->getO().getType(), op.getM().getType());
  auto [first, last] = plan.rangeOf(op.getPartAttr());
  const int64_t begin = first * plan.sharers(), end = last * plan.sharers();
  Value wave = b.id(Id::Wave);
  Value lane = ofLane(b, kVectorAccessBytes,
                      b.mul(wave, b.i32(plan.waveBytes(end - begin))));
  Values fragments = b.toLanes(op.getO());
  Value zeros = b.splat(fragmentType(type), 0);
  for (int64_t i = begin; i < end; ++i) {
    // Some wave may take padding that stands beside what another one takes.
    const bool isTaken =
        llvm::any_of(llvm::seq(plan.sharers()), [&](int64_t beside) {
          return fragments[i / plan.sharers() * plan.sharers() + beside] !=
                 nullptr;
        });
    if (!isTaken)
      continue;
    Values elements = b.unpack(fragments[i] ? fragments[i] : zeros);
    for (int64_t piece = 0; piece < plan.pieces(); ++piece)
      LLVM::StoreOp::create(b,
                            b.packAll(ArrayRef(elements).slice(
                                piece * kExchangedElems, kExchangedElems)),
                            at(b, lane, plan.pieceByte(i - begin, piece)),
                            kVectorAccessBytes);
  }
  Value pairs =
      ofLane(b, 2 * kExchangedBytes, b.mul(wave, b.i32(plan.wavePairBytes())));
  for (auto [reg, m, l] :
       llvm::enumerate(b.elements(op.getM()), b.elements(op.getL())))
    LLVM::StoreOp::create(b, b.packAll({m, l}),
                          at(b, pairs, plan.pairByte(end - begin, reg)),
                          2 * kExchangedBytes);
  return NoTokenOp::create(b, op.getToken().getType()).getToken();
}

FailureOr<Values> ExchangeLowering::lower(GatherOp op, LaneBuilder &b) {
  TileType type = op.getO().getType(), rows = op.getM().getType();
  LaneLayoutAttr layout = type.getLayout();
  Exchange plan(schedule, type, rows);
  auto [first, last] = plan.rangeOf(op.getPartAttr());
  const int64_t shared = (last - first) * plan.sharers();
  const int64_t sharing = schedule.getKeyWaves();
  const int64_t rowWaves = schedule.rowWaves();
  Value base = firstOfRows(b);

  // Of every row and wave the weight that its sums have.
  auto pairType = VectorType::get({2}, b.getF32Type());
  Value pairs =
      ofLane(b, 2 * kExchangedBytes, b.mul(base, b.i32(plan.wavePairBytes())));
  const size_t count = rows.getLayout().getRegElems();
  const Values factors = factorsOfRows(b, op.getFactor(), count);
  Values greatest, sums;
  SmallVector<Values> weights(count); // by row, then wave
  for (size_t row = 0; row < count; ++row) {
    Values ofWaves, l;
    for (int64_t k = 0; k < sharing; ++k) {
      Value pair = LLVM::LoadOp::create(
          b, pairType,
          at(b, pairs,
             plan.pairByte(shared, row) + k * rowWaves * plan.wavePairBytes()),
          2 * kExchangedBytes);
      Values both = b.unpack(pair);
      ofWaves.push_back(both[0]);
      l.push_back(both[1]);
    }
    greatest.push_back(maxOf(b, ofWaves));
    Value shift = shiftOf(b, greatest.back(), factors[row], op.getWide());
    Value sum;
    Values parts;
    for (auto [own, weighed] : llvm::zip(ofWaves, l)) {
      Value weight = correctionOf(b, own, shift, factors[row], op.getWide());
      weights[row].push_back(weight);
      Value part = b.mul(weighed, weight);
      sum = sum ? b.add(sum, part) : part;
      parts.push_back(part);
    }
    sums.push_back(sum);
    if (!op.getNormalized())
      continue;
    // What was divided by a wave's own sum counts by its part of that of all.
    Value zero = b.f32(0), isNone = b.cmp(arith::CmpFPredicate::OEQ, sum, zero);
    Value reciprocal = b.select(isNone, zero, b.reciprocal(sum));
    for (auto [weight, part] : llvm::zip(weights[row], parts))
      weight = b.mul(part, reciprocal);
  }

  // The wave's fragments begin after those of the waves before it.
  Value number =
      arith::ShRUIOp::create(b, b.id(Id::Wave), b.i32(llvm::Log2_64(rowWaves)));
  number = arith::AndIOp::create(b, number, b.i32(plan.sharers() - 1));
  Value lane = ofLane(b, kVectorAccessBytes,
                      b.add(b.mul(base, b.i32(plan.waveBytes(shared))),
                            b.mul(number, b.i32(plan.waveBytes(1)))));
  auto pieceType = VectorType::get({kExchangedElems}, b.getF32Type());
  Values fragments = op.getPartial() ? b.toLanes(op.getPartial())
                                     : Values(layout.getFragments());
  SmallVector<int64_t> present = type.presentFragments();
  for (int64_t i = first; i < last; ++i) {
    if (!llvm::is_contained(present, i))
      continue;
    const int64_t row = layout.regCoord(i * layout.getFragment(), 0);
    const auto *ofRow = llvm::find_if(weights, [&](const Values &own) {
      return rows.getLayout().regCoord(&own - weights.begin(), 0) == row;
    });
    if (ofRow == weights.end())
      return op.emitOpError()
             << "expected a maximum of row " << row << " of a lane, found none";
    Values elements;
    for (int64_t piece = 0; piece < plan.pieces(); ++piece) {
      Value sum;
      for (int64_t k = 0; k < sharing; ++k) {
        Value own = LLVM::LoadOp::create(
            b, pieceType,
            at(b, lane,
               plan.pieceByte((i - first) * plan.sharers(), piece) +
                   k * rowWaves * plan.waveBytes(shared)),
            kVectorAccessBytes);
        Value weight = vector::BroadcastOp::create(b, pieceType, (*ofRow)[k]);
        Value part = b.mul(own, weight);
        sum = sum ? b.add(sum, part) : part;
      }
      llvm::append_range(elements, b.unpack(sum));
    }
    fragments[i] = b.packAll(elements);
  }
  // Those of later parts.
  for (int64_t i : present)
    if (!fragments[i])
      fragments[i] = LLVM::PoisonOp::create(b, fragmentType(type));
  return Values{b.fromLanes(type, fragments), b.tileOf(rows, greatest),
                b.tileOf(rows, sums)};
}

LogicalResult ExchangeLowering::run() {
  int64_t bytes = 0;
  kernel.walk([&](LdsExchangeOp op) {
    bytes = std::max(bytes, op.getExchange().getType().getBytes());
  });
  if (!bytes)
    return success();
  findLds(bytes);
  if (failed(lowerEach<ShareOp>(
          kernel, [&](auto op, LaneBuilder &b) { return lower(op, b); })) ||
      failed(lowerEach<GatherOp>(
          kernel, [&](auto op, LaneBuilder &b) { return lower(op, b); })))
    return failure();
  kernel.walk([](Operation *op) {
    if (isa<NoTokenOp, LdsExchangeOp>(op) && op->use_empty())
      op->erase();
  });
  return success();
}

struct LowerExchange : impl::LowerExchangePassBase<LowerExchange> {
  LogicalResult run(KernelOp kernel) override {
    return ExchangeLowering(kernel).run();
  }
};
} // namespace
} // namespace mlir::fmha
