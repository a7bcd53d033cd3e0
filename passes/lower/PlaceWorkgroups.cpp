// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A grid of X tiles of Q, H heads and B batches, the sides that `#fmha.launch`
// gives it, is of N = X H B workgroups: the one
// at (x, y, z) is number L = x + X (y + H z), and goes to XCD L mod 8, which
// starts its workgroups in this order.
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
#include "lower/Lanes.h"
#include "lower/LaunchSize.h"

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

class Placement {
public:
  explicit Placement(KernelOp kernel)
      : kernel(kernel), b(kernel.getContext()), loc(kernel.getLoc()) {}

  LogicalResult run();

private:
  Value arg(Arg field) { return ArgOp::create(b, loc, b.getI32Type(), field); }
  Value constant(int64_t value) { return constantI32(b, loc, value); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, loc, x, y); }
  /// One division: LLVM would make two of a division and a remainder.
  Quotient divide(Value x, Value y) {
    Value quotient = arith::DivUIOp::create(b, loc, x, y);
    return {quotient, sub(x, mul(quotient, y))};
  }

  LogicalResult readGrid();
  FailureOr<Share> inOrder(GridOrder order);
  Share longestFirst(Value number, Growth growth);
  Share headMajor(Value number);
  Value fitsNumbers();

  KernelOp kernel;
  OpBuilder b;
  Location loc;
  Value tiles, heads, batches; ///< X, H and B
};

Share Placement::longestFirst(Value number, Growth growth) {
  Quotient byTile = divide(number, mul(heads, batches));
  Quotient byBatch = divide(byTile.remainder, heads);
  Value headsKv = arg(Arg::HeadsKv);
  Quotient group = divide(byBatch.remainder, headsKv);
  Value groupSize = arith::DivUIOp::create(b, loc, heads, headsKv);
  Value tile = byTile.quotient;
  if (growth == Growth::Later)
    tile = sub(sub(tiles, constant(1)), tile);
  Value head = add(mul(group.remainder, groupSize), group.quotient);
  return {tile, head, byBatch.quotient};
}

Share Placement::headMajor(Value number) {
  Value xcds = constant(chip::kXcds);
  Quotient total = divide(mul(mul(tiles, heads), batches), xcds);
  Quotient own = divide(number, xcds);
  Value start =
      add(mul(own.remainder, total.quotient),
          arith::MinUIOp::create(b, loc, own.remainder, total.remainder));
  Quotient byTile = divide(add(start, own.quotient), tiles);
  Quotient byHead = divide(byTile.quotient, heads);
  return {byTile.remainder, byHead.remainder, byHead.quotient};
}

/// Whether numbers of workgroups have 32 bits. The grid's sides have 26, 16 and
/// 16: their product has 58.
Value Placement::fitsNumbers() {
  constexpr int64_t kNumberBits = 32;
  auto wide = [&](Value value) {
    return arith::ExtUIOp::create(b, loc, b.getI64Type(), value);
  };
  Value total = arith::MulIOp::create(b, loc, wide(tiles), wide(heads));
  total = arith::MulIOp::create(b, loc, total, wide(batches));
  Value above =
      arith::ShRUIOp::create(b, loc, total, constantI64(b, loc, kNumberBits));
  // Scalar instructions compare 32 bits.
  above = arith::TruncIOp::create(b, loc, b.getI32Type(), above);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, above,
                               constant(0));
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
    *side = emitLaunchSize(b, loc, expression);
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
  Share linear{ROCDL::BlockIdXOp::create(b, loc, i32, any),
               ROCDL::BlockIdYOp::create(b, loc, i32, any),
               ROCDL::BlockIdZOp::create(b, loc, i32, any)};
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
  Value number = add(mul(linear.batch, heads), linear.head);
  number = add(mul(number, tiles), linear.tile);
  Share share = order == GridOrder::LongestFirst ? longestFirst(number, growth)
                                                 : headMajor(number);
  Value fits = fitsNumbers();
  auto choose = [&](Value value, Value otherwise) -> Value {
    return arith::SelectOp::create(b, loc, fits, value, otherwise);
  };
  return Share{choose(share.tile, linear.tile), choose(share.head, linear.head),
               choose(share.batch, linear.batch)};
}

LogicalResult Placement::run() {
  SmallVector<IdOp> ids;
  kernel.walk([&](IdOp op) {
    if (op.getKind() != Id::Lane && op.getKind() != Id::Wave)
      ids.push_back(op);
  });
  b.setInsertionPointToStart(&kernel.getBody().front());
  FailureOr<Share> share = inOrder(kernel.getSchedule().getGrid());
  if (failed(share))
    return failure();
  for (IdOp op : ids) {
    Id kind = op.getKind();
    op.replaceAllUsesWith(kind == Id::QTile  ? share->tile
                          : kind == Id::Head ? share->head
                                             : share->batch);
    op.erase();
  }
  return success();
}

struct PlaceWorkgroups : impl::PlaceWorkgroupsPassBase<PlaceWorkgroups> {
  void runOnOperation() override {
    if (failed(Placement(getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace
} // namespace mlir::fmha
