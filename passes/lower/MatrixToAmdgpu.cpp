// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "chip/Chip.h"
#include "chip/Matrix.h"
#include "lower/EmptyAsm.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

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

/// The outer index of a side for that of the instruction, bit by bit.
using Renaming = llvm::SmallDenseMap<int64_t, int64_t>;

/// The lanes and registers of one fragment must be what the instruction takes
/// or gives, up to a renaming of contracted indices, which the op's verifier
/// compares between A and B, and one of outer indices, `renamed`, where there
/// is one: keys of K and of the result may be in any order, the same of both.
LogicalResult checkFragment(Operation *op, StringRef name, const Side &side,
                            const chip::FragmentMap &map, bool contracted,
                            Renaming *renamed) {
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
    int64_t outerOfSide = at.first;
    if (renamed && at.first && outer)
      outerOfSide = renamed->try_emplace(at.first, outer).first->second;
    if (outerOfSide == outer && innerFits)
      return success();
    return op->emitOpError()
           << "expected " << where << " bit " << bit << " of " << name
           << " to hold (" << outerOfSide << ", " << at.second
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
/// zeros, or produce columns that nothing uses. Of `bSide` so many contracted
/// indices are left out.
SmallVector<Product> productsOf(const Side &a, const Side &bSide,
                                const Side &result, int64_t skip) {
  SmallVector<Product> products;
  for (int64_t r : result.type().presentFragments())
    for (int64_t i : a.type().presentFragments()) {
      if (a.outer(i) != result.outer(r))
        continue;
      for (int64_t j : bSide.type().presentFragments())
        if (bSide.outer(j) == result.inner(r) &&
            bSide.inner(j) == a.inner(i) + skip)
          products.push_back({r, i, j});
    }
  return products;
}

/// The place of the first of the `fragments` of a tile that begins with a row
/// of a lane; an error at `op` if none does, as one of `what` does.
FailureOr<size_t> findFragment(Operation *op, TileType type, int64_t row,
                               StringRef what) {
  LaneLayoutAttr layout = type.getLayout();
  for (int64_t i = 0; i < layout.getFragments(); ++i)
    if (layout.regCoord(i * layout.getFragment(), 0) == row)
      return i;
  return op->emitOpError() << "expected a fragment of " << type
                           << " that begins with row " << row
                           << " of a lane, as one of " << what
                           << " does, found none";
}

/// The instruction of this shape on such elements, which has to be one that
/// amdgpu.mfma becomes with the wait states that it needs.
FailureOr<chip::MatrixInstruction> lookup(Operation *op, MfmaAttr shape, Type a,
                                          Type b) {
  std::optional<chip::MatrixInstruction> map = chip::lookupMatrix(shape, a, b);
  if (!map)
    return chip::refuseMatrix(op->emitOpError(), "the instruction", shape, a,
                              b);
  for (Type element : {a, b})
    if (bitsOf(element) != kByteBits && // of which there is every pair of kinds
        failed(requireLowered(op, map->name, element)))
      return failure();
  return *map;
}

/// Gives a fragment the type of its elements; lanes hold 8-bit floats as i8.
Value typed(LaneBuilder &b, Value fragment, Type element) {
  auto type = cast<VectorType>(fragment.getType());
  if (type.getElementType() == element)
    return fragment;
  return vector::BitCastOp::create(b, VectorType::get(type.getShape(), element),
                                   fragment);
}

/// The types of the elements of A and B, as the instruction takes them.
struct Elements {
  Type a, b;
};

/// The exponents of a lane's row of A and column of B, as the instruction takes
/// them: the second and the first of four bytes (fmha.row_exponents).
Value scaleOf(LaneBuilder &b, Value exponent) {
  auto bytes = VectorType::get({4}, Float8E8M0FNUType::get(b.getContext()));
  return vector::BitCastOp::create(
      b, bytes,
      vector::BroadcastOp::create(b, VectorType::get({1}, b.getI32Type()),
                                  exponent));
}

/// `exponent`, of the lane's column of B, may be null.
Value mfma(LaneBuilder &b, MfmaAttr shape, Elements of, Value x, Value y,
           Value sum, Value exponent = {}) {
  if (exponent) {
    Value scales = scaleOf(b, exponent);
    return amdgpu::ScaledMFMAOp::create(
        b, sum.getType(), shape.getM(), shape.getN(), shape.getK(),
        typed(b, x, of.a), typed(b, y, of.b), sum, scales, scales,
        /*scalesIdxA=*/1, /*scalesIdxB=*/0);
  }
  return amdgpu::MFMAOp::create(b, sum.getType(), shape.getM(), shape.getN(),
                                shape.getK(), /*blocks=*/1, typed(b, x, of.a),
                                typed(b, y, of.b), sum);
}

/// A fragment as 32-bit words.
Value wordsOf(LaneBuilder &b, Value fragment, Type element) {
  auto type = cast<VectorType>(fragment.getType());
  int64_t bits = type.getNumElements() * int64_t(bitsOf(element));
  return b.bitcast(
      VectorType::get({bits / chip::kRegisterBits}, b.getI32Type()), fragment);
}

/// LLVM 22 lets the result of v_mfma_scale lie over its sources, which are
/// still read (isa/rules/overlaps.def). Empty instructions keep these.
class KeptSources {
public:
  explicit KeptSources(LaneBuilder &b)
      : b(b), isPinned(b.schedule().getPipeline().getInstructions() ==
                       InstructionOrder::Pinned) {}

  /// The sum of a product of `sources`. Where LLVM chooses the order, only what
  /// comes out of the instruction can tell how long they have to stay. LLVM
  /// then waits as if the sum was read.
  Value add(Value sum, ArrayRef<Value> sources) {
    if (isPinned) {
      all.insert(sources.begin(), sources.end());
      return sum;
    }
    Values operands{sum};
    operands.append(sources.begin(), sources.end());
    return createAsm(sum.getType(), operands, "=v,0,", sources.size())
        .getResult(0);
  }

  /// After all products. Where instructions are pinned, this stands behind
  /// them.
  void end() {
    if (!all.empty())
      createAsm(TypeRange(), all.getArrayRef(), "", all.size());
  }

private:
  /// Has effects, so that memory accesses stay on their side: around an
  /// empty instruction without them LLVM 22 moved loads of the bias before a
  /// copy, in spite of the barrier of the schedulers between them.
  LLVM::InlineAsmOp createAsm(TypeRange results, ArrayRef<Value> operands,
                              StringRef tied, size_t sources) {
    std::string constraints =
        tied.str() + llvm::join(SmallVector<StringRef>(sources, "v"), ",");
    return createEmptyAsm(b, results, operands, constraints,
                          /*hasEffects=*/true);
  }

  LaneBuilder &b;
  bool isPinned;
  llvm::SmallSetVector<Value, 8> all;
};

/// result += A B, fragment by fragment, as far as the op's part goes.
FailureOr<Value> lower(ProductOp op, LaneBuilder &b) {
  const StagedOperand &by = staged(op.getOperand());
  unsigned summed = by.summedDim;
  MfmaAttr shape = by.getInstruction(b.schedule());
  Side aSide{op.getB(), 1 - summed, summed}, bSide{op.getA(), 0, 1},
      result{op.getResult(), 1, 0};
  FailureOr<chip::MatrixInstruction> map =
      lookup(op, shape, aSide.type().getElement(), bSide.type().getElement());
  if (failed(map))
    return failure();
  Renaming keys;
  Renaming *ofKeys = by.sumsKeys() ? nullptr : &keys;
  if (failed(checkFragment(op, "A", aSide, map->a, true, ofKeys)) ||
      failed(checkFragment(op, "B", bSide, map->b, true, nullptr)) ||
      failed(
          checkFragment(op, "the result", result, map->result, false, ofKeys)))
    return failure();

  Values exponents;
  LaneLayoutAttr rows;
  if (op.getExponents()) {
    if (!map->takesExponents)
      return op.emitOpError()
             << "expected a matrix instruction that takes exponents of rows, "
                "as v_mfma_scale_f32_32x32x64_f8f6f4, found "
             << map->name;
    exponents = b.elements(op.getExponents());
    rows = op.getExponents().getType().getLayout();
  }
  auto exponentOf = [&](int64_t row) -> Value {
    for (auto [reg, exponent] : llvm::enumerate(exponents))
      if (rows.regCoord(reg, 0) == row)
        return exponent;
    return {};
  };
  Values aFragments = b.toLanes(aSide.tile), bFragments = b.toLanes(bSide.tile);
  Values sums(result.layout().getFragments()), starts;
  if (op.getAcc())
    sums = b.toLanes(op.getAcc());
  auto type = fragmentType(result.type());
  const auto skip = int64_t(op.getSkip().value_or(0));
  if (skip % shape.getK())
    return op.emitOpError() << "expected to skip a multiple of the "
                            << shape.getK() << " columns of an instruction, "
                            << "found " << skip;
  SmallVector<Product> products = productsOf(aSide, bSide, result, skip);
  auto [first, last] = PartAttr::rangeOf(op.getPartAttr(), products.size());
  KeptSources kept(b);
  llvm::SmallDenseSet<int64_t> begun;
  for (auto [n, product] : llvm::enumerate(products)) {
    bool isFirst = begun.insert(product.result).second;
    if (int64_t(n) < first || int64_t(n) >= last)
      continue;
    Value &sum = sums[product.result];
    if (isFirst && op.getStart()) {
      // What the products of a block of rows start from.
      FailureOr<size_t> from =
          findFragment(op, op.getStart().getType(),
                       result.inner(product.result), "the result");
      if (failed(from))
        return failure();
      sum = b.toLanes(op.getStart())[*from];
    } else if (isFirst && !by.sumsKeys() && !by.isFurther) {
      sum = b.splat(type, 0);
    }
    Elements of = {aSide.type().getElement(), bSide.type().getElement()};
    Value x = aFragments[product.a], y = bFragments[product.b];
    Value exponent = exponentOf(bSide.outer(product.b));
    sum = mfma(b, shape, of, x, y, sum, exponent);
    if (exponent)
      sum = kept.add(sum, {wordsOf(b, x, of.a), wordsOf(b, y, of.b), exponent});
  }
  kept.end();
  // What a later part begins.
  for (int64_t r : result.type().presentFragments())
    if (!sums[r])
      sums[r] = LLVM::PoisonOp::create(b, type);
  return b.fromLanes(result.type(), sums);
}

/// `elements` ones of a tile's element type, as lanes hold them.
Value onesOf(LaneBuilder &b, TileType tile, int64_t elements) {
  auto type = VectorType::get({elements}, fragmentType(tile).getElementType());
  if (!isa<IntegerType>(type.getElementType()))
    return b.splat(type, 1);
  auto &format = cast<FloatType>(tile.getElement()).getFloatSemantics();
  return arith::ConstantOp::create(
      b,
      DenseElementsAttr::get(type, APFloat::getOne(format).bitcastToAPInt()));
}

/// Which elements of B the ones of a sparse A meet, two bits each: in even rows
/// of A, so in even lanes, 0 and 1 of four, in odd ones 2 and 3.
Value sparseIndex(LaneBuilder &b) {
  constexpr int64_t kFirstTwo = 0x44444444, kLastTwo = 0xeeeeeeee;
  // No select, for which a recipe would have to have a place.
  Value index =
      b.xorWith(b.xorBits(b.id(Id::Lane), {kFirstTwo ^ kLastTwo}), kFirstTwo);
  // The type that the operation has for elements of 8 bits.
  return b.bitcast(VectorType::get({2}, b.getI16Type()), index);
}

/// Every fragment of P adds to the sums of its rows.
FailureOr<Value> lower(MatrixSumOp op, LaneBuilder &b) {
  MfmaAttr shape = b.schedule().getSums();
  TileType lType = op.getL().getType(), pType = op.getP().getType();
  LaneLayoutAttr p = pType.getLayout(), sums = lType.getLayout();
  Type element = pType.getElement();
  std::optional<chip::MatrixInstruction> map = chip::lookupSums(shape, element);
  if (!map)
    return chip::refuseMatrix(op->emitOpError(), "the instruction", shape,
                              element, element);
  if (failed(requireLowered(op, map->name, element)))
    return failure();
  if (p.getFragment() != map->b.elems() ||
      sums.getFragment() != map->result.elems())
    return op.emitOpError() << "expected fragments that " << map->name
                            << " takes and gives, " << map->b.elems() << " and "
                            << map->result.elems() << " elements, found "
                            << p.getFragment() << " and " << sums.getFragment();
  Value ones = onesOf(b, pType, map->a.elems());
  Value index = map->sparse ? sparseIndex(b) : Value();
  Values l = b.toLanes(op.getL()), fragments = b.toLanes(op.getP());
  auto [first, last] = PartAttr::rangeOf(op.getPartAttr(), fragments.size());
  for (int64_t i = first; i < last; ++i) {
    FailureOr<size_t> at =
        findFragment(op, lType, p.regCoord(i * p.getFragment(), 0), "P");
    if (failed(at))
      return failure();
    l[*at] = map->sparse ? amdgpu::SparseMFMAOp::create(
                               b, l[*at].getType(), shape.getM(), shape.getN(),
                               shape.getK(), typed(b, ones, element),
                               typed(b, fragments[i], element), l[*at], index)
                               .getResult()
                         : mfma(b, shape, {element, element}, ones,
                                fragments[i], l[*at]);
  }
  return b.fromLanes(lType, l);
}

struct MatrixToAmdgpu : impl::MatrixToAmdgpuPassBase<MatrixToAmdgpu> {
  LogicalResult run(KernelOp kernel) override {
    return lowerEach<ProductOp, MatrixSumOp>(
        kernel, [](auto op, LaneBuilder &b) { return lower(op, b); });
  }
};
} // namespace
} // namespace mlir::fmha
