// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "chip/Chip.h"
#include "lower/RowMath.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

namespace mlir::fmha {
#define GEN_PASS_DEF_LOWERQUANTIZEPASS
#include "Passes.h.inc"

namespace {

constexpr int64_t kExponentBias = 127;
/// The most that matrix instructions are given: products of 256 columns of the
/// largest numbers stay finite, and so do their differences.
constexpr int64_t kMostExponent = kExponentBias + 100;
/// A register has both exponents of a matrix instruction: the first byte is the
/// row's, the second 2^0, K's. The upper half says by how much more the row is
/// divided.
constexpr int64_t kOneBit = 8, kOverBit = 16,
                  kExponentMask = (1 << kOneBit) - 1;

/// A number as mantissa, of a magnitude in [0.5, 1), times 2^exponent; 0 is 0
/// times 2^0.
struct Parts {
  Value mantissa, exponent;
};

Parts partsOf(LaneBuilder &b, Value number) {
  Value mantissa = LLVM::CallIntrinsicOp::create(
                       b, b.getF32Type(),
                       b.getStringAttr("llvm.amdgcn.frexp.mant.f32"), number)
                       .getResult(0);
  return {mantissa, exponentOf(b, number)};
}

/// The f32 nearest to a product, or the odd one of its two neighbours where it
/// is none of them: what is rounded to fewer bits then is rounded as the
/// product would be.
Value timesToOdd(LaneBuilder &b, Value x, Value y) {
  constexpr int64_t kSignBit = 31;
  Type i32 = b.getI32Type();
  Value product = b.mul(x, y);
  Value rest = LLVM::FMAOp::create(
      b, x, y, arith::NegFOp::create(b, product).getResult());
  Value bits = b.bitcast(i32, product);
  Value one = b.i32(1), none = b.i32(0);
  // Towards zero or away from it: -1 or 1.
  Value away = arith::ShRSIOp::create(
      b, arith::XOrIOp::create(b, bits, b.bitcast(i32, rest)), b.i32(kSignBit));
  away = arith::OrIOp::create(b, away, one);
  Value isEven = b.cmp(arith::CmpIPredicate::eq,
                       arith::AndIOp::create(b, bits, one), none);
  Value isInexact = b.cmp(arith::CmpFPredicate::ONE, rest, b.f32(0));
  Value moves = arith::AndIOp::create(b, isEven, isInexact);
  return b.bitcast(b.getF32Type(), b.add(bits, b.select(moves, away, none)));
}

/// The largest number of a type.
float largestOf(Type element) {
  APFloat largest =
      APFloat::getLargest(cast<FloatType>(element).getFloatSemantics());
  bool loses;
  largest.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &loses);
  return largest.convertToFloat();
}

/// The elements that a lane has of a fragment, as f32.
Values numbersOf(LaneBuilder &b, Value fragment) {
  auto type = cast<VectorType>(fragment.getType());
  auto wide = VectorType::get(type.getShape(), b.getF32Type());
  return b.unpack(Value(arith::ExtFOp::create(b, wide, fragment)));
}

/// The fragments that a lane has of each row, absent ones left out; rows in the
/// order of `rows`.
SmallVector<Values> fragmentsOfRows(LaneBuilder &b, Value tile,
                                    LaneLayoutAttr rows) {
  LaneLayoutAttr layout = cast<TileType>(tile.getType()).getLayout();
  SmallVector<Values> ofRows(rows.getRegElems());
  for (auto [i, fragment] : llvm::enumerate(b.toLanes(tile)))
    for (auto [row, own] : llvm::enumerate(ofRows))
      if (fragment &&
          layout.regCoord(i * layout.getFragment(), 0) == rows.regCoord(row, 0))
        own.push_back(fragment);
  return ofRows;
}

FailureOr<Value> lower(RowExponentsOp op, LaneBuilder &b) {
  TileType type = op.getTile().getType(), rowType = op.getExponents().getType();
  FailureOr<SmallVector<unsigned>> laneBits = rowLaneBits(op, type.getLayout());
  if (failed(laneBits))
    return failure();
  // Mantissas are multiplied, and exponents added: the product of the numbers
  // may pass what f32 holds.
  Parts factor =
      partsOf(b, math::AbsFOp::create(b, op.getFactor()).getResult());
  const float largest = largestOf(op.getElement());
  const int highest = std::ilogb(largest) + 1;
  Values exponents;
  for (ArrayRef<Value> fragments :
       fragmentsOfRows(b, op.getTile(), rowType.getLayout())) {
    Values magnitudes;
    for (Value fragment : fragments)
      for (Value number : numbersOf(b, fragment))
        magnitudes.push_back(math::AbsFOp::create(b, number));
    Parts row = partsOf(b, maxOfRow(b, maxOf(b, magnitudes), *laneBits));
    Value product = b.mul(row.mantissa, factor.mantissa); // in [1/4, 1)
    // The most by which it may be multiplied.
    Value up = b.i32(highest - 1);
    for (int i = 0; i < 2; ++i)
      up = b.select(b.cmp(arith::CmpFPredicate::OLE, product,
                          b.f32(std::ldexp(largest, -highest - i))),
                    b.i32(highest + i), up);
    Value sum =
        b.add(b.add(row.exponent, factor.exponent), b.i32(kExponentBias));
    Value exponent = arith::MaxSIOp::create(b, b.sub(sum, up), b.i32(0));
    Value most = arith::MinSIOp::create(b, exponent, b.i32(kMostExponent));
    Value over =
        arith::ShLIOp::create(b, b.sub(exponent, most), b.i32(kOverBit));
    Value both = arith::OrIOp::create(b, most, b.i32(kExponentBias << kOneBit));
    exponents.push_back(arith::OrIOp::create(b, both, over));
  }
  return b.tileOf(rowType, exponents);
}

FailureOr<Value> lower(QuantizeOp op, LaneBuilder &b) {
  TileType type = op.getTile().getType(), to = op.getResult().getType(),
           rowType = op.getExponents().getType();
  if (type.getLayout() != to.getLayout())
    return op.emitOpError() << "expected a result that lies as the tile does, "
                            << type.getLayout() << ", found " << to.getLayout();
  if (failed(requireLowered(op, "the result", to.getElement())))
    return failure();
  Parts factor = partsOf(b, op.getFactor());
  Values exponents = b.elements(op.getExponents());
  LaneLayoutAttr rows = rowType.getLayout();
  const size_t ofWord = chip::kRegisterBits / bitsOf(to.getElement());
  Values results;
  for (auto [i, fragment] : llvm::enumerate(b.toLanes(op.getTile()))) {
    if (!fragment)
      continue;
    int64_t row =
        type.getLayout().regCoord(i * type.getLayout().getFragment(), 0);
    for (auto [reg, exponent] : llvm::enumerate(exponents)) {
      if (rows.regCoord(reg, 0) != row)
        continue;
      Value taken = arith::AndIOp::create(b, exponent, b.i32(kExponentMask));
      Value over = arith::ShRUIOp::create(b, exponent, b.i32(kOverBit));
      Value whole = b.add(taken, over);
      Value up = b.sub(b.add(factor.exponent, b.i32(kExponentBias)), whole);
      Values words, numbers = numbersOf(b, fragment);
      for (Value &number : numbers) {
        number = timesPowerOf2(b, number, up);
        number = op.getExact() ? timesToOdd(b, number, factor.mantissa)
                               : b.mul(number, factor.mantissa);
      }
      for (ArrayRef<Value> rest = numbers; !rest.empty();
           rest = rest.drop_front(ofWord))
        words.push_back(
            roundToWord(b, to.getElement(), rest.take_front(ofWord)));
      results.push_back(b.bitcast(fragmentType(to), b.packAll(words)));
    }
  }
  return b.fromPresentLanes(to, results);
}

struct LowerQuantize : impl::LowerQuantizePassBase<LowerQuantize> {
  LogicalResult run(KernelOp kernel) override {
    return lowerEach<RowExponentsOp, QuantizeOp>(
        kernel, [](auto op, LaneBuilder &b) { return lower(op, b); });
  }
};
} // namespace
} // namespace mlir::fmha
