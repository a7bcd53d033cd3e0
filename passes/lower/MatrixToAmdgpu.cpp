// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "chip/Chip.h"
#include "lower/Lanes.h"

#include <tuple>

namespace mlir::fmha {
#define GEN_PASS_DEF_MATRIXTOAMDGPUPASS
#include "Passes.h.inc"

namespace {

/// One operand or the result of a product: the tile, and which of its
/// dimensions plays which part.
struct Side {
  Value tile;
  unsigned outerDim; ///< of operands: not contracted. Of the result: A's outer
  unsigned innerDim; ///< of operands: contracted. Of the result: B's outer
  TileType type() const { return cast<TileType>(tile.getType()); }
  LaneLayoutAttr layout() const { return type().getLayout(); }
  int64_t outer(int64_t fragment) const {
    return layout().regCoord(fragment * layout().getFragment(), outerDim);
  }
  int64_t inner(int64_t fragment) const {
    return layout().regCoord(fragment * layout().getFragment(), innerDim);
  }
};

/// The lanes and registers of one fragment must be what the instruction takes
/// or gives, up to a renaming of contracted indices, which the op's verifier
/// compares between A and B.
LogicalResult checkFragment(Operation *op, StringRef name, const Side &side,
                            const chip::FragmentMap &map, bool contracted) {
  LaneLayoutAttr layout = side.layout();
  if (layout.getFragment() != map.elems())
    return op->emitOpError()
           << "expected fragments of " << map.elems() << " elements for "
           << name << ", found " << layout.getFragment();
  auto check = [&](StringRef where, unsigned bit,
                   std::pair<int64_t, int64_t> at, int64_t outer,
                   int64_t inner) -> LogicalResult {
    bool innerFits =
        contracted ? (at.second != 0) == (inner != 0) : at.second == inner;
    if (at.first == outer && innerFits)
      return success();
    return op->emitOpError()
           << "expected " << where << " bit " << bit << " of " << name
           << " to hold (" << at.first << ", " << at.second
           << ") as the matrix instruction does, found (" << outer << ", "
           << inner << ")";
  };
  for (auto [bit, at] : llvm::enumerate(map.lane))
    if (failed(check("lane", bit, at, layout.laneBasis(bit, side.outerDim),
                     layout.laneBasis(bit, side.innerDim))))
      return failure();
  for (auto [bit, at] : llvm::enumerate(map.reg))
    if (failed(check("register", bit, at, layout.regBasis(bit, side.outerDim),
                     layout.regBasis(bit, side.innerDim))))
      return failure();
  return success();
}

/// One matrix instruction: the fragments that meet.
struct Product {
  int64_t result, a, b;
};

/// All instructions of a product, in the order in which they are issued.
/// Fragments that are all padding are skipped: their products would multiply
/// zeros, or produce columns that nothing uses.
SmallVector<Product> productsOf(const Side &a, const Side &bSide,
                                const Side &result) {
  SmallVector<Product> products;
  for (int64_t r : result.type().presentFragments())
    for (int64_t i : a.type().presentFragments()) {
      if (a.outer(i) != result.outer(r))
        continue;
      for (int64_t j : bSide.type().presentFragments())
        if (bSide.outer(j) == result.inner(r) && bSide.inner(j) == a.inner(i))
          products.push_back({r, i, j});
    }
  return products;
}

/// What the products of a block of rows start from: the fragment of `start`
/// that begins with the same row.
FailureOr<Value> startOf(Operation *op, OpBuilder &b, Value start,
                         int64_t row) {
  LaneLayoutAttr layout = cast<TileType>(start.getType()).getLayout();
  SmallVector<Value> fragments = toLanes(b, op->getLoc(), start);
  for (auto [i, fragment] : llvm::enumerate(fragments))
    if (layout.regCoord(i * layout.getFragment(), 0) == row)
      return fragment;
  return op->emitOpError() << "expected a fragment of " << start.getType()
                           << " that begins with row " << row
                           << " of a lane, as one of the result does, found "
                              "none";
}

/// result += A B, fragment by fragment, as far as `part` (null for all of it)
/// goes. `before` is null or what earlier parts gave; a fragment that none of
/// them has begun starts from `start`, zero if that is null, unless
/// `accumulates`.
FailureOr<Value> multiply(Operation *op, MfmaAttr shape, Side a, Side bSide,
                          Side result, Value before, Value start,
                          bool accumulates, PartAttr part) {
  for (const Side *side : {&a, &bSide, &result})
    if (failed(requireLayout(op, side->tile)))
      return failure();
  std::optional<chip::Mfma> map = chip::lookupMfma(shape);
  if (!map)
    return op->emitOpError()
           << "expected a 16-bit matrix instruction of gfx950, found "
           << shape.getM() << "x" << shape.getN() << "x" << shape.getK();
  if (failed(checkFragment(op, "A", a, map->a, true)) ||
      failed(checkFragment(op, "B", bSide, map->b, true)) ||
      failed(checkFragment(op, "the result", result, map->result, false)))
    return failure();

  OpBuilder b(op);
  Location loc = op->getLoc();
  SmallVector<Value> aFragments = toLanes(b, loc, a.tile);
  SmallVector<Value> bFragments = toLanes(b, loc, bSide.tile);
  SmallVector<Value> sums;
  if (before)
    sums = toLanes(b, loc, before);
  auto type = VectorType::get({result.layout().getFragment()},
                              result.type().getElement());
  sums.resize(result.layout().getFragments());
  SmallVector<Product> products = productsOf(a, bSide, result);
  auto [first, last] = PartAttr::rangeOf(part, products.size());
  llvm::SmallDenseSet<int64_t> begun;
  for (auto [n, product] : llvm::enumerate(products)) {
    bool isFirst = begun.insert(product.result).second;
    if (int64_t(n) < first || int64_t(n) >= last)
      continue;
    Value &sum = sums[product.result];
    if (isFirst && start) {
      FailureOr<Value> from =
          startOf(op, b, start, result.inner(product.result));
      if (failed(from))
        return failure();
      sum = *from;
    } else if (isFirst && !accumulates) {
      sum = arith::ConstantOp::create(
          b, loc, DenseElementsAttr::get(type, b.getF32FloatAttr(0.0f)));
    }
    sum = amdgpu::MFMAOp::create(
        b, loc, type, shape.getM(), shape.getN(), shape.getK(), /*blocks=*/1,
        aFragments[product.a], bFragments[product.b], sum);
  }
  // What a later part begins.
  for (int64_t r : result.type().presentFragments())
    if (!sums[r])
      sums[r] = LLVM::PoisonOp::create(b, loc, type);
  return fromLanes(b, loc, result.type(), sums);
}

LogicalResult lower(ProductOp op, ScheduleAttr schedule) {
  const StagedOperand &by = staged(op.getOperand());
  unsigned summed = by.summedDim;
  FailureOr<Value> result = multiply(
      op, by.getInstruction(schedule), {op.getB(), 1 - summed, summed},
      {op.getA(), 0, 1}, {op.getResult(), 1, 0}, op.getAcc(), op.getStart(),
      /*accumulates=*/by.sumsKeys(), op.getPartAttr());
  if (failed(result))
    return failure();
  op.replaceAllUsesWith(*result);
  op.erase();
  return success();
}

/// Every fragment of P adds to the sums of its rows.
LogicalResult lower(MatrixSumOp op, ScheduleAttr schedule) {
  for (Value tile : {op.getP(), op.getL()})
    if (failed(requireLayout(op, tile)))
      return failure();
  MfmaAttr shape = schedule.getSums();
  std::optional<chip::Mfma> map = chip::lookupMfma(shape);
  LaneLayoutAttr p = op.getP().getType().getLayout(),
                 sums = op.getL().getType().getLayout();
  if (!map || p.getFragment() != map->b.elems() ||
      sums.getFragment() != map->result.elems())
    return op.emitOpError()
           << "expected fragments that a matrix instruction of gfx950, "
           << shape.getM() << "x" << shape.getN() << "x" << shape.getK()
           << ", takes and gives, found " << p.getFragment() << " and "
           << sums.getFragment() << " elements";
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto fragment =
      VectorType::get({p.getFragment()}, op.getP().getType().getElement());
  Value ones = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(
          fragment, b.getFloatAttr(fragment.getElementType(), 1.0).getValue()));
  SmallVector<Value> l = toLanes(b, loc, op.getL());
  SmallVector<Value> fragments = toLanes(b, loc, op.getP());
  auto [first, last] = PartAttr::rangeOf(op.getPartAttr(), fragments.size());
  for (int64_t i = first; i < last; ++i) {
    int64_t row = p.regCoord(i * p.getFragment(), 0);
    size_t r = 0;
    while (r < l.size() && sums.regCoord(r * sums.getFragment(), 0) != row)
      ++r;
    if (r == l.size())
      return op.emitOpError()
             << "expected a fragment of " << op.getL().getType()
             << " that begins with row " << row
             << " of a lane, as one of P does, found none";
    l[r] = amdgpu::MFMAOp::create(b, loc, l[r].getType(), shape.getM(),
                                  shape.getN(), shape.getK(), /*blocks=*/1,
                                  ones, fragments[i], l[r]);
  }
  op.replaceAllUsesWith(fromLanes(b, loc, op.getL().getType(), l));
  op.erase();
  return success();
}

struct MatrixToAmdgpu : impl::MatrixToAmdgpuPassBase<MatrixToAmdgpu> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    ScheduleAttr schedule = kernel.getSchedule();
    if (failed(lowerEach<ProductOp, MatrixSumOp>(
            kernel, [&](auto op) { return lower(op, schedule); })))
      signalPassFailure();
  }
};
} // namespace
} // namespace mlir::fmha
