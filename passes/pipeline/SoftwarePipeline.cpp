// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "lanes/Lanes.h"
#include "pipeline/Steps.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_SOFTWAREPIPELINEPASS
#include "Passes.h.inc"

namespace {

/// A value that some op of the body gives for a tile. Tiles count from the
/// place where code is being made: the first of the loop in the prologue, the
/// first of the round in the loop, the first after the loop in the epilogue.
using Instance = std::pair<Value, int64_t>;

/// Pipelines one loop. *Sweep* i through the stages handles tile i + ahead in
/// each step. Sweeps before `peeled` have steps without a tile and make the
/// prologue, those that begin with the last `drained` tiles the epilogue;
/// between them rounds of `tiles` sweeps run.
class Pipeliner {
public:
  Pipeliner(KvLoopOp loop, PipelineAttr pipeline)
      : kernel(loop->getParentOfType<KernelOp>()), loop(loop),
        pipeline(pipeline), tiles(pipeline.getTiles()), b(loop),
        body(*loop.getBodyBlock()) {}

  LogicalResult run();

private:
  void collectBuffers();
  void planSweeps();
  void emitBounds();
  void emitPrologue();
  void emitLoop();
  void emitEpilogue();
  void emitSweep(int64_t sweep, function_ref<bool(int64_t)> isTile);
  Operation *emitStep(const Step &step, int64_t tile);
  void wrapStages();

  /// The op and the tile that an operand of tile `tile` really comes from:
  /// what is carried was yielded for the tile before. Nothing if it comes from
  /// outside the loop, or is the index.
  std::optional<Instance> sourceOf(Value operand, int64_t tile);
  /// The sweep, counted like tiles, that gives an instance.
  int64_t sweepOf(const Instance &instance) {
    return instance.second - aheadOf.lookup(instance.first.getDefiningOp());
  }
  SmallVector<Instance> carriedInstances();
  Value tileIndex(int64_t tile) { return add(firstTile, tile); }
  Value tileToLoad(const StagedOperand &operand, int64_t tile);
  Value bufferOf(ArrayRef<Value> ring, int64_t tile);
  Value add(Value x, int64_t y) { return y ? b.add(x, b.i32(y)) : x; }

  KernelOp kernel;
  KvLoopOp loop;
  PipelineAttr pipeline;
  int64_t tiles;
  LaneBuilder b;
  Block &body;
  SmallVector<Step> steps;
  llvm::DenseMap<Operation *, int64_t> aheadOf;
  llvm::DenseMap<Value, SmallVector<Value>> ringOf; ///< under its first buffer

  int64_t peeled = 0, drained = 0, mostAhead = 0, leastAhead = 0;
  Value lower, lastTile; ///< of the problem
  Value noTile;          ///< has no key
  Value roundsEnd;       ///< of the steady loop
  Value firstTile;       ///< tile 0 of what is made now
  llvm::DenseMap<Instance, Value> made;
  KvLoopOp steady;
  /// Ops of one stage in one sweep, to become an op.
  struct StageOps {
    StageAttr stage;
    SmallVector<Operation *> ops;
  };
  SmallVector<StageOps> stageOps;
};

void Pipeliner::collectBuffers() {
  llvm::SmallDenseMap<unsigned, SmallVector<Value>> byOperand;
  for (auto buffer : kernel.getBody().getOps<LdsBufferOp>())
    byOperand[unsigned(buffer.getOperand())].push_back(buffer);
  for (auto &[operand, ring] : byOperand)
    ringOf[ring.front()] = ring;
}

void Pipeliner::planSweeps() {
  int64_t computeAhead = 0;
  for (const Step &step : steps) {
    mostAhead = std::max(mostAhead, step.ahead);
    leastAhead = std::min(leastAhead, step.ahead);
    if (!StepOp(step.op).bringsTile())
      computeAhead = std::max(computeAhead, step.ahead);
    aheadOf[step.op] = step.ahead;
  }
  peeled = -leastAhead;
  // Loads past the end are harmless, anything else is not.
  drained = computeAhead;
  // Whole rounds are left where the tiles are a multiple of a round.
  while ((peeled + drained) % tiles)
    ++drained;
}

void Pipeliner::emitBounds() {
  lower = loop.getLower();
  Value one = add(lower, 1);
  Value upper = arith::MaxSIOp::create(b, loop.getUpper(), one);
  lastTile = add(upper, -1);
  int64_t tileN = kernel.getSchedule().getTileN();
  Value keys = SeqLenOp::create(b, b.getI32Type(), Sequence::Kv);
  noTile = arith::DivUIOp::create(b, add(keys, tileN - 1), b.i32(tileN));
  // Without a tile before or after the loop there need not be one at all.
  bool mayBeEmpty = peeled + drained == 0;
  if (mayBeEmpty && tiles == 1) {
    roundsEnd = loop.getUpper();
    return;
  }
  Value end =
      mayBeEmpty ? arith::MaxSIOp::create(b, loop.getUpper(), lower) : upper;
  Value count = b.sub(end, lower);
  if (tiles > 1) {
    // Up to whole rounds: tiles past the end are masked.
    Value rounds =
        arith::DivUIOp::create(b, add(count, tiles - 1), b.i32(tiles));
    count = b.mul(rounds, b.i32(tiles));
  }
  if (!mayBeEmpty)
    count = arith::MaxSIOp::create(b, count, b.i32(peeled + drained));
  roundsEnd = add(b.add(lower, count), -drained);
}

std::optional<Instance> Pipeliner::sourceOf(Value operand, int64_t tile) {
  while (auto arg = dyn_cast<BlockArgument>(operand)) {
    if (arg.getOwner() != &body || arg.getArgNumber() == 0)
      return std::nullopt;
    operand = body.getTerminator()->getOperand(arg.getArgNumber() - 1);
    --tile;
  }
  if (operand.getParentBlock() != &body)
    return std::nullopt;
  return Instance(operand, tile);
}

/// Instances that a round, or the epilogue after it, takes from before.
SmallVector<Instance> Pipeliner::carriedInstances() {
  llvm::SetVector<Instance> carried;
  auto use = [&](Value operand, int64_t tile) {
    std::optional<Instance> source = sourceOf(operand, tile);
    if (source && sweepOf(*source) < 0)
      carried.insert(*source);
  };
  int64_t last = std::max(tiles, drained - leastAhead);
  for (int64_t sweep = 0; sweep < last; ++sweep)
    for (const Step &step : steps) {
      int64_t tile = sweep + step.ahead;
      if (sweep < tiles || tile < drained)
        for (Value operand : step.op->getOperands())
          use(operand, tile);
    }
  for (Value result : body.getTerminator()->getOperands())
    use(result, drained - 1);
  // What a round does not make anew it passes on.
  for (size_t i = 0; i < carried.size(); ++i) {
    Instance next(carried[i].first, carried[i].second + tiles);
    if (sweepOf(next) < 0)
      carried.insert(next);
  }
  return carried.takeVector();
}

/// The loop issues loads past the end too, so that every round waits for the
/// same counts. What is no operand of a sum over keys is the last tile again,
/// and the mask hides its scores. What is one is a tile beyond the last key,
/// which reads as zeros: it is multiplied by weights of zero, and 0 * infinity
/// would be NaN.
Value Pipeliner::tileToLoad(const StagedOperand &operand, int64_t tile) {
  Value index = tileIndex(tile);
  if (!bringsZeros(kernel.getProblem(), kernel.getSchedule(), operand.operand))
    return arith::MinSIOp::create(b, index, lastTile);
  Value inside = b.cmp(arith::CmpIPredicate::slt, index, loop.getUpper());
  return b.select(inside, index, noTile);
}

/// Where a round has a multiple of as many tiles as there are buffers, each of
/// its tiles has a buffer of its own; else the number of the tile decides when
/// the kernel runs. In the prologue tiles are what they are.
Value Pipeliner::bufferOf(ArrayRef<Value> ring, int64_t tile) {
  int64_t count = ring.size();
  if (firstTile != lower && tiles % count) {
    Value number = b.sub(tileIndex(tile), lower);
    return RingSlotOp::create(b, number, ring);
  }
  // Rounds begin at tile `peeled`, and so does the epilogue.
  int64_t number = tile + (firstTile == lower ? 0 : peeled);
  return ring[((number % count) + count) % count];
}

Operation *Pipeliner::emitStep(const Step &step, int64_t tile) {
  IRMapping values;
  for (Value operand : step.op->getOperands()) {
    if (std::optional<Instance> source = sourceOf(operand, tile)) {
      assert(made.count(*source) && "placeSteps checked the order");
      values.map(operand, made.lookup(*source));
    } else if (operand == loop.getIndex()) {
      StepKind kind = StepOp(step.op).getStepKind();
      const StagedOperand *brought = lookupLoad(kind);
      if (!brought)
        brought = lookupPage(kind);
      values.map(operand,
                 brought ? tileToLoad(*brought, tile) : tileIndex(tile));
    } else if (auto ring = ringOf.find(operand); ring != ringOf.end()) {
      values.map(operand, bufferOf(ring->second, tile));
    }
  }
  Operation *clone = b.clone(*step.op, values);
  for (auto [from, to] : llvm::zip(step.op->getResults(), clone->getResults()))
    made[{from, tile}] = to;
  return clone;
}

void Pipeliner::emitSweep(int64_t sweep, function_ref<bool(int64_t)> isTile) {
  for (auto [index, stage] : llvm::enumerate(pipeline.getStages())) {
    StageOps own{stage, {}};
    for (const Step &step : steps)
      if (step.stage == int64_t(index) && isTile(sweep + step.ahead))
        own.ops.push_back(emitStep(step, sweep + step.ahead));
    if (!own.ops.empty())
      stageOps.push_back(std::move(own));
  }
}

void Pipeliner::emitPrologue() {
  firstTile = lower;
  for (auto [yielded, init] :
       llvm::zip(body.getTerminator()->getOperands(), loop.getInits()))
    made[{yielded, -1}] = init;
  for (int64_t sweep = -mostAhead; sweep < peeled; ++sweep)
    emitSweep(sweep, [](int64_t tile) { return tile >= 0; });
}

void Pipeliner::emitLoop() {
  SmallVector<Instance> carried = carriedInstances();
  SmallVector<Value> inits;
  for (auto [value, tile] : carried)
    inits.push_back(made.lookup({value, tile + peeled}));
  steady = KvLoopOp::create(b, ValueRange(inits).getTypes(), add(lower, peeled),
                            roundsEnd, inits, tiles);
  Block &round = steady.getBody().emplaceBlock();
  firstTile = round.addArgument(b.getI32Type(), b.getLoc());
  made.clear();
  for (const Instance &instance : carried)
    made[instance] = round.addArgument(instance.first.getType(), b.getLoc());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&round);
  for (int64_t sweep = 0; sweep < tiles; ++sweep)
    emitSweep(sweep, [](int64_t) { return true; });
  SmallVector<Value> next;
  for (auto [value, tile] : carried)
    next.push_back(made.lookup({value, tile + tiles}));
  YieldOp::create(b, next);
  made.clear();
  for (auto [instance, result] : llvm::zip(carried, steady.getResults()))
    made[instance] = result;
}

void Pipeliner::emitEpilogue() {
  firstTile = roundsEnd;
  for (int64_t sweep = 0; sweep < drained - leastAhead; ++sweep)
    emitSweep(sweep, [&](int64_t tile) { return tile < drained; });
  for (auto [result, yielded] :
       llvm::zip(loop.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(made.lookup(*sourceOf(yielded, drained - 1)));
}

/// Everything from the first to the last op moves into the stage;
/// what others use of it leaves as a result.
void Pipeliner::wrapStages() {
  for (StageOps &own : stageOps) {
    Block *block = own.ops.front()->getBlock();
    auto begin = own.ops.front()->getIterator();
    // The index of a step stands before it.
    while (begin != block->begin() &&
           (isa<arith::ArithDialect>(std::prev(begin)->getDialect()) ||
            isa<RingSlotOp>(std::prev(begin))) &&
           llvm::all_of(std::prev(begin)->getUsers(), [&](Operation *user) {
             return user->getBlock() == block &&
                    !user->isBeforeInBlock(&*begin) &&
                    !own.ops.back()->isBeforeInBlock(user);
           }))
      --begin;
    auto end = std::next(own.ops.back()->getIterator());
    SmallVector<Value> escaping;
    for (auto it = begin; it != end; ++it)
      for (Value result : it->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              Operation *here = block->findAncestorOpInBlock(*user);
              return !here || here->isBeforeInBlock(&*begin) ||
                     own.ops.back()->isBeforeInBlock(here);
            }))
          escaping.push_back(result);
    b.setInsertionPoint(&*begin);
    auto stageOp = StageOp::create(
        b, ValueRange(escaping).getTypes(), own.stage.getName(),
        StageKindAttr::get(b.getContext(), own.stage.getKind()));
    Block &inner = stageOp.getBody().emplaceBlock();
    inner.getOperations().splice(inner.end(), block->getOperations(), begin,
                                 end);
    for (auto [value, result] : llvm::zip(escaping, stageOp.getResults()))
      value.replaceUsesWithIf(result, [&](OpOperand &use) {
        return !stageOp->isProperAncestor(use.getOwner());
      });
    b.setInsertionPointToEnd(&inner);
    YieldOp::create(b, escaping);
  }
}

LogicalResult Pipeliner::run() {
  FailureOr<SmallVector<Step>> placed = placeSteps(loop, pipeline);
  if (failed(placed))
    return failure();
  steps = std::move(*placed);
  collectBuffers();
  planSweeps();
  emitBounds();
  emitPrologue();
  emitLoop();
  emitEpilogue();
  wrapStages();
  loop.erase();
  return success();
}

struct SoftwarePipeline : impl::SoftwarePipelinePassBase<SoftwarePipeline> {
  LogicalResult run(KernelOp kernel) override {
    PipelineAttr pipeline = kernel.getSchedule().getPipeline();
    SmallVector<KvLoopOp> loops(kernel.getItemBlock()->getOps<KvLoopOp>());
    for (KvLoopOp loop : loops)
      if (failed(Pipeliner(loop, pipeline).run()))
        return failure();
    return success();
  }
};
} // namespace
} // namespace mlir::fmha
