// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"

#include <limits>

namespace mlir::fmha {
#define GEN_PASS_DEF_TILEATTENTIONPASS
#include "Passes.h.inc"

namespace {

/// Builds one kernel. Values of the loop body are named after the clusters.
class KernelBuilder {
public:
  KernelBuilder(AttentionOp op)
      : op(op), problem(op.getProblem()), schedule(*op.getSchedule()), b(op),
        loc(op.getLoc()) {}

  LogicalResult build();

private:
  LogicalResult check();
  Value keyTiles();
  Value scoreFactor(Value scale);
  void buildCluster(Cluster cluster);

  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(b, loc, value, 32);
  }
  Value constant(float value) {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
  }
  Value id(Id kind) { return IdOp::create(b, loc, b.getI32Type(), kind); }
  Value arg(Arg field, Type type) { return ArgOp::create(b, loc, type, field); }
  TileType tile(ArrayRef<int64_t> shape, Type element) {
    return TileType::get(b.getContext(), shape, element, LaneLayoutAttr());
  }
  Value view(Operand operand, int64_t cols, Type element) {
    return ViewOp::create(b, loc, ViewType::get(b.getContext(), cols, element),
                          operand);
  }
  Value init(float value, TileType type) {
    return InitOp::create(b, loc, type, b.getF32FloatAttr(value));
  }

  AttentionOp op;
  ProblemAttr problem;
  ScheduleAttr schedule;
  OpBuilder b;
  Location loc;
  // Outside the loop.
  Value q, kView, vView, limit, factor;
  // Inside the loop.
  Value index, k, v, s, p, m, l, o, correction;
};

LogicalResult KernelBuilder::check() {
  auto multiple = [&](StringRef name, int64_t value, StringRef ofName,
                      int64_t of) -> LogicalResult {
    if (value % of == 0 && llvm::isPowerOf2_64(value))
      return success();
    return op.emitOpError()
           << "expected " << name << " to be a power of two and a multiple of "
           << ofName << " = " << of << ", found " << value;
  };
  if (failed(multiple("head_dim_qk", problem.getHeadDimQk(), "qk.k",
                      schedule.getQk().getK())))
    return failure();
  return multiple("head_dim_v", problem.getHeadDimV(), "pv.m",
                  schedule.getPv().getM());
}

/// Number of key tiles that some row of the workgroup sees.
Value KernelBuilder::keyTiles() {
  Type i32 = b.getI32Type();
  Value seqlenKv = arg(Arg::SeqlenKv, i32);
  Value keys = seqlenKv;
  if (problem.getMask() == MaskKind::Causal) {
    // The last row of the tile, q_end - 1, sees keys j <= q_end - 1 + Sk - Sq.
    Value first = arith::MulIOp::create(b, loc, id(Id::QTile),
                                        constant(schedule.getTileM()));
    Value end =
        arith::AddIOp::create(b, loc, first, constant(schedule.getTileM()));
    Value delta =
        arith::SubIOp::create(b, loc, seqlenKv, arg(Arg::SeqlenQ, i32));
    Value seen = arith::AddIOp::create(b, loc, end, delta);
    seen = arith::MaxSIOp::create(b, loc, seen, constant(int64_t(0)));
    keys = arith::MinSIOp::create(b, loc, seen, seqlenKv);
  }
  Value rounded =
      arith::AddIOp::create(b, loc, keys, constant(schedule.getTileN() - 1));
  return arith::DivUIOp::create(b, loc, rounded, constant(schedule.getTileN()));
}

/// Magnitude of scale * log2(e). Kept above zero, so that -inf times it stays
/// -inf when the scale is 0; such a factor still makes every visible key equal.
Value KernelBuilder::scoreFactor(Value scale) {
  constexpr float kLog2e = 1.44269504088896340736f;
  constexpr float kTiny = 0x1p-100f;
  Value product = arith::MulFOp::create(b, loc, scale, constant(kLog2e));
  Value magnitude = math::AbsFOp::create(b, loc, product);
  return arith::MaxNumFOp::create(b, loc, magnitude, constant(kTiny));
}

void KernelBuilder::buildCluster(Cluster cluster) {
  int64_t M = schedule.getTileM(), N = schedule.getTileN();
  Type element = problem.getElement(), f32 = b.getF32Type();
  switch (cluster) {
  case Cluster::LoadK:
    k = LoadKOp::create(b, loc, tile({N, problem.getHeadDimQk()}, element),
                        kView, index);
    return;
  case Cluster::LoadV:
    v = LoadVOp::create(b, loc, tile({N, problem.getHeadDimV()}, element),
                        vView, index);
    return;
  case Cluster::Qk:
    s = QkOp::create(b, loc, tile({M, N}, f32), q, k);
    return;
  case Cluster::Mask:
    s = MaskOp::create(b, loc, s.getType(), s, limit, index);
    return;
  case Cluster::Softmax: {
    auto softmax = SoftmaxOp::create(
        b, loc,
        TypeRange{tile({M, N}, element), m.getType(), m.getType(), m.getType()},
        ValueRange{s, m, l, factor});
    p = softmax.getP();
    m = softmax.getMNew();
    l = softmax.getLNew();
    correction = softmax.getCorrection();
    return;
  }
  case Cluster::Rescale:
    o = RescaleOp::create(b, loc, o.getType(), o, correction);
    return;
  case Cluster::Pv:
    o = PvOp::create(b, loc, o.getType(), p, v, o);
    return;
  }
}

LogicalResult KernelBuilder::build() {
  if (failed(check()))
    return failure();
  Type element = problem.getElement(), f32 = b.getF32Type();
  int64_t M = schedule.getTileM();
  auto kernel =
      KernelOp::create(b, loc, op.getSymNameAttr(), problem, schedule);
  b.setInsertionPointToStart(&kernel.getBody().emplaceBlock());

  Value qView = view(Operand::Q, problem.getHeadDimQk(), element);
  kView = view(Operand::K, problem.getHeadDimQk(), element);
  vView = view(Operand::V, problem.getHeadDimV(), element);
  Value scale = arg(Arg::Scale, f32);
  factor = scoreFactor(scale);
  q = LoadQOp::create(b, loc, tile({M, problem.getHeadDimQk()}, element),
                      qView);
  q = ApplySignOp::create(b, loc, q.getType(), q, scale);
  limit =
      KeyLimitOp::create(b, loc, tile({M}, b.getI32Type()), problem.getMask());
  Value tiles = keyTiles();
  Value rowMax = init(-std::numeric_limits<float>::infinity(), tile({M}, f32));
  Value rowSum = init(0.0f, tile({M}, f32));
  Value acc = init(0.0f, tile({M, problem.getHeadDimV()}, f32));

  OperationState state(loc, KvLoopOp::getOperationName());
  state.addOperands({constant(int64_t(0)), tiles, rowMax, rowSum, acc});
  state.addTypes({rowMax.getType(), rowSum.getType(), acc.getType()});
  state.addRegion();
  auto loop = cast<KvLoopOp>(b.create(state));
  Block &body = loop.getBody().emplaceBlock();
  index = body.addArgument(b.getI32Type(), loc);
  m = body.addArgument(rowMax.getType(), loc);
  l = body.addArgument(rowSum.getType(), loc);
  o = body.addArgument(acc.getType(), loc);
  b.setInsertionPointToStart(&body);
  for (Cluster cluster : schedule.getOrder())
    buildCluster(cluster);
  YieldOp::create(b, loc, ValueRange{m, l, o});

  b.setInsertionPointAfter(loop);
  Value out = NormalizeOp::create(b, loc, acc.getType(), loop.getResult(2),
                                  loop.getResult(1));
  StoreOOp::create(
      b, loc, out,
      view(Operand::O, problem.getHeadDimV(), problem.getOutput()));
  op.erase();
  return success();
}

struct TileAttention : impl::TileAttentionPassBase<TileAttention> {
  void runOnOperation() override {
    for (AttentionOp op :
         llvm::make_early_inc_range(getOperation().getOps<AttentionOp>())) {
      if (!op.getSchedule()) {
        op.emitOpError("expected a schedule, found none; run "
                       "fmha-select-schedule");
        return signalPassFailure();
      }
      if (failed(KernelBuilder(op).build()))
        return signalPassFailure();
    }
  }
};
} // namespace
} // namespace mlir::fmha
