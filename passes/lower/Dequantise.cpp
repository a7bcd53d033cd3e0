// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/Dequantise.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fmha;

namespace {

/// Converts the low or the high half of a register, two elements. `scale` is a
/// power of two that they are multiplied by.
using Convert = Value (*)(LaneBuilder &b, Type result, Value word, Value scale,
                          bool high);

template <typename Op>
Value convert(LaneBuilder &b, Type result, Value word, Value scale, bool high) {
  return Op::create(b, result, word, scale, high);
}

struct Widening {
  ElementKind from, to;
  Convert convert;
};

/// Source: CDNA4 ISA guide, V_CVT_SCALEF32_PK_*. gfx950 has no conversion of
/// two elements of 8 bits to 16 without a scale.
constexpr Widening kWidenings[] = {
    {ElementKind::FP8, ElementKind::BF16,
     &convert<ROCDL::CvtScaleF32PkBf16Fp8Op>},
    {ElementKind::BF8, ElementKind::BF16,
     &convert<ROCDL::CvtScaleF32PkBf16Bf8Op>},
    {ElementKind::FP8, ElementKind::F16,
     &convert<ROCDL::CvtScaleF32PkF16Fp8Op>},
    {ElementKind::BF8, ElementKind::F16,
     &convert<ROCDL::CvtScaleF32PkF16Bf8Op>},
};

/// There is one for each pair of types of 8 and of 16 bits.
const Widening &lookup(Type from, Type to) {
  return *llvm::find_if(kWidenings, [&](const Widening &row) {
    return kindOf(from) == row.from && kindOf(to) == row.to;
  });
}

} // namespace

Value fmha::widen(LaneBuilder &b, Value fragment, Type from, Type to) {
  constexpr int64_t kWordBits = 32, kPair = 2;
  const Widening &row = lookup(from, to);
  int64_t elements = cast<VectorType>(fragment.getType()).getNumElements();
  int64_t inWord = kWordBits / bitsOf(from);
  Values words;
  if (elements < inWord) {
    Value bits = b.bitcast(b.getIntegerType(elements * bitsOf(from)), fragment);
    words.push_back(arith::ExtUIOp::create(b, b.getI32Type(), bits));
  } else {
    Value all = b.bitcast(VectorType::get({elements / inWord}, b.getI32Type()),
                          fragment);
    for (int64_t i = 0; i < elements / inWord; ++i)
      words.push_back(vector::ExtractOp::create(b, all, i));
  }
  auto pair = VectorType::get({kPair}, to);
  Value one = b.f32(1.0f);
  Values pairs; // as words
  for (int64_t i = 0; i < elements; i += kPair) {
    Value converted = row.convert(b, pair, words[i / inWord], one,
                                  /*high=*/i % inWord != 0);
    pairs.push_back(b.bitcast(b.getI32Type(), converted));
  }
  return b.bitcast(VectorType::get({elements}, to), b.packAll(pairs));
}
