// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FmhaElements.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fmha;

std::optional<ElementKind> fmha::kindOf(Type element) {
  using Kind = std::optional<ElementKind>;
  return llvm::TypeSwitch<Type, Kind>(element)
      .Case<BFloat16Type>([](auto) { return ElementKind::BF16; })
      .Case<Float16Type>([](auto) { return ElementKind::F16; })
      .Case<Float8E4M3FNType>([](auto) { return ElementKind::FP8; })
      .Case<Float8E5M2Type>([](auto) { return ElementKind::BF8; })
      .Default([](Type) { return std::nullopt; });
}
