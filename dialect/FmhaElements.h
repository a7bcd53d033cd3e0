// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Element types of the operands of attention, and sizes. Sizes are in bits;
/// the one place that turns them into bytes is here.
#ifndef FMHA_ELEMENTS_H
#define FMHA_ELEMENTS_H

#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace mlir::fmha {

/// What an element of Q, K, V or P can be, as matrix instructions tell it
/// apart: FP8 is OCP e4m3, BF8 OCP e5m2.
enum class ElementKind { BF16, F16, FP8, BF8 };

/// What they are in IR, for messages.
constexpr llvm::StringLiteral kKindTypes =
    "bf16, f16, f8E4M3FN (fp8) or f8E5M2 (bf8)";
/// Nothing for a type that no operand has.
std::optional<ElementKind> kindOf(Type element);

/// Bits of an element of memory, LDS or a tile.
inline int64_t bitsOf(Type element) { return element.getIntOrFloatBitWidth(); }

constexpr int64_t kByteBits = 8;
/// The bytes of a whole number of them.
inline int64_t bytesOf(int64_t bits) {
  assert(bits % kByteBits == 0 && "expected whole bytes");
  return bits / kByteBits;
}

/// What lanes hold of an element: LLVM has no types of 8-bit floats, so those
/// are bits.
inline Type laneElement(Type element) {
  if (isa<FloatType>(element) && bitsOf(element) == kByteBits)
    return IntegerType::get(element.getContext(), kByteBits);
  return element;
}

} // namespace mlir::fmha

#endif // FMHA_ELEMENTS_H
