// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A grid of X tiles of Q, H heads and B batches, the sides that `#fmha.launch`
// gives it, is of N = X H B workgroups: the one at (x, y, z) is number L = x +
// X (y + H z), and goes to XCD L mod 8, which starts its workgroups in this
// order.
//
// linear: tile, head, batch = x, y, z.
//
// longest_first: of all H B heads the tile that sees the most keys, then the
// next: tile L / (H B), counted from the end where later rows see more. Within
// a batch neighbours have different heads of K and V, so that those of one XCD
// have few: of heads_kv = 8, one.
//   r = L mod (H B), i = r mod H, batch = r / H,
//   head = (i mod heads_kv) (H / heads_kv) + i / heads_kv
// A bijection: (L / (H B), r) of L, (batch, i) of r and head of i are, since
// heads_kv divides H.
//
// head_major: XCD c = L mod 8 starts its sth workgroup, s = L / 8, on the sth
// of a run of numbers of its own, in which tiles come first, then heads:
//   W = c (N / 8) + min(c, N mod 8) + s,
//   tile = W mod X, head = W / X mod H, batch = W / (X H)
// A bijection: XCD c gets N / 8 workgroups, and one more if c < N mod 8, so
// that the next run begins where the run of c ends.
#include "Passes.h"
#include "chip/Chip.h"
#include "lanes/Lanes.h"
#include "launch_expr.h"

#include "mlir/IR/Matchers.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_PLACEWORKGROUPSPASS
#include "Passes.h.inc"

namespace {

/// A workgroup's share of the problem.
struct Share {
  Value tile, head, batch;
};

struct Quotient {
  Value quotient, remainder;
};

/// How the number of keys that a tile of rows sees goes with its number.
enum class Growth { None, Later, Earlier };

Growth growthOf(ProblemAttr problem) {
  switch (problem.getMask()) {
  case MaskKind::None:
  case MaskKind::Chunked: // up and down with each chunk
    return Growth::None;
  case MaskKind::Causal:
  case MaskKind::CausalTopLeft:
    return Growth::Later;
  case MaskKind::Window: {
    bool left = problem.getWindowLeft() >= 0;
    bool right = problem.getWindowRight() >= 0;
    if (left == right) // all keys, or as many for each row
      return Growth::None;
    return right ? Growth::Later : Growth::Earlier;
  }
  }
  llvm_unreachable("closed enum");
}

/// The field of the argument block that holds a size.
std::optional<Arg> fieldOf(fmhac_launch_name name) {
  switch (name) {
  case FMHAC_LAUNCH_SQ:
    return Arg::SeqlenQ;
  case FMHAC_LAUNCH_SK:
    return Arg::SeqlenKv;
  case FMHAC_LAUNCH_B:
    return Arg::Batch;
  case FMHAC_LAUNCH_HQ:
    return Arg::HeadsQ;
  case FMHAC_LAUNCH_HK:
    return Arg::HeadsKv;
  case FMHAC_LAUNCH_CUS:
  case FMHAC_LAUNCH_SPLITS:
  case FMHAC_LAUNCH_NAMES:
    return {};
  }
  llvm_unreachable("closed enum");
}

/// x and y are at least 0, y at least 1.
Value ceilDivide(LaneBuilder &b, Value x, Value y) {
  APInt divisor;
  Value most = matchPattern(y, m_ConstantInt(&divisor))
                   ? b.i32(divisor.getSExtValue() - 1)
                   : b.sub(y, b.i32(1));
  return arith::DivUIOp::create(b, b.add(x, most), y);
}

Value combine(LaneBuilder &b, fmhac_launch_op op, Value x, Value y) {
  switch (op) {
  case FMHAC_LAUNCH_ADD:
    return b.add(x, y);
  case FMHAC_LAUNCH_SUBTRACT:
    return b.sub(x, y);
  case FMHAC_LAUNCH_MULTIPLY:
    return b.mul(x, y);
  case FMHAC_LAUNCH_CEIL_DIVIDE:
    return ceilDivide(b, x, y);
  case FMHAC_LAUNCH_MIN:
    return arith::MinSIOp::create(b, x, y);
  case FMHAC_LAUNCH_MAX:
    return arith::MaxSIOp::create(b, x, y);
  case FMHAC_LAUNCH_NUMBER:
  case FMHAC_LAUNCH_NAME:
  case FMHAC_LAUNCH_AT_MOST:
  case FMHAC_LAUNCH_AND:
    break; // no operations of a size
  }
  llvm_unreachable("closed enum");
}

/// An expression of `#fmha.launch`, which has verified it, as an i32 made of
/// the kernel's arguments. Null if it names a size that these do not have.
Value launchSize(LaneBuilder &b, StringAttr expression) {
  fmhac_launch_expr expr;
  size_t offset;
  (void)fmhac_launch_expr_parse(expression.getValue().str().c_str(),
                                /*is_condition=*/false, &expr, &offset);
  SmallVector<Value> stack;
  for (size_t i = 0; i < expr.count; ++i) {
    int64_t value = expr.nodes[i].value;
    switch (fmhac_launch_op op = expr.nodes[i].op) {
    case FMHAC_LAUNCH_NUMBER:
      stack.push_back(b.i32(value));
      break;
    case FMHAC_LAUNCH_NAME: {
      std::optional<Arg> field = fieldOf(static_cast<fmhac_launch_name>(value));
      if (!field)
        return {};
      stack.push_back(ArgOp::create(b, b.getI32Type(), *field));
      break;
    }
    default: {
      Value y = stack.pop_back_val(), x = stack.pop_back_val();
      stack.push_back(combine(b, op, x, y));
    }
    }
  }
  return stack.front();
}

class Placement {
public:
  explicit Placement(KernelOp kernel)
      : kernel(kernel),
        b(kernel.getLoc(), OpBuilder::atBlockBegin(&kernel.getBody().front())) {
  }

  LogicalResult run();

private:
  /// One division: LLVM would make two of a division and a remainder.
  Quotient divide(Value x, Value y) {
    Value quotient = arith::DivUIOp::create(b, x, y);
    return {quotient, b.sub(x, b.mul(quotient, y))};
  }

  void replaceIds(const Share &share);
  void inlineItem(WorkOp work, const Share &share);
  LogicalResult readGrid();
  FailureOr<Share> inOrder(GridOrder order);
  Share longestFirst(Value number, Growth growth);
  Share headMajor(Value number);
  Value fitsNumbers();

  KernelOp kernel;
  LaneBuilder b;
  Value tiles, heads, batches; ///< X, H and B
};

Share Placement::longestFirst(Value number, Growth growth) {
  Quotient byTile = divide(number, b.mul(heads, batches));
  Quotient byBatch = divide(byTile.remainder, heads);
  auto tileOf = [&](Value number) {
    return growth == Growth::Later ? b.sub(b.sub(tiles, b.i32(1)), number)
                                   : number;
  };
  if (kernel.getSchedule().packsHeads()) // its heads are those of K and V
    return {tileOf(byTile.quotient), byBatch.remainder, byBatch.quotient};
  Value headsKv = ArgOp::create(b, b.getI32Type(), Arg::HeadsKv);
  Quotient group = divide(byBatch.remainder, headsKv);
  Value groupSize = arith::DivUIOp::create(b, heads, headsKv);
  Value tile = tileOf(byTile.quotient);
  Value head = b.add(b.mul(group.remainder, groupSize), group.quotient);
  return {tile, head, byBatch.quotient};
}

Share Placement::headMajor(Value number) {
  Value xcds = b.i32(chip::kXcds);
  Quotient total = divide(b.mul(b.mul(tiles, heads), batches), xcds);
  Quotient own = divide(number, xcds);
  Value start =
      b.add(b.mul(own.remainder, total.quotient),
            arith::MinUIOp::create(b, own.remainder, total.remainder));
  Quotient byTile = divide(b.add(start, own.quotient), tiles);
  Quotient byHead = divide(byTile.quotient, heads);
  return {byTile.remainder, byHead.remainder, byHead.quotient};
}

/// Whether numbers of workgroups have 32 bits. The grid's sides have 26, 16 and
/// 16: their product has 58.
Value Placement::fitsNumbers() {
  constexpr int64_t kNumberBits = 32;
  Value total = b.mul(b.zext64(tiles), b.zext64(heads));
  total = b.mul(total, b.zext64(batches));
  Value above = arith::ShRUIOp::create(b, total, b.i64(kNumberBits));
  // Scalar instructions compare 32 bits.
  above = arith::TruncIOp::create(b, b.getI32Type(), above);
  return b.cmp(arith::CmpIPredicate::eq, above, b.i32(0));
}

/// The sides of the grid.
LogicalResult Placement::readGrid() {
  LaunchAttr launch = kernel.getLaunchAttr();
  if (!launch)
    return kernel.emitOpError()
           << "expected a launch, whose grid is put in order by grid = "
           << stringifyGridOrder(kernel.getSchedule().getGrid())
           << ", found none";
  Value *sides[] = {&tiles, &heads, &batches};
  for (auto [side, expression] : llvm::zip_equal(sides, launch.getGrid())) {
    *side = launchSize(b, expression);
    if (!*side)
      return kernel.emitOpError("expected the grid of its launch in Sq, Sk, B, "
                                "Hq and Hk, which its arguments have, found ")
             << expression;
  }
  return success();
}

FailureOr<Share> Placement::inOrder(GridOrder order) {
  Type i32 = b.getI32Type();
  LLVM::ConstantRangeAttr any;
  Share linear{ROCDL::BlockIdXOp::create(b, i32, any),
               ROCDL::BlockIdYOp::create(b, i32, any),
               ROCDL::BlockIdZOp::create(b, i32, any)};
  Growth growth = growthOf(kernel.getProblem());
  if (order == GridOrder::LongestFirst && growth == Growth::None) {
    kernel.emitRemark("grid = longest_first is left as linear: mask ")
        << stringifyMaskKind(kernel.getProblem().getMask())
        << " gives tiles of Q no order by length";
    order = GridOrder::Linear;
  }
  if (order == GridOrder::Linear)
    return linear;
  if (failed(readGrid()))
    return failure();
  Value number = b.add(b.mul(linear.batch, heads), linear.head);
  number = b.add(b.mul(number, tiles), linear.tile);
  Share share = order == GridOrder::LongestFirst ? longestFirst(number, growth)
                                                 : headMajor(number);
  Value fits = fitsNumbers();
  return Share{b.select(fits, share.tile, linear.tile),
               b.select(fits, share.head, linear.head),
               b.select(fits, share.batch, linear.batch)};
}

/// In a kernel that is one work item.
void Placement::replaceIds(const Share &share) {
  kernel.walk([&](IdOp op) {
    Id kind = op.getKind();
    if (kind == Id::Lane || kind == Id::Wave)
      return;
    op.replaceAllUsesWith(kind == Id::QTile  ? share.tile
                          : kind == Id::Head ? share.head
                                             : share.batch);
    op.erase();
  });
}

/// Where a value is first used in a block.
Operation *firstUserIn(Block &block, Value value) {
  Operation *first = nullptr;
  for (Operation *user : value.getUsers()) {
    Operation *here = block.findAncestorOpInBlock(*user);
    if (!first || here->isBeforeInBlock(first))
      first = here;
  }
  return first;
}

void Placement::inlineItem(WorkOp work, const Share &share) {
  // Near its use: LLVM keeps the order in which scalars are asked for.
  if (Operation *user = firstUserIn(work.getBody().front(), work.getRow())) {
    b.setInsertionPoint(user);
    work.getRow().replaceAllUsesWith(
        b.mul(share.tile, b.i32(kernel.getSchedule().getTileM())));
  }
  work.getHead().replaceAllUsesWith(share.head);
  work.getBatch().replaceAllUsesWith(share.batch);
  Block &item = work.getBody().front();
  work->getBlock()->getOperations().splice(work->getIterator(),
                                           item.getOperations());
  work.erase();
}

LogicalResult Placement::run() {
  WorkOp work = kernel.getWork();
  if (work && work.getForm() != WorkForm::Grid)
    return success(); // the places are in memory
  if (work)
    b.setInsertionPoint(work);
  FailureOr<Share> share = inOrder(kernel.getSchedule().getGrid());
  if (failed(share))
    return failure();
  if (work)
    inlineItem(work, *share);
  else
    replaceIds(*share);
  return success();
}

struct PlaceWorkgroups : impl::PlaceWorkgroupsPassBase<PlaceWorkgroups> {
  LogicalResult run(KernelOp kernel) override {
    return Placement(kernel).run();
  }
};
} // namespace
} // namespace mlir::fmha
